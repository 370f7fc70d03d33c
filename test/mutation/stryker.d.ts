// Its own types are behind `exports` of package.json files, which this module resolution does not follow.
declare module '@stryker-mutator/core' {
	export interface MutantResult {
		fileName: string;
		location: { start: { line: number; column: number } };
		mutatorName: string;
		replacement?: string;
		status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'CompileError' | 'Ignored';
	}

	export class Stryker {
		constructor(options: object);
		runMutationTest(): Promise<MutantResult[]>;
	}
}
