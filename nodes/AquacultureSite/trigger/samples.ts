import { infoOf, unitsOf } from '../site/site';
import type { Site } from '../site/site';
import { compareSites, unitsById } from './changes';
import type { SiteEvent } from './events';
import type { SiteEventName } from './facts';

/**
 * One realistic event of each of the given kinds, made from a real site, in the shape of production; for
 * "Fetch Test Event".
 */
export function sampleEvents(
	site: Site,
	names: readonly SiteEventName[],
	detectedAt: string,
): SiteEvent[] {
	const units = [...unitsById(unitsOf(site) ?? []).values()];
	const [unit = { unitId: 1, unitName: 'Unit 1', latitude: 0, longitude: 0 }, ...rest] = units;
	const located = typeof unit.latitude === 'number' && Math.abs(unit.latitude) <= 90;
	const moved = { ...unit, latitude: (located ? (unit.latitude as number) : 0) + 0.001 };
	const info = infoOf(site) ?? {};
	const license = typeof info.license === 'string' ? info.license : 'L-1';
	const compare = (before: Site, after: Site) => compareSites(before, after, detectedAt).events;
	const samples: Record<SiteEventName, () => SiteEvent[]> = {
		siteChanged: () =>
			compare(
				{ ...site, info: { ...info, license: `${license} (before)` } },
				{ ...site, info: { ...info, license } },
			),
		unitAdded: () => compare({ ...site, units: rest }, { ...site, units: [unit, ...rest] }),
		unitRemoved: () => compare({ ...site, units: [unit, ...rest] }, { ...site, units: rest }),
		unitChanged: () =>
			compare({ ...site, units: [moved, ...rest] }, { ...site, units: [unit, ...rest] }),
	};
	return names.flatMap((name) => samples[name]());
}
