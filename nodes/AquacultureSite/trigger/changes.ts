import { greatCircleDistance, toPosition } from '../site/position';
import { asText, infoOf, unitsOf } from '../site/site';
import type { Site, Unit } from '../site/site';
import { isIgnored } from './ignoredFields';

export const SITE_EVENTS = ['siteChanged', 'unitAdded', 'unitRemoved', 'unitChanged'] as const;
export type SiteEventName = (typeof SITE_EVENTS)[number];

/** One field before and after; null if it was or is absent. `field` is `info.license` for a field of info. */
export interface FieldChange {
	field: string;
	before: unknown;
	after: unknown;
}

interface Difference {
	changes: FieldChange[];
	/** Meters, if the position changed and both positions are known. */
	distance?: number;
}

/** What happened to a site, or to one of its units. */
export interface Change extends Difference {
	event: SiteEventName;
	/** As it is now. */
	site: Site;
	/** As it is now; for `unitRemoved` as it was last read. */
	unit?: Unit;
}

export interface CompareOptions {
	/** Fields that are not compared, see {@link isIgnored}. */
	ignoreFields?: string[];
	/** Meters that something must move before its position counts as changed. */
	minimumDistance?: number;
}

/** What changed, and the snapshot to compare with next time. */
export interface Comparison {
	changes: Change[];
	baseline: Site;
}

type Fields = Map<string, unknown>;

/** A site's own fields, without its units. */
function siteFields(site: Site): Fields {
	const { info: _info, units: _units, ...rest } = site;
	const fields = Object.entries(infoOf(site) ?? {}).map(
		([key, value]) => [`info.${key}`, value] as const,
	);
	return new Map([...Object.entries(rest), ...fields]);
}

/** The names of the fields that are compared, of a site and of its units. */
export function fieldNames(site: Site): string[] {
	return [...siteFields(site).keys(), ...(unitsOf(site) ?? []).flatMap(Object.keys)];
}

function sameNumber(a: number, b: number): boolean {
	if (a === b || (Number.isInteger(a) && Number.isInteger(b))) return a === b;
	// The last digits of a float differ between two ways of printing it
	return Math.abs(a - b) <= 4 * Number.EPSILON * Math.max(Math.abs(a), Math.abs(b));
}

/** Whether two JSON values are equal, except for the order of keys and the last float digits; absent is null. */
export function sameValue(a: unknown, b: unknown): boolean {
	if (typeof a === 'number' && typeof b === 'number') return sameNumber(a, b);
	if (a === undefined || a === null || b === undefined || b === null) {
		return (a ?? null) === (b ?? null);
	}
	if (typeof a !== 'object' || typeof b !== 'object') return a === b;
	if (Array.isArray(a) !== Array.isArray(b)) return false;
	if (Array.isArray(a) && a.length !== (b as unknown[]).length) return false;
	const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
	return [...left.keys(), ...right.keys()].every((key) => sameValue(left.get(key), right.get(key)));
}

function compareFields(
	before: Fields,
	after: Fields,
	prefix: string,
	{ ignoreFields = [], minimumDistance = 0 }: CompareOptions,
): Difference & { isTooSmallMove: boolean } {
	const names = [...new Set([...before.keys(), ...after.keys()])];
	const changes = names
		.filter((name) => !sameValue(before.get(name), after.get(name)))
		.filter((name) => !isIgnored(name, ignoreFields))
		.map((field) => ({
			field,
			before: before.get(field) ?? null,
			after: after.get(field) ?? null,
		}));

	const isPosition = ({ field }: FieldChange) =>
		field === `${prefix}latitude` || field === `${prefix}longitude`;
	const positionIn = (fields: Fields) =>
		toPosition(fields.get(`${prefix}latitude`), fields.get(`${prefix}longitude`));
	const [from, to] = [positionIn(before), positionIn(after)];
	if (!changes.some(isPosition) || !from || !to) return { changes, isTooSmallMove: false };
	const distance = greatCircleDistance(from, to);
	if (distance < minimumDistance) {
		return { changes: changes.filter((change) => !isPosition(change)), isTooSmallMove: true };
	}
	return { changes, distance: Math.round(distance * 10) / 10, isTooSmallMove: false };
}

/** Units by ID, the first of equal ones. A unit without an ID cannot be followed and is left out. */
export function unitsById(units: Unit[]): Map<string, Unit> {
	const byId = new Map<string, Unit>();
	for (const unit of units) {
		const id = asText(unit.unitId);
		if (id !== undefined && !byId.has(id)) byId.set(id, unit);
	}
	return byId;
}

/** After a move that was too small to report, the old position stays: many small moves add up. */
function keepPosition<T extends object>(current: T, old: T): T {
	const { latitude, longitude } = old as { latitude?: unknown; longitude?: unknown };
	return { ...current, latitude, longitude };
}

/**
 * What changed between two snapshots of one site. Units are matched by `unitId`, their order does not
 * matter; unknown fields are compared too. A part that the service left out (no `info` or no `units`, against
 * the rules of docs/service.md#get-a-site) says nothing, so its old state is kept.
 */
export function compareSites(before: Site, after: Site, options: CompareOptions = {}): Comparison {
	const changes: Change[] = [];
	const baseline: Site = {
		...after,
		info: infoOf(after) ?? infoOf(before),
		units: unitsOf(after) ?? unitsOf(before),
	};

	// A first info after none was sent is not a change
	const known: Site = { ...before, info: infoOf(before) ?? infoOf(after) };
	const { isTooSmallMove, ...ofSite } = compareFields(
		siteFields(known),
		siteFields(baseline),
		'info.',
		options,
	);
	if (ofSite.changes.length > 0) changes.push({ event: 'siteChanged', site: after, ...ofSite });
	if (isTooSmallMove) {
		baseline.info = keepPosition(infoOf(baseline) ?? {}, infoOf(before) ?? {});
	}

	const oldUnits = unitsById(unitsOf(before) ?? []);
	const newUnits = unitsById(unitsOf(baseline) ?? []);
	// A first list of units after none was sent is not a change
	const comparable = unitsOf(before) !== undefined;
	for (const [id, unit] of oldUnits) {
		if (!newUnits.has(id)) changes.push({ event: 'unitRemoved', site: after, unit, changes: [] });
	}
	for (const [id, unit] of newUnits) {
		const old = oldUnits.get(id);
		if (!old) {
			if (comparable) changes.push({ event: 'unitAdded', site: after, unit, changes: [] });
			continue;
		}
		const [oldFields, newFields] = [new Map(Object.entries(old)), new Map(Object.entries(unit))];
		const { isTooSmallMove, ...ofUnit } = compareFields(oldFields, newFields, '', options);
		if (isTooSmallMove) newUnits.set(id, keepPosition(unit, old));
		if (ofUnit.changes.length === 0) continue;
		changes.push({ event: 'unitChanged', site: after, unit, ...ofUnit });
	}
	if (comparable || newUnits.size > 0) baseline.units = [...newUnits.values()];
	return { changes, baseline };
}
