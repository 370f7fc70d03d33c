// The trigger's fields, and how they are read.
import type { INodeProperties } from 'n8n-workflow';

import { apiVersionField, parseApiVersion } from '../service/login/apiVersion';
import { ServiceFailure } from '../service/messages/failures';
import { optionsField, ParameterError } from '../utils/parameters';
import type { Field, Parameters } from '../utils/parameters';
import { joinList, plainText } from '../utils/text';
import { INFO_FIELDS, SITE_FIELDS, UNIT_FIELDS, unitsOf } from '../site/site';
import { readSiteIds, siteIdsField } from '../site/siteIds';
import { isIgnored, siteFields } from './changes';
import { DEFAULT_EVENTS, EVENT_NAMES, EVENTS } from './events';
import type { EventName } from './events';
import type { Reading } from './reading';

const events: Field<'multiOptions'> = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	required: true,
	default: [...DEFAULT_EVENTS],
	options: EVENT_NAMES.map((value) => {
		const { label, description } = EVENTS[value];
		return { name: label, value, description };
	}),
	description: 'The events that start the workflow',
};

const ignoreFields: Field<'string'> = {
	displayName: 'Ignore Fields',
	name: 'ignoreFields',
	type: 'string',
	default: '',
	placeholder: 'e.g. maxTotalBiomass, unitName',
	description:
		'Names of fields whose changes do not start the workflow, separated by commas, spaces or line breaks',
};

const minimumDistance: Field<'number'> = {
	displayName: 'Minimum Distance',
	name: 'minimumDistance',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description: 'Minimum distance in meters before a move counts. Smaller moves accumulate.',
};

const options = optionsField([apiVersionField, ignoreFields, minimumDistance]);

/** The fields of the trigger's panel. */
export const triggerFields: INodeProperties[] = [siteIdsField, events, options];

/** What the trigger's fields say. */
export type Settings = ReturnType<typeof parseSettings>;

/** Reads the trigger's parameters. @throws ParameterError, or n8n's own error if an expression fails */
export function parseSettings(parameters: Parameters) {
	const given = parameters.read(options);
	return {
		siteIds: readSiteIds(parameters.raw(siteIdsField)).map((entry) => {
			if (typeof entry === 'string') return entry;
			throw entry;
		}),
		events: parameters.read(events) as EventName[],
		ignoreFields: given.words(ignoreFields),
		minimumDistance: given.read(minimumDistance),
		apiVersion: parseApiVersion(given),
	};
}

/**
 * Refuses names under 'Ignore Fields' that no field has: most likely they are mistyped, and the changes would be
 * reported all the same. Accepts any while a site cannot be read, because that one may have other fields.
 *
 * @throws ParameterError
 */
export function checkIgnoredFields(names: string[], { results, interruption }: Reading): void {
	// Those of the contract, because a site may lack some of them for now, and all others
	const ofInfo = INFO_FIELDS.map((name) => `info.${name}`);
	const known = new Set<string>([...SITE_FIELDS, ...UNIT_FIELDS, ...ofInfo]);
	for (const site of results.values()) {
		if (interruption || site instanceof ServiceFailure) return;
		for (const field of [...siteFields(site), ...(unitsOf(site) ?? []).flatMap(Object.keys)])
			known.add(field);
	}
	const unknown = names.filter((name) => ![...known].some((field) => isIgnored(field, [name])));
	if (unknown.length === 0) return;
	const shown = unknown.map((name) => `"${plainText(name, 40)}"`);
	throw new ParameterError(
		// All that n8n shows when a workflow is published
		`'Ignore Fields': these sites have no field ${joinList(shown, 3)}. Enter names such as license, unitName or latitude.`,
		`Correct the name, or remove it. The fields are ${joinList([...known].map((name) => plainText(name, 40)))}.`,
	);
}
