import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReasoningFilter } from "../../../../lib/platform/llm/reasoning-filter.ts";
import { parseReasoningPairs } from "../../../../lib/platform/validation/reasoning-tags.ts";
import { stepsOf } from "../../../support/counted-steps.ts";

const further = parseReasoningPairs("{{plan}} {{/plan}}, <ponder> </ponder>") ?? [];

/** The output for an answer split at this size. */
function said(answer: string, { isUnopened = false, size = answer.length } = {}): string {
  const spoken = new ReasoningFilter({ isUnopened, pairs: further });
  let text = "";
  for (let at = 0; at < answer.length; at += size) text += spoken.take(answer.slice(at, at + size));
  return text + spoken.rest();
}

it.each([
  ["<think>secret</think>Hello.", "Hello."],
  [" \n<THINK>secret</THINK>\n\nHello.", "Hello."],
  ["<thinking>secret</thinking>Hello.", "Hello."],
  ["<think>secret</think>\n<think>more</think>\nHello.", "Hello."],
  ["<think>never closed", ""],
  ["<think>a < b </thin </think>Hello.", "Hello."],
  ['<think type="deep">secret</think >Hello.', "Hello."],
  ["<thinking>a <think>b</think> c</thinking>Hello.", "Hello."],
  ["Hello.\n<think>never closed", "Hello.\n"],
  ["Hello <think>secret</think>again.", "Hello again."],
  ["What do you <think>?", "What do you <think>?"],
  ["What do you <think>? And <reasoning>secret</reasoning>?", "What do you <think>? And ?"],
  ["<thought>secret</thought>Hello.", "Hello."],
  ["<reasoning>secret</reasoning>Hello.", "Hello."],
  ["<seed:think>secret</seed:think>Hello.", "Hello."],
  ["[THINK]secret[/THINK]Hello.", "Hello."],
  ["<scratchpad>secret</scratchpad>Hello.", "Hello."],
  ["<analysis>\nsecret\n</analysis>\n\nHello.", "Hello."],
  ["<inner_monologue>secret</inner_monologue>Hello.", "Hello."],
  ["<unused94>thought\nsecret<unused95>Hello.", "Hello."],
  ["[unused16]secret[unused17]Hello.", "Hello."],
  ["<|thought_begin|>secret<|thought_end|>Hello.", "Hello."],
  ["Write <analysis> first.", "Write <analysis> first."],
  ["◁think▷secret◁/think▷Hello.", "Hello."],
  ["<|begin_of_thought|>secret<|end_of_thought|><|begin_of_solution|>Hello.<|end_of_solution|>", "Hello."],
  ["<|channel>thought\nsecret<channel|>Hello.", "Hello."],
  [
    "<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>Hello.<|return|>",
    "Hello.",
  ],
  ["<|channel|>commentary<|message|>secret<|channel|>final<|message|>Hello.", "Hello."],
  ["<|channel|>analysis<|message|>never closed", ""],
  ["<|channel|>commentary to=functions.ask <|constrain|>json<|message|>{}<|call|>", "{}"],
  ["{{plan}}secret{{/plan}}Hello.", "Hello."],
  ["<ponder>secret</ponder>Hello.", "Hello."],
  ["<|im_start|>assistant\nHello.<|im_end|>", "Hello."],
  ["<|start_header_id|>assistant<|end_header_id|>\n\nHello.<|eot_id|>", "Hello."],
  ["<start_of_turn>model\nHello.<end_of_turn>", "Hello."],
  ["<s>[INST] Hello. [/INST]</s>", "Hello. "],
  ["<｜begin▁of▁sentence｜>Hello.<｜end▁of▁sentence｜>", "Hello."],
  ["Hello.<|endoftext|>", "Hello."],
  ["f <| x |> g, a <- b, [link](a) and 1 < 2", "f <| x |> g, a <- b, [link](a) and 1 < 2"],
  ["<strong>bold</strong> <span>", "<strong>bold</strong> <span>"],
  ["İ <b> ı", "İ <b> ı"],
  ["<thin ice>", "<thin ice>"],
  ["<thi", "<thi"],
  ["  Hello.", "  Hello."],
  ["", ""],
])("of %j returns %j, for all chunks", (answer, expected) => {
  for (const size of [1, 2, 3, 5, answer.length || 1]) expect(said(answer, { size })).toBe(expected);
});

