/** The declarative style of n8n nodes: it describes the request, and n8n itself makes it, for all items at once. */
class Declarative {
	description = {
		displayName: 'Declarative',
		name: 'declarative',
		group: ['input'],
		version: 1,
		description: 'Get a site, described',
		defaults: { name: 'Declarative' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'aquacultureApi', required: true }],
		requestDefaults: { baseURL: '={{ $credentials.baseUrl }}' },
		properties: [
			{
				displayName: 'Site ID',
				name: 'siteId',
				type: 'string',
				default: '',
				routing: {
					request: {
						method: 'GET',
						url: '=/meta/sites/{{ $value }}',
						qs: { $include: 'info,units' },
					},
				},
			},
		],
	};
}

module.exports = { Declarative };
