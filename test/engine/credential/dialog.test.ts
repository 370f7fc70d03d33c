import type { INodeCredentialTestResult } from 'n8n-workflow';
import {
	arrange,
	expectedResult,
	hangs,
	type Outcome,
	OUTCOMES,
	type Services,
} from '../../tools/cases/credential-outcomes';
import { createEngine } from '../../tools/engine/engine';
import { CREDENTIAL, useSeaFarm } from '../../tools/engine/sea-farm';
import { selfSignedCertificate } from '../../tools/fake-service/certificate';
import { startService } from '../../tools/fake-service/service';
import { BLOCKS, readBlock, writeBlock } from '../../tools/helpers/document';
import { stopClock } from '../../tools/helpers/stop-clock';
import { until } from '../../tools/helpers/until';
import { outcomesText } from './report';

const TEST_LIMIT_MS = 30_000;

const farm = useSeaFarm();
let services: Services;
const shown = new Map<Outcome, INodeCredentialTestResult>();

beforeAll(async () => {
	const tls = await startService({ tls: await selfSignedCertificate() });
	services = { service: farm.service, tls };
});
afterAll(async () => await services.tls.close());

const cases = Object.entries(OUTCOMES).flatMap(([place, outcomes]) =>
	outcomes.map((outcome) => [`${place}: ${outcome.situation}`, outcome] as const),
);

test.each(cases)('%s', async (_, outcome) => {
	const clock = stopClock();
	const credential = arrange(outcome, services);
	const engine = await createEngine({ credentials: { [CREDENTIAL]: credential } });
	const testing = engine.testCredential(CREDENTIAL);
	if (hangs(outcome)) {
		const { counts } = farm.service;
		const isSilent = () => counts[outcome.login ? 'tokenRequests' : 'siteRequests'] > 0;
		await until('the service is silent', isSilent);
		clock.advance(TEST_LIMIT_MS);
	}
	const result = await testing;
	shown.set(outcome, result);
	expect(result).toEqual(expectedResult(outcome));
	const { logins, refusedLogins, siteRequests } = farm.service.counts;
	expect(logins + refusedLogins).toBeLessThanOrEqual(2);
	expect(refusedLogins).toBeLessThanOrEqual(1);
	expect(siteRequests).toBeLessThanOrEqual(2);
});

test('a token that n8n has stored is neither tested nor sent: the login is', async () => {
	const { service, engine } = farm;
	engine.editCredential(CREDENTIAL, { accessToken: 'issued.long.ago' });
	expect(await engine.testCredential(CREDENTIAL)).toMatchObject({ status: 'OK' });
	expect(service.counts).toMatchObject({ logins: 1, siteRequests: 1, unauthorized: 0 });
	expect(JSON.stringify(service.requests)).not.toContain('issued.long.ago');
});

test('docs/credential-test.md shows these outcomes (CREDENTIAL_OUTCOMES=print writes them)', () => {
	const text = outcomesText(shown);
	if (process.env.CREDENTIAL_OUTCOMES === 'print') writeBlock(BLOCKS.credentialTest, text);
	expect(readBlock(BLOCKS.credentialTest)).toBe(text);
});
