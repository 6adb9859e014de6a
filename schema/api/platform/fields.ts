import * as z from "zod";
import { type Cursor, CursorText } from "./cursor.ts";
import { isBlank } from "./is-blank.ts";
import { writtenLength } from "./json-length.ts";
import { momentOf } from "./moment.ts";

/** Maximum of a 32-bit id column. */
const maxId = 2_147_483_647;

/** The error for a value that is not an integer. */
export const notAnInteger = "Input should be a valid integer";

export const integer = (min: number, max: number = maxId) =>
  z
    .int(notAnInteger)
    .min(min, `Input should be greater than or equal to ${min}`)
    .max(max, `Input should be less than or equal to ${max}`);

/** A sort position, with room above for later ones. */
export const Position = integer(0, 1_000_000_000);

export const Id = integer(1).meta({ example: 1 });

const integerOf = (text: unknown): unknown =>
  typeof text === "string" && /^[+-]?\d+$/.test(text.trim()) ? Number(text) : text;

/** The largest integer that JSON parsers represent exactly: 2^53 - 1. */
const maxWideId = Number.MAX_SAFE_INTEGER;

/** A 64-bit id in a body, of tables that grow with events, such as messages. */
export const WideId = integer(1, maxWideId).meta({ example: 1, format: "int64" });

/** An integer in a path or query, parsed from text. */
export const integerText = <T extends z.ZodType<number>>(integer: T) => z.preprocess(integerOf, integer);

export const IdText = integerText(Id);

/** A 64-bit id in a path or query. */
export const WideIdText = integerText(WideId);

/** Path parameters with 64-bit ids: `pathWideIds("message_id")`. */
export const pathWideIds = <const N extends string>(...names: readonly N[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, WideIdText])) as Record<N, typeof WideIdText>);

/** Path parameters with ids: `pathIds("course_id")`. */
export const pathIds = <const N extends string>(...names: readonly N[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, IdText])) as Record<N, typeof IdText>);

/** Text of at most `max` characters, counted as code points. */
export const text = (max: number) => lengthChecked(z.string(), max).meta({ maxLength: max });

/** A description in lists: a thousand of them still fit into one response. */
export const Description = text(20_000);

/** Required text that is not blank, trimmed, of at most `max` characters. */
export const title = (max: number) =>
  lengthChecked(z.string().trim().check(notBlank), max).meta({ minLength: 1, maxLength: max });

/** Text of invisible characters only is blank, too. */
function notBlank({ value, issues }: z.core.ParsePayload<string>): void {
  if (!isBlank(value)) return;
  const message = "String should not be blank";
  issues.push({ code: "too_small", origin: "string", minimum: 1, inclusive: true, input: value, message });
}

/** Counts code points, as the database does; Zod's own `max` counts UTF-16 units. */
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

/** A code point has one or two UTF-16 units, so most texts need no counting. */
const isWithin = (text: string, max: number): boolean => text.length <= 2 * max && [...text].length <= max;

/** Checks the length first: validating each item of a huge list could report as many issues. */
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

/** A web address; other schemes could run code where it is shown as a link. */
export const webAddress = (max: number) =>
  text(max)
    .refine((address) => /^https?:\/\/[^\s/]\S*$/i.test(address), "Input should be an http or https address")
    .meta({ format: "uri" });

/** An enum accepted in any case and returned in UPPERCASE. */
export function upperEnum<const V extends readonly [string, ...string[]]>(values: V) {
  type Spelling = Uppercase<V[number]>;
  const spellings = values.map((value) => value.toUpperCase()) as [Spelling, ...Spelling[]];
  return z.preprocess(
    (value) => (typeof value === "string" ? value.toUpperCase() : value),
    z.enum(spellings),
  );
}

/** An enum accepted in any case and returned in lowercase. */
export function lowerEnum<const V extends readonly [string, ...string[]]>(values: V) {
  return z.preprocess(
    (value) => (typeof value === "string" ? value.toLowerCase() : value),
    z.enum(values as unknown as [V[number], ...V[number][]]),
  );
}

/** A timestamp in any format of `momentOf`, converted to the response's format. */
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

/** The same in a query, parsed from text. */
export const hundredthsText = (min: number, max: number) =>
  z.preprocess(
    (text) => (typeof text === "string" && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text),
    hundredths(min, max),
  );

/** A JSON object of any shape, in a response or for one request. */
export const JsonObject = z.record(z.string(), z.unknown());

/** A JSON object for storage, of any or the given shape, with at most `max` KiB in the database's text form. */
export const storedJsonObject = <Shape extends typeof JsonObject | z.ZodObject = typeof JsonObject>(
  max: number,
  shape: Shape = JsonObject as Shape,
) =>
  shape
    .refine((value) => writtenLength(value) <= max * 1024, `JSON should have at most ${max} KiB`)
    .meta({ description: `At most ${max} KiB of JSON` });

/** Offset pagination, for lists that are always computed in full. */
export const windowOf = (rule: { limit: number; max: number }) => ({
  skip: integerText(integer(0)).default(0),
  limit: integerText(integer(1, rule.max)).default(rule.limit),
});

/** Pagination: skips `skip` rows, of all or of those after the cursor `after`, and returns at most `limit`. */
export const paginationOf = (rule: { limit: number; max: number }) => ({
  ...windowOf(rule),
  after: CursorText.optional(),
});

/** The pagination of most lists: 100 rows by default, at most 1000. */
export const pagination = paginationOf({ limit: 100, max: 1000 });

/** Pagination of lists that are complete by default; they end early if the response would be too large. */
export const optionalWindow = {
  skip: integerText(integer(0)).default(0),
  limit: integerText(integer(1, 1000)).optional(),
};

export type OptionalWindow = { skip: number; limit?: number | undefined };

export type Window = { skip: number; limit: number };

export type Pagination = Window & { after?: Cursor | undefined };

/** Pagination by page number from 1: 20 rows by default, at most 100. */
export const pageNumber = {
  page: integerText(integer(1)).default(1),
  page_size: integerText(integer(1, 100)).default(20),
};

export const ErrorBody = z
  .object({ detail: z.string() })
  .meta({ id: "ErrorAnswer", example: { detail: "Course not found" } });

/** The body of a 422, with one issue for each invalid field. */
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

/** The version for optimistic locking; writes send it as `If-Match`. */
export const Version = z.int().min(0).meta({
  example: 3,
  description: "Grows with each change. Send it in `If-Match` to avoid overwriting newer changes",
});

/** The body of a 412: the current state. */
export const changedThing = (thing: z.ZodType) =>
  z.object({
    detail: z.string().meta({ example: "This has changed since you read it. Look at its current state" }),
    current: thing,
  });

/** A list returned as a bare array. */
export const listOf = <S extends z.ZodType>(item: S) => z.array(item);

/** Checks that exactly one of these fields is given; without any, the first is reported as missing. */
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

/** The rule that rejected a row, next to its text. */
export const RefusalCode = z.string().nullable().meta({
  example: null,
  description: "The error code, as in `X-Error-Code`; null if not rejected",
});
