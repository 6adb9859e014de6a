import { describe, expect, it } from "vitest";
import type { ContentContext } from "../../../../lib/tutor/chat/content-context.ts";
import { judgeRequest } from "../../../../lib/tutor/trials/judge/judge-request.ts";
import { parseJudgement } from "../../../../lib/tutor/trials/judge/read-judgement.ts";
import { judgePrompt } from "../../../../lib/tutor/trials/judge/rubric.ts";
import { combineVerdicts } from "../../../../lib/tutor/trials/judge/verdict-of.ts";
import { judgeCriteria } from "../../../../schema/enums.ts";

describe("a judge's verdict is read", () => {
  it.each([
    ["as it is asked for", '{"why": "It is.", "criteria": {"correct": "B"}, "better": "A"}'],
    [
      "in a fence, among words",
      'Let me see.\n```json\n{"why":"It is.","criteria":{"correct":"B"},"better":"A"}\n```\nThat is all.',
    ],
    [
      "in single quotes, with a comma too many",
      "{'why': 'It is.', 'criteria': {'correct': 'B',}, 'better': 'A',}",
    ],
    ["without its last bracket", '{"why": "It is.", "criteria": {"correct": "B"}, "better": "A"'],
    ["in other spellings", '{"Why": "It is.", "CRITERIA": {"Correct": "answer b."}, "Better": "Answer A"}'],
    ["behind another object", '{"note": 1} {"why": "It is.", "criteria": {"correct": "B"}, "better": "a"}'],
  ])("%s", (_, text) => {
    expect(parseJudgement(text, true)).toEqual({
      candidate_first: true,
      verdict: "candidate",
      criteria: { correct: "recorded" },
      why: "It is.",
    });
    expect(parseJudgement(text, false)).toMatchObject({
      verdict: "recorded",
      criteria: { correct: "candidate" },
    });
  });

  it.each(["tie", "Tie", "equal", "neither", "both"])("%s is a tie", (better) => {
    expect(parseJudgement(JSON.stringify({ better }), true).verdict).toBe("tie");
  });

  it.each([
    "",
    "A",
    "Answer A is better.",
    '{"criteria": {"correct": "A"}}',
    '{"better": "C"}',
    '{"better": null}',
    '{"better": ["A"]}',
    "[]",
    "{".repeat(5000),
  ])("no verdict is guessed from %s", (text) => {
    expect(parseJudgement(text, true)).toMatchObject({ verdict: null });
  });
});

describe("both orders", () => {
  const order = (verdict: "candidate" | "recorded" | "tie" | null) => ({
    ...{ candidate_first: true, criteria: {}, why: null },
    verdict,
  });

  it.each([
    ["candidate", "candidate", "candidate"],
    ["recorded", "recorded", "recorded"],
    ["candidate", "recorded", "tie"],
    ["candidate", "tie", "tie"],
    ["tie", "tie", "tie"],
    ["candidate", null, undefined],
  ] as const)("%s and %s result in %s", (one, other, verdict) => {
    expect(combineVerdicts([order(one), order(other)])).toBe(verdict);
  });

  it("are nothing before there are two", () => {
    expect(combineVerdicts([order("candidate")])).toBeUndefined();
  });
});

it("the judge gets seven criteria, and a pair without hidden information", () => {
  expect(judgeCriteria).toHaveLength(7);
  for (const criterion of judgeCriteria) expect(judgePrompt).toContain(`${criterion}:`);
  const topic = {
    ...{ title: "Loops", description: null, content_type: "text", language: "en", level: "beginner" },
    ...{ data_json: {}, module_title: "", course_title: "", course_code: "", university_id: 7 },
    tutor: { item_notes: { notes: "A secret note", key_facts: [], common_errors: [], never_say: [] } },
  } as unknown as ContentContext;
  const key = { answer: "A", misconceptions: [], skill: "a secret skill" };
  const pair = {
    ...{ message: "Go on.", candidate: "New.", recorded: "Old." },
    exchanges: [{ question: "Start.", answer: "Hello.", key }],
  };
  const requests = [true, false].map((first) => judgeRequest(pair, topic, "judge", first, 1000));
  expect(JSON.stringify(requests)).not.toMatch(/secret/);
  expect(requests[0]).toMatchObject({ model: "judge", university_id: 7, max_tokens: 1000 });
  const shown = requests.map(({ messages }) => JSON.parse(messages[0]?.content ?? ""));
  expect(shown).toMatchObject([
    { conversation: [{ learner: "Start.", tutor: "Hello." }], learner: "Go on.", A: "New.", B: "Old." },
    { A: "Old.", B: "New." },
  ]);
});
