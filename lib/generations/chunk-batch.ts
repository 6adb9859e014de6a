/** Chunks of an answer that come together. All who follow the answer may be given the same ones. */
export type ChunkBatch = readonly string[];

/** What is new to a follower: a piece, or the word that what came so far does not hold and is told anew. */
export type Delta = ChunkBatch | "restart";
