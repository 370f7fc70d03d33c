import { expectedOutcome, type Outcome, runCell, SETTINGS } from '../../tools/cases/fault-cell';
import { type Stage, TABLE } from '../../tools/cases/fault-table';
import { selfSignedCertificate } from '../../tools/fake-service/certificate';
import { startService } from '../../tools/fake-service/service';
import { BLOCKS, readBlock, writeBlock } from '../../tools/helpers/document';
import { inLanes } from '../../tools/helpers/lanes';
import { OwnTime, skipPausesInOwnTime } from '../../tools/helpers/own-time';
import { matrixText } from './report';

/** So many forms of a fault at once, each with services of its own: some take their time. */
const SIDE_BY_SIDE = 6;

const stages: Stage[] = [];

/** Each form with each setting; in the everyday tests, each form with one of them. */
const isWhole = process.env['LOAD'] === 'all' || process.env['FAULT_MATRIX'] === 'print';

const cells = TABLE.flatMap((row) => {
	const forms = Object.entries(row.variations);
	return SETTINGS.map((setting, place) => ({
		row,
		setting,
		forms: forms.filter(
			(_, index) =>
				isWhole || index % SETTINGS.length === place % Math.min(forms.length, SETTINGS.length),
		),
		name: `${row.place}: ${row.fault}: ${setting}`,
	}));
});

beforeAll(async () => {
	const tls = await selfSignedCertificate();
	while (stages.length < SIDE_BY_SIDE) {
		stages.push({
			service: await startService(),
			tls: await startService({ tls }),
			elsewhere: await startService(),
		});
	}
});
beforeEach(() => {
	// The shortest pauses that the backoff may choose, and no others
	jest.spyOn(Math, 'random').mockReturnValue(0);
	skipPausesInOwnTime();
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
	const services = stages.flatMap(({ service, tls, elsewhere }) => [service, tls, elsewhere]);
	await Promise.all(services.map(async (each) => await each.close()));
});

test.each(cells)('$name', async ({ row, setting, forms }) => {
	const outcomes: Record<string, Outcome> = {};
	const expected: Record<string, Outcome> = {};
	await inLanes(stages, forms, async ([form, variation], stage) => {
		outcomes[form] = await OwnTime.run(async () => await runCell(row, variation, setting, stage));
		expected[form] = expectedOutcome(row, variation, setting);
	});
	expect(outcomes).toEqual(expected);
});

test('docs/reliability.md shows this matrix (npm run test:faults writes it)', () => {
	if (process.env.FAULT_MATRIX === 'print') writeBlock(BLOCKS.faults, matrixText());
	expect(readBlock(BLOCKS.faults)).toBe(matrixText());
});
