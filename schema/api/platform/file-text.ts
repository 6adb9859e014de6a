import * as z from "zod";
import { text } from "./fields.ts";

/** Base64 of so many bytes. */
export const base64Text = (mostBytes: number) =>
  text(4 * Math.ceil(mostBytes / 3))
    .regex(/^[A-Za-z0-9+/]*={0,2}$/, "Input should be base64")
    .meta({ description: "The file's bytes in base64", example: "YQ==" });

/** A text of at most so many characters, or the bytes of its file, which the service decodes. */
export const fileText = (most: number) => z.union([text(most), z.strictObject({ base64: base64Text(most) })]);

export type FileText = z.output<ReturnType<typeof fileText>>;

/** The name of an encoding in the WHATWG standard. */
export const ReadAs = z.string().meta({
  description:
    "Encoding of the file: as declared, otherwise utf-8 or windows-1252. Always utf-8 for text in the request",
  example: "utf-8",
});
