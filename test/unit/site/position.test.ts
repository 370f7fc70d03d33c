import { mapUrl } from '../../../nodes/AquacultureSite/site/position';

describe('mapUrl', () => {
	test.each([
		[60.1234567, 5.25, 'mlat=60.123457&mlon=5.25#map=14/60.123457/5.25'],
		[-43, 147, 'mlat=-43&mlon=147#map=14/-43/147'],
		[90, -180, 'mlat=90&mlon=-180#map=14/90/-180'],
		// Not 1e-6
		[0.000001, -0.0000001, 'mlat=0.000001&mlon=0#map=14/0.000001/0'],
	])('%p, %p', (latitude, longitude, end) => {
		expect(mapUrl({ latitude, longitude })).toBe(`https://www.openstreetmap.org/?${end}`);
	});

	test.each([
		[undefined, 5],
		[60, null],
		['60', 5],
		[60, '5'],
		[90.1, 5],
		[-90.1, 5],
		[60, -180.1],
		[NaN, 5],
		[60, Infinity],
	])('%p, %p is no position', (latitude, longitude) => {
		expect(mapUrl({ latitude, longitude })).toBeUndefined();
	});

	test('of nothing there is none', () => expect(mapUrl(undefined)).toBeUndefined());
});
