import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';
import {
	type RecordedRequest,
	type Service,
	type ServiceOptions,
	startService,
} from '../fake-service/service';
import type { Site } from '../fake-service/sites';
import { defined } from '../helpers/at';
import { type FakeClock, skipIdleTime } from '../helpers/fake-clock';
import { own } from '../helpers/own';
import { createEngine, type Engine, type NodeResult, type TestNode } from './engine';

/** What the user of these tests calls the credential. */
export const CREDENTIAL = 'Sea farm';

/** An n8n just started, whose user has entered the address and the login of a service in one credential. */
export async function seaFarm(
	{ baseUrl, login }: Pick<Service, 'baseUrl' | 'login'>,
	typedInstead: ICredentialDataDecryptedObject = {},
): Promise<Engine> {
	return await createEngine({
		credentials: { [CREDENTIAL]: { baseUrl, ...login, ...typedInstead } },
	});
}

/** The node Aquaculture Site; `rest` holds its settings (On Error, …). */
export function siteNode(parameters: INodeParameters, rest: Partial<TestNode> = {}): TestNode {
	return { type: 'n8n-nodes-aquaculture.aquacultureSite', parameters, ...rest };
}

/** n8n's HTTP Request node with this credential as its "Predefined Credential Type". */
export function httpRequestNode(url: string, rest: Partial<TestNode> = {}): TestNode {
	const parameters = { url, nodeCredentialType: 'aquacultureApi' };
	return { type: 'n8n-nodes-base.httpRequest', parameters, ...rest };
}

/** One input item for each value, as its field `id`. */
export function itemsWith(ids: readonly unknown[]) {
	return ids.map((id) => ({ json: { id: id as never } }));
}

/** The data of the items on the regular output. */
export function dataOf({ items }: Pick<NodeResult, 'items'>): IDataObject[] {
	return items.map(({ json }) => json);
}

/** A service of this test alone, and an n8n that has just started. */
class SeaFarm {
	service!: Service;

	engine!: Engine;

	clock!: FakeClock;

	/** A site of the service, to be changed. */
	site(siteId: number): Site {
		return defined(this.service.sites.find((site) => site.siteId === siteId));
	}

	/** The requests for sites, oldest first. */
	get siteRequests(): RecordedRequest[] {
		return this.service.requests.filter(({ endpoint }) => endpoint === 'site');
	}

	/** Runs an operation of the node on input items whose `id` holds the site IDs; a site is returned as it was sent. */
	async run(
		parameters: INodeParameters,
		ids: readonly unknown[] = [1042],
		{ signal, ...settings }: Partial<TestNode> & { signal?: AbortSignal } = {},
	): Promise<NodeResult> {
		const id = '={{ $json.id }}';
		const node = siteNode({ siteId: id, siteIds: id, simplify: false, ...parameters }, settings);
		return await this.engine.run({ node, items: itemsWith(ids), signal });
	}
}

/**
 * To be called once in a test file, outside of its tests. Each test has its own service and n8n, and a time that passes as
 * soon as there is nothing else to do: no test is longer, or another one, on a slow machine.
 */
export function useSeaFarm(options?: ServiceOptions): SeaFarm {
	const farm = new SeaFarm();
	beforeEach(async () => {
		farm.service = await own(startService(options));
		farm.engine = await seaFarm(farm.service);
		farm.clock = skipIdleTime();
	});
	return farm;
}
