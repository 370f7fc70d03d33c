import { Farm, range, type Sent } from './farm';

/** A service that accepts tokens as a test says; which of its sites are closed with 401. */
const farmOf = (isGood: (token: number, at: number) => boolean, isClosed = (_: number) => false) =>
	new Farm(({ site, token, at }) => ({ status: isGood(token, at) && !isClosed(site) ? 200 : 401 }));

// Which status says that a token has ended is not specified
test.each([{ status: 401 }, { status: 403 }, { status: 498 }, { status: 200, body: {} }])(
	'an expired token costs one login, and no time: %j',
	async (rejection) => {
		for (const count of [1, 2, 200]) {
			// Every third one is rejected only when there is a new token
			const rejected = ({ site }: Sent) => ({ ...rejection, takes: [50, 5, 7][site % 3] });
			const farm = new Farm((sent) => (sent.token === 1 ? { status: 200 } : rejected(sent)));
			await farm.read(range(count));
			expect([farm.logins, farm.unread]).toEqual([1, []]);
			expect(farm.sent.length).toBeLessThan(count + 80);
			expect(farm.clock.now()).toBeLessThan(150);
		}
	},
);

test.each([403, 498])('a token that ends in mid-run, by %i: a login tells', async (status) => {
	const farm = new Farm(({ token, at }) => ({ status: token === 0 && at >= 20 ? status : 200 }));
	await farm.read(range(200));
	expect([farm.logins, farm.unread]).toEqual([1, []]);
	expect(farm.clock.now()).toBeLessThan(2000);
});

test('that a site is missing says nothing about the token', async () => {
	const isMissing = (site: number) => site % 5 > 0;
	const farm = new Farm(({ site, token }) => ({
		status: isMissing(site) ? 404 : token === 1 ? 200 : 401,
	}));
	await farm.read(range(200));
	expect([farm.logins, farm.unread]).toEqual([1, range(200).filter(isMissing)]);
});

test('a token that is known 1.5 s late: a closed site is no other sign of it, and is requested twice', async () => {
	const isClosed = (site: number) => site > 100 && site % 20 === 0;
	const farm = farmOf((token, at) => token === 1 && at >= 1500, isClosed);
	await farm.read(range(200), undefined, { maxRetries: 3 });
	expect([farm.logins, farm.unread]).toEqual([1, range(200).filter(isClosed)]);
	expect(farm.sent.filter(({ site, at }) => at >= 1500 && isClosed(site))).toHaveLength(10);
});

test('what an old token is accepted for late says nothing about the new one', async () => {
	const farm = new Farm(({ site, token, at }) => {
		if (token === 0) return at < 50 ? { status: 200, takes: 1000 } : { status: 401 };
		return { status: at < 2500 || site === 150 ? 401 : 200 };
	});
	await farm.read(range(200));
	expect([farm.logins, farm.unread]).toEqual([1, [150]]);
	expect(farm.sent.filter(({ site, at }) => site === 150 && at >= 2500).length).toBeLessThan(3);
});

test('sites that were rejected with a replaced token say why the run ended', async () => {
	const farm = new Farm(({ token }) => (token === 0 ? { status: 401 } : {}));
	await farm.read(range(200));
	for (const { is } of Object.values(farm.results))
		expect(is).toMatch(/^(The connection to the service was lost|Not requested because)/);
});
