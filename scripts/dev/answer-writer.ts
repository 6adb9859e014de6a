export type Usage = {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
};

/** Writes a streamed answer in a provider's wire format: `begin`, texts, `end`. */
export type AnswerWriter = {
  begin(usage: Usage): void;
  text(text: string): void;
  /** A tool call with its input in these parts. */
  call(name: string, parts: readonly string[]): void;
  /** A keep-alive event, if the format has one. */
  ping?(): void;
  end(stopReason: string, usage: Usage): void;
  /** An error in the middle of the stream. */
  breakOff(type: string, message: string): void;
  /** An error instead of a stream. */
  refuse(status: number, type: string, message: string, retryAfter?: number): void;
};

/** Estimated tokens of a text, four characters each. */
export function countTokens(...texts: string[]): number {
  return Math.ceil(texts.join("").length / 4);
}
