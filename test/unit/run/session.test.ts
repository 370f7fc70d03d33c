import { Cancellation, StoppedError } from '../../../nodes/AquacultureSite/run/cancellation';
import { Session } from '../../../nodes/AquacultureSite/run/session';
import { ServiceFailure } from '../../../nodes/AquacultureSite/service/messages/failures';
import type { LoginResult, Send } from '../../../nodes/AquacultureSite/service/http/request';
import type { ServiceResponse } from '../../../nodes/AquacultureSite/service/messages/response';
import { needsLogin } from '../../../nodes/AquacultureSite/service/login/tokens';
import { FakeClock, settle } from '../../tools/helpers/fake-clock';

// Which token each request gets, and what a 401 is about. That n8n does its part is shown in test/engine/run/session.test.ts

const PASSWORD = 'sample-password';
const LOST = new ServiceFailure('Lost', 'Wait', { subject: 'service', retry: 'retry' });
const LOGIN_FAILED = new ServiceFailure('Busy', 'Wait', { subject: 'service', scope: 'run' });

/** A run whose requests and logins wait until a test responds. Each login brings the next number as its token. */
class Run {
	readonly clock = new FakeClock();

	readonly cancellation = new Cancellation(this.clock);

	readonly session: Session;

	/** What has come of each site: the status, and what a 401 is about. */
	readonly results: Record<string, string> = {};

	/** Logins and requests that are on their way. */
	private readonly waiting: { what: string; respond: (response: never) => void }[] = [];

	logins = 0;

	constructor(
		credentials: { accessToken?: string; tokenFingerprint?: string } = { accessToken: '0' },
	) {
		const login = { tokenFingerprint: '', password: PASSWORD, ...credentials };
		this.session = new Session(this.send, login, this.cancellation);
	}

	/** n8n's part: a login if there is no token, or one that is out of date. */
	private readonly send: Send = async (own, { url }, { onLogin }) => {
		if (needsLogin(own)) {
			this.logins++;
			const result = await this.wait<LoginResult>('login');
			if (!(result instanceof ServiceFailure)) {
				const { accessToken, tokenFingerprint } = result;
				Object.assign(own, { accessToken, tokenFingerprint });
			}
			onLogin(result);
			if (result instanceof ServiceFailure) return result;
		}
		return await this.wait<ServiceResponse | ServiceFailure>(url + (own.accessToken as string));
	};

	private async wait<T>(what: string): Promise<T> {
		return await new Promise<T>((respond) => this.waiting.push({ what, respond }));
	}

	/** Requests sites. Returns what is on its way, e.g. A0: site A with token 0. */
	async read(sites: string): Promise<string> {
		for (const site of sites) {
			void this.session.request({ url: site, timeout: 1000 }).then(
				({ response, unauthorized = '' }) => {
					const end = 'statusCode' in response ? response.statusCode : response.message;
					this.results[site] = `${end} ${unauthorized}`.trim();
				},
				(error: unknown) => (this.results[site] = (error as Error).name),
			);
		}
		await settle();
		return this.underWay;
	}

	/** Ends what is on its way, e.g. A0 or a login: with a status, or what the login brings. Returns what is on its way then. */
	async respond(what: string, response: number | LoginResult): Promise<string> {
		const index = this.waiting.findIndex((each) => each.what === what);
		const [waiting] = this.waiting.splice(index, 1);
		const isStatus = typeof response === 'number';
		const result = isStatus ? { statusCode: response, headers: {}, body: {} } : response;
		waiting?.respond(result as never);
		await settle();
		return this.underWay;
	}

	/** The login succeeds; `age` is for how many milliseconds another run has had the token. */
	async logIn(age = 0): Promise<string> {
		const accessToken = String(this.logins);
		return await this.respond('login', { accessToken, tokenFingerprint: '', age });
	}

	/** Time passes; returns what is on its way then. */
	async pass(milliseconds: number): Promise<string> {
		await this.clock.advance(milliseconds);
		return this.underWay;
	}

	get underWay(): string {
		return this.waiting.map(({ what }) => what).join(' ');
	}
}

/** A run without a token that has just logged in, with these sites on their way. */
async function newToken(sites: string, age = 0): Promise<Run> {
	const run = new Run({ accessToken: '' });
	expect(await run.read(sites)).toBe('login');
	await run.logIn(age);
	return run;
}

