import fc from 'fast-check';

// A property is many cases
jest.setTimeout(300_000);

/** Cases for each property; `FUZZ_RUNS=5000` makes more. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 400);

/** fast-check prints the seed of a case that fails; `FUZZ_SEED` repeats it. */
const seed = process.env.FUZZ_SEED === undefined ? undefined : Number(process.env.FUZZ_SEED);

/** For a property of what takes its time, such as a run of n8n's engine: a tenth of the cases. */
export const asyncRuns = { seed, numRuns: Math.ceil(RUNS / 10) };

/** Checks a property of pure functions for any values of these kinds. */
export function forAll<T extends [unknown, ...unknown[]]>(
	arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
	holds: (...values: T) => void,
): void {
	const property = fc.property(fc.tuple<T>(...arbitraries), (values) => holds(...values));
	fc.assert(property, { seed, numRuns: RUNS });
}
