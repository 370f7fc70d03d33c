import type { INodeProperties } from 'n8n-workflow';

import { ParameterError } from '../utils/parameters';
import { getMap } from './map';
import { byDisplayName, sharedOptions } from './operation';
import type { Operation } from './operation';
import { getManySites, getSite } from './sites';
import { getUnits } from './units';

/** The operations of the node "Aquaculture Site", in the order of its list. */
const OPERATIONS: Operation[] = [getSite, getManySites, getUnits, getMap];

/** A property that is shown only for the operations that have it. */
function shownFor(list: 'fields' | 'options', property: INodeProperties): INodeProperties {
	const operations = OPERATIONS.filter((operation) => operation[list]?.includes(property));
	const parameter = list === 'fields' ? 'operation' : '/operation';
	const { displayOptions: { show, ...hide } = {} } = property;
	const own = { [parameter]: operations.map(({ entry }) => entry.value), ...show };
	return { ...property, displayOptions: { ...hide, show: own } };
}

// n8n's guidelines: required fields first, which is the first one of each operation
const fields = new Set([
	...OPERATIONS.flatMap((operation) => operation.fields.slice(0, 1)),
	...OPERATIONS.flatMap((operation) => operation.fields),
]);
const ownOptions = new Set(OPERATIONS.flatMap(({ options = [] }) => options));

/** The fields of the node's panel. */
export const siteFields: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		default: 'site',
		// One, but shown: n8n takes the names of nodes and AI tools from it and the operation
		options: [{ name: 'Site', value: 'site' }],
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'get',
		displayOptions: { show: { resource: ['site'] } },
		options: OPERATIONS.map(({ entry }) => entry),
	},
	...[...fields].map((field) => shownFor('fields', field)),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			...[...ownOptions].map((option) => shownFor('options', option)),
			...sharedOptions,
		].sort(byDisplayName),
	},
];

const operationNames = Object.fromEntries(OPERATIONS.map(({ entry }) => [entry.value, entry.name]));

/** "Get Units: 1042, 1057". Only IDs that were typed: an expression has no value before the run. */
export const siteSubtitle = `={{ (${JSON.stringify(operationNames)})[$parameter["operation"]] + (": " + $rawParameter[$parameter["operation"] === "get" ? "siteId" : "siteIds"]).replace(/^: (=[^]*)?$/, "") }}`;

/** @throws ParameterError if there is no such operation */
export function findOperation(value: unknown): Operation {
	const operation = OPERATIONS.find(({ entry }) => entry.value === value);
	if (operation) return operation;
	throw new ParameterError(
		"'Operation' is not valid",
		`Choose one of ${OPERATIONS.map(({ entry }) => entry.name).join(', ')}.`,
	);
}
