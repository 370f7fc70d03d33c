import { draw } from './draw';
import { judge, type Verdict } from './invariants';
import { play } from './play';

/** A played seed. */
export interface Played extends Verdict {
	seed: number;
	troubles: number;
}

/** Plays a seed, and judges it. */
export async function playSeed(seed: number): Promise<Played> {
	const plan = draw(seed);
	return { seed, troubles: plan.troubles.length, ...judge(plan, await play(plan)) };
}

const held = (played: Played[]): Played[] => played.filter(({ findings }) => findings.length === 0);

/** What no share of plays that hold makes up for. */
export function fatal(played: Played[]): string[] {
	const isEndless = ({ findings }: Played) => /^2 (endless|stuck)/.test(findings[0]?.name ?? '');
	return played
		.filter(
			(each) => isEndless(each) || each.ratio > 10 || (each.troubles === 0 && each.findings[0]),
		)
		.map(({ seed, ratio, findings }) => `${seed}: ${findings[0]?.name}, ${ratio.toFixed(1)} times`);
}

export const isEnough = (played: Played[]): boolean => held(played).length >= 0.985 * played.length;

/** For people: by number of troubles, by kind of fall, and the longest. */
export function told(played: Played[]): string {
	const share = ((100 * held(played).length) / played.length).toFixed(2);
	const rows = [0, 1, 2, 3].map((count) => {
		const some = played.filter(({ troubles }) => troubles === count);
		return `${count} troubles: ${held(some).length} of ${some.length}`;
	});
	const falls = new Map<string, number[]>();
	for (const { seed, findings } of played) {
		for (const { name } of findings) falls.set(name, [...(falls.get(name) ?? []), seed]);
	}
	const kinds = [...falls].sort((a, b) => b[1].length - a[1].length);
	const longest = played.reduce((a, b) => (b.ratio > a.ratio ? b : a));
	return [
		`${held(played).length} of ${played.length} hold (${share} %)`,
		...rows,
		...kinds.map(([name, seeds]) => `${seeds.length} x ${name}: ${seeds.slice(0, 6).join(' ')}`),
		`longest: ${longest.ratio.toFixed(1)} times, seed ${longest.seed}`,
	].join('\n');
}
