/** An answer that began again went another way than the one whose beginning was already heard. */
export class AnswerDiffers extends Error {
  override name = "AnswerDiffers";
}

/**
 * Someone who hears one answer from several tellers, each of whom begins at its start: what was heard before is
 * passed over, and what comes after it is let through in the chunks it comes in.
 */
export class Listener {
  #heard = "";

  /** Passes on what was not heard yet; throws `AnswerDiffers` when the teller contradicts what was. */
  async *hear<Outcome>(
    telling: AsyncGenerator<string, Outcome, undefined>,
  ): AsyncGenerator<string, Outcome, undefined> {
    let ahead = this.#heard;
    for (;;) {
      const step = await telling.next();
      if (step.done) return step.value;
      const known = Math.min(step.value.length, ahead.length);
      if (step.value.slice(0, known) !== ahead.slice(0, known)) throw new AnswerDiffers();
      ahead = ahead.slice(known);
      const news = step.value.slice(known);
      this.#heard += news;
      if (news) yield news;
    }
  }
}
