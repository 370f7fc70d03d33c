import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { settle, write } from './pictures';

const WIDTH = 1000;

/** A limit for an animation in a page of documentation. */
const MAX_BYTES = 2_000_000;

/** An animated picture for the documentation, frame by frame. */
export class Animation {
	private readonly frames: Buffer[] = [];

	private readonly delays: number[] = [];

	constructor(private readonly page: Page) {}

	/** Adds what the page shows, for so many seconds. */
	async add(seconds: number): Promise<void> {
		await settle(this.page);
		this.frames.push(await this.page.screenshot({ animations: 'disabled', caret: 'hide' }));
		this.delays.push(seconds * 1000);
	}

	/**
	 * Writes the frames as a GIF that repeats, only with `PICTURES=write`.
	 * @param name the name of the file in docs/images
	 * @throws Error when it is too large
	 */
	async save(name: string): Promise<void> {
		const frames = this.frames.map(async (frame) => await sharp(frame).resize(WIDTH).toBuffer());
		const gif = await sharp(await Promise.all(frames), { join: { animated: true } })
			.gif({ delay: this.delays, loop: 0, dither: 0, effort: 10 })
			.toBuffer();
		write(name, gif, MAX_BYTES);
	}
}
