/** Stops the time of n8n's process; it passes, and timers run out, when a test says so. */
export function stopClock() {
	let now = Date.now();
	const timers: Array<{ end: number; timer: AbortController }> = [];
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
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
