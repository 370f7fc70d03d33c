// The operation Get Map.
import { positionOf } from '../site/position';
import { readSiteIds, siteIdsField } from '../site/siteIds';
import { infoOf, pick, SITE_FIELDS, SITE_PARTS, siteTitle, unitsOf } from '../site/site';
import type { Row } from '../site/site';
import type { Field } from '../utils/parameters';
import { asText } from '../utils/text';
import type { Operation, Output, ReadSite } from './operation';

const UNLOCATED = 'Not on the map because they have no usable coordinates';

const format: Field<'options'> = {
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
};

const binaryPropertyName: Field<'string'> = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
	displayOptions: { show: { format: ['file'] } },
};

/** Get Map: one map for each input item. */
export const getMap: Operation = {
	entry: {
		name: 'Get Map',
		value: 'getMap',
		action: 'Get map of sites',
		description: 'Retrieve sites and their units as one map (GeoJSON), as a file or as data',
	},
	fields: [siteIdsField, format, binaryPropertyName],
	parse: (parameters) => {
		const siteIds = readSiteIds(parameters.raw(siteIdsField));
		// n8n drops what is hidden, as 'Format' is in a tool
		const isFile = parameters.read(format, 'json') === 'file';
		const fileField = isFile ? parameters.read(binaryPropertyName) : '';
		return {
			siteIds,
			parts: SITE_PARTS,
			toItems: async (sites, { addHint, storeFile }) => {
				const map = toSiteMap(sites, addHint);
				if (!isFile) return [{ json: map }];
				// Whatever failed: the next node, or a person, looks for the file by its name
				const [siteId] = siteIds;
				const fileName = siteIds.length === 1 ? `site-${String(siteId)}.geojson` : 'sites.geojson';
				const content = Buffer.from(JSON.stringify(map));
				const file = await storeFile(content, fileName, 'application/geo+json');
				const counts = { siteCount: sites.length, featureCount: map.features.length };
				return [{ json: { fileName, ...counts }, binary: { [fileField]: file } }];
			},
		};
	},
};

function withoutPosition({ latitude: _latitude, longitude: _longitude, ...others }: Row): Row {
	return others;
}

/** In decimal degrees, in this order (RFC 7946, sections 3.1.1 and 3.2). */
function pointAt(coordinates: [longitude: number, latitude: number], id: string, properties: Row) {
	return { type: 'Feature', id, geometry: { type: 'Point', coordinates }, properties };
}

/**
 * The sites and their units as points (RFC 7946, section 3.3), each with all its properties and a `kind` of `site` or
 * `unit`. What has no usable coordinates stays out of the map and is named in a hint.
 */
export function toSiteMap(sites: Array<Omit<ReadSite, 'response'>>, addHint: Output['addHint']) {
	const features: Array<ReturnType<typeof pointAt>> = [];
	const add = (id: string, title: string, place: Row, properties: Row) => {
		const position = positionOf(place);
		if (position) features.push(pointAt([position.longitude, position.latitude], id, properties));
		else addHint(UNLOCATED, title);
	};

	for (const { siteId, site } of sites) {
		const { info: _info, units: _units, ...own } = site;
		const info = infoOf(site) ?? {};
		const title = siteTitle(site, siteId);
		// Its name before its code; its own fields last, too, because they count
		const properties = { ...own, ...withoutPosition(info), ...own, kind: 'site' };
		add(`site-${siteId}`, `site ${title}`, info, properties);
		(unitsOf(site) ?? []).forEach((unit, index) => {
			const unitId = asText(unit.unitId) ?? `no-id-${index + 1}`;
			const unitTitle = `unit ${asText(unit.unitName) ?? unitId} of site ${title}`;
			const ofUnit = { ...withoutPosition(unit), ...pick(site, SITE_FIELDS), kind: 'unit' };
			add(`unit-${siteId}-${unitId}`, unitTitle, unit, ofUnit);
		});
	}
	return { type: 'FeatureCollection', features };
}
