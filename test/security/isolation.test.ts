import { createEngine } from '../engine/engine';
import { itemsWith, siteNode } from '../helpers/sea-farm';
import { type Service, startService } from '../fake-service/service';
import { manySites } from '../fake-service/sites';

/** Each user reads sites of its own, so that a request tells on whose behalf it was made. */
const SITES_EACH = 12;
const USERS = ['anna@example.com', 'berit@example.com', 'carl@example.com', 'anna@EXAMPLE.com'];
/** So that no timer of a request is one of 60 seconds. */
const REQUEST_TIMEOUT = 20_000;
const logins = USERS.map((username, index) => ({ username, password: `password-${index}` }));
const sites = manySites(SITES_EACH * USERS.length);
const idsOf = (user: number) =>
	sites.slice(user * SITES_EACH, (user + 1) * SITES_EACH).map(({ siteId }) => siteId);

/** The clock of the package; nothing here waits for it. */
let now: number;
/** Two services that know the same users by the same passwords; the second one has a path too. */
let services: Service[];

beforeAll(async () => {
	const options = { sites, login: logins[0], moreLogins: logins.slice(1) };
	services = [await startService(options), await startService({ ...options, basePath: '/api/v2' })];
});
beforeEach(() => {
	for (const service of services) service.reset();
	now = Date.now();
	jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
	await Promise.all(services.map((service) => service.close()));
});

const first = () => services[0]!;

/** An n8n with one credential, whose user has never logged in; all of them share one process. */
async function n8nOf(service: Service, login: { username: string; password: string }, token = '') {
	return await createEngine({
		fresh: false,
		credentials: { Own: { baseUrl: service.baseUrl, ...login, accessToken: token } },
	});
}

type N8n = Awaited<ReturnType<typeof n8nOf>>;

async function read(n8n: N8n, ids: readonly number[]) {
	return await n8n.run({
		node: siteNode(
			{ operation: 'get', siteId: '={{ $json.id }}', options: { timeout: REQUEST_TIMEOUT } },
			{ onError: 'continueRegularOutput' },
		),
		items: itemsWith(ids),
	});
}

const errorsOf = ({ items }: Awaited<ReturnType<typeof read>>) =>
	items.flatMap(({ json }) => (json.error === undefined ? [] : [String(json.error)]));

const REFUSED = /The service rejected the username or password/;

test('users and services side by side, with tokens that run out in mid-run: each request has its own user’s token', async () => {
	for (const service of services) {
		let seen = 0;
		// In mid-run every token is unknown from one request to the next
		const expireOnce = () => {
			if (++seen === 20) service.expireTokens();
			return false;
		};
		service.faults.site.push({ when: expireOnce });
	}
	const everyone = services.flatMap((service) =>
		logins.map((login, user) => ({ service, login, user })),
	);
	const results = await Promise.all(
		everyone.flatMap(({ service, login, user }) =>
			// Twice the same credential, as two workflows have it
			[1, 2].map(async () => await read(await n8nOf(service, login), idsOf(user))),
		),
	);

	for (const result of results) {
		expect(errorsOf(result)).toEqual([]);
		expect(result.items).toHaveLength(SITES_EACH);
	}
	for (const service of services) {
		const asked = service.requests.filter(({ endpoint }) => endpoint === 'site');
		expect(asked.length).toBeGreaterThanOrEqual(2 * sites.length);
		const tokens = new Set(service.issuedTokens);
		// Where a token was issued to another user, or by the other service
		const foreign = asked.filter(({ token, siteId }) => {
			const [, claims] = String(token).split('.');
			const { sub } = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as { sub: string };
			return !tokens.has(token!) || !idsOf(USERS.indexOf(sub)).includes(siteId!);
		});
		expect(foreign).toEqual([]);
	}
});

test('the same username with a wrong password, at the same time: no data, and no harm to the other', async () => {
	const wrong = { ...logins[0]!, password: 'wrong' };
	const [good, bad] = await Promise.all([
		read(await n8nOf(first(), logins[0]!), idsOf(0)),
		read(await n8nOf(first(), wrong), idsOf(0)),
	]);
	expect(errorsOf(good)).toEqual([]);
	expect(errorsOf(bad)).toHaveLength(SITES_EACH);
	expect(errorsOf(bad)[0]).toMatch(REFUSED);
	expect(first().counts).toMatchObject({ logins: 1, refusedLogins: 1, sitesServed: SITES_EACH });
});

test('a user whose name and password run into each other is another user', async () => {
	first().logins.push({ username: 'a', password: 'bc' }, { username: 'ab', password: 'c' });
	await read(await n8nOf(first(), { username: 'a', password: 'bc' }), idsOf(0));
	await read(await n8nOf(first(), { username: 'ab', password: 'c' }), idsOf(0));
	expect(first().counts.logins).toBe(2);
});

test('callers whose tokens differ and have all run out: one login for them and for those that come later', async () => {
	const own = { username: 'frida@example.com', password: 'sample' };
	first().logins.push(own);
	first().faults.token.push({ latencyMs: 50 });
	const readWith = async (token: string) => await read(await n8nOf(first(), own, token), [5001]);
	await Promise.all(['one', 'another'].map(readWith));
	for (const token of ['one', 'another']) expect(errorsOf(await readWith(token))).toEqual([]);
	expect(first().counts.logins).toBe(1);
});

