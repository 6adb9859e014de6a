import { expect, it } from "vitest";
import { checkRequiredQuestionAsked } from "../../../../lib/tutor/checks/question-asked.ts";

const asked = (text: string) => checkRequiredQuestionAsked({ text, writtenKeys: [], stop: null }, "any");

it.each([
  "What is a loop?",
  "什么是循环？",
  "ما هي الحلقة؟",
  "Τι είναι ένας βρόχος;",
  "Ποιο είναι το **τέλος**;",
  "ループとは何ですか。",
  "何が終わりを決めますか",
  "반복문은 언제 끝날까요.",
  "무엇이 조건입니까",
  "ลูปสิ้นสุดเมื่อไร",
  "คุณคิดว่าอะไรหยุดลูป",
  "Ի՞նչ է ցիկլը։",
  "ሉፕ ምንድን ነው፧",
])("a question in the way of its language is found: %s", (text) => {
  expect(asked(text)).toBeNull();
});

it.each([
  "A loop repeats its body.",
  "循环会重复。",
  "Ένας βρόχος επαναλαμβάνεται.",
  "ループは繰り返します。",
  "반복문은 반복합니다.",
  "ลูปทำงานซ้ำ",
  "One; two; three.",
])("a statement is none: %s", (text) => {
  expect(asked(text)).toBe("The answer asks no question");
});
