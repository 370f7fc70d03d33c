/**
 * The rules of n8n's own scanner for packages that ask for verification, as an ESLint configuration: for the sources, and
 * for what `npm publish` would upload, which test/engine/tarball.test.ts lists. The scanner itself hides warnings.
 */
import { buildScanConfig } from '@n8n/scan-community-package/scanner/scanner.mjs';

export default await buildScanConfig();
