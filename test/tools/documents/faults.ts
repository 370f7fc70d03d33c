import { MOST, type Row, SETTINGS, SITES, TABLE } from '../cases/fault-table';
import { byMessage } from './by-message';

const toTold = (rows: Row[]) =>
	rows.map(({ fault, message = 'None: all items are kept' }) => ({
		situation: fault,
		message: message.replace(/: credential ".*"$/, ''),
	}));

/** The matrix in Markdown. */
export function matrixText(): string {
	const forms = TABLE.reduce((sum, row) => sum + Object.keys(row.variations).length, 0);
	return [
		`${TABLE.length} faults in ${forms} forms, each with ${SETTINGS.length} settings of **On Error**: ${forms * SETTINGS.length} runs with ${SITES.length} items. A failure may be sent again to find out whose it is: at most ${MOST.requests} requests for each try, and ${MOST.logins} logins for each that fails.`,
		byMessage(
			{
				'At a login': toTold(TABLE.filter(({ place }) => place !== 'site')),
				'When a site is requested': toTold(TABLE.filter(({ place }) => place === 'site')),
			},
			'Message',
		),
	].join('\n\n');
}
