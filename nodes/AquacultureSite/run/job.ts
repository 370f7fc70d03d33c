import type { SiteRequest } from '../service/http/request';
import type { ServiceFailure } from '../service/messages/failures';
import type { SiteResponse } from '../service/messages/response';

/** A site that is to be read, and what comes of it. */
export interface Job {
	/** `maxRetries`: of failures that are the site's own, 0 or more. */
	readonly request: SiteRequest & { maxRetries: number };
	/** In the line. */
	readonly place: number;
	readonly result: Promise<SiteResponse | Error>;
	readonly resolve: (result: SiteResponse | Error) => void;
	/** Failures that were its own, and refusals for the rate although others were accepted. */
	tries: number;
	waits: number;
	/** The last one. */
	failure?: Failed;
	/** The last one that was its own: what it is said to have failed with. */
	own?: Failed;
}

/** A request that failed. */
export interface Failed {
	/** As it is said of the service, and of the site if it is the site's own. */
	readonly failure: ServiceFailure;
	readonly siteFailure: () => ServiceFailure;
	/** The kind of the failure; `401` if it may be the token's, `login` if the login before the request failed. */
	readonly cause: string;
	/** When it was sent, and with which token. */
	readonly sentAt: number;
	readonly token: number;
	/** Until when the service asks to wait; Infinity if the run does not wait that long. */
	readonly until: number;
}
