import type { Site } from '../site/site';
import { pack, unpack } from './packing';

/**
 * What n8n keeps for the trigger from one poll to the next, as JSON. n8n saves it after the activation and when
 * items come out; after a silent poll it stays in memory only.
 */
export interface State {
	/** Base URL and interface version: with another one, nothing can be compared. */
	source: string;
	/** Milliseconds since 1970 of the latest poll. */
	polledAt: number;
	/** The sites in the order of their next turns. */
	turns: string[];
	/** Each site as it was last read, packed, by the ID it was requested by. */
	sites: Record<string, string>;
	/** How many times in a row a site could not be read. */
	failing: Record<string, number>;
	/** The failing sites that have been reported. */
	reported: string[];
	/** How many polls in a row have read no site, and whether that has been reported. */
	outage: { polls: number; isReported: boolean };
	/** How many polls it takes until each site had its turn: so far, and how many sites are left. */
	round: { polls: number; left: number; isReported: boolean };
}

function recordOf<T>(value: unknown, isEntry: (entry: unknown) => entry is T): Record<string, T> {
	if (typeof value !== 'object' || value === null) return {};
	return Object.fromEntries(
		Object.entries(value).filter((entry): entry is [string, T] => isEntry(entry[1])),
	);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => typeof value === 'number';
const textsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isText) : []);

/**
 * Reads what n8n has kept. What an earlier version of the package wrote has another form and is no snapshot, so that
 * its sites start anew, silently.
 */
export function readState(kept: Record<string, unknown>, source: string): State {
	const own = kept.source === source ? kept : {};
	const { outage, round } = own as Partial<State>;
	return {
		source,
		polledAt: isCount(kept.polledAt) ? kept.polledAt : 0,
		turns: textsOf(own.turns),
		sites: recordOf(own.sites, isText),
		failing: recordOf(own.failing, isCount),
		reported: textsOf(own.reported),
		outage: { polls: outage?.polls ?? 0, isReported: outage?.isReported === true },
		round: {
			polls: round?.polls ?? 0,
			left: round?.left ?? 0,
			isReported: round?.isReported === true,
		},
	};
}

/** Replaces what n8n has kept. */
export function writeState(kept: Record<string, unknown>, state: State): void {
	for (const name of Object.keys(kept)) if (!(name in state)) Reflect.deleteProperty(kept, name);
	Object.assign(kept, state);
}

/** The text that a site is kept as. */
export function toSnapshot(site: Site): string {
	return pack(site);
}

/** The site in a snapshot; undefined where there is none. */
export function fromSnapshot(snapshot: string | undefined): Site | undefined {
	const site = unpack(snapshot);
	return typeof site === 'object' && site !== null ? (site as Site) : undefined;
}
