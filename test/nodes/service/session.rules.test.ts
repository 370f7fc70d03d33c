import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { onAuthorized } from '../../../nodes/AquacultureSite/service/authorization';
import { parseBaseUrl } from '../../../nodes/AquacultureSite/service/baseUrl';
import type { Context, sendWithCredential } from '../../../nodes/AquacultureSite/service/request';
import type { ServiceResponse } from '../../../nodes/AquacultureSite/service/response';
import { Session, type SessionResponse } from '../../../nodes/AquacultureSite/service/session';
import { Stopping } from '../../../nodes/AquacultureSite/service/stopping';
import { defined } from '../../helpers/at';
import { settle } from '../../helpers/fake-clock';

// Which token each request gets, and when no other one is tried. That n8n does its part is shown in session.test.ts

/** A request that waits for its response. */
interface Waiting {
	site: string;
	token: unknown;
	respond: (response: ServiceResponse) => void;
}

let run: Run;

// n8n's part: a login where there is no token, or one that is out of date
jest.mock('../../../nodes/AquacultureSite/service/request', () => {
	const send: typeof sendWithCredential = async (_context, own, _baseUrl, { url }, { onLogin }) => {
		if (own.accessTokenLogin === 'expired') {
			const result = { accessToken: ++run.logins, accessTokenLogin: '' };
			Object.assign(own, result);
			onLogin(result as never);
		}
		onAuthorized.get(own)?.();
		return await new Promise((respond) => {
			run.waiting.push({ site: url, token: own.accessToken, respond });
		});
	};
	return { sendWithCredential: send };
});

/** A run that has begun with token 0; each login brings the next number. */
class Run {
	logins = 0;

	readonly waiting: Waiting[] = [];

	readonly pauses: number[] = [];

	readonly results: Record<string, SessionResponse> = {};

	private readonly session: Session;

	constructor() {
		const credentials = { accessToken: 0, accessTokenLogin: '' } as unknown;
		const stopping = new Stopping();
		jest.spyOn(stopping, 'pause').mockImplementation(async (milliseconds) => {
			this.pauses.push(milliseconds);
			await Promise.resolve();
		});
		this.session = new Session(
			{} as Context,
			credentials as ICredentialDataDecryptedObject,
			parseBaseUrl('https://api.example.com'),
			stopping,
		);
	}

	/** Requests sites, and returns what is on its way, for example A0: site A with token 0. */
	async read(sites: string): Promise<string> {
		for (const site of sites) {
			void this.session
				.send({ url: site, timeout: 1000 })
				.then((result) => (this.results[site] = result));
		}
		await settle();
		return this.underWay;
	}

	/** The service responds to the request for a site; returns what is on its way then. */
	async respond(site: string, statusCode: number): Promise<string> {
		const index = this.waiting.findIndex((each) => each.site === site);
		const [{ respond }] = this.waiting.splice(index, 1) as [Waiting];
		respond({ statusCode, headers: {}, body: {} });
		await settle();
		return this.underWay;
	}

	/** What has come of a site. */
	resultOf(site: string): string {
		const { response, isClosed } = defined(this.results[site]);
		return `${(response as ServiceResponse).statusCode}${isClosed ? ' closed' : ''}`;
	}

	private get underWay(): string {
		return this.waiting.map(({ site, token }) => `${site}${String(token)}`).join(' ');
	}
}

beforeEach(() => {
	run = new Run();
});
afterEach(() => jest.restoreAllMocks());

test('a token that may have expired is renewed once for all', async () => {
	expect(await run.read('AB')).toBe('A0 B0');
	expect(await run.respond('A', 401)).toBe('B0 A1');
	expect(await run.respond('B', 401)).toBe('A1 B1');
	for (const site of 'AB') await run.respond(site, 200);
	expect(['A', 'B'].map((site) => run.resultOf(site))).toEqual(['200', '200']);
	expect(run.logins).toBe(1);
});

