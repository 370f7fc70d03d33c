import { AsyncLocalStorage } from 'node:async_hooks';

/** Time that a piece of work has for itself: ahead of the others' by what it has skipped. */
export class OwnTime {
	private static readonly current = new AsyncLocalStorage<OwnTime>();

	private ahead = 0;

	/** Does some work in a time of its own. */
	static async run<T>(work: () => Promise<T>): Promise<T> {
		return await OwnTime.current.run(new OwnTime(), work);
	}

	/** Of the work that asks. */
	static get(): OwnTime | undefined {
		return OwnTime.current.getStore();
	}

	/** Milliseconds. */
	static ahead(): number {
		return OwnTime.get()?.ahead ?? 0;
	}

	/** As if so many milliseconds had passed; timers that run are not shortened. */
	skip(milliseconds: number): void {
		this.ahead += milliseconds;
	}
}

/** The pauses of a run: for a request to be retried, for a failed login, for a service that is left alone. */
const isPause = (milliseconds: number) => milliseconds >= 1000 && milliseconds <= 10_000;

/** Lets work in its own time skip its pauses, until the mocks are restored. */
export function skipPausesInOwnTime(): void {
	const { setTimeout } = globalThis;
	for (const clock of [Date, performance]) {
		const now = clock.now.bind(clock);
		jest.spyOn(clock, 'now').mockImplementation(() => now() + OwnTime.ahead());
	}
	jest.spyOn(globalThis, 'setTimeout').mockImplementation((run, milliseconds = 0) => {
		const own = isPause(milliseconds) ? OwnTime.get() : undefined;
		own?.skip(milliseconds);
		return setTimeout(run, own ? 0 : milliseconds);
	});
}
