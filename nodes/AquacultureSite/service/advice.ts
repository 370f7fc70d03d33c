/** One thing to know or to do, before it is put into words for its reader. A text is the same for every reader. */
export type Step =
	| string
	/** In the credential, e.g. "check 'Base URL'."; `if` is the condition that the sentence begins with. */
	| { inCredential: string; if?: string }
	/** In the options of the node, which the trigger and the credential's dialog do not have. */
	| { inOptions: string }
	| TryAgain;

/** For something that may pass. */
export interface TryAgain {
	/** When: "later", "in 5 minutes". */
	tryAgain: string;
	/** What to do if it does not pass, e.g. "contact the service operator." */
	ifPersists?: string;
	/** What a person does again, e.g. "Publish the workflow again"; null if nobody has to. "Try again" unless given. */
	again?: string | null;
}

/** What to do now. */
export type Advice = readonly Step[];

/** Who reads an advice. */
export interface Reader {
	/** How this reader gets to the credential, e.g. "open the credential"; undefined if it is open already. */
	openCredential?: string;
	/** Whether this reader has the options of the node. */
	hasOptions?: boolean;
}

/** A person who runs a workflow, if nothing more is known. */
const ANYONE: Reader = { openCredential: 'open the credential' };

/** An advice in words. This is the only place where they are made. */
export function toWords(advice: Advice, reader = ANYONE): string {
	return joinSentences(...advice.map((step) => toSentence(step, reader)));
}

function toSentence(step: Step, { openCredential, hasOptions }: Reader): string {
	if (typeof step === 'string') return step;
	if ('tryAgain' in step) return tryAgainSentence(step);
	if ('inOptions' in step) return hasOptions ? step.inOptions : '';
	const action = openCredential ? `${openCredential} and ${step.inCredential}` : step.inCredential;
	return step.if ? `${step.if}, ${action}` : action.charAt(0).toUpperCase() + action.slice(1);
}

function tryAgainSentence({ tryAgain, ifPersists = '', again = 'Try again' }: TryAgain): string {
	if (again === null) return ifPersists && `If this persists, ${ifPersists}`;
	return `${again} ${tryAgain}${ifPersists ? `; if this persists, ${ifPersists}` : '.'}`;
}

/** Says what a person does again; undefined if nobody has to. */
export function repeatedBy(again: string | undefined, advice: Advice): Advice {
	return advice.map((step) =>
		typeof step === 'object' && 'tryAgain' in step ? { ...step, again: again ?? null } : step,
	);
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
