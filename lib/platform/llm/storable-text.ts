/**
 * For JSON and PostgreSQL: drops NUL, joins surrogate pairs split over chunks, and replaces unpaired
 * surrogates by U+FFFD.
 */
export class StorableTextFilter {
  #high = "";

  /** The text that is safe to emit now. */
  take(chunk: string): string {
    const text = this.#high + chunk.replaceAll("\u0000", "");
    this.#high = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : "";
    return text.slice(0, text.length - this.#high.length).toWellFormed();
  }

  rest(): string {
    return this.#high.toWellFormed();
  }
}
