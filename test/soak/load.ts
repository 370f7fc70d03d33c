import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { N8nInstance } from '../e2e/n8n';

const EVERY_MS = 200;

/** Kilobytes of a process (RSS). */
export async function memoryOf(pid: number): Promise<number> {
	const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
	return Number(stdout);
}

/** What n8n bears: its memory, and how long it lets others wait. */
export class Load {
	private readonly peak = { memory: 0, responseMs: 0 };

	private isOver = false;

	private watching?: Promise<void>;

	constructor(private readonly n8n: N8nInstance) {}

	async memory(): Promise<number> {
		return await memoryOf(await this.n8n.pid);
	}

	/** Watches from now on. */
	watch(): void {
		this.watching = this.repeat();
	}

	/** The most since then: kilobytes, and milliseconds until the health check responded. */
	async stop(): Promise<{ memory: number; responseMs: number }> {
		this.isOver = true;
		await this.watching;
		return this.peak;
	}

	private async repeat(): Promise<void> {
		while (!this.isOver) {
			const start = performance.now();
			await fetch(`${this.n8n.baseUrl}/healthz`);
			const responseMs = Math.round(performance.now() - start);
			this.peak.responseMs = Math.max(this.peak.responseMs, responseMs);
			this.peak.memory = Math.max(this.peak.memory, await this.memory());
			await setTimeout(EVERY_MS);
		}
	}
}
