import { isDeepStrictEqual } from 'node:util';
import type { Site } from '../fake-service/sites';
import { at } from '../helpers/at';
import type { CredentialReference, N8nInstance, NewWorkflow } from '../n8n/n8n';
import { callWebhook, chain, siteNode, webhook, webhookItems } from '../n8n/workflows';
import type { Changes } from './changes';
import type { Life } from './life';
import { pick, type Random } from './random';

const NOT_THERE = 4999;
const WEBHOOK = 'soak';

/** The messages for the faults of the service and the network that occur here. */
const SENTENCES = [
	/The service is receiving too many requests/,
	/The service asked to retry after \d+ seconds?/,
	/The service is unavailable \(status 50[03]\)/,
	/The connection to the service was lost/,
	/The service did not respond in time/,
	/Not requested because the service is not responding/,
];
const NOT_FOUND = new RegExp(`Site ${NOT_THERE} was not found`);

/** What the trigger says of a site, or of all, after several polls. */
const REPORTS = [
	/No site could be read in the last \d+ polls/,
	/.+ could not be read in the last \d+ polls/,
];

/** Whether a text is one of these sentences and nothing more, with a suffix (a pattern). */
const isOneOf = (sentences: RegExp[], text: string, suffix = '') =>
	sentences.some(({ source }) => new RegExp(`^${source}${suffix}$`).test(text));

/** Whether a text is a message of the trigger for a fault that occurs here. */
export const isKnownFailure = (text: string) => isOneOf([...REPORTS, ...SENTENCES], text);

/** A workflow that reads the sites that its webhook is called with. */
export function readerWorkflow(credential: CredentialReference): NewWorkflow {
	return chain(
		'Read Sites',
		webhook(WEBHOOK, 'allEntries'),
		webhookItems(),
		siteNode('Read', credential, {}, { onError: 'continueRegularOutput' }),
	);
}

/** Runs that workflow, and compares each item with its site. */
export class Reader {
	/** Runs by how they ended. */
	readonly runs = { answered: 0, interrupted: 0, rejected: 0 };

	/** Items of the answered runs. */
	readonly items = { site: 0, sentence: 0 };

	/** What should not have been: each a line for the person who looks for its cause. */
	readonly wrong: string[] = [];

	constructor(
		private readonly n8n: N8nInstance,
		private readonly life: Life,
		private readonly changes: Changes,
		private readonly sites: Site[],
	) {}

	/** One run of up to 20 sites. */
	async read(random: Random): Promise<void> {
		if (!this.life.isUp) return;
		const siteIds = Array.from({ length: 1 + Math.floor(random() * 20) }, () =>
			random() < 0.02 ? NOT_THERE : pick(this.sites, random).siteId,
		);
		const { kills } = this.life;
		const known = this.changes.states.length;
		let status: number;
		let body: unknown;
		try {
			const response = await callWebhook(this.n8n, WEBHOOK, { siteIds });
			[status, body] = [response.status, await response.json()];
		} catch (error) {
			if (this.life.kills > kills) this.runs.interrupted += 1;
			else this.wrong.push(`A run got no response: ${String(error)}`);
			return;
		}
		if ([404, 503].includes(status) && this.life.isStarting) {
			this.runs.rejected += 1;
			return;
		}
		this.runs.answered += 1;
		if (status !== 200 || !Array.isArray(body) || body.length !== siteIds.length) {
			this.wrong.push(`${status}: ${JSON.stringify(body).slice(0, 300)}`);
			return;
		}
		for (const [index, item] of (body as Array<{ error?: string }>).entries()) {
			const siteId = at(siteIds, index);
			const states = this.changes.statesSince(siteId, known);
			const sentences = siteId === NOT_THERE ? [NOT_FOUND, ...SENTENCES] : SENTENCES;
			// n8n names no item where there is only one
			const suffix = siteIds.length > 1 ? ` \\[item ${index}\\]` : '';
			if (states.some((state) => isDeepStrictEqual(item, state))) this.items.site += 1;
			else if (isOneOf(sentences, item.error ?? '', suffix)) this.items.sentence += 1;
			else this.wrong.push(`Site ${siteId}, ${index}: ${JSON.stringify(item).slice(0, 300)}`);
		}
	}
}
