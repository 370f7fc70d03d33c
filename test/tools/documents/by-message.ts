import { markdownTable } from '../helpers/markdown-table';

interface Told {
	situation: string;
	message: string;
}

/** Which situations lead to each message, in Markdown: a column for each place, and one for the message. */
export function byMessage(places: Record<string, Told[]>, title: string): string {
	const columns = Object.values(places);
	const rows = [...new Set(columns.flat().map(({ message }) => message))].map((own) => [
		...columns.map((all) => {
			const same = all.filter(({ message }) => message === own);
			return [...new Set(same.map(({ situation }) => situation))].join('; ');
		}),
		own.replace(/\{\w+\}/g, '…'),
	]);
	return markdownTable([[...Object.keys(places), title], ...rows]);
}
