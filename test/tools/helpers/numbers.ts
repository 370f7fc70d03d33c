/** For example "1 site" or "2 sites". */
export const count = (number: number, noun: string) =>
	`${number} ${noun}${number === 1 ? '' : 's'}`;

export const megabytes = (kilobytes: number) =>
	`${Math.round(kilobytes / 1024).toLocaleString('en')} MB`;

/** The number in the middle, or between the two in the middle; NaN of none. */
export function median(numbers: number[]): number {
	const sorted = [...numbers].sort((a, b) => a - b);
	const half = sorted.length / 2;
	return ((sorted[Math.ceil(half) - 1] ?? NaN) + (sorted[Math.floor(half)] ?? NaN)) / 2;
}
