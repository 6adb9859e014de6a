import { fileTypeFromBuffer } from "file-type";
import { decodeText } from "../readers/decode-text.ts";

/** How many of a file's first bytes its kind is told by. */
export const bytesForKind = 8192;

/** What text that is no more than text may call itself. */
const textKinds =
  /^(text\/(?!html)[\w.+-]+|application\/(json|x-ndjson|yaml|x-yaml|toml|x-sh|sql|x-tex|x-latex))$/;

/**
 * The media type of what begins with these bytes: by a detector, and of text, which has no signature, by what was said of
 * it where that is a kind of text. A name is never looked at. Pure.
 */
export async function kindOf(first: Uint8Array, said: string): Promise<string> {
  const found = await fileTypeFromBuffer(first).catch(() => undefined);
  const text = textIn(first);
  const markup = text === undefined ? undefined : markupIn(text);
  if (markup) return markup;
  if (found) return found.mime;
  if (text === undefined) return "application/octet-stream";
  const plain = said.split(";")[0]?.trim().toLowerCase() ?? "";
  return textKinds.test(plain) ? plain : "text/plain";
}

/** HTML and SVG, which a browser would run: they may stand behind blanks and comments. */
function markupIn(text: string): string | undefined {
  const head = text.slice(0, 4096).toLowerCase();
  if (/<svg[\s>]/.test(head)) return "image/svg+xml";
  return /<(!doctype html|html|head|body|script|iframe|title|style)[\s>]/.test(head)
    ? "text/html"
    : undefined;
}

/** What bytes say that are text as people write it, in UTF-8 or in UTF-16 that says so; the last sign may be cut. */
function textIn(bytes: Uint8Array): string | undefined {
  const text = decodeText(bytes, { isCut: true });
  return /[\0\ufffd]/.test(text) ? undefined : text;
}
