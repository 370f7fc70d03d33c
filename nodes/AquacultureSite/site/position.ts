// Positions, distances, and links to maps.
import type { Row } from './site';

/**
 * Where something is, in decimal degrees (WGS 84); undefined if its latitude or longitude is not a number, or no place
 * on earth has them.
 */
export function positionOf({ latitude, longitude }: Row = {}) {
	if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
	// Also false for NaN
	const exists = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
	return exists ? { latitude, longitude } : undefined;
}

/** A link that shows on OpenStreetMap, with a marker, where something is; undefined if it has no position. */
export function mapUrl(place: Row | undefined): string | undefined {
	const position = positionOf(place);
	if (!position) return undefined;
	// About a decimeter; fewer digits than a number may have, and never 1e-7
	const toText = (degrees: number) => String(Number(degrees.toFixed(6)));
	const [lat, lon] = [toText(position.latitude), toText(position.longitude)];
	return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=14/${lat}/${lon}`;
}

// Mean earth radius in meters, (2a + b) / 3 of WGS 84
const EARTH_RADIUS = 6_371_008.8;

/**
 * The great-circle distance in meters, by the haversine formula on a sphere of the earth's mean radius; within 0.6 % of
 * the distance on the ellipsoid. Undefined if one of the two has no position.
 */
export function greatCircleDistance(from?: Row, to?: Row): number | undefined {
	const [start, end] = [positionOf(from), positionOf(to)];
	if (!start || !end) return undefined;
	const radians = Math.PI / 180;
	const halfLatitude = Math.sin(((end.latitude - start.latitude) * radians) / 2);
	const halfLongitude = Math.sin(((end.longitude - start.longitude) * radians) / 2);
	const haversine =
		halfLatitude ** 2 +
		Math.cos(start.latitude * radians) * Math.cos(end.latitude * radians) * halfLongitude ** 2;
	return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(haversine)));
}
