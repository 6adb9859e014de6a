/** Chunks of an answer that come together. Everyone who hears the answer may be given the same ones. */
export type Piece = readonly string[];

/** What a listener gets: a piece, or the word that what was heard so far does not hold and is told anew. */
export type Heard = Piece | "restart";
