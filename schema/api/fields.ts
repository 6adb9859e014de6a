import * as z from "zod";
import { type Cursor, CursorText } from "./cursor.ts";
import { writtenLength } from "./json-length.ts";
import { momentOf } from "./moment.ts";

/** The largest id that a column holds. */
const maxId = 2_147_483_647;

/** What is said of everything that should have been an integer. */
export const notAnInteger = "Input should be a valid integer";

/** An integer from `min` to `max`. */
export const integer = (min: number, max: number = maxId) =>
  z
    .int(notAnInteger)
    .min(min, `Input should be greater than or equal to ${min}`)
    .max(max, `Input should be less than or equal to ${max}`);

/** A place in an order: far enough from the largest number that there is for what comes behind it. */
export const Position = integer(0, 1_000_000_000);

/** An id in a body. */
export const Id = integer(1).meta({ example: 1 });

const integerOf = (text: unknown): unknown =>
  typeof text === "string" && /^[+-]?\d+$/.test(text.trim()) ? Number(text) : text;

/** The largest integer that JSON's readers tell from its neighbours: 2^53 - 1. */
const maxWideId = Number.MAX_SAFE_INTEGER;

/** An id of what grows by the event, such as a message, in a body. */
export const WideId = integer(1, maxWideId).meta({ example: 1, format: "int64" });

/** An integer in a path or a query, where everything arrives as text. */
export const integerText = <T extends z.ZodType<number>>(integer: T) => z.preprocess(integerOf, integer);

/** An id in a path or a query. */
export const IdText = integerText(Id);

/** The same of an id of what grows by the event. */
export const WideIdText = integerText(WideId);

/** The object of path parameters that are ids of what grows by the event: `pathWideIds("message_id")`. */
export const pathWideIds = <const N extends string>(...names: readonly N[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, WideIdText])) as Record<N, typeof WideIdText>);

/** The object of path parameters that are ids: `pathIds("course_id")`. */
export const pathIds = <const N extends string>(...names: readonly N[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, IdText])) as Record<N, typeof IdText>);

/** Text of at most `max` characters, counted as code points. */
export const text = (max: number) => lengthChecked(z.string(), max).meta({ maxLength: max });

/** What a thing of which lists tell is about: a thousand of them are still few enough to read at once. */
export const Description = text(20_000);

/** Required text that is not blank, trimmed, of at most `max` characters. */
export const title = (max: number) =>
  lengthChecked(z.string().trim().min(1, "String should not be blank"), max).meta({
    minLength: 1,
    maxLength: max,
  });

/** Code points are counted, as the database does, where Zod's own `max` would count UTF-16 units. */
function lengthChecked(schema: z.ZodString, max: number): z.ZodString {
  return schema.check((context) => {
    if (context.value.length <= max || isWithin(context.value, max)) return;
    context.issues.push({
      code: "too_big",
      origin: "string",
      maximum: max,
      inclusive: true,
      input: context.value,
      message: `String should have at most ${max} characters`,
    });
  });
}

/** A code point is one or two UTF-16 units, so that only what lies between is counted. */
const isWithin = (text: string, max: number): boolean => text.length <= 2 * max && [...text].length <= max;

/** What is said of a list of more than `max` items: before any of them is looked at, since each may be a fault. */
export const list = <S extends z.ZodType>(item: S, { min = 0, max }: { min?: number; max: number }) =>
  z.preprocess((value, context) => {
    if (Array.isArray(value) && value.length > max)
      context.issues.push({
        code: "too_big",
        origin: "array",
        maximum: max,
        inclusive: true,
        input: value,
        message: `List should have at most ${max} items`,
      });
    return value;
  }, z.array(item).min(min).max(max));

/** An address of the web; other schemes would run or fetch something else where it is shown as a link. */
export const webAddress = (max: number) =>
  text(max)
    .refine((address) => /^https?:\/\/[^\s/]\S*$/i.test(address), "Input should be an http or https address")
    .meta({ format: "uri" });

/** An enumeration that the API accepts in any letter case and answers in UPPERCASE. */
export function upperEnum<const V extends readonly [string, ...string[]]>(values: V) {
  type Spelling = Uppercase<V[number]>;
  const spellings = values.map((value) => value.toUpperCase()) as [Spelling, ...Spelling[]];
  return z.preprocess(
    (value) => (typeof value === "string" ? value.toUpperCase() : value),
    z.enum(spellings),
  );
}

/** An enumeration that the API accepts in any letter case and answers in lowercase. */
export function lowerEnum<const V extends readonly [string, ...string[]]>(values: V) {
  return z.preprocess(
    (value) => (typeof value === "string" ? value.toLowerCase() : value),
    z.enum(values as unknown as [V[number], ...V[number][]]),
  );
}

