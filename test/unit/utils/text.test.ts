import {
	asText,
	escapeHtml,
	joinList,
	plainText,
	withoutTags,
} from '../../../nodes/AquacultureSite/utils/text';

const PLAIN = `Open the credential "Farm" & check 'Base URL'`;

test.each([
	['one line', ' a\r\n\t b\u0000c ', 'a b c'],
	['no marks that turn the direction, and no half character', 'a\u202Eb\u200B\uD800c', 'abc'],
	['no markup', '<b>2</b> <!channel>', '‹b›2‹/b› ‹!channel›'],
	['no more than it may', 'x'.repeat(51), `${'x'.repeat(49)}…`],
	['all that fits', 'x'.repeat(50), 'x'.repeat(50)],
	['whole characters', '🐟'.repeat(51), `${'🐟'.repeat(49)}…`],
	['as many characters as fit', '🐟'.repeat(50), '🐟'.repeat(50)],
	['what is plain', PLAIN, PLAIN],
])('plain text is %s', (_what, text, expected) => {
	expect(plainText(text, 50)).toBe(expected);
});

test('nothing looks like a tag, and the rest stays', () => {
	expect(withoutTags(`<b>${PLAIN}</b>`)).toBe(`‹b›${PLAIN}‹/b›`);
});

test.each([
	['<b>2</b> &lt; `3`', '&#60;b>2&#60;/b> &#38;lt; &#96;3&#96;'],
	[`check 'Base URL': 1 > 0, "Farm"`, `check 'Base URL': 1 > 0, "Farm"`],
])('what would be HTML or code is escaped, and nothing else: %s', (text, expected) => {
	expect(escapeHtml(text)).toBe(expected);
});

test.each([
	[[], ''],
	[['A'], 'A'],
	[['A', 'B'], 'A and B'],
	[['A', 'B', 'C'], 'A, B, and C'],
])('lists %j', (parts, expected) => {
	expect(joinList(parts)).toBe(expected);
	expect(joinList(parts, 3)).toBe(expected);
});

test('a long list is cut', () => {
	expect(joinList(['A', 'B', 'C'], 2)).toBe('A, B, and 1 more');
});

test.each<[unknown, string | undefined]>([
	['7', '7'],
	[0, '0'],
	['', ''],
	[{ a: 1 }, '{"a":1}'],
	[null, undefined],
	[undefined, undefined],
])('%j as text is %j', (value, text) => {
	expect(asText(value)).toBe(text);
});
