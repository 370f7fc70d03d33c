import type { Fault, Faults } from '../fake-service/faults';
import type { Random } from './random';

/** A fault and how likely a request meets it: in quiet times, and during a storm. */
type Kind = [name: string, quiet: number, storm: number, fault: (random: Random) => Fault];

const SITE_KINDS: Kind[] = [
	['429 immediately', 0.02, 0.15, () => ({ status: 429, retryAfter: 0 })],
	['429 in a second', 0.01, 0.1, () => ({ status: 429, retryAfter: 1 })],
	['500', 0.01, 0.05, () => ({ status: 500 })],
	['503', 0.02, 0.3, () => ({ status: 503 })],
	['reset', 0.02, 0.15, () => ({ connection: 'reset' })],
	['cut', 0.02, 0.1, () => ({ connection: 'cut' })],
	['slow', 0.05, 0.1, (random) => ({ latencyMs: () => random() * 2000 })],
];

// No cut: a login counts when it is answered, so one that was lost would look like one too many.
const TOKEN_KINDS: Kind[] = [
	['login 429', 0.05, 0.2, () => ({ status: 429, retryAfter: 0 })],
	['login 503', 0.05, 0.2, () => ({ status: 503 })],
	['login reset', 0.05, 0.2, () => ({ connection: 'reset' })],
	['login slow', 0.1, 0.1, (random) => ({ latencyMs: () => random() * 1000 })],
];

/** Random faults of the service, more of them during storms. */
export class Weather {
	isStorm = false;

	/** How many requests met each kind of fault. */
	readonly met = new Map<string, number>();

	constructor(
		private readonly randomOf: (name: string) => Random,
		faults: Faults,
	) {
		faults.site = SITE_KINDS.map((kind) => this.faultOf(kind));
		faults.token = TOKEN_KINDS.map((kind) => this.faultOf(kind));
	}

	get hasMetAllSiteKinds(): boolean {
		return SITE_KINDS.every(([name]) => this.met.has(name));
	}

	private faultOf([name, quiet, storm, fault]: Kind): Fault {
		const random = this.randomOf(name);
		const when = () => {
			const meets = random() < (this.isStorm ? storm : quiet);
			if (meets) this.met.set(name, (this.met.get(name) ?? 0) + 1);
			return meets;
		};
		return { ...fault(random), when };
	}
}
