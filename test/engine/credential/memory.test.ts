import { TOKEN_RULES } from '../../../nodes/AquacultureSite/service/messages/rules';
import { createEngine, type Engine } from '../../tools/engine/engine';
import { CREDENTIAL, seaFarm, siteNode, useSeaFarm } from '../../tools/engine/sea-farm';
import type { Service } from '../../tools/fake-service/service';
import { defined } from '../../tools/helpers/at';

const { message: REJECTED } = TOKEN_RULES.rejected;
const get = siteNode({ operation: 'get', siteId: 1042 });

const farm = useSeaFarm();
let service: Service;

beforeEach(() => {
	({ service } = farm);
	farm.clock.stand();
});

/** How many logins a run makes for a caller who holds this token. */
async function loginsWith(n8n: Engine, accessToken: string): Promise<number> {
	const before = service.counts.tokenRequests;
	n8n.editCredential(CREDENTIAL, { accessToken, tokenFingerprint: '' });
	expect((await n8n.run({ node: get })).items).toHaveLength(1);
	return service.counts.tokenRequests - before;
}

describe('what is remembered of a login', () => {
	test.each([
		['a caller without a token shares a new one for 10 seconds', '', 10_000],
		['a caller with the replaced token gets the new one for 60 seconds', 'replaced', 60_000],
	])('%s', async (_, held, milliseconds) => {
		const n8n = await seaFarm(service);
		expect(await loginsWith(n8n, held)).toBe(1);
		await farm.clock.advance(milliseconds - 1);
		expect(await loginsWith(n8n, held)).toBe(0);
		await farm.clock.advance(1);
		expect(await loginsWith(n8n, held)).toBe(1);
	});

	test('callers with different expired tokens: one login for them and for those that come later', async () => {
		const held = ['one', 'another'];
		const credentials = Object.fromEntries(
			held.map((accessToken) => [
				accessToken,
				{ baseUrl: service.baseUrl, ...service.login, accessToken },
			]),
		);
		const n8n = await createEngine({ credentials });
		const runAll = async () =>
			await Promise.all(
				held.map(async (name) => await n8n.run({ node: { ...get, credential: name } })),
			);
		await runAll();
		for (const name of held) n8n.editCredential(name, defined(credentials[name]));
		for (const { items } of await runAll()) expect(items).toHaveLength(1);
		expect(service.counts.logins).toBe(1);
	});

	test('an old login that is forgotten takes no newer one with it', async () => {
		const n8n = await seaFarm(service);
		await loginsWith(n8n, 'oldest');
		await farm.clock.advance(30_000);
		service.expireTokens();
		expect(await loginsWith(n8n, defined(service.issuedTokens[0]))).toBe(1);
		await farm.clock.advance(30_000);
		expect(await loginsWith(n8n, defined(service.issuedTokens[0]))).toBe(0);
	});

	test('the latest hundred logins', async () => {
		const names = Array.from({ length: 101 }, (_, index) => `User ${index + 1}`);
		const { baseUrl } = service;
		const n8n = await createEngine({
			credentials: Object.fromEntries(
				names.map((username) => [username, { baseUrl, username, password: 'wrong' }]),
			),
		});
		const attemptsAfter = async (...users: string[]) => {
			for (const credential of users) await n8n.run({ node: { ...get, credential } });
			return service.counts.refusedLogins;
		};
		expect(await attemptsAfter(...names)).toBe(101);
		expect(await attemptsAfter('User 101', 'User 2')).toBe(101);
		expect(await attemptsAfter('User 1')).toBe(102);
	});
});

describe('a login that is refused', () => {
	const trigger = {
		type: 'n8n-nodes-aquaculture.aquacultureSiteTrigger',
		parameters: { siteIds: '1042' },
	};
	let n8n: Engine;
	let refusedAt: number[];
	let pollFor: (minutes: number) => Promise<void>;

	beforeEach(async () => {
		n8n = await seaFarm(service);
		n8n.editCredential(CREDENTIAL, { password: 'wrong' });
		// Of one credential
		const triggers = [n8n.pollingTrigger(trigger), n8n.pollingTrigger(trigger)];
		refusedAt = [];
		let minute = 0;
		pollFor = async (minutes) => {
			for (const end = minute + minutes; minute < end; minute++) {
				const { refusedLogins } = service.counts;
				for (const each of triggers) await each.poll().catch(() => undefined);
				if (service.counts.refusedLogins > refusedLogins) refusedAt.push(minute);
				await farm.clock.advance(60_000);
			}
		};
	});

	test('is tried again by polls after 1, 2, 4 … 60 minutes, however many triggers there are', async () => {
		await pollFor(200);
		expect(refusedAt).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
		expect(service.counts.tokenRequests).toBe(refusedAt.length);
	});

	test('is tried at once by a person, whose success lets the polls go on', async () => {
		await pollFor(10);
		expect(refusedAt).toEqual([0, 1, 3, 7]);
		expect((await n8n.run({ node: get })).error?.message).toContain(REJECTED);
		expect(service.counts.refusedLogins).toBe(5);
		await farm.clock.advance(60_000);
		service.login.password = 'wrong';
		expect((await n8n.testTrigger(trigger)).items).not.toEqual([]);
		await pollFor(1);
		expect(service.counts).toMatchObject({ logins: 1, refusedLogins: 5, sitesServed: 3 });
	});
});

/** n8n keeps the hidden token when somebody edits the other fields in its dialog. */
test('the stored token is not used for a wrong password, nor for a new one, which works at once', async () => {
	const n8n = await seaFarm(service);
	await n8n.run({ node: get });
	n8n.editCredential(CREDENTIAL, { password: 'wrong' });
	expect((await n8n.run({ node: get })).error?.message).toContain(REJECTED);
	expect(service.counts).toMatchObject({ refusedLogins: 1, siteRequests: 1 });
	service.login.password = 'new-sample-password';
	n8n.editCredential(CREDENTIAL, { password: 'new-sample-password' });
	expect((await n8n.run({ node: get })).items).toHaveLength(1);
	expect(service.counts).toMatchObject({ logins: 2, refusedLogins: 1, unauthorized: 0 });
});
