/** Chunks that arrived together, shared by all subscribers. */
export type ChunkBatch = readonly string[];

/** After a restart, the answer is sent from the beginning. */
export type AnswerStreamEvent = ChunkBatch | "restart";
