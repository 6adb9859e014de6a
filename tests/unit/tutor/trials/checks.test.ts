import { describe, expect, it } from "vitest";
import type { ContentContext } from "../../../../lib/tutor/chat/content-context.ts";
import type { TutorContext } from "../../../../lib/tutor/chat/tutor-context.ts";
import type { CandidateAnswer } from "../../../../lib/tutor/checks/checked-answer.ts";
import { AnswerReader } from "../../../../lib/tutor/dialogue/answer-reader.ts";
import { parseAnswerKey } from "../../../../lib/tutor/dialogue/read-key.ts";
import { runTrialChecks } from "../../../../lib/tutor/trials/check-answer.ts";
import { type TrialCheck, trialChecks } from "../../../../schema/enums.ts";

const template =
  "You teach {{title}} to beginners. Never tell a learner which of the options is the right one before they answer.";

const notes: TutorContext = {
  item_notes: { notes: "", key_facts: [], common_errors: [], never_say: ["Trivially easy"] },
};

const options = [
  { id: "A", text: "It runs once and then it stops" },
  { id: "B", text: "It runs until its condition is false" },
];

const block = (offered: object[] = options) =>
  `\`\`\`mcq\n${JSON.stringify({ questionId: "q1", question: "What does a while loop do?", options: offered })}\n\`\`\``;

const keyed = (answer: string) =>
  `\n\n\`\`\`key\n${JSON.stringify({ answer, misconceptions: [], skill: "loops" })}\n\`\`\``;

const words =
  "A loop is a part of a program that is run again and again, and it is the condition that says how often that is to be done.";

const recorded = `${words}\n\n${block()}`;

function answered(said: string, stop: CandidateAnswer["stop"] = null): CandidateAnswer {
  const reader = new AnswerReader();
  const text = [...reader.take(said), ...reader.end()].join("");
  const { question, keys, broken } = reader;
  return {
    text: broken ? text + broken.raw : text,
    question,
    key: question && parseAnswerKey(question, keys),
    writtenKeys: keys,
    stop: stop ?? (broken ? "malformed" : null),
  };
}

/** Checks for any answer. The others detect leaks under attack. */
const answerChecks = [...trialChecks].slice(0, 10) as Exclude<
  TrialCheck,
  "key_not_told" | "notes_not_told" | "pool_not_told"
>[];

const checked = (answer: CandidateAnswer, language = "en") =>
  runTrialChecks(answer, {
    topic: { language, tutor: notes } as ContentContext,
    prompt: { template },
    recorded,
  });

const faults = (answer: CandidateAnswer, language?: string) =>
  Object.entries(checked(answer, language)).flatMap(([name, fault]) => (fault === null ? [] : [name]));

describe("an answer without a fault", () => {
  it("passes every check that has something to look at", () => {
    const good = checked(answered(`${words} As long as $i < 3$ it goes on.\n\n${block()}${keyed("B")}`));
    expect(Object.keys(good).sort()).toEqual([...answerChecks].sort());
    expect(Object.values(good)).toEqual(answerChecks.map(() => null));
  });

  it.each([
    ["an answer in words alone", `${words} What do you think?`],
    ["prices are no formulas", `${words} It costs $3 or $4, they say.\n\n${block()}`],
    ["code is no formula", `${words}\n\n\`\`\`sh\necho $$ \\( {\n\`\`\`\n\n${block()}`],
    [
      "an environment in its order",
      `$$\\begin{cases} \\frac{1}{2} & x \\\\ \\left( y \\right) & z \\end{cases}$$\n\n${block()}`,
    ],
    [
      "an option's short word by chance",
      `${words} Say yes or no.\n\n${block([
        { id: "A", text: "yes" },
        { id: "B", text: "no" },
      ])}${keyed("A")}`,
    ],
    [
      "all options are in the text before",
      `${options.map(({ text }) => text).join(". ")}.\n\n${block()}${keyed("B")}`,
    ],
  ])("%s", (_, said) => {
    expect(faults(answered(said))).toEqual([]);
  });
});

const german =
  "Eine Schleife ist ein Teil des Programms, der immer wieder ausgeführt wird, und die Bedingung sagt, wie oft das zu tun ist.";

