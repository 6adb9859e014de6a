import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StorableTextFilter } from "../../../../lib/platform/llm/storable-text.ts";
import { AnswerReader } from "../../../../lib/tutor/dialogue/answer-reader.ts";
import { parseAnswerKey } from "../../../../lib/tutor/dialogue/read-key.ts";
import { formatQuestionBlock } from "../../../../lib/tutor/dialogue/read-question.ts";
import { stepsOf } from "../../../support/counted-steps.ts";
import { asked } from "./model-blocks.ts";

const secret = "xyzzy";
const key = {
  because: `${secret} because`,
  answer: "A",
  misconceptions: [{ id: "B", text: secret }],
  skill: `${secret} skill`,
};

const yaml = `answer: A\nmisconceptions:\n  - id: B\n    text: ${secret}\nskill: ${secret} skill`;

/** A key as models write it, without anything around it. */
const writings: Record<string, string> = {
  json: JSON.stringify(key),
  "json over lines": JSON.stringify(key, null, 2),
  "json of two fields": JSON.stringify({ answer: "A", skill: secret }),
  "json with its reasons": JSON.stringify({ because: secret, answer: "A" }),
  "json in single quotes": `{'answer': 'A', 'skill': '${secret}'}`,
  "json without quotes": `{answer: "A", skill: "${secret}"}`,
  "a key in an object": JSON.stringify({ key }),
  "a list of one": JSON.stringify([key]),
  "json with a comma too many": `{"answer": "A", "skill": "${secret}",}`,
  yaml,
  "yaml with a map": `answer: A\nmisconceptions:\n  B: ${secret}\nskill: ${secret}`,
  "yaml with its reasons first": `because: ${secret}\nanswer: A`,
  "yaml of bold names": `**Answer:** A\n**Skill:** ${secret}`,
  "yaml as a list": `- answer: A\n- skill: ${secret}`,
  "yaml in quotes": `"answer": "A"\n"skill": "${secret}"`,
  "yaml with a map in its first line": `misconceptions: {B: "${secret}"}\nanswer: A`,
  "numbered fields": `1. Answer: A\n2. Skill: ${secret}`,
  "fields of TOML": `answer = "A"\nskill = "${secret}"`,
  "rows of a table": `| Answer | A |\n| Skill | ${secret} |`,
  "fields with wide colons": `Answer\uff1a A\nSkill\uff1a ${secret}`,
  headings: `### Answer\nA\n### Skill\n${secret}`,
  "elements of XML": `<key><answer>A</answer><skill>${secret}</skill></key>`,
  "elements of XML over lines": `<answer>A</answer>\n<misconception id="B">${secret}</misconception>`,
  "attributes of XML": `<key answer="A" skill="${secret} > x"/>`,
  "attributes of HTML": `<div data-answer='A' data-skill='${secret}'></div>`,
  "JSON5 with a comment": `{/* for staff */ answer: 'A', skill: '${secret}',}`,
  "json escaped for HTML": JSON.stringify(key).replaceAll('"', "&quot;"),
  "json escaped for HTML by numbers": JSON.stringify(key).replaceAll('"', "&#34;"),
  "json in a string": JSON.stringify(key).replaceAll('"', '\\"'),
  "json in wide characters": `\uff5b\uff02answer\uff02\uff1a\uff02A\uff02,\uff02skill\uff02\uff1a\uff02${secret}\uff02\uff5d`,
  "json in guillemets": `{«answer»: «A», «skill»: «${secret}»}`,
  "json with invisible characters in its names": `{"ans\u200bwer": "A", "ski\u00adll": "${secret}"}`,
  "json with escapes in its names": `{"\\u0061nswer": "A", "\\u0073kill": "${secret}"}`,
  "json with brackets in single quotes": `{'answer': 'A', 'because': 'a}', 'skill': '${secret}'}`,
  "json with an explanation": JSON.stringify({ correct_answer: "A", explanation: secret }),
  "json with the option's id": JSON.stringify({ correctOptionId: "A", misconceptions: { B: secret } }),
  "json in German": JSON.stringify({ antwort: "A", begründung: secret }),
  "json in Spanish": JSON.stringify({ respuesta: "A", habilidad: secret }),
  "json with an index": JSON.stringify({ correct_index: 0, explanation: secret }),
  "json of misconceptions alone": JSON.stringify({ misconceptions: [{ id: "B", text: secret }] }),
  "an array of PHP": `['answer' => 'A', 'skill' => '${secret}']`,
  "a list of pairs": `[["answer", "A"], ["skill", "${secret}"]]`,
  "a hash of Ruby": `{ :answer => "A", :skill => "${secret}" }`,
  "a table of Lua": `{ answer = "A", skill = "${secret}" }`,
  "fields behind emoji": `✅ Answer: A\n🎯 Skill: ${secret}`,
  "fields of a checklist": `- [x] Answer: A\n- [ ] Skill: ${secret}`,
  "lettered fields": `(a) answer: A\n(b) skill: ${secret}`,
  "bold headings": `**Answer**\nA\n\n**Skill**\n${secret}`,
  "headings with emoji": `### ✅ Answer\nA\n### Skill\n${secret}`,
  "a block of YAML with an empty line": `because: |\n  ${secret} one\n\n  ${secret} two\nanswer: A`,
  "elements of a namespace": `<k:key><k:answer>A</k:answer><k:skill>${secret}</k:skill></k:key>`,
  "elements with a reason": `<solution><correct>A</correct><why>${secret}</why><skill>${secret}</skill></solution>`,
  "json without an answer's name": JSON.stringify({ key: "A", skill: secret }),
  "fields of CSV": `answer,A\nskill,"${secret}"`,
  "fields of CSV with semicolons": `correct_answer;A\nskill;${secret}`,
  "fields with tabs": `answer\tA\nskill\t${secret}`,
  "fields with arrows": `Answer -> A\nSkill → ${secret}`,
  "fields with dashes": `- Answer – A\n- Skill - ${secret}`,
  "a header of CSV": `answer,misconceptions,skill\nA,"B: ${secret}",${secret}`,
  "a header of CSV with the question": `question_id;answer;because\nq1;A;${secret}`,
  "a header of Markdown": `| Question | Answer | Skill |\n| --- | --- | --- |\n| q1 | A | ${secret} |`,
  "rows of HTML": `<table><tr><td>answer</td><td>A</td></tr><tr><td>skill</td><td>${secret}</td></tr></table>`,
  "cells of HTML in lines": `<table class="key">\n<tr>\n  <td>answer</td>\n  <td>A</td>\n</tr>\n<tr>\n  <td>skill</td>\n  <td>${secret}</td>\n</tr>\n</table>`,
  "rows of HTML below the question": `<table><tr><td style="color: red">Question</td><td>q1</td></tr><tr><th>Answer</th><td>A</td></tr><tr><th>Because</th><td>${secret}</td></tr></table>`,
  "a header of HTML": `<table><tr><th>Answer</th><th>Skill</th></tr><tr><td>A</td><td>${secret}</td></tr></table>`,
  "a list of HTML": `<ul><li><b>Answer:</b> A</li><li><b>Skill:</b> ${secret}</li></ul>`,
  "definitions of HTML": `<dl><dt>Answer</dt><dd>A</dd><dt>Skill</dt><dd>${secret}</dd></dl>`,
  "a paragraph of HTML": `<p>Answer: A<br>Skill: ${secret}</p>`,
  "an object for each field": `{"answer": "A"} {"skill": "${secret}"}`,
  "objects in lines": `{"answer": "A"}\n{"because": "${secret}"}\n{"skill": "${secret}"}`,
  "letters with blanks": `a n s w e r : A\ns k i l l : ${secret}`,
  "letters with dots in json": `{"a.n.s.w.e.r": "A", "s.k.i.l.l": "${secret}"}`,
  "a list of tuples": `[("answer", "A"), ("skill", "${secret}")]`,
  "definitions of Markdown": `Answer\n: A\n\nSkill\n: ${secret}`,
  "names in lines of their own": `Answer\nA\n\nSkill\n${secret}`,
  "a query": `?answer=A&skill=${secret}`,
  "a caption": `![answer: A; skill: ${secret}](key.png)`,
  "mathematical letters": `𝐚𝐧𝐬𝐰𝐞𝐫: A\n𝐬𝐤𝐢𝐥𝐥: ${secret}`,
  "a sentence": `Staff may note that it is answer: A, skill: ${secret}, as always.`,
};

