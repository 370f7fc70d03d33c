const clocks = [Date, performance].map((clock) => ({ clock, now: clock.now.bind(clock) }));

let skipped = 0;

/** Puts both of n8n's clocks forward for the rest of a test file; timers that run are not shortened. */
export function skipTime(milliseconds: number): void {
	skipped += milliseconds;
	for (const { clock, now } of clocks) {
		jest.spyOn(clock, 'now').mockImplementation(() => now() + skipped);
	}
}