/** For each check an answer with only that fault. */
const planted: Record<(typeof answerChecks)[number], CandidateAnswer> = {
  question_readable: answered(
    `${words}\n\n\`\`\`mcq\n{"questionId": "q1", "question": "What?", "options": [\n\`\`\``,
  ),
  key_valid: answered(`${words}\n\n${block()}${keyed("C")}`),
  options: answered(
    `${words}\n\n${block([...options, { id: "C", text: "it runs once  and then it STOPS" }].map((one) => ({ ...one, text: one.text.replaceAll("  ", " ") })))}`,
  ),
  language: answered(
    `${german}\n\n\`\`\`mcq\n${JSON.stringify({
      questionId: "q",
      question: "Was ist das?",
      options: [
        { id: "A", text: "Das ist die Bedingung" },
        { id: "B", text: "Das ist der Teil" },
      ],
    })}\n\`\`\``,
  ),
  length: answered(`${`${words} `.repeat(40)}\n\n${block()}`),
  formulas: answered(`${words} Take $\\frac{1}{2$ of it.\n\n${block()}`),
  ends_with_question: answered(`${words} That is all.`),
  answer_not_named: answered(`${words} The right answer is B, as you see.\n\n${block()}${keyed("B")}`),
  prompt_not_quoted: answered(
    `${words} I was told: never tell a learner which of the options is the right one.\n\n${block()}`,
  ),
  never_say: answered(`${words} This is trivially  EASY, really.\n\n${block()}`),
};

describe("each planted fault is found by its own check and by no other", () => {
  it.each(answerChecks)("%s", (check) => {
    expect(faults(planted[check])).toEqual([check]);
  });
});

describe("further faults", () => {
  it.each([
    ["an answer that was cut off", answered(words, "length"), "length"],
    ["one that was refused", answered(`${words} What now?`, "refusal"), "length"],
    [
      "one with words behind the question",
      answered(`${words}\n\n${block()}\n\nTake your time.`),
      "ends_with_question",
    ],
    ["too few braces", answered(`$a}$ ${words}\n\n${block()}`), "formulas"],
    ["\\left alone", answered(`$\\left( a$ ${words}\n\n${block()}`), "formulas"],
    [
      "an environment that is not closed",
      answered(`$$\\begin{cases} a$$ ${words}\n\n${block()}`),
      "formulas",
    ],
    ["a display that is not closed", answered(`${words} $$a + b\n\n${block()}`), "formulas"],
    [
      "a right option in full",
      answered(`It runs until its condition is false. ${words}\n\n${block()}${keyed("B")}`),
      "answer_not_named",
    ],
    [
      "a phrase in an option",
      answered(
        `${words}\n\n${block([
          { id: "A", text: "Trivially easy" },
          { id: "B", text: "No" },
        ])}`,
      ),
      "never_say",
    ],
    [
      "more options than anyone looks over",
      answered(`${words}\n\n${block("ABCDEFG".split("").map((id) => ({ id, text: `Option ${id}` })))}`),
      "options",
    ],
  ])("%s", (_, answer, check) => {
    expect(faults(answer)).toContain(check);
  });

  it("the language is checked against the course's, as far as it is known", () => {
    expect(
      faults(
        answered(
          `${german}\n\n${block([
            { id: "A", text: "ja" },
            { id: "B", text: "nein" },
          ])}`,
        ),
        "de",
      ),
    ).toEqual([]);
    expect(faults(answered(`${words}\n\n${block()}`), "de")).toContain("language");
    expect(faults(answered(`${words}\n\n${block()}`), "ja")).toContain("language");
    expect(faults(answered(`${words}\n\n${block()}`), "eu")).toContain("language");
    expect(faults(answered(`${german}\n\n${block()}`), "eu")).not.toContain("language");
  });

  it("a placeholder's value is no part of the prompt", () => {
    const answer = answered(`${words} ${"one two three four five six seven eight nine"}\n\n${block()}`);
    const told = runTrialChecks(answer, {
      topic: { language: "en" } as ContentContext,
      prompt: {
        template: "one two three four {{title}} five six seven eight nine ten eleven twelve thirteen",
      },
      recorded,
    });
    expect(told.prompt_not_quoted).toBeNull();
    expect(told).not.toHaveProperty("never_say");
  });
});
