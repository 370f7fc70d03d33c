import { StoppedError } from '../../../../nodes/AquacultureSite/run/cancellation';
import { SiteService } from '../../../../nodes/AquacultureSite/run/SiteService';
import { ServiceFailure } from '../../../../nodes/AquacultureSite/service/messages/failures';
import { FakeClock } from '../../../tools/helpers/fake-clock';
import { BASE_URL, N8nError, Network, type Exchange } from './network';
import { ownSeconds } from './own-time';
import type { Plan } from './plan';
import { Random } from './random';
import { EPOCH, GeneratedService } from './service';
import { siteOf, sitesOf } from './sites';

const HOURS_3 = 3 * 3600 * 1000;
const LONGEST_POLL_MS = 36_000;
const POLL_EVERY_MS = 60_000;

/** What came of asking for a site. */
export interface Read {
	siteId: number;
	/** Milliseconds. */
	end: number;
	is: 'read' | 'failed' | 'stopped' | 'n8n' | 'wrong';
	message: string;
	/** Whether the trigger would report it as this site's. */
	isOfSite: boolean;
}

/** One run of the node, or one poll. */
export interface Run {
	start: number;
	/** When its last site had an end; when a person, or the end of the poll, stopped it. */
	end: number;
	stop: number;
	reads: Read[];
	/** Timers that it has left. */
	kept: number;
}

export interface Outcome {
	is: 'ended' | 'endless' | 'stuck';
	runs: Run[];
	exchanges: Exchange[];
	/** Tokens that ended for those who held them. */
	tokensEnded: number;
	/** When all had ended. */
	end: number;
}

/** Time and chance as the play has them, for whatever the package takes from the platform. */
async function withWorld<T>(clock: FakeClock, seed: number, action: () => Promise<T>): Promise<T> {
	const now = () => clock.now();
	const world: [target: object, key: string, value: unknown][] = [
		[Math, 'random', new Random(seed, 2).next],
		[Date, 'now', () => EPOCH + Math.floor(now())],
		[performance, 'now', now],
		// Of thousands of failures, they would take a tenth of the time
		[Error, 'stackTraceLimit', 0],
	];
	const real = world.map(([target, key]): unknown => Reflect.get(target, key));
	for (const [target, key, value] of world) Reflect.set(target, key, value);
	try {
		return await action();
	} finally {
		for (const [index, [target, key]] of world.entries()) Reflect.set(target, key, real[index]);
	}
}

function toRead(siteId: number, end: number, error: unknown): Read {
	const { message } = error as Error;
	const isFailed = error instanceof ServiceFailure;
	const other = error instanceof N8nError ? 'n8n' : 'wrong';
	const is = isFailed ? 'failed' : error instanceof StoppedError ? 'stopped' : other;
	return { siteId, end, is, message, isOfSite: isFailed && error.scope !== 'run' };
}

/** Plays a plan with the engine, in simulated time. */
class Play {
	private readonly clock = new FakeClock();
	private readonly service: GeneratedService;
	private readonly network: Network;
	private readonly runs: Run[] = [];

	constructor(private readonly plan: Plan) {
		const random = new Random(plan.seed, 3);
		this.service = new GeneratedService(plan, random, () => this.clock.now());
		this.network = new Network(plan, this.service, this.clock, random);
	}

	async play(): Promise<Outcome> {
		const { clock, runs } = this;
		let is: Outcome['is'] = 'ended';
		await withWorld(clock, this.plan.seed, async () => {
			await clock.run(this.start(), HOURS_3).catch((error: unknown) => {
				const { message } = error as Error;
				if (message !== clock.ENDLESS && message !== clock.STUCK) throw error;
				is = message === clock.ENDLESS ? 'endless' : 'stuck';
			});
			// Nothing may be sent anymore
			if (runs.every(({ end }) => end < Infinity)) await clock.advance(100_000);
		});
		const { tokensEnded } = this.service;
		const end = Math.max(...runs.map((run) => run.end));
		return { is, runs, exchanges: this.network.exchanges, tokensEnded, end };
	}

	private async start(): Promise<void> {
		const { plan } = this;
		const { mode } = plan;
		const siteIds = sitesOf(plan).map(({ siteId }) => siteId);
		const late = async (index: number) => {
			await this.clock.sleep(mode.is === 'three' ? 1000 * index * mode.apart : 0);
			await this.run(siteIds, mode.is === 'stop' ? 1000 * mode.after : Infinity);
		};
		if (mode.is === 'polls') await this.poll(siteIds);
		else await Promise.all((mode.is === 'three' ? [0, 1, 2] : [0]).map(late));
	}

	/** As n8n polls, until each site should have had its turn: what is new first, then what was left out the longest. */
	private async poll(siteIds: number[]): Promise<void> {
		const polls = 2 + Math.ceil((2 * ownSeconds(this.plan)) / 36);
		let left = siteIds.map((siteId) => ({ siteId, polls: Infinity }));
		for (let count = 0; count < polls; count++) {
			const { reads, start } = await this.run(
				left.map(({ siteId }) => siteId),
				LONGEST_POLL_MS,
			);
			const concluded = new Set(
				reads.filter(({ is, isOfSite }) => is === 'read' || isOfSite).map(({ siteId }) => siteId),
			);
			left = left
				.map((each) => ({ ...each, polls: concluded.has(each.siteId) ? 0 : each.polls + 1 }))
				.sort((a, b) => (a.polls === b.polls ? a.siteId - b.siteId : b.polls - a.polls));
			await this.clock.sleep(start + POLL_EVERY_MS - this.clock.now());
		}
	}

	private async run(siteIds: number[], stopAfter: number): Promise<Run> {
		const { clock, network, plan } = this;
		const run: Run = { start: clock.now(), end: Infinity, stop: Infinity, reads: [], kept: 0 };
		let pending = 0;
		const sleep = async (milliseconds: number, signal?: AbortSignal) => {
			pending++;
			await clock.sleep(milliseconds, signal).finally(() => pending--);
		};
		const access = { credentials: network.credentials(), send: network.senderOf(this.runs.length) };
		const sites = new SiteService(BASE_URL, access, plan, { now: () => clock.now(), sleep });
		this.runs.push(run);
		const stop = () => {
			run.stop = clock.now();
			sites.stop();
		};
		if (stopAfter < Infinity) clock.after(stopAfter, stop);
		const read = async (
			siteId: number,
			{ timeout, maxRetries }: Pick<Plan, 'timeout' | 'maxRetries'>,
		) => {
			const site = { siteId: String(siteId), parts: [], apiVersion: '2025-01-01' };
			const end = await sites.read({ ...site, timeout, maxRetries }).then(
				({ body }) => (Number(body.siteId) === siteId ? undefined : new Error('Another site')),
				(error: unknown) => error,
			);
			const good: Read = { siteId, end: clock.now(), is: 'read', message: '', isOfSite: false };
			run.reads.push(end === undefined ? good : toRead(siteId, clock.now(), end));
		};
		const twice = siteIds.map((siteId) => siteOf(plan, siteId)).filter(({ isTwice }) => isTwice);
		await Promise.all([
			...siteIds.map(async (siteId) => await read(siteId, plan)),
			...twice.map(async (site) => await read(site.siteId, site)),
		]);
		run.end = clock.now();
		sites.stop();
		await clock.sleep(10);
		run.kept = pending;
		return run;
	}
}

export const play = async (plan: Plan): Promise<Outcome> => await new Play(plan).play();
