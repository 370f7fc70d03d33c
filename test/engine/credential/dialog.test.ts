import {
	arrange,
	expectedResult,
	type Outcome,
	OUTCOMES,
} from '../../tools/cases/credential-outcomes';
import { startStage } from '../../tools/cases/fault-cell';
import { createEngine } from '../../tools/engine/engine';
import { CREDENTIAL } from '../../tools/engine/sea-farm';
import { skipIdleTime } from '../../tools/helpers/fake-clock';
import { cleanup } from '../../tools/helpers/own';

const TEST_LIMIT_MS = 30_000;

/** Brings a situation about, and tests the credential in it. */
async function show(outcome: Outcome) {
	const stage = await startStage(cleanup);
	const engine = await createEngine({ credentials: { [CREDENTIAL]: arrange(outcome, stage) } });
	return { ...stage, result: await engine.testCredential(CREDENTIAL) };
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
