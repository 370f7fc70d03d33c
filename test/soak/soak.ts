import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import { installN8n } from '../e2e/install';
import { N8nInstance } from '../e2e/n8n';
import { runMain, say } from '../e2e/open';
import { keep } from '../e2e/prepared';
import { findSecrets, secretsOf } from '../e2e/secrets';
import { packTarball } from '../e2e/tarball';
import { until } from '../helpers/until';
import { chain, node, siteNode, siteTrigger } from '../e2e/workflows';
import { ROOT, SetupError } from '../e2e/workspace';
import type { Fault } from '../fake-service/faults';
import { type Service, startService } from '../fake-service/service';
import { manySites } from '../fake-service/sites';
import { Changes, pick, type Random, randomFrom } from './changes';

const USAGE = `Keeps a real n8n busy with the package while all around it goes wrong, and counts what came out.

  npm run test:soak -- --minutes 10       for so long (default 10)
  npm run test:soak -- --seed 42          with the faults and changes of an earlier run
  npm run test:soak -- --write            and write the result into docs/reliability.md
`;

const INTRODUCTION = `\`npm run test:soak -- --minutes 10\` keeps a real n8n with the packed package busy ([test/soak](../test/soak)). One workflow
reads up to 20 sites a run, two runs side by side; another starts with the trigger, which looks at 12 sites every two
seconds. Meanwhile requests for sites and logins are refused (429, 500, 503), reset, cut or slow, more of them in storms
of some seconds; tokens expire; units are moved, renamed, added, removed and put into another order, sites are renamed;
and n8n is killed (SIGKILL) and started again. What the trigger tells is compared with the list of the changes, word by
word. A change is «around a kill» when it was told less than five seconds before it, or made less than thirty before it
and not told yet: n8n writes down what the trigger has seen and starts the workflow right afterwards, so a kill within
these milliseconds loses what that one poll had found.`;

const SITES = 12;
const NOT_THERE = 4999;
const NOT_FOUND = new RegExp(`Site ${NOT_THERE} was not found`);
const WEBHOOK = 'soak';
const READERS = 2;
const PROGRESS_EVERY = 10_000;
const LOOK_EVERY = 1000;

/** So long after a start n8n may not know its webhooks yet, in milliseconds. */
const STARTING = 30_000;

/**
 * How much more memory the last third of n8n's longest life may take than the first one. Loose, because n8n lets its
 * memory grow for minutes before it gives a third of it back.
 */
const MEMORY_BOUND = 1.5;

/** What may be told when the service or the network fails as it does here. */
const SENTENCES = [
	/The service is receiving too many requests/,
	/The service asks to wait \d+ seconds?/,
	/The service is not able to answer at the moment \(status 50[03]\)/,
	/The connection to the service broke off/,
	/The service did not answer in time/,
	/The service does not accept its own access token: .*/,
];

/** Whether a text is one of the sentences and nothing more. */
const isOneOf = (sentences: RegExp[], text: string) =>
	sentences.some(({ source }) => new RegExp(`^${source}$`).test(text));

/** A fault and how likely a request meets it: in quiet times, and while a storm lasts. */
type Weather = [name: string, quiet: number, storm: number, fault: (random: Random) => Fault];

const SITE_WEATHER: Weather[] = [
	['429 at once', 0.02, 0.15, () => ({ status: 429, retryAfter: 0 })],
	['429 in a second', 0.01, 0.1, () => ({ status: 429, retryAfter: 1 })],
	['500', 0.01, 0.05, () => ({ status: 500 })],
	['503', 0.02, 0.3, () => ({ status: 503 })],
	['reset', 0.02, 0.15, () => ({ connection: 'reset' })],
	['cut', 0.02, 0.1, () => ({ connection: 'cut' })],
	['slow', 0.05, 0.1, (random) => ({ latencyMs: () => random() * 2000 })],
];

