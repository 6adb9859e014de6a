/** With the space before it: `[§1]`, or several in one pair of brackets. Laws are cited as `[§ 1]` or `[§§ 1, 2]`. */
const citation = /[^\S\n]?\[§(?![§ ])[\d§,; ]{0,60}\]/g;

/** An incomplete citation at the end of a text, with the space before it. */
const begun = /[^\S\n]?\[(§(?![§ ])[\d§,; ]{0,60})?$/;

/** Removes citations of passages that were not offered from streamed text. */
export class CitationFilter {
  readonly #offered: ReadonlySet<number>;
  #held = "";

  constructor(offered: ReadonlySet<number>) {
    this.#offered = offered;
  }

  /** A possible citation waits for its end. */
  take(piece: string): string {
    const text = this.#held + piece;
    const at = begun.exec(text)?.index ?? text.length;
    this.#held = text.slice(at);
    return this.#without(text.slice(0, at));
  }

  /** An incomplete citation is plain text. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  #without(text: string): string {
    return text.replaceAll(citation, (found) => {
      const named = [...found.matchAll(/\d+/g)].map(([number]) => Number(number));
      const kept = named.filter((number) => this.#offered.has(number));
      if (kept.length === named.length && named.length === 1) return found;
      const space = kept.length > 0 && !found.startsWith("[") ? found.charAt(0) : "";
      return space + kept.map((number) => `[§${number}]`).join("");
    });
  }
}
