import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { ROOT } from '../../../tools/n8n/workspace';
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

/** Times, and lines that are a duration or one of n8n's IDs of workflows. */
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g;
const VOLATILE = /^(\d+(\.\d+)?m?s|[A-Za-z0-9]{16})$/;

/** The lines of a text, as they are each time. */
const linesOf = (text: string) =>
	text
		.replace(TIME, '…')
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '' && !VOLATILE.test(line));

/** Compares what a picture shows with the texts of the one in docs/images, or writes them for a new one. */
function compareTexts(name: string, text: string): void {
	const file = join(FOLDER, `${name}.txt`);
	const lines = linesOf(text);
	if (process.env['PICTURES'] === 'write') writeFileSync(file, `${lines.join('\n')}\n`);
	// If this fails, the picture is out of date: run `npm run pictures`
	expect([name, ...lines]).toEqual([name, ...linesOf(readFileSync(file, 'utf8'))]);
}

/**
 * Takes a picture for the documentation, of a part of the page. The one in docs/images must show the same texts.
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
	compareTexts(name, await part.innerText());
}