/** What models write around a key. */
const wrappings: Record<string, (written: string) => string> = {
  "nothing around it": (written) => written,
  "a fence of text": (written) => `\`\`\`text\n${written}\n\`\`\``,
  "a fence of answer": (written) => `\`\`\`answer\n${written}\n\`\`\``,
  "a fence of yaml": (written) => `\`\`\`yaml\n${written}\n\`\`\``,
  "a fence of json": (written) => `\`\`\`json\n${written}\n\`\`\``,
  "a fence of javascript": (written) => `\`\`\`js\n${written}\n\`\`\``,
  "tildes of text": (written) => `~~~text\n${written}\n~~~`,
  "four backticks": (written) => `\`\`\`\`text\n${written}\n\`\`\`\``,
  "a label": (written) => `Key:\n${written}`,
  "a bold label": (written) => `**Key:**\n${written}`,
  "a heading": (written) => `### Answer key\n\n${written}`,
  "a tag": (written) => `<key>\n${written}\n</key>`,
  "a tag with attributes": (written) => `<answer hidden="true">\n${written}\n</answer>`,
  "a comment": (written) => `<!--\n${written}\n-->`,
  details: (written) => `<details><summary>Key</summary>\n\n${written}\n</details>`,
  "an unclosed fence": (written) => `\`\`\`text\n${written}`,
};

