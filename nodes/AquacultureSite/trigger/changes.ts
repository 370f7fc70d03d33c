import { greatCircleDistance } from '../site/position';
import { infoOf, unitsOf } from '../site/site';
import type { Row, Site, Unit } from '../site/site';
import { asText } from '../utils/text';

export const SITE_EVENTS = ['siteChanged', 'unitAdded', 'unitRemoved', 'unitChanged'] as const;
export type SiteEventName = (typeof SITE_EVENTS)[number];

/** One field before and after; null if it was or is absent. `field` is `info.license` for a field of info. */
export interface FieldChange {
	field: string;
	before: unknown;
	after: unknown;
}

/** What happened to a site, or to one of its units. */
export interface Change {
	event: SiteEventName;
	/** As it is now. */
	site: Site;
	/** As it is now; for `unitRemoved` as it was last read. */
	unit?: Unit;
	changes: FieldChange[];
	/** Meters, if the position changed and both positions are known. */
	distance?: number;
}

export interface CompareOptions {
	/** Names of fields that are not compared, see {@link isIgnored}. */
	ignoreFields?: string[];
	/** Meters that something must move before its position counts as changed. */
	minimumDistance?: number;
}

/** Fields by name; not an object, because a service may call one `constructor`. */
type Fields = Map<string, unknown>;

/** A site's own fields, without its units. */
export function siteFields(site: Site): Fields {
	const { info: _info, units: _units, ...own } = site;
	const info = Object.entries(infoOf(site) ?? {});
	const named = info.map(([name, value]): [string, unknown] => [`info.${name}`, value]);
	return new Map([...Object.entries(own), ...named]);
}

/** Whether a field is among the names: by its whole name or its last part, `info.license` or `license`, in any case. */
export function isIgnored(field: string, names: readonly string[]): boolean {
	const own = field.toLowerCase();
	return names.some((name) => own === name.toLowerCase() || own.endsWith(`.${name.toLowerCase()}`));
}

/** Whether a field is half of a position. */
export function isPosition({ field }: FieldChange): boolean {
	return /(^|\.)(latitude|longitude)$/.test(field);
}

/** A JSON value as text: the same for values that differ only in the order of keys and the last digits of a float. */
function canonical(json: unknown): string {
	return JSON.stringify(json ?? null, (_key, value: unknown) => {
		// A double holds 15 digits for certain; what follows depends on who printed it
		if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(15));
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		const entries = Object.entries(value).filter(([, entry]) => entry !== null);
		return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
	});
}

/** @param places the objects with the old and the new position */
function compareFields(
	old: Fields,
	now: Fields,
	places: [Row?, Row?],
	ignored: string[],
): Pick<Change, 'changes' | 'distance'> {
	const changes = [...new Set([...old.keys(), ...now.keys()])]
		.map((field) => ({ field, before: old.get(field) ?? null, after: now.get(field) ?? null }))
		.filter(({ before, after }) => canonical(before) !== canonical(after))
		.filter(({ field }) => !isIgnored(field, ignored));
	const distance = changes.some(isPosition) ? greatCircleDistance(...places) : undefined;
	return { changes, distance: distance && Math.round(distance * 10) / 10 };
}

/** Something as it is now, but at its old position if it has hardly moved: many small moves add up. */
function withoutSmallMove(old: Row = {}, now: Row, minimumDistance: number): Row {
	const distance = greatCircleDistance(old, now);
	if (distance === undefined || distance >= minimumDistance) return now;
	return { ...now, latitude: old.latitude, longitude: old.longitude };
}

/** Units by ID, the first of equal ones. A unit without an ID cannot be followed and is left out. */
export function unitsById(units: Unit[] = []): Map<string, Unit> {
	const byId = new Map<string, Unit>();
	for (const unit of units) {
		const id = asText(unit.unitId);
		if (id !== undefined && !byId.has(id)) byId.set(id, unit);
	}
	return byId;
}

/** A part that the service left out, against the rules of docs/service.md#get-a-site, says nothing: it is as in the other. */
function complete(site: Site, other: Site) {
	return { ...site, info: infoOf(site) ?? infoOf(other), units: unitsOf(site) ?? unitsOf(other) };
}

/**
 * What changed between two snapshots of one site, and the snapshot to compare with next time. Units are matched by
 * `unitId`, their order does not matter; unknown fields are compared too.
 */
export function compareSites(
	before: Site,
	after: Site,
	{ ignoreFields = [], minimumDistance = 0 }: CompareOptions = {},
): { changes: Change[]; baseline: Site } {
	const [old, baseline] = [complete(before, after), complete(after, before)];
	const found: Change[] = [];
	baseline.info &&= withoutSmallMove(old.info, baseline.info, minimumDistance);
	const infos: [Row?, Row?] = [old.info, baseline.info];
	const ofSite = compareFields(siteFields(old), siteFields(baseline), infos, ignoreFields);
	if (ofSite.changes.length > 0) found.push({ event: 'siteChanged', site: after, ...ofSite });

	const [oldUnits, units] = [unitsById(old.units), unitsById(baseline.units)];
	for (const [id, unit] of oldUnits) {
		if (!units.has(id)) found.push({ event: 'unitRemoved', site: after, unit, changes: [] });
	}
	for (const [id, unit] of units) {
		const oldUnit = oldUnits.get(id);
		if (!oldUnit) {
			found.push({ event: 'unitAdded', site: after, unit, changes: [] });
			continue;
		}
		const kept = withoutSmallMove(oldUnit, unit, minimumDistance);
		units.set(id, kept);
		const [oldFields, fields] = [new Map(Object.entries(oldUnit)), new Map(Object.entries(kept))];
		const ofUnit = compareFields(oldFields, fields, [oldUnit, kept], ignoreFields);
		if (ofUnit.changes.length > 0) {
			found.push({ event: 'unitChanged', site: after, unit, ...ofUnit });
		}
	}
	baseline.units &&= [...units.values()];
	return { changes: found, baseline };
}
