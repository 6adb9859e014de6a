import type { CaseAttack } from "../../../schema/db/tutor/trials.ts";
import type { TrialPersona } from "../../../schema/enums.ts";
import type { Question, QuestionKey } from "../../../schema/question.ts";
import type { TopicRow } from "../chat/content-context.ts";
import type { TutorPrompt } from "../chat/tutor-prompt.ts";
import { estimateCallCost, type findModelPrice, type TrialCost } from "./cost.ts";
import { type ConversationPoint, type RequestSettings, trialRequest } from "./request.ts";

/** Only a class's answers have `recorded` and `visits`. */
export type NewCase = ConversationPoint & {
  content_item_id: number;
  node_id: number | null;
  visits: number;
  recorded: string | null;
  question: Question | null;
  key: QuestionKey | null;
  attack: CaseAttack | null;
  persona: TrialPersona | null;
};

export const emptyCase = {
  node_id: null,
  visits: 0,
  recorded: null,
  question: null,
  key: null,
  attack: null,
  persona: null,
};

export type TrialSetup = {
  candidate: TutorPrompt;
  base: TutorPrompt;
  model: string;
  price: NonNullable<ReturnType<typeof findModelPrice>>;
  topics: ReadonlyMap<number, TopicRow>;
  config: RequestSettings;
};

export type TrialPlan = { cases: NewCase[]; costs: TrialCost[] };

export function estimateCaseCost(
  { content_item_id, ...place }: ConversationPoint & { content_item_id: number },
  { candidate, model, price, topics, config }: TrialSetup,
  answered: number,
): TrialCost {
  const topic = topics.get(content_item_id) as TopicRow;
  const request = trialRequest(place, { prompt: candidate, topic, model }, config);
  return estimateCallCost(request, price, answered);
}
