import { randomUUID } from 'node:crypto';
import { runCell, startStage } from '../../tools/cases/fault-cell';
import { expectedOutcome, MOST, SETTINGS, TABLE } from '../../tools/cases/fault-table';
import { skipIdleTime } from '../../tools/helpers/fake-clock';
import { cleanup } from '../../tools/helpers/own';

/** Each form with each setting; in the everyday tests, each form with one of them. Each run is a test: a short one. */
const isWhole = process.env['FAULTS'] === 'all';

const runs = TABLE.flatMap((row) => {
	const forms = Object.entries(row.variations);
	const stride = Math.min(forms.length, SETTINGS.length);
	return SETTINGS.flatMap((setting, place) =>
		forms
			.filter((_, index) => isWhole || index % SETTINGS.length === place % stride)
			.map(([form, variation]) => ({ row, setting, form, variation })),
	);
});

beforeEach(() => {
	// The shortest pauses that the backoff may choose, and no others
	jest.spyOn(Math, 'random').mockReturnValue(0);
	skipIdleTime();
});

test.each(runs)('$row.place: $row.fault: $setting: $form', async ({ row, setting, variation }) => {
	// Its own: a rejected login is remembered, and a port may be used again
	const login = { username: randomUUID(), password: 'sample-password' };
	const stage = await startStage(cleanup, login);
	const outcome = await runCell(row, variation, setting, stage);
	expect(outcome).toEqual(expectedOutcome(row, variation, setting, outcome.stopped?.item));
	const { siteRequests, tokenRequests, refusedLogins } = stage.service.counts;
	expect(siteRequests).toBeLessThanOrEqual(MOST.requests);
	expect(tokenRequests).toBeLessThanOrEqual(MOST.logins);
	// The account may get locked
	expect(refusedLogins).toBeLessThanOrEqual(1);
});
