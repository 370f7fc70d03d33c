import { setTimeout } from 'node:timers/promises';
import type { RecordedRequest, Service } from '../fake-service/service';
import { at } from '../helpers/at';
import { count } from '../helpers/numbers';
import { until } from '../helpers/until';
import { waitForPoll } from '../n8n/checks';
import { say } from '../n8n/cli';
import type { Execution } from '../n8n/executions';
import type { N8nInstance } from '../n8n/n8n';
import { saveCredential } from '../n8n/use-n8n';
import { reportChanges } from '../n8n/workflows';
import { Changes } from './changes';
import { Life } from './life';
import { type Random, randomFrom } from './random';
import { isKnownFailure, Reader, readerWorkflow } from './reader';
import { visitedList } from './visitors';
import { Weather } from './weather';

const READERS = 2;
const PROGRESS_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 1000;

/** No token expires sooner: the node takes a new one that is rejected for one that may not read the site. */
const SHORTEST_LIFETIME_MS = 10_000;

/** All that happens side by side during the soak, and what was seen of it. */
export class Soak {
	expiries = 0;

	/** How many times a trigger was off for a moment. */
	rests = 0;

	/** Polls that n8n recorded as failed, and executions of the trigger that a kill interrupted. */
	readonly polls = { failed: 0, interrupted: 0 };

	/** Messages of failed polls that do not belong to a fault. */
	readonly wrongPolls: string[] = [];

	readonly changes: Changes;

	readonly life: Life;

	readonly reader: Reader;

	readonly weather: Weather;

	/** The login whose token was the last to expire. */
	private expired?: RecordedRequest;

	private readonly executionsRead = new Set<string>();

	private readonly stop = new AbortController();

	private constructor(
		private readonly random: (name: string) => Random,
		readonly service: Service,
		readonly n8n: N8nInstance,
		readonly workflows: { reader: string; triggers: string[] },
	) {
		this.changes = new Changes(service.sites, random('changes'), workflows.triggers.length);
		this.life = new Life(n8n);
		this.weather = new Weather(random, service.faults);
		this.reader = new Reader(n8n, this.life, this.changes, service.sites);
	}

	/** Creates and activates the workflows. */
	static async create(seed: number, service: Service, n8n: N8nInstance): Promise<Soak> {
		const credential = await saveCredential(n8n, service);
		const siteIds = service.sites.map(({ siteId }) => siteId);
		const reader = await n8n.createWorkflow(readerWorkflow(credential));
		await n8n.activate(reader);
		const triggers: string[] = [];
		// The second one has each site twice, the other way around; in the list of the third one, some come and go
		const lists = [siteIds, [...siteIds, ...siteIds].reverse(), visitedList(siteIds)];
		for (const list of lists) {
			const trigger = await n8n.createWorkflow(reportChanges(credential, list));
			// The trigger's first poll is silent, so it must be over before anything changes.
			await n8n.activate(trigger);
			triggers.push(trigger);
		}
		return new Soak((name) => randomFrom(seed, name), service, n8n, { reader, triggers });
	}

	/** Runs for so long, and then until the triggers have reported the rest. */
	async run(minutes: number): Promise<void> {
		const readers = Array.from({ length: READERS }, (_, index) =>
			this.repeat(`reader ${index}`, [0, 1000], (random) => this.reader.read(random)),
		);
		const parts = [
			this.pause(minutes * 60_000).then(() => this.stop.abort()),
			...readers,
			this.repeat('changing', [200, 1800], () => this.changes.make()),
			this.repeat('expiring', [2000, 6000], () => this.expireToken()),
			this.repeat('weather', [2000, 8000], (random) => {
				this.weather.isStorm = random() < 0.3;
			}),
			this.repeat('looking', [LOOK_EVERY_MS, LOOK_EVERY_MS], async () => {
				await this.life.survive(() => this.life.sampleMemory());
				await this.look();
			}),
			this.repeat('progress', [PROGRESS_EVERY_MS, PROGRESS_EVERY_MS], () => this.sayProgress()),
			this.killNowAndThen(minutes),
			this.repeat('resting', [15_000, 30_000], () => this.life.survive(() => this.rest())),
		];
		try {
			await Promise.all(parts);
		} finally {
			this.stop.abort();
		}

		say('The time is over. Waiting for the remaining reports of the trigger.');
		this.service.faults.site = this.service.faults.token = [];
		await until('all changes are reported', async () => {
			await this.look();
			return this.changes.unreported.every(({ aroundKill }) => aroundKill);
		}).catch((error: unknown) => say(String(error)));
		const siteIds = this.service.sites.map(({ siteId }) => siteId);
		await waitForPoll(this.service, siteIds);
		await this.look();
	}