/** Wrappings within a line, for what is written in one line. */
const inLine: Record<string, (written: string) => string> = {
  "one backtick": (written) => `The key: \`${written}\`.`,
  "two backticks": (written) => `The key: \`\`${written}\`\`.`,
  bold: (written) => `**${written}**`,
  "a label in the line": (written) => `**Key:** ${written}`,
  "a word": (written) => `word${written}`,
  brackets: (written) => `(${written})`,
  "a tag in the line": (written) => `<key>${written}</key>`,
  "a table": (written) => `| Key | ${written} |`,
  "a list": (written) => `- ${written}`,
  "a quote": (written) => `> ${written}`,
};

const forms = Object.entries(writings).flatMap(([name, written]) => [
  ...Object.entries(wrappings).map(([how, wrap]): [string, string] => [`${name} in ${how}`, wrap(written)]),
  ...(written.includes("\n") ? [] : Object.entries(inLine)).map(([how, wrap]): [string, string] => [
    `${name} in ${how}`,
    wrap(written),
  ]),
]);

const ask = { ...asked, key };
const args = JSON.stringify(ask);

/** Calls of the tool `ask`, as servers return them that do not parse them. */
const calls: Record<string, string> = {
  "Hermes and Qwen": `<tool_call>\n{"name": "ask", "arguments": ${args}}\n</tool_call>`,
  "Qwen in one line": `<tool_call>{"name":"ask","arguments":${args}}</tool_call>`,
  Llama: `<|python_tag|>{"name": "ask", "parameters": ${args}}`,
  "Llama with a function tag": `<function=ask>${args}</function>`,
  Mistral: `[TOOL_CALLS][{"name": "ask", "arguments": ${args}}]`,
  "Mistral with arguments": `[TOOL_CALLS]ask[ARGS]${args}`,
  "Chat Completions": `{"type":"function","function":{"name":"ask","arguments":${JSON.stringify(args)}}}`,
  "a fence of json": `\`\`\`json\n{"name": "ask", "arguments": ${args}}\n\`\`\``,
  "a fence of tool_code": `\`\`\`tool_code\nask(${args})\n\`\`\``,
  "a list of calls": `{"tool_calls":[{"function":{"name":"ask","arguments":${args}}}]}`,
  "the arguments alone": args,
  Python: `ask(questionId="q1", question='${asked.question}', options=${JSON.stringify(asked.options)}, key=${JSON.stringify(key)})`,
  "Python in a list": `[functions.ask(\n  key=${JSON.stringify(key)},\n  ${Object.entries(asked)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(",\n  ")})]`,
  "the arguments with the key's fields among them": JSON.stringify({ ...asked, ...key }),
  Cohere: `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "ask", "parameters": ${args}}]<|END_ACTION|>`,
  "an action": `{"action": "ask", "action_input": ${args}}`,
  "an input": `<invoke name="ask">{"tool":"ask","input":${args}}</invoke>`,
};

