import type { Service } from './service';

/** Lets so many requests through in each window of so many seconds, as many services do; the others get a 429. */
export function limit({ faults }: Service, requests: number, seconds: number): void {
	let windowEnd = 0;
	let used = 0;
	const isOver = () => {
		const now = Date.now();
		if (now >= windowEnd) [windowEnd, used] = [now + seconds * 1000, 0];
		return ++used > requests;
	};
	faults.site.push({ when: isOver, status: 429, retryAfter: seconds });
}

/** How many times a site was served since then (milliseconds since 1970). */
export function readsSince({ requests }: Service, siteId: number, since: number): number {
	return requests.filter(
		(request) => request.siteId === siteId && request.status === 200 && request.at >= since,
	).length;
}
