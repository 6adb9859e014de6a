import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StorableTextFilter } from "../../../../lib/platform/llm/storable-text.ts";
import { AnswerReader } from "../../../../lib/tutor/dialogue/answer-reader.ts";
import { parseAnswerKey } from "../../../../lib/tutor/dialogue/read-key.ts";
import { formatQuestionBlock } from "../../../../lib/tutor/dialogue/read-question.ts";
import { asked } from "./model-blocks.ts";

const secret = "xyzzy";
const key = { answer: "A", misconceptions: [{ id: "B", text: secret }], skill: secret };
const json = JSON.stringify(key);
/** A key that only its fence distinguishes from other JSON. */
const bare = JSON.stringify({ answer: "A", skill: secret });
const mcq = formatQuestionBlock(asked);

const block = (open: string, content: string, close = open.replaceAll(/[^`~]/g, "")) =>
  `${open}\n${content}\n${close}`;
const prefixed = (prefix: string, text: string, further = prefix) =>
  prefix + text.replaceAll("\n", `\n${further}`);

/** Places of a key, other than the requested separate line. */
const forms: Record<string, string> = {
  "in the middle of a line": `The key: ${block("```key", bare)}`,
  "directly behind a word": `word${block("```key", bare)}`,
  "behind the end of a block": `${mcq}${block("```key", bare)}`,
  "behind the JSON of a block": `${mcq.slice(0, -4)}${block("```key", bare)}`,
  "in a quote": prefixed("> ", block("```key", bare)),
  "in a quote without blanks": prefixed(">", block("```key", bare)),
  "in a quote in a quote": prefixed("> > ", block("~~~key", bare)),
  "in a quote that is left": `> \`\`\`key\n${bare}\n\`\`\``,
  "in a list": prefixed("- ", block("```key", bare), "  "),
  "in a numbered list": prefixed("12. ", block("```key", bare), "    "),
  "in a list in a quote": prefixed("> * ", block("```key", bare), ">   "),
  "with a question, in a quote": prefixed("> ", `${mcq}\n${block("```key", bare)}`),
  "within a question, in a quote": prefixed("> ", block("```mcq", JSON.stringify({ ...asked, key }))),
  "within a question, in the middle of a line": `Now: ${block("```mcq", JSON.stringify({ ...asked, key }))}`,
  "as JSON, in the middle of a line": `Now: ${block("```json", json)}`,
  "without a language, in the middle of a line": `Now: ${block("```", json)}`,
  "far to the right": prefixed(" ".repeat(90), block("```key", bare)),
  "behind a tab": prefixed("\t", block("```key", bare)),
  "behind a blank that cannot be seen": prefixed("\u200b", block("```key", bare)),
  "with a blank that cannot be seen before its name": block("```\u200bkey", bare),
  "with a wide blank before its name": block("```\u00a0key", bare),
  "with tildes": block("~~~key", bare),
  "with ten backticks": block(`${"`".repeat(10)}key`, bare),
  "with fifty backticks": block(`${"`".repeat(50)}key`, bare),
  "with fewer backticks at its end": block("`````key", bare, "```"),
  "in capitals": block("```KEY", bare),
  "with the line ends of Windows": block("```key", bare).replaceAll("\n", "\r\n"),
  "with the line ends of old": block("```key", bare).replaceAll("\n", "\r"),
  "with attributes": block('```key title="for staff" {.hidden}', bare),
  "with attributes in brackets": block("```key{.hidden #a}", bare),
  "with its name as an attribute": block("```{.key}", bare),
  "with its name in brackets": block("```{key}", bare),
  "as JSON that is named a key": block("```json key", bare),
  "named below its fence": block("```", `key\n${bare}`),
  "as an answer key": block("```answer-key", bare),
  "as an answer_key": block("```answer_key", bare),
  "as a key of JSON": block("```key-json", bare),
  "as a key.json": block("```key.json", bare),
  "as keys": block("```keys", bare),
  "in one line": `\`\`\`key ${bare}\`\`\``,
  "in one line, behind words": `Now: \`\`\`key ${bare}\`\`\``,
  "never closed": `\`\`\`key\n${bare}`,
  "never closed, behind words": `Now: \`\`\`key\n${bare}`,
  "with words in place of JSON": block("```key", `The right one is A, since ${secret}.`),
  "within a block of another language": `\`\`\`python\nprint(1)\n${block("```key", bare)}`,
  "at the end of a line of another language": `\`\`\`python\nprint(1) ${block("```key", bare)}`,
  "within a longer block of another language": `\`\`\`\`md\n${block("```key", bare)}\n\`\`\`\``,
  "within a block of text": block("````", block("```key", bare)),
  "behind code among words": `See \`a\`, \`\`b\`\` and \`\`\`c\`\`\`: ${block("```key", bare)}`,
  "behind backticks that nobody closed": `See \`\`\` and ${block("```key", bare)}`,
  "behind an escape": `\\${block("```key", bare)}`,
};

function sentOf(parts: readonly string[]) {
  const reader = new AnswerReader();
  // The border joins surrogate pairs that chunks split.
  const storable = new StorableTextFilter();
  const pieces = parts.flatMap((part) => reader.take(storable.take(part)));
  const text = [...pieces, ...reader.take(storable.rest()), ...reader.end()].join("");
  // Unreadable blocks are shown as written.
  return { text: text + (reader.broken ? reader.broken.raw + reader.broken.after : ""), reader };
}

const named = /(`{3,}|~{3,})[\s\p{Cf}]*(\{\.?)?(answer[-_])?key/iu;

describe("a key in another format than requested", () => {
  it.each(Object.entries(forms))("is not sent: %s, wherever two chunks meet", (_, form) => {
    for (const before of ["", "Think.\n\n"])
      for (const after of ["", "\nTake your time."]) {
        const stream = before + form + after;
        for (let at = 0; at <= stream.length; at += 1) {
          const { text } = sentOf([stream.slice(0, at), stream.slice(at)]);
          if (text.includes(secret) || named.test(text)) expect({ stream, at, text }).toBe("nothing of it");
        }
      }
  });

  it.each(Object.entries(forms))("has no byte on its way: %s", (_, form) => {
    const stream = `Think.\n\n${form}\nTake your time.`;
    const reader = new AnswerReader();
    let sent = "";
    for (const character of stream) {
      sent += reader.take(character).join("");
      expect(sent).not.toContain(secret.slice(0, 2));
      expect(sent).not.toMatch(named);
    }
  });

  it("is not sent by a thousand answers of several of them, cut anywhere", () => {
    const words = [
      "Words.",
      "\n",
      "\n\n",
      " ",
      "`code`",
      "> quoted\n",
      "- ",
      "```\n",
      "~~~\n",
      mcq,
      "```py\n1\n```\n",
    ];
    // In a block of another language, only the name identifies a key.
    const inNamed = Object.values(forms).filter(
      (form) => named.test(form) && !/\{\.?key|json key|```\nkey/.test(form),
    );
    expect(inNamed.length).toBeGreaterThan(30);
    const part = fc.oneof(fc.constantFrom(...words), fc.constantFrom(...inNamed));
    const answer = fc.array(part, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(answer, fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }), (parts, sizes) => {
        const stream = parts.join("");
        const chunks: string[] = [];
        let from = 0;
        for (const size of sizes) {
          chunks.push(stream.slice(from, from + size));
          from += size;
        }
        chunks.push(stream.slice(from));
        expect(sentOf(chunks).text).toBe(sentOf([stream]).text);
        expect(sentOf(chunks).text).not.toContain(secret);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    "in a quote",
    "in a list in a quote",
    "in the middle of a line",
    "behind the JSON of a block",
    "with attributes in brackets",
    "as JSON that is named a key",
    "as a key.json",
    "within a question, in a quote",
  ])("is read all the same: %s", (form) => {
    const { reader } = sentOf([forms[form] as string]);
    expect(parseAnswerKey(asked, reader.keys)).toMatchObject({ answer: "A", skill: secret });
  });

  it("leaves the text after it", () => {
    for (const form of ["in a quote", "in a list", "in the middle of a line", "with ten backticks"])
      expect(sentOf([`${forms[form]}\n\nTake your time.`]).text).toMatch(/\n\nTake your time\.$/);
  });
});

describe("words that only resemble it", () => {
  it.each([
    "The ```key``` of a map.",
    "A `key`, a ``key`` and a ```keyboard in words.",
    "See ```foo``` key by key.",
    '```json\n{"key": "value"}\n```',
    "```yaml\nkey: value\n```",
    "```\nThe key idea\nis this\n```\nand on",
    "Of ```mcq blocks and ```json files.",
  ])("are sent unchanged: %j", (answer) => {
    for (const size of [1, 4, answer.length])
      expect(sentOf(answer.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []).text).toBe(answer);
  });
});
