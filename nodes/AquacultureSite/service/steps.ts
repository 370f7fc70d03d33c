import type { Advice, Step, TryAgain } from './advice';
import { formatDuration } from './failures';

/** What a rule's steps may depend on. */
export interface Facts {
	/** The login that failed; undefined if it was a request for a site. */
	login?: { url: string; password?: string };
	/** Milliseconds that the service asked to wait. */
	retryAfter?: number;
	/** The header Location. */
	location?: unknown;
}

/** A step of a rule: always the same, or one that the facts decide on; undefined if it does not apply. */
export type RuleStep = Step | ((facts: Facts) => Step | undefined);

/** The steps of a rule that apply. */
export function stepsFor(steps: readonly RuleStep[], facts: Facts): Advice {
	return steps
		.map((step) => (typeof step === 'function' ? step(facts) : step))
		.filter((step) => step !== undefined);
}

/** For something that may pass, after the wait that the service asked for. */
export const tryLater =
	(ifPersists: string) =>
	({ retryAfter }: Facts): TryAgain => ({
		tryAgain: retryAfter === undefined ? 'later' : `in ${formatDuration(retryAfter)}`,
		ifPersists,
	});

/** The options are those of a request for a site; a login has none. */
export const inOptions =
	(text: string) =>
	({ login }: Facts): Step | undefined =>
		login ? undefined : { inOptions: text };

/** A login that was sent to http:// may be one for https://. A site is requested after a login, so that is right then. */
export const tryHttps = ({ login }: Facts): Step | undefined =>
	login?.url.startsWith('http:') ? "Try https:// instead of http:// in 'Base URL'." : undefined;

/** A space is easily pasted along, and cannot be seen in the masked field. */
export const spaceInPassword = ({ login }: Facts): Step | undefined =>
	/^\s|\s$/.test(login?.password ?? '')
		? "'Password' begins or ends with a space: remove it, unless it belongs to the password."
		: undefined;

/** Where a redirect leads: the origin alone, because path and query may hold anything. */
export function redirectTarget({ location }: Facts): Step | undefined {
	try {
		return `It redirects to ${new URL(String(location)).origin}`;
	} catch {
		return undefined;
	}
}
