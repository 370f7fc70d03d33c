import { at } from '../helpers/at';

/** A unit: docs/service.md#unit. Coordinates may be null or absent here, and other fields may occur. */
export interface Unit {
	unitId: number;
	unitName: string;
	longitude?: number | null;
	latitude?: number | null;
	[other: string]: unknown;
}

/** The object `info`: docs/service.md#site-info */
export interface SiteInfo {
	longitude: number | null;
	latitude: number | null;
	type: string;
	code: string;
	license: string;
	maxTotalBiomass: number;
	timezone: string;
	[other: string]: unknown;
}

/** A site with all parts (docs/service.md#site); which of them are sent depends on the request. */
export interface Site {
	siteId: number;
	siteName: string;
	info: SiteInfo;
	units: Unit[];
	[other: string]: unknown;
}

/** Degrees between two neighboring pens, about 100 m north-south and east-west at 67° north. */
const STEP = { latitude: 0.0009, longitude: 0.0023 };

export const degrees = (value: number) => Number(value.toFixed(6));

/**
 * An invented site whose pens lie in two rows, as moorings do.
 * @param place the site's own point in decimal degrees; the pens start there
 */
function sampleSite(
	siteId: number,
	siteName: string,
	code: string,
	place: { latitude: number; longitude: number },
	pens: number,
): Site {
	return {
		siteId,
		siteName,
		info: {
			...place,
			type: 'Sea',
			code,
			license: `SAMPLE-${siteId}`,
			maxTotalBiomass: pens * 780,
			timezone: 'Europe/Oslo',
		},
		units: Array.from({ length: pens }, (_, index) => ({
			unitId: siteId * 100 + index + 1,
			unitName: `Pen ${index + 1}`,
			longitude: degrees(place.longitude + Math.floor(index / 2) * STEP.longitude),
			latitude: degrees(place.latitude + (index % 2) * STEP.latitude),
		})),
	};
}

/**
 * The sample sites: invented, along the coast of Nordland; no real farm is meant. New objects at each call.
 * Two are unusual on purpose: 1101 has no units, and of the units of 1120 one has null as its coordinates and one has none.
 */
export function sampleSites(): Site[] {
	const sites = [
		sampleSite(1042, 'Storholmen', 'STOR', { latitude: 66.84512, longitude: 13.41207 }, 10),
		sampleSite(1057, 'Ørnesvika', 'ØRNE', { latitude: 66.87105, longitude: 13.66584 }, 6),
		sampleSite(1063, 'Gåsøya Sør', 'GÅSØ', { latitude: 67.02941, longitude: 13.98316 }, 8),
		sampleSite(1088, 'Kjærstraumen', 'KJÆR', { latitude: 67.24018, longitude: 14.52273 }, 3),
		sampleSite(1101, 'Blåsundet', 'BLÅS', { latitude: 67.55236, longitude: 14.87049 }, 0),
		sampleSite(1120, 'Hellværet', 'HELL', { latitude: 67.71854, longitude: 15.03392 }, 5),
	];
	const { units } = at(sites, 5);
	Object.assign(at(units, 3), { longitude: null, latitude: null });
	delete at(units, 4).longitude;
	delete at(units, 4).latitude;
	return sites;
}

/** As many invented sites as you need: IDs from 5001 on, four pens each, one site every kilometer. */
export function manySites(count: number, pens = 4): Site[] {
	return Array.from({ length: count }, (_, index) => {
		const latitude = degrees(60 + (index % 1000) * 0.009);
		const longitude = degrees(4 + (index % 97) * 0.02);
		const name = `Prøvested ${index + 1}`;
		return sampleSite(5001 + index, name, `P${index + 1}`, { latitude, longitude }, pens);
	});
}
