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

/** A shape has a number and the names of its fields, in the order of the contract whatever order they came in. */
type Shape = [number: number, names: string[]];

function rankOf(name: string): number {
	return RANKS.get(name) ?? RANKS.size;
}

/**
 * JSON as a short text, for n8n's database: the names of an object's fields are not repeated for each object that
 * has them. `[content, ...shapes]`, where an array is `[0, ...items]` and an object `[shape, ...values]`; shapes
 * are counted from 1, those of the contract first.
 */
export function pack(value: unknown): string {
	const shapes = new Map(
		CONTRACT.map((names, index): [string, Shape] => [JSON.stringify(names), [index + 1, names]]),
	);
	const ownShapes: string[][] = [];
	const addShape = (names: string[]): Shape => {
		ownShapes.push(names);
		return [CONTRACT.length + ownShapes.length, names];
	};
	const shapeOf = (value: Record<string, unknown>): Shape => {
		const names = Object.keys(value).filter((name) => value[name] !== undefined);
		const key = JSON.stringify(names);
		let shape = shapes.get(key);
		if (!shape) {
			const sorted = names.sort((a, b) => rankOf(a) - rankOf(b));
			const sortedKey = JSON.stringify(sorted);
			shape = shapes.get(sortedKey) ?? addShape(sorted);
			shapes.set(key, shape).set(sortedKey, shape);
		}
		return shape;
	};
	const encode = (part: unknown): unknown => {
		if (typeof part !== 'object' || part === null) return part;
		if (Array.isArray(part)) return [0, ...part.map(encode)];
		const fields = part as Record<string, unknown>;
		const [number, names] = shapeOf(fields);
		return [number, ...names.map((name) => encode(fields[name]))];
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
