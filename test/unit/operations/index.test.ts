import { parseTask, siteFields } from '../../../nodes/AquacultureSite/operations';
import { parseRequestOptions } from '../../../nodes/AquacultureSite/operations/operation';
import { given } from '../../tools/helpers/operation';
import { type Field, fieldsOf } from '../../tools/helpers/panel';
import { refusalOf } from '../../tools/helpers/refusal';

test('every field of the node is what saved workflows depend on', () => {
	const shownFor = (...operation: string[]) => ({ displayOptions: { show: { operation } } });
	const optionOf = (...operation: string[]) => ({
		displayOptions: { show: { '/operation': operation } },
	});
	const show = { operation: ['get', 'getAll'] };
	const getAndGetMany = (more: object, hide?: object) => ({
		displayOptions: { show: { ...show, ...more }, ...(hide && { hide }) },
	});
	const selected = { output: ['selectedFields'] };
	const fullResponse = { '/options.fullResponse': [true] };
	const [tool, noTool] = [{ '@tool': [true] }, { '@tool': [false] }];
	const asFile = { show: { operation: ['getMap'], format: ['file'] } };
	const operations = ['get', 'getAll', 'getUnits', 'getMap'];
	const parts = ['info', 'units'];
	const selectable = [
		...['code', 'latitude', 'license', 'longitude', 'mapUrl', 'maxTotalBiomass', 'siteId'],
		...['siteName', 'timezone', 'type', 'unitCount', 'units'],
	];
	const required = true;
	const whole = (limits: object) => ({ typeOptions: { ...limits, numberPrecision: 0 } });
	const options: Field[] = [
		['apiVersion', 'options', '2025-01-01', { options: ['2025-01-01', '2023-01-01'] }],
		['fullResponse', 'boolean', false, optionOf('get', 'getAll')],
		[
			'mapLink',
			'boolean',
			false,
			{
				displayOptions: {
					...optionOf('get', 'getAll', 'getUnits').displayOptions,
					hide: {
						'/simplify': [false],
						'/output': ['raw', 'selectedFields'],
						fullResponse: [true],
					},
				},
			},
		],
		['includeInfo', 'boolean', true, optionOf('getUnits')],
		['maxConcurrency', 'number', 128, whole({ minValue: 1, maxValue: 500 })],
		['maxRetries', 'number', 3, whole({ minValue: 0, maxValue: 10 })],
		['timeout', 'number', 30_000, whole({ minValue: 1, maxValue: 3_600_000 })],
	];
	expect(fieldsOf(siteFields)).toEqual<Field[]>([
		['resource', 'options', 'site', { noDataExpression: true, options: ['site'] }],
		[
			'operation',
			'options',
			'get',
			{
				noDataExpression: true,
				options: operations,
				displayOptions: { show: { resource: ['site'] } },
			},
		],
		['siteId', 'string', '', { required, ...shownFor('get') }],
		['siteIds', 'string', '', { required, ...shownFor('getAll', 'getUnits', 'getMap') }],
		['include', 'multiOptions', parts, { options: parts, ...getAndGetMany({}, selected) }],
		['includeNothingNotice', 'notice', '', getAndGetMany({}, { include: parts, ...selected })],
		['simplify', 'boolean', true, getAndGetMany(noTool, fullResponse)],
		[
			'output',
			'options',
			'simplified',
			{ options: ['simplified', 'raw', 'selectedFields'], ...getAndGetMany(tool, fullResponse) },
		],
		[
			'fields',
			'multiOptions',
			['siteName'],
			{ options: selectable, ...getAndGetMany({ ...tool, ...selected }, fullResponse) },
		],
		[
			'format',
			'options',
			'file',
			{
				options: ['file', 'json'],
				displayOptions: { show: { operation: ['getMap'], ...noTool } },
			},
		],
		['binaryPropertyName', 'string', 'data', { required, displayOptions: asFile }],
		['options', 'collection', {}, { options }],
	]);
});

test('there is no operation but those of the list, exactly as n8n stores them', () => {
	const taskOf = (operation: unknown) => parseTask(given({ operation, siteIds: 7, siteId: 7 }));
	expect(taskOf('getUnits')).toMatchObject({ siteIds: ['7'] });
	for (const other of ['Get', 'delete', '', null, undefined]) {
		const { message } = refusalOf(() => taskOf(other));
		expect(message).toMatch(/^'Operation' must be one of Get, Get Many, Get Units, Get Map, not /);
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
