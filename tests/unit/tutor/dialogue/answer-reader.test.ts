import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  AnswerReader,
  findLastQuestion,
  normalizeHandWrittenAnswer,
} from "../../../../lib/tutor/dialogue/answer-reader.ts";
import { formatQuestionBlock } from "../../../../lib/tutor/dialogue/read-question.ts";
import { stepsOf } from "../../../support/counted-steps.ts";
import { asked, brokenForms, readForms } from "./model-blocks.ts";

/** The output for an answer in chunks of so many characters. */
function sentOf(answer: string, size = answer.length) {
  const reader = new AnswerReader();
  const pieces: string[] = [];
  for (let at = 0; at < answer.length; at += size) pieces.push(...reader.take(answer.slice(at, at + size)));
  pieces.push(...reader.end());
  return { text: pieces.join(""), question: reader.question, broken: reader.broken };
}

describe("a question as models write it", () => {
  it.each(Object.entries(readForms))("is read %s, however it is cut", (_, { block, read = asked }) => {
    const answer = `Here is a first question.\n\n${block}`;
    for (const size of [answer.length, 1, 2, 3, 7]) {
      const sent = sentOf(answer, size);
      expect(sent.question).toEqual(read);
      expect(sent.text.startsWith(`Here is a first question.\n\n${formatQuestionBlock(read)}`)).toBe(true);
      expect(findLastQuestion(sent.text)).toEqual(read);
    }
  });

  it.each(Object.entries(brokenForms))("is broken %s, and nothing of it is sent", (_, block) => {
    const answer = `Here is a first question.\n\n${block}\nTake your time.`;
    for (const size of [answer.length, 1, 5]) {
      const sent = sentOf(answer, size);
      expect(sent).toEqual({
        text: "Here is a first question.\n\n",
        question: undefined,
        broken: { gap: "", raw: block, after: "\nTake your time." },
      });
    }
  });
});

/** The question parsed from a block with this content. */
const readFrom = (content: string) => sentOf(`\`\`\`mcq\n${content}\n\`\`\``).question;

/** A block from a model that escapes nothing. */
const unescaped = (question: string, texts = ["one", "two"]) =>
  `{"questionId":"q1","question":"${question}","options":[${texts.map((text, at) => `{"id":"${at}","text":"${text}"}`)}]}`;

describe("a formula in a question", () => {
  it.each([
    "frac",
    "times",
    "beta",
    "nabla",
    "rho",
    "tau",
    "neq",
    "text",
    "nu",
    "bar",
    "right",
    "forall",
    "underline",
    "alpha",
    "sum",
  ])("keeps its \\%s, with one backslash or two", (command) => {
    for (const backslash of ["\\", "\\\\"]) {
      const read = readFrom(
        unescaped(`What is $${backslash}${command}{x}$?`, [`$${backslash}${command}$`, "two"]),
      );
      expect(read?.question).toBe(`What is $\\${command}{x}$?`);
      expect(read?.options[0]?.text).toBe(`$\\${command}$`);
    }
  });

  it("keeps other backslashes, and JSON's escapes stay unchanged", () => {
    expect(readFrom(unescaped("\\(a\\,b\\) \\% \\{1\\}"))?.question).toBe("\\(a\\,b\\) \\% \\{1\\}");
    expect(readFrom(unescaped('say \\"hi\\" \\u00e9 \\/ a\\n\\nb'))?.question).toBe('say "hi" é / a\n\nb');
    expect(readFrom(unescaped("Read:\\n```python\\nx = 1\\n```"))?.question).toBe(
      "Read:\n```python\nx = 1\n```",
    );
  });

  it.each(["\\f", "\\b 1", "\\u0000", "\\u0007", "\\t 1", "\u0007", "\\ud800"])(
    "with %j in it is no question: a control character is a fault",
    (text) => {
      expect(readFrom(unescaped(`Which ${text}?`))).toBeUndefined();
      expect(readFrom(unescaped("Which?", [`a ${text}`, "b"]))).toBeUndefined();
    },
  );
});

