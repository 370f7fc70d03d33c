import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Draws that look random and are the same for the same seed. */
export class Random {
	private readonly generator: ReturnType<typeof xoroshiro128plus>;

	/** @param stream another one draws something else for the same seed */
	constructor(seed: number, stream: number) {
		// Neighboring seeds would begin alike
		this.generator = xoroshiro128plus(Math.imul(seed, 2654435761) ^ Math.imul(stream, 40503));
		for (let skipped = 0; skipped < 32; skipped++) this.next();
	}

	readonly next = (): number => uniformFloat64(this.generator);

	readonly chance = (share: number): boolean => this.next() < share;

	readonly between = (least: number, most: number): number => least + (most - least) * this.next();

	readonly int = (least: number, most: number): number => Math.floor(this.between(least, most + 1));

	/** As many small numbers as large ones. */
	readonly log = (least: number, most: number): number => least * (most / least) ** this.next();

	readonly pick = <T>(...values: readonly T[]): T => values[this.int(0, values.length - 1)] as T;

	/** By weight. */
	readonly weigh = <T>(...weighted: readonly (readonly [weight: number, value: T])[]): T => {
		let left = this.next() * weighted.reduce((sum, [weight]) => sum + weight, 0);
		const found = weighted.find(([weight]) => (left -= weight) < 0) ?? weighted[0];
		return (found as readonly [number, T])[1];
	};
}
