import { at } from '../helpers/at';
import type { Faults } from './faults';
import { degrees, type Site, type Unit } from './sites';

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
	/** Told of each change, by its name. */
	onControl?: (name: string) => void;
}

/** 120 m on any meridian. */
const MOVE_DEGREES = 0.00108;

/** A unit of the first sample site. */
const unitOf = (sites: Site[], index: number): Unit => at(at(sites, 0).units, index);

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
	'move-pen': ({ sites }) => {
		const unit = unitOf(sites, 6);
		unit.latitude = degrees((unit.latitude ?? 0) + MOVE_DEGREES);
	},
	'rename-unit': ({ sites }) => {
		const unit = unitOf(sites, 1);
		const [name = ''] = unit.unitName.split(' South');
		unit.unitName = unit.unitName === name ? `${name} South` : name;
	},
	break: ({ faults }) =>
		Object.assign(faults, { token: [{ status: 503 }], site: [{ status: 503 }] }),
	mend: ({ faults }) => Object.assign(faults, { token: [], site: [] }),
};

/** What the actions without a body do. */
export const ACTIONS = {
	'move-pen': 'Moves Pen 7 of Storholmen 120 m to the north',
	'rename-unit': 'Renames Pen 2 of Storholmen to Pen 2 South, or back',
	break: 'Breaks the service: it responds with status 503',
	mend: 'Mends the service',
} as const;

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
		service.onControl?.(name);
	}
	const { baseUrl, counts, faults, requests, sites } = service;
	return name === 'requests' ? requests : { baseUrl, counts, faults, sites };
}
