export type Usage = {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
};

/** Writes one streamed answer in a provider's wire format: `begin`, texts, `end`. */
export type AnswerWriter = {
  begin(usage: Usage): void;
  text(text: string): void;
  /** A call of a tool, whose input comes in these parts. */
  call(name: string, parts: readonly string[]): void;
  /** A sign of life that says nothing, where the format has one. */
  ping?(): void;
  end(stopReason: string, usage: Usage): void;
  /** An error in the middle of the stream. */
  breakOff(type: string, message: string): void;
  /** An error in place of a stream. */
  refuse(status: number, type: string, message: string, retryAfter?: number): void;
};

/** About as many tokens as a text has: four characters make one. */
export function countTokens(...texts: string[]): number {
  return Math.ceil(texts.join("").length / 4);
}
