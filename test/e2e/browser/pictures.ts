import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { ROOT } from '../workspace';

/** Where the documentation has its pictures. */
const FOLDER = join(ROOT, 'docs', 'images');

/** What a page of documentation can bear, in bytes. */
const LARGEST = 200_000;

/**
 * Takes a picture for the documentation, of the smallest rectangle around what is named, and writes it where
 * `PICTURES=write` says so; else it is taken all the same, so that a test shows that it can be.
 * @param name the name of the file in docs/images, without .png
 * @throws Error when it would be too large
 */
export async function takePicture(page: Page, name: string, ...parts: Locator[]): Promise<void> {
	// Nothing under the pointer is to be lit up or explained
	await page.mouse.move(0, 0);
	await page.waitForFunction(
		"document.fonts.status === 'loaded' && [...document.images].every(({ complete }) => complete)",
	);
	const boxes = await Promise.all(parts.map(async (part) => (await part.boundingBox())!));
	const x = Math.min(...boxes.map((box) => box.x));
	const y = Math.min(...boxes.map((box) => box.y));
	const picture = await page.screenshot({
		animations: 'disabled',
		caret: 'hide',
		// Half of it would be seen: the node before, at the edge of the panel
		style: '[data-test-id="floating-node"] { visibility: hidden }',
		clip: {
			x,
			y,
			width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
			height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
		},
	});
	if (picture.length > LARGEST) {
		throw new Error(`The picture ${name} has ${picture.length} bytes, more than ${LARGEST}.`);
	}
	if (process.env['PICTURES'] !== 'write') return;
	mkdirSync(FOLDER, { recursive: true });
	writeFileSync(join(FOLDER, `${name}.png`), picture);
}
