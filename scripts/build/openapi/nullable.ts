import type { ApiDocument } from "./describe.ts";

type Schema = { [key: string]: unknown; type?: string | string[]; allOf?: Schema[] };

/**
 * Makes a nullable component "the component or null". The generator writes "the component and (object or
 * null)", which no null satisfies and which becomes a separate type in most languages.
 */
export function separateNull(document: ApiDocument): ApiDocument {
  return rewrite(document) as ApiDocument;
}

function rewrite(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewrite);
  if (typeof value !== "object" || value === null) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rewrite(part)]));
  return orNull(schema) ?? schema;
}

/** `{allOf: [{$ref}, {type: ["object", "null"], …}]}` as `{anyOf: [{$ref}, {type: "null"}], …}`. */
function orNull({ allOf }: Schema): Schema | undefined {
  const [component, { type, ...about } = {}] = allOf ?? [];
  if (!component?.["$ref"] || !Array.isArray(type) || !type.includes("null")) return undefined;
  return { anyOf: [component, { type: "null" }], ...about };
}
