import type { ClientRequest } from 'node:http';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import nock from 'nock';
import type { Engine } from '../../tools/engine/engine';
import { seaFarm } from '../../tools/engine/sea-farm';

/** Invented, like all addresses here: nock responds in their place, and nothing leaves the machine. */
export const API = 'https://api.example.com';
export const LOGIN = { username: 'sample-user@example.com', password: 'sample-password-1042' };
/** What the service sends for site 1042 here. */
export const SITE = { siteId: 1042, siteName: 'Storholmen' };
export const SITE_PATH = '/meta/sites/1042';
export const LOGIN_REQUEST = `POST ${API}/auth/token`;

/** What n8n or Node adds to each request by itself. */
const HEADERS_OF_N8N = ['accept-encoding', 'connection', 'content-length', 'host', 'user-agent'];

interface SentRequest {
	request: string;
	/** Without those that n8n or Node adds. */
	headers: Record<string, unknown>;
	body: string;
}

/** What was sent since the test began and got a response; other requests fail the test. */
export const sent: SentRequest[] = [];

/** Fails each test in which a request was sent that nobody foresaw, or one that was foreseen was not. */
export function expectWireAsForeseen(): void {
	const unforeseen: unknown[] = [];
	// nock emits the request, its options, or both
	const note = (request: ClientRequest, options = request) => {
		unforeseen.push(`${options.method} ${options.host}${options.path}`);
	};

	beforeAll(() => nock.disableNetConnect());
	// All test files of a worker share Node's http module
	afterAll(() => nock.restore());

	beforeEach(() => {
		nock.emitter.on('no match', note);
		// Pauses between retries are a random share of seconds: short here
		jest.spyOn(Math, 'random').mockReturnValue(0.001);
	});
	afterEach(() => {
		nock.emitter.off('no match', note);
		const pending = nock.pendingMocks();
		nock.cleanAll();
		sent.length = 0;
		expect({ unforeseen: unforeseen.splice(0), pending }).toEqual({ unforeseen: [], pending: [] });
	});
}

/** A server at this origin, which responds to what is foreseen and writes it down. */
export function serverAt(origin: string = API): nock.Scope {
	return nock(origin).on('request', (request: ClientRequest, _interceptor, body: string) => {
		const headers = Object.entries(request.getHeaders());
		sent.push({
			request: `${request.method} ${origin}${request.path}`,
			headers: Object.fromEntries(headers.filter(([name]) => !HEADERS_OF_N8N.includes(name))),
			body,
		});
	});
}

/** Foresees one login, whose response holds this token. */
export function foreseeLogin(token = 'token-1', origin = API): void {
	serverAt(origin)
		.post('/auth/token')
		.reply(200, { access_token: token, expires_in: '3600', token_type: 'Bearer' });
}

/** Foresees one request for site 1042 with any query. */
export function foreseeSite(origin = API): void {
	serverAt(origin).get(SITE_PATH).query(true).reply(200, SITE);
}

/** An n8n just started, whose user has entered this address and login. */
export async function n8nAtWire(
	typedInstead: ICredentialDataDecryptedObject = {},
): Promise<Engine> {
	return await seaFarm({ baseUrl: API, login: LOGIN }, typedInstead);
}

/** What the credential makes of a request, where n8n has stored token-1. */
export async function authenticated(options: IHttpRequestOptions): Promise<IHttpRequestOptions> {
	const { authenticate } = (await n8nAtWire()).types.credentials.aquacultureApi ?? {};
	if (typeof authenticate !== 'function') throw new Error('authenticate is not a function');
	return await authenticate({ baseUrl: API, accessToken: 'token-1' }, options);
}

export const sentRequests = () => sent.map(({ request }) => request);
