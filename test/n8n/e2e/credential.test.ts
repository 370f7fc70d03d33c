import {
	arrange,
	expectedResult,
	hangs,
	type Outcome,
	OUTCOMES,
	type Services,
} from '../../tools/cases/credential-outcomes';
import { selfSignedCertificate } from '../../tools/fake-service/certificate';
import { startFake, useN8n } from '../../tools/n8n/use-n8n';

const stage = useN8n('credential');
let services: Services;

beforeAll(async () => {
	const tls = await startFake(stage.cleanup, { tls: await selfSignedCertificate() });
	services = { service: stage.service, tls };
});

const all = Object.entries(OUTCOMES).flatMap(([place, outcomes]) =>
	outcomes.map((outcome) => [`${place}: ${outcome.situation}`, outcome] as const),
);

/** What the dialog gets. */
const testCredential = async (outcome: Outcome, at: Services) =>
	await stage.n8n.testCredential(stage.credential, arrange(outcome, at));

test.each(all.filter(([, outcome]) => !hangs(outcome)))('%s', async (_, outcome) => {
	services.service.reset();
	expect(await testCredential(outcome, services)).toEqual(expectedResult(outcome));
	const { refusedLogins, siteRequests } = services.service.counts;
	expect(refusedLogins).toBeLessThanOrEqual(1);
	expect(siteRequests).toBeLessThanOrEqual(2);
});

// Side by side, as each of them takes its time: 30 seconds at most, which test/engine/credential proves by a clock of its own
test('a service that never completes a response: each test ends', async () => {
	const inData = all.map(([, outcome]) => outcome).filter(hangs);
	const slowLogin = inData
		.filter(({ data }) => data?.connection === 'hang')
		.map((outcome) => ({ ...outcome, login: { latencyMs: 15_000 } }));
	const outcomes = [...inData, ...slowLogin];
	expect(outcomes).toHaveLength(5);
	const results = outcomes.map(async (outcome) => {
		const service = await startFake(stage.cleanup);
		return await testCredential(outcome, { ...services, service });
	});
	expect(await Promise.all(results)).toEqual(outcomes.map(expectedResult));
});
