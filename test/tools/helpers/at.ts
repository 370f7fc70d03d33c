/**
 * The entry of a list, counted from 0, or from its end where the index is negative.
 * @throws where there is none, so that a test fails at the place that expected it
 */
export function at<T>(list: readonly T[], index: number): T {
	const entry = list.at(index);
	if (entry === undefined) {
		throw new Error(`There is no entry ${String(index)} among ${String(list.length)}`);
	}
	return entry;
}

/**
 * The value, which is there.
 * @throws where it is null or undefined
 */
export function defined<T>(value: T | null | undefined): T {
	if (value === undefined || value === null) throw new Error('A value is missing');
	return value;
}
