import { hasKeyLines, isKeyedQuestionShape, isKeyShape } from "./secret-shapes.ts";

/** Base64 of an object's or a key's first characters. */
const beginnings = [
  ...["eyA", "eyI", "eyJ", "eyd", "ew0", "ewk", "ewo", "W3s"],
  ...["e2F", "e2J", "e2N", "e2V", "e2l", "e2t", "e21", "e3F", "e3J", "e3N"],
  ...["YW5zd2", "QW5zd2", "YmVjYX", "QmVjYX", "c2tpbG", "U2tpbG", "bWlzY2", "TWlzY2", "Y29ycm", "Q29ycm"],
];
const maxEncodedBeginningCharacters = 6;
const minEncodedKeyCharacters = 20;
const maxEncodedKeyCharacters = 8000;

/** Also in lines as mail has them, or PEM. */
const run = /^(?:(?:[\w+/-]{76}|[\w+/-]{64})\r?\n){0,200}[\w+/-]{1,8000}={0,2}/;
const fullLine = /(?:^|\n)(?:[\w+/-]{76}|[\w+/-]{64})$/;

/** "more" if the text may become a key in Base64. */
export function encodedKeyAt(
  text: string,
  at: number,
  isEnd: boolean,
): { keyEnd: number; content: string } | "more" | undefined {
  const head = text.slice(at, at + maxEncodedBeginningCharacters);
  if (!beginnings.some((one) => head.startsWith(one)))
    return !isEnd && beginnings.some((one) => one.startsWith(head)) ? "more" : undefined;
  const held = text.slice(at, at + maxEncodedKeyCharacters);
  const [found = ""] = run.exec(held) ?? [];
  const isWrapped = fullLine.test(found) && /^\r?\n?$/.test(held.slice(found.length));
  if (!isEnd && held.length < maxEncodedKeyCharacters && (found.length === held.length || isWrapped))
    return "more";
  const content = found.length < minEncodedKeyCharacters ? "" : decoded(found);
  const isSecret = isKeyShape(content) || hasKeyLines(content) || isKeyedQuestionShape(content);
  return isSecret ? { keyEnd: at + found.length, content } : undefined;
}

function decoded(base64: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64, "base64"));
  } catch {
    return "";
  }
}
