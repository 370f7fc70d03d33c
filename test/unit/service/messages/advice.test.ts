import {
	type Circumstances,
	formatDuration,
	given,
	inCredential,
	inOptions,
	joinSentences,
	toWords,
	tryLater,
} from '../../../../nodes/AquacultureSite/service/messages/advice';

const ADVICE = [
	'It moved.',
	inCredential('change the address.', 'If so'),
	inCredential('save.'),
	inOptions('Wait longer.'),
	tryLater('call.'),
	...given({ retryAfter: 300_000 }, [tryLater()]),
];

test.each<[name: string, reader: Circumstances | undefined, words: string]>([
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
	[null, 'A. If this persists, call.'],
])('what a person does again: %s', (again, words) => {
	const advice = ['A.', ...ADVICE.slice(-2)];
	expect(toWords(given({ again }, advice))).toBe(words);
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

test.each([
	[0, '1 second'],
	[1000, '1 second'],
	[1600, '2 seconds'],
	[119_000, '119 seconds'],
	[120_000, '2 minutes'],
	[3_600_000, '60 minutes'],
	[7_199_000, '120 minutes'],
	[7_200_000, '2 hours'],
	[86_400_000, '24 hours'],
])('%i ms is %s', (milliseconds, words) => {
	expect(formatDuration(milliseconds)).toBe(words);
});
