import type { IDataObject } from 'n8n-workflow';
import type { NewItem, Operation, Task } from '../../../nodes/AquacultureSite/operations/operation';
import { Parameters } from '../../../nodes/AquacultureSite/utils/parameters';
import type { Site } from '../../../nodes/AquacultureSite/site/site';

/** A sample site with a field in each part that the contract does not name, and a unit that lacks some. */
export const storholmen = {
	siteId: 1042,
	siteName: 'Storholmen',
	owner: 'A',
	info: {
		longitude: 13.4,
		latitude: 66.8,
		type: 'Sea',
		code: 'STOR',
		license: 'SAMPLE-1042',
		maxTotalBiomass: 7800,
		timezone: 'Europe/Oslo',
		depth: 80,
	},
	units: [
		{ unitId: 2, unitName: 'Pen 2', longitude: 13.5, latitude: 66.9, net: 'blue' },
		{ unitId: 1, unitName: 'Pen 1', longitude: null },
	],
};

const asRead = (site: Site, siteId: string) => ({
	siteId,
	site,
	response: { statusCode: 200, headers: { 'x-trace': 'abc' } },
});

/** The items of a site, of an operation that stores no file. */
export function itemsOf(toItems: Task['toItems'], site: Site): NewItem[] {
	const storeFile = () => Promise.reject(new Error('A file'));
	return toItems([asRead(site, '1042')], { addHint: () => {}, storeFile }) as NewItem[];
}

/** What the user entered; the rest is as n8n fills it in. */
export const given = (values: Record<string, unknown>): Parameters =>
	new Parameters((name, fallback) => (name in values ? values[name] : fallback));

/**
 * What an operation makes of an input item.
 *
 * @param parameters what the user entered, the collection 'Options' among them
 * @param sites what the service sent, each requested by the ID that it has
 */
export async function perform(
	operation: Operation,
	{ options = {}, ...parameters }: Record<string, unknown> & { options?: IDataObject },
	...sites: Site[]
) {
	const task = operation.parse(given(parameters), given(options));
	const hints: string[] = [];
	const items = await task.toItems(
		sites.map((site) => asRead(site, String(site.siteId))),
		{
			addHint: (hint, name) => hints.push(`${hint}: ${name}`),
			storeFile: async (content, fileName, mimeType) =>
				await Promise.resolve({ data: content.toString(), fileName, mimeType }),
		},
	);
	return { ...task, items, rows: items.map(({ json }) => json), hints };
}
