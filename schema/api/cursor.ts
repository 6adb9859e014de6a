import * as z from "zod";

/**
 * Where a list goes on: behind the entry that had these values in the list's order. `list` marks the list that gave
 * it, with its filters and its order.
 */
export type Cursor = { list: string; values: readonly unknown[] };

/** More than the longest values that any list is ordered by. */
const longest = 8192;

/** How many characters mark a list. */
export const markLength = 8;

/** A cursor as one text for an address. `values` is a JSON array. */
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

/** What is said of a cursor that is none, or one of another list. */
export const notACursor = "Value error, not a cursor of this list with these filters and this order";

/** The cursor of a query. */
export const CursorText = z
  .string()
  .max(longest)
  .regex(/^[\w-]+$/)
  .transform((text, context) => {
    const cursor = readCursor(text);
    if (!cursor) context.issues.push({ code: "custom", message: notACursor, input: text });
    return cursor ?? z.NEVER;
  })
  .meta({
    description:
      'Where to go on: the cursor in the address that the `Link` header of the page before gives with `rel="next"`, ' +
      "for the same list with the same filters and order. A page costs the same at any depth, and entries that come or " +
      "go in between double none and hide none. `skip` counts from there",
  });
