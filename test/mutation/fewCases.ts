import type {
	IAsyncProperty,
	Parameters,
	StringConstraints,
	default as FastCheck,
} from 'fast-check';

// Thousands of mutants leave each a short time: few cases, and no search for the smallest one that fails
jest.mock('fast-check', () => {
	const { default: fc } = jest.requireActual<{ default: typeof FastCheck }>('fast-check');
	const assert = (property: IAsyncProperty<unknown>, options: Parameters<unknown> = {}) =>
		fc.assert(property, {
			...options,
			numRuns: Math.min(50, options.numRuns ?? 50),
			endOnFailure: true,
		});
	// Its own characters take a second to prepare, in each test file
	const character = fc
		.nat(0x10ffff)
		.filter((code) => code < 0xd800 || code > 0xdfff)
		.map((code) => String.fromCodePoint(code));
	const string = (options: StringConstraints = {}) =>
		fc.string(options.unit === 'binary' ? { ...options, unit: character } : options);
	return { __esModule: true, default: { ...fc, assert, string } };
});
