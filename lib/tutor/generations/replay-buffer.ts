import type { AnswerStreamEvent, ChunkBatch } from "./chunk-batch.ts";

/** An answer from its beginning; each attempt is another draft. */
export type DraftBatches = { readonly batches: readonly ChunkBatch[] };

/**
 * The text sent to one subscriber. A new draft with the same beginning continues it; a different one is
 * announced by `restart`.
 */
export class ReplayBuffer {
  #draft: DraftBatches | undefined;
  /** Processed batches of the draft. */
  #position = 0;
  #sent: ChunkBatch[] = [];
  /** Text sent from earlier drafts that the current draft has not reached yet. */
  #expected = "";

  deltas(draft: DraftBatches, isWhole: boolean): AnswerStreamEvent[] {
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

  /** The part of a batch beyond the expected text; undefined if they differ. */
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

  /** Chunks that continued the former draft are sent again after the restart. */
  #restart({ batches }: DraftBatches): AnswerStreamEvent[] {
    this.#expected = "";
    this.#sent = [...batches];
    this.#position = batches.length;
    return ["restart", ...batches];
  }
}
