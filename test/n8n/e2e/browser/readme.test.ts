import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { marked } from 'marked';
import type { Page } from 'playwright-core';
import { Cleanup } from '../../../tools/helpers/cleanup';
import { ROOT } from '../../../tools/n8n/workspace';
import { launchChromium } from './chromium';
import { boxOf } from './editor';

const SCREEN = { width: 1440, height: 900 };

/** As wide as GitHub shows a README. */
const STYLE =
	'.markdown-body { max-width: 980px; margin: 0 auto; padding: 45px; box-sizing: border-box }';

const cleanup = new Cleanup();
let page: Page;

beforeAll(async () => {
	page = await (await launchChromium(cleanup)).newPage({ viewport: SCREEN });
	// The folder of the pictures
	await page.goto(pathToFileURL(join(ROOT, 'LICENSE.md')).href);
	const css = require.resolve('github-markdown-css/github-markdown-light.css');
	const body = await marked.parse(readFileSync(join(ROOT, 'README.md'), 'utf8'));
	await page.setContent(
		`<base href="${pathToFileURL(ROOT).href}/"><article class="markdown-body">${body}</article>`,
	);
	await page.addStyleTag({ content: readFileSync(css, 'utf8') + STYLE });
	await page.waitForLoadState('networkidle');
});
afterAll(() => cleanup.run());

const topOf = async (heading: string) =>
	(await boxOf(page.getByRole('heading', { name: heading, exact: true }))).y;

it('leads from the installation to the messages in six screens', async () => {
	const screens = ((await topOf('Examples')) - (await topOf('Install'))) / SCREEN.height;
	expect(screens).toBeLessThanOrEqual(6);
});
