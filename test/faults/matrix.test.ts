import { selfSignedCertificate } from '../fake-service/certificate';
import { startService } from '../fake-service/service';
import { expectedOutcome, ON_ERROR, type OnError, type Outcome, runCell } from './cell';
import { documentedMatrix, documentMatrix, matrixText } from './report';
import { type Row, type Stage, TABLE } from './table';

// `npm run test:faults` prints the matrix and writes it into the document
const isCommand = process.env.FAULT_MATRIX === 'print';

let stage: Stage;
/** The cells that came out as the table says, of all rows that were run. */
const held = new Map<Row, Set<OnError>>();

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
	if (!isCommand) return;
	const mark = (row: Row, onError: OnError) => (held.get(row)?.has(onError) ? '✓ ' : '✗ ');
	process.stdout.write(`\n${matrixText(mark)}\n\n`);
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
		for (const [form, variation] of Object.entries(row.variations)) {
			outcomes[form] = await runCell(row, variation, onError, stage);
			expected[form] = expectedOutcome(row, variation, onError);
		}
		expect(outcomes).toEqual(expected);
		held.set(row, (held.get(row) ?? new Set()).add(onError));
	},
	30_000,
);

test('docs/reliability.md shows this matrix («npm run test:faults» writes it)', () => {
	if (isCommand) documentMatrix();
	expect(documentedMatrix()).toBe(matrixText());
});
