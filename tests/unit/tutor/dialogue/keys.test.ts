import { describe, expect, it } from "vitest";
import { AnswerReader } from "../../../../lib/tutor/dialogue/answer-reader.ts";
import {
  cutBlockAtPossibleKey,
  formatKeyBlock,
  parseAnswerKey,
} from "../../../../lib/tutor/dialogue/read-key.ts";
import { formatQuestionBlock } from "../../../../lib/tutor/dialogue/read-question.ts";
import { asked } from "./model-blocks.ts";

const secret = "xyzzy";
const key = {
  because: `${secret} solves it: the carry goes to the left`,
  answer: "A",
  misconceptions: [{ id: "B", text: `${secret} goes right` }],
  skill: `${secret} skill`,
};
const json = JSON.stringify(key);
const mcq = formatQuestionBlock(asked);
const bare = mcq.replace(/\n```$/, "");

const fences = (info: string, content: string) => [
  `\`\`\`${info}\n${content}\n\`\`\``,
  `\`\`\`\`${info}\n${content}\n\`\`\`\``,
  `~~~${info}\n${content}\n~~~`,
  `\`\`\` ${info}\n${content}\n\`\`\``,
  `\`\`\`${info}\r\n${content}\r\n\`\`\``,
  `   \`\`\`${info}\n${content}\n   \`\`\``,
  `\`\`\`${info} ${content}\n\`\`\``,
  `\`\`\`${info}\n${content}\`\`\``,
  `\`\`\`${info}\n${content}`,
];

/** Keys as models write them, readable or not. */
const keys = [
  ...fences("key", json),
  ...fences("KEY", JSON.stringify(key, null, 2)),
  ...fences("key", `{answer: 'A', misconceptions: {B: "${secret}"},}`),
  ...fences("key", `The answer is A, ${secret}`),
  ...fences("key", JSON.stringify({ because: secret, answer: "A" })),
  ...fences("solution", JSON.stringify({ because: secret, answer: "A" })),
  ...fences("", `{"because": "${secret} and more`),
  ...fences("json", json),
  ...fences("", `{"answer":"A","misconceptions":["${secret}"`),
  `\`\`\`mcq\n${JSON.stringify({ ...asked, key })}\n\`\`\``,
];
const befores = [
  "",
  "Words.\n\n",
  "`code` and ``` inline ```\n",
  "```python\nprint(1)\n",
  "```python\nprint(1)\n```\n",
];
const questions = ["", `${mcq}\n`, `${mcq}\n\n`, `${bare}\n`];
const afters = ["", "\nTake your time.", `\n${mcq}`, "\n```js\nx\n```"];

const streams = befores
  .flatMap((before) =>
    questions.flatMap((question) =>
      keys.flatMap((one) => afters.map((after) => before + question + one + after)),
    ),
  )
  // A fence without a word ends an open block, and starts none.
  .filter((stream) => !(stream.includes(bare) && stream.includes('misconceptions":["')))
  .slice(0, 1000 + 200);

function sentOf(parts: readonly string[]) {
  const reader = new AnswerReader();
  const text = [...parts.flatMap((part) => reader.take(part)), ...reader.end()].join("");
  return { text: text + (reader.broken ? reader.broken.raw + reader.broken.after : ""), reader };
}

const cut = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

