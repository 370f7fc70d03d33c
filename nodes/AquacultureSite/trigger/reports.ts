import { joinSentences, repeatedBy, toWords } from '../service/messages/advice';
import type { Advice } from '../service/messages/advice';
import { ServiceFailure } from '../service/messages/failures';
import { joinList, plainText } from '../utils/text';
import { siteTitle } from '../site/site';
import type { PollReason } from './scheduling';
import type { SiteState } from './state';

/** A site that could not be read in a poll, and why. */
export interface UnreadableSite {
	/** After that poll. */
	site: SiteState;
	failure: ServiceFailure;
}

const MAX_NAMED = 5;
const MAX_REASONS = 3;

/** What a person does again. Once the workflow is published, the trigger does it by itself. */
const AGAIN: Partial<Record<PollReason, string>> = {
	test: 'Fetch a test event again',
	activation: 'Publish the workflow again',
};

/** A failure with the advice that fits a trigger: what to do again, and that a rate limit is up to its own fields. */
export function toTriggerFailure(reason: PollReason, failure: ServiceFailure): ServiceFailure {
	const advice = [...repeatedBy(AGAIN[reason], failure.advice)];
	if (failure.httpStatus === 429 && reason !== 'test') {
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

/** The first few that differ in words, one after the other. */
function listDifferent(advices: Advice[]): Advice {
	const different = new Map(advices.map((advice) => [toWords(advice), advice]));
	return [...different.values()].slice(0, MAX_REASONS).flat();
}

function toReport(message: string, advice: Advice, sites: UnreadableSite[]): ServiceFailure {
	const httpStatus = sites[0]?.failure.httpStatus;
	return new ServiceFailure(message, advice, { subject: 'service', httpStatus });
}

/**
 * Sites that the service has refused before they were ever read: most likely mistyped IDs. The message holds the
 * reasons, because it is all that n8n shows when a workflow is published.
 */
export function refusedSites(sites: UnreadableSite[]): ServiceFailure {
	const failures = sites.map(({ failure }) => failure);
	const [first, ...others] = failures;
	if (first && others.length === 0) return first;
	// What is not about one site is said once
	const reasons = [...new Set(failures.map(({ message }) => message))].slice(0, MAX_REASONS);
	const more = failures.filter(({ message }) => !reasons.includes(message)).length;
	if (more > 0) reasons.push(`${more} more ${more === 1 ? 'site' : 'sites'} cannot be read`);
	const advice = listDifferent(failures.map((failure) => failure.advice));
	return toReport(`${joinSentences(...reasons)}.`, advice, sites);
}

/** Sites that could not be read for several polls in a row, while others could. */
export function unreadableSites(sites: UnreadableSite[]): ServiceFailure {
	const polls = Math.min(...sites.map(({ site }) => site.failedPolls));
	const these = sites.length === 1 ? 'this one is' : 'these are';
	const reasons = listDifferent(sites.map(({ failure }) => [failure.message, ...failure.advice]));
	return toReport(
		`${nameAll(sites)} could not be read in the last ${polls} polls`,
		[...reasons, `The other sites are still read, and ${these} tried again later.`],
		sites,
	);
}

/** No site could be read for several polls in a row. */
export function nothingRead(failure: ServiceFailure, polls: number): ServiceFailure {
	if (polls < 2) return failure;
	return new ServiceFailure(
		`No site could be read in the last ${polls} polls`,
		[failure.message, ...failure.advice, 'The trigger tries again at each poll.'],
		failure,
	);
}

/** There are more sites than the service allows, or than a poll has time for. */
export function tooManySites(polls: number, unread: number, total: number): ServiceFailure {
	return new ServiceFailure(
		`Reading all ${total} sites takes more than ${polls} polls`,
		`${unread} sites are still unread, so their changes are reported late. Either the service limits how many requests it accepts, or it is slow. Remove sites from 'Site IDs', choose longer intervals under 'Poll Times', or ask the service operator for a higher limit.`,
		{ subject: 'service' },
	);
}
