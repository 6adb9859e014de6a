import type { ChunkBatch, Delta } from "./chunk-batch.ts";

/** An answer as it is sent from its beginning; another attempt at the same answer is another draft. */
export type Draft = { readonly batches: readonly ChunkBatch[] };

/**
 * What one subscriber was sent. A new draft that begins with the same words goes on where the former broke off; one
 * that does not is announced by `restart` and sent from its first chunk.
 */
export class ReplayBuffer {
  #draft: Draft | undefined;
  /** How many batches of the draft were looked at. */
  #position = 0;
  #sent: ChunkBatch[] = [];
  /** What was sent of former drafts and has not come again yet. */
  #expected = "";

  /** What is new in a draft; `isWhole` says that nothing follows. */
  deltas(draft: Draft, isWhole: boolean): Delta[] {
    if (draft !== this.#draft) {
      this.#draft = draft;
      this.#position = 0;
      this.#expected = this.#sent.flat().join("");
    }
    const all: ChunkBatch[] = [];
    for (; this.#position < draft.batches.length; this.#position += 1) {
      const batch = draft.batches[this.#position] ?? [];
      const delta = this.#expected ? this.#unexpected(batch) : batch;
      if (!delta) return this.#restart(draft);
      if (delta.length > 0) all.push(delta);
    }
    this.#sent.push(...all);
    return isWhole && this.#expected ? this.#restart(draft) : all;
  }

  /** What of a batch goes beyond what is expected; undefined when it says something else. */
  #unexpected(batch: ChunkBatch): ChunkBatch | undefined {
    const delta: string[] = [];
    for (const chunk of batch) {
      const known = this.#expected.slice(0, chunk.length);
      if (!chunk.startsWith(known)) return undefined;
      if (known.length < chunk.length) delta.push(chunk.slice(known.length));
      this.#expected = this.#expected.slice(chunk.length);
    }
    return delta;
  }

  /** Chunks of this draft that continued the former one are sent again, behind the restart. */
  #restart({ batches }: Draft): Delta[] {
    this.#expected = "";
    this.#sent = [...batches];
    this.#position = batches.length;
    return ["restart", ...batches];
  }
}
