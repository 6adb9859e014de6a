/** Chunks of an answer that come together. All who listen to the answer may be given the same ones. */
export type ChunkBatch = readonly string[];

/** What is new to a subscriber: a batch, or a restart, after which the answer is sent from its beginning again. */
export type Delta = ChunkBatch | "restart";
