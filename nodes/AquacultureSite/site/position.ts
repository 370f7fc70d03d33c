/** A point in decimal degrees (WGS 84). */
interface Position {
	latitude: number;
	longitude: number;
}

/** The two as a point; undefined if one of them is not a number, or no place on earth has them. */
export function toPosition(latitude: unknown, longitude: unknown): Position | undefined {
	if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
	// Also false for NaN
	const exists = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
	return exists ? { latitude, longitude } : undefined;
}

// About a decimeter; fewer digits than a number may have, and never 1e-7
const DECIMALS = 6;

/**
 * A link that shows a position with a marker on OpenStreetMap.
 *
 * @returns undefined if the two are not a position
 */
export function mapUrl(latitude: unknown, longitude: unknown): string | undefined {
	const position = toPosition(latitude, longitude);
	if (!position) return undefined;
	const [lat, lon] = [position.latitude, position.longitude].map((degrees) =>
		String(Number(degrees.toFixed(DECIMALS))),
	);
	return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=14/${lat}/${lon}`;
}

// Mean earth radius in meters, (2a + b) / 3 of WGS 84
const EARTH_RADIUS = 6_371_008.8;

/**
 * The great-circle distance between two points in decimal degrees, in meters, by the haversine formula on a
 * sphere of the earth's mean radius; within 0.6 % of the distance on the ellipsoid.
 */
export function greatCircleDistance(
	from: { latitude: number; longitude: number },
	to: { latitude: number; longitude: number },
): number {
	const radians = Math.PI / 180;
	const halfLatitude = Math.sin(((to.latitude - from.latitude) * radians) / 2);
	const halfLongitude = Math.sin(((to.longitude - from.longitude) * radians) / 2);
	const haversine =
		halfLatitude ** 2 +
		Math.cos(from.latitude * radians) * Math.cos(to.latitude * radians) * halfLongitude ** 2;
	return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(haversine)));
}
