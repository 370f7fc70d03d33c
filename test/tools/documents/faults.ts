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
		`${TABLE.length} faults in ${forms} forms, each with ${SETTINGS.length} settings of **On Error**: ${forms * SETTINGS.length} runs with ${SITES.length} items. No run requests sites more than ${MOST.requests} times or logs in more than ${MOST.logins} times, and a rejected login is not repeated.`,
		byMessage(
			{
				'At a login': toTold(TABLE.filter(({ place }) => place !== 'site')),
				'When a site is requested': toTold(TABLE.filter(({ place }) => place === 'site')),
			},
			'Message',
		),
	].join('\n\n');
}