/** A run that has renewed its token for A, while B with the old one is on its way. */
async function renewed(): Promise<Run> {
	const run = new Run();
	await run.read('AB');
	await run.respond('A0', 401);
	await run.logIn();
	return run;
}

/** A run whose token was accepted a while ago. */
async function oldToken(): Promise<Run> {
	const run = new Run();
	await run.read('Z');
	await run.pass(100);
	await run.respond('Z0', 200);
	return run;
}

test.each([200, 403, 404, 500])(
	'status %i is the response, and says nothing of the token',
	async (status) => {
		const run = new Run();
		await run.read('A');
		expect(await run.respond('A0', status)).toBe('');
		expect(run.results).toEqual({ A: String(status) });
	},
);

test('a request that gets no response says nothing of the token', async () => {
	const run = new Run();
	await run.read('A');
	await run.respond('A0', LOST);
	expect(run).toMatchObject({ results: { A: 'Lost' }, logins: 0 });
});

describe('a login', () => {
	test.each([
		['without a token', { accessToken: '' }],
		['with a token that is marked as expired', { accessToken: '7', tokenFingerprint: 'expired' }],
	])('is needed %s: one request logs in, the others wait for it', async (_, credentials) => {
		const run = new Run(credentials);
		expect(await run.read('ABC')).toBe('login');
		expect(await run.logIn()).toBe('A1 B1 C1');
		expect(run.logins).toBe(1);
	});

	test('that fails is the result of all that wait for it, after the one that logged in', async () => {
		const run = new Run({ accessToken: '' });
		await run.read('AB');
		expect(await run.respond('login', LOGIN_FAILED)).toBe('');
		expect(run.results).toEqual({ A: 'Busy' });
		await run.pass(1);
		expect(run.results).toEqual({ A: 'Busy', B: 'Busy' });
		expect(await run.read('C')).toBe('login');
	});

	test('that ends with the run keeps nobody waiting', async () => {
		const run = new Run({ accessToken: '' });
		await run.read('AB');
		run.cancellation.stop();
		await run.pass(1);
		expect(run.results).toEqual({ A: 'StoppedError', B: 'StoppedError' });
	});
});

describe('a token that may have expired', () => {
	test('is renewed at once, if it was never accepted in this run, and once for all', async () => {
		const run = new Run();
		expect(await run.read('ABC')).toBe('A0 B0 C0');
		expect(await run.respond('A0', 401)).toBe('B0 C0 login');
		await run.respond('B0', 401);
		expect(await run.logIn()).toBe('C0 A1 B1');
		expect(await run.respond('C0', 401)).toBe('A1 B1 C1');
		expect(run.logins).toBe(1);
	});

	test('is renewed after two round trips, if no other request is accepted', async () => {
		const run = await oldToken();
		await run.read('A');
		await run.pass(100);
		await run.respond('A0', 401);
		expect(await run.pass(199)).toBe('');
		expect(await run.pass(1)).toBe('login');
	});

	test('is renewed after a second at the latest', async () => {
		const run = await oldToken();
		await run.read('A');
		await run.pass(10_000);
		await run.respond('A0', 401);
		expect(await run.pass(999)).toBe('');
		expect(await run.pass(1)).toBe('login');
	});

	test('is good if a request is accepted that was sent after the 401: then this is about its site', async () => {
		const run = await oldToken();
		await run.read('A');
		await run.pass(100);
		await run.respond('A0', 401);
		await run.read('B');
		await run.respond('B0', 200);
		await run.pass(200);
		expect(run).toMatchObject({ results: { A: '401 site', B: '200' }, logins: 0 });
	});

	test('is not shown to be good by a request that was sent before the 401', async () => {
		const run = await oldToken();
		await run.read('AB');
		await run.pass(100);
		await run.respond('A0', 401);
		await run.respond('B0', 200);
		expect(await run.pass(200)).toBe('login');
	});

	test('is not shown to be good by a request that is rejected, too, or fails', async () => {
		const run = await oldToken();
		await run.read('A');
		await run.pass(100);
		await run.respond('A0', 401);
		await run.read('BC');
		await run.respond('B0', 404);
		await run.respond('C0', LOST);
		expect(await run.pass(200)).toBe('login');
	});

	test('is what most requests have had for longer: the latest that was sent counts', async () => {
		const run = await oldToken();
		await run.read('S');
		await run.pass(100);
		await run.read('A');
		await run.pass(100);
		await run.respond('A0', 401);
		await run.read('B');
		await run.respond('B0', 200);
		await run.respond('S0', 200);
		await run.pass(200);
		expect(run).toMatchObject({ results: { A: '401 site' }, logins: 0 });
	});

	test('was renewed while its request was on the way: that is sent again', async () => {
		const run = await renewed();
		expect(await run.respond('B0', 401)).toBe('A1 B1');
		expect(run.logins).toBe(1);
	});

	test('may meet a request twice, which is no closed site then', async () => {
		const run = await renewed();
		expect(await run.respond('B0', 401)).toBe('A1 B1');
		await run.pass(5000);
		await run.respond('A1', 401);
		await run.logIn();
		expect(await run.respond('B1', 401)).toBe('A2 B2');
		expect(run.results).toEqual({});
	});

	test('does not come back with a slow response to an earlier request', async () => {
		const run = await renewed();
		await run.respond('B0', 200);
		expect(await run.read('C')).toBe('A1 C1');
	});

	test('is renewed again if the new one is rejected five seconds later', async () => {
		const run = await newToken('Z');
		await run.pass(5000);
		await run.read('A');
		expect(await run.respond('A1', 401)).toBe('Z1 login');
		expect(await run.logIn()).toBe('Z1 A2');
	});

	test('may come from another run that has had it for five seconds', async () => {
		const run = await newToken('A', 5000);
		expect(await run.respond('A1', 401)).toBe('login');
	});
});

