/** JSON values of all types but the one that the field should have; undefined stands for an absent field. */
export function wrongTypes(right: unknown): Record<string, unknown> {
	const values = {
		absent: undefined,
		null: null,
		boolean: true,
		number: -7.5,
		text: 'text',
		'empty text': '',
		list: [1, 'a', null, { b: [] }],
		object: { toString: 'a', valueOf: null, length: 1 },
	};
	const isWrong = (value: unknown) =>
		typeof value !== typeof right || Array.isArray(value) !== Array.isArray(right);
	return Object.fromEntries(Object.entries(values).filter(([, value]) => isWrong(value)));
}
