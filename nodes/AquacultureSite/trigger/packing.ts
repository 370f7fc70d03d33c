/**
 * The objects of the contract with their fields in its order (docs/service.md#resources-and-their-fields). An
 * object with just these fields is kept without their names.
 */
const CONTRACT = [
	['siteId', 'siteName', 'info', 'units'],
	['unitId', 'unitName', 'longitude', 'latitude'],
	['longitude', 'latitude', 'type', 'code', 'license', 'maxTotalBiomass', 'timezone'],
];
const RANKS = new Map([...new Set(CONTRACT.flat())].map((name, rank) => [name, rank]));

type Fields = Array<[name: string, value: unknown]>;

/** Whatever the order in which a service sends its fields, equal objects have the same text. */
function fieldsOf(value: object): Fields {
	const rank = ([name]: Fields[number]) => RANKS.get(name) ?? RANKS.size;
	return Object.entries(value)
		.filter(([, field]) => field !== undefined)
		.sort((a, b) => rank(a) - rank(b));
}

/**
 * JSON as a short text, for n8n's database: the names of an object's fields are not repeated for each object that
 * has them. `[content, ...shapes]`, where an array is `[0, ...items]` and an object `[shape, ...values]`; shapes
 * are counted from 1, those of the contract first.
 */
export function pack(value: unknown): string {
	const shapes = new Map(CONTRACT.map((names, index) => [JSON.stringify(names), index + 1]));
	const ownShapes: string[][] = [];
	const encode = (part: unknown): unknown => {
		if (typeof part !== 'object' || part === null) return part;
		if (Array.isArray(part)) return [0, ...part.map(encode)];
		const fields = fieldsOf(part);
		const names = fields.map(([name]) => name);
		const key = JSON.stringify(names);
		let shape = shapes.get(key);
		if (shape === undefined) {
			ownShapes.push(names);
			shape = CONTRACT.length + ownShapes.length;
			shapes.set(key, shape);
		}
		return [shape, ...fields.map(([, field]) => encode(field))];
	};
	const content = encode(value);
	return JSON.stringify([content, ...ownShapes]);
}

/**
 * What was packed.
 *
 * @returns undefined for anything that is not such a text
 */
export function unpack(packed: unknown): unknown {
	if (typeof packed !== 'string') return undefined;
	try {
		const [content, ...ownShapes] = JSON.parse(packed) as [unknown, ...string[][]];
		const shapes = [[], ...CONTRACT, ...ownShapes];
		const decode = (part: unknown): unknown => {
			if (!Array.isArray(part)) return part;
			const [shape, ...values] = part as [number, ...unknown[]];
			const decoded = values.map(decode);
			if (shape === 0) return decoded;
			const names = shapes[shape] ?? [];
			return Object.fromEntries(names.map((name, index) => [name, decoded[index]]));
		};
		return decode(content);
	} catch {
		return undefined;
	}
}
