import fc from 'fast-check';
import type { INodeProperties } from 'n8n-workflow';
import { ParameterError } from '../../../nodes/AquacultureSite/service/failures';
import {
	CURRENT_API_VERSION,
	parseApiVersion,
	parseMinimumDistance,
	parseRequestOptions,
	siteParameters,
	triggerParameters,
} from '../../../nodes/AquacultureSite/operations/parameters';

describe('the version (service.md, «Versioning»)', () => {
	test.each([
		['2025-01-01', '2025-01-01'],
		['2023-01-01', '2023-01-01'],
		[' 2031-12-31\n', '2031-12-31'],
		['2024-02-29', '2024-02-29'],
	])('%j is one', (value, version) => {
		expect(parseApiVersion(value)).toBe(version);
	});

	test('is the current one unless another is chosen', () => {
		expect(parseApiVersion(undefined)).toBe(CURRENT_API_VERSION);
		expect(CURRENT_API_VERSION).toBe('2025-01-01');
	});

	test.each<[unknown]>([
		[''],
		['latest'],
		['2025'],
		['2025-1-1'],
		['2025-02-29'],
		['2025-02-30'],
		['2025-13-01'],
		['2025-00-10'],
		['01.01.2025'],
		['2025-01-01T00:00:00Z'],
		['2025-01-01x'],
		['x2025-01-01'],
		['+002025-01-01'],
		['2025-01-01\r\nX-Header: 1'],
		['２０２５-01-01'],
		[20250101],
		[null],
		[{}],
		[['2025-01-01']],
	])('%j is none', (value) => {
		expect(() => parseApiVersion(value)).toThrow(ParameterError);
		expect(() => parseApiVersion(value)).toThrow("'API Version' is not a date");
		expect(() => parseApiVersion(value)).toThrow(
			expect.objectContaining({ description: expect.stringContaining('YYYY-MM-DD') }),
		);
	});

	test('any text is a date that can stand in a header, or refused', () => {
		const near = fc.string({ unit: fc.constantFrom(...'0123456789-T: \r\n'), maxLength: 12 });
		const date = fc
			.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
			.map((day) => day.toISOString().slice(0, 10));
		fc.assert(
			fc.property(date, (day) => {
				expect(parseApiVersion(day)).toBe(day);
			}),
		);
		fc.assert(
			fc.property(fc.oneof(near, fc.string(), fc.jsonValue()), (value) => {
				try {
					expect(parseApiVersion(value)).toMatch(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/);
				} catch (error) {
					expect(error).toBeInstanceOf(ParameterError);
				}
			}),
		);
	});
});

describe('the options that shape the requests', () => {
	const defaults = {
		apiVersion: '2025-01-01',
		maxConcurrency: 64,
		maxRetries: 3,
		timeout: 30_000,
	};

	test('have defaults', () => {
		expect(parseRequestOptions({})).toEqual(defaults);
		expect(parseRequestOptions({ fullResponse: true })).toEqual(defaults);
	});

	test('may come as text, as from an expression', () => {
		expect(
			parseRequestOptions({ maxConcurrency: '8', maxRetries: ' 0 ', timeout: '500' }),
		).toMatchObject({ maxConcurrency: 8, maxRetries: 0, timeout: 500 });
	});

	test.each([
		['maxConcurrency', 'Max Concurrency', 1, 100],
		['maxRetries', 'Max Retries', 0, 10],
		['timeout', 'Timeout', 1, 3_600_000],
	])('%s is a whole number within its limits', (name, displayName, from, to) => {
		for (const good of [from, to]) {
			expect(parseRequestOptions({ [name]: good })).toHaveProperty(name, good);
		}
		for (const wrong of [from - 1, to + 1, 1.5, NaN, Infinity, '', ' ', 'x', null, true, [1], {}]) {
			expect(() => parseRequestOptions({ [name]: wrong })).toThrow(ParameterError);
			expect(() => parseRequestOptions({ [name]: wrong })).toThrow(
				`'${displayName}' is not a whole number from ${from} to ${to}`,
			);
			expect(() => parseRequestOptions({ [name]: wrong })).toThrow(
				expect.objectContaining({ description: expect.stringContaining(`'${displayName}'`) }),
			);
		}
	});
});

describe('what the panels say', () => {
	/** A field without what only people read; of its choices the values. */
	function withoutTexts(property: INodeProperties): object {
		const { displayName: _name, description: _text, placeholder: _example, ...rest } = property;
		const { hint: _hint, options, ...field } = rest;
		if (!options) return field;
		const inside = options.map((option) =>
			'type' in option ? withoutTexts(option) : 'value' in option ? option.value : option,
		);
		return { ...field, options: inside };
	}

	test('defaults are what parsing takes for granted', () => {
		const options = siteParameters.find(({ name }) => name === 'options')!.options!;
		const shown = Object.fromEntries(
			options.flatMap((option) => ('default' in option ? [[option.name, option.default]] : [])),
		);
		expect(shown).toMatchObject(parseRequestOptions({}));
	});

	test('every field of the node is what saved workflows depend on', () => {
		const getAndGetMany = { show: { operation: ['get', 'getAll'] } };
		expect(siteParameters.map(withoutTexts)).toEqual([
			{
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				default: 'get',
				options: ['get', 'getGeoJson', 'getAll', 'getUnits'],
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

	test('and so is every field of the trigger', () => {
		const events = ['siteChanged', 'unitAdded', 'unitRemoved', 'unitChanged'];
		expect(triggerParameters.map(withoutTexts)).toEqual([
			{ name: 'siteIds', type: 'string', required: true, default: '' },
			{
				name: 'events',
				type: 'multiOptions',
				required: true,
				default: events,
				options: ['siteChanged', 'unitAdded', 'unitChanged', 'unitRemoved'],
			},
			{
				name: 'options',
				type: 'collection',
				default: {},
				options: [
					{ name: 'apiVersion', type: 'string', default: '2025-01-01' },
					{ name: 'ignoreFields', type: 'string', default: '' },
					{
						name: 'minimumDistance',
						type: 'number',
						typeOptions: { minValue: 0 },
						default: 0,
					},
				],
			},
		]);
	});
});

describe('the minimum distance', () => {
	test.each([
		[undefined, 0],
		[0, 0],
		[12.5, 12.5],
		['25', 25],
	])('%j is %d metres', (value, metres) => {
		expect(parseMinimumDistance(value)).toBe(metres);
	});

	test.each<[unknown]>([[-1], [NaN], [Infinity], ['far'], [''], [' '], [null], [[5]]])(
		'%j is none',
		(value) => {
			expect(() => parseMinimumDistance(value)).toThrow(ParameterError);
			expect(() => parseMinimumDistance(value)).toThrow("'Minimum Distance' is not a number");
			expect(() => parseMinimumDistance(value)).toThrow(
				expect.objectContaining({ description: expect.stringContaining("'Minimum Distance'") }),
			);
		},
	);
});
