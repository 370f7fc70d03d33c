/** Reads the execution time of the node before it from n8n's own record of the run, and counts the sites. */
class BenchSummary {
	description = {
		displayName: 'Bench Summary',
		name: 'benchSummary',
		group: ['transform'],
		version: 1,
		description: 'How the run went',
		defaults: { name: 'Summary' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [{ displayName: 'Caller', name: 'caller', type: 'string', default: '' }],
	};

	async execute() {
		const items = this.getInputData();
		const caller = this.getNodeParameter('caller', 0);
		const [{ executionTime }] = this.runExecutionData.resultData.runData[caller];
		const sites = items.filter(({ json }) => Array.isArray(json.units) && json.info).length;
		const json = {
			milliseconds: executionTime,
			sites,
			// Of n8n's process since its start; kilobytes
			peakMemory: process.resourceUsage().maxRSS,
		};
		return [[{ json, pairedItem: { item: 0 } }]];
	}
}

module.exports = { BenchSummary };
