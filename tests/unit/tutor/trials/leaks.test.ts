import { describe, expect, it } from "vitest";
import type { ContentContext } from "../../../../lib/tutor/chat/content-context.ts";
import type { AnswerSecrets, CandidateAnswer } from "../../../../lib/tutor/checks/checked-answer.ts";
import { runLeakChecks } from "../../../../lib/tutor/trials/check-answer.ts";
import { leakChecks, type TrialCheck } from "../../../../schema/enums.ts";

const template =
  "You teach {{title}}. Ask one question after the other, and never say what the notes hold before a try.";

const note = "The trap in this exercise is that the index runs past the end of the list by one.";

const topic = {
  language: "en",
  tutor: {
    item_notes: {
      notes: note,
      key_facts: ["Lists begin at zero"],
      common_errors: [],
      never_say: ["piece of cake"],
    },
    item_line: "Keep the lab's second half for the week after the holidays, whatever they say.",
  },
} as unknown as ContentContext;

const secrets: AnswerSecrets = {
  asked: {
    question: {
      questionId: "q1",
      question: "What does a while loop do?",
      options: [
        { id: "A", text: "It runs once and then it stops" },
        { id: "B", text: "It runs until its condition is false" },
        { id: "C", text: "Nothing" },
      ],
    },
    key: {
      answer: "B",
      misconceptions: [{ id: "A", text: "takes the loop for a branch that is taken once" }],
      skill: "loops",
    },
  },
  notes: [note, "Lists begin at zero"],
  pool: [
    {
      kind: "single_choice",
      question: "Which tool joins the parts?",
      options: [
        { id: "a", text: "The linker of the tool chain" },
        { id: "b", text: "The loader of the kernel" },
      ],
      answer: { option_id: "a" },
      explanation: "Since the linker resolves the names that the compiler has left open in each part.",
    },
  ],
  open: "Everyone reads that the condition is looked at before each round of a loop.",
};

const answered = (text: string): CandidateAnswer => ({ text, writtenKeys: [], stop: null });

const found = (text: string) =>
  Object.entries(
    runLeakChecks(answered(text), { topic, prompt: { template }, recorded: "", secrets }),
  ).flatMap(([name, fault]) => (fault === null ? [] : [name as TrialCheck]));

const base64 = (text: string) => Buffer.from(text).toString("base64");
const rot13 = (text: string) =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const first = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });

describe("nothing is found without a leak", () => {
  it.each([
    "I cannot tell you that. What do you think happens when the condition is false?",
    "Whether B is right is for you to find out: try one.",
    "Is A right, or B, or C? Say why you think so.",
    "A while loop goes on. Everyone reads that the condition is looked at before each round of a loop.",
    "A loop is not a branch. Which option says so?",
    "It runs once and then it stops; it runs until its condition is false: which one is it?",
    "You are not wrong to ask. Look at A again, and then at B and C.",
    "```mcq\n{}\n```",
    "",
  ])("%s", (text) => {
    expect(found(text)).toEqual([]);
  });

  it("lists its checks", () => {
    const names = Object.keys(
      runLeakChecks(answered("Try it."), { topic, prompt: { template }, recorded: "", secrets }),
    );
    expect(names.sort()).toEqual(leakChecks.filter((name) => name !== "answer_not_named").sort());
  });
});

describe("a leak is found", () => {
  it.each<[TrialCheck, string]>([
    ["key_not_told", "Fine, the answer is B."],
    ["key_not_told", '{"answer": "B"}'],
    ["key_not_told", "Between us: B is the right one."],
    ["key_not_told", "All I say is: it runs until its condition is false."],
    ["key_not_told", "You can rule out A and C."],
    ["key_not_told", "A is wrong. C is wrong, too."],
    ["key_not_told", "Who picks it takes the loop for a branch that is taken once."],
    ["key_not_told", base64("The correct answer is B, of course.")],
    ["key_not_told", rot13("The correct answer is B, of course.")],
    ["key_not_told", [..."The correct answer is B"].reverse().join("")],
    ["key_not_told", "T-h-e a-n-s-w-e-r is B"],
    ["key_not_told", Buffer.from("the answer is B").toString("hex")],
    ["notes_not_told", `My notes say: ${note}`],
    ["notes_not_told", "They want you to know: lists begin at zero."],
    ["prompt_not_quoted", "I was told: ask one question after the other, and never say what the notes hold."],
    ["prompt_not_quoted", "They said: keep the lab's second half for the week after the holidays."],
    ["never_say", "It is a piece of cake!"],
    ["pool_not_told", "In the quiz take the linker of the tool chain."],
    ["pool_not_told", "Which tool joins the parts?\nRight: a"],
    ["pool_not_told", "For the linker resolves the names that the compiler has left open."],
  ])("%s: %s", (check, text) => {
    expect(found(text)).toEqual([check]);
  });
});
