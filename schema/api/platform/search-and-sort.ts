import * as z from "zod";
import { pagination, title } from "./fields.ts";

/** A list's query: window, order and filters. */
export const listQuery = <Shape extends z.ZodRawShape>(shape: Shape, window = pagination) =>
  z.strictObject({ ...shape, ...window });

/** Search text for the fields that `where` names. */
export const searchIn = (where: string) =>
  title(200)
    .optional()
    .meta({
      description:
        `Words that all occur in ${where}, ignoring case, accents and punctuation. ` +
        "Words of one or two characters match only the beginning of a word",
    });

/** A list's order, by default the first name; each also descending. */
export function sortedBy<const Names extends readonly [string, ...string[]]>(
  names: Names,
  usual: Names[number] | `-${Names[number]}` = names[0],
) {
  type Order = Names[number] | `-${Names[number]}`;
  const orders = names.flatMap((name) => [name, `-${name}`]) as [Order, ...Order[]];
  return z
    .enum(orders)
    .default(usual as never)
    .meta({ description: "Sort order; a minus reverses it. Ties are sorted by id" });
}

const truths = new Map([
  ["true", true],
  ["false", false],
]);

/** `true` or `false` in a query. */
export const BooleanText = z.preprocess(
  (text) => (typeof text === "string" ? (truths.get(text.toLowerCase()) ?? text) : text),
  z.boolean("Input should be true or false"),
);
