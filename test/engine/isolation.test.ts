import { createEngine, type NodeResult } from '../tools/engine/engine';
import { dataOf, itemsWith, siteNode } from '../tools/engine/sea-farm';
import type { Login } from '../tools/fake-service/rules';
import { type Service, startService } from '../tools/fake-service/service';
import { manySites } from '../tools/fake-service/sites';
import { at } from '../tools/helpers/at';
import { type FakeClock, skipIdleTime } from '../tools/helpers/fake-clock';
import { own } from '../tools/helpers/own';

/** Each user reads sites of its own, so that a request tells on whose behalf it was made. */
const SITES_EACH = 12;
const USERS = ['anna@example.com', 'berit@example.com', 'carl@example.com', 'anna@EXAMPLE.com'];
const logins = USERS.map((username, index) => ({ username, password: `password-${index}` }));
const sites = manySites(SITES_EACH * USERS.length);
const idsOf = (user: number) =>
	sites.slice(user * SITES_EACH, (user + 1) * SITES_EACH).map(({ siteId }) => siteId);

/** Two services that know the same users by the same passwords; the second one has a path too. */
let services: Service[];
let service: Service;
let clock: FakeClock;

beforeEach(async () => {
	service = await own(startService({ sites }));
	services = [service, await own(startService({ sites, basePath: '/api/v2' }))];
	for (const each of services) each.logins.push(...logins);
	clock = skipIdleTime();
});

/** Reads a user's sites in an n8n with one credential; all of them share one process. */
async function read({ baseUrl }: Service, login: Login, user: number): Promise<NodeResult> {
	const n8n = await createEngine({ fresh: false, credentials: { Own: { baseUrl, ...login } } });
	const node = siteNode(
		{ operation: 'get', siteId: '={{ $json.id }}' },
		{ onError: 'continueRegularOutput' },
	);
	return await n8n.run({ node, items: itemsWith(idsOf(user)) });
}

const errorsOf = (result: NodeResult) =>
	dataOf(result).flatMap(({ error }) => (typeof error === 'string' ? [error] : []));

test('users and services side by side, with tokens that expire in mid-run: each request has the token of its own user', async () => {
	for (const each of services) {
		let seen = 0;
		const expireOnce = () => {
			if (++seen === 20) {
				each.expireTokens();
				// No token expires sooner
				clock.skip(10_000);
			}
			return false;
		};
		each.faults.site.push({ when: expireOnce });
	}
	const everyone = services.flatMap((each) =>
		logins.map((login, user) => ({ service: each, login, user })),
	);
	const results = await Promise.all(
		everyone.flatMap(({ service: own, login, user }) =>
			// Twice the same credential, as two workflows have it
			[1, 2].map(async () => await read(own, login, user)),
		),
	);

	for (const result of results) {
		expect(errorsOf(result)).toEqual([]);
		expect(result.items).toHaveLength(SITES_EACH);
	}
	for (const { requests, issuedTokens } of services) {
		const siteRequests = requests.filter(({ endpoint }) => endpoint === 'site');
		expect(siteRequests.length).toBeGreaterThanOrEqual(2 * sites.length);
		// Their token was issued to another user, or by the other service
		const foreign = siteRequests.filter(({ token = '', siteId = 0 }) => {
			const claims = Buffer.from(at(token.split('.'), 1), 'base64url').toString();
			const { sub } = JSON.parse(claims) as { sub: string };
			return !issuedTokens.includes(token) || !idsOf(USERS.indexOf(sub)).includes(siteId);
		});
		expect(foreign).toEqual([]);
	}
});

test('a user whose name and password run into each other is another user', async () => {
	const alike = [
		{ username: 'a', password: 'bc' },
		{ username: 'ab', password: 'c' },
	];
	service.logins.push(...alike);
	for (const login of [...alike, ...alike]) await read(service, login, 0);
	expect(service.counts.logins).toBe(2);
});
