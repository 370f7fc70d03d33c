import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectedOutcome, ON_ERROR, type OnError } from './cell';
import { type Place, type Row, SITES, TABLE } from './table';

const FILE = join(__dirname, '../../docs/reliability.md');
const BEGIN = '<!-- The fault matrix: written by `npm run test:faults` -->';
const END = '<!-- The end of the fault matrix -->';

const TITLES: Record<Place, string> = {
	'first login': 'At the first login',
	'renewed login': 'At the login that renews a token in mid-run',
	site: 'When sites are asked for',
};

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

function cellText(row: Row, onError: OnError): string {
	const [variation] = Object.values(row.variations);
	const { stopped, kept, failed, requests, logins } = expectedOutcome(row, variation!, onError);
	const outcome = stopped
		? `stops, names item ${stopped.item}`
		: failed.length === 0
			? `${kept.length} kept`
			: `${kept.length} kept, ${failed.length} told`;
	return `${outcome}; ${count(requests, 'request')}, ${count(logins, 'login')}`;
}

function table(lines: string[][]): string {
	const widths = lines[0]!.map((_, column) =>
		Math.max(...lines.map((line) => line[column]!.length)),
	);
	const write = (line: string[]) =>
		`| ${line.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |`;
	const [head, ...body] = lines;
	return [head!, widths.map((width) => '-'.repeat(width)), ...body].map(write).join('\n');
}

/**
 * The matrix as Markdown that reads well in a terminal too.
 *
 * @param mark what stands in front of a cell
 */
export function matrixText(mark: (row: Row, onError: OnError) => string = () => ''): string {
	const settings = Object.keys(ON_ERROR) as OnError[];
	const head = ['Fault', 'Forms', 'Message', ...settings.map((setting) => ON_ERROR[setting])];
	const sections = (Object.keys(TITLES) as Place[]).map((place) => {
		const rows = TABLE.filter((row) => row.place === place).map((row) => [
			row.fault,
			String(Object.keys(row.variations).length),
			row.message ?? '–',
			...settings.map((setting) => mark(row, setting) + cellText(row, setting)),
		]);
		return `### ${TITLES[place]}\n\n${table([head, ...rows])}`;
	});
	const forms = TABLE.reduce((sum, row) => sum + Object.keys(row.variations).length, 0);
	return [
		`${TABLE.length} faults in ${forms} forms, each with ${settings.length} settings of «On Error»: ${forms * settings.length} runs over ${SITES.length} items.`,
		...sections,
	].join('\n\n');
}

function parts() {
	const text = readFileSync(FILE, 'utf8');
	const [before, rest = ''] = text.split(BEGIN);
	const [shown = '', after] = rest.split(END);
	if (after === undefined) throw new Error(`${FILE} has no place for the fault matrix`);
	return { before, shown: shown.trim(), after };
}

/** The matrix as docs/reliability.md shows it. */
export const documentedMatrix = () => parts().shown;

/** Writes the matrix into docs/reliability.md. */
export function documentMatrix(): void {
	const { before, after } = parts();
	writeFileSync(FILE, `${before}${BEGIN}\n\n${matrixText()}\n\n${END}${after}`);
}
