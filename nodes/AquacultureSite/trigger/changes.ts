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

/** A site's own fields, without its units. */
export function siteFields(site: Site): string[] {
	const info = Object.keys(infoOf(site) ?? {}).map((name) => `info.${name}`);
	return [...Object.keys(ownFields(site)), ...info];
}

function ownFields({ info: _info, units: _units, ...own }: Site): Row {
	return own;
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

/**
 * What is different about a site, its info or a unit, and what to compare it with next time: as it is now, but at its old
 * position if it has hardly moved, because many small moves add up.
 */
function compareRows(
	old: Row = {},
	now: Row = {},
	{ ignoreFields = [], minimumDistance = 0 }: CompareOptions,
	path = '',
) {
	const distance = greatCircleDistance(formOf(old) as Row, formOf(now) as Row);
	const isNear = distance !== undefined && distance < minimumDistance;
	const kept = isNear ? { ...now, latitude: old.latitude, longitude: old.longitude } : now;
	// Not by `row[name]` alone, because a service may call a field `constructor`
	const valueOf = (row: Row, name: string) => (Object.hasOwn(row, name) ? row[name] : null) ?? null;
	const changes = [...new Set([...Object.keys(old), ...Object.keys(kept)])]
		.map((name) => ({ field: path + name, before: valueOf(old, name), after: valueOf(kept, name) }))
		.filter(({ before, after }) => !isSame(before, after))
		.filter(({ field }) => !isIgnored(field, ignoreFields));
	const moved = changes.some(isPosition) ? distance : undefined;
	return { kept, changes, distance: moved && Math.round(moved * 10) / 10 };
}

/**
 * Units by ID. A unit without an ID cannot be followed and is left out; of several with the same one counts the first by
 * its form, because their order means nothing.
 */
function unitsById(units: Unit[] = []): Map<string, Unit> {
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
export function compareSites(before: Site, after: Site, options: CompareOptions = {}) {
	const [old, baseline] = [complete(before, after), complete(after, before)];
	const site = { ...after, ...ownFields(baseline) };
	const differences: Difference[] = [];
	const own = compareRows(ownFields(old), ownFields(baseline), options);
	const info = compareRows(old.info, baseline.info, options, 'info.');
	baseline.info &&= info.kept;
	const changes = [...own.changes, ...info.changes];
	if (changes.length > 0) differences.push({ site, changes, distance: info.distance });

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
		const { kept, ...different } = compareRows(oldUnit, unit, options);
		units.set(id, kept);
		if (different.changes.length > 0) differences.push({ site, unit, ...different });
	}
	baseline.units &&= [...units.values()];
	return { differences, baseline };
}
