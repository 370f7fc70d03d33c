import { useSeaFarm } from '../tools/engine/sea-farm';
import { refusalBeyond } from '../tools/fake-service/limit';
import { manySites } from '../tools/fake-service/sites';
import { bucket } from '../tools/helpers/limiters';

const MINUTE = 60_000;
const [COUNT, POLLS] = [100, 8];
const SITES = manySites(COUNT);
/** As many as may be in flight before anything is known of the limit. */
const MOST_REFUSED = 128;

const farm = useSeaFarm({ sites: SITES });

test(`${COUNT} sites, polled each minute at a service that accepts 30 requests a minute and refuses the others with 503: each site has its turn, and none is said to be unreadable`, async () => {
	const { service, clock } = farm;
	const start = clock.now();
	// As nginx does unless it is told otherwise
	service.faults.site.push(refusalBeyond(bucket(11, 0.5), false, 503));
	const trigger = farm.engine.pollingTrigger({
		type: 'n8n-nodes-aquaculture.aquacultureSiteTrigger',
		parameters: { siteIds: SITES.map(({ siteId }) => siteId).join() },
	});
	const failures: string[] = [];
	await trigger.activate();
	for (let poll = 1; poll < POLLS; poll++) {
		await clock.sleep(start + poll * MINUTE - clock.now());
		await trigger.poll().catch((error: unknown) => failures.push((error as Error).message));
	}

	expect(failures).toEqual([]);
	const read = farm.siteRequests.filter(({ status }) => status === 200);
	expect(new Set(read.map(({ siteId }) => siteId)).size).toBe(SITES.length);
	expect(farm.siteRequests.length - read.length).toBeLessThanOrEqual(POLLS * MOST_REFUSED);
});
