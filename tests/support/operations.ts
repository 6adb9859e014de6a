import { readFileSync } from "node:fs";
import { allEndpointGroups } from "../../functions/groups.ts";
import type { Contract } from "../../lib/http/endpoint.ts";
import { openApiPath } from "../../lib/http/paths.ts";
import { documentFile } from "../../scripts/build/openapi/write.ts";

/** The part of JSON Schema that the API document uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
  example?: unknown;
  examples?: unknown[];
};

type Parameter = { name: string; in: "path" | "query"; required?: boolean; schema: Schema };

export type Operation = {
  name: string;
  method: string;
  /** Relative to the API prefix, with parameters in braces. */
  path: string;
  contract: Contract;
  parameters: Parameter[];
  body: Schema | undefined;
  statuses: number[];
};

type Documented = {
  parameters?: (Parameter | { in: "header" })[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
  responses: Record<string, unknown>;
};

/** The committed document; tests/repo/openapi.test.ts compares it with the code. */
const document = JSON.parse(readFileSync(documentFile, "utf8")) as {
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, Schema> };
};

/** All operations under the API prefix, in the groups' order. */
export const operations: Operation[] = allEndpointGroups
  .filter((group) => !group.atRoot)
  .flatMap((group) =>
    group.endpoints.map(({ contract }) => {
      const path = openApiPath("", group, contract);
      const described = document.paths[`/api/v1${path}`]?.[contract.method];
      if (!described) throw new Error(`${contract.method} ${path} is not in the API document`);
      return {
        name: `${contract.method.toUpperCase()} ${path}`,
        method: contract.method.toUpperCase(),
        path,
        contract,
        parameters: (described.parameters ?? []).filter((one) => one.in !== "header"),
        body: resolved(described.requestBody?.content["application/json"].schema),
        statuses: Object.keys(described.responses).map(Number),
      };
    }),
  );

export function resolved<S extends Schema | undefined>(schema: S): S {
  const name = schema?.$ref?.split("/").at(-1);
  return name ? (document.components.schemas[name] as S) : schema;
}

/** Request values by parameter or field name. A name prefixed with an operation's id takes precedence. */
export type Values = Record<string, unknown>;

/** The operation's path with these values. Throws if a value is missing. */
export function pathOf({ name, path }: Operation, values: Values): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    if (values[parameter] === undefined) throw new Error(`${name}: nothing is known for ${parameter}`);
    return encodeURIComponent(String(values[parameter]));
  });
}

/** The path with these values, and with ids in the query. */
export function addressOf(operation: Operation, values: Values): string {
  const ids = operation.parameters.filter(
    ({ name, in: where }) => where === "query" && name.endsWith("_id") && values[name] !== undefined,
  );
  const query = new URLSearchParams(ids.map(({ name }): [string, string] => [name, String(values[name])]));
  return pathOf(operation, values) + (query.size > 0 ? `?${query}` : "");
}

/** The path with these values and all required query parameters. */
export const fullAddressOf = (operation: Operation, values: Values): string =>
  withQuery(addressOf(operation, values), operation.parameters.filter(isRequiredWord));

/** The same path once for each optional query parameter, with a valid value. */
export const queriesOf = (operation: Operation, values: Values): string[] =>
  operation.parameters
    .filter((one) => one.in === "query" && !one.name.endsWith("_id") && !one.required)
    .map((one) => withQuery(fullAddressOf(operation, values), [one]));

const isRequiredWord = ({ name, in: where, required }: Parameter): boolean =>
  where === "query" && required === true && !name.endsWith("_id");

function withQuery(address: string, parameters: readonly Parameter[]): string {
  const query = new URLSearchParams(
    parameters.map(({ name, schema }): [string, string] => [name, String(sampleOf(schema))]),
  );
  if (query.size === 0) return address;
  return `${address}${address.includes("?") ? "&" : "?"}${query}`;
}

/** A valid body: required and known fields or, if there are none, one change. */
export function bodyOf({ body, contract, path }: Operation, values: Values): object | undefined {
  if (!body) return undefined;
  if (typesOf(body)[0] === "array") return [];
  // Only one of a person's id, email and external id; none in operations on the caller's own data.
  const names = body.properties?.["user_id"] ? ["email", "external_id", "user_id"] : [];
  // In these operations the caller acts on others.
  const isOwn = contract.access.open === "own data" && !/\/(accommodations|holds|data-requests)$/.test(path);
  const unnamed = isOwn ? names : names.slice(0, 2);
  const fields = Object.entries(body.properties ?? {}).filter(([name]) => !unnamed.includes(name));
  const change = fields.find(([, field]) => isFreeText(field)) ?? fields[0];
  // Null: the operation accepts this field, but not together with the others.
  const given = (name: string) => {
    const own = values[`${contract.id}.${name}`];
    return own === undefined ? values[name] : own;
  };
  const chosen = body.required
    ? fields.filter(([name]) => body.required?.includes(name) || (given(name) ?? null) !== null)
    : fields.filter(
        (field) =>
          field === change ||
          field[0] === "user_id" ||
          (values[`${contract.id}.${field[0]}`] ?? null) !== null,
      );
  return Object.fromEntries(
    chosen.map(([name, field]) => [name, given(name) === null ? null : (given(name) ?? sampleOf(field))]),
  );
}

/** The place of an id in a request: a parameter, or a field at any depth of the body. */
export type IdField = { in: "path" | "query" | "body"; name: string; path: (string | number)[] };

export const idFieldsOf = ({ parameters, body }: Operation): IdField[] => [
  ...parameters
    .filter(({ name }) => name.endsWith("_id"))
    .map(({ name, in: where }) => ({ in: where, name, path: [name] })),
  ...(body ? idFieldsIn(body, []) : []),
];

function idFieldsIn(given: Schema, path: IdField["path"]): IdField[] {
  const schema = resolved(given);
  const deeper = schema.items ? idFieldsIn(schema.items, [...path, 0]) : [];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]): IdField[] =>
    /_ids?$/.test(name) ? [{ in: "body", name, path: [...path, name] }] : idFieldsIn(field, [...path, name]),
  );
  return [...deeper, ...fields];
}

export function withValue(body: unknown, [step, ...further]: IdField["path"], value: unknown): unknown {
  if (step === undefined) return value;
  const inner = withValue((body as Record<string | number, unknown> | undefined)?.[step], further, value);
  return typeof step === "number" ? [inner] : { ...(body as object), [step]: inner };
}

/** A value that the schema accepts. */
export function sampleOf(given: Schema): unknown {
  const schema = resolved(given);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  switch (typesOf(schema)[0]) {
    case "string":
      return "sample";
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "array":
      return schema.items ? [sampleOf(schema.items)] : [];
    default:
      return {};
  }
}

export const typesOf = ({ type = [] }: Schema): string[] => [type].flat();

const isFreeText = (schema: Schema): boolean =>
  typesOf(schema).includes("string") && (schema.maxLength ?? 0) >= 255 && !schema.pattern && !schema.format;
