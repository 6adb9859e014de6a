import type { ApiDocument } from "./describe.ts";
import { exampleWords } from "./example-words.ts";

type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  example?: unknown;
  examples?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
};

type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
type Content = Record<string, Media>;
type Operation = { requestBody?: { content?: Content }; responses?: Record<string, { content?: Content }> };

/**
 * Adds a generated example to each JSON body. Examples of request bodies are in the schemas, because some
 * client generators ignore other places with a warning.
 */
export function addExamples(document: ApiDocument): ApiDocument {
  const components = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const operations = Object.values(document.paths ?? {}).flatMap(
    (path) => Object.values(path) as Operation[],
  );
  for (const { content } of operations.flatMap(({ responses = {} }) => Object.values(responses))) {
    const json = content?.["application/json"];
    if (json?.schema && json.example === undefined && !json.examples)
      json.example = exampleOf(json.schema, components);
  }
  const taken = operations.flatMap(({ requestBody }) => requestBody?.content?.["application/json"] ?? []);
  // Generates all examples first, so none is derived from another.
  const examples = taken.map(({ schema = {}, examples: own }) =>
    own ? Object.values(own).map(({ value }) => value) : [exampleOf(schema, components)],
  );
  for (const [at, body] of taken.entries())
    setExamples(resolved(body.schema, components), examples[at] ?? []);
  for (const body of taken) delete body.examples;
  return document;
}

const resolved = (schema: Schema = {}, components: Record<string, Schema>): Schema =>
  components[nameIn(schema.$ref)] ?? schema;

/** The name of a referenced component; empty without a reference. */
const nameIn = (reference = ""): string => reference.slice("#/components/schemas/".length);

function setExamples(schema: Schema, examples: unknown[]): void {
  if (examples.length === 1) [schema.example] = examples;
  else schema.examples = examples;
}

/** A schema's example, or one built from its parts. Recursive schemas end in an empty list. */
function exampleOf(
  schema: Schema,
  components: Record<string, Schema>,
  name = "",
  within: readonly string[] = [],
): unknown {
  const { $ref: reference } = schema;
  const nested = (inner: Schema, innerName: string, inside = within) =>
    exampleOf(inner, components, innerName, inside);

  if (reference) {
    const target = nameIn(reference);
    const whole = nested(components[target] ?? {}, name, [...within, target]);
    return without(whole, inPlaceOfOthers[target]);
  }
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => nested(part, name)));
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return nested(choice, name);

  switch (typeOf(schema)) {
    case "object":
      return objectOf(schema, nested);
    case "array":
      return containsItself(schema.items, within) ? [] : [nested(schema.items ?? {}, singular(name))];
    default:
      return plainValue(schema, name);
  }
}

/** Properties left out of an example, because they exclude another property in it. */
const inPlaceOfOthers: Readonly<Record<string, readonly string[]>> = {
  CertificateIssue: ["email", "external_id"],
  ChatSessionCreate: ["aside_of", "prompt_version", "prompt_name"],
  CaptionsCreate: ["file_id"],
  GradeImport: ["file_id"],
  LtiLinkTarget: ["module_id"],
  QtiImport: ["package", "file_id"],
  QuestionImport: ["file_id"],
};

const without = (value: unknown, names: readonly string[] = []): unknown =>
  names.length === 0
    ? value
    : Object.fromEntries(Object.entries(value as object).filter(([name]) => !names.includes(name)));

type Nested = (schema: Schema, name: string) => unknown;

function objectOf({ properties = {}, additionalProperties }: Schema, nested: Nested): unknown {
  const entries = Object.entries(properties).map(([key, property]) => [key, nested(property, key)]);
  if (entries.length === 0 && typeof additionalProperties === "object") return {};
  return Object.fromEntries(entries);
}

const containsItself = (items: Schema | undefined, within: readonly string[]): boolean =>
  within.some((name) => items?.$ref === `#/components/schemas/${name}`);

const typeOf = ({ type }: Schema): string | undefined => (Array.isArray(type) ? type[0] : type);

function plainValue(schema: Schema, name: string): unknown {
  const word = exampleWords[name];
  const type = typeOf(schema);
  if (word !== undefined && (type === typeof word || (type === "integer" && Number.isInteger(word))))
    return word;
  if (schema.default !== undefined) return schema.default;
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return Math.max(schema.minimum ?? 1, 1);
  return type === "string" ? "text" : null;
}

const singular = (noun: string): string => noun.replace(/s$/, "");
