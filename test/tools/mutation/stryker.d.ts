// Its own types are behind `exports` of package.json files, which this module resolution does not follow.
declare module '@stryker-mutator/core' {
	export class Stryker {
		constructor(options: object);
		runMutationTest(): Promise<unknown>;
	}
}
