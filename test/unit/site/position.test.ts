import fc from 'fast-check';
import { greatCircleDistance, mapUrl } from '../../../nodes/AquacultureSite/site/position';
import { forAll } from '../../tools/helpers/fuzz';
import { defined } from '../../tools/helpers/at';

// A great circle on a sphere of the earth's mean radius
const halfWayRound = Math.PI * 6_371_008.8;

const distance = (...[latitude, longitude, toLatitude, toLongitude]: Four) =>
	defined(
		greatCircleDistance({ latitude, longitude }, { latitude: toLatitude, longitude: toLongitude }),
	);
type Four = [latitude: number, longitude: number, toLatitude: number, toLongitude: number];

test.each<[string, Four, number, number]>([
	['a degree of longitude on the equator', [0, 5, 0, 6], 111_195, 1],
	['a degree of longitude at 60 degrees', [60, 5, 60, 6], 55_597, 10],
	['across the antimeridian', [0, 179.5, 0, -179.5], 111_195, 1],
	['to the antipode', [0, 0, 0, 180], halfWayRound, 1],
	['from pole to pole', [90, 0, -90, 0], halfWayRound, 1],
	['on the pole', [90, 0, 90, 120], 0, 0.001],
	['Oslo to Bergen (about 306 km)', [59.9139, 10.7522, 60.3913, 5.3221], 306_000, 2000],
])('%s', (_way, [latitude, longitude, toLatitude, toLongitude], meters, tolerance) => {
	const there = distance(latitude, longitude, toLatitude, toLongitude);
	expect(Math.abs(there - meters)).toBeLessThanOrEqual(tolerance);
	expect(distance(toLatitude, toLongitude, latitude, longitude)).toBeCloseTo(there, 6);
});

test('is never more than half the way round, nor less than the difference in latitude', () => {
	const latitude = fc.double({ min: -90, max: 90, noNaN: true });
	const longitude = fc.double({ min: -180, max: 180, noNaN: true });
	forAll([fc.tuple(latitude, longitude, latitude, longitude)], (points) => {
		const meters = distance(...points);
		expect(meters).toBeLessThanOrEqual(halfWayRound + 1e-6);
		const along = (Math.abs(points[0] - points[2]) / 180) * halfWayRound;
		expect(meters).toBeGreaterThanOrEqual(along - 0.1);
	});
});

test('to or from nowhere is not known', () => {
	const somewhere = { latitude: 1, longitude: 2 };
	expect(greatCircleDistance(somewhere, { latitude: 91, longitude: 2 })).toBeUndefined();
	expect(greatCircleDistance(undefined, somewhere)).toBeUndefined();
});

test.each([
	[60.1234567, 5.25, 'mlat=60.123457&mlon=5.25#map=14/60.123457/5.25'],
	[90, -180, 'mlat=90&mlon=-180#map=14/90/-180'],
	// Not 1e-6
	[0.000001, -0.0000001, 'mlat=0.000001&mlon=0#map=14/0.000001/0'],
])('a map at %p, %p', (latitude, longitude, end) => {
	expect(mapUrl({ latitude, longitude })).toBe(`https://www.openstreetmap.org/?${end}`);
});

test.each([
	[undefined, 5],
	[60, null],
	['60', 5],
	[90.1, 5],
	[60, -180.1],
])('there is no map at %p, %p', (latitude, longitude) => {
	expect(mapUrl({ latitude, longitude })).toBeUndefined();
});
