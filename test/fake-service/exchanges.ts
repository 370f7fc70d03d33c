import type { IncomingHttpHeaders } from 'node:http';

/** The diagnostics channel where the requests and responses of all fake services of this process are published. */
export const EXCHANGES = 'fake-service';

/** Published when a request has arrived, and again with its response, unless a fault has made or changed that. */
export interface Exchange {
	request: {
		method: string;
		/** As seen from the base address. */
		path: string;
		/** Without its question mark. */
		query: string;
		headers: IncomingHttpHeaders;
		body: string;
	};
	response?: { status: number; body: string };
}