test('a password that was mended takes effect at once', async () => {
	const n8n = await n8nOf(first(), { ...logins[1]!, password: 'wrong' });
	expect(errorsOf(await read(n8n, idsOf(1)))[0]).toMatch(REFUSED);
	n8n.editCredential('Own', { password: logins[1]!.password });
	expect(errorsOf(await read(n8n, idsOf(1)))).toEqual([]);
});

test('a password that the service has changed takes effect at once, and the old one gets nothing', async () => {
	const n8n = await n8nOf(first(), logins[2]!);
	await read(n8n, idsOf(2));
	first().logins[2]!.password = 'new password';
	first().expireTokens();
	expect(errorsOf(await read(n8n, idsOf(2)))[0]).toMatch(REFUSED);
	n8n.editCredential('Own', { password: 'new password' });
	expect(errorsOf(await read(n8n, idsOf(2)))).toEqual([]);
	const old = await n8nOf(first(), logins[2]!);
	expect(errorsOf(await read(old, idsOf(2)))[0]).toMatch(REFUSED);
});

describe('what is left of a credential that was deleted', () => {
	const login = logins[0]!;

	// Nobody else may have this login remembered from another test
	beforeEach(() => {
		now += 3_600_000;
	});

	test.each([
		[9_999, 0],
		[10_000, 1],
	])('%i ms later, a login without a token logs in %i times', async (later, expected) => {
		await read(await n8nOf(first(), login), [idsOf(0)[0]!]);
		now += later;
		const before = first().counts.logins;
		await read(await n8nOf(first(), login), [idsOf(0)[0]!]);
		expect(first().counts.logins - before).toBe(expected);
	});

	test.each([
		[59_999, 0],
		[60_000, 1],
	])(
		'%i ms later, one with the token that was replaced logs in %i times',
		async (later, expected) => {
			await read(await n8nOf(first(), login, 'old-token'), [idsOf(0)[0]!]);
			now += later;
			const before = first().counts.logins;
			await read(await n8nOf(first(), login, 'old-token'), [idsOf(0)[0]!]);
			expect(first().counts.logins - before).toBe(expected);
		},
	);

	test('a refused login is asked for again after 60 seconds, not before', async () => {
		const wrong = { ...login, password: 'wrong' };
		const asked: number[] = [];
		for (const later of [0, 59_999, 1]) {
			now += later;
			await read(await n8nOf(first(), wrong), idsOf(0));
			asked.push(first().counts.refusedLogins);
		}
		expect(asked).toEqual([1, 1, 2]);
	});

	/** The timers of 60 seconds, which run out when a test says so. */
	function timersOfAMinute(): AbortController[] {
		const timers: AbortController[] = [];
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
			const timer = new AbortController();
			if (milliseconds === 60_000) timers.push(timer);
			return timer.signal;
		});
		return timers;
	}

	test('after 60 seconds it leaves memory by itself, also where nobody asks any more', async () => {
		const timers = timersOfAMinute();
		const own = { username: 'dora@example.com', password: 'sample' };
		const wrong = { ...own, password: 'wrong' };
		first().logins.push(own);
		const readAsBoth = async () => {
			await read(await n8nOf(first(), own), [idsOf(0)[0]!]);
			await read(await n8nOf(first(), wrong), [idsOf(0)[0]!]);
			return [first().counts.logins, first().counts.refusedLogins];
		};
		expect(await readAsBoth()).toEqual([1, 1]);
		expect(await readAsBoth()).toEqual([1, 1]);
		for (const timer of timers) timer.abort();
		// The clock stands still: whatever is in memory would be taken
		expect(await readAsBoth()).toEqual([2, 2]);
	});

	test('an old login that leaves memory takes no newer one with it', async () => {
		const timers = timersOfAMinute();
		const own = { username: 'emil@example.com', password: 'sample' };
		first().logins.push(own);
		await read(await n8nOf(first(), own, 'oldest'), [idsOf(0)[0]!]);
		first().expireTokens();
		await read(await n8nOf(first(), own, first().issuedTokens.at(-1)), [idsOf(0)[0]!]);
		expect(first().counts.logins).toBe(2);
		timers[0]!.abort();
		await read(await n8nOf(first(), own, 'oldest'), [idsOf(0)[0]!]);
		expect(first().counts.logins).toBe(2);
	});

	test('a hundred logins are remembered, the latest ones', async () => {
		const many = Array.from({ length: 101 }, (_, index) => ({
			username: `user-${index}`,
			password: 'sample',
		}));
		first().logins.push(...many);
		for (const each of many) await read(await n8nOf(first(), each), [idsOf(0)[0]!]);
		const loginsFor = async (user: number) => {
			const before = first().counts.logins;
			await read(await n8nOf(first(), many[user]!), [idsOf(0)[0]!]);
			return first().counts.logins - before;
		};
		expect([await loginsFor(1), await loginsFor(100), await loginsFor(0)]).toEqual([0, 0, 1]);
	});
});