/** A moment, in any spelling that `momentOf` knows; what is taken is what will be answered. */
export const Instant = z
  .string()
  .check((context) => {
    const moment = momentOf(context.value);
    if (moment) context.value = moment;
    else
      context.issues.push({
        code: "invalid_format",
        format: "datetime",
        input: context.value,
        message: "Input should be a valid datetime with an offset, in the years 1 to 9999",
      });
  })
  .meta({ format: "date-time", example: "2026-09-01T08:00:00.000Z" });

/** A calendar date, `2026-09-01`. */
export const CalendarDate = z.iso
  .date("Input should be a valid date")
  .refine((day) => !day.startsWith("0000"), "Input should be a date in the years 1 to 9999")
  .meta({ format: "date", example: "2026-09-01" });

/** A number with at most two decimals, from `min` to `max`. */
export const hundredths = (min: number, max: number) =>
  z
    .number()
    .min(min)
    .max(max)
    .refine((value) => Number(value.toFixed(2)) === value, "Input should have at most 2 decimals");

/** The same in a query, where everything arrives as text. */
export const hundredthsText = (min: number, max: number) =>
  z.preprocess(
    (text) => (typeof text === "string" && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text),
    hundredths(min, max),
  );

/** A JSON object of any shape, in an answer or for one request. */
export const JsonObject = z.record(z.string(), z.unknown());

/** A JSON object to be kept, of any shape unless one is given, of at most `max` KiB as the database writes it. */
export const storedJsonObject = <Shape extends typeof JsonObject | z.ZodObject = typeof JsonObject>(
  max: number,
  shape: Shape = JsonObject as Shape,
) =>
  shape
    .refine((value) => writtenLength(value) <= max * 1024, `JSON should have at most ${max} KiB`)
    .meta({ description: `At most ${max} KiB of JSON` });

/** A window by number alone: `skip` rows are left out, at most `limit` are answered. For lists that are worked out whole. */
export const windowOf = (rule: { limit: number; max: number }) => ({
  skip: integerText(integer(0)).default(0),
  limit: integerText(integer(1, rule.max)).default(rule.limit),
});

/** Pagination: `skip` rows are left out, of all or of those behind `after`, and at most `limit` are answered. */
export const paginationOf = (rule: { limit: number; max: number }) => ({
  ...windowOf(rule),
  after: CursorText.optional(),
});

/** The pagination of most lists: 100 rows unless asked otherwise, at most 1000. */
export const pagination = paginationOf({ limit: 100, max: 1000 });

/** The window of a list that is whole unless asked otherwise; it ends early where it would be too large to send. */
export const optionalWindow = {
  skip: integerText(integer(0)).default(0),
  limit: integerText(integer(1, 1000)).optional(),
};

/** Which rows of a list are asked for that may be whole. */
export type OptionalWindow = { skip: number; limit?: number | undefined };

/** Which rows of a list are asked for by number alone. */
export type Window = { skip: number; limit: number };

/** Which rows of a list are asked for. */
export type Pagination = Window & { after?: Cursor | undefined };

/** Pagination by number: pages count from 1, 20 rows unless asked otherwise, at most 100. */
export const pageNumber = {
  page: integerText(integer(1)).default(1),
  page_size: integerText(integer(1, 100)).default(20),
};

/** The body of every error but a 422. */
export const ErrorBody = z
  .object({ detail: z.string() })
  .meta({ id: "ErrorAnswer", example: { detail: "Course not found" } });

/** The body of a 422: a fault for each failing field. */
export const ValidationErrorBody = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.union([z.string(), z.int()])),
        msg: z.string(),
        type: z.string(),
        ctx: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      }),
    ),
  })
  .meta({
    id: "ValidationError",
    example: { detail: [{ loc: ["body", "email"], msg: "Field required", type: "missing" }] },
  });

/** The version of a thing that several people write: its writes take it as `If-Match`. */
export const Version = z.int().min(0).meta({
  example: 3,
  description: "Greater after each change: `If-Match` with it writes nothing that someone has changed since",
});

/** The body of a 412: what the thing is now. */
export const changedThing = (thing: z.ZodType) =>
  z.object({
    detail: z.string().meta({ example: "This has changed since it was read: look at what it is now" }),
    current: thing,
  });

/** A list that is answered as a bare array. */
export const listOf = <S extends z.ZodType>(item: S) => z.array(item);

/** A check that one of these fields is given and no other: where none is, the first of them is missing. */
export const oneOf =
  (...names: readonly string[]) =>
  ({ value, issues }: z.core.ParsePayload<object>): void => {
    const sent = value as Record<string, unknown>;
    const [first, ...more] = names.filter((name) => sent[name] !== undefined);
    const say = (name: string, message: string) =>
      issues.push({ code: "custom", path: [name], message, input: sent[name] });
    if (first === undefined) say(names[0] ?? "", "Field required");
    for (const name of more) say(name, `Input should not come with ${first}`);
  };

/** Beside the words of a refusal in a row: what rule refuses. */
export const RefusalCode = z.string().nullable().meta({
  example: null,
  description: "What rule refuses, as `X-Error-Code` says it of answers; null where nothing is refused",
});
