/** The milliseconds after which a request at this moment would be accepted; 0 where it is. */
export type Limiter = (now: number) => number;

/** So many in each window, which begins with its first request. */
export function fixedWindow(most: number, length: number): Limiter {
	let start = -Infinity;
	let count = 0;
	return (now) => {
		if (now - start >= length) [start, count] = [now, 0];
		return ++count <= most ? 0 : start + length - now;
	};
}

/** So many at once, and so many per second. */
export function bucket(size: number, perSecond: number): Limiter {
	let level = size;
	let last = 0;
	return (now) => {
		level = Math.min(size, level + ((now - last) * perSecond) / 1000);
		last = now;
		if (level < 1) return ((1 - level) * 1000) / perSecond;
		level--;
		return 0;
	};
}
