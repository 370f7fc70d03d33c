/**
 * The entry of a list, counted from 0, or from its end where the index is negative.
 * @throws where there is none, so that a test fails at the place that expected it
 */
export function at<T>(list: readonly T[], index: number): T {
	const entry = list.at(index);
	if (entry === undefined) throw new Error(`There is no entry ${index} among ${list.length}`);
	return entry;
}

/**
 * The value, which is there.
 * @param what names it, where the line alone would not tell
 * @throws if it is null or undefined
 */
export function defined<T>(value: T | null | undefined, what = 'value'): T {
	if (value === undefined || value === null) throw new Error(`There is no ${what}`);
	return value;
}
