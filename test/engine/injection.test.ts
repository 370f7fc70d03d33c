import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { itemsWith, siteNode } from '../tools/engine/sea-farm';
import {
	API,
	expectWireAsForeseen,
	foreseeLogin,
	foreseeSite,
	LOGIN_REQUEST,
	n8nAtWire,
	sent,
	sentRequests,
	serverAt,
	SITE_PATH,
} from './wire/wire';

expectWireAsForeseen();

/** Texts that would add a header, end a path or open another one, were they not taken for data. */
const HOSTILE = Object.entries({
	'CR LF': 'x\r\nX-Injected: 1',
	LF: 'x\nX-Injected: 1',
	'CR LF CR LF': 'x\r\n\r\nGET /injected HTTP/1.1\r\n\r\n',
	NUL: 'x\u0000y',
	'U+2028': 'x\u2028X-Injected: 1',
	'U+560A, a line break in its low byte': 'x嘊嘍X-Injected: 1',
	'outside ASCII': 'Ærø 🐟 ‮',
	'half a surrogate pair': 'x\ud800',
	quotes: '"},"injected":{"a":"',
	'percent-encoded': 'x%0d%0aX-Injected:%201',
	path: '../../injected',
	query: '?injected=1#',
});

const SITE_REQUEST = `GET ${API}${SITE_PATH}?$include=info,units`;

function expectNoOtherHeaders(): void {
	const names = new Set(sent.flatMap(({ headers }) => Object.keys(headers)));
	for (const ours of ['accept', 'api-version', 'authorization', 'content-type']) names.delete(ours);
	expect([...names]).toEqual([]);
}

async function run(
	typed: ICredentialDataDecryptedObject,
	siteId: unknown = 1042,
	apiVersion = '2025-01-01',
) {
	const options = { apiVersion: '={{ $json.id[1] }}' };
	const node = siteNode({ operation: 'get', siteId: '={{ $json.id[0] }}', options });
	return await (await n8nAtWire(typed)).run({ node, items: itemsWith([[siteId, apiVersion]]) });
}

/** A message for people, not one of a library. */
const SENTENCE = /^(?!Error|TypeError|Invalid)['A-Z].* .* /;

test.each(HOSTILE)('username and password with %s are sent as data', async (_, text) => {
	const login = { username: `user ${text}`, password: `password ${text}` };
	foreseeLogin();
	foreseeSite();
	await run(login);
	// What cannot be seen around a username was pasted along
	const username = login.username.replace(/[\s\u202E]+$/, '');
	const asSent = JSON.stringify({ ...login, username });
	expect(JSON.parse(sent[0]?.body ?? '')).toEqual(JSON.parse(asSent));
	expect(sentRequests()).toEqual([LOGIN_REQUEST, SITE_REQUEST]);
	expectNoOtherHeaders();
});

test.each(HOSTILE)('base URL with %s is refused, or stays within its origin', async (_, text) => {
	serverAt().post(/.*/).optionally().reply(404);
	const { error, items } = await run({ baseUrl: `${API}/api/${text}` });
	expect(items).toEqual([]);
	expect(error?.message).toMatch(SENTENCE);
	for (const request of sentRequests()) expect(request).toMatch(/^POST [^\s?#]*\/auth\/token$/);
	expectNoOtherHeaders();
});

test.each(HOSTILE)('site ID with %s is refused before anything is sent', async (_, text) => {
	for (const siteId of [text, `1042${text}`, `${text}1042`, [1042, text]]) {
		const { error } = await run({}, siteId);
		expect(error?.message).toMatch(/^'Site ID'[^\p{Cc}\u2028]+$/u);
	}
});

test.each(HOSTILE)('API version with %s is refused before anything is sent', async (_, text) => {
	for (const apiVersion of [text, `2025-01-01${text}`, `${text}2025-01-01`]) {
		const { error } = await run({}, 1042, apiVersion);
		expect(error?.message).toMatch(/^'API Version' must be a date/);
	}
});

test.each(HOSTILE)('a stored token with %s adds no header', async (_, text) => {
	const server = serverAt().persist();
	server.post('/auth/token').optionally().reply(401);
	server.get(SITE_PATH).query(true).optionally().reply(401);
	await run({ accessToken: `token ${text}` });
	for (const request of sentRequests()) expect([LOGIN_REQUEST, SITE_REQUEST]).toContain(request);
	expectNoOtherHeaders();
});
