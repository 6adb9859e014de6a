import type { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { pictureIdsIn } from "../../assessment/question-pictures.ts";
import { decoded } from "./paths.ts";

/* Pictures are stored after a quiz was read, so the text first names their path in the archive. */

const waiting = /\]\(cartridge-picture:([\w.%-]+)\)/g;

/** A picture's placeholder address. */
export const waitingPicture = (path: string): string =>
  `cartridge-picture:${encodeURIComponent(path).replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`;

/** Paths in any text of the question. Pure. */
export const picturePathsIn = (question: QuestionCreate): string[] => [
  ...new Set(Array.from(JSON.stringify(question).matchAll(waiting), ([, path = ""]) => decoded(path))),
];

/**
 * The question with the stored files of its pictures. Undefined if a picture has none, or if its text names
 * another file. Pure.
 */
export function withPictures(
  question: QuestionCreate,
  files: ReadonlyMap<string, number>,
): QuestionCreate | undefined {
  let isLost = false;
  const put = (text: string): string =>
    text.replaceAll(waiting, (_, path: string) => {
      const file = files.get(decoded(path));
      if (file === undefined) isLost = true;
      return `](file:${file})`;
    });
  if (pictureIdsIn(question).length > 0) return undefined;
  const shown = {
    ...question,
    question_text: put(question.question_text),
    options: question.options?.map(({ id, text }) => ({ id, text: put(text) })),
    explanation: question.explanation && put(question.explanation),
  };
  return isLost ? undefined : shown;
}
