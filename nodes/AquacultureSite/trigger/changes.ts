import { toPosition } from '../site/position';
import { asText, infoOf, unitsOf } from '../site/site';
import type { Site, Unit } from '../site/site';
import { greatCircleDistance } from './distance';
import { sameValue } from './equality';
import { siteChanged, unitEvent } from './events';
import type { SiteEvent } from './events';
import type { Difference, FieldChange } from './facts';

export interface CompareOptions {
	/** Fields that are not compared, by their whole name or its last part: `info.license` or `license`. */
	ignoreFields?: string[];
	/** Meters that something must move before its position counts as changed. */
	minimumDistance?: number;
}

/** What changed, and the snapshot to compare with next time. */
export interface Comparison {
	events: SiteEvent[];
	baseline: Site;
}

type Fields = Map<string, unknown>;

function siteFields(site: Site): Fields {
	const { info: _info, units: _units, ...rest } = site;
	const fields = Object.entries(infoOf(site) ?? {}).map(
		([key, value]) => [`info.${key}`, value] as const,
	);
	return new Map([...Object.entries(rest), ...fields]);
}

function compareFields(
	before: Fields,
	after: Fields,
	prefix: string,
	{ ignoreFields = [], minimumDistance = 0 }: CompareOptions,
): Difference & { heldBack: boolean } {
	const ignored = new Set(ignoreFields);
	const names = [...new Set([...before.keys(), ...after.keys()])].filter(
		(name) => !ignored.has(name) && !ignored.has(name.slice(name.lastIndexOf('.') + 1)),
	);
	const changes = names
		.filter((name) => !sameValue(before.get(name), after.get(name)))
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
	if (!changes.some(isPosition) || !from || !to) return { changes, heldBack: false };
	const distance = greatCircleDistance(from, to);
	if (distance < minimumDistance) {
		return { changes: changes.filter((change) => !isPosition(change)), heldBack: true };
	}
	return { changes, distance: Math.round(distance * 10) / 10, heldBack: false };
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

/**
 * Where a move was too small to report, the old position stays the one to compare with, so that many small
 * moves add up.
 */
function keepPosition<T extends object>(current: T, old: T): T {
	const { latitude, longitude } = old as { latitude?: unknown; longitude?: unknown };
	return { ...current, latitude, longitude };
}

/**
 * What changed between two snapshots of one site. Units are matched by `unitId`, their order does not
 * matter; unknown fields are compared too. A part that the service left out (no `info` or no `units`, against
 * the rules of docs/service.md#get-a-site) says nothing, so its old state is kept.
 *
 * @param detectedAt ISO 8601, put into every event
 */
export function compareSites(
	before: Site,
	after: Site,
	detectedAt: string,
	options: CompareOptions = {},
): Comparison {
	const events: SiteEvent[] = [];
	const baseline: Site = {
		...after,
		info: infoOf(after) ?? infoOf(before),
		units: unitsOf(after) ?? unitsOf(before),
	};

	// A first info after none was sent is not a change
	const known: Site = { ...before, info: infoOf(before) ?? infoOf(after) };
	const ofSite = compareFields(siteFields(known), siteFields(baseline), 'info.', options);
	if (ofSite.changes.length > 0) events.push(siteChanged(after, ofSite, detectedAt));
	if (ofSite.heldBack) {
		baseline.info = keepPosition(infoOf(baseline) ?? {}, infoOf(before) ?? {});
	}

	const oldUnits = unitsById(unitsOf(before) ?? []);
	const newUnits = unitsById(unitsOf(baseline) ?? []);
	// A first list of units after none was sent is not a change
	const comparable = unitsOf(before) !== undefined;
	for (const [id, unit] of oldUnits) {
		if (!newUnits.has(id)) events.push(unitEvent('unitRemoved', after, unit, detectedAt));
	}
	for (const [id, unit] of newUnits) {
		const old = oldUnits.get(id);
		if (!old) {
			if (comparable) events.push(unitEvent('unitAdded', after, unit, detectedAt));
			continue;
		}
		const ofUnit = compareFields(
			new Map(Object.entries(old)),
			new Map(Object.entries(unit)),
			'',
			options,
		);
		if (ofUnit.heldBack) newUnits.set(id, keepPosition(unit, old));
		if (ofUnit.changes.length === 0) continue;
		events.push(unitEvent('unitChanged', after, unit, detectedAt, ofUnit));
	}
	if (comparable || newUnits.size > 0) baseline.units = [...newUnits.values()];
	return { events, baseline };
}
