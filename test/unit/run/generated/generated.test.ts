import { fatal, held, playSeed, told, type Played } from './summary';

const { SEED, SEEDS } = process.env;

// Fixed ones are green or red for a reason; fresh ones are what nobody has looked at
const count = Number(SEEDS ?? 500);
const first = Number(SEED ?? (SEEDS ? Date.now() % 1_000_000_000 : 1));

// In one test: few enough for the time that the mutation test lets it take
const SIZE = 25;
const batches = Array.from({ length: Math.ceil(count / SIZE) }, (_, index) => {
	const from = first + index * SIZE;
	return { from, to: Math.min(from + SIZE, first + count) - 1 };
});

const all: Played[] = [];

test.each(batches)('generated services $from to $to', async ({ from, to }) => {
	const played: Played[] = [];
	for (let seed = from; seed <= to; seed++) played.push(await playSeed(seed));
	all.push(...played);
	expect(fatal(played)).toEqual([]);
});

afterAll(() => {
	process.stdout.write(`Generated services from seed ${first} on: ${told(all)}\n`);
	expect(held(all).length / all.length).toBeGreaterThanOrEqual(0.985);
});
