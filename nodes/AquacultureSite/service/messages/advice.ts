// What to do about a failure, put into words once for each reader (node, trigger, credential dialog).

/** What a sentence may depend on: who reads it, and what is known of the failure. */
export interface Circumstances {
	/** How the reader gets to the credential, e.g. "open the credential"; undefined if it is open already. */
	openCredential?: string;
	/** Whether the reader has the options of the node. The trigger and the credential's dialog have none. */
	hasOptions?: boolean;
	/** What the reader does again, e.g. "Publish the workflow again"; null if nobody has to. */
	again?: string | null;
	/** The login that failed; undefined if it was a request for a site. */
	login?: { url: string; password?: string };
	statusCode?: number;
	/** Milliseconds that the service asked to wait. */
	retryAfter?: number;
	/** The header Location. */
	location?: unknown;
	/** The name or the address of the proxy that n8n is set up to use. */
	proxy?: string;
	/** Why n8n did not send the request, in its words. */
	reason?: string;
}

/** One thing to know or to do: the same for every reader, or in words that depend on the circumstances; '' for none. */
export type Step = string | ((circumstances: Circumstances) => string);

export type Advice = readonly Step[];

/** Something to do in the credential, e.g. "check 'Base URL'."; the sentence begins with the condition. */
export function inCredential(action: string, condition?: string): Step {
	return ({ openCredential }) => {
		const words = openCredential ? `${openCredential} and ${action}` : action;
		return condition ? `${condition}, ${words}` : words.charAt(0).toUpperCase() + words.slice(1);
	};
}

/** Something to do in the options of the node, which are those of a request for a site: a login has none. */
export function inOptions(words: string): Step {
	return ({ hasOptions, login }) => (hasOptions && !login ? words : '');
}

/**
 * For something that may pass, after the wait that the service asked for.
 *
 * @param ifPersists what to do if it does not pass, e.g. "contact the service operator."
 */
export function tryLater(ifPersists = ''): Step {
	return ({ again = 'Try again', retryAfter }) => {
		if (again === null) return ifPersists && `If this persists, ${ifPersists}`;
		const when = retryAfter === undefined ? 'later' : `in ${formatDuration(retryAfter)}`;
		return `${again} ${when}${ifPersists ? `; if this persists, ${ifPersists}` : '.'}`;
	};
}

/** An advice of which some circumstances are known. */
export function given(known: Circumstances, advice: Advice): Advice {
	return advice.map((step) =>
		typeof step === 'string' ? step : (others) => step({ ...others, ...known }),
	);
}

/** An advice in words; without a reader, for a person who runs a workflow. This is the only place where they are made. */
export function toWords(
	advice: Advice,
	reader: Circumstances = { openCredential: 'open the credential' },
): string {
	return joinSentences(...advice.map((step) => (typeof step === 'string' ? step : step(reader))));
}

/** Sentences one after the other; those that end with an address or a quote get their full stop. */
export function joinSentences(...sentences: string[]): string {
	const said = sentences.filter((sentence) => sentence !== '');
	return said
		.map((sentence, index) =>
			index < said.length - 1 && !/[.!?]"?$/.test(sentence) ? `${sentence}.` : sentence,
		)
		.join(' ');
}

/** A time span as a person says it: "45 seconds", "10 minutes", "2 hours". */
export function formatDuration(milliseconds: number): string {
	const seconds = Math.max(1, Math.round(milliseconds / 1000));
	const [size, unit]: [number, string] =
		seconds < 120 ? [1, 'second'] : seconds < 7200 ? [60, 'minute'] : [3600, 'hour'];
	const count = Math.round(seconds / size);
	return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
