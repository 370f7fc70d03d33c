import { Farm, range } from './farm';

/** A service that accepts tokens as a test says; which of its sites are closed with 401. */
const farmOf = (
	isGood: (token: number, at: number) => boolean,
	isClosed = (_site: number) => false,
) =>
	new Farm(({ site, token, at }) => ({ status: isGood(token, at) && !isClosed(site) ? 200 : 401 }));

test.each([1, 200])('an expired token costs one login, and no time: %i sites', async (count) => {
	const farm = farmOf((token) => token === 1);
	await farm.read(range(count));
	expect([farm.logins, farm.unread]).toEqual([1, []]);
	expect(farm.sent.length).toBeLessThan(count + 64);
	expect(farm.clock.now()).toBeLessThan(150);
});

test('a token that is known 1.5 s late: a closed site is no other sign of it, and is requested twice', async () => {
	const isClosed = (site: number) => site > 100 && site % 20 === 0;
	const farm = farmOf((token, at) => token === 1 && at >= 1500, isClosed);
	await farm.read(range(200), undefined, { maxRetries: 3 });
	expect([farm.logins, farm.unread]).toEqual([1, range(200).filter(isClosed)]);
	expect(farm.sent.filter(({ site, at }) => at >= 1500 && isClosed(site))).toHaveLength(10);
});

test('what an old token is accepted for late says nothing about the new one', async () => {
	const farm = new Farm(({ token, at }) => {
		if (token === 0) return at < 50 ? { status: 200, takes: 1000 } : { status: 401 };
		return { status: at < 2500 ? 401 : 200 };
	});
	await farm.read(range(200));
	expect([farm.logins, farm.unread]).toEqual([1, []]);
});

test('sites that were rejected with a replaced token say why the run ended', async () => {
	const farm = new Farm(({ token }) => (token === 0 ? { status: 401 } : {}));
	await farm.read(range(200));
	for (const { is } of Object.values(farm.results))
		expect(is).toMatch(/^(The connection to the service was lost|Not requested because)/);
});

test('tokens that are never accepted: at most four logins, one sentence', async () => {
	const farm = farmOf(() => false);
	await farm.read(range(200));
	const sentences = new Set(Object.values(farm.results).map(({ is }) => is));
	expect([...sentences]).toEqual(['The service rejected a newly issued access token']);
	expect(farm.logins).toBeLessThanOrEqual(4);
	expect(farm.clock.now()).toBeLessThan(15_000);
	expect(farm.sent.length).toBeLessThan(200);
});
