import type { Exchange } from './network';
import { longestSilence, ownSeconds } from './own-time';
import { isDivided, troublesOf, type Plan } from './plan';
import type { Outcome, Read } from './play';
import { isOfToken, isOfWait, tells, truthOf } from './sentences';
import { siteOf, sitesOf, type PlannedSite } from './sites';

/** What is not as a person may expect it of any service; those of one kind have the same name. */
export interface Finding {
	name: string;
	details: string;
}

/** A plan and what came of it. */
interface Case {
	plan: Plan;
	outcome: Outcome;
	reads: (Read & { run: number; site: PlannedSite })[];
	/** Seconds of silence after which a service is given up. */
	patience: number;
	mayBeGivenUp: boolean;
	isPolls: boolean;
	/** Whether there is no other site that could tell anything. */
	isAlone: boolean;
}

type Invariant = (played: Case) => Finding[];

function toCase(plan: Plan, outcome: Outcome): Case {
	const reads = outcome.runs.flatMap((each, run) =>
		each.reads.map((read) => ({ ...read, run, site: siteOf(plan, read.siteId) })),
	);
	const { named, unnamed } = longestSilence(plan);
	const patience = outcome.exchanges.some(({ came }) => /^429|Retry-After/.test(came)) ? 90 : 30;
	// The last try comes a little late
	const mayBeGivenUp = unnamed > 27 || named + unnamed > patience - 3;
	const thrown = new Set(troublesOf(plan, 'n8n').flatMap(({ sites }) => sites));
	const isAlone = sitesOf(plan).filter(({ siteId }) => !thrown.has(siteId)).length === 1;
	const isPolls = plan.mode.is === 'polls';
	return { plan, outcome, reads, patience, mayBeGivenUp, isAlone, isPolls };
}

const only = (isBroken: boolean, name: string, details: unknown): Finding[] =>
	isBroken ? [{ name, details: String(details) }] : [];

/** One finding of all that have the same. */
function ofSites<T extends Read>(name: string, reads: T[], isFound: (read: T) => boolean) {
	const found = reads.filter(isFound);
	const [{ siteId, is, message } = { siteId: 0, is: '', message: '' }] = found;
	const bare = message.replace(/\d+/g, 'N').slice(0, 60);
	const details = `${found.length} times, e.g. site ${siteId}: ${is} ${message}`;
	return only(found.length > 0, bare ? `${name}: ${bare}` : name, details);
}

const scatteredOutages = (plan: Plan) =>
	troublesOf(plan, 'outage').filter(({ share }) => share < 1);

/**
 * Whether a site failed often enough while others were accepted, or as the only one: then the failures are its own, by
 * all that anybody can see.
 */
function isExcused({ plan, isAlone, outcome }: Case, failures: Exchange[]): boolean {
	const isScattered = scatteredOutages(plan).length > 0;
	// Without retries, one that was sent later and accepted is enough
	const isWitnessed = ({ at, end }: Exchange) =>
		outcome.exchanges.some((other) => other.came === '200' && other.at > at && other.at < end);
	const own = failures.filter((failure) => {
		const { by, came } = failure;
		if (by === 'site' || (by === 'token' && isDivided(plan))) return true;
		// That names no wait: it says that the site is closed
		if (by === 'limit' && came === '403') return true;
		if (/^(429|403)/.test(came)) return false;
		if (plan.maxRetries === 0 && isWitnessed(failure)) return true;
		return isAlone || by === 'stray' || (isScattered && (by === 'outage' || by === 'client'));
	});
	const rejected = own.filter(({ came }) => came.startsWith('401'));
	return rejected.length >= 2 || own.length > plan.maxRetries;
}

/** 1: what the service would give is read, and whatever it gave. 7: what n8n threw ends what it was for. */
const nothingIsLost: Invariant = (played) => {
	const { reads, mayBeGivenUp, isPolls } = played;
	const { exchanges } = played.outcome;
	const failures = new Map<number, Exchange[]>();
	const givenAt = new Map<string, number>();
	for (const exchange of exchanges) {
		const { run, siteId, end, came, by } = exchange;
		const key = `${run} ${siteId}`;
		if (came === '200' && by === 'none') givenAt.set(key, givenAt.get(key) ?? end);
		else failures.set(siteId, [...(failures.get(siteId) ?? []), exchange]);
	}
	const open = reads.filter(({ is }) => is !== 'read' && is !== 'stopped');
	const isGiven = ({ run, siteId, end }: Case['reads'][0]) =>
		(givenAt.get(`${run} ${siteId}`) ?? Infinity) <= end;
	const isLost = (read: Case['reads'][0]): boolean => {
		const failed = failures.get(read.siteId) ?? [];
		const isReported = !isPolls || read.isOfSite;
		return (
			!isGiven(read) &&
			read.is === 'failed' &&
			!mayBeGivenUp &&
			read.site.isReadable &&
			isReported &&
			!isExcused(played, failed)
		);
	};
	const isAnothers = ({ is, siteId }: Read) =>
		is === 'n8n' && !(failures.get(siteId) ?? []).some(({ by }) => by === 'n8n');
	return [
		...ofSites('1 lost', open, isLost),
		...ofSites('1 given, not read', open, isGiven),
		...ofSites('1 wrong', open, ({ is }) => is === 'wrong'),
		...ofSites('7 n8n', open, isAnothers),
	];
};

