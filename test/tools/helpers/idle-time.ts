import { settle } from './fake-clock';

/** Turns of the event loop without anything under way before time passes. */
const IDLE_TURNS = 30;

/** Whether a request is on its way: n8n opens a connection for each. */
const isConnected = () =>
	process.getActiveResourcesInfo().some((name) => /^TCP(Soc|Con)/.test(name));

/** Shorter timers are left alone. */
const SHORTEST_MS = 5;

interface Timer {
	at: number;
	action: () => void;
}

/** Time that passes as soon as nothing is under way, until the mocks are restored: minutes take a second. */
export class IdleTime {
	private ahead = 0;

	private timers: Timer[] = [];

	private readonly start = performance.now();

	private isOver = false;

	/** @param progress is not the same as before if something was under way since */
	constructor(private readonly progress: () => unknown) {
		const byHandle = new WeakMap<object, Timer>();
		const { setTimeout, clearTimeout } = globalThis;
		for (const clock of [Date, performance]) {
			const now = clock.now.bind(clock);
			jest.spyOn(clock, 'now').mockImplementation(() => now() + this.ahead);
		}
		jest.spyOn(globalThis, 'setTimeout').mockImplementation((action, milliseconds = 0) => {
			if (milliseconds < SHORTEST_MS) return setTimeout(action, milliseconds);
			const handle = setTimeout(() => undefined, 0);
			byHandle.set(handle, this.after(milliseconds, action));
			return handle;
		});
		jest.spyOn(globalThis, 'clearTimeout').mockImplementation((handle) => {
			const timer = typeof handle === 'object' ? byHandle.get(handle) : undefined;
			this.timers = this.timers.filter((other) => other !== timer);
			clearTimeout(handle);
		});
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
			const controller = new AbortController();
			this.after(milliseconds, () => controller.abort());
			return controller.signal;
		});
		void this.pass();
	}

	/** @param milliseconds of the moment to wait for, since the start */
	async until(milliseconds: number): Promise<void> {
		const left = this.start + milliseconds - performance.now();
		await new Promise<void>((over) => this.after(Math.max(SHORTEST_MS, left), over));
	}

	end(): void {
		this.isOver = true;
	}

	private after(milliseconds: number, action: () => void): Timer {
		const timer = { at: performance.now() + milliseconds, action };
		this.timers.push(timer);
		this.timers.sort((one, other) => one.at - other.at);
		return timer;
	}

	private async pass(): Promise<void> {
		let last: unknown;
		let turns = 0;
		while (!this.isOver) {
			await settle();
			const progress = this.progress();
			turns = progress === last && !isConnected() ? turns + 1 : 0;
			last = progress;
			const [next] = this.timers;
			if (turns < IDLE_TURNS || !next) continue;
			this.timers.shift();
			this.ahead += Math.max(0, next.at - performance.now());
			next.action();
			turns = 0;
		}
	}
}
