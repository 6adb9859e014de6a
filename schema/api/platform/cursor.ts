import * as z from "zod";

/** The position after the entry with these sort values. `list` identifies the list with its filters and order. */
export type Cursor = { list: string; values: readonly unknown[] };

/** Longer than any sort values. */
const maxCursorCharacters = 8192;

/** Length of a list's mark, in characters. */
export const markLength = 8;

/** Encodes a cursor for URLs; `values` is a JSON array. */
export const writeCursor = (list: string, values: string): string =>
  Buffer.from(list + values).toString("base64url");

function readCursor(text: string): Cursor | undefined {
  const written = Buffer.from(text, "base64url").toString();
  try {
    const values: unknown = JSON.parse(written.slice(markLength));
    return Array.isArray(values) ? { list: written.slice(0, markLength), values } : undefined;
  } catch {
    return undefined;
  }
}

/** The error for an invalid cursor or one of another list. */
export const notACursor = "Value error, not a cursor of this list with these filters and this order";

export const CursorText = z
  .string()
  .max(maxCursorCharacters)
  .regex(/^[\w-]+$/)
  .transform((text, context) => {
    const cursor = readCursor(text);
    if (!cursor) context.issues.push({ code: "custom", message: notACursor, input: text });
    return cursor ?? z.NEVER;
  })
  .meta({
    description:
      'Cursor from the `Link` header (`rel="next"`) of the previous page, for the same filters and order. ' +
      "Pages cost the same at any depth. Concurrent inserts and deletes cause no duplicates or gaps. " +
      "`skip` counts from the cursor",
  });
