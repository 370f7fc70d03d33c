import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadOutputSchema } from 'n8n-core';
import type { INodePropertyOptions } from 'n8n-workflow';
import { parse } from 'yaml';
import type { Site, SiteInfo, Unit } from '../../nodes/AquacultureSite/site/site';
import type { SiteEvent } from '../../nodes/AquacultureSite/trigger/events';
import { dataOf, siteNode, useSeaFarm } from '../tools/engine/sea-farm';
import { at, defined } from '../tools/helpers/at';

const farm = useSeaFarm();

const ROOT = resolve(__dirname, '../..');

/** The parts of JSON Schema that describe the fields of an item. */
interface Schema {
	type?: string | string[];
	properties?: Record<string, Schema>;
	items?: Schema;
	$ref?: string;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** What n8n shows of a node's output before it has run. */
function previewOf(operation?: { resource: string; operation: string }): Schema {
	const { n8n } = JSON.parse(read('package.json')) as { n8n: { nodes: string[] } };
	const nodeDir = join(ROOT, dirname(at(n8n.nodes, 0)));
	const file = `__schema__/v1.0.0${operation ? `/site/${operation.operation}` : ''}.json`;
	return defined(loadOutputSchema({ nodeDir, version: 1, ...operation }), file);
}

/** The fields of a schema, in their order: "units[].unitId: number". */
function fieldsOf(schema: Schema, resolveRef: (ref: string) => Schema, path = ''): string[] {
	const { type, properties, items, $ref } = schema;
	if ($ref !== undefined) return fieldsOf(resolveRef($ref), resolveRef, path);
	if (items) return fieldsOf(items, resolveRef, `${path}[]`);
	if (properties) {
		return Object.entries(properties).flatMap(([name, field]) =>
			fieldsOf(field, resolveRef, `${path}.${name}`),
		);
	}
	return [type ?? []]
		.flat()
		.filter((each) => each !== 'null')
		.map((each) => `${path}: ${each === 'integer' ? 'number' : each}`);
}

const shownFields = (schema: Schema) =>
	fieldsOf(schema, (ref) => {
		throw new Error(`n8n does not resolve ${ref}`);
	});

/** The fields that values have, as above; what is null has none. */
function fieldsIn(value: unknown, path = ''): string[] {
	if (value === null || value === undefined) return [];
	if (typeof value !== 'object') return [`${path}: ${typeof value}`];
	return Object.entries(value).flatMap(([name, entry]) =>
		fieldsIn(entry, Array.isArray(value) ? `${path}[]` : `${path}.${name}`),
	);
}

const allFieldsIn = (items: unknown[]) =>
	[...new Set(items.flatMap((item) => fieldsIn(item)))].sort();

const OPERATIONS = ['get', 'getAll', 'getUnits', 'getMap'];

test('each operation has a preview', () => {
	const { description } = defined(farm.engine.types.nodes['n8n-nodes-aquaculture.aquacultureSite']);
	const valuesOf = (parameter: string) =>
		defined(description.properties.find(({ name }) => name === parameter)).options?.map(
			(option) => (option as INodePropertyOptions).value,
		);
	expect(valuesOf('resource')).toEqual(['site']);
	expect(valuesOf('operation')).toEqual(OPERATIONS);
});

test.each(OPERATIONS)(
	'%s: the preview shows the fields of real items with the default settings, all and no others',
	async (operation) => {
		const node = siteNode({ operation, siteId: '1042', siteIds: '1042' });
		const items = dataOf(await farm.engine.run({ node }));
		const shown = shownFields(previewOf({ resource: 'site', operation }));
		expect(allFieldsIn(items)).toEqual([...shown].sort());
	},
);

const { components } = parse(read('docs/openapi.yaml')) as {
	components: { schemas: Record<string, Schema> };
};
const contract = (name: string) => defined(components.schemas[name]);

test.each(['get', 'getAll'])(
	'%s: the preview has the types of docs/openapi.yaml, info lifted to the top',
	(operation) => {
		const site = fieldsOf(contract('Site'), (ref) => contract(ref.replace(/.*\//, '')));
		const lifted = site.map((field) => field.replace('.info.', '.'));
		const shown = shownFields(previewOf({ resource: 'site', operation }));
		expect(shown.slice(0, -1).filter((field) => !lifted.includes(field))).toEqual([]);
		expect(shown.at(-1)).toBe('.unitCount: number');
	},
);

/** The fields that a type declares, without "any other field". */
type Declared<T> = Record<keyof { [K in keyof T as string extends K ? never : K]: T[K] }, 1>;

test('the types of a site declare the fields of docs/openapi.yaml', () => {
	const site: Declared<Site> = { siteId: 1, siteName: 1, info: 1, units: 1 };
	const unit: Declared<Unit> = { unitId: 1, unitName: 1, longitude: 1, latitude: 1 };
	const place = { longitude: 1, latitude: 1 } as const;
	const texts = { type: 1, code: 1, license: 1, maxTotalBiomass: 1, timezone: 1 } as const;
	const info: Declared<SiteInfo> = { ...place, ...texts };
	for (const [name, declared] of Object.entries({ Site: site, Unit: unit, SiteInfo: info })) {
		expect(Object.keys(declared)).toEqual(Object.keys(defined(contract(name).properties)));
	}
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
	const items = dataOf({ items: defined(await trigger.poll()) });
	const preview = previewOf();
	expect(allFieldsIn(items)).toEqual(shownFields(preview).sort());

	const declared: Declared<SiteEvent> = {
		...{ event: 1, siteId: 1, siteName: 1, unitId: 1, unitName: 1, changes: 1, distance: 1 },
		...{ summary: 1, mapUrl: 1, detectedAt: 1, site: 1, unit: 1 },
	};
	expect(Object.keys(defined(preview.properties))).toEqual(Object.keys(declared));
});
