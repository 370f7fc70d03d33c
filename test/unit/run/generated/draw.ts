import { ownSeconds } from './own-time';
import {
	TOKEN,
	type Bad,
	type Kind,
	type Limit,
	type Outage,
	type Plan,
	type TokenTrouble,
	type Trouble,
} from './plan';
import { Random } from './random';

const PASSING = [500, 502, 503, 520, 529, 'reset'] as const;
const STRAY: Pick<Bad, 'kind' | 'retryAfter'>[] = [
	{ kind: 429, retryAfter: 1 },
	{ kind: 503 },
	{ kind: 'reset' },
	{ kind: 401 },
	{ kind: 503, retryAfter: 2 },
];

function drawBad({ weigh, pick, between, chance, int, log }: Random, sites: number): Bad {
	const kind = weigh<Kind>(
		[4, 401],
		[3, 403],
		[2, 404],
		[1, 410],
		[1, 302],
		[8, pick<Kind>(...PASSING)],
		[2, 503],
		[2, 'hang'],
		[1, 'garbage'],
	);
	const where = pick('scattered', 'scattered', 'first', 'block', 'few');
	const share = where === 'few' ? int(1, 3) / sites : log(0.01, 0.8);
	const mayPass = typeof kind === 'number' ? kind >= 500 : kind === 'reset';
	return {
		is: 'bad',
		kind,
		...(kind === 503 && chance(0.4) && { retryAfter: chance(0.15) ? 90 : int(1, 5) }),
		where: where === 'few' ? 'block' : where,
		share,
		from: int(1, Math.max(1, Math.round(sites * (1 - share)))),
		delay: chance(0.7) ? 0 : between(0.2, 4),
		times: mayPass && chance(0.2) ? int(1, 2) : Infinity,
	};
}

function drawLimit({ weigh, pick, chance, int, log }: Random): Limit {
	const rate = log(1, 100);
	const [by, size, pace] = weigh<[Limit['by'], number, number]>(
		[2, ['window', Math.max(1, Math.round(rate)), 1]],
		[1, ['window', 100, 20]],
		[1, ['window', 100, 60]],
		[1, ['window', int(4, 40), int(5, 30)]],
		[2, ['bucket', 1, rate]],
		[3, ['bucket', Math.round(log(2, 200)), rate]],
	);
	const status = weigh<Limit['status']>([6, 429], [3, 503], [1, 403]);
	return {
		is: 'limit',
		by,
		size,
		pace,
		status,
		retryAfter: pick('none', 'seconds', 'date'),
		isUsedUp: chance(0.15),
		// A 403 would be a refused login, which is not repeated
		isForLogins: status !== 403 && chance(0.15),
	};
}

function drawOutage(random: Random, sites: number): Outage {
	const { weigh, pick, between, chance, int } = random;
	// For maintenance, a gateway sends a page of its own
	if (chance(0.1)) {
		const page = { kind: pick<Kind>('garbage', 302), from: int(2, sites + 1), share: 1 };
		return { is: 'outage', side: 'data', ...page, seconds: between(1, 25) };
	}
	const side = weigh<Outage['side']>([4, 'all'], [4, 'data'], [3, 'token']);
	const atLogin = pick<Kind>(500, 503, 429, 401, 'hang', 'garbage', 502, 'reset');
	const kind = side === 'token' ? atLogin : pick<Kind>(502, 503, 500, 'reset', 'refused', 'hang');
	const isForEver = chance(0.2);
	const retryAfter = isForEver && chance(0.3) ? 3600 : int(1, 10);
	return {
		is: 'outage',
		side,
		kind,
		...((kind === 429 || kind === 503) && chance(0.4) && { retryAfter }),
		from: chance(side === 'token' ? 0.8 : 0.4) ? 0 : int(1, sites),
		seconds: isForEver ? Infinity : between(1, 25),
		share: side !== 'token' && !isForEver && chance(0.25) ? between(0.1, 0.8) : 1,
	};
}

