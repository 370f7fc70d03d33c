import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GoogleSheets } from './fakes/google-sheets';
import { fakeHosts } from './fakes/hosts';
import { OpenAi } from './fakes/openai';
import { Slack } from './fakes/slack';
import type { CredentialReference, NewWorkflow } from './n8n';
import { type Stage, useN8n } from './use-n8n';
import { ROOT } from './workspace';

const FOLDER = join(ROOT, 'examples');

/** The names of the workflows in examples/. */
export const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

export const readFile = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** The tools that the examples give to a model, by the names that it sees. */
export const TOOLS = {
	sites: 'Get_many_sites_in_Aquaculture_Site',
	site: 'Get_site_in_Aquaculture_Site',
	units: 'Get_units_of_sites_in_Aquaculture_Site',
};

/** The other services of the examples, and an n8n that reaches them. */
export class Examples {
	readonly slack = new Slack();

	readonly sheets = new GoogleSheets('THE-ADDRESS-OF-YOUR-SPREADSHEET', 'Units');

	readonly openAi = new OpenAi([
		{ name: TOOLS.sites, arguments: {} },
		{ name: TOOLS.units, arguments: { Site_IDs: '1042' } },
	]);

	/** Sample data. */
	readonly mcpToken = 'sample-token';

	/** The examples that were read. */
	readonly seen = new Set<string>();

	/** By the type of node. */
	private readonly credentials: Record<string, Record<string, CredentialReference>> = {};

	readonly hosts = {
		'api.openai.com': this.openAi.host,
		'slack.com': this.slack.host,
		'sheets.googleapis.com': this.sheets.host,
	};

	async createCredentials({ n8n, credential }: Stage): Promise<void> {
		const site = { aquacultureApi: credential };
		for (const type of ['aquacultureSite', 'aquacultureSiteTool', 'aquacultureSiteTrigger']) {
			this.credentials[`n8n-nodes-aquaculture.${type}`] = site;
		}
		this.credentials['n8n-nodes-base.httpRequest'] = site;
		const oauthTokenData = { access_token: this.sheets.accessToken, token_type: 'Bearer' };
		const google = { clientId: 'sample', clientSecret: 'sample', oauthTokenData };
		for (const [node, type, data] of [
			['n8n-nodes-base.slack', 'slackApi', { accessToken: this.slack.accessToken }],
			['n8n-nodes-base.googleSheets', 'googleSheetsOAuth2Api', google],
			['@n8n/n8n-nodes-langchain.lmChatOpenAi', 'openAiApi', { apiKey: this.openAi.apiKey }],
			['@n8n/n8n-nodes-langchain.mcpTrigger', 'httpBearerAuth', { token: this.mcpToken }],
		] as const) {
			this.credentials[node] = { [type]: await n8n.createCredential(type, data, type) };
		}
	}

	/** An example in which the credentials have been selected. */
	read(file: string): NewWorkflow {
		this.seen.add(file);
		const example = JSON.parse(readFile(file)) as NewWorkflow;
		for (const node of example.nodes) {
			// A name that this n8n does not know would keep it from selecting the one that fits
			expect(node.credentials).toBeUndefined();
			Object.assign(node, { credentials: this.credentials[node.type] });
		}
		return example;
	}
}

/** Starts an n8n that reaches fakes of the services in the examples. */
export function useExamples(): Stage & { examples: Examples } {
	const examples = new Examples();
	const stage = useN8n('examples', {
		n8n: async (cleanup) => ({ env: await fakeHosts(cleanup, 'examples', examples.hosts) }),
	});
	beforeAll(async () => {
		await examples.createCredentials(stage);
	});
	return Object.assign(stage, { examples });
}
