import { expect, it } from "vitest";
import { messageText } from "../../../../lib/platform/llm/provider.ts";
import { conversationMessages, type Exchange } from "../../../../lib/tutor/chat/history.ts";
import { moveRequest } from "../../../../lib/tutor/dialogue/move-requests.ts";

const question = {
  questionId: "q1",
  question: "Which?",
  options: ["A", "B"].map((id) => ({ id, text: `Option ${id}` })),
};
const key = { answer: "A", misconceptions: [{ id: "B", text: "Looks right" }], skill: null };
const block = `\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\``;
const choice = '{"answer":"B","questionId":"q1"}';

const exchanges: Exchange[] = [
  { question: "Start.", answer: `Welcome.\n\n${block}`, key },
  { question: "@hint", move: "@hint", answer: "Look closer.", key: null },
  { question: choice, answer: block, key: null },
  { question: "Why?", answer: "```mcq\n{broken\n```" },
];
const last = { message: choice, context: "\n\n--- Context" };
const messagesOf = (hasTool: boolean, of = exchanges, end = last) =>
  conversationMessages(of, end, { hasTool, language: "en" });

it("without the tool, a history has the questions and keys as blocks", () => {
  expect(messagesOf(false).map(({ content }) => content)).toEqual([
    "Start.",
    `Welcome.\n\n${block}\n\n\`\`\`key\n${JSON.stringify(key)}\n\`\`\``,
    moveRequest("@hint", "en"),
    "Look closer.",
    choice,
    block,
    "Why?",
    "```mcq\n{broken\n```",
    `${choice}\n\n--- Context`,
  ]);
  for (const message of messagesOf(false)) expect(Object.keys(message)).toEqual(["role", "content"]);
});

it("with the tool, each question is a call, and the learner's next message has its result", () => {
  const none = "The learner chose no option.";
  const [first, second] = ["ask000000", "ask000002"];
  expect(messagesOf(true)).toEqual([
    { role: "user", content: "Start." },
    { role: "assistant", content: "Welcome.", call: { id: first, name: "ask", input: { ...question, key } } },
    { role: "user", content: moveRequest("@hint", "en"), result: { id: first, content: none } },
    { role: "assistant", content: "Look closer." },
    { role: "user", content: choice },
    { role: "assistant", content: "", call: { id: second, name: "ask", input: question } },
    { role: "user", content: "Why?", result: { id: second, content: none } },
    { role: "assistant", content: "```mcq\n{broken\n```" },
    { role: "user", content: `${choice}\n\n--- Context` },
  ]);
});

it("a choice of the question just asked is its result alone, with context behind it", () => {
  const asked = exchanges.slice(0, 1);
  const end = (context: string) => messagesOf(true, asked, { message: choice, context }).at(-1);
  const result = { id: "ask000000", content: choice };
  expect(end("")).toEqual({ role: "user", content: "", result });
  expect(end("\n\n--- Context")).toEqual({ role: "user", content: "--- Context", result });
});

it("counts all that the model reads", () => {
  const texts = messagesOf(true).map(messageText).join("\n");
  for (const told of ["Welcome.", "Option A", "Looks right", "chose no option", "--- Context"])
    expect(texts).toContain(told);
});
