// The sample events of Fetch Test Event.
import { ParameterError } from '../utils/parameters';
import type { Site } from '../site/site';
import { compareSites, isPosition } from './changes';
import type { CompareOptions, Difference } from './changes';
import { toEvents } from './events';
import type { EventName, SiteEvent } from './events';

const PLACE = { latitude: 0, longitude: 0 };
/** Instead of a site that lacks what an event is about. */
const SAMPLE = {
	siteName: 'Site 1',
	info: { license: 'L-1', type: 'Sea', code: '1', maxTotalBiomass: 1, timezone: 'UTC', ...PLACE },
	units: [{ unitId: 1, unitName: 'Unit 1', ...PLACE }],
};

/** A latitude further away than the minimum distance, on the side of the equator. A degree is 111,195 m. */
function moved(latitude: unknown, minimumDistance = 0): number {
	const degrees = Math.max(0.001, (1.01 * minimumDistance) / 111_195);
	const start = typeof latitude === 'number' && Math.abs(latitude) <= 90 ? latitude : 0;
	// Without the noise of floating-point numbers
	return Number((start > 0 ? start - degrees : start + degrees).toFixed(6));
}

/** What may happen to a site: each change alone, and all at once; first what changes most often. */
function differencesOf(site: Site, options: CompareOptions): Difference[] {
	const other = JSON.parse(JSON.stringify(site), (name, value: unknown) => {
		if (name === 'latitude') return moved(value, options.minimumDistance);
		if (['siteId', 'unitId', 'longitude'].includes(name)) return value;
		if (typeof value === 'number') return value - 1;
		return typeof value === 'string' ? `${value} (before)` : value;
	}) as Site;
	return [other, { ...site, units: [] }]
		.flatMap((old) => [[old, site] as const, [site, old] as const])
		.flatMap(([before, after]) => compareSites(before, after, options).differences)
		.flatMap(({ changes: all, distance, ...rest }) => {
			const usual = all.filter(({ field }) => ['info.license', 'latitude'].includes(field));
			return [...[...usual, ...all].map((change) => [change]), all].map((changes) => ({
				...rest,
				changes,
				...(changes.some(isPosition) && { distance }),
			}));
		});
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
	const possible = [site, { ...site, ...SAMPLE }].flatMap((each) => differencesOf(each, options));
	const events = names.flatMap((name) => toEvents(possible, [name], detectedAt).slice(0, 1));
	if (events.length > 0) return events;
	throw new ParameterError(
		"'Events' and 'Ignore Fields' leave no change that could start the workflow",
		"Select more under 'Events', or remove names from 'Ignore Fields'.",
	);
}
