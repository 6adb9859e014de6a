import { fileTypeFromBuffer } from "file-type";
import { decodeText } from "../platform/readers/decode-text.ts";

/** Leading bytes that determine a file's kind. */
export const mediaTypeDetectionBytes = 8192;

/** Clients may declare these, as they are only text. */
const textKinds =
  /^(text\/(?!html)[\w.+-]+|application\/(json|x-ndjson|yaml|x-yaml|toml|x-sh|sql|x-tex|x-latex))$/;

/** By the first bytes. Text has no signature, so a declared text type counts. Ignores the name. */
export async function detectMediaType(first: Uint8Array, said: string): Promise<string> {
  const found = await fileTypeFromBuffer(first).catch(() => undefined);
  const text = textIn(first);
  const markup = text === undefined ? undefined : markupIn(text);
  if (markup) return markup;
  if (found) return found.mime;
  if (text === undefined) return "application/octet-stream";
  const plain = said.split(";")[0]?.trim().toLowerCase() ?? "";
  return textKinds.test(plain) ? plain : "text/plain";
}

/** HTML and SVG, which a browser would run, also after whitespace and comments. */
function markupIn(text: string): string | undefined {
  const head = text.slice(0, 4096).toLowerCase();
  if (/<svg[\s>]/.test(head)) return "image/svg+xml";
  return /<(!doctype html|html|head|body|script|iframe|title|style)[\s>]/.test(head)
    ? "text/html"
    : undefined;
}

/** Undefined for binary files, and if the bytes do not show the encoding. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    const { text, read_as } = decodeText(bytes, { isCut: true });
    return read_as === "windows-1252" || /[\0\ufffd]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
