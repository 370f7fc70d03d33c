import type { INodeParameters } from 'n8n-workflow';
import { refusalBeyond } from '../../tools/fake-service/limit';
import { manySites } from '../../tools/fake-service/sites';
import { defined } from '../../tools/helpers/at';
import { bucket } from '../../tools/helpers/limiters';
import type { CredentialReference } from '../../tools/n8n/n8n';
import { ownService, useN8n } from '../../tools/n8n/use-n8n';
import { readSites, siteNode } from '../../tools/n8n/workflows';

// With real requests, real timers, and n8n's own logins and stored tokens. How a run goes on, and how long it takes, is
// judged in simulated time, by generated services: test/unit/run/generated

const stage = useN8n('conditions', { credential: false });
const SITES = manySites(200);
const IDS = SITES.map(({ siteId }) => siteId);

/** Reads the sites in a workflow of its own; returns what each item says has failed. */
async function read(credential: CredentialReference, siteIds = IDS, options: INodeParameters = {}) {
	const onError = 'continueRegularOutput';
	const node = siteNode('Read', credential, { options }, { onError });
	const execution = await stage.n8n.createAndRun(readSites(siteIds, node));
	return execution.json('Read').map(({ error }) => error as string | undefined);
}

const NONE = IDS.map(() => undefined);

test('three workflows at once, at a service that limits the rate: all sites are read, with one login', async () => {
	const { service, credential } = await ownService(stage, { sites: SITES });
	service.faults.site.push(refusalBeyond(bucket(1, 50), false));
	const runs = [1, 2, 3].map(async () => await read(credential));
	expect(await Promise.all(runs)).toEqual([NONE, NONE, NONE]);
	expect(service.counts.logins).toBe(1);
});

test('the token of an earlier run has ended, and every fourth site is closed', async () => {
	const { service, credential } = await ownService(stage, { sites: SITES });
	await read(credential, IDS.slice(0, 1));
	service.expireTokens();
	const closed = IDS.filter((_, index) => index % 4 === 1);
	service.faults.site.push({ siteId: closed, status: 403 });
	const errors = await read(credential);
	expect(IDS.filter((_, item) => errors[item] !== undefined)).toEqual(closed);
	for (const error of errors.filter(Boolean)) {
		expect(error).toMatch(/^This user has no access to site \d+/);
	}
});

test('a byte comes now and then, for ever: the run ends, and the next one is well', async () => {
	const { service, credential } = await ownService(stage, { sites: SITES });
	service.faults.site.push({ bytes: 1_000_000, drip: { bytes: 1, everyMs: 100 } });
	const errors = await read(credential, IDS.slice(0, 20), { timeout: 1000, maxRetries: 1 });
	for (const error of errors) {
		expect(defined(error)).toMatch(/^The service did not respond in time|^Not requested because/);
	}
	service.faults.site = [];
	expect(await read(credential)).toEqual(NONE);
});
