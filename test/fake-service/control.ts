import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Fault, FAULT_KEYS, type Faults } from './faults';
import type { Service } from './service';
import type { Site } from './sites';

export const CONTROL_PATH = '/_control';

function checkedFaults(list: unknown): Fault[] {
	if (!Array.isArray(list)) throw new Error('token and site each take a list of faults.');
	const unknown = list
		.flatMap((fault) => Object.keys(fault as object))
		.find((key) => !(FAULT_KEYS as readonly string[]).includes(key));
	if (unknown === undefined) return list as Fault[];
	throw new Error(`A fault has no '${unknown}'. It may have: ${FAULT_KEYS.join(', ')}.`);
}

/** What may be switched by a POST to `/_control/<name>`; each takes the body as parsed JSON. */
const switches: Record<string, (service: Service, body: unknown) => void> = {
	/** Replaces the lists that are named: `{ "site": [ { "status": 503, "times": 2 } ] }`. */
	faults({ faults }, body) {
		const { token = faults.token, site = faults.site, ...others } = body as Partial<Faults>;
		const checked = { token: checkedFaults(token), site: checkedFaults(site) };
		const unknown = Object.keys(others).find((key) => key !== 'tokenLifetime');
		if (unknown !== undefined) {
			throw new Error(`There is no '${unknown}'. There are token, site and tokenLifetime.`);
		}
		Object.assign(faults, checked, others);
	},
	/** Adds a site, or puts it in the place of the one with its siteId. */
	sites({ sites }, body) {
		const site = body as Site;
		if (!Number.isInteger(site?.siteId)) throw new Error('A site needs a siteId, a whole number.');
		const place = sites.findIndex(({ siteId }) => siteId === site.siteId);
		sites.splice(place < 0 ? sites.length : place, 1, site);
	},
	'expire-tokens': (service) => service.expireTokens(),
	reset: (service) => service.reset(),
};

function carryOut(service: Service, request: IncomingMessage, body: string | undefined): unknown {
	const name = request.url!.slice(CONTROL_PATH.length + 1);
	if (request.method === 'GET' && name === 'requests') return service.requests;
	if (request.method === 'POST') {
		if (!Object.hasOwn(switches, name)) {
			throw new Error(
				`There is no switch '${name}'. There are: ${Object.keys(switches).join(', ')}.`,
			);
		}
		switches[name]!(service, JSON.parse(body || '{}'));
	}
	const { baseUrl, counts, faults, sites } = service;
	return { baseUrl, counts, faults, sites };
}

/**
 * The switches over HTTP, for a service that runs on its own: GET shows the state (`/_control/requests`: the requests),
 * POST `/_control/<switch>` changes it and shows it. Neither recorded nor counted.
 */
export function answerControl(
	service: Service,
	request: IncomingMessage,
	body: string | undefined,
	response: ServerResponse,
): void {
	let status = 200;
	let result: unknown;
	try {
		result = carryOut(service, request, body);
	} catch (error) {
		status = 400;
		result = { message: (error as Error).message };
	}
	response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
	response.end(`${JSON.stringify(result, undefined, '\t')}\n`);
}
