import type { INodeParameters } from 'n8n-workflow';
import type { Fault, FaultRequest, Faults } from '../../tools/fake-service/faults';
import { refusalBeyond } from '../../tools/fake-service/limit';
import type { Service } from '../../tools/fake-service/service';
import { bucket, fixedWindow } from '../../tools/helpers/limiters';

/** What a service does, and what has to come of it. */
export interface Condition {
	/** Their IDs begin with 1. */
	sites: number;
	faults: (service: Service) => Partial<Faults>;
	/** At most: what the design names, or twice the service's own time and 20. */
	seconds: number;
	/** Which sites cannot be read, how often each is tried (4 unless given), and what is said of each; none unless given. */
	unreadable?: (siteId: number, service: Service) => boolean;
	tries?: number;
	message?: RegExp;
	/** Token requests at most; 1 unless given. */
	logins?: number;
	/** Requests for sites that fail at most, in all runs. */
	failed?: number;
	/** What each item asks for; each site once unless given. */
	siteIds?: number[];
	options?: INodeParameters;
	/** Workflows that run at the same time; 1 unless given. */
	runs?: number;
	/** n8n has a token of an earlier run, which has expired since. */
	hasExpiredToken?: true;
	/** The same again when the service is well: all sites are read. */
	isMended?: true;
}

/** @param own seconds that the service itself needs for the run, with the retries of the sites that fail by themselves */
const twice = (own: number) => 2 * own + 20;

const now = () => performance.now();
const dateIn = (seconds: number) => new Date(Date.now() + 1000 * seconds).toUTCString();
export const siteIdsTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const TENTHS = siteIdsTo(20).map((index) => 10 * index);

const only = (isHit: (siteId: number) => boolean, fault: Fault): Fault => ({
	...fault,
	when: ({ siteId = 0 }) => isHit(siteId),
});
/** Something that happens when a request arrives. */
const event = (happen: () => void): Fault => ({ latencyMs: () => (happen(), 0) });

const ALL = () => true;
const FOURTH = (siteId: number) => siteId % 4 === 1;
const THREE = (siteId: number) => [20, 90, 150].includes(siteId);
const FIRST = (last: number) => (siteId: number) => siteId <= last;
const NOT_SERVED = (siteId: number, { requests }: Service) =>
	!requests.some((request) => request.siteId === siteId && request.status === 200);

const FORBIDDEN = { tries: 2, logins: 4, message: /^This user has no access to site \d+/ };

