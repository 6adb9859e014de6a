/** A check's result: ok, advice, or wrong. `todo` is the remedy. */
export type Finding =
  | { state: "ok"; what: string }
  | { state: "advice" | "wrong"; what: string; todo: string };

export const ok = (what: string): Finding => ({ state: "ok", what });
export const advice = (what: string, todo: string): Finding => ({ state: "advice", what, todo });
export const wrong = (what: string, todo: string): Finding => ({ state: "wrong", what, todo });

const marks = { ok: "ok", advice: "--", wrong: "no" } as const;

export function linesOf(finding: Finding): string {
  const line = `  ${marks[finding.state]}  ${finding.what}`;
  return "todo" in finding ? `${line}\n      → ${finding.todo}` : line;
}
