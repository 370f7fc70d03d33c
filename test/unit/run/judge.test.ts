import { type Answer, Farm, range, type Sent } from './farm';

const OK = { status: 200 };
const asked = (seconds: number) => ({ status: 503, headers: { 'retry-after': String(seconds) } });
const isOdd = ({ site }: Sent) => site % 2 === 1;

/** What comes of sites 1 to 100, each with one try of its own. */
async function read(answer: (sent: Sent) => Answer, count = 100): Promise<Farm> {
	const farm = new Farm(answer);
	await farm.read(range(count));
	return farm;
}

/** A limit without a burst: milliseconds from one request that it lets through to the next. */
function oneEvery(interval: number, refusal: Answer) {
	let next = 0;
	return ({ at }: Sent) => {
		if (at < next) return refusal;
		next = at + interval;
		return OK;
	};
}

test('a failure is that of a site once a control was accepted, and not before', async () => {
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
	[4, { status: 500 }],
	[1, { status: 500 }, 0],
	[4, {}],
	[4, { status: 503, headers: { 'retry-after': '1' } }],
	[8, { status: 429 }],
	[8, { status: 403, headers: { 'retry-after': '1' } }],
	[2, { status: 401 }],
	[2, { status: 403 }],
	[1, { status: 403 }, 0],
	[2, { status: 302 }],
	[2, { status: 501 }],
	[2, { status: 200, body: '<html>' }],
	[1, { status: 404 }],
])('a site is requested %i times if it fails with %j', async (times, failure, maxRetries = 3) => {
	const isBad = ({ site }: Sent) => site > 10 && site <= 15;
	const farm = new Farm((sent) => (isBad(sent) ? failure : OK));
	await farm.read(range(100), undefined, { maxRetries });
	expect(farm.unread).toEqual(range(5, 11));
	expect(farm.sent.filter(isBad)).toHaveLength(5 * times);
	expect(farm.logins).toBe(0);
});

test.each([302, 401])('a site is read while others are probes: %i ends no run', async (status) => {
	const farm = new Farm(({ site }) => (site === 2 || site === 6 ? OK : { status }));
	// The second site is on its way when the first one fails
	await farm.read(range(6), farm.service('0', { maxConcurrency: 1 }));
	expect(farm.unread).toEqual([1, 3, 4, 5]);
	expect(farm.logins).toBe(0);
});

describe('a trial excuses', () => {
	const during = (from: number, to: number, failure: Answer) => (sent: Sent) =>
		// Those that were sent first take the longest
		sent.at >= from && sent.at < to ? failure : { status: 200, takes: 101 - sent.site };
	const PAGE = { status: 200, body: '<html><p>Sample</p>' };
	const CAUSES = [{ status: 429 }, { status: 502 }, { status: 503 }, {}, { status: 302 }, PAGE];

	test('all that a control got, one after the other', async () => {
		const farm = await read(({ at }) =>
			at < 20 || at > 5000 ? OK : (CAUSES[Math.ceil(at) % 4] ?? OK),
		);
		expect(farm.unread).toEqual([]);
		expect(farm.sent.length).toBeLessThan(300);
	});

	test.each(CAUSES)('what a site got past: %j, at the start', async (failure) => {
		const farm = await read(during(0, 5000, failure));
		expect(farm.unread).toEqual([]);
		expect(farm.sent.length).toBeLessThan(300);
	});
});

test.each([
	[{ status: 502 }, 600],
	[{}, 600],
	[{ takes: 9000 }, 700],
])('a service bears ten at once, others get %j', async (failure, requests) => {
	const ends: number[] = [];
	const farm = new Farm(({ at }) => {
		if (ends.filter((end) => end > at).length >= 10) return failure;
		ends.push(at + 100);
		return { status: 200, takes: 100 };
	});
	await farm.read(range(400), undefined, { maxRetries: 3, timeout: 1000 });
	expect(farm.unread).toEqual([]);
	expect(farm.sent.length).toBeLessThan(requests);
});

