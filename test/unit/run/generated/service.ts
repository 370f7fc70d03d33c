import { bucket, fixedWindow, type Limiter } from '../../../tools/helpers/limiters';
import {
	troublesOf,
	type Kind,
	type Limit,
	type Outage,
	type Plan,
	type TokenTrouble,
} from './plan';
import type { Random } from './random';
import { siteOf } from './sites';

/** What a request gets, and after how many milliseconds; `by` says whose doing that is. */
export interface Reply {
	kind: Kind;
	by: 'none' | 'outage' | 'stray' | 'limit' | 'token' | 'site';
	wait: number;
	headers: Record<string, string>;
	body: unknown;
}

/** Times are milliseconds since the beginning. */
interface Token {
	from: number;
	until: number;
	isEverywhereFrom: number;
	uses: number;
}

/** Wall time at the beginning. */
export const EPOCH = Date.UTC(2026, 0, 1);

const NO_SITES = ['', {}, { siteId: 0 }, '<!doctype html><p>Sample'];

/** The service of a plan. */
export class GeneratedService {
	private requests = 0;
	private logins = 0;
	private readonly tokens = new Map<string, Token>();
	private readonly limiters: { limit: Limit; limiter: Limiter }[];
	private readonly outages: (Outage & { start: number })[];
	/** Of each worker, when it has done what it was given. */
	private readonly workers: { freeAt: number; each: number }[];
	private readonly failures = new Map<number, number>();
	private readonly trouble?: TokenTrouble;

	constructor(
		private readonly plan: Plan,
		private readonly random: Random,
		private readonly now: () => number,
	) {
		this.limiters = troublesOf(plan, 'limit').map((limit) => {
			const { by, size, pace, isUsedUp } = limit;
			const limiter = by === 'window' ? fixedWindow(size, 1000 * pace) : bucket(size, pace);
			for (let used = isUsedUp ? size : 0; used > 0; used--) limiter(0);
			return { limit, limiter };
		});
		this.outages = troublesOf(plan, 'outage').map((outage) => ({ ...outage, start: Infinity }));
		this.workers = troublesOf(plan, 'workers').flatMap(({ count, seconds }) =>
			Array.from({ length: count }, () => ({ freeAt: 0, each: 1000 * seconds })),
		);
		[this.trouble] = troublesOf(plan, 'token');
		if (plan.token === 'valid') this.issue('valid', 0);
	}

	/** How many tokens have ended for those who held them, the one that they began with included. */
	get tokensEnded(): number {
		const ended = [...this.tokens.values()].filter((token) => this.hasEnded(token));
		return ended.length + (this.plan.token === 'valid' ? 0 : 1);
	}

	login(): Reply {
		const failure = this.outage('token') ?? this.refusal(true);
		if (failure) return failure;
		const name = `token-${++this.logins}`;
		this.issue(name, 1000 * (this.trouble?.oneServer ?? 0));
		return this.reply(200, 'none', { body: { access_token: name, token_type: 'Bearer' } });
	}

	site(siteId: number, token: string): Reply {
		this.requests++;
		if (this.trouble?.revokedAt.includes(this.requests)) {
			for (const each of this.tokens.values()) each.until = Math.min(each.until, this.now());
		}
		return (
			this.outage('data') ??
			this.stray() ??
			this.refusal(false) ??
			(this.plan.isSiteFirst ? this.badness(siteId) : undefined) ??
			this.unauthorized(token) ??
			this.badness(siteId) ??
			this.reply(200, 'none', {
				wait: this.work() + 1000 * siteOf(this.plan, siteId).slowness,
				body: { siteId, siteName: 'Sample' },
			})
		);
	}

	private reply(
		kind: Kind,
		by: Reply['by'],
		{ retryAfter, ...more }: Partial<Reply> & { retryAfter?: string | number } = {},
	): Reply {
		const headers = {
			date: this.date(0),
			...(retryAfter && { 'retry-after': String(retryAfter) }),
		};
		return { kind, by, wait: 0, body: { message: 'Sample.' }, headers, ...more };
	}

	/** By the service's own clock. */
	private date(seconds: number): string {
		return new Date(EPOCH + this.now() + 1000 * (this.plan.clockAhead + seconds)).toUTCString();
	}

	private outage(side: 'data' | 'token'): Reply | undefined {
		const outage = this.outages.find((each) => {
			if (this.requests >= each.from) each.start = Math.min(each.start, this.now());
			const age = (this.now() - each.start) / 1000;
			const isOn = age >= 0 && age < each.seconds;
			return isOn && ['all', side].includes(each.side) && this.random.chance(each.share);
		});
		return outage && this.reply(outage.kind, 'outage', { retryAfter: outage.retryAfter });
	}

	private stray(): Reply | undefined {
		const stray = troublesOf(this.plan, 'stray').find(({ at }) => at.includes(this.requests));
		return stray && this.reply(stray.kind, 'stray', { retryAfter: stray.retryAfter });
	}

	private refusal(isLogin: boolean): Reply | undefined {
		for (const { limit, limiter } of this.limiters) {
			const wait = isLogin && !limit.isForLogins ? 0 : limiter(this.now());
			if (wait <= 0) continue;
			const seconds = Math.max(1, Math.ceil(wait / 1000));
			const waits = { none: undefined, seconds, date: this.date(seconds) };
			return this.reply(limit.status, 'limit', { retryAfter: waits[limit.retryAfter] });
		}
		return undefined;
	}

	private unauthorized(name: string): Reply | undefined {
		const token = this.tokens.get(name);
		const { rejection } = this.plan;
		if (name === 'expired') return this.reply(rejection, 'token', { body: {} });
		const hasEnded = token && this.hasEnded(token);
		if (hasEnded && rejection !== 'garbage') return this.reply(rejection, 'token');
		const isKnown = token && !hasEnded && this.now() >= token.from;
		const isHere = isKnown && (this.now() >= token.isEverywhereFrom || this.random.chance(0.5));
		if (!isHere || this.trouble?.isNeverAccepted) return this.reply(401, 'token');
		token.uses++;
		return undefined;
	}

	private badness(siteId: number): Reply | undefined {
		const { bad } = siteOf(this.plan, siteId);
		if (!bad) return undefined;
		const failures = 1 + (this.failures.get(siteId) ?? 0);
		this.failures.set(siteId, failures);
		if (failures > bad.times) return undefined;
		const { kind, delay, retryAfter } = bad;
		const body = kind === 'garbage' ? NO_SITES[siteId % NO_SITES.length] : { message: 'Sample.' };
		return this.reply(kind, 'site', { wait: 1000 * delay, retryAfter, body });
	}

	/** Milliseconds until one of the workers has done it; they also do what nobody waits for anymore. */
	private work(): number {
		const [first] = this.workers.sort((a, b) => a.freeAt - b.freeAt);
		if (!first) return 0;
		first.freeAt = Math.max(this.now(), first.freeAt) + first.each;
		return first.freeAt - this.now();
	}

	private issue(name: string, oneServer: number): void {
		const now = this.now();
		const { lifetime = Infinity, late = 0, isSingle } = this.trouble ?? {};
		for (const [each, token] of this.tokens)
			if (isSingle && !this.hasEnded(token)) this.tokens.delete(each);
		const from = name === 'valid' ? now : now + 1000 * late;
		this.tokens.set(name, {
			from,
			until: now + 1000 * lifetime,
			isEverywhereFrom: now + oneServer,
			uses: 0,
		});
	}

	private hasEnded({ until, uses }: Token): boolean {
		return this.now() >= until || uses >= (this.trouble?.uses ?? Infinity);
	}
}