describe("the text sent during an answer", () => {
  const sendsUpTo = (answer: string): string => new AnswerReader().take(answer).join("");

  it.each([
    "```mcq\n{",
    "```json\n{",
    "```\n{",
    "~~~mcq\n{",
    "````mcq\n{",
    "  ```mcq\n{",
    "```key\n{",
    "``` JSON\n{",
  ])("is nothing from the first character of %j on", (beginning) => {
    for (let end = 1; end <= beginning.length; end += 1)
      expect(sendsUpTo(`Words.\n${beginning.slice(0, end)}`)).toBe("Words.\n");
  });

  it.each(["```py", "```javascript", "```jsonc", "```jsx", "```mcqs", "```keyboard", "~~~text", "```c"])(
    "is all of %j as soon as its language is known, and nothing in it is read as a question",
    (beginning) => {
      expect(sendsUpTo(`Words.\n${beginning} `)).toBe(`Words.\n${beginning} `);
      const answer = `Words.\n${beginning}\n${JSON.stringify(asked)}\n${beginning.slice(0, 3)}\nMore.`;
      expect(sentOf(answer, 1)).toEqual({ text: answer, question: undefined, broken: undefined });
    },
  );

  it.each([
    "Some `code` and ``more`` and ```inline``` in words.",
    "```inline``` begins a line.\n```mcq``` too.",
    "```\nplain text\n```\nand on",
    '```json\n{"name": "Ada"}\n```',
    '```json\n{"question": "of a survey"}\n```',
    "```\n",
    "``",
    "   ",
    "~~struck~~\n~~~\nnot json\n~~~",
    "````md\n```mcq\n{}\n```\n````\nend",
  ])("is %j unchanged, since no question is meant", (answer) => {
    for (const size of [1, 4, answer.length])
      expect(sentOf(answer, size)).toEqual({ text: answer, question: undefined, broken: undefined });
  });

  it("is no byte of a key, however it ends", () => {
    for (const fence of ["```key\nA\n```\nwords", "```key\nA", "~~~ Key\n{}```", "````key\nA\n```\nwords"]) {
      const sent = sentOf(`Words.\n${fence}`, 1).text;
      expect(["Words.\n", "Words.\n\nwords"]).toContain(sent);
    }
  });

  it("has the last question of an answer, also after a broken one", () => {
    const broken = "```mcq\n{\n```";
    const first = formatQuestionBlock({ ...asked, questionId: "q0" });
    expect(sentOf(`${first}\n${formatQuestionBlock(asked)}`).question).toEqual(asked);
    expect(sentOf(`${broken}\nOnce more.\n${formatQuestionBlock(asked)}\n`)).toEqual({
      text: `\nOnce more.\n${formatQuestionBlock(asked)}\n`,
      question: asked,
      broken: undefined,
    });
    expect(sentOf(`${first}\n${broken}`)).toMatchObject({ question: undefined, broken: { raw: broken } });
  });

  it("reads a question in the last line, after an unclosed fence", () => {
    const answer = `\`\`\`\n\`\`\`mcq ${JSON.stringify(asked)}\`\`\``;
    for (const size of [1, 5, answer.length])
      expect(sentOf(answer, size)).toMatchObject({ question: asked, broken: undefined });
  });

  it("keeps text after an unclosed block", () => {
    const block = formatQuestionBlock(asked).slice(0, -4);
    expect(sentOf(`${block}\n\nTake your time with $\\frac12$.`).text).toBe(
      `${formatQuestionBlock(asked)}\n\nTake your time with $\\frac12$.`,
    );
  });
});

