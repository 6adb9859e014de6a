import type { Piece } from "./turn.ts";

/** An answer that began again went another way than the one whose beginning was already heard. */
export class AnswerDiffers extends Error {
  override name = "AnswerDiffers";
}

/**
 * Someone who hears one answer from several tellers, each of whom begins at its start: what was heard before is
 * passed over, and what comes after it is let through in the chunks it comes in.
 */
export class Listener {
  readonly #heard: Piece[] = [];

  /** Passes on what was not heard yet; throws `AnswerDiffers` when the teller contradicts what was. */
  async *hear<Outcome>(
    telling: AsyncGenerator<Piece, Outcome, undefined>,
  ): AsyncGenerator<Piece, Outcome, undefined> {
    let ahead = this.#heard.flat().join("");
    for (;;) {
      const step = await telling.next();
      if (step.done) return step.value;
      const news = ahead ? unheardOf(step.value, ahead) : step.value;
      if (ahead) ahead = ahead.slice(step.value.join("").length);
      if (news.length === 0) continue;
      this.#heard.push(news);
      yield news;
    }
  }
}

/** What of a piece goes beyond the text ahead, which it repeats. */
function unheardOf(piece: Piece, ahead: string): Piece {
  const news: string[] = [];
  let at = 0;
  for (const chunk of piece) {
    const known = ahead.slice(at, at + chunk.length);
    if (!chunk.startsWith(known)) throw new AnswerDiffers();
    if (known.length < chunk.length) news.push(chunk.slice(known.length));
    at += chunk.length;
  }
  return news;
}