function sentOf(parts: readonly string[]) {
  const reader = new AnswerReader();
  // The border joins surrogate pairs that chunks split.
  const storable = new StorableTextFilter();
  const pieces = [
    ...parts.flatMap((part) => reader.take(storable.take(part))),
    ...reader.take(storable.rest()),
  ];
  const text = [...pieces, ...reader.end()].join("");
  return { text: text + (reader.broken ? reader.broken.raw + reader.broken.after : ""), reader };
}

const characters = (text: string) => [...text];

describe("a key, however it is written", () => {
  it("is written in two hundred forms", () => {
    expect(forms.length).toBeGreaterThan(200);
  });

  it.each(forms)("is not sent as %s, a character at a time", (_, form) => {
    for (const stream of [
      form,
      `Think.\n\n${form}\nTake your time.`,
      `${formatQuestionBlock(asked)}\n\n${form}`,
    ]) {
      const whole = sentOf([stream]).text;
      expect(whole).not.toContain(secret);
      expect(sentOf(characters(stream)).text).toBe(whole);
    }
  });

  it("is not sent below another one that is written in a line of its name", () => {
    const object = `{"answer": "A", "skill": "${secret}"}`;
    expect(sentOf([`**Key:** ${object}\n\n**Answer:** A\n**Skill:** ${secret}\n\n`]).text).not.toContain(
      secret,
    );
  });

  it("is not sent in objects of one field each, whichever is first", () => {
    const [answer, others] = ['{"answer": "A"}', `{"misconceptions": [{"id": "B", "text": "${secret}"}]}`];
    for (const stream of [`${answer} ${others}`, `${others}\n\n${answer}`, `${others}, ${answer}\nThink.`])
      for (const chunks of [[stream], characters(stream)])
        expect(sentOf(chunks).text).not.toMatch(/xyzzy|"A"/);
  });

  it.each(["", "Think. ", "```text\n", "(", "Key: "])("is not sent in Base64 behind %j", (before) => {
    for (const written of [JSON.stringify(key), JSON.stringify(key, null, 2), JSON.stringify([key]), yaml]) {
      const base64 = Buffer.from(written).toString("base64");
      for (const encoded of [base64, base64.replaceAll(/.{76}/g, "$&\n")]) {
        const stream = `${before}${encoded}\nGo on.`;
        for (const chunks of [[stream], characters(stream)]) {
          const { text } = sentOf(chunks);
          for (const line of encoded.split("\n")) expect(text).not.toContain(line.slice(0, 12));
          expect(text).toContain("Go on.");
        }
      }
    }
  });

  it("is not sent, wherever an answer of several is cut, and whatever is around them", () => {
    const words = [
      "Words.",
      "\n",
      "\n\n",
      " ",
      "`code`",
      "$\\frac{1}{2}$ ",
      "{x: x > 0} ",
      "<b>bold</b> ",
      "[link](a) ",
    ];
    const part = fc.oneof(
      fc.constantFrom(...words),
      fc.constantFrom(...forms.map(([, form]) => `\n\n${form}\n\n`)),
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), sizes, (parts, cuts) => {
        const stream = parts.join("");
        const chunks: string[] = [];
        let from = 0;
        for (const size of cuts) {
          chunks.push(stream.slice(from, from + size));
          from += size;
        }
        chunks.push(stream.slice(from));
        const { text } = sentOf(chunks);
        expect(text).not.toContain(secret);
        expect(text).toBe(sentOf([stream]).text);
      }),
      { numRuns: 500 },
    );
  });

  /** Only withheld: the model is asked for the key again. */
  const unread =
    /reasons|index|alone|pairs|PHP|Ruby|Lua|emoji|checklist|lettered|bold headings|block of YAML|header|dots|cells|a sentence|tuples|definitions|names in lines|query|caption/;

  it.each(Object.keys(writings).filter((name) => !unread.test(name)))("is read as a key: %s", (name) => {
    const { reader } = sentOf([`${formatQuestionBlock(asked)}\n\n${writings[name]}\n`]);
    expect(parseAnswerKey(asked, reader.keys)?.answer).toBe("A");
  });

  it("has its misconceptions and its skill read from lines of fields", () => {
    const { because: _, ...written } = key;
    expect(parseAnswerKey(asked, sentOf([`${formatQuestionBlock(asked)}\n\n${yaml}`]).reader.keys)).toEqual(
      written,
    );
    const reasoned = sentOf([`${formatQuestionBlock(asked)}\n\nbecause: ${key.because}\n${yaml}`]).reader;
    expect(parseAnswerKey(asked, reasoned.keys)).toEqual(key);
  });

  it("is not sent where the answer was cut within it", () => {
    // One field in a line of its own may be any text.
    const others = Object.entries(writings).filter(
      ([name]) => !/^yaml with (its reasons|a map in its)|block of YAML|^elements with a reason/.test(name),
    );
    for (const [, written] of others) {
      const from = written.indexOf(secret);
      for (let end = from + secret.length; end <= written.length; end += 1)
        expect(sentOf([`Think.\n\n${written.slice(0, end)}`]).text).not.toContain(secret);
    }
  });
});

