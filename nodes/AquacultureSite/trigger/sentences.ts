import { joinSentences } from '../service/advice';
import { ServiceFailure } from '../service/failures';
import type { Occasion } from './activation';
import { joinList } from './words';

/** A site that could not be read. */
export interface BlindSpot {
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
const GOES_ON = 'The trigger tries again at each poll.';

/** What a person does again. Once the workflow is published, the trigger does it by itself. */
const AGAIN: Record<Occasion | 'test', string | undefined> = {
	test: 'Fetch a test event again',
	activation: 'Publish the workflow again',
	startup: undefined,
	schedule: undefined,
};

/** A failure with the advice that fits a trigger: what to do again, and that a rate limit is up to its own fields. */
export function wordFor(occasion: Occasion | 'test', failure: ServiceFailure): ServiceFailure {
	const { message, advice, subject, retry, scope, httpStatus, retryAfter } = failure;
	const isLimit = httpStatus === 429 && occasion !== 'test';
	return new ServiceFailure(
		message,
		joinSentences(advice(AGAIN[occasion]), isLimit ? FEWER_REQUESTS : ''),
		{ subject, retry, scope, httpStatus, retryAfter },
	);
}

/** "Site 1", "Storholmen (2)", "Sites 1, 2, and 3". */
function nameAll(spots: BlindSpot[]): string {
	const titles = spots.map(({ title }) => title);
	const [first = '', ...others] = titles;
	if (others.length === 0) return first.replace(/^(?=\d+$)/, 'Site ');
	const more = titles.length - MAX_NAMED;
	const named = more > 0 ? [...titles.slice(0, MAX_NAMED), `${more} more`] : titles;
	return `Sites ${joinList(named)}`;
}

function reasonOf({ message, description }: ServiceFailure): string {
	return joinSentences(message, description);
}

/** The different reasons of several sites, each with its advice. */
function listReasons(spots: BlindSpot[]): string {
	const reasons = spots.map(({ failure }) => reasonOf(failure));
	return joinSentences(...[...new Set(reasons)].slice(0, MAX_REASONS));
}

function toFailure(message: string, description: string, [first]: BlindSpot[]): ServiceFailure {
	return new ServiceFailure(message, description, {
		subject: 'service',
		httpStatus: first?.failure.httpStatus,
	});
}

/** Sites that the service has refused before they were ever read: most likely a mistyped ID. */
export function refusedSites(spots: BlindSpot[]): ServiceFailure {
	const [first, ...others] = spots;
	if (first && others.length === 0) return first.failure;
	return toFailure(`${nameAll(spots)} cannot be read`, listReasons(spots), spots);
}

/** Sites that could not be read for several polls in a row, while others could. */
export function failingSites(spots: BlindSpot[]): ServiceFailure {
	const polls = Math.min(...spots.map((spot) => spot.polls));
	const isOne = spots.length === 1;
	return toFailure(
		`${nameAll(spots)} could not be read ${polls} times in a row`,
		joinSentences(
			listReasons(spots),
			`The other sites are still read, and ${isOne ? 'this one is' : 'these are'} tried again in turn.`,
		),
		spots,
	);
}

/** No site could be read for several polls in a row. */
export function nothingRead(failure: ServiceFailure, polls: number): ServiceFailure {
	if (polls < 2) return failure;
	return new ServiceFailure(
		`No site could be read in ${polls} polls in a row`,
		joinSentences(reasonOf(failure), GOES_ON),
		failure,
	);
}

/** There are more sites than the service allows, or than a poll has time for. */
export function slowRound(polls: number, left: number, total: number): ServiceFailure {
	return new ServiceFailure(
		`It takes more than ${polls} polls to read all ${total} sites`,
		`${left} sites are still waiting for their turn, so their changes are reported late. Either the service limits how many requests it accepts, or it is slow. ${FEWER_SITES}`,
		{ subject: 'service' },
	);
}
