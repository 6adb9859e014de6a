import { resolved, type Schema, sampleOf, typesOf } from "../support/operations.ts";

/** A value for a place, and whether the API document says it is invalid. */
export type Faulty = { what: string; loc: (string | number)[]; value: unknown; isRefused: boolean };

/** Marks an omitted field. */
export const absent = Symbol("absent");

const ofOtherTypes: [type: string, value: unknown][] = [
  ["null", null],
  ["string", "text"],
  ["number", 7],
  ["boolean", true],
  ["array", []],
  ["object", {}],
];

const nested = (depth: number): unknown => (depth === 0 ? "deep" : [nested(depth - 1)]);

/** All values to try for a schema, including nested places. */
export function faultyValues(given: Schema, loc: Faulty["loc"] = []): Faulty[] {
  const schema = resolved(given);
  const types = typesOf(schema).map((type) => (type === "integer" ? "number" : type));
  const refused = (what: string, value: unknown): Faulty => ({ what, loc, value, isRefused: true });
  const found = ofOtherTypes
    .filter(([type]) => types.length > 0 && !types.includes(type))
    .map(([type, value]) => refused(type === "null" ? "null" : `a ${type}`, value));
  if (schema.enum) found.push(refused("none of the values", "something else"));
  if (types.includes("string")) found.push(...faultyTexts(schema, refused));
  if (types.includes("number")) found.push(...faultyNumbers(schema, refused));
  if (types.includes("array")) found.push(...faultyLists(schema, loc, refused));
  if (types.includes("object")) found.push(...faultyObjects(schema, loc, refused));
  return found;
}

type Refused = (what: string, value: unknown) => Faulty;

const faultyFormats: Record<string, string[]> = {
  "date-time": [
    "yesterday",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-02-30T00:00:00Z",
    "+275760-09-14T00:00:00Z",
    "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-00:01",
    "2026-01-01T00:00:00+14:01",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:60Z",
  ],
  date: ["yesterday", "2026-02-30", "2026-1-1", "99999-01-01", "0000-01-01"],
  email: ["nobody", "nobody@", "two@at@example.edu"],
  uri: ["no address", "javascript:alert(1)"],
};

/** A valid email address, or any text. */
const longText = (length: number, format: string): string =>
  format === "email" ? "@example.edu".padStart(length, "x") : "x".repeat(length);

function faultyTexts(
  { minLength = 0, maxLength, pattern, format = "", enum: values }: Schema,
  refused: Refused,
): Faulty[] {
  const found = ["a\0b", "half a pair: \ud800"].map((text) => refused("text that cannot be stored", text));
  if (minLength > 0) found.push(refused("too short", "x".repeat(minLength - 1)));
  if (maxLength) found.push(refused("too long", longText(maxLength + 1, format)));
  else if (!values) found.push({ ...refused("very long", "x".repeat(300_000)), isRefused: false });
  // No pattern of the API document accepts this letter.
  if (pattern) found.push(refused(`not of the pattern ${pattern}`, "é".repeat(minLength || 1)));
  found.push(...(faultyFormats[format] ?? []).map((text) => refused(`not a ${format}`, text)));
  return found;
}

function faultyNumbers({ type, minimum, maximum }: Schema, refused: Refused): Faulty[] {
  const found = [refused("beyond all bounds", 1e300), refused("below all bounds", -1e300)];
  if (minimum !== undefined) found.push(refused("too small", minimum - 1));
  if (maximum !== undefined)
    found.push(refused("too large", maximum + 1), { ...refused("the largest", maximum), isRefused: false });
  if (type === "integer" || type?.includes("integer")) found.push(refused("not an integer", 1.5));
  return found;
}

function faultyLists(
  { items, minItems = 0, maxItems }: Schema,
  loc: Faulty["loc"],
  refused: Refused,
): Faulty[] {
  const found: Faulty[] = items
    ? faultyValues(items, [...loc, 0]).map((fault) => ({ ...fault, value: [fault.value] }))
    : [];
  if (minItems > 0) found.push(refused("too few", []));
  if (maxItems) found.push(refused("too many", Array(maxItems + 1).fill(items ? sampleOf(items) : 1)));
  return found;
}

function faultyObjects(
  { properties, required = [] }: Schema,
  loc: Faulty["loc"],
  refused: Refused,
): Faulty[] {
  if (!properties)
    return [
      { ...refused("a key that cannot be stored", { "a\0b": 1 }), loc: [...loc, "a\0b"] },
      { ...refused("a value that cannot be stored", { key: ["a\0b"] }), loc: [...loc, "key", 0] },
      { ...refused("nested without end", { key: nested(200) }), loc: [...loc, "key"] },
    ];
  return Object.entries(properties).flatMap(([name, field]) => {
    const within = faultyValues(field, [...loc, name]).map((fault) => ({
      ...fault,
      value: { [name]: fault.value },
    }));
    const left = {
      what: "left out",
      loc: [...loc, name],
      value: { [name]: absent },
      isRefused: required.includes(name),
    };
    return [left, ...within];
  });
}
