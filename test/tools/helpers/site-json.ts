import fc from 'fast-check';

const FIELDS = [
	...['siteId', 'siteName', 'info', 'units', 'unitId', 'unitName', 'longitude', 'latitude'],
	...['access_token', 'token_type', 'message', 'error', 'errors', 'title', 'detail'],
];
const TRAPS = ['__proto__', 'constructor', 'toString', 'valueOf', 'toJSON', 'length', 'then', ''];

/** Any code point but the halves of surrogate pairs: `unit: 'binary'` takes most of a second to build a table of them. */
const codePoint = fc
	.integer({ min: 0, max: 0x10ffff - 0x800 })
	.map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));

/** A text of any characters, those of no language among them. */
export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
	fc.string({ unit: codePoint, maxLength });

const key = fc.oneof(fc.constantFrom(...FIELDS, ...TRAPS), fc.string({ maxLength: 5 }));

/** Any value that JSON.parse returns, with the keys in it that trip up careless code. */
export const anyJson = (maxDepth = 3): fc.Arbitrary<unknown> =>
	fc
		.letrec((tie) => ({
			value: fc.oneof(
				{ maxDepth },
				fc.constantFrom(null, true, false, 0, -1, 1e308, 1042, '', '1042', ' ', '<html>'),
				fc.double({ noNaN: true, noDefaultInfinity: true }),
				fc.integer(),
				anyText(12),
				fc.array(tie('value'), { maxLength: 4 }),
				// From entries, so that `__proto__` becomes a field like any other
				fc
					.array(fc.tuple(key, tie('value')), { maxLength: 5 })
					.map((entries) => Object.fromEntries(entries)),
			),
		}))
		.value.map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** An object with some of the given fields, right or wrong, and any others. */
const roughly = (fields: Record<string, fc.Arbitrary<unknown>>) =>
	fc
		.tuple(fc.dictionary(key, anyJson(1), { maxKeys: 3 }), fc.record(fields, { requiredKeys: [] }))
		.map(([others, known]) => ({ ...others, ...known }));

const degrees = fc.oneof(
	{ weight: 4, arbitrary: fc.double({ min: -200, max: 200, noNaN: true }) },
	fc.constantFrom(0, 90, -90, 180, -180, 180 + 1e-9, 1e300, null, '12.5'),
	anyJson(1),
);
const position = { latitude: degrees, longitude: degrees };
const id = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 5 }) }, anyJson(1));
const json = anyJson(1);

const info = roughly({
	...position,
	...{ type: json, code: json, license: json, maxTotalBiomass: json, timezone: json },
});
const unit = roughly({ ...position, unitId: id, unitName: json });

/**
 * Sites as a service might send them (docs/service.md#site): any field absent, null, of another type or
 * repeated, and unknown ones.
 */
export const siteJson: fc.Arbitrary<Record<string, unknown>> = roughly({
	siteId: id,
	siteName: json,
	info: fc.oneof({ weight: 4, arbitrary: info }, json),
	units: fc.oneof(
		{ weight: 4, arbitrary: fc.array(fc.oneof({ weight: 9, arbitrary: unit }, json)) },
		json,
	),
});
