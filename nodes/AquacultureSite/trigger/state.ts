import type { Site } from '../site/site';

/**
 * What n8n stores for the trigger from one poll to the next, as JSON, its "static data". n8n saves it after the
 * activation and when items come out; after a silent poll it stays in memory only.
 */
export interface State {
	/** Base URL and API version: with others, nothing can be compared. */
	readFrom: string;
	/** The sites, those read longest ago first. */
	readOrder: string[];
	/** Each site as it was last read, by the ID it was requested by. */
	snapshots: Record<string, Site>;
	/** How many times in a row a site could not be read. */
	failedPolls: Record<string, number>;
	/** The unreadable sites that have been reported. */
	reported: string[];
	/** How many polls in a row have read no site, and whether that has been reported. */
	outage: { polls: number; isReported: boolean };
	/** How many polls it takes to read each site once: so far, and how many sites are left. */
	round: { polls: number; left: number; isReported: boolean };
}

/** The state in the static data, or an empty one if that was read from elsewhere. */
export function readState(staticData: object, readFrom: string): State {
	const saved = staticData as State;
	if (saved.readFrom === readFrom) return { ...saved };
	return {
		readFrom,
		readOrder: [],
		snapshots: {},
		failedPolls: {},
		reported: [],
		outage: { polls: 0, isReported: false },
		round: { polls: 0, left: 0, isReported: false },
	};
}

// Longer than a poll, which ends itself: a poll that hangs does not stop the trigger for good
const LONGEST_CLAIM_MS = 60_000;

const claims = new WeakMap<object, Claim>();

/** A poll's right to replace the state: one poll of a trigger at a time has it. */
export class Claim {
	private readonly takenAt = Date.now();

	private constructor(private readonly staticData: object) {}

	/**
	 * @param staticData of the trigger; one object from its activation to its end
	 * @returns undefined while another poll has it
	 */
	static take(staticData: object): Claim | undefined {
		const other = claims.get(staticData);
		if (other && Date.now() - other.takenAt < LONGEST_CLAIM_MS) return undefined;
		const claim = new Claim(staticData);
		claims.set(staticData, claim);
		return claim;
	}

	/** False once another poll has taken over because this one hung. */
	get isValid(): boolean {
		return claims.get(this.staticData) === this;
	}

	release(): void {
		if (this.isValid) claims.delete(this.staticData);
	}
}
