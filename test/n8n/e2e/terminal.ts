import { defined } from '../../tools/helpers/at';
import type { Cleanup } from '../../tools/helpers/cleanup';
import { until } from '../../tools/helpers/until';
import { TIMEOUT_MS } from '../../tools/n8n/n8n-process';
import { GuardedProcess } from '../../tools/n8n/processes';

/** An npm script that runs until it is stopped, with what its terminal shows. The cleanup ends it. */
export class Terminal {
	readonly lines: string[] = [];

	readonly process: GuardedProcess;

	constructor(
		private readonly script: string,
		args: string[],
		cwd: string,
		cleanup: Cleanup,
		env = process.env,
	) {
		this.process = new GuardedProcess('npm', ['run', script, '--', ...args], {
			cwd,
			env,
			onLine: (line) => this.lines.push(line),
		});
		cleanup.defer(() => this.process.kill());
	}

	/** What the table shows behind a label; if there are several such labels, behind the first. */
	shown(label: string): string {
		const pattern = new RegExp(`\\b${label} +(\\S+) +│$`);
		return defined(this.lines.map((line) => pattern.exec(line)?.[1]).find(Boolean));
	}

	/** Waits until a line is shown. */
	async waitFor(pattern: RegExp, timeoutMs = TIMEOUT_MS): Promise<void> {
		const isShown = () => {
			if (this.lines.some((line) => pattern.test(line))) return true;
			if (!this.process.running) {
				throw new Error(`npm run ${this.script} has ended:\n${this.lines.join('\n')}`);
			}
			return false;
		};
		await until(`the terminal shows ${String(pattern)}`, isShown, { timeoutMs, intervalMs: 100 });
	}

	/** Logs in to the n8n of the table, with its account; returns the cookie. */
	async logIn(): Promise<string> {
		const response = await fetch(`${this.origin}/rest/login`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({
				emailOrLdapLoginId: this.shown('Email'),
				password: this.shown('Password'),
			}),
		});
		const [cookie = ''] = defined(response.headers.getSetCookie()[0]).split(';');
		return cookie;
	}

	/** Where the n8n of the table is. */
	get origin(): string {
		return new URL(this.shown('Address')).origin;
	}
}
