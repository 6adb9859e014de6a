import { readFileSync } from "node:fs";

/** Strings and comments of TypeScript, so a comment's mark in a string is not one. */
const tokens = {
  ts: /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|(?:^|[^\S\n])\/\/.*(?:\n[^\S\n]*\/\/.*)*/gm,
  sql: /'(?:[^']|'')*'|--.*(?:\n[^\S\n]*--.*)*/g,
};

/** The paragraphs of a file's comments, or of a Markdown page without code, tables and headings. */
export function paragraphsOf(file: string, text = readFileSync(file, "utf8")): string[] {
  if (file.endsWith(".md"))
    return text
      .replaceAll(/^```[\s\S]*?^```$/gm, "\n")
      .replaceAll(/^(#|\||<!--).*$/gm, "\n")
      .replaceAll(/^ *(?:[-*]|\d+\.) /gm, "\n\n")
      .split(/\n{2,}/);
  const found = text.match(file.endsWith(".sql") ? tokens.sql : tokens.ts) ?? [];
  return found
    .filter((token) => /^\s*(\/[/*]|--)/.test(token))
    .flatMap((comment) =>
      comment
        .replaceAll(/^\s*(?:\/\/+|--+|\/\*+|\*+(?!\/))|\*\/$/gm, "")
        .replaceAll(/^ *(?:[-*]|\d+\.) /gm, "\n\n")
        .split(/\n\s*\n/),
    );
}

export const sentencesOf = (paragraphs: readonly string[]): string[] =>
  paragraphs
    .flatMap((paragraph) => paragraph.replaceAll(/\s+/g, " ").split(/(?<=[.?!]["”’)]?) /))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\w \S/.test(sentence));

/** True if the subject of a sentence is a clause: "Whoever asks is told". A question is none. */
export const beginsWithFreeRelative = (sentence: string): boolean =>
  /^[*_"“(]*(?:Who|Whom|Whose|What|Where|Which)(?:so)?(?:ever)?\b/.test(sentence) && !sentence.endsWith("?");

export const wordsOf = (text: string): string[] =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
