import { fatal, isEnough, playSeed, told, type Played } from './summary';

// Always the same: green or red for a reason. replay.ts plays others
const count = Number(process.env.SEEDS ?? 500);
const first = Number(process.env.SEED ?? 1);
const seeds = Array.from({ length: count }, (_, index) => first + index);

const all: Played[] = [];

test.each(seeds)('the generated service %i', async (seed) => {
	const played = await playSeed(seed);
	all.push(played);
	expect(fatal([played])).toEqual([]);
});

afterAll(() => {
	process.stdout.write(`Generated services from seed ${first} on: ${told(all)}\n`);
	expect(isEnough(all)).toBe(true);
});
