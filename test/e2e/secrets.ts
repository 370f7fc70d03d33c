import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Service } from '../fake-service/service';
import type { N8nInstance } from './n8n';
import { prepared } from './prepared';
import { run } from './processes';

/** A secret in a place where it should not be. */
export interface Finding {
	/** `file …` in the user folder, `table …` of the database, or `GET …` of the REST interface. */
	place: string;
	/** The name that the secret was given. */
	secret: string;
	form: 'plain' | 'base64' | 'URL-encoded';
}

type Form = Pick<Finding, 'secret' | 'form'> & { bytes: Buffer };

/**
 * The characters that base64 and base64url have for a text wherever it stands in a longer one: at one of three places
 * within a group of three bytes. Groups that its neighbours have a part in are left out (RFC 4648, section 4).
 */
function base64(value: string): string[] {
	const bytes = Buffer.from(value);
	return [0, 1, 2].flatMap((from) => {
		const whole = bytes.subarray(from, from + Math.floor((bytes.length - from) / 3) * 3);
		return [whole.toString('base64'), whole.toString('base64url')];
	});
}

function formsOf(secrets: Record<string, string>): Form[] {
	return Object.entries(secrets).flatMap(([secret, value]) => {
		const forms = new Map<string, Finding['form']>();
		for (const text of base64(value)) forms.set(text, 'base64');
		forms.set(encodeURIComponent(value), 'URL-encoded');
		forms.set(new URLSearchParams([[value, '']]).toString().slice(0, -1), 'URL-encoded');
		// Last, because a text without special characters is its own URL-encoded form.
		forms.set(value, 'plain');
		return [...forms].map(([text, form]) => ({ secret, form, bytes: Buffer.from(text) }));
	});
}

const HASH_BITS = 20;
const hash = (lastBytes: number) => Math.imul(lastBytes, 0x9e3779b1) >>> (32 - HASH_BITS);

/** Searches a text for thousands of forms in one pass: looks closer wherever one of them may end. */
class FormSearch {
	private readonly byLastBytes = new Map<number, Form[]>();

	/** Rules most bytes out, faster than the map. */
	private readonly possible = new Uint8Array(2 ** HASH_BITS);

	constructor(forms: Form[]) {
		for (const form of forms) {
			const lastBytes = form.bytes.readUInt32BE(form.bytes.length - 4);
			this.byLastBytes.set(lastBytes, [...(this.byLastBytes.get(lastBytes) ?? []), form]);
			this.possible[hash(lastBytes)] = 1;
		}
	}

	*in(content: Buffer): Generator<Form> {
		let lastBytes = 0;
		for (let index = 0; index < content.length; index++) {
			lastBytes = ((lastBytes << 8) | content[index]!) >>> 0;
			if (!this.possible[hash(lastBytes)]) continue;
			for (const form of this.byLastBytes.get(lastBytes) ?? []) {
				const from = index + 1 - form.bytes.length;
				if (from >= 0 && form.bytes.equals(content.subarray(from, index + 1))) yield form;
			}
		}
	}
}

function filesIn(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		if (entry.name === 'node_modules') return [];
		const path = join(folder, entry.name);
		return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : [];
	});
}

/** Every row of every table of n8n's database, also those that are in the `-wal` file only. */
async function rowsOf(n8n: N8nInstance): Promise<Array<{ place: string; content: string }>> {
	const { code, output, stdout } = await run(
		prepared().install.node,
		['--no-warnings', join(__dirname, 'dump-database.mjs'), n8n.databaseFile],
		{ cwd: n8n.userFolder, env: {} },
	);
	if (code !== 0) throw new Error(`The database could not be read.\n${output}`);
	return stdout
		.trimEnd()
		.split('\n')
		.flatMap((line) => {
			const { table, row } = JSON.parse(line) as { table: string; row: Record<string, unknown> };
			return Object.entries(row).map(([column, value]) => ({
				place: `table ${table}, ${column}`,
				content: String(value),
			}));
		});
}

/** What n8n's editor is given about credentials, workflows and executions. */
async function answersOf(n8n: N8nInstance): Promise<Array<{ place: string; content: string }>> {
	const answers: Array<{ place: string; content: string }> = [];
	const get = async <T>(path: string): Promise<T> => {
		const answer = await n8n.rest<T>('GET', path);
		answers.push({ place: `GET ${path}`, content: JSON.stringify(answer) });
		return answer;
	};
	const credentials = await get<Array<{ id: string }>>('/credentials?includeData=true');
	for (const { id } of credentials) await get(`/credentials/${id}?includeData=true`);
	for (const { id } of await get<Array<{ id: string }>>('/workflows')) {
		await get(`/workflows/${id}`);
		for (const execution of await n8n.executionIds(id)) await get(`/executions/${execution}`);
	}
	return answers;
}

/** The passwords of a stand-in service and every token that it issued, by names that tell which one it is. */
export function secretsOf({ logins, issuedTokens }: Service): Record<string, string> {
	return Object.fromEntries([
		...logins.map(({ username, password }) => [`password of ${username}`, password]),
		...issuedTokens.map((token, index) => [`token ${index + 1}`, token]),
	]);
}

/**
 * Looks for secrets everywhere in a running n8n: all files of its user folder (database and its `-wal`, logs, stored
 * binary data, what was pushed to an open editor), all rows of its database and the answers to its editor; plain,
 * base64 and URL-encoded. The stored credential holds them in encrypted form, which is none of these.
 * @param secrets by the names that they get in the findings
 */
export async function findSecrets(
	n8n: N8nInstance,
	secrets: Record<string, string>,
): Promise<Finding[]> {
	const forms = new FormSearch(formsOf(secrets));
	const findings = new Map<string, Finding>();
	const search = async (place: string, content: Buffer) => {
		for (const { secret, form } of forms.in(content)) {
			findings.set(`${place} ${secret} ${form}`, { place, secret, form });
		}
		// A long search keeps this process from seeing that n8n has closed an idle connection, which it would use again
		await setImmediate();
	};
	for (const { place, content } of [...(await answersOf(n8n)), ...(await rowsOf(n8n))]) {
		await search(place, Buffer.from(content));
	}
	for (const file of filesIn(n8n.userFolder)) {
		await search(`file ${relative(n8n.userFolder, file)}`, readFileSync(file));
	}
	return [...findings.values()];
}
