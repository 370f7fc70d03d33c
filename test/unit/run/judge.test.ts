import { type Answer, Farm, range, type Sent } from './farm';

const OK = { status: 200 };
const isOdd = ({ site }: Sent) => site % 2 === 1;

/** What comes of sites 1 to 100, each with one try of its own. */
async function read(answer: (sent: Sent) => Answer, count = 100): Promise<Farm> {
	const farm = new Farm(answer);
	await farm.read(range(count));
	return farm;
}

describe('a failure is that of a site', () => {
	test('once a control was accepted that was sent later, and not before', async () => {
		const first = new Set<number>();
		const { results } = await read(({ site }) => {
			const isControl = site === 1 && first.has(site);
			first.add(site);
			return { status: site === 2 ? 500 : 200, takes: isControl ? 3000 : 5 * site };
		}, 3);
		expect(results[2]?.is).toMatch(/^The service is unavailable/);
		expect(results[2]?.at).toBeGreaterThanOrEqual(3000);
		expect(results[3]?.at).toBeLessThan(3000);
	});

	test.each([
		{ status: 500 },
		{ status: 503 },
		{ status: 529 },
		{ status: 403 },
		{ status: 401 },
		{},
	])('if it is that of every other site for ever: %j', async (failure) => {
		const farm = await read((sent) => (isOdd(sent) ? failure : OK));
		expect(farm.unread).toEqual(range(100).filter((site) => site % 2 === 1));
	});
});

test.each([302, 401])(
	'if a site is read while others stand in for a control, their %i ends no run',
	async (status) => {
		const farm = new Farm(({ site }) => (site === 2 || site === 6 ? OK : { status }));
		// The second site is on its way when the first one fails
		await farm.read(range(6), farm.service('0', { maxConcurrency: 1 }));
		expect(farm.unread).toEqual([1, 3, 4, 5]);
		expect(farm.logins).toBe(0);
	},
);

describe('a trial excuses', () => {
	const during = (from: number, to: number, failure: Answer) => (sent: Sent) =>
		sent.at >= from && sent.at < to ? failure : OK;
	const CAUSES = [{ status: 429 }, { status: 502 }, { status: 503 }, {}];

	test.each(CAUSES)('what a site got past: %j, at the start', async (failure) => {
		const farm = await read(during(0, 5000, failure));
		expect(farm.unread).toEqual([]);
		expect(farm.sent.length).toBeLessThan(300);
	});

	test.each(CAUSES)('what a control got, too: %j, in mid-run', async (failure) => {
		const farm = await read(during(20, 5000, failure));
		expect(farm.unread).toEqual([]);
		expect(farm.sent.length).toBeLessThan(300);
	});
});

test('the status that a control got past is the limit, and each site waits alone from then on', async () => {
	// 20 a second; the limit says 503
	const at: number[] = [];
	const farm = await read((sent) => {
		const isOver = at.filter((time) => time > sent.at - 1000).length >= 20;
		if (!isOver) at.push(sent.at);
		return isOver ? { status: 503, takes: 100 } : { status: 200, takes: 100 };
	}, 300);
	expect(farm.unread).toEqual([]);
	expect(farm.clock.now()).toBeLessThan(2 * 15_000);
	expect(farm.sent.length).toBeLessThan(300 + 2 * 64 + 60);
});

test.each([429, 503, 403])(
	'sites that answer %i once, and are well then, slow nothing down',
	async (status) => {
		const asked = new Set<number>();
		const farm = new Farm((sent) => {
			const isFirst = isOdd(sent) && !asked.has(sent.site);
			asked.add(sent.site);
			return isFirst ? { status } : OK;
		});
		await farm.read(range(400), undefined, { maxRetries: 1 });
		expect(farm.unread).toEqual([]);
		expect(farm.clock.now()).toBeLessThan(10_000);
	},
);

test('Retry-After is waited for by the site alone if others are read, and it is not too long', async () => {
	const asked = (seconds: number) => ({ status: 503, headers: { 'retry-after': String(seconds) } });
	const farm = new Farm(({ site, at }) =>
		site === 7 && at < 3000 ? asked(3) : site === 9 ? asked(3600) : OK,
	);
	await farm.read(range(20), undefined, { maxRetries: 1 });
	expect(farm.unread).toEqual([9]);
	expect(farm.results[9]?.is).toBe('The service asked to retry after 60 minutes');
	expect(farm.results[20]?.at).toBeLessThan(3000);
	expect(farm.results[7]?.at).toBeGreaterThanOrEqual(3000);
});

test.each([
	[{ status: 502 }, 30, 'unavailable'],
	[{ status: 429 }, 90, 'refusing requests'],
])(
	'%j for ever in mid-run: given up after %i seconds without a word',
	async (failure, seconds, state) => {
		const farm = await read(({ at }) => (at < 20 ? OK : failure), 1000);
		expect(farm.unread.length).toBeGreaterThan(900);
		expect(farm.clock.now()).toBeLessThan(1000 * (seconds + 10));
		expect(farm.clock.now()).toBeGreaterThan(1000 * (seconds - 5));
		expect(farm.results[1000]?.is).toBe(`Not requested because the service is ${state}`);
		expect(farm.sent.length).toBeLessThan(300);
	},
);
