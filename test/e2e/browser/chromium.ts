import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { SetupError } from '../workspace';

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Chromium or Chrome of this machine: by CHROMIUM_PATH, on the search path, or one that playwright has installed. */
function findChromium(): string {
	const { CHROMIUM_PATH: given, PATH: path = '' } = process.env;
	if (given !== undefined) {
		if (existsSync(given)) return given;
		throw new SetupError(`There is no Chromium at ${given}, where CHROMIUM_PATH says it is.`);
	}
	const found = [
		'/usr/bin/chromium',
		...path.split(delimiter).flatMap((folder) => COMMANDS.map((name) => join(folder, name))),
		chromium.executablePath(),
	].find((file) => existsSync(file));
	if (found !== undefined) return found;
	throw new SetupError(
		'These tests need Chromium, and there is none here. Install it (on Debian: apt-get install chromium; elsewhere: ' +
			'npx playwright-core install chromium), or set CHROMIUM_PATH to the program file of a Chromium or Chrome.',
	);
}

/**
 * Starts a Chromium without a window that calls nobody by itself.
 * @throws SetupError how to install one, where there is none
 */
export async function launchChromium(): Promise<Browser> {
	return await chromium.launch({
		executablePath: findChromium(),
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
			'--no-first-run',
		],
	});
}
