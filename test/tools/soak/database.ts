import type { N8nInstance } from '../n8n/n8n';
import { outputOf } from '../n8n/processes';
import { postgresCommand, type Servers } from '../n8n/servers';
import { ROOT } from '../n8n/workspace';

// A blank more, so that it is really written
const WRITE = `UPDATE workflow_entity SET "staticData" = `;
const sizeQuery = (length: string) => `SELECT max(${length}) AS bytes FROM workflow_entity`;

/** Reads and writes with SQLite's driver in Node 24, as n8n does with its own. */
const SQLITE = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[1]);
database.exec('PRAGMA busy_timeout = 5000');
const { bytes } = database.prepare('${sizeQuery('length(CAST("staticData" AS BLOB))')}').get();
const start = performance.now();
database.exec(\`${WRITE}"staticData" || ' '\`);
console.log(JSON.stringify({ bytes, writeMs: Math.round(performance.now() - start) }));
`;

/** What the trigger keeps in an n8n that has one workflow, and how long n8n's database takes to write it. */
interface StaticData {
	bytes: number;
	writeMs: number;
}

const HERE = { cwd: ROOT, env: process.env };

export async function staticDataInSqlite(n8n: N8nInstance): Promise<StaticData> {
	const args = ['--no-warnings', '-e', SQLITE, n8n.databaseFile];
	return JSON.parse(await outputOf(n8n.options.install.node, args, HERE)) as StaticData;
}

export async function staticDataInPostgres(
	{ postgresPort }: Servers,
	password: string,
): Promise<StaticData> {
	const database = `postgres://n8n:${password}@127.0.0.1:${postgresPort}/n8n`;
	const psql = (...sql: string[]) => {
		const statements = sql.flatMap((statement) => ['-c', statement]);
		return outputOf(postgresCommand('psql'), [database, '-At', ...statements], HERE);
	};
	const bytes = await psql(sizeQuery('octet_length("staticData"::text)'));
	const timing = await psql('\\timing on', `${WRITE}("staticData"::text || ' ')::json`);
	return {
		bytes: Number(bytes),
		writeMs: Math.round(Number(/Time: ([\d.]+) ms/.exec(timing)?.[1])),
	};
}
