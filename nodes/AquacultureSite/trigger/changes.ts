// What changed between two polls of a site.
import { greatCircleDistance } from '../site/position';
import { infoOf, unitsOf } from '../site/site';
import type { Row, Site, SiteInfo, Unit } from '../site/site';
import { asText } from '../utils/text';
import { formOf, formText, isSame } from './values';

/** One field before and after; null if it was or is absent. `field` is `info.license` for a field of info. */
export interface FieldChange {
	field: string;
	before: unknown;
	after: unknown;
}

/** What is different about a site, or about one of its units. */
export interface Difference {
	/** As it is now. */
	site: Site;
	/** As it is now; as it was last read, if it was removed. */
	unit?: Unit;
	/** Of a unit that is new or gone. */
	status?: 'added' | 'removed';
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

/** @param places the objects with the old and the new position */
function compareFields(
	old: Fields,
	now: Fields,
	places: [Row?, Row?],
	ignored: string[],
): Pick<Difference, 'changes' | 'distance'> {
	const changes = [...new Set([...old.keys(), ...now.keys()])]
		.map((field) => ({ field, before: old.get(field) ?? null, after: now.get(field) ?? null }))
		.filter(({ before, after }) => !isSame(before, after))
		.filter(({ field }) => !isIgnored(field, ignored));
	const distance = changes.some(isPosition) ? distanceOf(...places) : undefined;
	return { changes, distance: distance && Math.round(distance * 10) / 10 };
}

/** In meters; undefined if one of the two has no position. */
function distanceOf(old: Row = {}, now: Row = {}): number | undefined {
	return greatCircleDistance(formOf(old) as Row, formOf(now) as Row);
}

/** Something as it is now, but at its old position if it has hardly moved: many small moves add up. */
function withoutSmallMove(old: Row = {}, now: Row, minimumDistance: number): Row {
	const distance = distanceOf(old, now);
	if (distance === undefined || distance >= minimumDistance) return now;
	return { ...now, latitude: old.latitude, longitude: old.longitude };
}

/**
 * Units by ID. A unit without an ID cannot be followed and is left out; of several with the same one counts the first by
 * its form, because their order means nothing.
 */
export function unitsById(units: Unit[] = []): Map<string, Unit> {
	const byId = new Map<string, Unit>();
	for (const unit of units) {
		const id = asText(formOf(unit.unitId));
		if (id === undefined) continue;
		const known = byId.get(id);
		if (!known || formText(unit) < formText(known)) byId.set(id, unit);
	}
	return byId;
}

/** What the service left out, against the rules of docs/service.md#get-a-site, says nothing: it is as in the other. */
function complete(site: Site, other: Site): Site & { info?: SiteInfo; units?: Unit[] } {
	return {
		...site,
		...(isSame(site.siteName, null) && { siteName: other.siteName }),
		info: infoOf(site) ?? infoOf(other),
		units: unitsOf(site) ?? unitsOf(other),
	};
}

/**
 * What is different between two snapshots of one site, and the snapshot to compare with next time. Units are matched by
 * `unitId`, their order does not matter; unknown fields are compared too.
 */
export function compareSites(
	before: Site,
	after: Site,
	{ ignoreFields = [], minimumDistance = 0 }: CompareOptions = {},
): { differences: Difference[]; baseline: Site } {
	const [old, baseline] = [complete(before, after), complete(after, before)];
	const site = isSame(after.siteName, null) ? { ...after, siteName: old.siteName } : after;
	const differences: Difference[] = [];
	baseline.info &&= withoutSmallMove(old.info, baseline.info, minimumDistance);
	const infos: [Row?, Row?] = [old.info, baseline.info];
	const ofSite = compareFields(siteFields(old), siteFields(baseline), infos, ignoreFields);
	if (ofSite.changes.length > 0) differences.push({ site, ...ofSite });

	const [oldUnits, units] = [unitsById(old.units), unitsById(baseline.units)];
	for (const [id, unit] of oldUnits) {
		if (!units.has(id)) differences.push({ site, unit, status: 'removed', changes: [] });
	}
	for (const [id, unit] of units) {
		const oldUnit = oldUnits.get(id);
		if (!oldUnit) {
			differences.push({ site, unit, status: 'added', changes: [] });
			continue;
		}
		const kept = withoutSmallMove(oldUnit, unit, minimumDistance);
		units.set(id, kept);
		const [oldFields, fields] = [new Map(Object.entries(oldUnit)), new Map(Object.entries(kept))];
		const ofUnit = compareFields(oldFields, fields, [oldUnit, kept], ignoreFields);
		if (ofUnit.changes.length > 0) differences.push({ site, unit, ...ofUnit });
	}
	baseline.units &&= [...units.values()];
	return { differences, baseline };
}
