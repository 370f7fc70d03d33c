import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toSiteMap } from '../../nodes/AquacultureSite/operations/map';
import { parseRequestOptions } from '../../nodes/AquacultureSite/operations/operation';
import { matrixText } from '../tools/documents/faults';
import { messagesText } from '../tools/documents/messages';
import { outcomesText } from '../tools/documents/outcomes';
import { sampleSites } from '../tools/fake-service/sites';
import { BLOCKS, readBlock, writeBlock } from '../tools/helpers/document';
import { given } from '../tools/helpers/operation';

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const filesIn = (folder: string, ending: RegExp) =>
	readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true })
		.filter((file) => ending.test(file) && !file.includes('node_modules'))
		.map((file) => join(folder, file));
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const DOCUMENTS = [
	...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md'],
	'docker/README.md',
	...filesIn('docs', /\.md$/),
];

/** Whether there is a file, with the heading that GitHub gives this anchor; any without an anchor. */
function exists(file: string, anchor?: string): boolean {
	if (!existsSync(join(ROOT, file))) return false;
	const headings = anchor === undefined ? [] : [...read(file).matchAll(/^#+ (.*)$/gm)];
	const toAnchor = (heading: string) =>
		heading
			.toLowerCase()
			.replace(/[^\w -]/g, '')
			.replaceAll(' ', '-');
	return anchor === undefined || headings.some(([, text = '']) => toAnchor(text) === anchor);
}

describe.each(DOCUMENTS)('%s', (document) => {
	const text = read(document);

	it('links to files and headings that exist', () => {
		const links = text.matchAll(/(?:\]\(|(?:src(?:set)?|href)=")(?!\w+:)([^)#"]*)#?([^)"]+)?/g);
		const broken = [...links].filter(
			([, file, anchor]) => !exists(file ? join(dirname(document), file) : document, anchor),
		);
		expect(broken.map(([link]) => link)).toEqual([]);
	});

	it('names commands and paths that exist', () => {
		const commands = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
		expect(commands.filter((name) => !(name in scripts))).toEqual([]);
		const paths = text.matchAll(/`((?:\.github|\.ci|credentials|docker|nodes|test)\/[^`\s]*)`/g);
		expect([...paths].filter(([, path = '']) => !exists(path))).toEqual([]);
	});
});

it.each([
	['README.md', 1250],
	['docs/administrators.md', 350],
])('%s has at most %d words, those that can be folded away aside', (document, limit) => {
	const shown = read(document).replace(/<details>[^]*?<\/details>/g, '');
	expect(shown.trim().split(/\s+/).length).toBeLessThanOrEqual(limit);
});

it('has the headings that comments in the code refer to', () => {
	const files = ['credentials', 'nodes', 'test'].flatMap((folder) => filesIn(folder, /\.ts$/));
	const links = files.flatMap((file) => [...read(file).matchAll(/(docs\/[\w-]+\.md)#?([\w-]+)?/g)]);
	expect(links.length).toBeGreaterThan(20);
	expect(links.filter(([, file = '', anchor]) => !exists(file, anchor))).toEqual([]);
});

it('has a place for whatever a command writes, and no other', () => {
	const places = DOCUMENTS.flatMap((document) => [...read(document).matchAll(/: written by `/g)]);
	const blocks = Object.values(BLOCKS).map(readBlock);
	expect(blocks.filter(Boolean)).toHaveLength(places.length);
});

/** The number that a constant has in a file. */
function constant(file: string, name: string): number {
	const [, digits = ''] = new RegExp(`\\b${name}(?: =|:) ([\\d_]+)`).exec(read(file)) ?? [];
	return Number(digits.replaceAll('_', ''));
}
const ofNode = (file: string, name: string) => constant(`nodes/AquacultureSite/${file}.ts`, name);
const seconds = (file: string, name: string) => ofNode(file, name) / 1000;

it.each([
	['docs/requests.md', ofNode('run/line', 'FIRST_IN_FLIGHT'), 'At first, # may'],
	['docs/requests.md', parseRequestOptions(given({})).maxConcurrency, '# by default'],
	['docs/requests.md', seconds('run/judge', 'PATIENCE_MS'), 'for # seconds, or'],
	['docs/requests.md', seconds('run/judge', 'PATIENCE_WITH_LIMIT_MS'), 'or for # seconds'],
	['docs/requests.md', seconds('AquacultureSite.node', 'LONGEST_WAIT_MS'), '# seconds in a run'],
	['docs/requests.md', seconds('AquacultureSiteTrigger.node', 'longestWait'), '# in a poll'],
	['SECURITY.md', ofNode('service/login/tokens', 'MAX_REMEMBERED'), 'At most # logins'],
	['SECURITY.md', seconds('service/login/tokens', 'SHARED_WITH_NEW_CALLERS_MS'), 'after # seconds'],
])('%s says %d: %s', (document, figure, words) => {
	expect(read(document).replace(/\s+/g, ' ')).toContain(words.replace('#', String(figure)));
});

it.each([
	['messages', messagesText],
	['credentialTest', outcomesText],
	['faults', matrixText],
] as const)('`npm run docs` has written the rules and the examples: %s', (name, text) => {
	if (process.env.DOCUMENTS === 'write') writeBlock(BLOCKS[name], text());
	expect(readBlock(BLOCKS[name])).toBe(text());
});

it('has the sample map that the node makes of the first sample sites', () => {
	const sites = sampleSites().slice(0, 3);
	const withIds = sites.map((site) => ({ siteId: String(site.siteId), site }));
	const collection = toSiteMap(withIds, () => {});
	expect(JSON.parse(read('examples/sample-sites.geojson'))).toEqual({
		description: expect.stringMatching(/^Sample data/) as unknown,
		...collection,
	});
});
