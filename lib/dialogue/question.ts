import * as z from "zod";
import type { Question } from "../../schema/question.ts";
import { spokenAnswer } from "./spoken-answer.ts";

/** A fenced block of the kind that the tutor's prompt asks for; the last one of an answer is its question. */
const fence = /^ {0,3}```mcq[^\S\n]*\n([\s\S]*?)\n {0,3}```[^\S\n]*$/gm;

const Name = z.union([z.string(), z.number()]).transform((value) => String(value).trim().normalize("NFC"));

/** What the model wrote into the block, checked: at least two options, no two of one id, nothing of them blank. */
const Written = z
  .object({
    questionId: Name.pipe(z.string().min(1).max(128)),
    question: z.string().trim().min(1),
    options: z
      .array(z.object({ id: Name.pipe(z.string().min(1).max(128)), text: Name.pipe(z.string().min(1)) }))
      .min(2)
      .max(26)
      .refine((options) => new Set(options.map(({ id }) => id)).size === options.length),
  })
  .transform(({ questionId, question, options }): Question => ({ questionId, question, options }));

/** The multiple-choice question that an answer of the tutor asks; undefined when it holds none, or a malformed one. */
export function questionIn(answer: string): Question | undefined {
  if (!answer.includes("```mcq")) return undefined;
  const block = [...answer.matchAll(fence)].at(-1)?.[1];
  if (block === undefined) return undefined;
  try {
    return Written.safeParse(JSON.parse(block)).data;
  } catch {
    return undefined;
  }
}

/**
 * What a learner may answer to a question: from the normal form of each answer, an option's id or its text, to the
 * normal form under which the tree keeps what follows, which is that of the id. An id wins over another option's text.
 */
export function choicesOf({ questionId, options }: Question): Record<string, string> {
  const spelled = (answer: unknown) => spokenAnswer(questionId, answer);
  const byText = options.map(({ id, text }) => [spelled(text), spelled(id)]);
  const byId = options.map(({ id }) => [spelled(id), spelled(id)]);
  const byNumber = options.flatMap(({ id }) => (isNumber(id) ? [[spelled(Number(id)), spelled(id)]] : []));
  return Object.fromEntries([...byText, ...byNumber, ...byId]);
}

/** Ids such as 2, which clients may send as numbers. */
const isNumber = (id: string): boolean => String(Number(id)) === id && Number.isFinite(Number(id));
