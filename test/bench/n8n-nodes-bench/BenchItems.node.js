/** Gives out as many items as the webhook's body asks for, over as many sites. */
class BenchItems {
	description = {
		displayName: 'Bench Items',
		name: 'benchItems',
		group: ['transform'],
		version: 1,
		description: 'Items with the site IDs to read',
		defaults: { name: 'Items' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute() {
		const { items, sites, firstSite } = this.getInputData()[0].json.body;
		const siteIds = Array.from({ length: items }, (_, index) => firstSite + (index % sites));
		return [siteIds.map((siteId) => ({ json: { siteId }, pairedItem: { item: 0 } }))];
	}
}

module.exports = { BenchItems };
