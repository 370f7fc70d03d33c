// The words in which unreadable sites are reported.
import { given, toWords } from '../service/messages/advice';
import { ServiceFailure } from '../service/messages/failures';
import { joinList, plainText } from '../utils/text';
import { siteTitle } from '../site/site';
import type { SiteState } from './state';

/** A site that could not be read in a poll, and why. */
export interface UnreadableSite {
	/** After that poll. */
	site: SiteState;
	failure: ServiceFailure;
}

const MAX_NAMED = 5;
const MAX_REASONS = 3;

/**
 * A failure with the advice for a trigger: against a rate limit, its own fields help.
 *
 * @param again what a person does again; a published trigger does it by itself
 */
export function toTriggerFailure(failure: ServiceFailure, again?: string): ServiceFailure {
	const advice = [...given({ again: again ?? null }, failure.advice)];
	if (failure.httpStatus === 429 && again === undefined) {
		advice.push("Or remove sites from 'Site IDs', or choose longer intervals under 'Poll Times'.");
	}
	return new ServiceFailure(failure.message, advice, failure);
}

/** "Site 1", "Storholmen (2)", "Sites 1, 2, and 3". */
function nameAll(sites: UnreadableSite[]): string {
	const titles = sites.map(({ site: { snapshot = {}, siteId } }) =>
		plainText(siteTitle(snapshot, siteId), 80),
	);
	if (titles.length > 1) return `Sites ${joinList(titles, MAX_NAMED)}`;
	const title = joinList(titles);
	return /^\d+$/.test(title) ? `Site ${title}` : title;
}

function sitesReport(sites: UnreadableSite[], what: string, ...more: string[]): ServiceFailure {
	const reasons = sites.map(({ failure }) => [failure.message, ...failure.advice]);
	// Those that differ in words
	const different = new Map(reasons.map((reason) => [toWords(reason), reason])).values();
	const first = [...different].slice(0, MAX_REASONS).flat();
	const httpStatus = sites[0]?.failure.httpStatus;
	const details = { subject: 'service', httpStatus } as const;
	return new ServiceFailure(`${nameAll(sites)} ${what}`, [...first, ...more], details);
}

/** Sites that the service has refused before they were ever read: most likely mistyped IDs. */
export function refusedSitesReport(sites: UnreadableSite[]): ServiceFailure {
	const [first, ...others] = sites;
	return first && others.length === 0 ? first.failure : sitesReport(sites, 'cannot be read');
}

/** Sites that could not be read for several polls in a row, while others could. */
export function unreadableSitesReport(sites: UnreadableSite[]): ServiceFailure {
	const polls = Math.min(...sites.map(({ site }) => site.failedPolls));
	const these = sites.length === 1 ? 'this one is' : 'these are';
	const advice = `The other sites are still read, and ${these} tried again later.`;
	return sitesReport(sites, `could not be read in the last ${polls} checks`, advice);
}

/** No site could be read for several polls in a row. */
export function outageReport(failure: ServiceFailure, polls: number): ServiceFailure {
	const advice = [failure.message, ...failure.advice, 'The trigger tries again at each check.'];
	return new ServiceFailure(`No site could be read in the last ${polls} checks`, advice, failure);
}

/** There are more sites than the service allows, or than a poll has time for. */
export function latenessReport(polls: number, unread: number, total: number): ServiceFailure {
	return new ServiceFailure(
		`Reading all ${total} sites takes more than ${polls} checks`,
		`${unread} sites are still unread, so their changes are reported late. Either the service limits how many requests it accepts, or it is slow. Remove sites from 'Site IDs', choose longer intervals under 'Poll Times', or ask the service operator for a higher limit.`,
		{ subject: 'service' },
	);
}
