import type { Engine } from '../engine/engine';
import { startService } from '../fake-service/service';
import type { RecordedRequest, Service } from '../fake-service/service';
import type { Site } from '../fake-service/sites';
import { defined } from './at';
import { seaFarm } from './sea-farm';

// A busy machine takes its time
jest.setTimeout(30_000);

/** A service, put back to its start before each test, and an n8n that has just started. */
class SeaFarm {
	service!: Service;

	engine!: Engine;

	/** A site of the service, to be changed. */
	site(siteId: number): Site {
		return defined(this.service.sites.find((site) => site.siteId === siteId));
	}

	/** The requests for sites, oldest first. */
	get siteRequests(): RecordedRequest[] {
		return this.service.requests.filter(({ endpoint }) => endpoint === 'site');
	}
}

/** To be called once in a test file, outside of its tests. */
export function useSeaFarm(): SeaFarm {
	const farm = new SeaFarm();
	beforeAll(async () => {
		farm.service = await startService();
	});
	beforeEach(async () => {
		farm.service.reset();
		farm.engine = await seaFarm(farm.service);
	});
	afterAll(async () => await farm.service.close());
	return farm;
}
