/** A point in decimal degrees (WGS 84). */
interface Position {
	latitude: number;
	longitude: number;
}

/** The two as a point; undefined where one of them is not a number, or no place on earth has them. */
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
 * @returns undefined where the two are not a position
 */
export function mapUrl(latitude: unknown, longitude: unknown): string | undefined {
	const position = toPosition(latitude, longitude);
	if (!position) return undefined;
	const [lat, lon] = [position.latitude, position.longitude].map((degrees) =>
		String(Number(degrees.toFixed(DECIMALS))),
	);
	return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=14/${lat}/${lon}`;
}
