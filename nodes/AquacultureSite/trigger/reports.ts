import { joinSentences, repeatedBy, toWords } from '../service/advice';
import type { Advice } from '../service/advice';
import { ServiceFailure } from '../service/failures';
import { joinList } from '../site/plainText';
import type { PollReason } from './activation';

/** A site that could not be read. */
export interface UnreadableSite {
	siteId: string;
	/** What to call it: its name with its ID, or the ID. */
	title: string;
	/** Whether it has ever been read. */
	wasRead: boolean;
	failure: ServiceFailure;
	/** How many times in a row it could not be read. */
	polls: number;
}

const MAX_NAMED = 5;
const MAX_REASONS = 3;
const FEWER_REQUESTS =
	"Or remove sites from 'Site IDs', or choose longer intervals under 'Poll Times'.";
const FEWER_SITES =
	"Remove sites from 'Site IDs', choose longer intervals under 'Poll Times', or ask the service operator for a higher limit.";

/** What a person does again. Once the workflow is published, the trigger does it by itself. */
const AGAIN: Record<PollReason | 'test', string | undefined> = {
	test: 'Fetch a test event again',
	activation: 'Publish the workflow again',
	startup: undefined,
	schedule: undefined,
};

/** A failure with the advice that fits a trigger: what to do again, and that a rate limit is up to its own fields. */
export function toTriggerFailure(
	reason: PollReason | 'test',
	failure: ServiceFailure,
): ServiceFailure {
	const { message, advice, subject, retry, scope, httpStatus, retryAfter } = failure;
	const isLimit = httpStatus === 429 && reason !== 'test';
	return new ServiceFailure(
		message,
		[...repeatedBy(AGAIN[reason], advice), ...(isLimit ? [FEWER_REQUESTS] : [])],
		{ subject, retry, scope, httpStatus, retryAfter },
	);
}

/** "Site 1", "Storholmen (2)", "Sites 1, 2, and 3". */
function nameAll(sites: UnreadableSite[]): string {
	const titles = sites.map(({ title }) => title);
	const [first] = sites;
	if (first && sites.length === 1) {
		return first.title === first.siteId ? `Site ${first.title}` : first.title;
	}
	const more = titles.length - MAX_NAMED;
	const named = more > 0 ? [...titles.slice(0, MAX_NAMED), `${more} more`] : titles;
	return `Sites ${joinList(named)}`;
}

function reasonOf({ message, advice }: ServiceFailure): Advice {
	return [message, ...advice];
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
	const [first, ...others] = sites;
	if (first && others.length === 0) return first.failure;
	const more = sites.length - MAX_REASONS;
	const reasons = sites.slice(0, MAX_REASONS).map(({ failure }) => failure.message);
	if (more > 0) reasons.push(`${more} more ${more === 1 ? 'site' : 'sites'} cannot be read`);
	return toReport(
		`${joinSentences(...reasons)}.`,
		listDifferent(sites.map(({ failure }) => failure.advice)),
		sites,
	);
}

/** Sites that could not be read for several polls in a row, while others could. */
export function unreadableSites(sites: UnreadableSite[]): ServiceFailure {
	const polls = Math.min(...sites.map((site) => site.polls));
	const these = sites.length === 1 ? 'this one is' : 'these are';
	return toReport(
		`${nameAll(sites)} could not be read in the last ${polls} polls`,
		[
			...listDifferent(sites.map(({ failure }) => reasonOf(failure))),
			`The other sites are still read, and ${these} tried again later.`,
		],
		sites,
	);
}

/** No site could be read for several polls in a row. */
export function nothingRead(failure: ServiceFailure, polls: number): ServiceFailure {
	if (polls < 2) return failure;
	return new ServiceFailure(
		`No site could be read in the last ${polls} polls`,
		[...reasonOf(failure), 'The trigger tries again at each poll.'],
		failure,
	);
}

/** There are more sites than the service allows, or than a poll has time for. */
export function slowRound(polls: number, left: number, total: number): ServiceFailure {
	return new ServiceFailure(
		`Reading all ${total} sites takes more than ${polls} polls`,
		`${left} sites are still unread, so their changes are reported late. Either the service limits how many requests it accepts, or it is slow. ${FEWER_SITES}`,
		{ subject: 'service' },
	);
}