/** 1, of polls: every site has its turn. */
const everySiteHasItsTurn: Invariant = ({ plan, reads, mayBeGivenUp, isPolls, outcome }) => {
	const read = new Set(reads.filter(({ is }) => is === 'read').map(({ siteId }) => siteId));
	const left = sitesOf(plan).filter(
		({ siteId, bad, isReadable }) => isReadable && !bad && !read.has(siteId),
	);
	// Each poll would begin with a token that has ended, whose rejections use the limit up
	const isLimited = troublesOf(plan, 'limit').length > 0;
	const isShort = troublesOf(plan, 'token').some(({ lifetime }) => lifetime < 60);
	const isHopeless = isDivided(plan) || (isLimited && isShort);
	const isExcused = mayBeGivenUp || isHopeless || troublesOf(plan, 'n8n').length > 0;
	const details = `${left.length} sites, e.g. ${left[0]?.siteId}, in ${outcome.runs.length} polls`;
	return only(isPolls && !isExcused && left.length > 0, '1 polls: never read', details);
};

/** Seconds that it may take. */
function longestSeconds({ plan, mayBeGivenUp, patience }: Case): number {
	const own = ownSeconds(plan);
	const limits = troublesOf(plan, 'limit');
	const isOne = limits.some(({ by, size }) => by === 'bucket' && size === 1);
	const times = isOne ? 2.6 : limits.some(({ status }) => status !== 429) ? 2.2 : 2;
	if (plan.mode.is === 'three') return 3 * own + 20;
	if (plan.troubles.length === 0) return 1.5 * own + 0.5;
	const isHanging = troublesOf(plan, 'outage').some(({ kind }) => kind === 'hang');
	const silence = patience + (isHanging ? (2 * plan.timeout) / 1000 : 0);
	return times * own + 20 + (mayBeGivenUp ? silence : 0);
}

/** 2, 8, 9: it ends in time. */
const endsInTime: Invariant = (played) => {
	const { is, end } = played.outcome;
	if (is !== 'ended') return only(true, `2 ${is}`, '');
	const most = longestSeconds(played);
	const isLate = !played.isPolls && end / 1000 > most;
	return only(isLate, '2 time', `${(end / 1000).toFixed(1)} s, at most ${most.toFixed(1)}`);
};

/** 3: a site that fails by itself has its own sentence, and all sentences are true. */
const sentencesFit: Invariant = ({ plan, outcome, reads, mayBeGivenUp, isPolls, isAlone }) => {
	const isTrue = truthOf(plan, outcome);
	const failed = reads.filter(({ is }) => is === 'failed');
	// What also failed by chance, while others did not, has failed
	const scattered = [...troublesOf(plan, 'stray'), ...scatteredOutages(plan)];
	const refusals = troublesOf(plan, 'limit').map(({ status }) => status);
	const chance = [
		...scattered.map(({ kind }) => kind),
		...(isDivided(plan) ? [401] : []),
		...(plan.maxRetries === 0 ? refusals : []),
	];
	const isAnyRead = reads.some(({ is }) => is === 'read');
	const isOwn = ({ message, site: { bad } }: Case['reads'][0]) =>
		// If no site is accepted, nobody knows whose fault it is
		(bad?.kind === 401 && !isAnyRead && isOfToken(message)) ||
		(1000 * (bad?.retryAfter ?? 0) > plan.longestWait && isOfWait(message)) ||
		[bad?.kind ?? 0, ...chance].some((kind) => kind !== 429 && tells(kind, message));
	// One site alone cannot tell its own failures from those of an outage
	const isUnknown = mayBeGivenUp || (isAlone && troublesOf(plan, 'outage').length > 0);
	const isBad = ({ site: { bad }, isOfSite }: Case['reads'][0]) =>
		!isUnknown && bad?.times === Infinity && (isOfSite || !isPolls);
	return [
		...ofSites('3 sentence', failed, (read) => isBad(read) && !isOwn(read)),
		...ofSites('3 untrue', failed, (read) => !isTrue(read)),
		...ofSites('3 read', reads, ({ is, site }) => is === 'read' && site.bad?.times === Infinity),
	];
};

