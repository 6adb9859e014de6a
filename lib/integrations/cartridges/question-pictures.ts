import type { Asked, QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import { pictureIdsIn } from "../../assessment/picture-ids.ts";
import { type ArchivePageLocation, decodePath, resolveArchiveFile } from "./paths.ts";

/* Pictures are stored after a quiz was read: the text first names their archive path. */

const waiting = /\]\(cartridge-picture:([\w.%-]+)\)/g;

const encoded = (path: string): string =>
  encodeURIComponent(path).replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** A picture's placeholder address. */
export const picturePlaceholderUrl = (path: string): string => `cartridge-picture:${encoded(path)}`;

const written = /(!\[(?:\\.|[^[\]\\]){0,500}\])\(([^()\s]{1,1000})\)/g;

/** Names pictures of Markdown that are files of the archive like `picturePlaceholderUrl`. */
export const replacePicturesWithPlaceholders = (text: string, { path, names }: ArchivePageLocation): string =>
  text.replaceAll(written, (whole, caption: string, address: string) => {
    const file = resolveArchiveFile(address, path, names);
    return file === undefined ? whole : `${caption}(${picturePlaceholderUrl(file)})`;
  });

/** The question with all its texts changed. Pure. */
export const mapQuestionTexts = <Question extends Asked>(
  question: Question,
  change: (text: string) => string,
): Question => ({
  ...question,
  question_text: change(question.question_text),
  options: question.options?.map(({ id, text }) => ({ id, text: change(text) })),
  explanation: question.explanation && change(question.explanation),
});

/** Questions whose pictures name files of the archive, from the folder of an item. Pure. */
export const replacePictureIdsWithPaths = <Question extends Asked>(
  questions: readonly Question[],
  pathOf: (file: number) => string | undefined,
): Question[] =>
  questions.map((question) =>
    mapQuestionTexts(question, (text) =>
      text.replaceAll(/\]\(file:(\d{1,15})\)/g, (whole, id: string) => {
        const path = pathOf(Number(id));
        return path === undefined ? whole : `](../${path.split("/").map(encoded).join("/")})`;
      }),
    ),
  );

/** Paths in any text of the question. Pure. */
export const findPlaceholderPicturePaths = (question: Asked): string[] => [
  ...new Set(Array.from(JSON.stringify(question).matchAll(waiting), ([, path = ""]) => decodePath(path))),
];

/**
 * With the stored files of its pictures. Undefined if a picture has none, or if its text names another file.
 */
export function replaceAllPicturePlaceholders(
  question: QuestionCreate,
  files: ReadonlyMap<string, number>,
): QuestionCreate | undefined {
  if (pictureIdsIn(question).length > 0) return undefined;
  const shown = replaceAvailablePicturePlaceholders(question, files);
  return findPlaceholderPicturePaths(shown).length > 0 ? undefined : shown;
}

/** The question with the stored files of its pictures. Pictures without a file stay as they are. Pure. */
export const replaceAvailablePicturePlaceholders = <Question extends Asked>(
  question: Question,
  files: ReadonlyMap<string, number>,
): Question =>
  mapQuestionTexts(question, (text) =>
    text.replaceAll(waiting, (whole, path: string) => {
      const file = files.get(decodePath(path));
      return file === undefined ? whole : `](file:${file})`;
    }),
  );
