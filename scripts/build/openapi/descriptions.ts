import type { ApiDocument } from "./describe.ts";
import { fieldWords } from "./field-words.ts";

type Schema = {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

type Content = Record<string, { schema?: Schema }>;
type Parameter = { name: string; description?: string; schema?: Schema };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content?: Content };
  responses?: Record<string, { content?: Content }>;
};

/** Says of each property and each parameter what it is, where its schema does not. */
export function addDescriptions(document: ApiDocument): ApiDocument {
  const components = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const [name, schema] of Object.entries(components)) describeProperties(schema, name);
  for (const operation of Object.values(document.paths ?? {}).flatMap(
    (path) => Object.values(path) as Operation[],
  )) {
    for (const parameter of operation.parameters ?? []) {
      const description =
        parameter.description ?? parameter.schema?.description ?? fieldWords[parameter.name];
      if (description) parameter.description = description;
    }
    for (const part of [operation.requestBody, ...Object.values(operation.responses ?? {})])
      for (const { schema } of Object.values(part?.content ?? {})) if (schema) describeProperties(schema, "");
  }
  return document;
}

function describeProperties(schema: Schema, name: string): void {
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const description = property.description ?? fieldWords[`${name}.${key}`] ?? fieldWords[key];
    if (description) property.description = description;
    describeProperties(property, name);
  }
  const { items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  for (const part of [items, additionalProperties, ...anyOf, ...oneOf, ...allOf])
    if (typeof part === "object") describeProperties(part, name);
}
