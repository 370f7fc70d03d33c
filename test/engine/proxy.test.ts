import type { INodeParameters } from 'n8n-workflow';
import { FAILED_LOGIN_PAUSE_MS } from '../../nodes/AquacultureSite/service/messages/failures';
import {
	CONNECTION_RULES,
	NOT_SENT_RULES,
	PROXY_RULES,
	SITE_RULES,
	TOKEN_RULES,
} from '../../nodes/AquacultureSite/service/messages/rules';
import { messageOf } from '../tools/cases/examples';
import type { Engine } from '../tools/engine/engine';
import { CREDENTIAL, dataOf, itemsWith, seaFarm, siteNode } from '../tools/engine/sea-farm';
import { selfSignedCertificate } from '../tools/fake-service/certificate';
import { DESERTED } from '../tools/fake-service/faults';
import { type Service, startService } from '../tools/fake-service/service';
import { type FakeClock, skipIdleTime } from '../tools/helpers/fake-clock';
import { type ForwardProxy, type ProxyFault, startProxy } from '../tools/helpers/forward-proxy';
import { own } from '../tools/helpers/own';

type Scheme = 'https' | 'http';

const PAGE = '<html><body>Blocked by policy</body></html>';
/** What Node's agents do not wait for: they read only the beginning of what a proxy responds to CONNECT. */
const LONG_PAGE = { 'content-type': 'text/html', 'content-length': '4000' };

let certificate: Awaited<ReturnType<typeof selfSignedCertificate>>;
let service: Service;
let proxy: ForwardProxy;
let clock: FakeClock;
/** Just started. The certificate is checked in the tests of a whole n8n, which alone can be told of its authority. */
let n8n: Engine;

beforeAll(async () => {
	certificate = await selfSignedCertificate();
});

/** A service of this test alone, and a proxy that knows no other. */
async function start(scheme: Scheme): Promise<void> {
	service = await own(startService(scheme === 'https' ? { tls: certificate } : {}));
	proxy = await own(startProxy(new URL(service.origin).host));
	useProxy(proxy.url);
	n8n = await seaFarm(service, { allowUnauthorizedCerts: true });
	clock = skipIdleTime();
}

beforeEach(() => {
	jest.spyOn(Math, 'random').mockReturnValue(0.001);
});

afterEach(() => {
	for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) Reflect.deleteProperty(process.env, name);
});

function useProxy(url: string): void {
	process.env.HTTP_PROXY = process.env.HTTPS_PROXY = url;
}

const IDS = [1042, 1057, 1063];
const sites = (options: INodeParameters = { maxRetries: 1 }, siteIds = IDS) => ({
	node: siteNode({ operation: 'get', siteId: '={{ $json.id }}', options }),
	items: itemsWith(siteIds),
});
const SITES = sites();
const idsOf = (run: Parameters<typeof dataOf>[0]) => dataOf(run).map(({ siteId }) => siteId);

describe.each(['https', 'http'] as const)('%s', (scheme) => {
	beforeEach(async () => await start(scheme));

	test.each([
		['is not listening', DESERTED, '127.0.0.1:9'],
		['has an unknown name', 'http://proxy.invalid:3128', 'proxy.invalid'],
	])('a proxy that %s', async (_, url, named) => {
		useProxy(url);
		const { error } = await n8n.run(sites({ maxRetries: 0 }));
		expect(error?.message).toBe(`${NOT_SENT_RULES.proxyUnreached.message} [item 0]`);
		expect(error?.description).toContain(`through a proxy, ${named}. Ask your n8n administrator`);
	});

	test.each([
		[403, 'json', 'token', TOKEN_RULES.rejected.message],
		[403, 'json', 'site', 'no access'],
		[502, 'html', 'token', messageOf(TOKEN_RULES.unavailable, 502)],
		[502, 'html', 'site', messageOf(SITE_RULES.unavailable, 502)],
	] as const)(
		'a %i that the service sends through a proxy is its own (%s, %s)',
		async (status, body, endpoint, message) => {
			service.faults[endpoint].push({ status, body });
			expect((await n8n.run(SITES)).error?.message).toContain(message);
		},
	);
});

const respond = (status: number, headers = {}, body = ''): ProxyFault => ({
	response: { status, headers, body },
});
const ASK_FOR_LOGIN = { 'proxy-authenticate': 'Basic realm="proxy"' };
const ELSEWHERE = { location: 'http://portal.example' };

/** Within the patience of a run. */
const MOST_LOGINS = 8;

const BLOCKED = messageOf(PROXY_RULES.other, 403);
const NO_LOGIN = messageOf(PROXY_RULES.login, 407);
const NO_WAY = messageOf(PROXY_RULES.unreached, 502);
const INSTEAD = messageOf(PROXY_RULES.other, 302);
const { message: ENDED } = NOT_SENT_RULES.proxyEnded;
const { message: LOST } = CONNECTION_RULES.lost;

/**
 * What the proxy does, and the message. What other statuses mean, and what to do, is tested in test/unit/service/messages/response.test.ts.
 */
const CASES: Array<[Scheme, string, ProxyFault, string]> = [
	...(['https', 'http'] as const).flatMap((scheme): typeof CASES => [
		[scheme, '403', respond(403), BLOCKED],
		[scheme, '403 and a page', respond(403, {}, PAGE), BLOCKED],
		[scheme, '403 and half a page', respond(403, LONG_PAGE, PAGE), BLOCKED],
		[scheme, '407', respond(407, ASK_FOR_LOGIN), NO_LOGIN],
		[scheme, '502', respond(502), NO_WAY],
	]),
	['https', '302', respond(302, ELSEWHERE), INSTEAD],
	['https', 'no response', { connection: 'close' }, ENDED],
	['http', 'no response', { connection: 'close' }, LOST],
];

describe.each(CASES)('a proxy, over %s: %s', (scheme, _, fault, message) => {
	beforeEach(async () => await start(scheme));

	test('the login says so, is not remembered as rejected, and the next run works', async () => {
		proxy.fault = fault;
		const { error } = await n8n.run(sites({ maxRetries: 0 }));
		expect(error).toMatchObject({ message: `${message} [item 0]`, httpCode: null });
		expect(proxy.requests.length).toBeLessThanOrEqual(MOST_LOGINS);
		const tested = await n8n.testCredential(CREDENTIAL);
		expect(tested).toEqual({
			status: 'Error',
			message: expect.stringContaining(message) as string,
		});
		expect(service.counts.requests).toBe(0);
		proxy.fault = undefined;
		clock.skip(FAILED_LOGIN_PAUSE_MS);
		expect(idsOf(await n8n.run(SITES))).toEqual(IDS);
		expect(service.counts.tokenRequests).toBe(1);
	});

	test('a request for sites with the token that n8n has says so', async () => {
		await n8n.run(SITES);
		const before = proxy.requests.length;
		proxy.fault = fault;
		const { error } = await n8n.run(SITES);
		expect(error?.message).toContain(message);
		expect(error?.httpCode).toBeNull();
		expect(proxy.requests.length - before).toBeLessThan(100);
		expect(service.counts).toMatchObject({ logins: 1, siteRequests: 3 });
	});
});