/** 3: it costs its tries, no more and no less, where nothing else fails. */
const badSitesCostTheirTries: Invariant = ({ plan, outcome, mayBeGivenUp }) => {
	const isElse = plan.mode.is !== 'run' || plan.troubles.some(({ is }) => is !== 'bad');
	if (isElse || mayBeGivenUp) return [];
	const costs = new Map<number, number>();
	for (const { siteId } of outcome.exchanges) costs.set(siteId, 1 + (costs.get(siteId) ?? 0));
	const some = sitesOf(plan).filter(({ bad }) => bad?.times === Infinity);
	const isOff = ({ siteId, tries, bad }: PlannedSite) => {
		const cost = costs.get(siteId) ?? 0;
		// A few, or many one after the other, or a token's status look like something else at first: trials ask again
		const isClear = bad?.where === 'scattered' && bad.share < 0.1 && some.length > 20;
		const more = isClear && bad.kind !== 401 ? 0 : tries;
		return (
			cost < (bad?.kind === 401 || bad?.kind === 403 ? 1 : tries) ||
			cost > tries + more + (plan.token === 'expired' ? 1 : 0)
		);
	};
	const off = some.filter(isOff);
	const name = `3 tries of ${off[0]?.bad?.kind}`;
	const details = `${off.length} of ${some.length} sites, e.g. ${off[0]?.siteId}`;
	return only(off.length > 3 + some.length / 2, name, details);
};

/** 4: requests. */
const fewRequests: Invariant = ({ plan, outcome, mayBeGivenUp }) => {
	const { exchanges, runs, tokensEnded } = outcome;
	// The second time may be a request of its own
	const { differs } = plan.repeated;
	const tries = sitesOf(plan).reduce(
		(sum, each) => sum + each.tries * (differs && each.isTwice ? 2 : 1),
		0,
	);
	// Those that fail by chance are sent again; of two servers, one may never learn a token
	const shares = [isDivided(plan) ? 0.5 : 0, ...scatteredOutages(plan).map(({ share }) => share)];
	const again = shares.reduce(
		(times, share) => times * Math.min(plan.maxRetries + 1, 1 / (1 - share)),
		1,
	);
	const places = Math.max(128, plan.maxConcurrency);
	const single = 10 * (troublesOf(plan, 'stray').length + troublesOf(plan, 'n8n').length);
	const each = 1.4 * tries * again + 2 * places + single + (mayBeGivenUp ? 300 : 0);
	const most = Math.round(runs.length * each + places * tokensEnded);
	const sent = exchanges.filter(({ siteId, by }) => siteId > 0 && by !== 'n8n').length;
	return only(sent > most, '4 requests', `${sent}, at most ${most}`);
};

/** 5: logins. Each poll begins anew; runs of one process share theirs. */
const fewLogins: Invariant = ({ plan, outcome, isPolls }) => {
	const logins = outcome.exchanges.filter(({ siteId }) => siteId === 0);
	const refused = logins.filter(({ came }) => came.startsWith('401')).length;
	const polls = isPolls ? outcome.runs.length : 1;
	// A login that fails says nothing of the token: an ill token endpoint is asked a few times more
	const isIll =
		troublesOf(plan, 'outage').some(({ side }) => side !== 'data') ||
		troublesOf(plan, 'limit').some(({ isForLogins }) => isForLogins);
	const most = outcome.tokensEnded + (isIll ? 8 : 3) * polls;
	return [
		...only(logins.length > most, '5 logins', `${logins.length}, at most ${most}`),
		...only(refused > polls, '5 refused logins', refused),
	];
};

/** 6: it stops at once, and nothing goes on after the end. */
const stopsAtOnce: Invariant = ({ outcome: { runs, exchanges } }) => {
	const late = runs.find(({ end, stop }) => end > stop + 100);
	const isKept = runs.some(({ kept }) => kept > 0);
	const after = exchanges.filter(({ run, at, siteId }) => {
		const { end = 0, stop = 0 } = runs[run] ?? {};
		return siteId > 0 && at > Math.min(end, stop);
	});
	return [
		...only(late !== undefined, '6 stop', `${late?.end} ms, stopped at ${late?.stop}`),
		...only(isKept, '6 kept', 'a timer of the run goes on'),
		...only(
			after.length > 0,
			'6 sent after the end',
			`${after.length}, from ${after[0]?.at} ms on`,
		),
	];
};

/** How an outcome is judged. */
export interface Verdict {
	/** Empty if all holds. */
	findings: Finding[];
	/** Seconds that it may take, and how often it took the service's own time; a few seconds count as ten. */
	longest: number;
	ratio: number;
	mayBeGivenUp: boolean;
}

/** What an outcome breaks of what a person may expect of any service. */
export function judge(plan: Plan, outcome: Outcome): Verdict {
	const played = toCase(plan, outcome);
	const { mayBeGivenUp, patience, isPolls } = played;
	const rest = [
		nothingIsLost,
		everySiteHasItsTurn,
		sentencesFit,
		badSitesCostTheirTries,
		fewRequests,
		fewLogins,
		stopsAtOnce,
	];
	const invariants = [endsInTime, ...(outcome.is === 'ended' ? rest : [])];
	const own = Math.max(10, ownSeconds(plan)) + (mayBeGivenUp ? patience : 0);
	return {
		findings: invariants.flatMap((invariant) => invariant(played)),
		longest: longestSeconds(played),
		ratio: isPolls ? 0 : outcome.end / 1000 / own,
		mayBeGivenUp,
	};
}
