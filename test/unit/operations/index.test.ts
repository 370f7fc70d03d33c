import { parseTask, siteFields } from '../../../nodes/AquacultureSite/operations';
import { parseRequestOptions } from '../../../nodes/AquacultureSite/operations/operation';
import { given } from '../../tools/helpers/operation';
import { fieldsOf, OPERATIONS } from '../../tools/helpers/panel';
import { refusalOf } from '../../tools/helpers/refusal';

test('every field of the node is what saved workflows depend on', () => {
	expect(fieldsOf(siteFields)).toMatchSnapshot();
});

test('there is no operation but those of the list, exactly as n8n stores them', () => {
	const taskOf = (operation: unknown) => parseTask(given({ operation, siteIds: 7, siteId: 7 }));
	expect(taskOf('getUnits')).toMatchObject({ siteIds: ['7'] });
	for (const other of ['Get', 'delete', '', null, undefined]) {
		const { message } = refusalOf(() => taskOf(other));
		const names = OPERATIONS.map(({ name }) => name).join(', ');
		expect(message).toContain(`'Operation' must be one of ${names}, not `);
	}
	expect(() => parseTask(given({ resource: 'pen', siteId: 7 }))).toThrow(
		`'Resource' must be one of Site, not "pen"`,
	);
});

describe('the options that shape the requests', () => {
	const [apiVersion, maxConcurrency, maxRetries, timeout] = ['2025-01-01', 128, 3, 30_000];
	const defaults = { apiVersion, maxConcurrency, maxRetries, timeout };

	test('have the defaults that the panel shows, and may be texts, as expressions give them', () => {
		expect(parseRequestOptions(given({ fullResponse: true }))).toEqual(defaults);
		const texts = { apiVersion: ' 2023-01-01', maxConcurrency: '8', maxRetries: ' 0 ' };
		const numbers = { apiVersion: '2023-01-01', maxConcurrency: 8, maxRetries: 0 };
		expect(parseRequestOptions(given(texts))).toEqual({ ...defaults, ...numbers });
	});

	test.each([
		['maxConcurrency', 'Max Concurrency', 1, 500],
		['maxRetries', 'Max Retries', 0, 10],
		['timeout', 'Timeout', 1, 3_600_000],
	])('%s is a whole number within its limits', (name, displayName, from, to) => {
		for (const good of [from, to]) {
			expect(parseRequestOptions(given({ [name]: good }))).toEqual({ ...defaults, [name]: good });
		}
		const wrong = [from - 1, to + 1, 1.5, NaN, Infinity, '', ' ', 'x', null, true, [1], {}];
		for (const value of wrong) {
			const { message } = refusalOf(() => parseRequestOptions(given({ [name]: value })));
			expect(message).toContain(
				`'${displayName}' must be a whole number from ${from} to ${to}, not `,
			);
		}
	});
});
