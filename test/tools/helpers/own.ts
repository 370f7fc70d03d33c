import { Cleanup } from './cleanup';

/** Of the test that runs now; test/tools/fake-service/jest-setup.ts runs it after each one. */
export const cleanup = new Cleanup();

/** What is to be done when the test is over. */
export const afterTest = (step: () => unknown): void => cleanup.defer(step);

/** Makes a server that of this test alone: it ends with it, so that nothing of it reaches the next one. */
export async function own<T extends { close: () => Promise<void> }>(start: Promise<T>): Promise<T> {
	const server = await start;
	afterTest(async () => await server.close());
	return server;
}