describe("a call of the tool that is written as text", () => {
  it.each(Object.entries(calls))("is read as the call: %s", (_, call) => {
    for (const stream of [call, `Think.\n\n${call}`]) {
      for (const chunks of [[stream], characters(stream)]) {
        const { text, reader } = sentOf(chunks);
        expect(text).not.toContain(secret);
        expect(reader.question).toEqual(asked);
        expect(parseAnswerKey(asked, reader.keys)).toEqual(key);
        expect(text).toContain(formatQuestionBlock(asked));
      }
    }
  });
});

describe("other text", () => {
  it.each([
    "The set {x : x > 0} has no least element, and {y} has one.",
    '$\\frac{a}{b}$ and \\text{"a"} and \\{1, 2\\}',
    '```js\nconst point = { x: 1, y: "two" };\n\nfunction f() {\n  return { a: [1, { b: 2 }] };\n}\n```',
    "```css\nbody { color: red; }\n```",
    'A JSON object: {"name": "Ada", "born": 1815}',
    "Answer: yes.\nThen go on.",
    "Key: a thing that opens.\n\nSkills: none.",
    "Because: it rains, we stay.",
    "### Answer\n\nThe limit exists.\n\n### Example\n\nTake 1/x.",
    "**Answer:**\nIt depends.\n\n**Explanation:** on x.",
    "1. First, ask(x) a friend. 2. Call f(answer=1) and dict(a=1).",
    "Ask them (all = 3) and a key (one = 1).",
    'See <a href="https://a.example/?answer=1">this</a> and x <y and "z.',
    "| Word | Meaning |\n| - | - |\n| key | opens |",
    '{"key": "C", "reason": "sharp"}',
    "(a) First, (b) then. 🎯 Goal: answer it.\n→ Next",
    '["one", "two"] and [[1, 2], [3, 4]] and { x = 1 } and {:a => 1}',
    "A set {\u2019a\u2019, b} and f\u2019s {x: y\u2019 > 0}.",
    "An open bracket { x: and its end is far away",
    "`code` and ``more`` <b>bold</b> and a < b",
    "| a | b |\n| - | - |\n| 1 | 2 |",
  ])("is sent as it is: %j", (text) => {
    expect(sentOf([text]).text).toBe(text);
    expect(sentOf(characters(text)).text).toBe(text);
  });

  it("is sent while an open bracket may still close, as soon as an empty line shows that it is text", () => {
    const reader = new AnswerReader();
    expect(reader.take('A bracket { x: "open\n\nMore text.\n').join("")).toContain("More text.");
  });

  it("takes steps that grow as the answer does", async () => {
    const steps = (size: number) =>
      stepsOf(
        "lib/tutor/dialogue/answer-reader.ts",
        ({ AnswerReader }, parts: string, times: number) => {
          for (const part of JSON.parse(parts) as string[]) {
            const reader = new AnswerReader();
            for (let at = 0; at < times; at += 1) reader.take(part);
            reader.end();
          }
        },
        JSON.stringify(["{a: ", '{"answer": ', "answer: x\n", "skill: x\n\n", "[{", "`<", "<tag ", "{\n\n"]),
        size,
      );
    const [few, many] = await Promise.all([steps(1000), steps(4000)]);
    expect(many / few).toBeLessThan(8);
  });
});
