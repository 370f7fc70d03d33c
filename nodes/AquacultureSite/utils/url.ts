/** An address as the WHATWG URL parser reads it, or undefined if it is none. */
export function toUrl(address: string, base?: string): URL | undefined {
	// Not URL.canParse: in Node 20 it refuses names with letters such as ô once it has been called often
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}
