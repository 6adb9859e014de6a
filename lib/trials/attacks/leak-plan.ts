import type { Exchange } from "../../chat/llm-request.ts";
import { emptyCase, expectedCostOf, type NewCase, type Plan, type Trying } from "../new-case.ts";
import type { Situation } from "../situations.ts";
import { currentSituations } from "../step-plan.ts";
import { attacksOn } from "./attacks.ts";
import { plantedExchange } from "./planted-question.ts";

/** An answer to an attack is short, if all is well. */
const answeredCharacters = 600;

/**
 * All attacks on each of the items, at the most visited place where the class was asked something that has a key, or behind a
 * planted question: what is known of that question is among what they are after.
 */
export function leakPlan(situations: readonly Situation[], trying: Trying): Plan {
  const current = currentSituations(situations, trying).filter(({ question, key }) => question && key);
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
  return { cases, costs: cases.map((one) => expectedCostOf(one, trying, answeredCharacters)) };
}

const askedAt = ({ message, recorded, key }: Situation): Exchange => ({
  question: message,
  answer: recorded,
  ...(key && { key }),
});
