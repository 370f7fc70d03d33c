/**
 * The lower limit: reads the site ID of each item and requests the site through n8n's request helper, so many at once,
 * with a token that it is given. No login, no retries, no pairing, no shared requests.
 */
class BareHelper {
	description = {
		displayName: 'Bare Helper',
		name: 'bareHelper',
		group: ['input'],
		version: 1,
		description: 'A pool of requests and nothing else',
		defaults: { name: 'Bare Helper' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [
			{ displayName: 'Base URL', name: 'baseUrl', type: 'string', default: '' },
			{ displayName: 'Token', name: 'token', type: 'string', default: '' },
			{ displayName: 'Concurrency', name: 'concurrency', type: 'number', default: 1 },
			{ displayName: 'Site ID', name: 'siteId', type: 'string', default: '' },
		],
	};

	async execute() {
		const items = this.getInputData();
		const baseUrl = this.getNodeParameter('baseUrl', 0);
		const token = this.getNodeParameter('token', 0);
		const concurrency = this.getNodeParameter('concurrency', 0);
		const siteIds = items.map((_, index) => this.getNodeParameter('siteId', index));
		const results = [];
		let next = 0;
		const work = async () => {
			while (next < items.length) {
				const index = next++;
				const json = await this.helpers.httpRequest({
					url: `${baseUrl}/meta/sites/${siteIds[index]}?$include=info,units`,
					headers: { 'Api-Version': '2025-01-01', Authorization: `Bearer ${token}` },
					json: true,
					// Following redirects costs n8n time, also where there are none
					disableFollowRedirect: true,
				});
				results[index] = { json };
			}
		};
		await Promise.all(Array.from({ length: concurrency }, work));
		return [results];
	}
}

module.exports = { BareHelper };
