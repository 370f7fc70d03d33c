import type { IExecuteFunctions } from 'n8n-workflow';
import { StoppedError } from '../../../nodes/AquacultureSite/service/pace';
import { SiteService } from '../../../nodes/AquacultureSite/service/SiteService';

// As in n8n 1.x: `sleep` knows no signal
jest.mock('n8n-workflow', () => {
	const workflow = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
	return { ...workflow, sleep: async (ms: number) => await workflow.sleep(ms) };
});

/** A run of the node in which each connection breaks off. */
function runWithBrokenConnections(cancelled: AbortSignal) {
	const asked = jest.fn(async () => {
		throw new Error('socket hang up', { cause: { code: 'ECONNRESET' } });
	});
	const context = {
		getCredentials: async () => ({ baseUrl: 'http://sea-farm.invalid', accessToken: 'token' }),
		getExecutionCancelSignal: () => cancelled,
		helpers: { httpRequestWithAuthentication: asked },
	} as unknown as IExecuteFunctions;
	return { asked, context };
}

afterEach(() => {
	jest.useRealTimers();
});

const REQUEST = {
	siteId: '1042',
	parts: [],
	apiVersion: '2025-01-01',
	timeout: 1000,
	maxRetries: 10,
};

test('a stopped run waits for no retry, also where n8n lets nobody end a wait', async () => {
	// No time passes: what waits for a timer waits for ever
	jest.useFakeTimers({ doNotFake: ['setImmediate'] });
	const cancelling = new AbortController();
	const { asked, context } = runWithBrokenConnections(cancelling.signal);
	const service = await SiteService.open(context, { maxConcurrency: 1, longestWait: 0 });
	const reading = service.read(REQUEST);
	await new Promise(setImmediate);
	expect(jest.getTimerCount()).toBe(1);

	cancelling.abort();
	await expect(reading).rejects.toThrow(StoppedError);
	expect(asked).toHaveBeenCalledTimes(1);
});

test('a run that was stopped while its parameters were read asks for nothing', async () => {
	const { asked, context } = runWithBrokenConnections(AbortSignal.abort());
	const service = await SiteService.open(context, { maxConcurrency: 1, longestWait: 0 });
	await expect(service.read(REQUEST)).rejects.toThrow(StoppedError);
	expect(asked).not.toHaveBeenCalled();
});