// No cut: a login is counted when it is answered, and nobody could tell one that was lost from one too many.
const TOKEN_WEATHER: Weather[] = [
	['login 429', 0.05, 0.2, () => ({ status: 429, retryAfter: 0 })],
	['login 503', 0.05, 0.2, () => ({ status: 503 })],
	['login reset', 0.05, 0.2, () => ({ connection: 'reset' })],
	['login slow', 0.1, 0.1, (random) => ({ latencyMs: () => random() * 1000 })],
];

interface Settings {
	minutes: number;
	seed: number;
	write: boolean;
}

/** An execution in n8n's list. */
interface Recorded {
	id: string;
	status: string;
}

interface Check {
	what: string;
	passed: boolean;
	seen: string;
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
const megabytes = (kilobytes: number) => `${Math.round(kilobytes / 1024)} MB`;
const median = (numbers: number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** What a process holds in memory (RSS), in kilobytes. */
async function memoryOf(pid: number): Promise<number> {
	const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
	return Number(stdout);
}

/** All that goes on side by side while the soak lasts, and what was seen of it. */
class Soak {
	/** Ends everything that goes on. */
	readonly stop = new AbortController();

	readonly changes: Changes;

	readonly faultsMet = new Map<string, number>();

	/** Runs of the reading workflow by how they ended. */
	readonly runs = { answered: 0, interrupted: 0, notAccepted: 0 };

	/** Items of the answered runs. */
	readonly items = { site: 0, sentence: 0 };

	/** What should not have been: each a line for the person who looks for its cause. */
	readonly wrong = { runs: [] as string[], polls: [] as string[] };

	/** Polls that n8n recorded as failed, and executions of the trigger that a kill interrupted. */
	readonly polls = { failed: 0, interrupted: 0 };

	expiries = 0;

	kills = 0;

	/** Kilobytes of n8n's process, one list for each of its lives. */
	readonly memory: number[][] = [[]];

	private up = true;

	/** Milliseconds since 1970. */
	private upSince = Date.now();

	private storm = false;

	private readonly executionsRead = new Set<string>();

	constructor(
		private readonly settings: Settings,
		private readonly service: Service,
		private readonly n8n: N8nInstance,
		private readonly workflows: { reader: string; trigger: string },
	) {
		this.changes = new Changes(service, this.random('changes'));
	}

	/** All of it for the time that was asked for, and then until the trigger has told what is left. */
	async run(): Promise<void> {
		const time = this.settings.minutes * 60_000;
		this.switchFaultsOn();
		const { signal } = this.stop;
		const all = Promise.all([
			...Array.from({ length: READERS }, (_, index) =>
				this.repeat(`reader ${index}`, [0, 1000], (random) => this.read(random)),
			),
			this.repeat('changing', [200, 1800], async () => this.changes.make()),
			this.repeat('expiring', [5000, 15_000], async () => this.expireTokens()),
			this.repeat('weather', [2000, 8000], async (random) => {
				this.storm = random() < 0.3;
			}),
			this.repeat('looking', [LOOK_EVERY, LOOK_EVERY], () => this.look()),
			this.repeat('progress', [PROGRESS_EVERY, PROGRESS_EVERY], async () => this.tellProgress()),
			this.killNowAndThen(time),
		]);
		const over = setTimeout(time, undefined, { signal, ref: false }).catch(() => undefined);
		await Promise.race([all, over]);
		this.stop.abort();
		await all;

		say('The time is over. Waiting for what the trigger has still to tell.');
		this.service.faults.site = this.service.faults.token = [];
		await until('all changes are told', async () => {
			await this.look();
			return this.changes.untold.every(({ aroundKill }) => aroundKill);
		}).catch((error: Error) => say(error.message));
		await this.twoPollsLater();
		await this.look();
	}

	/** The newest 100 executions of a workflow with their state, or all of them. */
	async executions(workflowId: string, which: 'newest' | 'all'): Promise<Recorded[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const found: Recorded[] = [];
		let cursor = '';
		for (;;) {
			const { results, nextCursor } = await this.n8n.rest<{
				results: Recorded[];
				nextCursor?: string | null;
			}>('GET', `/executions?limit=100&filter=${filter}${cursor}`);
			found.push(...results);
			if (which === 'newest' || !nextCursor) return found;
			cursor = `&cursor=${nextCursor}`;
		}
	}

	async checks(): Promise<Check[]> {
		const { runs, items, wrong, polls, changes, service, kills, expiries } = this;
		const statuses = (await this.executions(this.workflows.reader, 'all')).map(
			({ status }) => status,
		);
		const ended = (...of: string[]) => statuses.filter((status) => of.includes(status)).length;
		const recorded = ended('success');
		const broken = ended('crashed', 'error', 'canceled');

		const told = changes.made.filter((change) => change.told === 1).length;
		const lost = changes.untold;
		const twice = changes.made.filter((change) => change.told > 1);
		const around = (list: typeof lost) => list.filter(({ aroundKill }) => aroundKill).length;

		for (const change of [...lost, ...twice]) {
			const madeAt = new Date(change.madeAt).toISOString();
			say(`Told ${change.told} times: ${change.text}, made at ${madeAt}`);
		}

		const longest = [...this.memory].sort((a, b) => b.length - a.length)[0]!;
		const warm = longest.slice(Math.floor(longest.length / 4));
		const third = Math.floor(warm.length / 3);
		const first = median(warm.slice(0, third));
		const last = median(warm.slice(-third));

		const secrets = await findSecrets(this.n8n, secretsOf(service));
		const names = [...SITE_WEATHER, ...TOKEN_WEATHER].map(([name]) => name);
		const met = names.filter((name) => this.faultsMet.has(name));
		const faults = [...this.faultsMet.values()].reduce((sum, times) => sum + times, 0);
		const metSiteFaults = SITE_WEATHER.every(([name]) => this.faultsMet.has(name));
		return [
			{
				what: 'The run met faults at sites of every kind, a kill, expiries and changes',
				passed: metSiteFaults && kills > 0 && expiries > 0 && told > 0 && items.sentence > 0,
				seen: `${count(faults, 'fault')} of ${met.length} kinds (there are ${names.length}), ${count(kills, 'kill')}`,
			},
			{
				what: 'Each input item came out as its site or as a sentence',
				passed: wrong.runs.length === 0 && runs.answered > 0,
				seen: [
					`${count(runs.answered, 'run')}, ${count(items.site, 'site')}, ${count(items.sentence, 'sentence')}`,
					...wrong.runs.slice(0, 3),
				].join('; '),
			},
			{
				what: 'Each run that was started stands in the record of n8n, none as running',
				passed:
					recorded + broken === statuses.length &&
					recorded >= runs.answered &&
					statuses.length <= runs.answered + runs.interrupted,
				seen: `${recorded} succeeded, ${broken} broken off; ${runs.interrupted} unanswered at a kill; ${runs.notAccepted} refused by n8n while it started`,
			},
			{
				what: 'Each change was told exactly once; only one around a kill may be lost or told twice',
				passed: lost.length === around(lost) && twice.length === around(twice),
				seen: [
					`${told} of ${changes.made.length} once`,
					`around a kill: ${around(lost)} lost, ${around(twice)} twice, ${count(polls.interrupted, 'execution')} broken off`,
					`otherwise: ${lost.length - around(lost)} lost, ${twice.length - around(twice)} twice`,
				].join('; '),
			},
			{
				what: 'Nothing was told that had not changed',
				passed: changes.invented.length === 0,
				seen: [String(changes.invented.length), ...changes.invented.slice(0, 3)].join('; '),
			},
			{
				what: 'Each poll that failed said why in a sentence',
				passed: wrong.polls.length === 0,
				seen: [count(polls.failed, 'failed poll'), ...wrong.polls.slice(0, 3)].join('; '),
			},
			{
				what: 'No more logins than starts of n8n and expiries of the token',
				passed: service.counts.logins <= kills + 1 + expiries && service.counts.refusedLogins === 0,
				seen: `${count(service.counts.logins, 'login')}; ${count(kills + 1, 'start')}, ${count(expiries, 'expired token')}`,
			},
			{
				what: `The memory of n8n stayed flat (last third at most ${MEMORY_BOUND} times the first)`,
				passed: third > 0 && last <= first * MEMORY_BOUND,
				seen: `${megabytes(first)}, then ${megabytes(last)} (${count(warm.length, 'sample')} after warm-up)`,
			},
			{
				what: 'No password and no token in the log, the files, the database and the answers of n8n',
				passed: secrets.length === 0,
				seen: [
					`${count(secrets.length, 'finding')} of ${count(service.issuedTokens.length, 'token')}`,
					...secrets.slice(0, 3).map(({ place, secret }) => `${secret} in ${place}`),
				].join('; '),
			},
		];
	}

	private random(name: string): Random {
		return randomFrom(this.settings.seed, name);
	}

	/** Works until the time is over, with random pauses in between, in milliseconds. */
	private async repeat(
		name: string,
		[shortest, longest]: [number, number],
		work: (random: Random) => Promise<void>,
	): Promise<void> {
		const random = this.random(name);
		const { signal } = this.stop;
		while (!signal.aborted) {
			const pause = shortest + random() * (longest - shortest);
			await setTimeout(pause, undefined, { signal }).catch(() => undefined);
			if (!signal.aborted) await work(random);
		}
	}

	private switchFaultsOn(): void {
		const on = (weather: Weather[]) =>
			weather.map(([name, quiet, storm, fault]): Fault => {
				const random = this.random(name);
				return {
					...fault(random),
					when: () => {
						const meets = random() < (this.storm ? storm : quiet);
						if (meets) this.faultsMet.set(name, (this.faultsMet.get(name) ?? 0) + 1);
						return meets;
					},
				};
			});
		this.service.faults.site = on(SITE_WEATHER);
		this.service.faults.token = on(TOKEN_WEATHER);
	}

	private expireTokens(): void {
		this.service.expireTokens();
		this.expiries += 1;
	}

	/** One run of the reading workflow. */
	private async read(random: Random): Promise<void> {
		if (!this.up) return;
		const siteIds = Array.from({ length: 1 + Math.floor(random() * 20) }, () =>
			random() < 0.02 ? NOT_THERE : pick(this.service.sites, random).siteId,
		);
		const { kills } = this;
		const moment = this.changes.now;
		let response: Response;
		let answer: unknown;
		try {
			response = await fetch(`${this.n8n.baseUrl}/webhook/${WEBHOOK}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ siteIds }),
				signal: AbortSignal.timeout(120_000),
			});
			answer = await response.json();
		} catch (error) {
			if (this.kills > kills) this.runs.interrupted += 1;
			else this.wrong.runs.push(`A run was not answered: ${String(error)}`);
			return;
		}
		if ([404, 503].includes(response.status) && Date.now() < this.upSince + STARTING) {
			this.runs.notAccepted += 1;
			return;
		}
		this.runs.answered += 1;
		const items = Array.isArray(answer) ? (answer as IDataObject[]) : [];
		if (response.status !== 200 || items.length !== siteIds.length) {
			this.wrong.runs.push(`${response.status}: ${JSON.stringify(answer).slice(0, 300)}`);
			return;
		}
		items.forEach((item, index) => this.judge(item, siteIds, index, moment));
	}

	private judge(item: IDataObject, siteIds: number[], index: number, moment: Map<number, number>) {
		const siteId = siteIds[index]!;
		const isSite =
			siteId !== NOT_THERE &&
			this.changes.statesSince(siteId, moment).some((state) => isDeepStrictEqual(item, state));
		const sentences = siteId === NOT_THERE ? [NOT_FOUND, ...SENTENCES] : SENTENCES;
		const [text, place] = String(item['error']).split(/ (?=\[item \d+\]$)/);
		// n8n names no item where there is one only.
		const named = siteIds.length > 1 ? `[item ${index}]` : undefined;
		if (isSite) this.items.site += 1;
		else if (isOneOf(sentences, text!) && place === named) {
			this.items.sentence += 1;
		} else {
			this.wrong.runs.push(`Site ${siteId}, item ${index}: ${JSON.stringify(item).slice(0, 300)}`);
		}
	}

	/** Takes in what the trigger has told since the last look, and how much memory n8n has. */
	private async look(): Promise<void> {
		if (!this.up) return;
		const { kills } = this;
		try {
			const memory = await memoryOf(await this.n8n.pid);
			if (!this.stop.signal.aborted) this.memory.at(-1)!.push(memory);
			for (const { id, status } of await this.executions(this.workflows.trigger, 'newest')) {
				if (!this.executionsRead.has(id)) await this.readExecution(id, status);
			}
		} catch (error) {
			if (this.kills === kills) throw error;
		}
	}

	private async readExecution(id: string, status: string): Promise<void> {
		if (status === 'crashed') this.polls.interrupted += 1;
		else if (['success', 'error'].includes(status)) {
			const execution = await this.n8n.waitForExecution(id);
			for (const event of execution.json('Told')) this.changes.tell(event);
			if (execution.failure) {
				this.polls.failed += 1;
				const { message } = execution.failure;
				if (!isOneOf(SENTENCES, message)) this.wrong.polls.push(message);
			}
		} else return;
		this.executionsRead.add(id);
	}

	/** Kills come early, so that the longest life of n8n is long enough to see its memory grow. */
	private async killNowAndThen(time: number): Promise<void> {
		const { signal } = this.stop;
		const kills = Math.max(1, Math.round(this.settings.minutes / 4));
		const begin = Date.now();
		for (let index = 1; index <= kills; index++) {
			const at = begin + (time * 0.5 * index) / (kills + 1);
			await setTimeout(Math.max(0, at - Date.now()), undefined, { signal }).catch(() => undefined);
			if (signal.aborted) return;
			say('Killing n8n, and starting it again.');
			this.kills += 1;
			this.up = false;
			await this.n8n.kill();
			this.changes.noteKill();
			await this.n8n.start();
			this.memory.push([]);
			this.up = true;
			this.upSince = Date.now();
		}
	}

	private async twoPollsLater(): Promise<void> {
		const from = Date.now();
		await until('n8n has polled twice', () =>
			this.service.sites.every(
				({ siteId }) =>
					this.service.requests.filter(
						(request) => request.at >= from && request.siteId === siteId && request.status,
					).length >= 2,
			),
		);
	}

	private tellProgress(): void {
		const { made, untold, invented } = this.changes;
		say(
			[
				this.up ? 'n8n is up' : 'n8n is starting',
				count(this.runs.answered, 'run'),
				`${this.items.site} sites + ${count(this.items.sentence, 'sentence')}`,
				`${made.length - untold.length} of ${count(made.length, 'change')} told`,
				`${count(this.service.counts.logins, 'login')} for ${count(this.expiries, 'expired token')}`,
				megabytes(this.memory.at(-1)!.at(-1) ?? 0),
				`${this.wrong.runs.length + this.wrong.polls.length + invented.length} wrong`,
			].join(', '),
		);
	}
}

async function workflowsOn(n8n: N8nInstance, service: Service) {
	const credential = await n8n.createCredential('Sea farm', {
		baseUrl: service.baseUrl,
		...service.login,
	});
	const reader = chain(
		'Read Sites',
		node(
			'Webhook',
			'n8n-nodes-base.webhook',
			2,
			{
				httpMethod: 'POST',
				path: WEBHOOK,
				responseMode: 'lastNode',
				responseData: 'allEntries',
				options: {},
			},
			{ webhookId: WEBHOOK },
		),
		node('Items', 'n8n-nodes-base.splitOut', 1, {
			fieldToSplitOut: 'body.siteIds',
			options: { destinationFieldName: 'siteId' },
		}),
		siteNode(
			'Read',
			credential,
			{ operation: 'get', siteId: '={{ $json.siteId }}' },
			{ onError: 'continueRegularOutput' },
		),
	);
	const trigger = chain(
		'Tell Changes',
		siteTrigger('Changes', credential, {
			siteIds: service.sites.map(({ siteId }) => siteId).join(', '),
		}),
		node('Told', 'n8n-nodes-base.noOp', 1, {}),
	);
	const [{ id: readerId }, { id: triggerId }] = [
		await n8n.createWorkflow(reader),
		await n8n.createWorkflow(trigger),
	];
	// The trigger's first poll is silent, so it has to be over before anything changes.
	await n8n.activate(readerId);
	await n8n.activate(triggerId);
	return { reader: readerId, trigger: triggerId };
}

function asTable(checks: Check[]): string {
	const rows = [
		['Check', '', 'Seen'],
		...checks.map(({ what, passed, seen }) => [what, passed ? 'passed' : 'FAILED', seen]),
	];
	const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
	const [head, ...body] = rows;
	return [head!, widths.map((width) => '-'.repeat(width)).concat('----'), ...body]
		.map(line)
		.join('\n');
}

/** Puts the text under the heading «Soak» of docs/reliability.md, in place of what is there. */
function document(text: string): void {
	const file = join(ROOT, 'docs/reliability.md');
	const [before, rest = ''] = readFileSync(file, 'utf8').split(/^## Soak\n/m);
	const next = /^## /m.exec(rest);
	const after = next ? `\n${rest.slice(next.index)}` : '';
	writeFileSync(file, `${before!.trimEnd()}\n\n## Soak\n\n${text}\n${after}`);
}

function parseSettings(): Settings | undefined {
	const { values } = parseArgs({
		options: {
			minutes: { type: 'string', default: '10' },
			seed: { type: 'string', default: String(Date.now() % 1_000_000) },
			write: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const minutes = Number(values.minutes);
	const seed = Number(values.seed);
	if (!(minutes >= 1)) throw new SetupError(`--minutes takes 1 or more, not '${values.minutes}'.`);
	if (!Number.isInteger(seed))
		throw new SetupError(`--seed takes a whole number, not '${values.seed}'.`);
	return { minutes, seed, write: values.write };
}

async function main(): Promise<void> {
	const settings = parseSettings();
	if (!settings) return console.log(USAGE);
	const command = `npm run test:soak -- --minutes ${settings.minutes} --seed ${settings.seed}`;
	say(`${command} (the seed repeats the choices, not the moments)`);

	const install = await installN8n('2', say);
	const tarball = await packTarball(say);
	keep({ install, tarball });
	const service = await startService({ sites: manySites(SITES) });
	try {
		const n8n = await N8nInstance.create({
			install,
			tarball,
			name: 'soak',
			env: { N8N_LOG_LEVEL: 'debug' },
		});
		try {
			say(`Starting n8n ${install.version}.`);
			await n8n.start();
			await n8n.login();
			const soak = new Soak(settings, service, n8n, await workflowsOn(n8n, service));
			try {
				await soak.run();
			} finally {
				soak.stop.abort();
			}
			const checks = await soak.checks();
			const table = asTable(checks);
			console.log(`\n${table}\n`);
			if (settings.write) {
				const date = new Date().toISOString().slice(0, 10);
				document(
					`${INTRODUCTION}\n\nLast result: \`${command}\` on ${date}, with n8n ${install.version}.\n\n${table}`,
				);
			}
			const failed = checks.filter(({ passed }) => !passed).length;
			if (failed > 0) process.exitCode = 1;
			console.log(`${checks.length - failed} passed, ${failed} failed`);
		} finally {
			await n8n.dispose();
		}
	} finally {
		await service.close();
	}
}

runMain(main);
