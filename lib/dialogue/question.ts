import * as z from "zod";
import type { Question } from "../../schema/question.ts";
import { looseAnswer, spokenAnswer } from "./spoken-answer.ts";

/** A fenced block of the kind that the tutor's prompt asks for: its first line, and the one that ends it. */
const opening = /^ {0,3}```mcq\s*$/;
const closing = /^ {0,3}```\s*$/;

/** A text that the database can hold. */
const Text = z.string().refine((text) => text.isWellFormed() && !text.includes("\u0000"));

const Name = z.union([Text, z.number()]).transform((value) => String(value).trim().normalize("NFC"));

/** What the model wrote into the block, checked: at least two options, no two of one id, nothing of them blank. */
const Written = z
  .object({
    questionId: Name.pipe(z.string().min(1).max(128)),
    question: Text.trim().min(1),
    options: z
      .array(z.object({ id: Name.pipe(z.string().min(1).max(128)), text: Name.pipe(z.string().min(1)) }))
      .min(2)
      .max(26)
      .refine((options) => new Set(options.map(({ id }) => id)).size === options.length),
  })
  .transform(({ questionId, question, options }): Question => ({ questionId, question, options }));

/** The multiple-choice question that an answer of the tutor asks; undefined when it holds none, or a malformed one. */
export function questionIn(answer: string): Question | undefined {
  const block = answer.includes("```mcq") ? lastBlock(answer) : undefined;
  if (block === undefined) return undefined;
  try {
    return Written.safeParse(JSON.parse(block)).data;
  } catch {
    return undefined;
  }
}

/** What stands in the last block that is closed again; one look at each line, however many fences there are. */
function lastBlock(answer: string): string | undefined {
  const lines = answer.split("\n");
  let block: string | undefined;
  let begin: number | undefined;
  for (const [number, line] of lines.entries()) {
    if (begin === undefined) {
      if (opening.test(line)) begin = number + 1;
    } else if (closing.test(line)) {
      block = lines.slice(begin, number).join("\n");
      begin = undefined;
    }
  }
  return block;
}

/** Which way of making choices a node's are of; those of another are made anew. */
export const choicesVersion = "2";

/**
 * What a learner may answer to a question: from the normal form of each answer, an option's id or its text, to the
 * normal form under which the tree keeps what follows, which is that of the id. An id wins over another option's text.
 * Beside them stands each loose form that fits one option alone.
 */
export function choicesOf({ questionId, options }: Question): Record<string, string> {
  const choices = (answers: readonly unknown[], id: string) =>
    spellings(questionId).flatMap((question) =>
      answers.map((answer) => [spokenAnswer(question, answer), spokenAnswer(questionId, id)]),
    );
  return Object.fromEntries([
    ["version", choicesVersion],
    ...looseChoices({ questionId, options }),
    ...options.flatMap(({ id, text }) => choices([text], id)),
    ...options.flatMap(({ id }) => choices(spellings(id), id)),
  ]);
}

function looseChoices({ questionId, options }: Pick<Question, "questionId" | "options">): [string, string][] {
  const fitting = new Map<string, Set<string>>();
  for (const { id, text } of options)
    for (const answer of [id, text]) {
      const form = looseAnswer(questionId, answer);
      if (form) fitting.set(form, (fitting.get(form) ?? new Set()).add(id));
    }
  return [...fitting].flatMap(([form, [id, ...others]]): [string, string][] =>
    id === undefined || others.length > 0 ? [] : [[form, spokenAnswer(questionId, id)]],
  );
}

/** An id, and one such as 2 also as a number: the model may have written it so, and a client may send it so. */
const spellings = (id: string): (string | number)[] =>
  String(Number(id)) === id && Number.isFinite(Number(id)) ? [id, Number(id)] : [id];
