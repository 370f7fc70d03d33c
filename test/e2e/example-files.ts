import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './workspace';

const FOLDER = join(ROOT, 'examples');

/** The names of the workflows in examples/. */
export const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

export const readExampleFile = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
