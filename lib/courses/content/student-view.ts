import * as z from "zod";
import { audienceOf, dataJsonShape } from "../../../schema/api/platform/data-json.ts";
import { memoize } from "../../platform/caching/memoize.ts";

type Json = Record<string, unknown>;

/**
 * Learners and the tutor see it. Built-in types: keys that the schema marks for learners, also nested, and a
 * lab's student files. Custom types: everything.
 */
export function dataJsonForStudents(contentTypeName: string, dataJson: Json): Json {
  const shape = dataJsonShape(contentTypeName);
  return shape
    ? ((viewOf(shape)(visibleFiles(contentTypeName, dataJson)) as Json | undefined) ?? {})
    : dataJson;
}

/** Undefined if no part is visible. */
type View = (value: unknown) => unknown;

/** There are few schemas. */
const viewOf = memoize((schema: z.ZodType): View => {
  const own = unwrapped(schema);
  if (own instanceof z.ZodObject) return viewOfKeys(own);
  if (own instanceof z.ZodArray) {
    const one = viewOf(own.element as z.ZodType);
    return (value) =>
      Array.isArray(value) ? value.map(one).filter((entry) => entry !== undefined) : orNull(value);
  }
  if (own instanceof z.ZodUnion) {
    const views = own.options.map((option) => viewOf(option as z.ZodType));
    return (value) => views.map((view) => view(value)).find((seen) => seen !== undefined);
  }
  // Hides values that the schema rejects: they may be stored without validation.
  return (value) => (typeof value === "object" ? orNull(value) : value);
});

function viewOfKeys(shape: z.ZodObject): View {
  const views = Object.entries(shape.shape as Record<string, z.ZodType>).flatMap(([key, schema]) =>
    isForLearners(schema) ? [[key, viewOf(schema)] as const] : [],
  );
  return (value) => {
    if (!isObject(value)) return orNull(value);
    const seen = views.flatMap(([key, view]) => {
      const inner = Object.hasOwn(value, key) ? view(value[key]) : undefined;
      return inner === undefined ? [] : [[key, inner]];
    });
    return Object.fromEntries(seen);
  };
}

/** For optional and nullable schemas. */
const innerOf = (schema: z.ZodType): z.ZodType | undefined =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodNonOptional
    ? (schema.unwrap() as z.ZodType)
    : undefined;

function unwrapped(schema: z.ZodType): z.ZodType {
  const inner = innerOf(schema);
  return inner ? unwrapped(inner) : schema;
}

/** The mark may be on the wrapped schema. */
function isForLearners(schema: z.ZodType): boolean {
  const inner = innerOf(schema);
  return audienceOf(schema) === "learners" || (inner !== undefined && isForLearners(inner));
}

/** Files without a known role stay hidden; they may be tests. */
const visibleFiles = (contentTypeName: string, { files, ...data }: Json): Json =>
  contentTypeName === "engineering_lab" && Array.isArray(files)
    ? { ...data, files: files.filter((file) => isObject(file) && file["role"] === "student_visible") }
    : { ...data, ...(files !== undefined && { files }) };

const orNull = (value: unknown): null | undefined => (value === null ? null : undefined);

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