test.each([
	[401, ({ at }: Sent) => at > 1000 && at < 1010],
	[419, ({ at, token }: Sent) => at > 1000 && token === 0],
])('a token that is rejected with %i says nothing about the load', async (status, isRejected) => {
	const answer = (sent: Sent) => (isRejected(sent) ? { status } : { status: 200, takes: 100 });
	const farm = await read(answer, 3000);
	expect(farm.unread).toEqual([]);
	expect(farm.clock.now()).toBeLessThan(3200);
});

test.each([429, 503, 403])('sites that answer %i once slow nothing down', async (status) => {
	const asked = new Set<number>();
	const farm = new Farm((sent) => {
		const isFirst = isOdd(sent) && !asked.has(sent.site);
		asked.add(sent.site);
		return isFirst ? { status } : OK;
	});
	await farm.read(range(400), undefined, { maxRetries: 1 });
	expect(farm.unread).toEqual([]);
	expect(farm.clock.now()).toBeLessThan(10_000);
});

test('a limit of one request in 0.7 seconds refuses few, and no site is lost', async () => {
	const farm = await read(oneEvery(700, { status: 429 }), 300);
	expect(farm.sent.length).toBeLessThan(450);
	expect(farm.unread).toEqual([]);
});

test('a site alone is sent again after 1, 2, and 4 seconds', async () => {
	const farm = new Farm(({ at }) => (at < 6500 ? { status: 503 } : OK));
	await farm.read([1], undefined, { maxRetries: 3 });
	const seconds = farm.sent.map(({ at }) => Math.floor(at / 1000));
	expect([farm.unread, seconds]).toEqual([[], [0, 1, 3, 7]]);
});

test('Retry-After is waited for by the site alone if others are read, and it is not too long', async () => {
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
	[{ status: 502, headers: { 'retry-after': '1' } }, 90, 'unavailable'],
	[{ status: 429 }, 90, 'refusing requests'],
])('%j for ever in mid-run: given up after %i seconds', async (failure, seconds, state) => {
	const farm = await read(({ at }) => (at < 20 ? OK : failure), 1000);
	expect(farm.unread.length).toBeGreaterThan(900);
	expect(farm.clock.now()).toBeLessThan(1000 * (seconds + 10));
	expect(farm.clock.now()).toBeGreaterThan(1000 * (seconds - 5));
	expect(farm.results[1000]?.is).toBe(`Not requested because the service is ${state}`);
	expect(farm.sent.length).toBeLessThan(300);
});

test('while the service asks to wait, nothing is sent', async () => {
	const farm = await read(({ at }) => (at > 20 && at < 15_000 ? asked(20) : OK), 1000);
	expect(farm.unread).toEqual([]);
	expect(farm.sent.filter(({ at }) => at > 500 && at < 20_000)).toEqual([]);
});

test('before it gives up, it logs in if one of two servers says what may be that of the token', async () => {
	const isEnded = ({ at, token }: Sent) => at > 20 && token === 0;
	const farm = new Farm((sent) => (isEnded(sent) ? { status: isOdd(sent) ? 502 : 302 } : OK));
	await farm.read(range(100), undefined, { maxRetries: 1 });
	expect([farm.logins, farm.unread]).toEqual([1, []]);
});

test('a failure that no retry helps with, of all sites, ends a run within 31 s', async () => {
	const farm = await read(() => ({ status: 302, takes: 50 }), 300);
	expect(farm.clock.now()).toBeLessThan(31_000);
	expect(farm.sent.length).toBeLessThanOrEqual(128);
	const others = 'Not requested because the service is refusing requests';
	const said = new Set(Object.values(farm.results).map(({ is }) => is));
	expect(said).toEqual(new Set(['The service redirects to another address', others]));
});

test.each([OK, asked(3600)])('too long a wait ends a run: %j', async (first) => {
	const later = ({ site }: Sent) => (first === OK && site % 10 < 1 ? { status: 500 } : asked(3600));
	const farm = await read((sent) => (sent.at < 20 ? first : later(sent)), 1000);
	expect(farm.clock.now()).toBeLessThan(500);
	expect([farm.sent.length < 200, farm.logins]).toEqual([true, 0]);
	const sentences = farm.unread.map((site) => farm.results[site]?.is);
	const own = first === OK ? ['The service is unavailable (status 500)'] : [];
	expect(new Set(sentences)).toEqual(
		new Set(['The service asked to retry after 60 minutes', ...own]),
	);
});

