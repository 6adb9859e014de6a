import type { TopicRow } from "../../chat/content-context.ts";
import { askModelForText } from "../ask.ts";
import type { CaseCall, LeasedCase } from "../held-case.ts";
import type { RequestSettings } from "../request.ts";
import { judgeRequest } from "./judge-request.ts";
import { parseJudgement } from "./read-judgement.ts";
import { combineVerdicts } from "./verdict-of.ts";

/**
 * One order, then the other, because judges prefer a position. An unreadable verdict ends the case: both
 * orders are needed.
 */
export function buildJudgeCall(held: LeasedCase & { topic: TopicRow }, config: RequestSettings): CaseCall {
  const candidateFirst = held.stage === "judge";
  const pair = { ...held, candidate: held.answer ?? "", recorded: held.recorded ?? "" };
  const model = held.judge_model ?? "";
  const request = judgeRequest(pair, held.topic, model, candidateFirst, config.LLM_MAX_TOKENS);
  return {
    request,
    async read(llm, meter, signal) {
      const order = parseJudgement(await askModelForText(llm, request, meter, signal), candidateFirst);
      const judged = [...(held.judged ?? []), order];
      if (order.verdict === null) return { how: "answered", told: { judged, unjudged_reason: "unreadable" } };
      if (candidateFirst) return { how: "waiting", told: { judged, next_stage: "judge_swapped" } };
      return { how: "answered", told: { judged, verdict: combineVerdicts(judged) } };
    },
  };
}