describe('a site that is refused while others are accepted', () => {
	/** A is refused, B was accepted meanwhile, C had been sent before; A is requested again. */
	async function inDoubt(): Promise<void> {
		await run.read('ABC');
		await run.respond('B', 200);
		expect(await run.respond('A', 401)).toBe('C0 A0');
	}

	test('is closed where another one is accepted that was requested after that', async () => {
		await inDoubt();
		expect(await run.read('D')).toBe('C0 A0 D0');
		await run.respond('D', 200);
		await run.respond('C', 200);
		expect(await run.respond('A', 401)).toBe('');
		expect(run.resultOf('A')).toBe('401 closed');
		expect(run.logins).toBe(0);
	});

	test('is not closed because of one that had been requested before: the token may have expired since', async () => {
		await inDoubt();
		await run.respond('C', 200);
		expect(await run.respond('A', 401)).toBe('A1');
		await run.respond('A', 200);
		expect(run.resultOf('A')).toBe('200');
	});

	test('is read where it is accepted then', async () => {
		await inDoubt();
		await run.respond('A', 200);
		expect([run.resultOf('A'), run.logins]).toEqual(['200', 0]);
	});

	test.each([
		[40, 40],
		[1000, 1000],
		[5000, 1000],
	])('is requested again after as long as it took, here %i ms: %i ms', async (took, pause) => {
		const start = Date.now();
		const now = jest.spyOn(Date, 'now').mockReturnValue(start);
		await run.read('AB');
		await run.respond('B', 200);
		now.mockReturnValue(start + took);
		await run.respond('A', 401);
		expect(run.pauses).toEqual([pause]);
	});

	test.each([400, 404, 500])('is not in doubt where the others got a %i', async (status) => {
		await run.read('AB');
		await run.respond('B', status);
		expect(await run.respond('A', 401)).toBe('A1');
	});

	test('is not in doubt where they were accepted before it was requested, with this token or the one before', async () => {
		await run.read('B');
		await run.respond('B', 200);
		await run.read('A');
		expect(await run.respond('A', 401)).toBe('A1');
		expect(await run.respond('A', 401)).toBe('');
		expect(run.resultOf('A')).toBe('401');
	});
});

describe('a site that rejects a new token, too', () => {
	test('fails where it is requested alone', async () => {
		await run.read('B');
		await run.respond('B', 200);
		await run.read('A');
		await run.respond('A', 401);
		expect(await run.respond('A', 401)).toBe('');
		expect([run.resultOf('A'), run.logins]).toEqual(['401', 1]);
	});

	test('is tried with another one where others are requested: it may have expired on its way', async () => {
		await run.read('AB');
		await run.respond('A', 401);
		expect(await run.respond('A', 401)).toBe('B0 A2');
		await run.respond('A', 200);
		expect(run.resultOf('A')).toBe('200');
	});

	/**
	 * A site is refused with each token, although another one is accepted with it on the way.
	 *
	 * @returns the logins so far
	 */
	async function refuse(site: string): Promise<number> {
		for (let underWay = await run.read(site); underWay !== '';) {
			await run.read('Z');
			await run.respond('Z', 200);
			await run.respond(site, 401);
			underWay = await run.respond(site, 401);
		}
		return run.logins;
	}

	test('is tried with three of them, and after four that were in vain such a site is closed', async () => {
		expect([await refuse('A'), run.resultOf('A')]).toEqual([3, '401']);
		expect([await refuse('B'), run.resultOf('B')]).toEqual([4, '401']);
		expect([await refuse('C'), run.resultOf('C')]).toEqual([4, '401 closed']);
		// Until a renewal helps
		await run.read('D');
		expect(await run.respond('D', 401)).toBe('D5');
		await run.respond('D', 200);
		expect(await refuse('E')).toBe(5 + 3);
	});
});

describe('new tokens with which nothing is accepted', () => {
	test('end the run when there are two in a row: no other one is requested', async () => {
		await run.read('AB');
		for (const underWay of ['B0 A1', 'B0 A2', 'B0']) {
			expect(await run.respond('A', 401)).toBe(underWay);
		}
		expect(await run.respond('B', 401)).toBe('');
		expect(await run.read('C')).toBe('C2');
		expect(await run.respond('C', 401)).toBe('');
		expect(['A', 'B', 'C'].map((site) => run.resultOf(site))).toEqual(['401', '401', '401']);
		expect(run.logins).toBe(2);
	});

	test('end it for a request, too, that waits for the second one', async () => {
		await run.read('AB');
		await run.respond('A', 401);
		expect(await run.respond('B', 401)).toBe('A1 B1');
		await run.respond('A', 401);
		expect(await run.respond('B', 401)).toBe('A2');
		expect(await run.respond('A', 401)).toBe('');
		expect(run.resultOf('B')).toBe('401');
	});

	test('are not those that have been replaced meanwhile', async () => {
		await run.read('ABX');
		await run.respond('A', 401);
		await run.respond('B', 401);
		expect(await run.respond('B', 401)).toBe('X0 A1 B2');
		await run.respond('B', 200);
		expect(await run.respond('A', 401)).toBe('X0 A2');
		await run.read('C');
		expect(await run.respond('C', 401)).toBe('X0 A2 C3');
		expect(await run.respond('C', 401)).toBe('X0 A2 C4');
	});
});