test('after two logins with which nothing was accepted there is no other one, however late the service says so', async () => {
	const run = await newToken('A');
	for (const token of [1, 2]) {
		await run.pass(5000);
		await run.respond(`A${token}`, 401);
		if (token === 1) await run.logIn();
	}
	await run.pass(1000);
	expect(run).toMatchObject({ results: { A: '401 token' }, logins: 2 });
});

describe('a token younger than five seconds that is rejected', () => {
	test('is good if it was accepted: then this is about its site, at once', async () => {
		const run = await newToken('B');
		await run.pass(4999);
		await run.read('A');
		await run.respond('B1', 200);
		await run.respond('A1', 401);
		expect(run).toMatchObject({ results: { A: '401 site', B: '200' }, logins: 1 });
	});

	test('is good if it is accepted within a second', async () => {
		const run = await newToken('AB');
		await run.respond('A1', 401);
		await run.respond('B1', 200);
		await run.pass(999);
		expect(run.results).toEqual({ B: '200' });
		await run.pass(1);
		expect(run.results).toEqual({ A: '401 site', B: '200' });
	});

	test('is not renewed; three such sites say that the run has no good one', async () => {
		const run = await newToken('ABC');
		for (const site of 'ABC') await run.respond(`${site}1`, 401);
		await run.pass(1000);
		expect(run.results).toEqual({ A: '401 token', B: '401 token', C: '401 run' });
		expect(run.logins).toBe(1);
	});

	test('may be the second one of the run: its own sites count', async () => {
		const run = await newToken('A');
		await run.respond('A1', 401);
		await run.pass(1000);
		await run.pass(5000);
		await run.read('BCD');
		await run.respond('B1', 401);
		await run.logIn();
		await run.respond('C1', 401);
		await run.respond('D1', 401);
		for (const site of 'BCD') await run.respond(`${site}2`, 401);
		await run.pass(1000);
		expect(run.results).toEqual({ A: '401 token', B: '401 token', C: '401 token', D: '401 run' });
	});
});

test('secrets are the password and all tokens that were used', async () => {
	const run = new Run();
	await run.read('A');
	expect([...run.session.secrets]).toEqual([PASSWORD]);
	await run.respond('A0', 401);
	await run.logIn();
	await run.respond('A1', 200);
	expect([...run.session.secrets]).toEqual([PASSWORD, '0', '1']);
});

test('a run that is stopped ends its requests', async () => {
	const run = new Run();
	await run.read('A');
	expect(run.cancellation.stop()).toBeInstanceOf(StoppedError);
	await settle();
	expect(run.results).toEqual({ A: 'StoppedError' });
});
