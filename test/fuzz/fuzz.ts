import fc from 'fast-check';

/** The cases of a property, `FUZZ_RUNS`; more than 10,000 in all. With n8n's engine they are fewer. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 1000);
/** What the cases are made from, `FUZZ_SEED`: with the same one, the same cases come again. */
const SEED = Number(process.env.FUZZ_SEED ?? (Date.now() ^ (process.pid << 8)) | 0);

/** One run of the engine takes as long as many cases of a pure function. */
const ENGINE_SHARE = 1 / 10;

// A property is many cases
jest.setTimeout(300_000);
process.stdout.write(`Fuzz: FUZZ_SEED=${SEED} FUZZ_RUNS=${RUNS}\n`);

/** For properties of pure functions; fast-check says seed and path of a case that fails. */
export const pure = { seed: SEED, numRuns: RUNS };
export const engine = { seed: SEED, numRuns: Math.max(1, Math.round(RUNS * ENGINE_SHARE)) };

/** Any value that comes out of JSON.parse, with the keys in it that trip up careless code. */
export const anyJson = (maxDepth = 3): fc.Arbitrary<unknown> =>
	fc
		.letrec((tie) => ({
			value: fc.oneof(
				{ maxDepth },
				fc.constantFrom(null, true, false, 0, -1, 1e308, 1042, '', '1042', ' ', '<html>'),
				fc.double({ noNaN: true, noDefaultInfinity: true }),
				fc.integer(),
				fc.string({ unit: 'binary', maxLength: 12 }),
				fc.array(tie('value'), { maxLength: 4 }),
				fc.array(fc.tuple(anyKey, tie('value')), { maxLength: 5 }).map(asJsonObject),
			),
		}))
		.value.map((value) => JSON.parse(JSON.stringify(value)) as unknown);

const FIELDS = [
	...['siteId', 'siteName', 'info', 'units', 'unitId', 'unitName', 'longitude', 'latitude'],
	...['type', 'code', 'license', 'maxTotalBiomass', 'timezone'],
	...['access_token', 'expires_in', 'token_type'],
	...['message', 'error', 'errors', 'title', 'detail'],
];
const TRAPS = ['__proto__', 'constructor', 'toString', 'valueOf', 'toJSON', 'length', 'then', ''];

const anyKey = fc.oneof(
	fc.constantFrom(...FIELDS),
	fc.constantFrom(...TRAPS),
	fc.string({ maxLength: 5 }),
);

/** By way of text, as a service sends it: `__proto__` becomes a field like any other. */
function asJsonObject(fields: Array<[string, unknown]>): unknown {
	const members = fields.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
	return JSON.parse(`{${members.join()}}`) as unknown;
}

const position = fc.oneof(
	fc.double({ min: -200, max: 200, noNaN: true }),
	fc.constantFrom(0, 90, 180, -180, null, '67.1', 1e300),
	anyJson(1),
);

/** An object with some of the given fields, right or wrong, and any others. */
const roughly = (fields: Record<string, fc.Arbitrary<unknown>>) =>
	fc
		.tuple(fc.record(fields, { requiredKeys: [] }), anyJson(1))
		.map(([known, other]) =>
			typeof other === 'object' && !Array.isArray(other) ? { ...other, ...known } : known,
		);

const unit = roughly({
	unitId: fc.oneof(fc.integer({ min: 1, max: 6 }), anyJson(1)),
	unitName: fc.oneof(fc.string({ maxLength: 6 }), anyJson(1)),
	longitude: position,
	latitude: position,
});

/** A body that is almost a site (service.md, «Site»). */
export const nearlySite: fc.Arbitrary<Record<string, unknown>> = roughly({
	siteId: fc.oneof(fc.integer(), anyJson(1)),
	siteName: fc.oneof(fc.string({ maxLength: 6 }), anyJson(1)),
	info: fc.oneof(
		{
			weight: 3,
			arbitrary: roughly({ longitude: position, latitude: position, code: anyJson(1) }),
		},
		{ weight: 1, arbitrary: anyJson(2) },
	),
	units: fc.oneof(
		{ weight: 3, arbitrary: fc.array(fc.oneof(unit, unit, anyJson(1)), { maxLength: 5 }) },
		{ weight: 1, arbitrary: anyJson(2) },
	),
}).map((site) => JSON.parse(JSON.stringify(site)) as Record<string, unknown>);
