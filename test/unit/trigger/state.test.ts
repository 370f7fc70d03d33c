import fc from 'fast-check';
import {
	newSite,
	readOrder,
	readState,
	type SiteState,
} from '../../../nodes/AquacultureSite/trigger/state';
import { forAll } from '../../tools/helpers/fuzz';

test('what n8n has stored counts for the same source alone', () => {
	const site = { ...newSite('1042'), failedPolls: 2 };
	const stored = { readFrom: 'A', sites: [site], outagePolls: 1, isOutageReported: true };
	expect(readState(stored, ['1042'], 'A')).toEqual(stored);
	const fresh = { readFrom: 'B', sites: [newSite('1042')] };
	expect(readState(stored, ['1042'], 'B')).toEqual(fresh);
	expect(readState({}, ['1042'], 'B')).toEqual(fresh);
	// While the credential cannot be used, nobody knows the source
	expect(readState(stored, ['1042'])).toEqual(stored);
	expect(readState({}, ['1042'])).toEqual({ ...fresh, readFrom: '' });
});

test('the state is about the sites of the list, in its order', () => {
	const [known, removed] = ['1042', '1057'].map((siteId) => ({
		...newSite(siteId),
		snapshot: { siteName: siteId },
	}));
	const stored = { readFrom: 'A', sites: [removed, known] };
	expect(readState(stored, ['7', '1042'], 'A').sites).toEqual([newSite('7'), known]);
});

describe('the read order', () => {
	test('starts with new sites, then those that have waited longest', () => {
		const sites: SiteState[] = [
			{ ...newSite('read'), snapshot: {} },
			{ ...newSite('waiting'), snapshot: {}, skippedPolls: 1 },
			{ ...newSite('unreadable'), failedPolls: 1, skippedPolls: 2 },
			newSite('new'),
			{ ...newSite('never reached'), skippedPolls: 1 },
		];
		const copy = structuredClone(sites);
		const ordered = ['new', 'never reached', 'unreadable', 'waiting', 'read'];
		expect(readOrder(sites)).toEqual(ordered);
		expect(sites).toEqual(copy);
	});

	test('leaves no site out for longer than the others take, however few a poll reaches', () => {
		const aFew = fc.integer({ min: 1, max: 12 });
		forAll([aFew, aFew], (total, perPoll) => {
			let sites = Array.from({ length: total }, (_, index) => newSite(String(index)));
			const longestWait = Math.ceil(total / perPoll) - 1;
			for (let poll = 0; poll < 30; poll++) {
				const reached = readOrder(sites).slice(0, perPoll);
				sites = sites.map((site) =>
					reached.includes(site.siteId)
						? { ...newSite(site.siteId), snapshot: {} }
						: { ...site, skippedPolls: site.skippedPolls + 1 },
				);
				const waits = sites.map(({ skippedPolls }) => skippedPolls);
				expect(Math.max(...waits)).toBeLessThanOrEqual(longestWait);
			}
		});
	});
});
