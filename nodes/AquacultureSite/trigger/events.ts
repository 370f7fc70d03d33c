import { mapUrl } from '../site/position';
import { infoOf } from '../site/site';
import type { Change } from './changes';
import { summarize } from './summary';

/** One thing that changed, as the trigger emits it. */
export type SiteEvent = ReturnType<typeof toEvent>;

/** @param detectedAt ISO 8601 */
export function toEvent(change: Change, detectedAt: string) {
	const { event, site, unit, changes, distance } = change;
	const url = mapUrl(unit ?? infoOf(site));
	return {
		event,
		siteId: site.siteId,
		siteName: site.siteName,
		...(unit && { unitId: unit.unitId, unitName: unit.unitName }),
		changes,
		...(distance !== undefined && { distance }),
		// One plain sentence, e.g. for a chat message
		summary: summarize(change),
		...(url !== undefined && { mapUrl: url }),
		detectedAt,
		...(!unit && { site }),
		...(unit && { unit }),
	};
}
