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
