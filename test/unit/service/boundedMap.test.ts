import { BoundedMap } from '../../../nodes/AquacultureSite/service/boundedMap';

test('the latest entries stay; one that is set again is the latest', () => {
	const map = new BoundedMap<string, number>(2);
	map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
	expect([...map]).toEqual([
		['a', 3],
		['c', 4],
	]);
});

test('a key may be undefined', () => {
	const map = new BoundedMap<string | undefined, number>(1);
	map.set(undefined, 1).set('b', 2);
	expect([...map.keys()]).toEqual(['b']);
});
