import type { Asked, QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { pictureIdsIn } from "../../assessment/question-pictures.ts";
import { type ArchivePageLocation, decodePath, resolveArchiveFile } from "./paths.ts";

/* Pictures are stored after a quiz was read: the text first names their archive path. */

const waiting = /\]\(cartridge-picture:([\w.%-]+)\)/g;

const encoded = (path: string): string =>
  encodeURIComponent(path).replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** A picture's placeholder address. */
export const picturePlaceholderUrl = (path: string): string => `cartridge-picture:${encoded(path)}`;

const written = /(!\[(?:\\.|[^\]\\]){0,500}\])\(([^()\s]{1,1000})\)/g;

/** Names pictures of Markdown that are files of the archive like `picturePlaceholderUrl`. */
export const replacePicturesWithPlaceholders = (text: string, { path, names }: ArchivePageLocation): string =>
  text.replaceAll(written, (whole, caption: string, address: string) => {
    const file = resolveArchiveFile(address, path, names);
    return file === undefined ? whole : `${caption}(${picturePlaceholderUrl(file)})`;
  });

/** Resolves the pictures' archive paths from the folder of an item. */
export function replacePictureIdsWithPaths<Question extends Asked>(
  questions: readonly Question[],
  pathOf: (file: number) => string | undefined,
): Question[] {
  const put = (text: string): string =>
    text.replaceAll(/\]\(file:(\d{1,15})\)/g, (whole, id: string) => {
      const path = pathOf(Number(id));
      return path === undefined ? whole : `](../${path.split("/").map(encoded).join("/")})`;
    });
  return questions.map((question) => ({
    ...question,
    question_text: put(question.question_text),
    options: question.options?.map(({ id, text }) => ({ id, text: put(text) })),
    explanation: question.explanation && put(question.explanation),
  }));
}

/** Paths in any text of the question. Pure. */
export const findPlaceholderPicturePaths = (question: QuestionCreate): string[] => [
  ...new Set(Array.from(JSON.stringify(question).matchAll(waiting), ([, path = ""]) => decodePath(path))),
];

/**
 * With the stored files of its pictures. Undefined if a picture has none, or if its text names another file.
 */
export function replacePlaceholdersWithPictures(
  question: QuestionCreate,
  files: ReadonlyMap<string, number>,
): QuestionCreate | undefined {
  let isLost = false;
  const put = (text: string): string =>
    text.replaceAll(waiting, (_, path: string) => {
      const file = files.get(decodePath(path));
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
