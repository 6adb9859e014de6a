export type ReasoningPair = readonly [open: string, close: string];

/** Parses `LLM_REASONING_TAGS`: pairs separated by commas, with a blank between the marks. */
export function parseReasoningPairs(setting: string): ReasoningPair[] | undefined {
  const written = setting
    .split(",")
    .map((pair) => pair.trim())
    .filter(Boolean)
    .map((pair) => pair.split(/\s+/));
  const isValid = written.every(
    (pair) => pair.length === 2 && pair.every((mark) => mark.length >= 2 && mark.length <= 60),
  );
  return isValid ? written.map(([open = "", close = ""]) => [open, close] as const) : undefined;
}
