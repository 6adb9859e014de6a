/** Chunks that arrived together, shared by all subscribers. */
export type ChunkBatch = readonly string[];

/** A batch, or a restart, after which the answer is sent from the beginning. */
export type ChunkDelta = ChunkBatch | "restart";
