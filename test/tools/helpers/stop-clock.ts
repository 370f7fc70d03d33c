/** Stops the time of n8n's process; it passes, and timers run out, when a test says so. */
export function stopClock() {
	const start = Date.now();
	let now = start;
	const timers: Array<{ end: number; timer: AbortController }> = [];
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	// As in reality, no two moments are whole milliseconds apart
	jest.spyOn(performance, 'now').mockImplementation(() => now - start + 0.1 * timers.length);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
		if (!Number.isInteger(milliseconds)) throw new RangeError(`${milliseconds} is not an integer`);
		const timer = new AbortController();
		timers.push({ end: now + milliseconds, timer });
		return timer.signal;
	});
	return {
		advance(milliseconds: number): void {
			now += milliseconds;
			for (const { end, timer } of timers) if (end <= now) timer.abort();
		},
	};
}
