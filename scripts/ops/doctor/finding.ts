/** What was looked at: in order, worth a thought, or wrong. `todo` says what to do about it. */
export type Finding =
  | { state: "ok"; what: string }
  | { state: "advice" | "wrong"; what: string; todo: string };

export const ok = (what: string): Finding => ({ state: "ok", what });
export const advice = (what: string, todo: string): Finding => ({ state: "advice", what, todo });
export const wrong = (what: string, todo: string): Finding => ({ state: "wrong", what, todo });

const marks = { ok: "ok", advice: "--", wrong: "no" } as const;

/** A line, and below it what to do. */
export function linesOf(finding: Finding): string {
  const line = `  ${marks[finding.state]}  ${finding.what}`;
  return "todo" in finding ? `${line}\n      → ${finding.todo}` : line;
}
