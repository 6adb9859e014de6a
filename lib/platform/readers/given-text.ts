import type { FileText } from "../../../schema/api/platform/file-text.ts";
import { type DecodedText, decodeText } from "./decode-text.ts";

/** Decodes a file of a request, an archive or an upload. Throws UndecodableText. */
export function decodeFileText(given: FileText | Uint8Array, declared?: string): DecodedText {
  if (given instanceof Uint8Array) return decodeText(given, { declared });
  if (typeof given === "string") return { text: given.replace(/^\ufeff/, ""), read_as: "utf-8" };
  return decodeText(Buffer.from(given.base64, "base64"), { declared });
}
