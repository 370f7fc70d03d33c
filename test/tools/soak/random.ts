import { createHash } from 'node:crypto';
import { at } from '../helpers/at';

/** A number from 0 up to, but not including, 1. */
export type Random = () => number;

/** Numbers that are the same for the same seed and name, however many others are drawn meanwhile. */
export function randomFrom(seed: number, name: string): Random {
	let drawn = 0;
	return () =>
		createHash('sha256').update(`${seed} ${name} ${drawn++}`).digest().readUInt32BE() / 2 ** 32;
}

export const pick = <T>(list: readonly T[], random: Random): T =>
	at(list, Math.floor(random() * list.length));
