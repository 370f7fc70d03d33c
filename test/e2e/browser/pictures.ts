import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { ROOT } from '../workspace';
import { boxOf } from './editor';

const FOLDER = join(ROOT, 'docs', 'images');

/** A limit for a page of documentation. */
const MAX_BYTES = 200_000;

/** Waits until the page looks as it will stay, with nothing highlighted or explained under the pointer. */
export async function settle(page: Page): Promise<void> {
	await page.mouse.move(0, 0);
	await page.waitForFunction(
		"document.fonts.status === 'loaded' && [...document.images].every(({ complete }) => complete)",
	);
}

/**
 * Writes a picture into docs/images. Only with `PICTURES=write`; without, the test shows that it can be taken.
 * @throws Error when it is too large
 */
export function write(name: string, picture: Buffer, maxBytes = MAX_BYTES): void {
	if (picture.length > maxBytes) {
		throw new Error(`The picture ${name} has ${picture.length} bytes, more than ${maxBytes}`);
	}
	if (process.env['PICTURES'] !== 'write') return;
	mkdirSync(FOLDER, { recursive: true });
	writeFileSync(join(FOLDER, name), picture);
}

/**
 * Takes a picture for the documentation, of a part of the page.
 * @param name the name of the file in docs/images, without .png
 * @throws Error when it is too large
 */
export async function takePicture(page: Page, name: string, part: Locator): Promise<void> {
	await settle(page);
	const picture = await page.screenshot({
		animations: 'disabled',
		caret: 'hide',
		// Lie over the canvas, or would be cut in half at the edge of the panel
		style: '.vue-flow__panel, [data-test-id="floating-node"] { visibility: hidden }',
		clip: await boxOf(part),
	});
	write(`${name}.png`, picture);
}