it.each([
  ["secret</think>Hello.", "Hello."],
  ["<think>secret</think> Hello.", "Hello."],
  ["secret[/THINK]Hello.", "Hello."],
  ["secret, and no end", ""],
])("of %j, if the model begins inside its thinking, returns %j", (answer, expected) => {
  for (const size of [1, 2, answer.length]) expect(said(answer, { isUnopened: true, size })).toBe(expected);
});

it.each(["<a>", "<a> </a> <b>", "a b", ""])(
  "the pairs of marks in %j are read, if each is a pair",
  (setting) => {
    expect(parseReasoningPairs(setting)).toEqual(setting === "" ? [] : undefined);
  },
);

it("loses nothing of an answer without marks", () => {
  const words = fc.constantFrom("<", ">", "[", "]", "think", "</", "|", " ", "\n", "a", "◁", "{", "<b>");
  const marks = /<\/?s>|<[|｜][^\s<>|｜]+[|｜]>|<(think|ponder|channel)|\[(THINK|think)\]/i;
  const text = fc
    .oneof(
      fc.string(),
      fc.array(words).map((parts) => parts.join("")),
    )
    .filter((one) => !marks.test(one));
  fc.assert(
    fc.property(text, (answer) => {
      expect(said(answer, { size: 1 })).toBe(answer);
    }),
  );
});

const secret = "xyzzy";
const pairs = [
  ...["think", "thinking", "thought", "reasoning", "seed:think"].flatMap((name) => [
    [`<${name}>`, `</${name}>`],
    [`<${name} effort="high">`, `</${name}>`],
    [`<${name.toUpperCase()}>`, `</${name.toUpperCase()}>`],
  ]),
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|channel>thought\n", "<channel|>"],
  ["<|channel|>analysis<|message|>", "<|end|>"],
  [
    "<|start|>assistant<|channel|>analysis<|message|>",
    "<|end|><|start|>assistant<|channel|>final<|message|>",
  ],
  ["{{plan}}", "{{/plan}}"],
];

describe("reasoning", () => {
  it("never leaves, between any pair and wherever it is cut, and all other text does", () => {
    const spoken = fc.constantFrom("Hello. ", "a < b ", "\n", "[link](x) ", "<b>bold</b> ", "|>");
    const thought = fc
      .tuple(fc.constantFrom(...pairs), fc.constantFrom(secret, `\n${secret}\n`, `a < b ${secret} </b> [x]`))
      .map(([[open, close], text]) => `${open}${text}${close}`);
    const parts = fc.array(fc.oneof(spoken, thought), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 40 }), (answer, size) => {
        const stream = answer.join("");
        const text = said(stream, { size });
        expect(text).not.toContain(secret);
        expect(text.trimStart()).toBe(
          answer
            .filter((part) => !part.includes(secret))
            .join("")
            .trimStart(),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("takes steps that grow as the answer does", async () => {
    const steps = (size: number) =>
      stepsOf(
        "lib/platform/llm/reasoning-filter.ts",
        ({ ReasoningFilter }, parts: string, times: number) => {
          for (const part of JSON.parse(parts) as string[]) {
            const spoken = new ReasoningFilter({ isUnopened: false, pairs: [] });
            for (let at = 0; at < times; at += 1) spoken.take(part);
            spoken.rest();
          }
        },
        JSON.stringify([
          "</thin",
          "<think",
          "a <think> ",
          "<|",
          "[THINK]",
          " <|channel|>",
          "a <think> <thought> ",
        ]),
        size,
      );
    const [few = 0, many = 0] = await Promise.all([steps(500), steps(2000)]);
    expect(many / few).toBeLessThan(6);
  });
});
