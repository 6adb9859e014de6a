/**
 * Cuts what a model says into texts that JSON and PostgreSQL can hold: NUL is dropped, a surrogate pair that was
 * split over two chunks is joined in the second, and a lone surrogate becomes U+FFFD.
 */
export class StorableText {
  #high = "";

  /** What can be said of a chunk now; empty when nothing can yet. */
  take(chunk: string): string {
    const text = this.#high + chunk.replaceAll("\u0000", "");
    this.#high = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : "";
    return text.slice(0, text.length - this.#high.length).toWellFormed();
  }

  /** What is left at the end. */
  rest(): string {
    return this.#high.toWellFormed();
  }
}
