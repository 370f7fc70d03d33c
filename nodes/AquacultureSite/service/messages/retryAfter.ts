/**
 * Retry-After in milliseconds: a number of seconds or an HTTP-date (RFC 9110, section 10.2.3), by the clock of the server
 * if the response tells it (Date, section 6.6.1); undefined if it is absent or neither.
 *
 * @param headers of the response, with names in lower case
 */
export function parseRetryAfter(headers: Record<string, unknown>): number | undefined {
	const { 'retry-after': value } = headers;
	const text = typeof value === 'string' ? value.trim() : '';
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	const date = parseDate(text);
	if (date === undefined) return undefined;
	return Math.max(0, date - (parseDate(String(headers.date)) ?? Date.now()));
}

/** An HTTP-date (RFC 9110, section 5.6.7) in milliseconds. */
function parseDate(text: string): number | undefined {
	// Every HTTP-date has the name of a day and a time; Date.parse alone would read "Later 5" as a date
	if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
	// The asctime form names no zone and is in GMT all the same
	const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
	return Number.isNaN(date) ? undefined : date;
}
