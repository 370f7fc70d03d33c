// Its own types are behind package.json's `exports`, which this module resolution does not follow
declare module '@stryker-mutator/core' {
	import type { MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core';

	export class Stryker {
		constructor(options: PartialStrykerOptions);
		runMutationTest(): Promise<MutantResult[]>;
	}
}
