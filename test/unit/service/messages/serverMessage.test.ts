import fc from 'fast-check';
import { serverMessage } from '../../../../nodes/AquacultureSite/service/messages/serverMessage';
import { anyText } from '../../../tools/helpers/site-json';

test.each<[string, unknown, string]>([
	...['message', 'error', 'title', 'detail', 'error_description'].map(
		(key): [string, unknown, string] => [`the field ${key}`, { status: 1, [key]: 'No' }, 'No'],
	),
	['nested', { error: { code: 7, message: 'No' } }, 'No'],
	['nested deeper', { error: { error: { detail: 'No' } } }, 'No'],
	['a list of texts', { errors: ['No', 'Never'] }, 'No; Never'],
	['a list of objects', { errors: [{ message: 'No' }, 7, { title: 'Never' }] }, 'No; Never'],
	['a list at the top', [{ message: 'No' }], 'No'],
	['a list with blanks', { errors: [' ', 'No', ''] }, 'No'],
	['the first of several', { title: 'Never', message: 'No' }, 'No'],
	['the first that is not blank', { message: ' ', error: null, errors: [' '], title: 'No' }, 'No'],
	['one line', { message: ' No\r\n\tway\u0000\u001b[31m ' }, 'No way [31m'],
	...[undefined, null, 'No', {}, { message: 7, error: true }, { reason: 'No' }].map(
		(body): [string, unknown, string] => ['nothing', body, ''],
	),
	['no control characters', { message: '\u0000\u001b ' }, ''],
	['300 characters', { message: 'x'.repeat(300) }, 'x'.repeat(300)],
	['no more of a long text', { message: 'x'.repeat(5000) }, `${'x'.repeat(299)}…`],
	['no markup', { message: '<b>No</b>' }, '‹b›No‹/b›'],
	['no marks that turn the direction', { message: 'N\u202Eo' }, 'No'],
])('finds %s: %j', (_, body, quote) => {
	expect(serverMessage(body)).toBe(quote);
});

test.each([(inner: unknown) => ({ error: inner }), (inner: unknown) => [inner]])(
	'searches four levels deep: %s',
	(wrap) => {
		const nest = (depth: number): unknown =>
			depth === 0 ? { message: 'No' } : wrap(nest(depth - 1));
		expect(serverMessage(nest(4))).toBe('No');
		expect(serverMessage(nest(5))).toBe('');
	},
);

describe('secrets', () => {
	test('are not repeated', () => {
		const body = { message: 'No user with pa$$.word and t0ken-2, pa$$.word' };
		const quote = serverMessage(body, ['pa$$.word', 't0ken', 't0ken-2', '', undefined]);
		expect(quote).toBe('No user with ••• and •••, •••');
	});

	test('are not repeated in part where the text is cut', () => {
		const body = { message: `${'x'.repeat(295)}secret-word` };
		expect(serverMessage(body, ['secret-word'])).not.toContain('secr');
	});

	test.each([
		...['k/"ü ~>?x', 'k/\\"ü ~>?x', 'k%2F%22%C3%BC%20~%3E%3Fx', 'k%2F%22%C3%BC+~%3E%3Fx'],
		...['k%2f%22%c3%bc%20~%3e%3fx', 'k%2f%22%c3%bc+%7e%3e%3fx'],
		...['k%2F%22%C3%BC+%7E%3E%3Fx', 'ay8iw7wgfj4/eA==', 'ay8iw7wgfj4/eA', 'ay8iw7wgfj4_eA'],
	])('are not repeated in any encoding: %s', (encoding) => {
		expect(serverMessage({ message: `No ${encoding}!` }, ['k/"ü ~>?x'])).toMatch(/^No •••=*!$/);
	});

	test.each(['pa\u00ADss', 'pa\u202Ess\u200B'])('are found with unseen marks: %j', (echo) => {
		expect(serverMessage({ message: `No ${echo}!` }, ['pass'])).toBe('No •••!');
	});

	test('are texts and numbers: nothing else is taken out', () => {
		expect(serverMessage({ message: 'null undefined 42' }, [null, undefined, 42, ''])).toBe(
			'null undefined •••',
		);
	});
});

test('of any JSON the quote is one short line, or nothing', () => {
	const key = fc.constantFrom('message', 'error', 'errors', 'title', 'detail', 'other');
	const { body } = fc.letrec((tie) => ({
		body: fc.oneof(
			{ maxDepth: 5 },
			fc.jsonValue(),
			anyText(600),
			fc.dictionary(key, tie('body')),
			fc.array(tie('body'), { maxLength: 3 }),
		),
	}));
	const secret = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b') });
	fc.assert(
		fc.property(body, secret, (value, hidden) => {
			const quote = serverMessage(value, [hidden]);
			expect(quote).toMatch(/^\P{Cc}{0,300}$/u);
			expect(quote).not.toContain(hidden);
		}),
	);
});
