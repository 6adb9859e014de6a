import * as z from "zod";
import { audienceOf, dataJsonShape } from "../../schema/api/data-json.ts";
import { memoize } from "../caching/memoize.ts";

type Json = Record<string, unknown>;

/**
 * What of an item's `data_json` learners and the tutor see; the rest is the staff's. Of the six types the keys that
 * their shapes mark as the learners', in objects within as well, and of a lab's files those for students. Of a type that
 * an administrator added all of it. Pure.
 */
export function studentView(contentTypeName: string, dataJson: Json): Json {
  const shape = dataJsonShape(contentTypeName);
  return shape
    ? ((viewOf(shape)(visibleFiles(contentTypeName, dataJson)) as Json | undefined) ?? {})
    : dataJson;
}

/** What there is to see of a value; undefined where that is nothing. */
type View = (value: unknown) => unknown;

/** The shapes are few and fixed, and each is put into a view once. */
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
  // Whatever came to stand there without being checked: what a key does not take is nobody's to see.
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

/** A schema without what says whether it may be absent or null; undefined where nothing says so. */
const innerOf = (schema: z.ZodType): z.ZodType | undefined =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodNonOptional
    ? (schema.unwrap() as z.ZodType)
    : undefined;

function unwrapped(schema: z.ZodType): z.ZodType {
  const inner = innerOf(schema);
  return inner ? unwrapped(inner) : schema;
}

/** The mark may stand on what is wrapped. */
function isForLearners(schema: z.ZodType): boolean {
  const inner = innerOf(schema);
  return audienceOf(schema) === "learners" || (inner !== undefined && isForLearners(inner));
}

/** What is not marked as theirs stays hidden: a file without a known role may be a test. */
const visibleFiles = (contentTypeName: string, { files, ...data }: Json): Json =>
  contentTypeName === "engineering_lab" && Array.isArray(files)
    ? { ...data, files: files.filter((file) => isObject(file) && file["role"] === "student_visible") }
    : { ...data, ...(files !== undefined && { files }) };

const orNull = (value: unknown): null | undefined => (value === null ? null : undefined);

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
