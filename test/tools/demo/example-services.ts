import type { Cleanup } from '../helpers/cleanup';
import { fakeHosts } from '../n8n/hosts';
import type { CredentialReference, N8nInstance } from '../n8n/n8n';
import { GoogleSheets } from './fakes/google-sheets';
import { OpenAi } from './fakes/openai';
import { Slack } from './fakes/slack';

/** The tools that the examples give to a model, by the names that it sees. */
export const TOOLS = {
	sites: 'Get_many_sites_in_Aquaculture_Site',
	site: 'Get_site_in_Aquaculture_Site',
	units: 'Get_units_of_sites_in_Aquaculture_Site',
};

/** Credentials by the type of the node that they are for, and by their own type. */
export type NodeCredentials = Record<string, Record<string, CredentialReference>>;

/** What the examples need besides the aquaculture service, played on this machine. */
export class ExampleServices {
	readonly slack = new Slack();

	readonly sheets = new GoogleSheets();

	readonly openAi = new OpenAi([
		{ name: TOOLS.sites, arguments: {} },
		{ name: TOOLS.units, arguments: { Site_IDs: '1042' } },
	]);

	/** Sample data. */
	readonly mcpToken = 'sample-token';

	/**
	 * Starts the fakes, which the cleanup ends.
	 * @param name of the file that holds their certificate
	 * @returns environment variables with which n8n reaches them, and nothing else by HTTPS
	 */
	async start(cleanup: Cleanup, name: string): Promise<Record<string, string>> {
		return await fakeHosts(cleanup, name, {
			'api.openai.com': this.openAi.host,
			'slack.com': this.slack.host,
			'sheets.googleapis.com': this.sheets.host,
		});
	}

	/**
	 * Saves a credential for each of them.
	 * @param site the credential for the aquaculture service
	 */
	async saveCredentials(n8n: N8nInstance, site: CredentialReference): Promise<NodeCredentials> {
		const aquacultureApi = { aquacultureApi: site };
		const credentials: NodeCredentials = {
			'n8n-nodes-aquaculture.aquacultureSite': aquacultureApi,
			'n8n-nodes-aquaculture.aquacultureSiteTool': aquacultureApi,
			'n8n-nodes-aquaculture.aquacultureSiteTrigger': aquacultureApi,
			'n8n-nodes-base.httpRequest': aquacultureApi,
		};
		const oauthTokenData = { access_token: this.sheets.accessToken, token_type: 'Bearer' };
		const google = { clientId: 'sample', clientSecret: 'sample', oauthTokenData };
		const { slack, openAi, mcpToken } = this;
		for (const [nodeType, type, name, data] of [
			['n8n-nodes-base.slack', 'slackApi', 'Slack', { accessToken: slack.accessToken }],
			['n8n-nodes-base.googleSheets', 'googleSheetsOAuth2Api', 'Google Sheets', google],
			['@n8n/n8n-nodes-langchain.lmChatOpenAi', 'openAiApi', 'OpenAI', { apiKey: openAi.apiKey }],
			['@n8n/n8n-nodes-langchain.mcpTrigger', 'httpBearerAuth', 'MCP clients', { token: mcpToken }],
		] as const) {
			credentials[nodeType] = { [type]: await n8n.createCredential(name, data, type) };
		}
		return credentials;
	}
}
