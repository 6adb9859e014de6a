import { moveNameInRequest } from "../../lib/tutor/dialogue/move-requests.ts";
import { isMove, type Move } from "../../lib/tutor/dialogue/moves.ts";
import type { MessagesRequest } from "./anthropic-protocol.ts";
import { findTopicScript } from "./tutor-scripts/find-script.ts";
import type { TopicScript } from "./tutor-scripts/script.ts";
import { digression, english, type TutoringTexts } from "./tutoring-texts.ts";
import { spanish } from "./tutoring-texts-es.ts";

type Conversation = Pick<MessagesRequest, "system" | "messages">;

/**
 * The practice tutor's answer to the last message: a greeting, a comment on a choice, help with a question,
 * or a hint that cites the first passage. Like a real model's, the wording varies between calls: `call` is
 * the call's number.
 */
export function tutorAnswer(conversation: Conversation, call: number): string {
  const answer = shortAnswer(conversation, call);
  return isWordy(conversation) ? `${digression}\n\n${answer}` : answer;
}

/** True if the prompt asks for length, a fault that a trial should find. */
const isWordy = ({ system = "" }: Conversation): boolean => /^Answer at great length\.$/m.test(system);

function shortAnswer({ system = "", messages }: Conversation, call: number): string {
  const title = titleIn(system);
  const lesson: Lesson = {
    topic: title ? `“${title}”` : "this topic",
    texts: textsFor(system),
    script: findTopicScript(title),
  };
  const message = messages.at(-1)?.content.trim() ?? "";
  if (message === "Start.") return greeting(lesson, system, call);
  const move = moveNameInRequest(message) ?? "";
  if (isMove(move)) return help(lesson, move, numberOfLastQuestion(messages));
  const choice = choiceOf(message);
  if (choice) return comment(lesson, choice, call);
  return [reply(lesson, messages.length, call), ...cited(lesson.texts, message)].join("\n\n");
}

/** A topic with its language, and its script if it is one of the demonstration's. */
type Lesson = { topic: string; texts: TutoringTexts; script: TopicScript | undefined };

/** In English, except for courses in Spanish. */
const textsFor = (system: string): TutoringTexts =>
  /course's language \(es\b/.test(system) ? spanish : english;

const worded = (wordings: readonly string[], call: number): string => wordings[call % wordings.length] ?? "";

function greeting({ topic, texts, script }: Lesson, system: string, call: number): string {
  const summary = /^- In short: "(.+)"$/m.exec(system)?.[1];
  return [
    worded(texts.welcomes, call).replaceAll("{topic}", topic),
    texts.prepared,
    summary
      ? texts.inShort.replace("{summary}", () => summary)
      : texts.smallSteps.replaceAll("{topic}", topic),
    script?.intro ?? texts.route,
    texts.firstQuestion,
    questionBlock({ topic, texts, script }, 1),
  ].join("\n\n");
}

/** Judges a choice by its question; the next question has the next number. */
function comment(lesson: Lesson, { number, answer }: Choice, call: number): string {
  const { texts } = lesson;
  const { right, because } = practiceQuestion(lesson, number);
  const verdict =
    answer === right
      ? worded(texts.rightChoices, call).replaceAll("{right}", right)
      : worded(texts.wrongChoices, call).replaceAll("{answer}", answer).replaceAll("{right}", right);
  return [`${verdict} ${because}`, texts.further, questionBlock(lesson, number + 1)].join("\n\n");
}

/** Help with the open question, which must not give its answer away. */
function help(lesson: Lesson, move: Move, number: number): string {
  const { topic, texts, script } = lesson;
  const { hint } = practiceQuestion(lesson, number);
  if (move === "@hint" && hint) return `${texts.hintBegins} ${hint}`;
  if (move === "@example" && script) return script.example;
  return texts.helps[move].replaceAll("{topic}", topic);
}

/** The number of the question that the tutor asked last, or 1. */
function numberOfLastQuestion(messages: Conversation["messages"]): number {
  const asked = messages.findLast(({ content }) => content.includes('"questionId":"q'));
  return Number(
    asked?.content
      .match(/"questionId":"q(\d+)"/g)
      ?.at(-1)
      ?.match(/\d+/)?.[0] ?? 1,
  );
}

function reply({ topic, texts, script }: Lesson, turns: number, call: number): string {
  const hint = script?.answer ?? worded(texts.socraticHints, Math.floor(turns / 2));
  return `${worded(texts.encouragements, call)} ${hint}`.replaceAll("{topic}", topic);
}

/** Mentions context after the learner's message: their results and the first passage. */
function cited(texts: TutoringTexts, message: string): string[] {
  const tried = message.includes("\n--- What the learner did") ? [texts.tried] : [];
  const [, mark, title] = /^(\[§\d+\]) (.+)$/m.exec(message) ?? [];
  if (!mark) return tried;
  return [...tried, texts.cited.replace("{title}", () => title ?? "").replace("{mark}", mark)];
}

type Choice = { number: number; answer: string };

/** `{"questionId": "q2", "answer": "B"}` is the choice B in question 2; anything else is none. */
function choiceOf(message: string): Choice | undefined {
  const { questionId, answer, type } = parseObject(message);
  if (typeof questionId !== "string" || answer === undefined || type === "followup") return undefined;
  return { number: Number(/\d+/.exec(questionId)?.[0] ?? 1), answer: String(answer).trim() };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function questionBlock(lesson: Lesson, number: number): string {
  const { topic } = lesson;
  const { question, options, right, believed, skill, because } = practiceQuestion(lesson, number);
  const block = {
    questionId: `q${number}`,
    question: question.replaceAll("{topic}", topic),
    options: Object.entries(options).map(([id, text]) => ({ id, text })),
  };
  const misconceptions = Object.entries(believed).map(([id, text]) => ({ id, text }));
  const key = { because, answer: right, misconceptions, skill };
  return [fenced("mcq", block), fenced("key", key)].join("\n\n");
}

const fenced = (info: string, value: object): string => `\`\`\`${info}\n${JSON.stringify(value)}\n\`\`\``;

/** Questions are numbered from 1 and repeat. */
function practiceQuestion({ texts, script }: Lesson, number: number) {
  const questions = script?.questions ?? texts.practiceQuestions;
  const question = questions[(Math.max(number, 1) - 1) % questions.length];
  if (!question) throw new Error("The practice tutor has no questions");
  return question;
}

/** The topic's title in the tutor's prompt, without the content type in parentheses. */
const titleIn = (system: string): string | undefined =>
  /^- Topic: "(.+)"(?: \([^()]*\))?$/m.exec(system)?.[1];
