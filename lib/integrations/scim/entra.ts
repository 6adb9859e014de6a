import { ensureNoPrototypeNames } from "./reject-prototype-names.ts";
import { scimEnterpriseUserSchemaUrn } from "./schemas.ts";

/* Normalizes requests of directories that deviate from RFC 7644, above all Microsoft Entra ID. */

type Json = Record<string, unknown>;

export type ScimPatchOperation = { op?: unknown; path?: unknown; value?: unknown };

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const flags = new Set(["active", "primary"]);

/** Converts `"False"` to false. */
const mendFlag = (value: unknown): unknown =>
  typeof value === "string" && /^(true|false)$/i.test(value.trim()) ? /^true$/i.test(value.trim()) : value;

/** Booleans as booleans, no nulls, and `name.familyName` as a nested field. */
export function normalizeScimResource(resource: Json): Json {
  const mended: Json = {};
  for (const [key, value] of Object.entries(resource)) {
    if (value === null || value === undefined) continue;
    ensureNoPrototypeNames(key, "invalidSyntax");
    const [target, name] = placeOf(mended, key);
    target[name] = mendValue(name, value);
  }
  return mended;
}

/** A nested key: `name.familyName`, or an attribute after its schema. */
function placeOf(within: Json, key: string): [target: Json, name: string] {
  const isEnterprise = key.startsWith(`${scimEnterpriseUserSchemaUrn}:`);
  const at = isEnterprise
    ? scimEnterpriseUserSchemaUrn.length
    : key.startsWith("urn:")
      ? -1
      : key.indexOf(".");
  if (at < 0) return [within, key];
  const outer = key.slice(0, at);
  const inner = isObject(within[outer]) ? within[outer] : {};
  within[outer] = inner;
  return [inner, key.slice(at + 1)];
}

function mendValue(name: string, value: unknown): unknown {
  if (flags.has(name)) return mendFlag(value);
  if (name === "manager" && typeof value === "string") return { value };
  if (Array.isArray(value)) return value.map((one) => (isObject(one) ? normalizeScimResource(one) : one));
  if (!isObject(value)) return value;
  // An extension that repeats its own schema inside.
  const { schemas: _, ...own } = value;
  return normalizeScimResource(own);
}

/**
 * Matches `emails[type eq "work"].value`: list, field, wanted value, and the field to set. Bounded parts keep
 * matching fast.
 */
const selected =
  /^(\w{1,64})\[\s{0,9}(\w{1,64})\s{1,9}eq\s{1,9}"?([^"\]]{0,255})"?\s{0,9}\](?:\.(\w{1,64}))?$/i;

/** Read-only attributes that clients send back. */
const readOnly = new Set(["id", "schemas", "meta", "groups"]);

/** Normalizes a PATCH to RFC 7644, into operations that scimmy can apply. */
export function normalizeScimPatch(
  operations: readonly ScimPatchOperation[],
  resource: Json,
): ScimPatchOperation[] {
  return operations.flatMap((operation) => spread(operation)).map((operation) => mended(operation, resource));
}

/** An operation without a path becomes one for each key that is a path. */
function spread(operation: ScimPatchOperation): ScimPatchOperation[] {
  const { op, path, value } = operation;
  if ((path !== undefined && path !== "") || !isObject(value)) return [operation];
  const own = Object.entries(value).filter(([key]) => !readOnly.has(key));
  const paths = own.filter(([key]) => key.includes("["));
  const rest = Object.fromEntries(own.filter(([key]) => !key.includes("[")));
  const isEmpty = Object.keys(rest).length === 0;
  return [
    ...(isEmpty ? [] : [{ op, value: rest }]),
    ...paths.map(([key, one]) => ({ op, path: key, value: one })),
  ];
}

function mended({ op, path, value }: ScimPatchOperation, resource: Json): ScimPatchOperation {
  if (typeof path !== "string" || path === "")
    return { op, value: isObject(value) ? normalizeScimResource(value) : mendValue("", value) };
  ensureNoPrototypeNames(path, "invalidPath");
  const name = path.split(/[.:]/).at(-1) ?? path;
  const isRemoval = typeof op === "string" && op.toLowerCase() === "remove";
  // Replacing by nothing means removing.
  if (value === null || value === "") return { op: "remove", path };
  const regular = mendValue(name, value);
  if (isRemoval) return { op, path };
  const missing = selected.exec(path);
  return missing ? added(missing, { op, path, value: regular }, resource) : { op, path, value: regular };
}

/** Adds a missing value, with the field that it should have been found by. */
function added(found: RegExpExecArray, operation: ScimPatchOperation, resource: Json): ScimPatchOperation {
  const [, list = "", by = "", wanted = "", field] = found;
  const present = resource[list];
  const isThere =
    Array.isArray(present) &&
    present.some((one) => isObject(one) && String(one[by]).toLowerCase() === wanted.toLowerCase());
  if (isThere) return operation;
  const own =
    field === undefined && isObject(operation.value)
      ? operation.value
      : { [field ?? "value"]: operation.value };
  return { op: "add", path: list, value: [{ [by]: flags.has(by) ? mendFlag(wanted) : wanted, ...own }] };
}
