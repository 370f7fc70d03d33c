import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../n8n/workspace';
import type { CaseResult } from './measure';

const ITEMS = 200;
const [WIDTH, ROW, LEFT, BAR] = [720, 62, 90, 20];

/** Colors of the page, of text, and of the two callers, in light and in dark. */
const STYLE = `
	text { font: 14px system-ui, sans-serif; fill: #1f2328; }
	.quiet { fill: #59636e; }
	.node { fill: #0969da; }
	.other { fill: #9aa4af; }
	@media (prefers-color-scheme: dark) {
		text { fill: #f0f6fc; }
		.quiet { fill: #9198a1; }
		.node { fill: #4493f8; }
		.other { fill: #6e7681; }
	}
`;

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

/** Two bars for each case: the time of the node, and that of HTTP Request. */
function chartOf(results: CaseResult[]): string {
	const longest = Math.max(...results.flatMap(({ rows }) => rows.map((row) => row.milliseconds)));
	const bar = (ms: number, y: number, kind: string) => {
		const width = Math.max(2, (ms / longest) * (WIDTH - LEFT - 80));
		return `<rect class="${kind}" x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="3"/>
<text class="quiet" x="${(LEFT + width + 8).toFixed(1)}" y="${y + 15}">${seconds(ms)}</text>`;
	};
	const rows = results.map(({ case: { setting }, rows: [node, other] }, index) => {
		const y = 70 + index * ROW;
		return `<text x="0" y="${y + 26}">${setting.latency ?? 0} ms</text>
${bar(node?.milliseconds ?? 0, y, 'node')}
${bar(other?.milliseconds ?? 0, y + BAR + 3, 'other')}`;
	});
	const title = `Time to read ${ITEMS} sites, by the latency of the service`;
	const height = 70 + results.length * ROW;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
<style>${STYLE}</style>
<text x="0" y="18" font-weight="600">${title}</text>
<rect class="node" x="0" y="34" width="14" height="14" rx="3"/><text x="20" y="46">Aquaculture Site</text>
<rect class="other" x="160" y="34" width="14" height="14" rx="3"/><text x="180" y="46">HTTP Request</text>
${rows.join('\n')}
</svg>
`;
}

/** Writes the chart of the README. */
export function writeChart(matrix: CaseResult[]): void {
	const results = matrix.filter(({ case: { setting } }) => setting.items === ITEMS);
	writeFileSync(join(ROOT, 'docs/images/speed.svg'), chartOf(results));
}
