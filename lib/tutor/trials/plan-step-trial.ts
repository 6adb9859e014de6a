import { answerContentFingerprint } from "../chat/answer-lookup.ts";
import type { TopicRow } from "../chat/content-context.ts";
import type { TutorPrompt } from "../chat/tutor-prompt.ts";
import { estimateCallCost, type findModelPrice, type TrialCost } from "./cost.ts";
import { judgeRequest } from "./judge/judge-request.ts";
import { emptyCase, estimateCaseCost, type TrialPlan, type TrialSetup } from "./new-case.ts";
import type { RequestSettings } from "./request.ts";
import type { RecordedAnswerNode } from "./trial-input.ts";

export type TrialJudge = { model: string; price: NonNullable<ReturnType<typeof findModelPrice>> };

const judgedCharacters = 600;

/** The version's next answer at the most visited nodes, compared with the class's. */
export function planStepTrial(
  situations: readonly RecordedAnswerNode[],
  trying: TrialSetup,
  { most, judge }: { most: number; judge: TrialJudge | undefined },
): TrialPlan {
  const kept = nodesWithCurrentAnswers(situations, trying).slice(0, most);
  const costs = kept.flatMap((one) => [
    estimateCaseCost(one, trying, one.recorded.length),
    ...(judge ? judgingCosts(one, trying, judge) : []),
  ]);
  return { cases: kept.map((one) => ({ ...emptyCase, ...one })), costs };
}

/** Answers of the other version's current text, one per path. */
export const nodesWithCurrentAnswers = (
  situations: readonly RecordedAnswerNode[],
  { base, topics, config }: TrialSetup,
): RecordedAnswerNode[] =>
  situations
    .filter((one) => isOfToday(one, topics.get(one.content_item_id), base, config))
    .filter(isFirstOfItsPath());

function judgingCosts(
  one: RecordedAnswerNode,
  { topics, config }: TrialSetup,
  { model, price }: TrialJudge,
): TrialCost[] {
  const topic = topics.get(one.content_item_id) as TopicRow;
  const pair = { ...one, candidate: one.recorded };
  return [true, false].map((first) =>
    estimateCallCost(judgeRequest(pair, topic, model, first, config.LLM_MAX_TOKENS), price, judgedCharacters),
  );
}

/** Made by the current text from the item's current content. */
function isOfToday(
  { prompt_fingerprint, content_fingerprint }: RecordedAnswerNode,
  topic: TopicRow | undefined,
  base: TutorPrompt,
  { TUTOR_MATERIAL_CHARACTERS: maxMaterial }: RequestSettings,
): boolean {
  return (
    topic !== undefined &&
    prompt_fingerprint === base.fingerprint &&
    content_fingerprint === answerContentFingerprint(topic, base, maxMaterial)
  );
}

/** If several models answered on one path, the most visited answer counts. */
function isFirstOfItsPath(): (one: RecordedAnswerNode) => boolean {
  const seen = new Set<string>();
  return ({ content_item_id, exchanges, message }) => {
    const path = JSON.stringify([content_item_id, ...exchanges.map(({ question }) => question), message]);
    return seen.size < seen.add(path).size;
  };
}
