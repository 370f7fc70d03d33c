import {
	arrange,
	expectedResult,
	type Outcome,
	OUTCOMES,
} from '../../tools/cases/credential-outcomes';
import { createEngine } from '../../tools/engine/engine';
import { CREDENTIAL } from '../../tools/engine/sea-farm';
import { selfSignedCertificate } from '../../tools/fake-service/certificate';
import { startService } from '../../tools/fake-service/service';
import { skipIdleTime } from '../../tools/helpers/fake-clock';
import { own } from '../../tools/helpers/own';

const TEST_LIMIT_MS = 30_000;

let tls: Parameters<typeof startService>[0];

beforeAll(async () => {
	tls = { tls: await selfSignedCertificate() };
});

/** Brings a situation about, and tests the credential in it. */
async function show(outcome: Outcome) {
	const services = { service: await own(startService()), tls: await own(startService(tls)) };
	const credential = arrange(outcome, services);
	const engine = await createEngine({ credentials: { [CREDENTIAL]: credential } });
	return { ...services, result: await engine.testCredential(CREDENTIAL) };
}

const cases = Object.entries(OUTCOMES).flatMap(([place, outcomes]) =>
	outcomes.map((outcome) => [`${place}: ${outcome.situation}`, outcome] as const),
);

test.each(cases)('%s', async (_, outcome) => {
	const clock = skipIdleTime();
	const { result, service } = await show(outcome);
	expect(result).toEqual(expectedResult(outcome));
	expect(clock.now()).toBeLessThanOrEqual(TEST_LIMIT_MS);
	const { logins, refusedLogins, siteRequests } = service.counts;
	expect(logins + refusedLogins).toBeLessThanOrEqual(2);
	expect(refusedLogins).toBeLessThanOrEqual(1);
	expect(siteRequests).toBeLessThanOrEqual(2);
});

test('a token that n8n has stored is neither tested nor sent: the login is', async () => {
	const accessToken = 'issued.long.ago';
	const { service, result } = await show({ situation: '', credential: () => ({ accessToken }) });
	expect(result).toMatchObject({ status: 'OK' });
	expect(service.counts).toMatchObject({ logins: 1, siteRequests: 1, unauthorized: 0 });
	expect(JSON.stringify(service.requests)).not.toContain(accessToken);
});
