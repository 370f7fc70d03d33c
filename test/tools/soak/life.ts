import { at } from '../helpers/at';
import { median } from '../helpers/numbers';
import type { N8nInstance } from '../n8n/n8n';
import { memoryOf } from './load';

/** After a start, n8n may not know its webhooks yet. */
const STARTING_MS = 30_000;

/** n8n, which is killed and started again. */
export class Life {
	kills = 0;

	isUp = true;

	/** Kilobytes of n8n's process (RSS), one list for each of its lives. */
	private readonly memory: number[][] = [[]];

	private upSince = Date.now();

	constructor(private readonly n8n: N8nInstance) {}

	/** Whether n8n may reject requests for its webhooks because it has just started. */
	get isStarting(): boolean {
		return Date.now() < this.upSince + STARTING_MS;
	}

	async killAndStart(onKill: () => void): Promise<void> {
		this.kills += 1;
		this.isUp = false;
		await this.n8n.kill();
		onKill();
		await this.n8n.start();
		this.memory.push([]);
		this.isUp = true;
		this.upSince = Date.now();
	}

	/** Does something that fails when n8n is killed meanwhile, which does not count. */
	async survive(work: () => Promise<void>): Promise<void> {
		const { kills } = this;
		if (!this.isUp) return;
		try {
			await work();
		} catch (error) {
			if (this.kills === kills) throw error;
		}
	}

	async sampleMemory(): Promise<void> {
		at(this.memory, -1).push(await memoryOf(this.n8n));
	}

	/** The memory of the longest life after its warm-up: median of the first and of the last third, in kilobytes. */
	memoryTrend(): { first: number; last: number; samples: number } {
		const longest = this.memory.reduce((a, b) => (b.length > a.length ? b : a));
		const warm = longest.slice(Math.floor(longest.length / 4));
		const third = Math.floor(warm.length / 3);
		const [first, last] = [median(warm.slice(0, third)), median(warm.slice(warm.length - third))];
		return { first, last, samples: warm.length };
	}
}
