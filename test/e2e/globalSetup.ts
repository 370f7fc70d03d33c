import { installN8n } from './install';
import { keep } from './prepared';
import { packTarball } from './tarball';

/** Installs n8n and packs the package, once for all end-to-end tests. */
export default async function prepare(): Promise<void> {
	const say = (line: string) => process.stderr.write(`${line}\n`);
	keep({ install: await installN8n('2', say), tarball: await packTarball(say) });
}
