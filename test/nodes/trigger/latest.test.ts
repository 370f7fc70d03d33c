import { recall, remember } from '../../../nodes/AquacultureSite/trigger/latest';
import { readState } from '../../../nodes/AquacultureSite/trigger/state';

const polledAt = (time: number, source = 'A') => readState({ source, polledAt: time }, source);

test('of what n8n has kept and what was found out since, the newer one counts, from the same source', () => {
	const latest = polledAt(2);
	remember('trigger', latest);
	expect(recall('trigger', polledAt(1))).toBe(latest);
	for (const kept of [polledAt(2), polledAt(3), polledAt(1, 'B')]) {
		expect(recall('trigger', kept)).toBe(kept);
	}
	const other = polledAt(1);
	expect(recall('other', other)).toBe(other);
});

test('a hundred triggers are remembered, those that have polled last', () => {
	const [latest, kept] = [polledAt(2), polledAt(1)];
	for (const name of ['first', 'second', 'first']) remember(name, latest);
	for (let index = 0; index < 98; index++) remember(String(index), latest);
	expect(['first', 'second', '0'].map((name) => recall(name, kept))).toEqual(Array(3).fill(latest));
	remember('98', latest);
	expect(recall('second', kept)).toBe(kept);
	expect(recall('first', kept)).toBe(latest);
});
