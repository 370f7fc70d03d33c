import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { ROOT } from '../workspace';
import { boxOf } from './editor';

const FOLDER = join(ROOT, 'docs', 'images');

/** A limit for a page of documentation. */
const MAX_BYTES = 200_000;

/**
 * Takes a picture for the documentation, of a part of the page. Only with `PICTURES=write` is it
 * written; without, the test shows that it can be taken.
 * @param name the name of the file in docs/images, without .png
 * @throws Error when it is too large
 */
export async function takePicture(page: Page, name: string, part: Locator): Promise<void> {
	// Nothing under the pointer must be highlighted or explained
	await page.mouse.move(0, 0);
	await page.waitForFunction(
		"document.fonts.status === 'loaded' && [...document.images].every(({ complete }) => complete)",
	);
	const picture = await page.screenshot({
		animations: 'disabled',
		caret: 'hide',
		// The node before would be cut in half at the edge of the panel
		style: '[data-test-id="floating-node"] { visibility: hidden }',
		clip: await boxOf(part),
	});
	if (picture.length > MAX_BYTES) {
		throw new Error(`The picture ${name} has ${picture.length} bytes, more than ${MAX_BYTES}`);
	}
	if (process.env['PICTURES'] !== 'write') return;
	mkdirSync(FOLDER, { recursive: true });
	writeFileSync(join(FOLDER, `${name}.png`), picture);
}
