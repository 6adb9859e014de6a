const opened = /^<think(ing)?>/i;
const closed = /<\/think(ing)?>/i;
const openers = ["<think>", "<thinking>"];
/** What may still become the tag that ends the thinking. */
const longestTag = "</thinking>".length;
/** An answer does not begin with more blanks. */
const mostBlanks = 1000;

/**
 * Leaves out what a model thinks aloud before it answers, between `<think>` and `</think>` at the beginning, however it is
 * cut. Of a model that begins inside it (`isUnopened`) nothing is said before the tag that closes it.
 */
export class SpokenText {
  #state: "beginning" | "thinking" | "speaking";
  #held = "";
  #hasThought = false;

  constructor(isUnopened: boolean) {
    this.#state = isUnopened ? "thinking" : "beginning";
  }

  /** What can be said of a text now; empty when nothing can yet. */
  take(text: string): string {
    if (this.#state === "speaking") return text;
    const said = this.#held + text;
    this.#held = "";
    return this.#state === "thinking" ? this.#think(said) : this.#begin(said);
  }

  /** What is left at the end: a beginning that is no tag. */
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
