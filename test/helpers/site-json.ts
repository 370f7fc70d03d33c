import fc from 'fast-check';
import type { Site } from '../../nodes/AquacultureSite/site/site';

/** Any JSON, as it comes out of an answer. */
const json = fc.jsonValue({ maxDepth: 2 });

const degrees = (most: number) =>
	fc.oneof(
		{ weight: 4, arbitrary: fc.double({ min: -most, max: most, noNaN: true }) },
		fc.constantFrom(0, most, -most, most + 1e-9, -181, 1e300, null, '12.5'),
		json,
	);

const id = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 5 }) }, fc.string(), json);

const place = { latitude: degrees(90), longitude: degrees(180) };

/** Fields that service.md does not name, dangerous names among them. */
const unknown = fc.dictionary(fc.string({ maxLength: 8 }), json, { maxKeys: 3 });

const info = fc.record(
	{ ...place, type: json, code: json, license: json, maxTotalBiomass: json, timezone: json },
	{ requiredKeys: [] },
);

const unit = fc
	.tuple(unknown, fc.record({ ...place, unitId: id, unitName: json }, { requiredKeys: [] }))
	.map(([others, known]) => ({ ...others, ...known }));

/**
 * Sites as a service might send them: service.md, «Site», with any field absent, null, of another type or
 * repeated, and with unknown ones.
 */
export const siteJson: fc.Arbitrary<Site> = fc
	.tuple(
		unknown,
		fc.record(
			{
				siteId: id,
				siteName: json,
				info: fc.oneof({ weight: 4, arbitrary: info }, json),
				units: fc.oneof(
					{ weight: 4, arbitrary: fc.array(fc.oneof({ weight: 9, arbitrary: unit }, json)) },
					json,
				),
			},
			{ requiredKeys: [] },
		),
	)
	.map(([others, known]) => ({ ...others, ...known }));
