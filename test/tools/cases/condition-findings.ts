import type { Condition, Outcome } from './conditions';

/**
 * What of an outcome is not as the condition's row says; empty if all is.
 *
 * @param fresh seconds of the same run at a service that is well
 * @param longest seconds that a run may take that should take so many
 */
export function findings(
	condition: Condition,
	outcome: Outcome,
	fresh: number,
	longest = (seconds: number) => 1.001 * seconds,
): string[] {
	const { unreadable = () => false, seconds = Infinity, failed = Infinity, logins = 8 } = condition;
	const all = Array.from({ length: condition.items }, (_, index) => index + 1);
	const most = longest(typeof seconds === 'number' ? seconds : seconds(fresh));
	const mostLogins = typeof logins === 'number' ? logins : logins(outcome.seconds);
	const lost = outcome.failures.filter(({ siteId }) => !unreadable(siteId));
	const least = all.filter((siteId) => !unreadable(siteId)).length;
	// Of a run that is stopped, what was read until then
	const reported = condition.stopAfter === undefined ? condition.items : outcome.read;
	const others = outcome.failures.filter(({ message }) => !condition.message?.test(message));
	return [
		outcome.read >= least
			? ''
			: `lost ${lost.length} sites: ${lost[0]?.siteId} ${lost[0]?.message}`,
		outcome.read + outcome.failures.length === reported ? '' : 'not all sites',
		outcome.seconds <= most ? '' : `${outcome.seconds} s, at most ${most}`,
		outcome.failed <= failed ? '' : `${outcome.failed} failed requests, at most ${failed}`,
		outcome.logins <= mostLogins ? '' : `${outcome.logins} logins, at most ${mostLogins}`,
		!condition.message || others.length === 0
			? ''
			: `${others.length} times: ${others[0]?.message}`,
	].filter(Boolean);
}

/** A row's outcome, for people. */
export function told({ read, failures, seconds, requests, failed, logins }: Outcome): string {
	return `${read} read, ${failures.length} not, ${seconds.toFixed(2)} s, ${requests} requests, ${failed} failed, ${logins} logins`;
}