function drawToken({ weigh, pick, between, chance, int }: Random, sites: number): TokenTrouble {
	const well = { ...TOKEN, isSingle: chance(0.3) };
	const late = chance(0.25) ? between(0.2, 3) : 0;
	return {
		...well,
		...weigh<Partial<TokenTrouble>>(
			[3, { lifetime: between(6, 60), late }],
			[4, { revokedAt: Array.from({ length: int(1, 2) }, () => int(1, sites)), late }],
			[3, { late: between(0.2, 3) }],
			[2, { oneServer: pick(between(0.3, 3), Infinity) }],
			[1, { isNeverAccepted: true }],
			[1, { uses: Math.max(40, int(sites / 8, sites)) }],
		),
	};
}

function drawTrouble(random: Random, sites: number): Trouble {
	const { weigh, pick, between, chance, int, log } = random;
	const some = (most: number) => Array.from({ length: int(1, most) }, () => int(1, sites));
	return weigh<() => Trouble>(
		[26, () => drawBad(random, sites)],
		[22, () => drawLimit(random)],
		[20, () => drawOutage(random, sites)],
		[15, () => drawToken(random, sites)],
		[6, () => ({ is: 'stray', ...pick(...STRAY), at: some(5) })],
		[6, () => ({ is: 'workers', count: int(1, 8), seconds: between(0.02, 0.2) })],
		[4, () => ({ is: 'slow', share: chance(0.2) ? 1 : between(0.05, 0.6), seconds: log(0.5, 10) })],
		[
			4,
			() => {
				const from = chance(0.2) ? int(1, sites) : Infinity;
				const at = pick([], some(sites / 4));
				return { is: 'n8n', sites: pick([], some(3)), at, from };
			},
		],
	)();
}

function drawMode({ weigh, log, between }: Random): Plan['mode'] {
	return weigh<Plan['mode']>(
		[84, { is: 'run' }],
		[5, { is: 'stop', after: log(0.01, 60) }],
		[7, { is: 'polls' }],
		[4, { is: 'three', apart: between(0, 1) }],
	);
}

/** A service as chance has it. */
export function draw(seed: number): Plan {
	const random = new Random(seed, 1);
	const { weigh, pick, between, chance, int, log } = random;
	const count = weigh([14, 0], [44, 1], [28, 2], [14, 3]);
	const mode = drawMode(random);
	const sites = Math.round(chance(0.2) ? between(300, 1000) : log(1, 1000));
	const isThree = mode.is === 'three';
	const troubles: Trouble[] = [];
	while (troubles.length < (isThree ? 1 : count)) {
		const next = isThree ? drawLimit(random) : drawTrouble(random, sites);
		// One clock of tokens, one set of workers
		const isOnly = ['token', 'workers', 'slow', 'n8n'].includes(next.is);
		if (!isOnly || troubles.every(({ is }) => is !== next.is)) troubles.push(next);
	}
	const latency = Math.round(log(3, 200));
	const isPolls = mode.is === 'polls';
	const plan: Plan = {
		seed,
		// Three runs take long enough with 200 sites each
		sites: isThree ? Math.min(200, sites) : sites,
		latency,
		jitter: latency * pick(0.05, 0.05, 0.3, 1),
		maxConcurrency: isPolls || chance(0.85) ? 128 : Math.round(log(1, 500)),
		maxRetries: isPolls ? 1 : chance(0.8) ? 3 : int(0, 5),
		timeout: isPolls ? 10_000 : pick(30_000, 30_000, 30_000, 30_000, 10_000, 5000),
		longestWait: isPolls ? 30_000 : 60_000,
		token: pick('none', 'valid', 'expired'),
		clockAhead: chance(0.2) ? pick(-600, 600) : 0,
		isProxied: chance(0.02),
		repeated: { every: chance(0.1) ? int(1, 5) : 0, differs: chance(0.5) },
		mode,
		troubles,
		rejection: chance(0.7) ? 401 : pick<Kind>(403, 400, 498, 'garbage'),
		isSiteFirst: chance(0.5),
		work: chance(0.2) ? between(0, 5) : 0,
	};
	// Nobody waits for longer
	while (ownSeconds(plan) > 1800) plan.sites = Math.ceil(plan.sites / 2);
	return plan;
}
