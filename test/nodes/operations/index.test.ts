import {
	findOperation,
	parseRequestOptions,
	siteFields,
} from '../../../nodes/AquacultureSite/operations';
import { forAll } from '../../fuzz/fuzz';
import { withoutTexts } from '../../helpers/panel';
import { attempt, refusalOf } from '../../helpers/refusal';
import { anyJson } from '../../helpers/site-json';

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
			name: 'siteIds',
			type: 'string',
			required: true,
			default: '',
			displayOptions: { show: { operation: ['getAll', 'getUnits', 'getGeoJson'] } },
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
