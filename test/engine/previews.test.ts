import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadOutputSchema } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { dataOf, siteNode, useSeaFarm } from '../tools/engine/sea-farm';
import { at, defined } from '../tools/helpers/at';
import { BLOCKS, readBlock, writeBlock } from '../tools/helpers/document';
import { markdownTable } from '../tools/helpers/markdown-table';
import { ALL_OPERATIONS, OPERATIONS } from '../tools/helpers/panel';

const farm = useSeaFarm();

const ROOT = resolve(__dirname, '../..');

/** The parts of JSON Schema that describe the fields of an item. */
interface Schema {
	type?: string | string[];
	properties?: Record<string, Schema>;
	items?: Schema;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** `npm run previews` */
const WRITE = process.env.PREVIEWS === 'write';

/** The schema of values: of each field the types that it has in any of them. */
function schemaOf(values: unknown[]): Schema {
	const present = values.filter((value) => value !== null && value !== undefined);
	const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);
	const types = [...new Set(present.map(typeOf))];
	const type = types.length === 1 ? types[0] : types;
	if (type === 'array') return { type, items: schemaOf(present.flat()) };
	if (type !== 'object') return { type };
	// Those with the most fields first: they have the order
	const rows = (present as object[]).sort((a, b) => Object.keys(b).length - Object.keys(a).length);
	const names: string[] = [];
	for (const row of rows) {
		Object.keys(row).forEach((name, index, all) => {
			if (names.includes(name)) return;
			names.splice(names.indexOf(all[index - 1] ?? '') + 1, 0, name);
		});
	}
	const fieldOf = (name: string) => schemaOf(rows.map((row) => (row as IDataObject)[name]));
	return { type, properties: Object.fromEntries(names.map((name) => [name, fieldOf(name)])) };
}

/** What n8n shows of a node's output before it has run: what real items have. */
function checkPreview(items: unknown[], operation?: string): void {
	const schema = schemaOf(items);
	const { n8n } = JSON.parse(read('package.json')) as { n8n: { nodes: string[] } };
	const folder = dirname(at(n8n.nodes, 0));
	if (WRITE) {
		const source = join(ROOT, folder.replace('dist/', ''), '__schema__/v1.0.0');
		const file = operation === undefined ? `${source}.json` : `${source}/site/${operation}.json`;
		writeFileSync(file, JSON.stringify(schema));
		return;
	}
	const resource = operation && { resource: 'site', operation };
	const shown = loadOutputSchema({ nodeDir: join(ROOT, folder), version: 1, ...resource });
	expect(JSON.stringify(shown)).toBe(JSON.stringify(schema));
}

test.each(ALL_OPERATIONS)(
	'%s: the preview shows the fields of real items with the default settings, all and no others',
	async (operation) => {
		const node = siteNode({ operation, siteId: '1042', siteIds: '1042' });
		checkPreview(dataOf(await farm.engine.run({ node })), operation);
	},
);

test('docs/nodes.md lists the operations, as `npm run previews` writes them', async () => {
	const rows = [['Operation', 'What it does', 'Fields of its items']];
	for (const { name, value, description } of OPERATIONS) {
		const node = siteNode({ operation: value, siteId: '1042', siteIds: '1042' });
		const columns = Object.keys(at(dataOf(await farm.engine.run({ node })), 0));
		rows.push([
			`**${name}**`,
			`${description}`,
			columns.map((column) => `\`${column}\``).join(', '),
		]);
	}
	const table = markdownTable(rows);
	if (WRITE) writeBlock(BLOCKS.operations, table);
	expect(readBlock(BLOCKS.operations)).toBe(table);
});

test('the trigger: the preview shows the fields of real events, all and no others', async () => {
	const trigger = farm.engine.pollingTrigger({
		type: 'n8n-nodes-aquaculture.aquacultureSiteTrigger',
		parameters: { siteIds: '1042' },
	});
	await trigger.activate();
	const { info, units } = farm.site(1042);
	Object.assign(info, { latitude: 67, license: 'SAMPLE-7' });
	Object.assign(at(units, 0), { unitName: 'Pen A', longitude: 13 });
	units.push(defined(units.pop()), { ...at(units, 1), unitId: 104299 });
	checkPreview(dataOf({ items: defined(await trigger.poll()) }));
});
