import { siteNode } from '../tools/engine/sea-farm';
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

const node = siteNode({ operation: 'get', siteId: 1042 });
const SITE_REQUEST = `GET ${API}${SITE_PATH}?$include=info,units`;

function expectNoOtherHeaders(): void {
	const names = new Set(sent.flatMap(({ headers }) => Object.keys(headers)));
	for (const ours of ['accept', 'api-version', 'authorization', 'content-type']) names.delete(ours);
	expect([...names]).toEqual([]);
}

test.each(HOSTILE)('username and password with %s are sent as data', async (_, text) => {
	const login = { username: `user ${text}`, password: `password ${text}` };
	foreseeLogin();
	foreseeSite();
	await (await n8nAtWire(login)).run({ node });
	// What cannot be seen around a username was pasted along
	const username = login.username.replace(/[\s\u202E]+$/, '');
	const asSent = JSON.stringify({ ...login, username });
	expect(JSON.parse(sent[0]?.body ?? '')).toEqual(JSON.parse(asSent));
	expect(sentRequests()).toEqual([LOGIN_REQUEST, SITE_REQUEST]);
	expectNoOtherHeaders();
});

test.each(HOSTILE)('a stored token with %s adds no header', async (_, text) => {
	const server = serverAt().persist();
	server.post('/auth/token').optionally().reply(401);
	server.get(SITE_PATH).query(true).optionally().reply(401);
	await (await n8nAtWire({ accessToken: `token ${text}` })).run({ node });
	for (const request of sentRequests()) expect([LOGIN_REQUEST, SITE_REQUEST]).toContain(request);
	expectNoOtherHeaders();
});
