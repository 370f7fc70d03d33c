import { FAILED_LOGIN_PAUSE_MS } from '../../../nodes/AquacultureSite/service/messages/failures';
import { skipTime } from './skip-time';

/** A run begins its pause a moment after the login has failed. */
const AT_LEAST_MS = FAILED_LOGIN_PAUSE_MS / 2;

/** Lets a failed login be repeated at once, as if the clock had been put forward, until the mocks are restored. */
export function skipLoginPauses(): void {
	const { setTimeout } = globalThis;
	jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, milliseconds = 0) => {
		const isPause = milliseconds > AT_LEAST_MS && milliseconds <= FAILED_LOGIN_PAUSE_MS;
		if (isPause) skipTime(milliseconds);
		return setTimeout(run, isPause ? 0 : milliseconds);
	});
}