/** The longest first: they mostly wait, side by side. */
export const CONDITIONS: Record<string, Condition> = {
	'has a token endpoint that sends a byte now and then for ever': {
		sites: 20,
		faults: () => ({ token: [{ bytes: 1_000_000, drip: { bytes: 1, everyMs: 500 } }] }),
		seconds: 2 * 30 + 30 + 5,
		unreadable: ALL,
		message: /^The service did not respond in time/,
		logins: 8,
		failed: 0,
		isMended: true,
	},
	'is asked by three workflows at once, with a bucket of one, 20 a second': {
		sites: 200,
		runs: 3,
		faults: () => ({ site: [refusalBeyond(bucket(1, 20), false)] }),
		seconds: 3 * 30,
		failed: 3 * (64 + 40),
	},
	'fails for ever from the start: 502': {
		sites: 1000,
		faults: () => ({ site: [{ status: 502 }] }),
		seconds: 40,
		unreadable: ALL,
		message: /^The service is unavailable|^Not requested because/,
		failed: 300,
	},
	'hangs in mid-run for ever, with a timeout of 2 s': {
		sites: 400,
		options: { timeout: 2000 },
		faults: () => ({ site: [{ skip: 150, connection: 'hang' }] }),
		seconds: 2 * 2 + 30 + 5,
		unreadable: NOT_SERVED,
		message: /^The service did not respond in time|^Not requested because/,
	},
	'fails with 502 for 12 seconds at the start, the token endpoint too': {
		sites: 400,
		faults: () => {
			const end = now() + 12_000;
			const outage = { status: 502, when: () => now() < end };
			return { token: [outage], site: [outage] };
		},
		seconds: 2 * 12 + 15,
		logins: 8,
	},
	'rejects the password in mid-run, while sites wait for their Retry-After of a minute': {
		sites: 400,
		faults: (service) => {
			const change = event(() => {
				service.expireTokens();
				service.faults.token.push({ status: 401 });
			});
			const busy = { siteId: TENTHS, status: 503, retryAfter: 60 };
			return { site: [{ ...change, skip: 220, times: 1 }, busy] };
		},
		seconds: twice(1),
		unreadable: NOT_SERVED,
		message: /^The service (rejected the username|is unavailable)|^Not requested because/,
		logins: 2,
	},
	'lets another login end the token twice in mid-run': {
		sites: 1000,
		faults: ({ expireTokens }) => {
			const other = { ...event(expireTokens), times: 1 };
			const site = [300, 650].map((skip) => ({ ...other, skip }));
			return { token: [event(expireTokens)], site };
		},
		seconds: twice(3),
		logins: 3,
		failed: 3 * 128,
	},
	'knows a new token 1.5 s late': {
		sites: 400,
		faults: () => {
			let issuedAt = 0;
			const when = () => now() - issuedAt < 1500;
			return { token: [event(() => (issuedAt = now()))], site: [{ status: 401, when }] };
		},
		seconds: twice(3),
		failed: 128,
	},
	'accepts no token': {
		sites: 200,
		faults: () => ({ site: [{ status: 401 }] }),
		seconds: 15,
		unreadable: ALL,
		message: /^The service rejected a newly issued access token/,
		logins: 4,
		failed: 300,
	},
	'closes three sites with 401, at once, while the others take 1.2 s': {
		sites: 200,
		faults: () => {
			const latencyMs = ({ siteId = 0 }: FaultRequest) => (THREE(siteId) ? 0 : 1200);
			return { site: [only(THREE, { status: 401 }), { latencyMs }] };
		},
		seconds: twice(6),
		unreadable: THREE,
		...FORBIDDEN,
	},
	'closes the first 200 sites with 401': {
		sites: 400,
		faults: () => ({ site: [only(FIRST(200), { status: 401 })] }),
		seconds: twice(3),
		unreadable: FIRST(200),
		...FORBIDDEN,
	},
	'closes every fourth site with 403, and has ended the token of an earlier run': {
		sites: 200,
		hasExpiredToken: true,
		faults: () => ({ site: [only(FOURTH, { status: 403 })] }),
		seconds: twice(2),
		unreadable: FOURTH,
		...FORBIDDEN,
	},
	'resets the connection for the first 161 sites': {
		sites: 400,
		faults: () => ({ site: [only(FIRST(161), { connection: 'reset' })] }),
		seconds: twice(8),
		unreadable: FIRST(161),
		message: /^The connection to the service was lost/,
	},
	'limits the rate with 403 and Retry-After, window of 20 a second': {
		sites: 200,
		faults: () => ({ site: [refusalBeyond(fixedWindow(20, 1000), true, 403)] }),
		seconds: 2 * 9 + 5,
		failed: 64 + 40 + 10,
	},
	'limits the rate with 503 and the date to retry at, by a clock that is ten minutes fast': {
		sites: 200,
		faults: () => {
			const limiter = fixedWindow(20, 1000);
			const refusal: Fault = {
				status: 503,
				when: () => limiter(now()) > 0,
				get headers() {
					return { date: dateIn(600) };
				},
				get retryAfter() {
					return dateIn(601);
				},
			};
			return { site: [refusal] };
		},
		seconds: 2 * 9 + 5,
		failed: 64 + 40 + 10,
	},
	'is slow and fails at some sites twice, which other items ask for with more time and retries': {
		sites: 40,
		siteIds: [...siteIdsTo(40), ...siteIdsTo(40)],
		options: {
			timeout: '={{ $itemIndex < 40 ? 500 : 10000 }}',
			maxRetries: '={{ $itemIndex < 40 ? 0 : 3 }}',
		},
		faults: () => {
			const failures = TENTHS.map((siteId) => ({ siteId, status: 500, times: 2 }));
			return { site: [...failures, { latencyMs: 1500 }] };
		},
		seconds: twice(9),
	},
};
