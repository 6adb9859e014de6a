import type { TopicRow } from "../../chat/content-context.ts";
import { askText } from "../ask.ts";
import { callFor } from "../case-call.ts";
import { endCase, type HeldCase, type WorkDeps } from "../held-case.ts";
import { judgeRequest } from "./judge-request.ts";
import { readJudgement } from "./read-judgement.ts";
import { verdictOf } from "./verdict-of.ts";

/**
 * Asks the judge about a pair in one order, and next in the other: what it says of which stands first is no verdict. One that
 * cannot be read ends it, since nothing is left to be compared.
 */
export async function judgeCase(
  deps: WorkDeps,
  held: HeldCase & { topic: TopicRow },
  model: string,
): Promise<void> {
  const candidateFirst = held.stage === "judge";
  const pair = { ...held, candidate: held.answer ?? "", recorded: held.recorded ?? "" };
  const request = judgeRequest(pair, held.topic, model, candidateFirst, deps.config.LLM_MAX_TOKENS);
  const made = await callFor(deps, held, request, askText);
  if (!made) return;
  const order = readJudgement(made.answer, candidateFirst);
  const judged = [...(held.judged ?? []), order];
  if (order.verdict === null)
    return endCase(deps, held, "answered", { judged, unjudged_reason: "unreadable" }, made);
  if (candidateFirst) return endCase(deps, held, "waiting", { judged, next_stage: "judge_swapped" }, made);
  return endCase(deps, held, "answered", { judged, verdict: verdictOf(judged) }, made);
}
