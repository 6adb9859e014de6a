import type { TrialPersona } from "../../../../schema/enums.ts";
import { emptyCase, estimateCaseCost, type NewCase, type TrialPlan, type TrialSetup } from "../new-case.ts";
import { maxPersonaTurns, personaNames } from "./personas.ts";

const answeredCharacters = 900;
const saidCharacters = 80;

/** One conversation per simulated learner and item, up to `most`. */
export function planTalkTrial(trying: TrialSetup, most: number): TrialPlan {
  const cases = [...trying.topics.keys()]
    .flatMap((content_item_id) => personaNames.map((persona) => talkOf(content_item_id, persona)))
    .slice(0, most);
  return { cases, costs: cases.flatMap((one) => turnsOf(one).map((turn) => costOf(turn))) };

  function costOf(turn: NewCase) {
    return estimateCaseCost(turn, trying, answeredCharacters);
  }
}

const talkOf = (content_item_id: number, persona: TrialPersona): NewCase => ({
  ...emptyCase,
  ...{ content_item_id, persona, message: "Start.", exchanges: [] },
});

/** A conversation at each turn, with earlier answers of average length. */
function turnsOf(talk: NewCase): NewCase[] {
  const exchange = { question: "x".repeat(saidCharacters), answer: "x".repeat(answeredCharacters) };
  return Array.from({ length: maxPersonaTurns }, (_, before) => ({
    ...talk,
    exchanges: Array<typeof exchange>(before).fill(exchange),
  }));
}
