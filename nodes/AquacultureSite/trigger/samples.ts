import { ParameterError } from '../site/parameters';
import { infoOf, unitsOf } from '../site/site';
import type { Site, Unit } from '../site/site';
import { compareSites, unitsById } from './changes';
import type { Change, CompareOptions, SiteEventName } from './changes';
import { toEvent } from './events';
import type { SiteEvent } from './events';

const METERS_PER_DEGREE = 111_195;

/** Degrees of latitude that are certainly further than the minimum distance. */
function farEnough(minimumDistance = 0): number {
	return Math.max(0.001, (1.01 * minimumDistance) / METERS_PER_DEGREE);
}

/** The latitude that many degrees away, on the side of the equator. */
function moved(latitude: unknown, degrees: number): number {
	const start = typeof latitude === 'number' && Math.abs(latitude) <= 90 ? latitude : 0;
	return start > 0 ? start - degrees : start + degrees;
}

/** For each field, the fields with another value of it. */
function withOther<T extends Record<string, unknown>>(fields: T): T[] {
	return Object.entries(fields)
		.filter(([, value]) => typeof value === 'string')
		.map(([name, value]) => ({ ...fields, [name]: `${String(value)} (before)` }));
}

/**
 * One realistic event of each of the given kinds, based on a real site, in the shape of production; for
 * "Fetch Test Event". There is none of a kind of which the options ignore whatever could change.
 *
 * @throws ParameterError if there is none at all
 */
export function sampleEvents(
	site: Site,
	names: readonly SiteEventName[],
	options: CompareOptions,
	detectedAt: string,
): SiteEvent[] {
	const units = [...unitsById(unitsOf(site) ?? []).values()];
	const [unit = { unitId: 1, unitName: 'Unit 1', latitude: 0, longitude: 0 }, ...rest] = units;
	const { units: _units, info: _info, ...own } = site;
	const { license } = infoOf(site) ?? {};
	const info = { ...infoOf(site), license: typeof license === 'string' ? license : 'L-1' };
	const withInfo = (changed: object): Site => ({ ...site, info: changed });
	const withUnits = (...changed: Unit[]): Site => ({ ...site, units: changed });
	const farAway = { ...unit, latitude: moved(unit.latitude, farEnough(options.minimumDistance)) };

	/** For each kind, how the site may have been before, the most realistic first; and how it is now. */
	const samples: Record<SiteEventName, [before: Site[], after: Site]> = {
		siteChanged: [
			[
				withInfo({ ...info, license: `${info.license} (before)` }),
				...withOther(own).map((changed) => ({ ...changed, info })),
				...withOther(info).map(withInfo),
			],
			withInfo(info),
		],
		unitAdded: [[withUnits(...rest)], withUnits(unit, ...rest)],
		unitRemoved: [[withUnits(unit, ...rest)], withUnits(...rest)],
		unitChanged: [
			[farAway, ...withOther(unit)].map((changed) => withUnits(changed, ...rest)),
			withUnits(unit, ...rest),
		],
	};
	const sampleOf = (name: SiteEventName): Change[] => {
		const [candidates, after] = samples[name];
		const changes = candidates.map((before) => compareSites(before, after, options).changes);
		return changes.find(({ length }) => length > 0) ?? [];
	};
	const events = names.flatMap(sampleOf).map((change) => toEvent(change, detectedAt));
	if (events.length > 0) return events;
	throw new ParameterError(
		"'Events' and 'Ignore Fields' leave no change that could start the workflow",
		"Select more under 'Events', or remove names from 'Ignore Fields'.",
	);
}
