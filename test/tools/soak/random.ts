import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { at } from '../helpers/at';

/** A number from 0 up to, but not including, 1. */
export type Random = () => number;

/** Numbers that are the same for the same seed and name, however many others are drawn meanwhile. */
export function randomFrom(seed: number, name: string): Random {
	const hash = createHash('sha256').update(`${seed} ${name}`).digest();
	const generator = xoroshiro128plus(hash.readInt32BE());
	return () => uniformFloat64(generator);
}

export const pick = <T>(list: readonly T[], random: Random): T =>
	at(list, Math.floor(random() * list.length));