describe("a key", () => {
  it("is never sent, in a thousand streams that are cut at every border", () => {
    expect(streams.length).toBeGreaterThanOrEqual(1000);
    for (const stream of streams)
      for (const size of [1, 7]) {
        const { text } = sentOf(cut(stream, size));
        if (text.includes(secret) || /(```+|~~~) ?key/i.test(text))
          expect({ stream, size, text }).toBe("nothing of it");
      }
  });

  it("is never sent, wherever two chunks of its stream meet", () => {
    for (const stream of streams.filter((_, at) => at % 97 === 0))
      for (let at = 0; at < stream.length; at += 1) {
        const { text } = sentOf([stream.slice(0, at), stream.slice(at)]);
        if (text.includes(secret)) expect({ stream, at, text }).toBe("nothing of it");
      }
  });

  it("leaves the text and the question around it unchanged", () => {
    const { text, reader } = sentOf(cut(`Words.\n\n${mcq}\n\`\`\`key\n${json}\n\`\`\`\n`, 3));
    expect(text).toBe(`Words.\n\n${mcq}\n\n`);
    expect(reader.question).toEqual(asked);
    expect(parseAnswerKey(asked, reader.keys)).toEqual(key);
  });

  it("is part of the tool's call, and not of the question", () => {
    const reader = new AnswerReader();
    expect(reader.ask(JSON.stringify({ ...asked, key })).join("")).toBe(mcq);
    expect(parseAnswerKey(asked, reader.keys)).toEqual(key);
  });

  it("is not sent with a call that cannot be read", () => {
    const reader = new AnswerReader();
    reader.ask(JSON.stringify({ questionId: "q1", question: "Which?", options: [], key }));
    expect(reader.broken?.raw).not.toContain(secret);
    expect(cutBlockAtPossibleKey(`\`\`\`mcq\n{"question": "Which?", "correct": "${secret}"`)).toBe(
      '```mcq\n{"question": "Which?",\n```',
    );
  });

  it.each([
    ["by the option's id", '{"answer":"A"}'],
    ["by the option's text", '{"correct":"To the left"}'],
    ["without case and blanks", '{"answer":" a "}'],
    ["as a list of one", '{"answer":["A"]}'],
    ["as an option", '{"answer":{"id":"A"}}'],
  ])("names the right option %s", (_, written) => {
    expect(parseAnswerKey(asked, [written])?.answer).toBe("A");
  });

  const counted = {
    ...asked,
    options: ["1", "2", "3", "4"].map((text, at) => ({ id: "ABCD".charAt(at), text })),
  };
  const indexes = ["answerIndex", "correct_index", "correctAnswerIndex", "correct option index"];

  it.each(
    indexes.flatMap((name) => [
      [name, 0, "A"],
      [name, 2, "C"],
      [name, "2", "C"],
      [name, [2], "C"],
      [name, "C", "C"],
      // Only an index from one can be as large.
      [name, 4, "D"],
      [name, 5, undefined],
      [name, -1, undefined],
      [name, 1.5, undefined],
    ]),
  )("with %s %j names the option %s by its position", (name, index, id) => {
    const { questionId, question } = counted;
    const options = counted.options.map(({ text }) => text);
    const reader = new AnswerReader();
    reader.ask(JSON.stringify({ questionId, question, options, [String(name)]: index }));
    expect(reader.question).toEqual(counted);
    const blocks = [JSON.stringify({ [String(name)]: index, because: "x" }), ...reader.keys];
    for (const block of blocks) expect(parseAnswerKey(counted, [block])?.answer).toBe(id);
  });

  it.each([
    [{ answer: "C", answer_index: 2 }, "C"],
    [{ answer: "C", answer_index: 3 }, "C"],
    [{ answer: "A", answer_index: 2 }, undefined],
    [{ solution: "It has three sides.", answer_index: 2 }, "C"],
  ])("with a name and an index is undefined if they contradict each other: %j", (written, id) => {
    expect(parseAnswerKey(counted, [JSON.stringify(written)])?.answer).toBe(id);
  });

  it("counts the options of misconceptions in the same way", () => {
    const misconceptions = [{ answer_index: 1, text: "one less" }];
    expect(parseAnswerKey(counted, [JSON.stringify({ answer_index: 2, misconceptions })])).toMatchObject({
      misconceptions: [{ id: "B", text: "one less" }],
    });
  });

  it.each([
    ["no option", '{"answer":"C"}'],
    ["two of them", '{"answer":["A","B"]}'],
    ["nothing", "{}"],
    ["invalid JSON", "A"],
  ])("is undefined if it names %s", (_, written) => {
    expect(parseAnswerKey(asked, [written])).toBeUndefined();
  });

  it.each(["because", "reason", "why", "explanation", "solution"])(
    "has its reason as %s, in at most 1000 characters",
    (name) => {
      expect(
        parseAnswerKey(asked, [JSON.stringify({ [name]: " It\u0000follows. ", answer: "A" })])?.because,
      ).toBe("It follows.");
      expect(
        parseAnswerKey(asked, [JSON.stringify({ [name]: "x".repeat(2000), answer: "A" })])?.because,
      ).toHaveLength(1000);
      expect(parseAnswerKey(asked, ['{"answer":"A"}'])).not.toHaveProperty("because");
    },
  );

  const other = { ...asked, questionId: "other", question: "Another question?" };
  const [one, two] = [formatQuestionBlock(asked), formatQuestionBlock(other)];
  const keyed = (answer: string) => `\`\`\`key\n{"answer":"${answer}","because":"x"}\n\`\`\``;
  const unreadable = '```mcq\n{"question":"Which?","options":[]}\n```';

  it.each([
    ["after it", [one, keyed("A")], "A"],
    ["before it", [keyed("A"), one], "A"],
    ["after its repetition", [one, one, keyed("A")], "A"],
    ["between it and its repetition", [one, keyed("A"), one], "A"],
    ["after a question without a key", [two, one, keyed("A")], "A"],
    ["after another's key", [two, keyed("B"), one, keyed("A")], "A"],
    ["after an unreadable question's key", [unreadable, keyed("B"), one, keyed("A")], "A"],
    ["nowhere, but another's key is before it", [two, keyed("B"), one], undefined],
    ["nowhere, but a key is before another", [keyed("B"), two, one], undefined],
    ["nowhere, but an unreadable question has one", [unreadable, keyed("B"), one], undefined],
    ["nowhere, but the other's fields have one", [two.replace("{", '{"correct":"B",'), one], undefined],
  ])("belongs to the question that it stands by: %s", (_, blocks, answer) => {
    const { reader } = sentOf([blocks.join("\n\nThen:\n\n")]);
    expect(reader.question).toEqual(asked);
    expect(parseAnswerKey(asked, reader.keys)?.answer).toBe(answer);
  });

  it("does not belong to a tool's question if it stands by a block before", () => {
    const { reader } = sentOf([`${two}\n\n${keyed("B")}\n`]);
    reader.ask(JSON.stringify(asked));
    expect(reader).toMatchObject({ question: asked, keys: [] });
  });

  it("stands by an unreadable question, and not by the one before", () => {
    const { reader } = sentOf([[two, keyed("B"), unreadable, keyed("A")].join("\n\n")]);
    expect(parseAnswerKey(asked, reader.keys)?.answer).toBe("A");
  });

  it("has its reason before its answer where the model sees it again", () => {
    expect(formatKeyBlock(key)).toMatch(/^```key\n\{"because":.*"answer":"A"/);
    expect(parseAnswerKey(asked, [formatKeyBlock(key).split("\n")[1] ?? ""])).toEqual(key);
  });

  it("is undefined if two of them differ, and keeps 80 characters of a misconception", () => {
    expect(parseAnswerKey(asked, ['{"answer":"A"}', '{"answer":"B"}'])).toBeUndefined();
    expect(parseAnswerKey(asked, [])).toBeUndefined();
    const long = parseAnswerKey(asked, [
      JSON.stringify({ answer: "A", misconceptions: { B: "x".repeat(200), A: "no" } }),
    ]);
    expect(long?.misconceptions).toEqual([{ id: "B", text: "x".repeat(80) }]);
  });
});
