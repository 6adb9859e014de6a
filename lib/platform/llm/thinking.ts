const opened = /^<think(ing)?>/i;
const closed = /<\/think(ing)?>/i;
const openers = ["<think>", "<thinking>"];
/** Longest text that may become the closing tag. */
const longestTag = "</thinking>".length;
const mostBlanks = 1000;

/**
 * Removes thinking between `<think>` and `</think>` at the beginning, however it is chunked. With
 * `isUnopened`, the text starts inside the thinking.
 */
export class SpokenText {
  #state: "beginning" | "thinking" | "speaking";
  #held = "";
  #hasThought = false;

  constructor(isUnopened: boolean) {
    this.#state = isUnopened ? "thinking" : "beginning";
  }

  /** The text that is safe to emit now. */
  take(text: string): string {
    if (this.#state === "speaking") return text;
    const said = this.#held + text;
    this.#held = "";
    return this.#state === "thinking" ? this.#think(said) : this.#begin(said);
  }

  /** An incomplete tag at the end. */
  rest(): string {
    return this.#state === "beginning" ? this.#held : "";
  }

  #think(said: string): string {
    const end = closed.exec(said);
    if (!end) {
      this.#held = said.slice(1 - longestTag);
      return "";
    }
    this.#state = "beginning";
    this.#hasThought = true;
    return this.#begin(said.slice(end.index + end[0].length));
  }

  #begin(said: string): string {
    const words = said.trimStart();
    const tag = opened.exec(words);
    if (tag) {
      this.#state = "thinking";
      return this.#think(words.slice(tag[0].length));
    }
    if (said.length < mostBlanks && openers.some((opener) => opener.startsWith(words.toLowerCase()))) {
      this.#held = this.#hasThought ? words : said;
      return "";
    }
    this.#state = "speaking";
    return this.#hasThought ? words : said;
  }
}
