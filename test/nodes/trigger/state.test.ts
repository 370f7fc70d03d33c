import { fromSnapshot, readState, writeState } from '../../../nodes/AquacultureSite/trigger/state';

const EMPTY = {
	source: 'A',
	polledAt: 0,
	turns: [],
	sites: {},
	failing: {},
	reported: [],
	outage: { polls: 0, isReported: false },
	round: { polls: 0, left: 0, isReported: false },
};

const KEPT = {
	source: 'A',
	polledAt: 7,
	turns: ['1042'],
	sites: { 1042: '[]' },
	failing: { 1057: 2 },
	reported: ['1057'],
	outage: { polls: 1, isReported: true },
	round: { polls: 3, left: 4, isReported: true },
};

test('what n8n has kept is read as it is, from another source only when it was', () => {
	expect(readState(KEPT, 'A')).toEqual(KEPT);
	expect(readState(KEPT, 'B')).toEqual({ ...EMPTY, source: 'B', polledAt: 7 });
	expect(readState({}, 'A')).toEqual(EMPTY);
});

test.each([null, 'text', 7, [null, {}, 7.5]])('what has another form is left out: %j', (other) => {
	const names = ['polledAt', 'turns', 'sites', 'failing', 'reported', 'outage', 'round'];
	const kept = Object.fromEntries(names.map((name) => [name, other]));
	const state = readState({ ...kept, source: 'A' }, 'A');
	// An array has its numbers by their indexes
	const failing = Array.isArray(other) ? { 2: 7.5 } : {};
	expect(state).toEqual({ ...EMPTY, polledAt: other === 7 ? 7 : 0, failing });
});

test('entries of another form are left out, one by one', () => {
	const kept = {
		...KEPT,
		turns: ['1042', 7, null],
		sites: { 1042: '[]', 1057: { siteId: 1057 } },
		failing: { 1057: 2, 1063: 'twice' },
		reported: [{}, '1057'],
	};
	expect(readState(kept, 'A')).toEqual(KEPT);
});

test('what an earlier version has kept is replaced', () => {
	const kept = { source: 'A', snapshots: {}, turns: ['1'] };
	writeState(kept, KEPT);
	expect(kept).toEqual(KEPT);
});

test.each(['', '[null]', '[7]', '["text"]', undefined])('there is no site in %p', (snapshot) => {
	expect(fromSnapshot(snapshot)).toBeUndefined();
});
