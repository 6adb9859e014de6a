import { dataJsonShapes } from "../../../schema/api/platform/data-json.ts";
import { contentDataWords } from "./content-data-words.ts";
import type { ApiDocument } from "./describe.ts";
import { fieldWords, filterWords } from "./field-words.ts";

type Schema = {
  $ref?: string;
  description?: string;
  "x-audience"?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

type Content = Record<string, { schema?: Schema }>;
type Parameter = { name: string; in: string; description?: string; schema?: Schema };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content?: Content };
  responses?: Record<string, { content?: Content }>;
};

const contentNames = new Set(dataJsonShapes.map((shape) => shape.meta()?.["id"]));

/** Adds descriptions to properties and parameters without one. */
export function addDescriptions(document: ApiDocument): ApiDocument {
  const components = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const [name, schema] of Object.entries(components))
    describeProperties(schema, name, contentNames.has(name) ? contentDataWords : {});
  for (const operation of Object.values(document.paths ?? {}).flatMap(
    (path) => Object.values(path) as Operation[],
  )) {
    for (const parameter of operation.parameters ?? []) {
      // A parameter is never null.
      const filter = parameter.in === "query" ? filterWords[parameter.name] : undefined;
      const words = filter ?? fieldWords[parameter.name]?.split("; null")[0];
      const description = parameter.description ?? parameter.schema?.description ?? words;
      if (description) parameter.description = description;
    }
    for (const part of [operation.requestBody, ...Object.values(operation.responses ?? {})])
      for (const { schema } of Object.values(part?.content ?? {})) if (schema) describeProperties(schema, "");
  }
  return document;
}

type Words = Readonly<Record<string, string>>;

function describeProperties(schema: Schema, name: string, own: Words = {}): void {
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const words = own[key] ?? fieldWords[`${name}.${key}`] ?? fieldWords[key];
    const description = property.description ?? words;
    if (description) property.description = `${description}${seenBy(property)}`;
    describeProperties(property, name, own);
  }
  const { items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  for (const part of [items, additionalProperties, ...anyOf, ...oneOf, ...allOf])
    if (typeof part === "object") describeProperties(part, name, own);
}

/** The visibility of the content, in words. */
function seenBy({ "x-audience": audience }: Schema): string {
  if (audience === undefined) return "";
  return audience === "staff" ? ". Visible only to staff" : ". Visible to learners";
}
