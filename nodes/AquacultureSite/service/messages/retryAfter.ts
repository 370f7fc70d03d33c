/**
 * Retry-After in milliseconds: a number of seconds or an HTTP-date (RFC 9110, section 10.2.3);
 * undefined if it is absent or neither.
 */
export function parseRetryAfter(value: unknown, now = Date.now()): number | undefined {
	const first: unknown = Array.isArray(value) ? value[0] : value;
	const text = typeof first === 'string' || typeof first === 'number' ? String(first).trim() : '';
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	// Every HTTP-date has the name of a day and a time; Date.parse alone would read "Later 5" as a date
	if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
	// The asctime form names no zone and is in GMT all the same
	const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
