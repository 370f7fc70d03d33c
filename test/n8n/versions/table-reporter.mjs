import { markdownTable } from 'markdown-table';

/** Prints the tests of each version of n8n side by side. Plain JavaScript, because Jest does not compile reporters. */
export default class TableReporter {
	onRunComplete(_contexts, { testResults }) {
		const results = testResults.flatMap((file) => file.testResults);
		const versions = [...new Set(results.map(({ ancestorTitles }) => ancestorTitles[0]))];
		const statusOf = (title, version) =>
			results.find((result) => result.title === title && result.ancestorTitles[0] === version);
		const rows = [...new Set(results.map(({ title }) => title))].map((title) => [
			title,
			...versions.map((version) => statusOf(title, version)?.status ?? 'not run'),
		]);
		console.log(markdownTable([['', ...versions], ...rows]));
	}
}
