/**
 * Does some work on each item of a list: side by side in the lanes, and in each lane one after the other.
 * @param lanes what only one piece of work at a time can use
 * @throws what a piece of work has thrown, when all lanes have ended
 */
export async function inLanes<Lane, Item>(
	lanes: readonly Lane[],
	items: readonly Item[],
	work: (item: Item, lane: Lane) => Promise<void>,
): Promise<void> {
	// All lanes take from the same iterator
	const left = items.values();
	const run = async (lane: Lane) => {
		for (const item of left) await work(item, lane);
	};
	// What fails in one lane must not leave the others behind
	const ends = await Promise.allSettled(lanes.map(run));
	for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
