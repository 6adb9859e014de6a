import type { Delta, ChunkBatch } from "./chunk-batch.ts";

/** An answer as it is told from its beginning; another attempt at the same answer is another draft. */
export type Draft = { readonly pieces: readonly ChunkBatch[] };

/**
 * What one follower was told. A new draft that begins with the same words goes on where the former broke off; one
 * that does not is announced by `restart` and told from its first chunk.
 */
export class ReplayBuffer {
  #draft: Draft | undefined;
  /** How many pieces of the draft were looked at. */
  #position = 0;
  #told: ChunkBatch[] = [];
  /** What was told of former drafts, and did not come again yet. */
  #expected = "";

  /** What is new in a draft; `whole` says that nothing follows. */
  news(draft: Draft, whole: boolean): Delta[] {
    if (draft !== this.#draft) {
      this.#draft = draft;
      this.#position = 0;
      this.#expected = this.#told.flat().join("");
    }
    const all: ChunkBatch[] = [];
    for (; this.#position < draft.pieces.length; this.#position += 1) {
      const piece = draft.pieces[this.#position] ?? [];
      const news = this.#expected ? this.#unexpected(piece) : piece;
      if (!news) return this.#restart(draft);
      if (news.length > 0) all.push(news);
    }
    this.#told.push(...all);
    return whole && this.#expected ? this.#restart(draft) : all;
  }

  /** What of a piece goes beyond what is expected; undefined when it says something else. */
  #unexpected(piece: ChunkBatch): ChunkBatch | undefined {
    const news: string[] = [];
    for (const chunk of piece) {
      const known = this.#expected.slice(0, chunk.length);
      if (!chunk.startsWith(known)) return undefined;
      if (known.length < chunk.length) news.push(chunk.slice(known.length));
      this.#expected = this.#expected.slice(chunk.length);
    }
    return news;
  }

  /** What of this draft went on where the former broke off is not told before that. */
  #restart({ pieces }: Draft): Delta[] {
    this.#expected = "";
    this.#told = [...pieces];
    this.#position = pieces.length;
    return ["restart", ...pieces];
  }
}
