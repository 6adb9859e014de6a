import { describe, expect, it } from "vitest";
import type { CandidateAnswer } from "../../../../lib/tutor/checks/checked-answer.ts";
import { formatQuestionBlock } from "../../../../lib/tutor/dialogue/read-question.ts";
import { maxPersonaTurns } from "../../../../lib/tutor/trials/talks/personas.ts";
import {
  continueTrialConversation,
  type TrialConversation,
} from "../../../../lib/tutor/trials/talks/take-turn.ts";
import { type TrialPersona, trialPersonas } from "../../../../schema/enums.ts";

const question = {
  questionId: "q1",
  question: "Which?",
  options: ["A", "B", "C"].map((id) => ({ id, text: `Option ${id}` })),
};
const key = { answer: "B", misconceptions: [], skill: null };

const answer = (over: Partial<CandidateAnswer> = {}): CandidateAnswer => ({
  ...{ text: `So.\n\n${formatQuestionBlock(question)}`, question, key, writtenKeys: [], stop: null },
  ...over,
});

/** A persona's messages in a talk with a tutor that repeats its question. */
function talk(persona: TrialPersona, over: Partial<CandidateAnswer> = {}): string[] {
  let now: TrialConversation = { persona, message: "Start.", exchanges: [], checks: null };
  const said: string[] = [];
  for (let turn = 0; turn <= maxPersonaTurns; turn += 1) {
    const taken = continueTrialConversation(now, answer(over), {});
    if (taken.message === undefined) return said;
    said.push(taken.message);
    now = { persona, message: taken.message, exchanges: taken.exchanges, checks: taken.checks };
  }
  throw new Error("the talk does not end");
}

const picks = (...ids: string[]) => ids.map((id) => JSON.stringify({ answer: id, questionId: "q1" }));

describe("simulated learners", () => {
  it.each<[TrialPersona, string[]]>([
    ["sure", picks("B", "B", "B", "B", "B")],
    ["mistaken", picks("A", "B", "B", "B", "B")],
    ["hint_seeking", ["@hint", "@hint", ...picks("B", "B", "B")]],
    ["lost", ["@dont_know", "@simpler", ...picks("A", "A", "A")]],
  ])("%s says what it is named after", (persona, said) => {
    expect(talk(persona)).toEqual(said);
  });

  it("talk for a few turns and say the same each time", () => {
    for (const persona of trialPersonas) {
      const said = talk(persona);
      expect(said, persona).toHaveLength(maxPersonaTurns - 1);
      expect(talk(persona)).toEqual(said);
    }
    expect(new Set(talk("talkative")).size).toBe(maxPersonaTurns - 1);
  });

  it("make no move if none is offered, and end without a question", () => {
    expect(talk("hint_seeking", { key: undefined })).toEqual(picks("A", "A", "A", "A", "A"));
    const nothing = { question: undefined, key: undefined, text: "That is all." };
    for (const persona of trialPersonas)
      expect(talk(persona, nothing), persona).toHaveLength(persona === "talkative" ? maxPersonaTurns - 1 : 0);
  });

  it("end after a cut-off or unreadable answer", () => {
    for (const stop of ["length", "refusal", "malformed", "empty"] as const)
      expect(talk("sure", { stop })).toEqual([]);
  });
});

it("the first fault of each check is kept, with its turn", () => {
  const first = continueTrialConversation(
    { persona: "sure", message: "Start.", exchanges: [], checks: null },
    answer(),
    {
      length: null,
      options: "Two read the same",
    },
  );
  expect(first.checks).toEqual({ length: null, options: "Turn 1: Two read the same" });
  const second = continueTrialConversation(
    { persona: "sure", message: first.message ?? "", exchanges: first.exchanges, checks: first.checks },
    answer(),
    { length: "Too long", options: null, formulas: null },
  );
  expect(second.checks).toEqual({
    length: "Turn 2: Too long",
    options: "Turn 1: Two read the same",
    formulas: null,
  });
});
