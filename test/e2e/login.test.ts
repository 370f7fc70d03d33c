import { type Counts, type Service, startService } from '../service/service';
import { manySites } from '../service/sites';
import type { Execution } from './executions';
import { N8nInstance } from './n8n';
import { prepared } from './prepared';
import { freePort } from './processes';
import { findSecrets } from './secrets';
import {
	chain,
	type CredentialReference,
	httpRequest,
	node,
	oneItemPerSite,
	siteNode,
} from './workflows';

/** With characters that look different in base64, in a URL and in a form. */
const password = (of: string) => `p+ss wörd/&${of}% 1042`;

const users = ['node', 'http'].map((name) => ({ username: name, password: password(name) }));

/** Passwords that were typed wrong, by the name of the case. */
const wrongPasswords: Record<string, string> = {};

const sites = manySites(200);
const siteIds = sites.map(({ siteId }) => siteId);

let service: Service;
let elsewhere: Service;
let n8n: N8nInstance;

beforeAll(async () => {
	service = await startService({ sites, login: users[0]!, moreLogins: users.slice(1) });
	elsewhere = await startService();
	n8n = await N8nInstance.create({
		...prepared(),
		name: 'login',
		env: { N8N_LOG_LEVEL: 'debug' },
	});
	await n8n.start();
	await n8n.login();
});

afterAll(async () => {
	await n8n?.dispose();
	await elsewhere?.close();
	await service?.close();
});

/** A wrong password that no other case has tried: a refusal is remembered for a while. */
function wrongPassword(of: string): string {
	return (wrongPasswords[of] = password(`wrong ${of}`));
}

async function credentialFor(login: {
	username: string;
	password: string;
}): Promise<CredentialReference> {
	const name = `Sea farm of ${login.username}`;
	const data = { baseUrl: service.baseUrl, ...login };
	const { id } = await n8n.createCredential({ name, type: 'aquacultureApi', data });
	return { id, name };
}

/** What the service was asked while something was done. */
async function counting<T>(work: () => Promise<T>): Promise<T & { asked: Partial<Counts> }> {
	const before = { ...service.counts };
	const result = await work();
	const difference = (key: 'logins' | 'refusedLogins' | 'siteRequests' | 'sitesServed') =>
		service.counts[key] - before[key];
	return {
		...result,
		asked: {
			logins: difference('logins'),
			refusedLogins: difference('refusedLogins'),
			siteRequests: difference('siteRequests'),
			sitesServed: difference('sitesServed'),
		},
	};
}
const callers = {
	'the node': (credential: CredentialReference) =>
		siteNode('Read', credential, { operation: 'get', siteId: '={{ $json.siteId }}' }),
	'the HTTP Request node': (credential: CredentialReference) =>
		httpRequest('Read', credential, `=${service.baseUrl}/meta/sites/{{ $json.siteId }}`),
};
void callers; void counting; void oneItemPerSite; void chain; void node; void freePort; void findSecrets; void credentialFor; void wrongPassword; void siteIds;
export type X = Execution;
test.each(Object.entries(callers))('%s', async (name, caller) => {
	const credential = await credentialFor(users[name === 'the node' ? 0 : 1]!);
	const { id } = await n8n.createWorkflow(chain(name, ...oneItemPerSite(siteIds), caller(credential)));
	for (const step of ['cold', 'warm', 'mid']) {
		if (step === 'mid') {
			const last = service.issuedTokens.at(-1);
			service.faults.tokenLifetime = { uses: service.requests.filter(({ token, status }) => token === last && status === 200).length + 100 };
		}
		const { asked, execution } = await counting(async () => ({ execution: await n8n.runViaEditor(id) }));
		console.log(name, step, asked, execution.status, execution.items('Read').length, execution.failure);
	}
	service.faults.tokenLifetime = undefined;
	const bad = await credentialFor({ username: users[0]!.username, password: wrongPassword(name) });
	const wf = await n8n.createWorkflow(chain(`${name} wrong`, ...oneItemPerSite(siteIds.slice(0, 20)), caller(bad)));
	{ const { asked, execution } = await counting(async () => ({ execution: await n8n.runViaEditor(wf.id) }));
	console.log(name, 'wrong', asked, execution.status, execution.items('Read').length, execution.failure);}
	const bad2 = await credentialFor({ username: users[0]!.username, password: wrongPassword(name + '2') });
	const wf2 = await n8n.createWorkflow(chain(`${name} wrong`, ...oneItemPerSite(siteIds.slice(0, 20)), {...caller(bad2), onError: 'continueErrorOutput'}));
	{ const { asked, execution } = await counting(async () => ({ execution: await n8n.runViaEditor(wf2.id) }));
	console.log(name, 'wrong continue', asked, execution.status, execution.json('Read').length, execution.json('Read',1).length, JSON.stringify(execution.items('Read',1)[7]), execution.failure);}
});
test('dialog', async () => {
	const good = users[0]!;
	for (const [what, data] of Object.entries({
		good: {}, wrong: { password: wrongPassword('d') }, dead: { baseUrl: `http://127.0.0.1:${await freePort()}` }, unknown: { baseUrl: 'http://aquaculture.invalid' },
		noscheme: { baseUrl: service.baseUrl.replace('http://', '') }, slash: { baseUrl: service.baseUrl + '/' }, pasted: { baseUrl: service.baseUrl + '/auth/token' },
	})) {
		console.log(what, await n8n.testCredential({ id: '', name: 'x', type: 'aquacultureApi', data: { baseUrl: service.baseUrl, ...good, ...data } }));
	}
	service.faults.token.push({ status: 200, body: 'html', times: 1 });
	console.log('html', await n8n.testCredential({ id: '', name: 'x', type: 'aquacultureApi', data: { baseUrl: service.baseUrl, ...users[1]!, password: 'x' } }));
});
test('secrets', async () => {
	const t = Object.fromEntries(service.issuedTokens.map((t, i) => [`token ${i}`, t]));
	console.log(t, await findSecrets(n8n, { ...t, ...wrongPasswords, n: users[0]!.password, h: users[1]!.password }));
	console.log((await findSecrets(n8n, { log: 'the node wrong', user: 'Sea farm of', })).slice(0, 60));
});
