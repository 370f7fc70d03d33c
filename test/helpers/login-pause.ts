import { FAILED_LOGIN_PAUSE_MS } from '../../nodes/AquacultureSite/service/failures';

/** A run begins its pause a moment after the login has failed. */
const AT_LEAST_MS = FAILED_LOGIN_PAUSE_MS / 2;

/** Lets a failed login be repeated at once, as if the clock had been put forward, until the mocks are restored. */
export function skipLoginPauses(): void {
	const { setTimeout } = globalThis;
	const now = Date.now.bind(Date);
	const timeout = AbortSignal.timeout.bind(AbortSignal);
	const isPause = (milliseconds: number) =>
		milliseconds > AT_LEAST_MS && milliseconds <= FAILED_LOGIN_PAUSE_MS;
	let skipped = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => now() + skipped);
	jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, milliseconds = 0) => {
		if (!isPause(milliseconds)) return setTimeout(run, milliseconds);
		skipped += milliseconds;
		return setTimeout(run, 0);
	});
	// The one that forgets a failed login
	jest
		.spyOn(AbortSignal, 'timeout')
		.mockImplementation((limit) => timeout(isPause(limit) ? 0 : limit));
}
