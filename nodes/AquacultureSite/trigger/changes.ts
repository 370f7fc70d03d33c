import { asText, infoOf, unitsOf } from '../site/site';
import type { Site, Unit } from '../site/site';
import { greatCircleDistance } from './distance';

export const SITE_EVENTS = ['siteChanged', 'unitAdded', 'unitRemoved', 'unitChanged'] as const;
export type SiteEventName = (typeof SITE_EVENTS)[number];

/** One field before and after; null where it was or is absent. `field` is `info.license` for a field of info. */
export interface FieldChange {
	field: string;
	before: unknown;
	after: unknown;
}

/** One thing that changed, as the trigger emits it. */
export interface SiteEvent {
	event: SiteEventName;
	siteId: unknown;
	siteName: unknown;
	unitId?: unknown;
	unitName?: unknown;
	changes: FieldChange[];
	/** Meters, where the position changed and both positions are known. */
	distance?: number;
	/** ISO 8601. */
	detectedAt: string;
	site?: Site;
	/** As it is now; for `unitRemoved` as it was last seen. */
	unit?: Unit;
}

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

function sameNumber(a: number, b: number): boolean {
	if (a === b || (Number.isInteger(a) && Number.isInteger(b))) return a === b;
	// The last digits of a float differ between two ways of printing it
	return Math.abs(a - b) <= 4 * Number.EPSILON * Math.max(Math.abs(a), Math.abs(b));
}

/** Whether two JSON values are equal, the order of keys and the last float digits aside; absent is null. */
export function sameValue(a: unknown, b: unknown): boolean {
	if (typeof a === 'number' && typeof b === 'number') return sameNumber(a, b);
	if (a === undefined || a === null || b === undefined || b === null) {
		return (a ?? null) === (b ?? null);
	}
	if (typeof a !== 'object' || typeof b !== 'object') return a === b;
	if (Array.isArray(a) || Array.isArray(b)) {
		if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
		return a.every((entry, index) => sameValue(entry, b[index]));
	}
	const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
	return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
		sameValue(own(left, key), own(right, key)),
	);
}

/** A field of the object itself: a service may well name a field `constructor`. */
function own(fields: Record<string, unknown>, key: string): unknown {
	return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

type Fields = Map<string, unknown>;

function siteFields(site: Site): Fields {
	const { info: _info, units: _units, ...rest } = site;
	const fields = Object.entries(infoOf(site) ?? {}).map(
		([key, value]) => [`info.${key}`, value] as const,
	);
	return new Map([...Object.entries(rest), ...fields]);
}

function positionIn(fields: Fields, prefix: string) {
	const latitude = fields.get(`${prefix}latitude`);
	const longitude = fields.get(`${prefix}longitude`);
	return typeof latitude === 'number' && typeof longitude === 'number'
		? { latitude, longitude }
		: undefined;
}

function compareFields(
	before: Fields,
	after: Fields,
	prefix: string,
	{ ignoreFields = [], minimumDistance = 0 }: CompareOptions,
): { changes: FieldChange[]; distance?: number; heldBack: boolean } {
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
	const [from, to] = [positionIn(before, prefix), positionIn(after, prefix)];
	if (!changes.some(isPosition) || !from || !to) return { changes, heldBack: false };
	const distance = greatCircleDistance(from, to);
	if (distance < minimumDistance) {
		return { changes: changes.filter((change) => !isPosition(change)), heldBack: true };
	}
	return { changes, distance: Math.round(distance * 10) / 10, heldBack: false };
}

/** Units by ID, the first of equal ones. A unit without an ID cannot be followed and is left out. */
function unitsById(units: Unit[]): Map<string, Unit> {
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
	const siteRef = { siteId: after.siteId, siteName: after.siteName };

	// A first info after none was sent is not a change
	const known: Site = { ...before, info: infoOf(before) ?? infoOf(after) };
	const ofSite = compareFields(siteFields(known), siteFields(baseline), 'info.', options);
	if (ofSite.changes.length > 0) {
		const { changes, distance } = ofSite;
		events.push({
			event: 'siteChanged',
			...siteRef,
			changes,
			...(distance !== undefined && { distance }),
			detectedAt,
			site: after,
		});
	}
	if (ofSite.heldBack) {
		baseline.info = keepPosition(infoOf(baseline) ?? {}, infoOf(before) ?? {});
	}

	const unitEvent = (
		event: SiteEventName,
		unit: Unit,
		{ changes, distance }: Pick<SiteEvent, 'changes' | 'distance'> = { changes: [] },
	): SiteEvent => ({
		event,
		...siteRef,
		unitId: unit.unitId,
		unitName: unit.unitName,
		changes,
		...(distance !== undefined && { distance }),
		detectedAt,
		unit,
	});
	const oldUnits = unitsById(unitsOf(before) ?? []);
	const newUnits = unitsById(unitsOf(baseline) ?? []);
	// A first list of units after none was sent is not a change
	const comparable = unitsOf(before) !== undefined;
	for (const [id, unit] of oldUnits) {
		if (!newUnits.has(id)) events.push(unitEvent('unitRemoved', unit));
	}
	for (const [id, unit] of newUnits) {
		const old = oldUnits.get(id);
		if (!old) {
			if (comparable) events.push(unitEvent('unitAdded', unit));
			continue;
		}
		const { changes, distance, heldBack } = compareFields(
			new Map(Object.entries(old)),
			new Map(Object.entries(unit)),
			'',
			options,
		);
		if (heldBack) newUnits.set(id, keepPosition(unit, old));
		if (changes.length === 0) continue;
		events.push(unitEvent('unitChanged', unit, { changes, distance }));
	}
	if (comparable || newUnits.size > 0) baseline.units = [...newUnits.values()];
	return { events, baseline };
}

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
