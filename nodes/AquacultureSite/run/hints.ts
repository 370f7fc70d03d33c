import { formatDuration } from '../service/messages/advice';

/**
 * What a person should know about how a run went; empty if there is nothing to report.
 *
 * @param paused milliseconds
 * @param slowedTo requests per second; Infinity if the run was not slowed
 */
export function runHints(paused: number, slowedTo: number, retries: number): string[] {
	const hints = [];
	if (paused > 0) {
		hints.push(
			`The service was busy: the run paused for ${formatDuration(paused)} in total. Lowering 'Max Concurrency' under 'Options' may prevent this.`,
		);
	}
	if (slowedTo < Infinity) {
		const rate = Math.max(1, Math.round(slowedTo));
		const requests = `${rate} request${rate === 1 ? '' : 's'}`;
		hints.push(`Slowed to about ${requests} per second to stay within the rate limit`);
	}
	if (retries > 0)
		hints.push(`Requests were retried ${retries === 1 ? 'once' : `${retries} times`}.`);
	return hints;
}
