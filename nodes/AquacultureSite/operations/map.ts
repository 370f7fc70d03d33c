import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { toPosition } from '../site/position';
import { readSiteIds, siteIdsField } from '../site/siteIds';
import { asText, infoOf, SITE_PARTS, siteTitle, unitsOf } from '../site/site';
import type { Row } from '../site/site';
import type { NewItem, Operation, Output, ReadSite } from './operation';

const UNLOCATED = 'Not on the map because they have no usable coordinates';
const AT_NULL_ISLAND = 'At 0° N 0° E, so the coordinates may be missing';

const fields: INodeProperties[] = [
	{
		displayName: 'Format',
		name: 'format',
		type: 'options',
		default: 'file',
		options: [
			{ name: 'File', value: 'file', description: 'The map as a .geojson file' },
			{ name: 'JSON', value: 'json', description: 'The map as JSON in the item' },
		],
		description: 'Whether to return the map as a file or as data',
		// A model cannot read a file
		displayOptions: { show: { '@tool': [false] } },
	},
	{
		displayName: 'Put Output File in Field',
		name: 'binaryPropertyName',
		type: 'string',
		required: true,
		default: 'data',
		placeholder: 'e.g. data',
		hint: 'The name of the output binary field to put the file in',
		displayOptions: { show: { format: ['file'] } },
	},
];

/** Get Map: one map for each input item. */
export const getMap: Operation = {
	entry: {
		name: 'Get Map',
		value: 'getMap',
		action: 'Get map of sites',
		description: 'Retrieve sites and their units as one map (GeoJSON), as a file or as data',
	},
	fields: [siteIdsField, ...fields],
	parse: (parameter) => {
		// n8n drops what is hidden, as 'Format' is in a tool
		const isFile = parameter('format', 'json') === 'file';
		const fileField = isFile ? String(parameter('binaryPropertyName', 'data')) : undefined;
		return {
			...readSiteIds(parameter('siteIds')),
			parts: SITE_PARTS,
			toItems: async (sites, output) => [await mapItem(sites, fileField, output)],
		};
	},
};

async function mapItem(
	sites: ReadSite[],
	fileField: string | undefined,
	output: Output,
): Promise<NewItem> {
	const { collection, unlocated, atNullIsland } = toSiteMap(sites);
	for (const name of unlocated) output.addHint(UNLOCATED, name);
	for (const name of atNullIsland) output.addHint(AT_NULL_ISLAND, name);
	if (fileField === undefined) return { json: collection as unknown as IDataObject };
	const [first] = sites;
	const fileName = first && sites.length === 1 ? `site-${first.siteId}.geojson` : 'sites.geojson';
	const content = Buffer.from(JSON.stringify(collection));
	return {
		json: { fileName, siteCount: sites.length, featureCount: collection.features.length },
		binary: { [fileField]: await output.storeFile(content, fileName, 'application/geo+json') },
	};
}

/** [longitude, latitude] in decimal degrees, in this order (RFC 7946, section 3.1.1). */
export type Coordinates = [number, number];

/** RFC 7946, section 3.2. */
export interface Feature {
	type: 'Feature';
	id: string;
	geometry: { type: 'Point'; coordinates: Coordinates };
	properties: Row;
}

/** RFC 7946, section 3.3; `bbox` is [west, south, east, north] (section 5), absent if nothing is on the map. */
export interface FeatureCollection {
	type: 'FeatureCollection';
	bbox?: [number, number, number, number];
	features: Feature[];
}

/** A map, and what a person should know about it: names of what is not on it, or at a doubtful place. */
export interface SiteMap {
	collection: FeatureCollection;
	/** Without coordinates, or with coordinates that no place on earth has. */
	unlocated: string[];
	/** At 0° N 0° E, which mostly stands for "not entered". */
	atNullIsland: string[];
}

/**
 * The smallest box around the positions (RFC 7946, section 5). Where that box crosses the antimeridian,
 * its west is greater than its east (section 5.2).
 */
function boundingBox(positions: Coordinates[]): [number, number, number, number] {
	const latitudes = positions.map(([, latitude]) => latitude);
	const longitudes = positions.map(([longitude]) => longitude).sort((a, b) => a - b);
	// The widest empty stretch between neighbors on the circle is what the box leaves out
	const stretches = longitudes.map((west, index) => {
		const east = longitudes.at(index - 1) ?? west;
		return { west, east, width: index === 0 ? west + 360 - east : west - east };
	});
	const { west, east } = stretches.reduce((a, b) => (b.width > a.width ? b : a));
	const south = latitudes.reduce((a, b) => Math.min(a, b));
	const north = latitudes.reduce((a, b) => Math.max(a, b));
	return [west, south, east, north];
}

/**
 * The sites and their units as points (RFC 7946), each with all its properties and a `kind` of `site` or
 * `unit`. What has no usable coordinates stays out of the map and is named beside it.
 */
export function toSiteMap(sites: Array<Pick<ReadSite, 'siteId' | 'site'>>): SiteMap {
	const features: Feature[] = [];
	const unlocated: string[] = [];
	const atNullIsland: string[] = [];
	const ids = new Set<string>();

	const add = (id: string, title: string, latitude: unknown, longitude: unknown, row: Row) => {
		const position = toPosition(latitude, longitude);
		if (!position) {
			unlocated.push(title);
			return;
		}
		if (position.latitude === 0 && position.longitude === 0) atNullIsland.push(title);
		// Map programs tell features apart by their IDs, so one that the service repeats is numbered
		let ownId = id;
		for (let count = 2; ids.has(ownId); count++) ownId = `${id}-${count}`;
		ids.add(ownId);
		features.push({
			type: 'Feature',
			id: ownId,
			geometry: { type: 'Point', coordinates: [position.longitude, position.latitude] },
			properties: row,
		});
	};

	for (const { siteId, site } of sites) {
		const { info: _info, units: _units, ...own } = site;
		const { latitude, longitude, ...info } = infoOf(site) ?? {};
		const title = siteTitle(site, siteId);
		add(`site-${siteId}`, `site ${title}`, latitude, longitude, { ...info, ...own, kind: 'site' });
		(unitsOf(site) ?? []).forEach((unit, index) => {
			const { latitude: unitLatitude, longitude: unitLongitude, ...rest } = unit;
			const unitId = asText(unit.unitId) ?? `no-id-${index + 1}`;
			const unitTitle = `unit ${asText(unit.unitName) ?? unitId} of site ${title}`;
			add(`unit-${siteId}-${unitId}`, unitTitle, unitLatitude, unitLongitude, {
				...rest,
				siteId: site.siteId ?? null,
				siteName: site.siteName ?? null,
				kind: 'unit',
			});
		});
	}

	const positions = features.map(({ geometry }) => geometry.coordinates);
	return {
		collection: {
			type: 'FeatureCollection',
			...(positions.length > 0 && { bbox: boundingBox(positions) }),
			features,
		},
		unlocated,
		atNullIsland,
	};
}
