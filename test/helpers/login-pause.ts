import { FAILED_LOGIN_PAUSE_MS } from '../../nodes/AquacultureSite/service/failures';

/** Lets a failed login be repeated at once, until the mocks are restored. */
export function skipLoginPauses(): void {
	const { setTimeout } = globalThis;
	const timeout = AbortSignal.timeout.bind(AbortSignal);
	const shortened = (milliseconds = 0) =>
		milliseconds === FAILED_LOGIN_PAUSE_MS ? 0 : milliseconds;
	const start = (run: () => void, milliseconds?: number) =>
		setTimeout(run, shortened(milliseconds));
	jest.spyOn(globalThis, 'setTimeout').mockImplementation(start);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((limit) => timeout(shortened(limit)));
}
