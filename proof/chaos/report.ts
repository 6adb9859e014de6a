import type { ChaosEnvironment } from "./environment.ts";
import type { ChaosFlags } from "./flags.ts";

export type ChaosReport = { text: string; violations: readonly string[]; acknowledged: number };

export function buildChaosReport(flags: ChaosFlags, { ledger, llm }: ChaosEnvironment): ChaosReport {
  const { violations, counts } = ledger;
  const paths = [...llm.callsPerPath()].map(([calls, number]) => `${number} × ${calls}`).join(", ");
  const lines = [
    `${flags.minutes} minutes, ${flags.processes} processes, ${flags.learners} learners, seed ${flags.seed}`,
    "",
    ...[...counts]
      .sort(([one], [two]) => one.localeCompare(two))
      .map(([what, count]) => `${String(count).padStart(8)}  ${what}`),
    `${String(llm.calls).padStart(8)}  LLM calls; by path, number of paths × calls: ${paths}`,
    `${String(llm.unexplainedCalls()).padStart(8)}  of them for answers that the LLM had already completed`,
    `${String(violations.length).padStart(8)}  violations`,
    ...violations.map((violation) => `  - ${violation}`),
  ];
  return { text: lines.join("\n"), violations, acknowledged: ledger.counted("acknowledged") };
}
