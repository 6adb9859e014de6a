import { describe, expect, it } from "vitest";
import { choicesOf } from "../../../lib/dialogue/choices.ts";
import { variablesIn } from "../../../lib/prompts/render.ts";
import { openSession } from "./session.ts";

const { rows, value } = openSession();

const q1 = {
  questionId: "q1",
  question: "Which one?",
  options: [
    { id: "A", text: "The first" },
    { id: "B", text: "The second" },
  ],
};
const json = (thing: unknown) => (thing === null ? "null" : `'${JSON.stringify(thing)}'::jsonb`);
const said = (answer: unknown, questionId: unknown = "q1") => JSON.stringify({ answer, questionId });

/** Whether a choice is an answer as it is said: beside these stand the forms that are compared where none fits, and a version. */
const isAsSaid = (choice: string): boolean => choice.startsWith('{"answer"');

describe("answer_key", () => {
  it("has the surroundings where the prompt names them, and is the former one where nothing else is known", async () => {
    const key = (uses: boolean) => value(`select answer_key('item', 'around', 'former', ${uses})`);
    expect(await key(false)).toBe("item");
    expect(await key(true)).toMatch(/^[0-9a-f]{64}$/);
    expect(await key(true)).not.toBe(await value("select answer_key('item', 'elsewhere', 'former', true)"));
    expect(await value("select answer_key(null, null, 'former', true)")).toBe("former");
  });
});

describe("prompts.uses_surroundings", () => {
  it.each([
    "{{module_title}}",
    "{{  course_title }}",
    "{{{module_title}}}",
    "{{x{{course_title}}",
    "{{course_code}}",
    "{{ module_title",
    "{{\nmodule_title}}",
    "{{module_titles}}",
    "module_title",
    "",
  ])("says of %j what the placeholders say", async (text) => {
    const [made] = await rows(
      `insert into prompts (name, version, prompt) values ('tutor', 99, '${text}') returning uses_surroundings`,
    );
    const names = variablesIn(text);
    expect(made?.["uses_surroundings"]).toBe(
      names.includes("module_title") || names.includes("course_title"),
    );
  });
});

describe("question_identity", () => {
  const same = (one: unknown, other: unknown) =>
    value(`select is_same_question(${json(one)}, ${json(other)})`);

  it("is the id, the text, and each option's id and text, in any order, trimmed and composed", async () => {
    expect(await same(q1, { ...q1, options: q1.options.toReversed() })).toBe(true);
    expect(await same({ ...q1, question: "Caf\u00e9?" }, { ...q1, question: " Cafe\u0301? " })).toBe(true);
    expect(await same(null, null)).toBe(true);
    expect(await value("select question_identity(null)")).toBe("");
  });

  it.each([
    ["another id", { ...q1, questionId: "q2" }],
    ["another text", { ...q1, question: "Which two?" }],
    [
      "texts that changed places",
      {
        ...q1,
        options: [
          { id: "A", text: "The second" },
          { id: "B", text: "The first" },
        ],
      },
    ],
    ["an option more", { ...q1, options: [...q1.options, { id: "C", text: "The third" }] }],
    ["no question", null],
  ])("is another with %s", async (_, other) => {
    expect(await same(q1, other)).toBe(false);
  });
});

describe("question_offers", () => {
  it("offers whatever the tree takes for one of the options", async () => {
    const numbered = {
      ...q1,
      questionId: "1",
      options: [
        { id: "1", text: "2" },
        { id: "2", text: "Two" },
      ],
    };
    for (const question of [q1, numbered])
      for (const message of Object.keys(choicesOf(question)).filter(isAsSaid))
        expect(await value(`select question_offers(${json(question)}, '${message}')`), message).toBe(true);
  });

  it("offers nothing else", async () => {
    for (const message of [said("C"), said("A", "q2"), said(null), "Start.", '{"answer":"A"}'])
      expect(await value(`select question_offers(${json(q1)}, '${message}')`), message).toBeFalsy();
    expect(await value(`select question_offers(null, '${said("A")}')`)).toBe(false);
  });
});

describe("answers_in_common", () => {
  const inCommon = (other: typeof q1) =>
    value(`select answers_in_common(${json(q1)}, ${json(other)}, ${json(choicesOf(other))})`);

  it("are those whose option has the same id and text in both questions", async () => {
    const [first, second] = q1.options;
    const third = { id: "C", text: "The third" };
    if (!first || !second) throw new Error("no options");
    expect(await inCommon({ ...q1, question: "Else?", options: [first, third] })).toEqual([said("A")]);
    expect(await inCommon({ ...q1, options: [first, { ...second, text: "The other" }] })).toEqual([
      said("A"),
    ]);
    expect(await inCommon({ ...q1, questionId: "q2" })).toEqual([]);
    expect(await value(`select answers_in_common(null, ${json(q1)}, ${json(choicesOf(q1))})`)).toEqual([]);
  });
});
