import { formatDuration } from './advice';

/** What the run waited for, by what the requests failed with. */
function reasonOf(cause: string): string {
	if (cause === 'login') return 'because logins failed';
	if (cause === '401') return 'because the access token was rejected';
	if (cause === '429') return 'because the service limits requests';
	if (/^\d+$/.test(cause)) return `because the service was busy or unavailable (status ${cause})`;
	return `because ${cause.charAt(0).toLowerCase()}${cause.slice(1)}`;
}

/**
 * What a person should know about how a run went; empty if there is nothing to report.
 *
 * @param pauses milliseconds, by what the requests failed with
 * @param slowedTo requests per second; Infinity if the run was not slowed
 */
export function runHints(pauses: ReadonlyMap<string, number>, slowedTo: number, retries: number) {
	const hints = Array.from(
		pauses,
		([cause, paused]) => `Paused for ${formatDuration(paused)} in total ${reasonOf(cause)}.`,
	);
	if (slowedTo < Infinity) {
		const isSlow = slowedTo < 1;
		const period = isSlow ? 'minute' : 'second';
		const rate = Math.round(isSlow ? 60 * slowedTo : slowedTo);
		const requests = `${rate} request${rate === 1 ? '' : 's'}`;
		hints.push(`Slowed to about ${requests} per ${period} to stay within the rate limit.`);
	}
	if (retries > 0) {
		hints.push(`Requests were retried ${retries === 1 ? 'once' : `${retries} times`}.`);
	}
	return hints;
}
