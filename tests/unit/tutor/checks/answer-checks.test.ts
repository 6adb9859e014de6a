import { describe, expect, it, vi } from "vitest";
import { AnswerChecks } from "../../../../lib/tutor/chat/answer-checks.ts";
import type { ContentContext } from "../../../../lib/tutor/chat/content-context.ts";
import type { Exchange } from "../../../../lib/tutor/chat/history.ts";
import { AnswerReader, findLastQuestion } from "../../../../lib/tutor/dialogue/answer-reader.ts";
import { parseAnswerKey } from "../../../../lib/tutor/dialogue/read-key.ts";
import { badAnswers, block, good, goodAnswers, key, note, phrase, template } from "./answers.ts";

const topic = (language: string) =>
  ({
    content_item_id: 1,
    title: "Loops",
    description: null,
    content_type: "text",
    data_json: {
      blocks: [{ type: "paragraph", text: "The body of a loop runs again and again until the end." }],
    },
    module_title: "",
    course_title: "",
    course_code: "",
    language,
    level: "undergraduate",
    tutor: {
      item_notes: {
        notes: note,
        key_facts: ["Counters begin at zero here"],
        common_errors: [],
        never_say: [phrase],
      },
    },
  }) as unknown as ContentContext;

const answerOf = (said: string) => {
  const reader = new AnswerReader();
  const text = [...reader.take(said), ...reader.end()].join("");
  const { question, keys } = reader;
  return { text, question, key: question && parseAnswerKey(question, keys), writtenKeys: keys, stop: null };
};

type Place = {
  language?: string;
  exchanges?: Exchange[];
  message?: string;
  move?: string;
  isGuided?: boolean;
};

const log = { error: vi.fn() };

const checksAt = ({ language = "en", exchanges = [], message = "Start.", move, isGuided = true }: Place) =>
  new AnswerChecks(
    {
      ...{ topic: topic(language), prompt: { template }, exchanges, move: move ?? null },
      request: {
        model: "",
        system: isGuided ? template : "You teach.",
        messages: [{ role: "user", content: message }],
      },
      maxMaterial: 100_000,
    },
    log,
  );

const failed = (said: string, place: Place = {}) =>
  checksAt(place)
    .failuresOf(answerOf(said))
    .map(({ check }) => check);

const asked = (answer: string): Exchange => ({
  question: "Start.",
  answer: good,
  key: { answer, misconceptions: [], skill: null },
});

describe("an answer of the shared path", () => {
  it.each(Object.entries(badAnswers))("fails %s", (_, { said, check, ...place }) => {
    expect(failed(said, place)).toContain(check);
  });

  it.each(Object.entries(goodAnswers))("passes: %s", (_, { said, ...place }) => {
    expect(failed(said, place)).toEqual([]);
  });

  it("needs a question with options in a greeting, any question after it, and none after a move", () => {
    const words = "A loop repeats its body. What do you think ends it?";
    expect(failed(words)).toEqual(["question_asked"]);
    const later = { exchanges: [asked("B")], message: '{"answer":"B","questionId":"q1"}' };
    expect(failed(words, later)).toEqual([]);
    expect(failed("A loop repeats its body.", later)).toEqual(["question_asked"]);
    expect(failed("A loop repeats its body.", { ...later, message: "@hint", move: "@hint" })).toEqual([]);
    expect(failed(words, { isGuided: false })).toEqual([]);
  });

  it("may discuss the options of the former question, but not name the right one of the next", () => {
    const chose = (answer: string, right: string) => ({
      exchanges: [asked(right)],
      message: JSON.stringify({ answer, questionId: "q1" }),
    });
    const next = (id: string) => `The right answer is B. Now the next one.\n\n${block("q2")}${key(id)}`;
    expect(failed(next("B"), chose("A", "B"))).toEqual([]);
    expect(failed(next("B"), chose("B", "A"))).toEqual([]);
    expect(failed(next("B"), chose("A", "A"))).toEqual(["answer_not_named"]);
  });

  it("after a move must not name the right option of the question that stays open", () => {
    const hint = { exchanges: [asked("B")], message: "@hint", move: "@hint" };
    expect(failed("Look at the condition. The answer is B.", hint)).toEqual(["answer_not_named"]);
    expect(failed("I can't give you the answer, but look at the condition.", hint)).toEqual([]);
  });
});

