import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Stage } from '../../../tools/n8n/use-n8n';
import { SetupError } from '../../../tools/n8n/workspace';
import { Editor } from './editor';

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Chromium or Chrome on this machine: by CHROMIUM_PATH, on the search path, or one that playwright has installed. */
function findChromium(): string {
	const { CHROMIUM_PATH: given, PATH: path = '' } = process.env;
	const found = [
		...(given === undefined ? [] : [given]),
		...path.split(delimiter).flatMap((folder) => COMMANDS.map((name) => join(folder, name))),
		chromium.executablePath(),
	].find((file) => existsSync(file));
	if (found !== undefined) return found;
	throw new SetupError(
		'These tests need Chromium. Install it (on Debian: apt-get install chromium; elsewhere: ' +
			'npx playwright-core install chromium), or set CHROMIUM_PATH to the program file of a Chromium or Chrome.',
	);
}

/** Opens n8n's editor in a headless Chromium, which the cleanup ends, as its owner. */
export async function openEditor(
	{ n8n, cleanup }: Pick<Stage, 'n8n' | 'cleanup'>,
	viewport = { width: 1440, height: 900 },
): Promise<Editor> {
	const browser = await chromium.launch({
		executablePath: findChromium(),
		args: ['--disable-gpu'],
	});
	cleanup.defer(() => browser.close());
	// n8n's theme is that of the system unless its user chooses one
	const page = await browser.newPage({ viewport, colorScheme: 'light' });
	// A limit for what never comes; this machine may be slow and busy
	page.setDefaultTimeout(60_000);
	const editor = new Editor(page, n8n.baseUrl);
	await editor.signIn(n8n.rest.owner);
	return editor;
}