	/** Deactivates the second trigger for a moment. A fault or a kill may keep it off, so it is tried again. */
	private async rest(): Promise<void> {
		const trigger = at(this.workflows.triggers, 1);
		await this.n8n.deactivate(trigger);
		await this.pause(3000);
		this.rests += 1;
		const activate = () =>
			this.n8n
				.activate(trigger)
				.then(() => true)
				.catch(() => false);
		const limits = { timeoutMs: 240_000, intervalMs: 500 };
		await until('the trigger is active again', activate, limits);
	}

	/** Ends the life of the newest token, once, if it was long enough. */
	private expireToken(): void {
		const isLogin = ({ endpoint, status }: RecordedRequest) =>
			endpoint === 'token' && status === 200;
		const login = this.service.requests.filter(isLogin).at(-1);
		if (!login || login === this.expired || Date.now() - login.at < SHORTEST_LIFETIME_MS) return;
		this.service.expireTokens();
		this.expired = login;
		this.expiries += 1;
	}

	/** Reads what the trigger has started and has not been read yet. */
	private async look(): Promise<void> {
		await this.life.survive(async () => {
			for (const [trigger, workflow] of this.workflows.triggers.entries()) {
				for (const { id, status } of await this.n8n.executions(workflow, 100)) {
					if (this.executionsRead.has(id)) continue;
					if (status === 'crashed') this.polls.interrupted += 1;
					else if (status === 'success' || status === 'error') {
						this.readExecution(trigger, await this.n8n.waitForExecution(id));
					} else continue;
					this.executionsRead.add(id);
				}
			}
		});
	}

	private readExecution(trigger: number, execution: Execution): void {
		for (const event of execution.json('Reported')) this.changes.report(trigger, event);
		if (!execution.failure) return;
		this.polls.failed += 1;
		const { message } = execution.failure;
		if (!isKnownFailure(message)) this.wrongPolls.push(message);
	}

	/** Works until the time is over, with random pauses of so many milliseconds. */
	private async repeat(
		name: string,
		[shortest, longest]: [number, number],
		work: (random: Random) => unknown,
	): Promise<void> {
		const random = this.random(name);
		while (await this.pause(shortest + random() * (longest - shortest))) await work(random);
	}

	/** Waits; false when the time is over. */
	private async pause(ms: number): Promise<boolean> {
		const { signal } = this.stop;
		await setTimeout(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
		return !signal.aborted;
	}

	/** Kills come early, so that the longest life of n8n is long enough to see its memory grow. */
	private async killNowAndThen(minutes: number): Promise<void> {
		const kills = Math.max(1, Math.round(minutes / 4));
		const start = Date.now();
		for (let index = 1; index <= kills; index++) {
			const due = start + (minutes * 30_000 * index) / (kills + 1);
			if (!(await this.pause(due - Date.now()))) return;
			say('Killing n8n, and starting it again.');
			await this.life.killAndStart(() => this.changes.noteKill());
		}
	}

	private sayProgress(): void {
		const { made, unreported, invented } = this.changes;
		const { items, runs, wrong } = this.reader;
		const mistakes = wrong.length + this.wrongPolls.length + invented.length;
		say(
			`n8n is ${this.life.isUp ? 'up' : 'starting'}: ${count(runs.answered, 'run')}, ${count(items.site, 'site')}, ` +
				`${made.length - unreported.length} of ${count(made.length, 'change')} reported, ${mistakes} wrong`,
		);
	}
}
