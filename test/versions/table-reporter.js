const Table = require('cli-table3');

/** Prints what was checked against the versions it was checked on. Plain JavaScript, because Jest loads it as it is. */
module.exports = class TableReporter {
	onRunComplete(_contexts, { testResults }) {
		const results = testResults.flatMap((file) => file.testResults);
		const columns = [...new Set(results.map(({ ancestorTitles }) => ancestorTitles[0]))];
		const checks = [...new Set(results.map(({ title }) => title))];
		const table = new Table({ head: ['', ...columns], style: { head: [], border: [] } });
		for (const check of checks) {
			const outcome = (column) =>
				results.find(({ title, ancestorTitles }) => title === check && ancestorTitles[0] === column)
					?.status ?? 'not run';
			table.push([check, ...columns.map(outcome)]);
		}
		console.log(table.toString());
	}
};
