import { type ErrorCode, formatErrorMessage, type MessageValuesFor } from "../../error-codes.ts";
import { encodeStoredReason, type StoredReason } from "../results/stored-reason.ts";

/** `read_as` is the encoding's name in the WHATWG standard, such as `windows-1252`. */
export type DecodedText = { text: string; read_as: string };

/** The bytes do not fit the declared encoding, or any known one. The message names the line. */
export class UndecodableTextError<Code extends ErrorCode = ErrorCode> extends Error {
  override name = "UndecodableTextError";
  readonly reason: StoredReason;

  constructor(code: Code, ...values: MessageValuesFor<Code>) {
    super(formatErrorMessage(code, values[0]));
    this.reason = encodeStoredReason(code, ...values);
  }
}

/** `declared`: an encoding stated outside of the file. `isCut`: the last character may be incomplete. */
type Reading = { declared?: string | undefined; isCut?: boolean };

/**
 * By the byte order mark, which it removes, `declared`, the XML declaration or an HTML meta element.
 * Undeclared text is UTF-8 if valid, otherwise Windows-1252. Throws UndecodableText.
 */
export function decodeText(bytes: Uint8Array, { declared, isCut = false }: Reading = {}): DecodedText {
  const label = markedEncoding(bytes) ?? wideText(bytes) ?? declared ?? declaredIn(bytes);
  if (label !== undefined) return decodeAs(label, bytes, isCut);
  const text = decoded("utf-8", bytes, isCut);
  if (text !== undefined) return { text, read_as: "utf-8" };
  if (isCutUtf8(bytes)) throw new UndecodableTextError("text_is_cut", { line: faultyLine("utf-8", bytes) });
  const western = decoded("windows-1252", bytes, isCut);
  if (western !== undefined) return { text: western, read_as: "windows-1252" };
  throw new UndecodableTextError("text_encoding_unclear", { line: faultyLine("utf-8", bytes) });
}

const marks: readonly (readonly [mark: string, encoding: string])[] = [
  ["fffe0000", "utf-32"],
  ["efbbbf", "utf-8"],
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
];

function markedEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 4)).toString("hex");
  return marks.find(([mark]) => head.startsWith(mark))?.[1];
}

const bytesOfSample = 1024;
/** Of UTF-16 in any language, because of its blanks, digits and line breaks. */
const fewestNulls = 1 / 40;

/** UTF-16 without a byte order mark: nearly all NUL bytes are at odd places, or at even ones. */
function wideText(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, bytesOfSample);
  const nulls = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) nulls[at % 2] = (nulls[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nulls;
  const most = Math.max(even, odd);
  if (most < Math.max(2, sample.length * fewestNulls) || Math.min(even, odd) > most / 8) return undefined;
  return odd === most ? "utf-16le" : "utf-16be";
}

/** HTML declares its encoding within so many bytes. */
const bytesOfHead = 1024;

function declaredIn(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, bytesOfHead)).toString("latin1").trimStart();
  if (!head.startsWith("<")) return undefined;
  const declaration = head.startsWith("<?xml") ? head.slice(0, head.indexOf("?>") + 1) : "";
  const [, ofXml] = /\sencoding\s*=\s*["']([^"']*)["']/.exec(declaration) ?? [];
  if (ofXml !== undefined && isWide(ofXml))
    throw new UndecodableTextError("text_not_as_declared", { encoding: ofXml.toLowerCase(), line: 1 });
  if (ofXml !== undefined) return ofXml;
  const markup = head.slice(declaration.length).replaceAll(/<!--.*?(?:-->|$)/gs, "");
  if (!/^[>\s]*<(?:!doctype\s+html|html|head|meta|title)\b/i.test(markup)) return undefined;
  const [, ofHtml] = /<meta\s[^<>]*?charset\s*=\s*(?:["']\s*)?([^\s"'/<>;]+)/i.exec(markup) ?? [];
  // The HTML standard reads UTF-8 in this case.
  return ofHtml !== undefined && isWide(ofHtml) ? "utf-8" : ofHtml;
}

/** The declaration was found byte by byte, so it cannot be UTF-16. */
const isWide = (label: string): boolean => /^\s*(utf-?16|ucs-?2|iso-10646-ucs-2)/i.test(label);

function decodeAs(label: string, bytes: Uint8Array, isCut: boolean): DecodedText {
  const encoding = encodingOf(label);
  if (encoding === undefined)
    throw new UndecodableTextError("text_encoding_unknown", { encoding: label.slice(0, 40) || "?" });
  const text = decoded(encoding, bytes, isCut);
  if (text !== undefined) return { text, read_as: encoding };
  throw new UndecodableTextError("text_not_as_declared", { encoding, line: faultyLine(encoding, bytes) });
}

/** The encoding of a label, such as `latin1`. Undefined for unknown ones. */
function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function decoded(encoding: string, bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
    return isUndefinedWestern(encoding, text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Decoders map the five undefined bytes of Windows-1252 to control characters. */
const isUndefinedWestern = (encoding: string, text: string): boolean =>
  encoding === "windows-1252" && /[\x80-\x9f]/.test(text);

/** All characters but an unfinished last one are UTF-8, some of them beyond ASCII. */
const isCutUtf8 = (bytes: Uint8Array): boolean => /\P{ASCII}/u.test(decoded("utf-8", bytes, true) ?? "");

/** From 1. */
function faultyLine(encoding: string, bytes: Uint8Array): number {
  const text = new TextDecoder(encoding).decode(bytes);
  const at = text.search(encoding === "windows-1252" ? /[\x80-\x9f]/ : /\ufffd/);
  return lineAt(text, at);
}

/** As is, or as a character reference of markup. Infinity without one. */
export function lineOfLostCharacter(text: string): number {
  const at = text.search(/\ufffd|&#(?:x0*fffd|0*65533);/i);
  return at < 0 ? Number.POSITIVE_INFINITY : lineAt(text, at);
}

const [lineFeed, carriageReturn] = [10, 13];

/** The line of a byte in a text in chunks, of any encoding. */
export function lineOfByte(chunks: readonly Uint8Array[], at: number): number {
  let line = 1;
  let left = at;
  let isAfterReturn = false;
  for (const chunk of chunks) {
    for (const byte of chunk.subarray(0, left)) {
      if (byte === carriageReturn || (byte === lineFeed && !isAfterReturn)) line += 1;
      // UTF-16 has a NUL between the two.
      if (byte !== 0) isAfterReturn = byte === carriageReturn;
    }
    left -= Math.min(left, chunk.length);
  }
  return line;
}

/** The line of a position; 1 for a negative one. */
export const lineAt = (text: string, at: number): number =>
  (text.slice(0, Math.max(0, at)).match(/\r\n?|\n/g)?.length ?? 0) + 1;
