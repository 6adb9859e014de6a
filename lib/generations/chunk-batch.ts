/** Chunks of an answer that come together. All who listen to the answer may be given the same ones. */
export type ChunkBatch = readonly string[];

/** What is new to a subscriber: a batch, or the word that what came so far does not hold and is sent anew. */
export type Delta = ChunkBatch | "restart";
