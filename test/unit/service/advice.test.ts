import {
	joinSentences,
	repeatedBy,
	type Reader,
	toWords,
} from '../../../nodes/AquacultureSite/service/advice';

const ADVICE = [
	'It moved.',
	{ if: 'If so', inCredential: 'change the address.' },
	{ inCredential: 'save.' },
	{ inOptions: 'Wait longer.' },
	{ tryAgain: 'later', ifPersists: 'call.' },
	{ tryAgain: 'in 5 minutes' },
];

test.each<[name: string, reader: Reader | undefined, words: string]>([
	[
		'whoever it is',
		undefined,
		'It moved. If so, open the credential and change the address. Open the credential and save. Try again later; if this persists, call. Try again in 5 minutes.',
	],
	[
		'the node, with the name of its credential and its options',
		{ openCredential: 'open the credential "$& A"', hasOptions: true },
		'It moved. If so, open the credential "$& A" and change the address. Open the credential "$& A" and save. Wait longer. Try again later; if this persists, call. Try again in 5 minutes.',
	],
	[
		'the dialog, in which the credential is open',
		{},
		'It moved. If so, change the address. Save. Try again later; if this persists, call. Try again in 5 minutes.',
	],
])('an advice in words for %s', (_, reader, words) => {
	expect(toWords(ADVICE, reader)).toBe(words);
});

test.each([
	['Publish again', 'A. Publish again later; if this persists, call. Publish again in 5 minutes.'],
	// It happens by itself
	[undefined, 'A. If this persists, call.'],
])('what a person does again: %s', (again, words) => {
	const advice = ['A.', ...ADVICE.slice(-2)];
	expect(toWords(repeatedBy(again, advice))).toBe(words);
});

test.each([
	[['A', 'B'], 'A. B'],
	[['A.', '', 'B!', 'C?', 'D'], 'A. B! C? D'],
	[['It says: "No."', 'A'], 'It says: "No." A'],
	[['It says: "No"', 'A'], 'It says: "No". A'],
	[[], ''],
])('sentences in a row: %j', (sentences, text) => {
	expect(joinSentences(...sentences)).toBe(text);
});