describe("the reader, for any input", () => {
  const forms = [...Object.values(readForms).map(({ block }) => block), ...Object.values(brokenForms)];
  const word = fc.stringMatching(/^[A-Za-z0-9äß$\\{}^_ ,:'"“”`~#/[\]()-]{1,14}$/);

  /** A text without spaces, quotes and escapes. */
  const bare = (text: string) => text.normalize("NFC").replaceAll(/[\s"'“”„\\`]/g, "");

  it("never invents an option, nor a part of one, from changed forms", () => {
    const change = fc.tuple(fc.nat(400), fc.nat(12), fc.oneof(fc.constant(""), word));
    fc.assert(
      fc.property(
        fc.constantFrom(...forms),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        (form, changes) => {
          let block = form;
          for (const [at, length, text] of changes)
            block = block.slice(0, at) + text + block.slice(at + length);
          // Line breaks may have been inserted as escapes.
          const ways = [bare(block), bare(block.replaceAll("\\n", ""))];
          for (const { text } of sentOf(block).question?.options ?? [])
            expect(
              ways.some((way) => way.includes(bare(text))),
              `${text} in ${block}`,
            ).toBe(true);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("reads the very options that were written, in each way to write them, or none", () => {
    const texts = fc.uniqueArray(word, {
      minLength: 2,
      maxLength: 5,
      selector: (text) => text.trim().normalize("NFC"),
    });
    const ways: ((texts: string[]) => string)[] = [
      (all) =>
        JSON.stringify({
          questionId,
          question: "Which?",
          options: all.map((text, at) => ({ id: `o${at}`, text })),
        }),
      (all) => JSON.stringify({ questionId, question: "Which?", options: all }).replace(/]}$/, ",],}"),
      (all) => `{questionId: 'q', question: 'Which?', options: [${all.map((text) => `'${text}'`)}]}`,
      (all) => `{“questionId”: “q”, “question”: “Which?”, “options”: [${all.map((text) => `“${text}”`)}]}`,
      (all) => unescaped("Which?", all),
    ];
    const questionId = "q1";
    /** A quote next to a delimiter always ends the value, and `\n` is a line break. */
    const isOneText = (text: string) => !/\\n|['"“”]\s*[,:\]}/#\\]|[,[{:]\s*['"“”]|\\$/.test(text);
    fc.assert(
      fc.property(texts, fc.constantFrom(...ways), (written, way) => {
        const read = readFrom(way(written));
        if (!read || !written.every(isOneText)) return;
        expect(read.options).toHaveLength(written.length);
        for (const [at, { text }] of read.options.entries())
          expect(bare(written[at] ?? "")).toContain(bare(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("sends the same, however the answer is cut", () => {
    const parts = fc.array(
      fc.oneof(fc.constantFrom(...forms), word, fc.constantFrom("\n", "```", "~~~", " ")),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 9 }), (all, size) => {
        const answer = all.join("\n");
        expect(sentOf(answer, size)).toEqual(sentOf(answer));
      }),
      { numRuns: 500 },
    );
  });

  it("loses nothing of an answer without a block", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }).filter((text) => !/`{3}|~{3}/.test(text)),
        (answer) => {
          expect(sentOf(answer, 1).text).toBe(answer);
        },
      ),
    );
  });

  it.each([
    ["a fence that never ends", "`"],
    ["open brackets", "```mcq\n{[", "{["],
    ["quotes", '```mcq\n{"', '"//"'],
    ["backslashes", '```mcq\n{"a":"', "\\n"],
    ["blanks", " "],
    ["blanks in a block", '```mcq\n{"a"', " "],
    ["fences", "```mcq\n```\n"],
    ["fences of another kind", "```mcq\n{\n~~~\n"],
    ["unclosed questions", "```mcq\n{\n"],
    ["small options", '```mcq\n{"options":[', '"a",'],
    ["comments", '```mcq\n{"a":1', "/*"],
  ])("takes steps in proportion to the answer: %s", async (_, beginning, more = beginning) => {
    const steps = (length: number) =>
      stepsOf(
        "lib/tutor/dialogue/answer-reader.ts",
        ({ AnswerReader }, answer: string) => {
          for (const size of [1, answer.length]) {
            const reader = new AnswerReader();
            for (let at = 0; at < answer.length; at += size) reader.take(answer.slice(at, at + size));
            reader.end();
          }
        },
        beginning + more.repeat(length / more.length),
      );
    // Both exceed the longest block that is parsed as JSON.
    const [short, long] = await Promise.all([steps(21_000), steps(42_000)]);
    expect(short).toBeGreaterThan(21_000);
    expect(long).toBeLessThan(2.2 * short);
  });
});

describe("the question of a stored answer", () => {
  it.each([
    ["at its end", `Think of it.\n\n${formatQuestionBlock(asked)}`],
    ["before other words", `${formatQuestionBlock(asked)}\n\nTake your time.`],
    ["behind words of its line", `Say ${formatQuestionBlock(asked)}`],
    ["in a quote", `> Which?\n> ${formatQuestionBlock(asked).replaceAll("\n", "\n> ")}`],
    ["with the line ends of Windows", formatQuestionBlock(asked).replaceAll("\n", "\r\n")],
    [
      "next to a block of another language",
      `\`\`\`js\n1\n\`\`\`\n${formatQuestionBlock(asked)}\n\`\`\`json\n{}\n\`\`\``,
    ],
    [
      "after another one, as the last",
      `${formatQuestionBlock({ ...asked, questionId: "q0" })}\n${formatQuestionBlock(asked)}`,
    ],
    ["after an unclosed fence", `\`\`\`mcq\n\n\`\`\`\n${formatQuestionBlock(asked)}`],
  ])("is found %s", (_, answer) => {
    expect(findLastQuestion(answer)).toEqual(asked);
  });

  it.each([
    ["no block", "Just words."],
    ["a block of another language", formatQuestionBlock(asked).replace("mcq", "js")],
    ["the name of a block inside a line", "Say it in a ```mcq block, or in ```mcq```."],
    ["a malformed block after a good one", `${formatQuestionBlock(asked)}\n\`\`\`mcq\n{\n\`\`\``],
  ])("is none with %s", (_, answer) => {
    expect(findLastQuestion(answer)).toBeUndefined();
  });

  it("is the one that was read during streaming, however the model wrote it", () => {
    const forms = [...Object.values(readForms).map(({ block }) => block), ...Object.values(brokenForms)];
    const parts = fc.array(
      fc.oneof(fc.constantFrom(...forms), fc.constantFrom("Words.", "\n", "```", "~~~")),
      {
        maxLength: 5,
      },
    );
    fc.assert(
      fc.property(parts, (all) => {
        const { text, question, broken } = sentOf(all.join("\n"));
        const stored = broken ? `${text}${broken.gap}${broken.raw}${broken.after}` : text;
        expect(findLastQuestion(stored)).toEqual(question);
      }),
      { numRuns: 2000 },
    );
  });
});

it("a hand-written answer stays unchanged if its question does, and is rejected if the question would be lost", () => {
  const written = (form: string) => normalizeHandWrittenAnswer(readForms[form]?.block ?? "");
  expect(written("in single quotes")).toEqual({
    text: formatQuestionBlock(asked),
    question: asked,
    words: "",
  });
  expect(written("over many lines")).toMatchObject({
    text: readForms["over many lines"]?.block,
    question: asked,
  });
  expect(normalizeHandWrittenAnswer("Words.")).toEqual({
    text: "Words.",
    question: undefined,
    words: "Words.",
  });
  expect(normalizeHandWrittenAnswer(`First.\n${formatQuestionBlock(asked)}\nThen.\n`)?.words).toBe(
    "First.\n\nThen.",
  );
  for (const block of Object.values(brokenForms)) expect(normalizeHandWrittenAnswer(block)).toBeUndefined();
});
