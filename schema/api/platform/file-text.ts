import * as z from "zod";
import { text } from "./fields.ts";

/** Of a request's body. */
export const maxBodyBytes = 1024 * 1024;

/** Of a file in a request: its base64 leaves room for the other fields of the body. */
export const maxSentFileBytes = 750_000;

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

const bytesInWords = (bytes: number): string => String(bytes).replaceAll(/\B(?=(\d{3})+$)/g, ",");

/** Base64 of so many bytes, at most the largest file in a request. */
export function base64Text(maxBytes: number, about = "The file's bytes") {
  const most = Math.min(maxBytes, maxSentFileBytes);
  return text(4 * Math.ceil(most / 3))
    .regex(base64, "Input should be base64")
    .meta({
      format: "byte",
      description: `${about} in base64, at most ${bytesInWords(most)} bytes`,
      example: "YQ==",
    });
}

/** A file's bytes in a response. */
export const base64Answer = (about: string) =>
  z.string().regex(base64).meta({ format: "byte", description: about });

/** A text of at most so many characters, or the bytes of its file, which the service decodes. */
export const fileText = (most: number) => z.union([text(most), z.strictObject({ base64: base64Text(most) })]);

export type FileText = z.output<ReturnType<typeof fileText>>;

/** The name of an encoding in the WHATWG standard. */
export const ReadAs = z.string().meta({
  description:
    "Encoding of the file: as declared, otherwise utf-8 or windows-1252. Always utf-8 for text in the request",
  example: "utf-8",
});
