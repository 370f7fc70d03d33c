import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { apiVersionField, parseApiVersion } from '../service/apiVersion';
import { ParameterError, toNumber } from '../site/parameters';
import { getGeoJson } from './map';
import type { Operation } from './operation';
import { getManySites, getSite } from './sites';
import { getUnits } from './units';

/** The operations of the node "Aquaculture Site", in the order of its list. */
const OPERATIONS: Operation[] = [getSite, getManySites, getUnits, getGeoJson];

const DEFAULT_MAX_CONCURRENCY = 64;
const DEFAULT_MAX_RETRIES = 3;
const DEFAULT_TIMEOUT_MS = 30_000;

const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: 'get',
	options: OPERATIONS.map(({ entry }) => entry),
};

const sharedOptions: INodeProperties[] = [
	apiVersionField,
	{
		displayName: 'Max Concurrency',
		name: 'maxConcurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
		default: DEFAULT_MAX_CONCURRENCY,
		description:
			'Maximum number of sites to request at once. A run starts with few and slows down when the service is busy.',
	},
	{
		displayName: 'Max Retries',
		name: 'maxRetries',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
		default: DEFAULT_MAX_RETRIES,
		description:
			'How many times to retry a site when the service is busy or the connection is lost',
	},
	{
		displayName: 'Timeout',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: DEFAULT_TIMEOUT_MS,
		description: 'How many milliseconds to wait for a response from the service',
	},
];

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
		].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	},
];

/** @throws ParameterError where there is no such operation */
export function findOperation(value: unknown): Operation {
	const operation = OPERATIONS.find(({ entry }) => entry.value === value);
	if (operation) return operation;
	throw new ParameterError(
		"'Operation' is not valid",
		`Choose one of ${OPERATIONS.map(({ entry }) => entry.name).join(', ')}.`,
	);
}

/** What 'Options' holds for every operation, checked, with its defaults. */
export interface RequestOptions {
	/** YYYY-MM-DD. */
	apiVersion: string;
	/** 1 to 100. */
	maxConcurrency: number;
	maxRetries: number;
	/** Milliseconds. */
	timeout: number;
}

function wholeNumber(value: unknown, displayName: string, from: number, to: number): number {
	const number = toNumber(value);
	if (typeof number === 'number' && Number.isInteger(number) && number >= from && number <= to) {
		return number;
	}
	throw new ParameterError(
		`'${displayName}' is not a whole number from ${from} to ${to}`,
		`Correct it, or remove '${displayName}' from 'Options'.`,
	);
}

/**
 * Checks the options that shape the requests; an expression may have put anything into them.
 *
 * @throws ParameterError
 */
export function parseRequestOptions({
	apiVersion,
	maxConcurrency = DEFAULT_MAX_CONCURRENCY,
	maxRetries = DEFAULT_MAX_RETRIES,
	timeout = DEFAULT_TIMEOUT_MS,
}: IDataObject): RequestOptions {
	return {
		apiVersion: parseApiVersion(apiVersion),
		maxConcurrency: wholeNumber(maxConcurrency, 'Max Concurrency', 1, 100),
		maxRetries: wholeNumber(maxRetries, 'Max Retries', 0, 10),
		timeout: wholeNumber(timeout, 'Timeout', 1, 3_600_000),
	};
}