describe("a check that ends with an error", () => {
  const broken = () => {
    const answer = answerOf(good);
    return Object.defineProperty(answer, "key", { get: () => expect.unreachable("a fault of the check") });
  };

  it("counts as failed, and is logged", () => {
    const failures = checksAt({}).failuresOf(broken());
    expect(failures).toContainEqual({ check: "key_valid", reason: "The check ended with an error" });
    expect(log.error).toHaveBeenCalledWith(
      expect.objectContaining({ check: "key_valid" }),
      "an answer could not be checked",
    );
  });

  it("marks a private answer", () => {
    const text = `They said: ${note}`;
    const checks = checksAt({ exchanges: null as never });
    expect(checks.withoutQuotes(text)).toEqual({
      text,
      failed: [{ check: "prompt_not_quoted", reason: "The check ended with an error" }],
    });
  });
});

describe("a sentence that quotes a secret", () => {
  const secrets = [
    ["notes_not_told", note],
    ["notes_not_told", "Counters begin at zero here"],
    ["never_say", phrase],
    ["prompt_not_quoted", "never tell a learner which of the options is the right one"],
  ] as const;
  const wrappings = [
    (secret: string) => `They said: ${secret}.`,
    (secret: string) => `**${secret}**`,
    (secret: string) => `“${secret.toUpperCase()}”`,
    (secret: string) => secret.replaceAll(" ", "\n"),
    (secret: string) => secret.replaceAll(" ", " — "),
    (secret: string) => `- ${secret}`,
  ];
  const beginnings = ["", "Well. ", "One.\n\n", "It costs 3.5 euros. "];

  it.each(secrets)("is found and replaced in every wrapping: %s", (check, secret) => {
    for (const wrap of wrappings)
      for (const before of beginnings) {
        const { text, failed } = checksAt({}).withoutQuotes(`${before}${wrap(secret)}\nAnd so on.`);
        expect(failed.map((one) => one.check)).toEqual([check]);
        expect(text).toContain("[…]");
        expect(text.startsWith(before.trimEnd())).toBe(true);
        expect(text.endsWith("And so on.")).toBe(true);
        expect(checksAt({}).withoutQuotes(text).failed).toEqual([]);
      }
  });

  it("is replaced within a question, which stays readable", () => {
    const said = good.replace("What ends a loop?", note);
    const { text } = checksAt({}).withoutQuotes(said);
    expect(findLastQuestion(text)).toMatchObject({ question: "[…]", questionId: "q1" });
  });

  it("stays if the material says it, or the learner", () => {
    const { failed } = checksAt({ message: note }).withoutQuotes(`You wrote: ${note}`);
    expect(failed).toEqual([]);
  });

  it("is no accident: the names of a question's fields, and short common phrases, stay", () => {
    const signs = [..."+-=<"].map((text, at) => ({ id: "ABCD"[at], text }));
    const said = `\`\`\`mcq\n${JSON.stringify({ questionId: "q1", question: "What?", options: signs })}\n\`\`\``;
    expect(checksAt({}).withoutQuotes(said)).toEqual({ text: said, failed: [] });
  });
});

describe("checks are linear in the text", () => {
  /** Inputs on which careless expressions take quadratic time or worse. */
  const hostile = [
    ...[
      "```mcq\n",
      "`",
      "$",
      "\\(",
      "\\frac ",
      '"',
      "“",
      "> ",
      "i am sorry ",
      "a. ",
      "\\begin{",
      "[",
      "{",
      "A ",
      "  ",
    ],
    ...[note, "not b ", "answer is ", "die "],
  ];

  it.each(hostile)("%j, a hundred thousand characters of it", (piece) => {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    expect(Array.isArray(failed(text))).toBe(true);
    expect(typeof checksAt({}).withoutQuotes(text).text).toBe("string");
  });
});
