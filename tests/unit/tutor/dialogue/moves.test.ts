import { describe, expect, it } from "vitest";
import { resolveMoveMessage, treeAnswersByLearnerForm } from "../../../../lib/tutor/dialogue/choices.ts";
import { classifyLearnerMessage } from "../../../../lib/tutor/dialogue/message-kind.ts";
import {
  moveLanguages,
  moveNameInRequest,
  moveRequest,
} from "../../../../lib/tutor/dialogue/move-requests.ts";
import { availableMoves, moveIds } from "../../../../lib/tutor/dialogue/moves.ts";

const question = {
  questionId: "q1",
  question: "Which?",
  options: [
    { id: "A", text: "First" },
    { id: "B", text: "Second" },
  ],
};

const meant = (content: string, asked = question, hasKey = true) => {
  const kind = classifyLearnerMessage(content);
  return kind.kind === "move" ? resolveMoveMessage(kind, asked, { hasKey }) : kind.kind;
};
const asAnswer = (answer: unknown, questionId = "q1") => JSON.stringify({ questionId, answer });

describe("the moves of a question", () => {
  it.each(moveIds)("%s is one by its name and as an answer, if there is a key", (move) => {
    for (const said of [move, ` ${move.toUpperCase()} `, asAnswer(move), asAnswer(move, " Q1 ")])
      expect(meant(said)).toBe(move);
    expect(meant(move, question, false)).toBeUndefined();
    expect(meant(asAnswer(move, "q2"))).toBeUndefined();
  });

  it("are no other names", () => {
    expect(meant("@solution")).toBeUndefined();
    expect(meant(asAnswer("@__proto__"))).toBe("answer");
    expect(meant("@constructor")).toBeUndefined();
  });

  it("give way to an option that has their name as its id or text", () => {
    const asked = { ...question, options: [...question.options, { id: "C", text: " @Hint" }] };
    expect(availableMoves(asked)).toEqual(moveIds.filter((move) => move !== "@hint"));
    for (const hasKey of [true, false])
      for (const said of ["@hint", "@HINT", asAnswer("@hint"), asAnswer(" @Hint")])
        expect(meant(said, asked, hasKey)).toBe('{"answer":"C","questionId":"q1"}');
    const twice = { ...asked, options: [...asked.options, { id: "@HINT", text: "Fourth" }] };
    expect(meant("@hint", twice)).toBeUndefined();
    expect(meant(asAnswer("@HINT"), twice)).toBe('{"answer":"@HINT","questionId":"q1"}');
  });

  it("leave the choices of a question without a key unchanged", () => {
    expect(Object.keys(treeAnswersByLearnerForm(question)).filter((choice) => choice.includes("@"))).toEqual(
      [],
    );
  });

  it.each(moveLanguages)("are put to the model in %s, within the budget of a call", (language) => {
    const requests = moveIds.map((move) => moveRequest(move, language));
    expect(new Set(requests).size).toBe(moveIds.length);
    expect(requests.map(moveNameInRequest)).toEqual(moveIds);
    for (const request of requests) expect(Buffer.byteLength(request)).toBeLessThan(150 * 3);
    // The learner has not written any of it.
    for (const request of requests) expect(request).not.toMatch(/\b(I|my|ich|mir|moi)\b/);
  });

  it("are in the course's language whatever its region and case, else in English", () => {
    const all = moveLanguages.map((language) => moveRequest("@hint", language));
    expect(new Set(all).size).toBe(moveLanguages.length);
    for (const language of moveLanguages)
      for (const code of [`${language}-XX`, language.toUpperCase()])
        expect(moveRequest("@hint", code)).toBe(moveRequest("@hint", language));
    for (const code of ["sv", "", "constructor", "__proto__"])
      expect(moveRequest("@hint", code)).toBe(moveRequest("@hint", "en"));
  });
});
