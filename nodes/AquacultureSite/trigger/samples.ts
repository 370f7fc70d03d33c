// The sample events of Fetch Test Event.
import { ParameterError } from '../utils/parameters';
import { infoOf, unitsOf } from '../site/site';
import type { Site, Unit } from '../site/site';
import { compareSites, unitsById } from './changes';
import type { CompareOptions, FieldChange } from './changes';
import { toEvents } from './events';
import type { EventName, SiteEvent } from './events';

/** Of a site that has none. */
const SAMPLE_UNIT: Unit = { unitId: 1, unitName: 'Unit 1', latitude: 0, longitude: 0 };

const METERS_PER_DEGREE = 111_195;

/** A latitude further away than the minimum distance, on the side of the equator. */
function moved(latitude: unknown, minimumDistance = 0): number {
	const degrees = Math.max(0.001, (1.01 * minimumDistance) / METERS_PER_DEGREE);
	const start = typeof latitude === 'number' && Math.abs(latitude) <= 90 ? latitude : 0;
	// Without the noise of floating-point numbers
	return Number((start > 0 ? start - degrees : start + degrees).toFixed(6));
}

/** The same with other texts. */
function withOtherTexts<T>(json: T): T {
	return JSON.parse(JSON.stringify(json), (_key, value: unknown) =>
		typeof value === 'string' ? `${value} (before)` : value,
	) as T;
}

/** Of several changed fields the one that changes most often. */
function mostRealistic(changes: FieldChange[]): FieldChange[] {
	const first = changes.find(({ field }) => ['info.license', 'latitude'].includes(field));
	return first ? [first] : changes.slice(0, 1);
}

/**
 * One realistic event of each of the given kinds, based on a real site, in the shape of production; for
 * "Fetch Test Event". There is none of a kind of which the options ignore whatever could change.
 *
 * @throws ParameterError if there is none at all
 */
export function sampleEvents(
	site: Site,
	names: readonly EventName[],
	options: CompareOptions,
	detectedAt: string,
): SiteEvent[] {
	const [unit = SAMPLE_UNIT] = unitsById(unitsOf(site)).values();
	const { license } = infoOf(site) ?? {};
	const info = { ...infoOf(site), license: typeof license === 'string' ? license : 'L-1' };
	const licensed = { ...site, info };
	const latitude = moved(unit.latitude, options.minimumDistance);
	const otherUnit = { ...withOtherTexts(unit), unitId: unit.unitId, latitude };

	const now = { ...licensed, units: [unit] };
	const other = { ...withOtherTexts(now), units: [otherUnit] };
	const empty = { ...licensed, units: [] };
	const differences = [[other, now] as const, [empty, now] as const, [now, empty] as const]
		.flatMap(([before, after]) => compareSites(before, after, options).differences)
		.map((each) => ({ ...each, site: licensed, changes: mostRealistic(each.changes) }));
	const events = names.flatMap((name) => toEvents(differences, [name], detectedAt));
	if (events.length > 0) return events;
	throw new ParameterError(
		"'Events' and 'Ignore Fields' leave no change that could start the workflow",
		"Select more under 'Events', or remove names from 'Ignore Fields'.",
	);
}
