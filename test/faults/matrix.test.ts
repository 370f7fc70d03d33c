import nock from 'nock';
import { selfSignedCertificate } from '../fake-service/certificate';
import { startService } from '../fake-service/service';
import { readBlock, writeBlock } from '../helpers/document';
import { skipLoginPauses } from '../helpers/login-pause';
import { expectedOutcome, ON_ERROR, type Outcome, runCell } from './cell';
import { BLOCK, matrixText, SETTINGS } from './report';
import { type Stage, TABLE } from './table';

let stage: Stage;

const cells = TABLE.flatMap((row) =>
	SETTINGS.map((setting) => ({
		row,
		setting,
		name: `${row.place}: ${row.fault}: ${ON_ERROR[setting]}`,
	})),
);

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
});

test.each(cells)(
	'$name',
	async ({ row, setting }) => {
		const outcomes: Record<string, Outcome> = {};
		const expected: Record<string, Outcome> = {};
		for (const [form, variation] of Object.entries(row.variations)) {
			outcomes[form] = await runCell(row, variation, setting, stage);
			expected[form] = expectedOutcome(row, variation, setting);
		}
		expect(outcomes).toEqual(expected);
	},
	30_000,
);

test('docs/reliability.md shows this matrix (npm run test:faults writes it)', () => {
	if (process.env.FAULT_MATRIX === 'print') writeBlock(BLOCK, matrixText());
	expect(readBlock(BLOCK)).toBe(matrixText());
});