describe("n8n's own error ends the site that it was thrown for", () => {
	const throws = new Error('The credential cannot be used');

	test('and a trial that is about no other one', async () => {
		const farm = new Farm(({ site, at }) => {
			if (site === 1 && at > 0) return { throws };
			if (site === 2 && at < 5000) return { status: 200, takes: 5000 };
			return at < 9000 ? { status: 502 } : OK;
		});
		const run = await farm.read([1, 2]);
		expect(farm.results[1]?.is).toBe(throws.message);
		// That needs another trial
		await farm.read([3, 4], run);
		expect(farm.unread).toEqual([]);
	});

	test.each([1, 2])(
		'and says nothing of another one, nor of the run: %d in a row',
		async (most) => {
			const wasRead = new Set<number>();
			let controls = 0;
			const farm = await read(({ site, at }) => {
				if (wasRead.has(site) && ++controls <= most) return { throws };
				const isGood = at < 20 || at > 2000;
				if (isGood) wasRead.add(site);
				return { status: isGood ? 200 : 502 };
			});
			expect(controls).toBeGreaterThan(most);
			expect(farm.unread).toEqual([]);
		},
	);
});

test.each([403, 429, 503])(
	'a service that gives each site only once, then says %i, is not given up for one that fails',
	async (status) => {
		const asked = new Set<number>();
		const farm = new Farm(({ site }) => {
			const isFirst = !asked.has(site);
			asked.add(site);
			return { status: site === 5 ? 500 : isFirst ? 200 : status };
		});
		await farm.read(range(400));
		expect(farm.unread).toEqual([5]);
	},
);

test('of five servers that take turns, four that are silent do not end a run', async () => {
	let turn = 0;
	const farm = new Farm(() => (turn++ % 5 === 0 ? OK : { status: 200, takes: 60_000 }));
	await farm.read(range(200), undefined, { maxRetries: 9 });
	// As many as by chance get to those four ten times
	expect(farm.unread.length).toBeLessThan(200 * 0.8 ** 10);
});

test('if one of two servers breaks, with the sites that are odd, all others are read', async () => {
	for (const breaksAt of range(40, 90)) {
		const farm = await read((sent) => {
			const status = isOdd(sent) && sent.at > breaksAt ? undefined : 200;
			return { status, takes: 30 + (sent.site % 7) };
		}, 800);
		expect(farm.unread.filter((site) => site % 2 === 0)).toEqual([]);
	}
});

test('a site that hangs starts no trial while others are read', async () => {
	const farm = new Farm(({ site }) => ({ status: 200, takes: site % 10 === 0 ? 60_000 : 100 }));
	await farm.read(range(1000), farm.service('0', { maxConcurrency: 2 }), { timeout: 1000 });
	expect(farm.unread).toHaveLength(100);
	expect(farm.sent.length).toBeLessThan(1030);
});

test('a site that hangs is told so, even if the tokens end meanwhile', async () => {
	const hangs = { status: 200, takes: 60_000 };
	const farm = new Farm(({ site, at }) => (at > 5000 ? { status: 401 } : site === 7 ? hangs : OK));
	await farm.read(range(20), undefined, { maxRetries: 5, timeout: 1000 });
	expect(farm.unread).toEqual([7]);
	expect(farm.results[7]?.is).toMatch(/^The service did not respond in time/);
});

test.each([{ status: 502 }, asked(3600)])('one of two fails for good: %j', async (failure) => {
	for (const bad of [1, 2]) {
		const farm = new Farm(({ site, at }) =>
			site === bad ? { status: 302 } : at < 3000 ? failure : OK,
		);
		await farm.read([1, 2], undefined, { maxRetries: 3 });
		expect(farm.results[bad]?.is).toBe('The service redirects to another address');
		expect(farm.results[3 - bad]?.is).toBe('read');
	}
});
