import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Service } from '../fake-service/service';
import type { N8nInstance } from './n8n';
import { outputOf } from './processes';

/** A secret in a place where it must not be. */
export interface Finding {
	/** `file …` in the user folder, `table …` of the database, or `GET …` of the REST interface. */
	place: string;
	secret: string;
	form: 'plain' | 'base64' | 'URL-encoded' | 'JSON-escaped';
}

type Form = Pick<Finding, 'secret' | 'form'> & { bytes: Buffer };

/** Something to search, and how the findings name it. */
type Content = Pick<Finding, 'place'> & { content: Buffer };

/**
 * The characters that base64 and base64url have for a text wherever it stands in a longer one: at one of three places
 * within a group of three bytes. Groups shared with its neighbors are left out (RFC 4648, section 4).
 */
function base64(value: string): string[] {
	const bytes = Buffer.from(value);
	return [0, 1, 2].flatMap((from) => {
		const whole = bytes.subarray(from, from + Math.floor((bytes.length - from) / 3) * 3);
		return [whole.toString('base64'), whole.toString('base64url')];
	});
}

const jsonEscaped = (value: string) => JSON.stringify(value).slice(1, -1);

function formsOf([secret, value]: [string, string]): Form[] {
	const forms = new Map<string, Finding['form']>();
	for (const text of base64(value)) forms.set(text, 'base64');
	forms.set(encodeURIComponent(value), 'URL-encoded');
	forms.set(new URLSearchParams([[value, '']]).toString().slice(0, -1), 'URL-encoded');
	// Once where the service has escaped it or n8n stores it, twice where both have
	const once = jsonEscaped(value);
	for (const text of [once, jsonEscaped(once)]) forms.set(text, 'JSON-escaped');
	// Last, because a text without special characters is its own URL-encoded and JSON-escaped form.
	forms.set(value, 'plain');
	return [...forms].map(([text, form]) => ({ secret, form, bytes: Buffer.from(text) }));
}

/** Searches for thousands of forms in one pass: compares only where the last four bytes of one of them occur. */
function searchFor(secrets: Record<string, string>): (content: Buffer) => Form[] {
	const byLastBytes = new Map<number, Form[]>();
	for (const form of Object.entries(secrets).flatMap(formsOf)) {
		const lastBytes = form.bytes.readUInt32BE(form.bytes.length - 4);
		byLastBytes.set(lastBytes, [...(byLastBytes.get(lastBytes) ?? []), form]);
	}
	return (content) => {
		const found: Form[] = [];
		for (let end = 4; end <= content.length; end++) {
			for (const form of byLastBytes.get(content.readUInt32BE(end - 4)) ?? []) {
				const from = end - form.bytes.length;
				if (from >= 0 && form.bytes.equals(content.subarray(from, end))) found.push(form);
			}
		}
		return found;
	};
}

function filesOf({ userFolder }: N8nInstance): Content[] {
	return readdirSync(userFolder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => relative(userFolder, join(parentPath, name)))
		.filter((file) => !file.includes('node_modules'))
		.map((file) => ({ place: `file ${file}`, content: readFileSync(join(userFolder, file)) }));
}

/** Every row of every table of n8n's database, also those that are only in the `-wal` file. */
async function rowsOf({ options, databaseFile, userFolder }: N8nInstance): Promise<Content[]> {
	const rows = await outputOf(
		options.install.node,
		['--no-warnings', join(__dirname, 'dump-database.mjs'), databaseFile],
		{ cwd: userFolder, env: {} },
	);
	return rows.split('\n').flatMap((line) => {
		const { table, row } = JSON.parse(line) as { table: string; row: Record<string, unknown> };
		return Object.entries(row).map(([column, value]) => ({
			place: `table ${table}, ${column}`,
			content: Buffer.from(String(value)),
		}));
	});
}

/** What n8n sends to its editor about credentials, workflows and executions. */
async function responsesOf(n8n: N8nInstance): Promise<Content[]> {
	const responses: Content[] = [];
	const get = async (path: string): Promise<unknown> => {
		const response = await n8n.rest.get(path);
		responses.push({ place: `GET ${path}`, content: Buffer.from(JSON.stringify(response)) });
		return response;
	};
	const idsOf = (list: unknown) => (list as Array<{ id: string }>).map(({ id }) => id);
	for (const id of idsOf(await get('/credentials?includeData=true'))) {
		await get(`/credentials/${id}?includeData=true`);
	}
	for (const id of idsOf(await get('/workflows'))) {
		await get(`/workflows/${id}`);
		for (const execution of await n8n.executions(id)) await get(`/executions/${execution.id}`);
	}
	return responses;
}

/** The passwords of fake services and every token that they issued, by names that say which one it is. */
export const secretsOf = (...services: Service[]): Record<string, string> =>
	Object.fromEntries(
		services.flatMap(({ origin, logins, issuedTokens }) => [
			...logins.map(({ username, password }) => [`${origin}, ${username}`, password]),
			...issuedTokens.map((token, index) => [`${origin}, token ${index + 1}`, token]),
		]),
	) as Record<string, string>;

/**
 * Searches for secrets everywhere in a running n8n: all files of its user folder (database and its `-wal`, logs, stored
 * binary data, what was pushed to an open editor), all rows of its database and the responses to its editor; plain,
 * base64, URL-encoded and JSON-escaped. The stored credential holds them encrypted, which is none of these.
 * @param secrets by their names in the findings
 */
export async function findSecrets(
	n8n: N8nInstance,
	secrets: Record<string, string>,
): Promise<Finding[]> {
	const search = searchFor(secrets);
	const findings = new Map<string, Finding>();
	const contents = [...(await responsesOf(n8n)), ...(await rowsOf(n8n)), ...filesOf(n8n)];
	for (const { place, content } of contents) {
		for (const { secret, form } of search(content)) {
			findings.set(`${place} ${secret} ${form}`, { place, secret, form });
		}
	}
	return [...findings.values()];
}
