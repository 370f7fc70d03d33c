import { mapUrl } from '../site/position';
import { infoOf } from '../site/site';
import type { Site, Unit } from '../site/site';
import type { Change, FieldChange, SiteEventName } from './changes';
import { summarize } from './summary';

/** One thing that changed, as the trigger emits it. */
export interface SiteEvent {
	event: SiteEventName;
	siteId: unknown;
	siteName: unknown;
	unitId?: unknown;
	unitName?: unknown;
	changes: FieldChange[];
	/** Meters, if the position changed and both positions are known. */
	distance?: number;
	/** One plain sentence, e.g. for a chat message. */
	summary: string;
	/** A map with a marker, if the position is known. */
	mapUrl?: string;
	/** ISO 8601. */
	detectedAt: string;
	site?: Site;
	/** As it is now; for `unitRemoved` as it was last read. */
	unit?: Unit;
}

/** @param detectedAt ISO 8601 */
export function toEvent(change: Change, detectedAt: string): SiteEvent {
	const { event, site, unit, changes, distance } = change;
	const { siteId, siteName } = site;
	const { latitude, longitude } = unit ?? infoOf(site) ?? {};
	const url = mapUrl(latitude, longitude);
	return {
		event,
		siteId,
		siteName,
		...(unit && { unitId: unit.unitId, unitName: unit.unitName }),
		changes,
		...(distance !== undefined && { distance }),
		summary: summarize(change),
		...(url !== undefined && { mapUrl: url }),
		detectedAt,
		...(unit ? { unit } : { site }),
	};
}
