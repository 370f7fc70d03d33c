import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Cleanup } from '../../tools/helpers/cleanup';
import { until } from '../../tools/helpers/until';
import { copyCheckout } from '../../tools/n8n/checkout';
import { TIMEOUT_MS } from '../../tools/n8n/n8n-process';
import { freePort } from '../../tools/n8n/processes';
import { inWorkspace } from '../../tools/n8n/workspace';
import { Terminal } from './terminal';

const NODE_FILE = 'nodes/AquacultureSite/AquacultureSite.node.ts';
const NAME = "displayName: 'Aquaculture Site'";
const SLOW = { timeoutMs: TIMEOUT_MS, intervalMs: 100 };

/** What is installed for all checkouts. */
const SHARED = /^(cache|install-2|sqlite3)$/;

const cleanup = new Cleanup();
let file: string;
let source: string;
let dev: Terminal;
let cookie: string;

/** `npm run dev` in a copy of the checkout, which the tests may change, and its n8n, logged in to as the terminal says. */
beforeAll(async () => {
	const folder = await copyCheckout('dev');
	mkdirSync(join(folder, '.n8n'));
	const workspace = dirname(inWorkspace('any'));
	for (const name of readdirSync(workspace).filter((each) => SHARED.test(each))) {
		symlinkSync(join(workspace, name), join(folder, '.n8n', name));
	}
	file = join(folder, NODE_FILE);
	source = readFileSync(file, 'utf8');
	dev = new Terminal('dev', ['--port', String(await freePort())], folder, cleanup);
	await dev.waitFor(/Ctrl-C/);
	cookie = await dev.logIn();
});

afterAll(() => cleanup.run());

/** The name of the node as n8n's editor gets it. */
async function nameInN8n(): Promise<string | undefined> {
	const response = await fetch(`${dev.origin}/types/nodes.json`, { headers: { cookie } });
	const types = (await response.json()) as Array<{ name: string; displayName: string }>;
	return types.find(({ name }) => name === 'n8n-nodes-aquaculture.aquacultureSite')?.displayName;
}

/** Saves the node with another name. */
function rename(name: string): void {
	expect(source).toContain(NAME);
	writeFileSync(file, source.replace(NAME, `displayName: '${name}'`));
}

async function expectName(name: string): Promise<void> {
	// n8n writes the file anew, and may be read in the middle of that
	const isThere = async () => (await nameInN8n().catch(() => undefined)) === name;
	await until(`n8n shows the name ${name}`, isThere, SLOW);
}

test('a changed text is in the running n8n, a compile error in the terminal, the next good build in n8n, and Ctrl-C ends it', async () => {
	await expectName('Aquaculture Site');
	rename('First Change');
	await expectName('First Change');

	writeFileSync(file, source.replace(NAME, 'displayName: 17'));
	await dev.waitFor(/AquacultureSite\.node\.ts.*error TS2322/);
	await dev.waitFor(/n8n keeps the last build/);
	await expectName('First Change');

	rename('Second Change');
	await expectName('Second Change');

	dev.process.interrupt();
	expect((await dev.process.ended).output).toContain('Stopping n8n.');
	await expect(fetch(dev.origin)).rejects.toThrow();
});
