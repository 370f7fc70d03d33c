import { troublesOf, type Bad, type Kind, type Plan } from './plan';

/** What a plan makes of a site. */
export interface PlannedSite {
	siteId: number;
	bad?: Bad;
	/** Seconds that it takes by nature. */
	slowness: number;
	isTwice: boolean;
	/** What it is asked for with at most: the second time, it may have longer and more often. */
	timeout: number;
	maxRetries: number;
	/** Whether that is longer than anybody waits for it, or nearly. */
	isTooSlow: boolean;
	/** Whether the service gives it at some time. */
	isReadable: boolean;
	/** How often it is asked for, if nothing but the site itself fails. */
	tries: number;
}

/** 0 to 1, the same for the same site. */
const scatter = (siteId: number, salt: number) =>
	((((siteId * 2654435761) ^ (salt * 40503)) >>> 0) % 9973) / 9973;

function isHit({ where, share, from }: Bad, siteId: number, sites: number): boolean {
	if (where === 'scattered') return scatter(siteId, from) < share;
	const first = where === 'first' ? 1 : from;
	return siteId >= first && siteId < first + Math.max(1, Math.round(share * sites));
}

/** How often a site that fails by itself is asked for. */
function triesOf(kind: Kind, maxRetries: number): number {
	if (kind === 401) return 2;
	// That may be of a limit, or of a gateway
	if (kind === 403 || kind === 302 || kind === 'garbage') return Math.min(2, maxRetries + 1);
	return typeof kind === 'number' && kind < 500 ? 1 : maxRetries + 1;
}

function planned(plan: Plan, siteId: number): PlannedSite {
	const { sites, repeated, longestWait } = plan;
	const bad = troublesOf(plan, 'bad').find((each) => isHit(each, siteId, sites));
	const slow = troublesOf(plan, 'slow').filter(({ share }) => scatter(siteId, 7) < share);
	const slowness = slow.reduce((sum, { seconds }) => sum + seconds, 0);
	const isTwice = repeated.every > 0 && siteId % repeated.every === 0;
	const more = isTwice && repeated.differs ? 1 : 0;
	const timeout = (1 + more) * plan.timeout;
	const maxRetries = plan.maxRetries + more;
	const isTooSlow = 1000 * slowness + plan.latency + 2 * plan.jitter > 0.75 * plan.timeout;
	const most = isTooSlow || bad ? triesOf(bad?.kind ?? 'hang', maxRetries) : 1;
	const isWaitTooLong = 1000 * (bad?.retryAfter ?? 0) > longestWait;
	const isReadable = !isTooSlow && !isWaitTooLong && bad?.times !== Infinity;
	const tries = isWaitTooLong ? 1 : Math.min(most, 1 + (bad?.times ?? Infinity));
	return { siteId, bad, slowness, isTwice, timeout, maxRetries, isTooSlow, isReadable, tries };
}

const known = new WeakMap<Plan, PlannedSite[]>();

/** The sites of a plan, in their order. */
export function sitesOf(plan: Plan): PlannedSite[] {
	let sites = known.get(plan);
	if (sites?.length !== plan.sites) {
		sites = Array.from({ length: plan.sites }, (_, index) => planned(plan, index + 1));
		known.set(plan, sites);
	}
	return sites;
}

export const siteOf = (plan: Plan, siteId: number): PlannedSite =>
	sitesOf(plan)[siteId - 1] as PlannedSite;
