/** A map that keeps its latest entries only. */
export class BoundedMap<K, V> extends Map<K, V> {
	/** @param limit how many entries it keeps */
	constructor(private readonly limit: number) {
		super();
	}

	/** Sets an entry as the latest; the oldest goes if there are too many. */
	override set(key: K, value: V): this {
		// A Map keeps the order of insertion
		this.delete(key);
		super.set(key, value);
		const [oldest] = this.keys();
		if (this.size > this.limit) this.delete(oldest as K);
		return this;
	}
}
