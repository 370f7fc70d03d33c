import { runCell, startStage } from '../../tools/cases/fault-cell';
import { expectedOutcome, type Outcome, SETTINGS, TABLE } from '../../tools/cases/fault-table';
import { skipIdleTime } from '../../tools/helpers/fake-clock';
import { cleanup } from '../../tools/helpers/own';

/** Each form with each setting; in the everyday tests, each form with one of them. */
const isWhole = process.env['FAULTS'] === 'all';

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

beforeEach(() => {
	// The shortest pauses that the backoff may choose, and no others
	jest.spyOn(Math, 'random').mockReturnValue(0);
	skipIdleTime();
});

test.each(cells)('$name', async ({ row, setting, forms }) => {
	const outcomes: Record<string, Outcome> = {};
	const expected: Record<string, Outcome> = {};
	for (const [form, variation] of forms) {
		outcomes[form] = await runCell(row, variation, setting, await startStage(cleanup));
		expected[form] = expectedOutcome(row, variation, setting);
	}
	expect(outcomes).toEqual(expected);
});
