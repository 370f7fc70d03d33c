import type { ServiceRequest } from './rules';

/** The diagnostics channel where the requests and responses of all fake services of this process are published. */
export const EXCHANGES = 'fake-service';

/** Published when a request has arrived, and again with its response, unless a fault has made or changed that. */
export interface Exchange {
	request: ServiceRequest;
	response?: { status: number; body: string };
}
