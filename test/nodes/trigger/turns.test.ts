import fc from 'fast-check';
import { afterTurns, inTurn } from '../../../nodes/AquacultureSite/trigger/turns';
import { forAll } from '../../fuzz/fuzz';

const A_FEW = fc.integer({ min: 1, max: 12 });

test('a new site comes first, a removed one not at all', () => {
	expect(inTurn(['1', '2', '3', '4'], ['4', '9', '2'])).toEqual(['1', '3', '4', '2']);
});

test('whatever a poll reaches, each site has its turn before any has its second', () => {
	forAll([A_FEW, A_FEW], (total, perPoll) => {
		const siteIds = Array.from({ length: total }, (_, index) => String(index));
		const read = new Map(siteIds.map((siteId) => [siteId, 0]));
		let turns: string[] = [];
		for (let poll = 0; poll < 30; poll++) {
			const ordered = inTurn(siteIds, turns);
			const had = ordered.slice(0, perPoll);
			for (const siteId of had) read.set(siteId, (read.get(siteId) ?? 0) + 1);
			turns = afterTurns(ordered, new Set(had));
			const counts = [...read.values()];
			expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
		}
	});
});
