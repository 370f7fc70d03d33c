declare global {
	// Filled by test/tools/fake-service/jest-environment.ts
	var contractViolations: string[] | undefined;
}

/**
 * What the requests and responses of the fake services broke of docs/openapi.yaml since the last call. A test that breaks
 * the contract on purpose takes its violations, so that they do not fail it.
 */
export const takeViolations = (): string[] => globalThis.contractViolations?.splice(0) ?? [];
