/**
 * A table as Prettier leaves it in this project: without aligned columns, so that a changed word changes one line.
 *
 * @param numbers whether all columns but the first one are numbers
 */
export function markdownTable([head = [], ...rows]: string[][], numbers = false): string {
	const delimiters = head.map((_, column) => (numbers && column > 0 ? '--:' : '---'));
	return [head, delimiters, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
