import { randomUUID } from 'node:crypto';
import { runCell, startStage } from '../../tools/cases/fault-cell';
import {
	type Counts,
	expectedOutcome,
	MOST,
	type Outcome,
	SETTINGS,
	TABLE,
} from '../../tools/cases/fault-table';
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
	const tooMany: Record<string, Counts> = {};
	for (const [form, variation] of forms) {
		// Its own: a rejected login is remembered, and a port may be used again
		const login = { username: randomUUID(), password: 'sample-password' };
		const outcome = await runCell(row, variation, setting, await startStage(cleanup, login));
		const foreseen = expectedOutcome(row, variation, setting, outcome.stopped?.item);
		const { requests, logins } = outcome;
		[outcomes[form], expected[form]] = [outcome, { ...foreseen, requests, logins }];
		const isTooMany =
			requests > MOST.requests * foreseen.requests || logins > MOST.logins * foreseen.logins;
		if (isTooMany) tooMany[form] = { requests, logins };
	}
	expect({ ...outcomes, tooMany }).toEqual({ ...expected, tooMany: {} });
});
