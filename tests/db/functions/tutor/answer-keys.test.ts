import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprint } from "../../../../lib/platform/text/fingerprint.ts";
import { treeAnswersByLearnerForm } from "../../../../lib/tutor/dialogue/choices.ts";
import { classifyLearnerMessage } from "../../../../lib/tutor/dialogue/message-kind.ts";
import { findVariableNames } from "../../../../lib/tutor/prompts/render.ts";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

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

describe("effective_content_fingerprint", () => {
  it("has the surroundings if the prompt names them", async () => {
    const key = (uses: boolean) => value(`select effective_content_fingerprint('item', 'around', ${uses})`);
    expect(await key(false)).toBe("item");
    expect(await key(true)).toMatch(/^[0-9a-f]{64}$/);
    expect(await key(true)).not.toBe(
      await value("select effective_content_fingerprint('item', 'elsewhere', true)"),
    );
  });

  it("of both is made as the service makes it, which says so which answers are live", async () => {
    expect(await value("select effective_content_fingerprint('item', 'around', true)")).toBe(
      fingerprint("itemaround"),
    );
    for (const text of ["", "Größe", "\u{1f600}", "a\nb"])
      expect(await value(`select sha256_hex('${text}')`)).toBe(fingerprint(text));
  });
});

describe("node_key", () => {
  const address = {
    item: "1",
    parent: "null::bigint",
    message: "'a'",
    prompt: "'tutor'",
    version: "1",
    model: "'model'",
    prompt_fingerprint: "'p'",
    content_fingerprint: "'c'",
  };
  const keyOf = (changed: Partial<typeof address> = {}) =>
    value(`select node_key(${Object.values({ ...address, ...changed }).join()})::text`);

  it("depends on each of the eight parts", async () => {
    const keys = [await keyOf()];
    for (const part of Object.keys(address)) {
      const isNumber = ["item", "parent", "version"].includes(part);
      keys.push(await keyOf({ [part]: isNumber ? "7" : "'other'" }));
    }
    expect(new Set(keys).size).toBe(9);
  });

  it.each([
    { one: { prompt: "'a b'", model: "'c'" }, other: { prompt: "'a'", model: "'b c'" } },
    { one: { prompt: "'a''b'", model: "'c'" }, other: { prompt: "'a'", model: "'b''c'" } },
    {
      one: { model: "'c'", message: "'d'" },
      other: { model: "'c d'", message: "''" },
    },
  ])("distinguishes the parts of an address: $one", async ({ one, other }) => {
    expect(await keyOf(one)).not.toBe(await keyOf(other));
  });

  it("is null without a message, and without the fingerprint of a prompt", async () => {
    expect(await keyOf({ message: "null" })).toBeNull();
    expect(await keyOf({ prompt_fingerprint: "null" })).toBeNull();
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
  ])("finds the placeholders of %j", async (text) => {
    const [made] = await rows(
      `insert into prompts (name, version, prompt) values ('tutor', 99, '${text}') returning uses_surroundings`,
    );
    const names = findVariableNames(text);
    expect(made?.["uses_surroundings"]).toBe(
      names.includes("module_title") || names.includes("course_title"),
    );
  });
});

describe("question_identity_hash", () => {
  const same = (one: unknown, other: unknown) =>
    value(`select is_same_question(${json(one)}, ${json(other)})`);

  it("is the id, the text, and each option's id and text, in any order, trimmed and composed", async () => {
    expect(await same(q1, { ...q1, options: q1.options.toReversed() })).toBe(true);
    expect(await same({ ...q1, question: "Caf\u00e9?" }, { ...q1, question: " Cafe\u0301? " })).toBe(true);
    expect(await same(null, null)).toBe(true);
    expect(await value("select question_identity_hash(null)")).toBe("");
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

describe("answer_messages_of_options", () => {
  const offered = (question: object | null) => column(`select answer_messages_of_options(${json(question)})`);

  it("are the answers of a question as the tree stores them", async () => {
    expect(await offered(q1)).toEqual([said("A"), said("B")]);
    expect(await offered(null)).toEqual([]);
  });

  it("are spelled as the service spells them, for any id", async () => {
    const ids = fc.sample(
      fc.string({ unit: "binary", minLength: 1, maxLength: 12 }).filter((id) => !/\p{Cc}/u.test(id)),
      { numRuns: 300, seed: 7 },
    );
    const odd = [
      '"',
      "\\",
      "\\u0041",
      "\u2028",
      "\u007f",
      "\ud83d\ude00",
      "'",
      "</x>",
      "é",
      "e\u0301",
      "1",
      " ",
    ];
    for (const id of [...ids, ...odd].map((one) => one.trim().normalize("NFC")).filter((one) => one !== "")) {
      const question = { ...q1, questionId: id, options: [{ id, text: "One" }] };
      const [kept] = Object.values(treeAnswersByLearnerForm(question)).filter((choice) =>
        choice.startsWith("{"),
      );
      const literal = JSON.stringify(question).replaceAll("'", "''");
      expect(await column(`select answer_messages_of_options('${literal}'::jsonb)`), id).toEqual([kept]);
    }
  });
});

describe("is_start_message", () => {
  it("equals the service's rule, with each kind of blank around it", async () => {
    const blanks = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code + 1)).filter(
      (one) => one.trim() === "" || /[\s\p{Z}\u200b\u2060\u180e]/u.test(one),
    );
    for (const content of ["Start.", "start.", "Start", "", ...blanks.map((one) => `${one}Start.${one}`)])
      expect(
        await value(
          `select is_start_message(${JSON.stringify(content).replace(/^"|"$/g, "'").replace(/^'/, "E'")})`,
        ),
      ).toBe(classifyLearnerMessage(content).kind === "start");
  });
});
