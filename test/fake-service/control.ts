import type { Faults } from './faults';
import type { Site } from './sites';

export const CONTROL_PATH = '/_control';

/** What can be seen and changed of a service. */
interface Service {
	readonly baseUrl: string;
	readonly counts: unknown;
	readonly requests: unknown;
	readonly faults: Faults;
	readonly sites: Site[];
	expireTokens: () => void;
	reset: () => void;
}

/** What a POST to `/_control/<name>` can change; each takes the body as parsed JSON. */
const actions: Record<string, (service: Service, body: unknown) => void> = {
	/** Replaces what is named: `{ "site": [ { "status": 503, "times": 2 } ] }`. */
	faults: ({ faults }, body) => Object.assign(faults, body as Partial<Faults>),
	/** Adds a site, or replaces the one with the same siteId. */
	sites({ sites }, body) {
		const site = body as Site;
		const index = sites.findIndex(({ siteId }) => siteId === site.siteId);
		sites.splice(index < 0 ? sites.length : index, 1, site);
	},
	'expire-tokens': (service) => service.expireTokens(),
	reset: (service) => service.reset(),
};

/**
 * Control over HTTP, for a service that runs on its own: POST `/_control/<name>` changes it, and GET shows its state
 * (`/_control/requests`: the requests). These requests are neither recorded nor counted.
 *
 * @returns what to respond, as JSON
 * @throws when there is no such action, or the body is not JSON
 */
export function control(service: Service, method = 'GET', url = '', body = ''): unknown {
	const name = url.slice(CONTROL_PATH.length + 1);
	if (method === 'POST') {
		const action = actions[name];
		if (!action) throw new Error(`There is no '${name}', but ${Object.keys(actions).join(', ')}.`);
		action(service, JSON.parse(body || '{}'));
	}
	const { baseUrl, counts, faults, requests, sites } = service;
	return name === 'requests' ? requests : { baseUrl, counts, faults, sites };
}
