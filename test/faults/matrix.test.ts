import nock from 'nock';
import { selfSignedCertificate } from '../fake-service/certificate';
import { startService } from '../fake-service/service';
import { readBlock, writeBlock } from '../helpers/document';
import { skipLoginPauses } from '../helpers/login-pause';
import { expectedOutcome, ON_ERROR, type Outcome, runCell } from './cell';
import { BLOCK, matrixText, SETTINGS } from './report';
import { type Stage, TABLE } from './table';

// `npm run test:faults` prints the matrix and writes it into the document
const isCommand = process.env.FAULT_MATRIX === 'print';

let stage: Stage;
/** The cells in which all came out as the table says. */
const passed = new Set<string>();

const cells = TABLE.flatMap((row) =>
	SETTINGS.map((setting) => ({ row, setting, name: nameOf(row, setting) })),
);

function nameOf({ place, fault }: (typeof TABLE)[number], setting: keyof typeof ON_ERROR): string {
	return `${place}: ${fault}: ${ON_ERROR[setting]}`;
}

beforeAll(async () => {
	const deserted = await startService();
	stage = {
		service: await startService(),
		tls: await startService({ tls: await selfSignedCertificate() }),
		elsewhere: await startService(),
		deserted: deserted.baseUrl,
	};
	await deserted.close();
	const notFound = Object.assign(new Error('Not found'), { code: 'ENOTFOUND' });
	const host = nock('https://no-such-host.invalid').persist();
	host.post(/./).replyWithError(notFound);
	host.get(/./).replyWithError(notFound);
});
beforeEach(() => {
	// The shortest pauses that the backoff may choose, and none after a failed login
	jest.spyOn(Math, 'random').mockReturnValue(0);
	skipLoginPauses();
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
	const { service, tls, elsewhere } = stage;
	await Promise.all([service, tls, elsewhere].map(async (each) => await each.close()));
	if (!isCommand) return;
	const marked = matrixText((row, setting) => (passed.has(nameOf(row, setting)) ? '✓ ' : '✗ '));
	process.stdout.write(`\n${marked}\n\n`);
});

test.each(cells)(
	'$name',
	async ({ row, setting, name }) => {
		const outcomes: Record<string, Outcome> = {};
		const expected: Record<string, Outcome> = {};
		for (const [form, variation] of Object.entries(row.variations)) {
			outcomes[form] = await runCell(row, variation, setting, stage);
			expected[form] = expectedOutcome(row, variation, setting);
		}
		expect(outcomes).toEqual(expected);
		passed.add(name);
	},
	30_000,
);

test('docs/reliability.md shows this matrix (npm run test:faults writes it)', () => {
	if (isCommand) writeBlock(BLOCK, matrixText());
	expect(readBlock(BLOCK)).toBe(matrixText());
});
