import type { INodeProperties } from 'n8n-workflow';

import { ParameterError } from '../site/parameters';
import { getMap } from './map';
import { byDisplayName, sharedOptions } from './operation';
import type { Operation } from './operation';
import { getManySites, getSite } from './sites';
import { getUnits } from './units';

/** The operations of the node "Aquaculture Site", in the order of its list. */
const OPERATIONS: Operation[] = [getSite, getManySites, getUnits, getMap];

// The one resource is shown because n8n takes the names of nodes and AI tools from it and the operation
const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	default: 'site',
	options: [{ name: 'Site', value: 'site' }],
};

const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: 'get',
	displayOptions: { show: { resource: ['site'] } },
	options: OPERATIONS.map(({ entry }) => entry),
};

/** A property that is shown only for the operations that have it. */
function shownFor(
	property: INodeProperties,
	list: (operation: Operation) => INodeProperties[] | undefined,
	parameter: string,
): INodeProperties {
	const values = OPERATIONS.filter((operation) => list(operation)?.includes(property)).map(
		({ entry }) => entry.value,
	);
	const { displayOptions: { show, ...hide } = {} } = property;
	return { ...property, displayOptions: { ...hide, show: { [parameter]: values, ...show } } };
}

/** n8n's guidelines: required fields first. One that depends on another field stays behind it. */
function isFirst({ required, displayOptions }: INodeProperties): boolean {
	return required === true && displayOptions === undefined;
}

const fields = [...new Set(OPERATIONS.flatMap((operation) => operation.fields))].sort(
	(a, b) => Number(isFirst(b)) - Number(isFirst(a)),
);
const ownOptions = new Set(OPERATIONS.flatMap((operation) => operation.options ?? []));

/** The fields of the node's panel. */
export const siteFields: INodeProperties[] = [
	resourceField,
	operationField,
	...fields.map((field) => shownFor(field, (operation) => operation.fields, 'operation')),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			...[...ownOptions].map((option) =>
				shownFor(option, (operation) => operation.options, '/operation'),
			),
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
