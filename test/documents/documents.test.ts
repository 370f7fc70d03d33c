import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toSiteMap } from '../../nodes/AquacultureSite/operations/map';
import { sampleSites } from '../fake-service/sites';
import { TABLE } from '../faults/table';

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The messages of all faults. */
function faultMessages(): string[] {
	const general = TABLE.map(({ message = '' }) =>
		message.replace(/: credential ".*"$/, '').replace(/\{\w+\}|\d+ minutes/g, '…'),
	);
	return [...new Set(general)].filter(Boolean);
}

it('explains the message of every fault', () => {
	const messages = faultMessages();
	expect(messages).toContain('Site … was not found');
	const document = read('docs/messages.md');
	expect(messages.filter((message) => !document.includes(message))).toEqual([]);
});

it.each(['README.md', 'CONTRIBUTING.md', 'docs/messages.md', 'examples/README.md'])(
	'%s links to files that exist',
	(document) => {
		const links = read(document).matchAll(/(?:\]\(|src(?:set)?=")(?!https:|#)([^)#"]+)/g);
		const files = [...links].map(([, file = '']) => join(ROOT, dirname(document), file));
		expect(files).not.toEqual([]);
		expect(files.filter((file) => !existsSync(file))).toEqual([]);
	},
);

it('has the sample map that the node makes of the first sample sites', () => {
	const sites = sampleSites().slice(0, 3);
	const { collection } = toSiteMap(sites.map((site) => ({ siteId: String(site.siteId), site })));
	expect(JSON.parse(read('examples/sample-sites.geojson'))).toEqual({
		description: expect.stringMatching(/^Sample data/) as unknown,
		...collection,
	});
});
