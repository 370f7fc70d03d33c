import type { IAsyncProperty, Parameters, default as FastCheck } from 'fast-check';

// Thousands of mutants leave each a short time: few cases, and no search for the smallest one that fails
jest.mock('fast-check', () => {
	const { default: fc } = jest.requireActual<{ default: typeof FastCheck }>('fast-check');
	const assert = (property: IAsyncProperty<unknown>, options: Parameters<unknown> = {}) =>
		fc.assert(property, {
			...options,
			numRuns: Math.min(50, options.numRuns ?? 50),
			endOnFailure: true,
		});
	return { __esModule: true, default: { ...fc, assert } };
});

process.env['FEW_CASES'] = 'yes';
