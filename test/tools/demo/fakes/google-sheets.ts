import type { Host } from '../../n8n/hosts';

type Cell = string | number;

/** As the example has them: the address of the spreadsheet, and the title of its only sheet. */
const SPREADSHEET = 'THE-ADDRESS-OF-YOUR-SPREADSHEET';
const SHEET = 'Units';

/** A range in A1 notation: `'Units'` (the whole sheet), `Units!C5`, `Units!2:13`. */
const RANGE = /^'?(?<title>[^!']+)'?(?:!(?<column>[A-Z]?)(?<row>\d+)(?::\d+)?)?$/;

/** The parts of the Google Sheets API that read, append and update rows, for a spreadsheet with one sheet. */
export class GoogleSheets {
	/** Sample data. */
	readonly accessToken = 'ya29.sample-token';

	/** The cells by row; the first row holds the names of the columns. */
	readonly cells: Cell[][] = [];

	/** The rows by the names of the columns; an empty cell is ''. */
	get rows(): Array<Record<string, Cell>> {
		const [names = [], ...rows] = this.cells;
		return rows.map((row) =>
			Object.fromEntries(names.map((name, column) => [name, row[column] ?? ''])),
		);
	}

	readonly host: Host = ({ method, path, headers, body }) => {
		if (headers.authorization !== `Bearer ${this.accessToken}`) {
			throw new Error('Request is not authorized');
		}
		const root = `/v4/spreadsheets/${SPREADSHEET}`;
		const values = `${root}/values/`;
		if (method === 'GET' && path === root) {
			return { sheets: [{ properties: { sheetId: 0, title: SHEET } }] };
		}
		// Makes room for empty rows.
		if (method === 'POST' && path === `${root}:batchUpdate`) return {};
		if (method === 'POST' && path === `${root}/values:batchUpdate`) {
			const { data } = body as { data: Array<{ range: string; values: Cell[][] }> };
			for (const { range, values } of data) this.write(range, values);
			return {};
		}
		if (method === 'GET' && path === `${values}'${SHEET}'`) {
			return this.cells.length > 0 ? { values: this.cells } : {};
		}
		if (method === 'PUT' && path.startsWith(values)) {
			this.write(path.slice(values.length), (body as { values: Cell[][] }).values);
			return {};
		}
		throw new Error(`There is no ${method} ${path}`);
	};

	private write(range: string, values: Cell[][]): void {
		const { title, column, row } = RANGE.exec(range)?.groups ?? {};
		if (title !== SHEET || row === undefined) throw new Error(`There is no range ${range}`);
		const firstColumn = column ? column.charCodeAt(0) - 'A'.charCodeAt(0) : 0;
		values.forEach((cells, down) => {
			const target = (this.cells[Number(row) - 1 + down] ??= []);
			cells.forEach((cell, right) => (target[firstColumn + right] = cell));
		});
	}
}
