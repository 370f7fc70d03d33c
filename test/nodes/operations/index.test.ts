import {
	findOperation,
	parseRequestOptions,
	siteFields,
} from '../../../nodes/AquacultureSite/operations';
import { withoutTexts } from '../../helpers/panel';
import { refusalOf } from '../../helpers/refusal';

test('every field of the node is what saved workflows depend on', () => {
	const getAndGetMany = { show: { operation: ['get', 'getAll'] } };
	expect(siteFields.map(withoutTexts)).toEqual([
		{
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			default: 'get',
			options: ['get', 'getAll', 'getUnits', 'getGeoJson'],
		},
		{
			name: 'siteId',
			type: 'string',
			required: true,
			default: '',
			displayOptions: { show: { operation: ['get'] } },
		},
		{
			name: 'siteIds',
			type: 'string',
			required: true,
			default: '',
			displayOptions: { show: { operation: ['getAll', 'getUnits', 'getGeoJson'] } },
		},
		{
			name: 'include',
			type: 'multiOptions',
			default: ['info', 'units'],
			options: ['info', 'units'],
			displayOptions: getAndGetMany,
		},
		{
			name: 'includeNothingNotice',
			type: 'notice',
			default: '',
			displayOptions: { ...getAndGetMany, hide: { include: ['info', 'units'] } },
		},
		{
			name: 'output',
			type: 'options',
			default: 'raw',
			options: ['raw', 'simplified'],
			displayOptions: getAndGetMany,
		},
		{
			name: 'format',
			type: 'options',
			default: 'json',
			options: ['json', 'file'],
			displayOptions: { show: { operation: ['getGeoJson'] } },
		},
		{
			name: 'binaryPropertyName',
			type: 'string',
			required: true,
			default: 'data',
			displayOptions: { show: { operation: ['getGeoJson'], format: ['file'] } },
		},
		{
			name: 'options',
			type: 'collection',
			default: {},
			options: [
				{ name: 'apiVersion', type: 'string', default: '2025-01-01' },
				{
					name: 'fullResponse',
					type: 'boolean',
					default: false,
					displayOptions: { show: { '/operation': ['get', 'getAll'] } },
				},
				{
					name: 'includeInfo',
					type: 'boolean',
					default: true,
					displayOptions: { show: { '/operation': ['getUnits'] } },
				},
				{
					name: 'maxConcurrency',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
					default: 64,
				},
				{
					name: 'maxRetries',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
					default: 3,
				},
				{
					name: 'timeout',
					type: 'number',
					typeOptions: { minValue: 1, numberPrecision: 0 },
					default: 30_000,
				},
			],
		},
	]);
});

test('there is no operation but those of the list', () => {
	expect(findOperation('getUnits').entry.name).toBe('Get Units');
	for (const other of ['Get', 'delete', '', null, undefined]) {
		const { message, description } = refusalOf(() => findOperation(other));
		expect(message).toBe("'Operation' is not valid");
		expect(description).toBe('Choose one of Get, Get Many, Get Units, Get GeoJSON.');
	}
});

describe('the options that shape the requests', () => {
	const defaults = {
		apiVersion: '2025-01-01',
		maxConcurrency: 64,
		maxRetries: 3,
		timeout: 30_000,
	};

	test('have the defaults that the panel shows', () => {
		expect(parseRequestOptions({ fullResponse: true })).toEqual(defaults);
	});

	test('may be texts, as expressions give them', () => {
		const texts = { apiVersion: ' 2023-01-01', maxConcurrency: '8', maxRetries: ' 0 ' };
		expect(parseRequestOptions(texts)).toEqual({
			...defaults,
			apiVersion: '2023-01-01',
			maxConcurrency: 8,
			maxRetries: 0,
		});
	});

	test.each([
		['maxConcurrency', 'Max Concurrency', 1, 100],
		['maxRetries', 'Max Retries', 0, 10],
		['timeout', 'Timeout', 1, 3_600_000],
	])('%s is a whole number within its limits', (name, displayName, from, to) => {
		for (const good of [from, to]) {
			expect(parseRequestOptions({ [name]: good })).toEqual({ ...defaults, [name]: good });
		}
		const wrong = [from - 1, to + 1, 1.5, NaN, Infinity, '', ' ', 'x', null, true, [1], {}];
		for (const value of wrong) {
			const { message, description } = refusalOf(() => parseRequestOptions({ [name]: value }));
			expect(message).toBe(`'${displayName}' is not a whole number from ${from} to ${to}`);
			expect(description).toBe(`Correct it, or remove '${displayName}' from 'Options'.`);
		}
	});
});
