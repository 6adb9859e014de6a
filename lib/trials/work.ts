import { describeError } from "../logging/log.ts";
import { answerCase } from "./answer-case.ts";
import { callsAtOnce, claimCase, endCase, type HeldCase, type WorkDeps } from "./held-case.ts";
import { judgeCase } from "./judge/judge-case.ts";

/**
 * Asks for the cases of running trials until its signal, or until none is left to take; what is under way then is waited
 * for. Answers how often one was taken up.
 */
export async function workTrials(deps: WorkDeps, signal: AbortSignal): Promise<{ cases: number }> {
  let cases = 0;
  const work = async () => {
    while (!signal.aborted) {
      const held = await claimCase(deps);
      if (!held) return;
      cases += 1;
      await workCase(deps, held).catch((error) =>
        // Its lease lapses, and someone takes it up again.
        deps.log.error({ error: describeError(error), trial_case: held.id }, "a case of a trial was left"),
      );
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: callsAtOnce }, work));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return { cases };
}

/** Makes the next call of a case: the version's answer, or the judge's. */
async function workCase(deps: WorkDeps, held: HeldCase): Promise<void> {
  const { topic, stage, judge_model } = held;
  if (!topic) return endCase(deps, held, "skipped", { reason: "topic_gone" });
  if (stage === "answer") return answerCase(deps, { ...held, topic });
  await judgeCase(deps, { ...held, topic }, judge_model ?? "");
}
