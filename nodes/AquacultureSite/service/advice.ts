/**
 * What to do now. Where that is to try again, it depends on who reads it: a person who runs a workflow does, a
 * trigger polls by itself.
 *
 * @param again what a person does again, such as "Publish the workflow again"; undefined where nobody has to
 */
export type Advice = (again: string | undefined) => string;

/** What whoever runs a workflow or tests a credential does again. */
export const TRY_AGAIN = 'Try again';

/** Replaces `{name}` by the text of that name. */
export function fillIn(template: string, texts: Record<string, string>): string {
	return template.replace(/\{(\w+)\}/g, (_, name: string) => texts[name] ?? '');
}

/**
 * @param template with `{later}` where a sentence about something that may pass begins: "Try again later; if this
 * persists", and with the names of `texts`
 */
export function toAdvice(template: string, texts: Record<string, string> = {}): Advice {
	return (again) => {
		const later = again === undefined ? 'If this persists' : `${again} later; if this persists`;
		return fillIn(template, { ...texts, later });
	};
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
