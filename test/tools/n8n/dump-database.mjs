/**
 * `node dump-database.mjs <file>` prints each row of each table of an SQLite database as a line of JSON
 * `{ table, row }`, blobs as text. Needs Node 24, which n8n brings along; the database may be in use.
 */
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2], { readOnly: true });
const tables = database
	.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	.all();
for (const { name: table } of tables) {
	for (const row of database.prepare(`SELECT * FROM "${table}"`).iterate()) {
		for (const [column, value] of Object.entries(row)) {
			if (value instanceof Uint8Array) row[column] = Buffer.from(value).toString();
		}
		console.log(JSON.stringify({ table, row }));
	}
}
