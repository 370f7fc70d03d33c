import { selfSignedCertificate } from '../service/certificate';
import { startService } from '../service/service';
import { expectedOutcome, ON_ERROR, type OnError, type Outcome, runCell } from './cell';
import { type Row, type Stage, TABLE } from './table';

let stage: Stage;

beforeAll(async () => {
	const closed = await startService();
	stage = {
		service: await startService(),
		tls: await startService({ tls: await selfSignedCertificate() }),
		elsewhere: await startService(),
		deserted: closed.baseUrl,
	};
	await closed.close();
});
beforeEach(() => {
	// The shortest pauses that the backoff may choose
	jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
	const { service, tls, elsewhere } = stage;
	await Promise.all([service, tls, elsewhere].map((each) => each.close()));
});

const cells = TABLE.flatMap((row) =>
	(Object.keys(ON_ERROR) as OnError[]).map(
		(onError) => [row.place, row.fault, ON_ERROR[onError], row, onError] as const,
	),
);

test.each<readonly [string, string, string, Row, OnError]>(cells)(
	'%s: %s: %s',
	async (_place, _fault, _setting, row, onError) => {
		const outcomes: Record<string, Outcome> = {};
		const expected: Record<string, Outcome> = {};
		for (const [name, variation] of Object.entries(row.variations)) {
			outcomes[name] = await runCell(row, variation, onError, stage);
			expected[name] = expectedOutcome(row, variation, onError);
		}
		expect(outcomes).toEqual(expected);
	},
);
