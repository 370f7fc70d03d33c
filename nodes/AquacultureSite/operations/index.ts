// The table of operations, and the panel that is made from it.
import type { INodeProperties } from 'n8n-workflow';

import { invalidValue, optionsField } from '../utils/parameters';
import type { Parameters } from '../utils/parameters';
import { getMap } from './map';
import { byDisplayName, parseRequestOptions, sharedOptions } from './operation';
import type { Operation } from './operation';
import { getManySites, getSite } from './sites';
import { getUnits } from './units';

/** The operations of the node "Aquaculture Site", in the order of the Operation menu. */
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

const resource: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	default: 'site',
	// One, but shown: n8n takes the names of nodes and AI tools from it and the operation
	options: [{ name: 'Site', value: 'site' }],
};

const operation: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: 'get',
	displayOptions: { show: { resource: ['site'] } },
	options: OPERATIONS.map(({ entry }) => entry),
};

const shownFields = Array.from(fields, (field) => shownFor('fields', field));
const shownOptions = Array.from(ownOptions, (option) => shownFor('options', option));
const options = optionsField([...shownOptions, ...sharedOptions].sort(byDisplayName));

/** The fields of the node's panel. */
export const siteFields: INodeProperties[] = [resource, operation, ...shownFields, options];

const operationNames = Object.fromEntries(OPERATIONS.map(({ entry }) => [entry.value, entry.name]));

/** "Get Units: 1042, 1057". Only IDs that were typed: an expression has no value before the run. */
export const siteSubtitle = `={{ (${JSON.stringify(operationNames)})[$parameter["operation"]] + (": " + $rawParameter[$parameter["operation"] === "get" ? "siteId" : "siteIds"]).replace(/^: (=[^]*)?$/, "") }}`;

/** What an input item asks for. @throws ParameterError, or n8n's own error if an expression fails */
export function parseTask(parameters: Parameters) {
	// n8n takes these two as they are, and has dropped the fields of what it does not know
	const [site, value] = [parameters.raw(resource), parameters.raw(operation)];
	if (site !== resource.default) throw invalidValue(resource, site);
	const chosen = OPERATIONS.find(({ entry }) => entry.value === value);
	if (!chosen) throw invalidValue(operation, value);
	const given = parameters.read(options);
	return { ...chosen.parse(parameters, given), requestOptions: parseRequestOptions(given) };
}
