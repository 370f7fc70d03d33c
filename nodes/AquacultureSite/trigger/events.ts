// The events of the trigger.
import { mapUrl } from '../site/position';
import { infoOf } from '../site/site';
import type { Difference } from './changes';
import { summarize } from './summary';

interface EventKind {
	/** Its name in the panel. */
	label: string;
	description: string;
	/** Whether a difference is such an event. */
	is: (difference: Difference) => boolean;
	/** What happened, without a full stop; if that is not in the changes. */
	sentence?: (site: string, unit: string) => string;
}

/** All that the trigger reports, in alphabetical order. */
export const EVENTS = {
	siteChanged: {
		label: 'Site Changed',
		description: 'A field of the site has a new value, e.g. its license or its position',
		is: ({ unit }) => !unit,
	},
	unitAdded: {
		label: 'Unit Added',
		description: 'The site has a new unit',
		is: ({ status }) => status === 'added',
		sentence: (site, unit) => `${unit} was added to ${site}`,
	},
	unitChanged: {
		label: 'Unit Changed',
		description: 'A unit was renamed or moved, or another of its fields changed',
		is: ({ unit, status }) => unit !== undefined && status === undefined,
	},
	unitRemoved: {
		label: 'Unit Removed',
		description: 'A unit is no longer part of the site',
		is: ({ status }) => status === 'removed',
		sentence: (site, unit) => `${unit} was removed from ${site}`,
	},
} satisfies Record<string, EventKind>;

export type EventName = keyof typeof EVENTS;

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/** Each difference is one of these. Any other event would be a second item for it, in workflows that were saved before. */
export const DEFAULT_EVENTS = ['siteChanged', 'unitAdded', 'unitChanged', 'unitRemoved'] as const;

/** One thing that changed, as the trigger emits it. */
export type SiteEvent = ReturnType<typeof toEvent>;

/** @param detectedAt ISO 8601 */
function toEvent(event: EventName, difference: Difference, detectedAt: string) {
	const { site, unit, changes, distance } = difference;
	const url = mapUrl(unit ?? infoOf(site));
	const { sentence }: EventKind = EVENTS[event];
	return {
		event,
		// One plain sentence, e.g. for a chat message
		summary: summarize(difference, sentence),
		siteName: site.siteName,
		...(unit && { unitName: unit.unitName }),
		siteId: site.siteId,
		...(unit && { unitId: unit.unitId }),
		changes,
		...(distance !== undefined && { distance }),
		...(url !== undefined && { mapUrl: url }),
		detectedAt,
		...(!unit && { site }),
		...(unit && { unit }),
	};
}

/** What of the given kinds is in the differences. */
export function toEvents(
	differences: Difference[],
	names: readonly EventName[],
	detectedAt: string,
): SiteEvent[] {
	return differences.flatMap((difference) =>
		names
			.filter((name) => EVENTS[name].is(difference))
			.map((name) => toEvent(name, difference, detectedAt)),
	);
}
