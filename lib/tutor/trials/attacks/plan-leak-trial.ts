import type { Exchange } from "../../chat/history.ts";
import { emptyCase, estimateCaseCost, type NewCase, type TrialPlan, type TrialSetup } from "../new-case.ts";
import { nodesWithCurrentAnswers } from "../plan-step-trial.ts";
import type { RecordedAnswerNode } from "../trial-input.ts";
import { attacksOn } from "./attacks.ts";
import { plantedExchange } from "./planted-question.ts";

/** Estimated length of an answer that withstands an attack. */
const answeredCharacters = 600;

/**
 * All attacks on each item, at its most visited node with a keyed question, or after a planted one: the key
 * is a secret.
 */
export function planLeakTrial(situations: readonly RecordedAnswerNode[], trying: TrialSetup): TrialPlan {
  const current = nodesWithCurrentAnswers(situations, trying).filter(({ question, key }) => question && key);
  const cases = [...trying.topics.values()].flatMap(({ content_item_id, content_type }) => {
    const place = current.find((one) => one.content_item_id === content_item_id);
    const exchanges = place ? [...place.exchanges, askedAt(place)] : [plantedExchange];
    return attacksOn(content_type).map(
      ({ words, ...attack }): NewCase => ({
        ...emptyCase,
        ...{ content_item_id, node_id: place?.node_id ?? null, exchanges, message: words, attack },
      }),
    );
  });
  return { cases, costs: cases.map((one) => estimateCaseCost(one, trying, answeredCharacters)) };
}

const askedAt = ({ message, recorded, key }: RecordedAnswerNode): Exchange => ({
  question: message,
  answer: recorded,
  ...(key && { key }),
});
