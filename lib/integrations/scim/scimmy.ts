import { isDeepStrictEqual } from "node:util";
import { PatchOp } from "scimmy/messages";
import { SCIMError } from "scimmy/types";
import { isObject, normalizeScimPatch, normalizeScimResource, type ScimPatchOperation } from "./entra.ts";
import { ScimError, scimInvalidValueError, scimPatchSchemaUrn } from "./protocol.ts";
import { scimEnterpriseUserSchemaUrn, scimUserSchemaUrn, User } from "./schemas.ts";

type Json = Record<string, unknown>;

/** No client sends more for one person. */
const maxScimPatchOperations = 1000;

/** 400 if the known schemas reject the User. */
export function parseScimUser(body: Json): Json {
  const { schemas } = body;
  if (!Array.isArray(schemas) || !schemas.includes(scimUserSchemaUrn))
    throw new ScimError(400, `schemas should have '${scimUserSchemaUrn}'`, "invalidSyntax");
  const { groups: _, ...own } = body;
  return asScim(() => plain(new User(normalizeScimResource(own), "in")));
}

/** 400 if the operations are invalid. */
export function parsePatchOperations(body: Json): ScimPatchOperation[] {
  const operations = body["Operations"] ?? body["operations"];
  if (!Array.isArray(body["schemas"]) || !body["schemas"].includes(scimPatchSchemaUrn))
    throw new ScimError(400, `schemas should have '${scimPatchSchemaUrn}'`, "invalidSyntax");
  if (!Array.isArray(operations) || operations.length === 0 || !operations.every(isObject))
    throw new ScimError(400, "Operations should be a list of operations", "invalidSyntax");
  if (operations.length > maxScimPatchOperations)
    throw new ScimError(413, `A request can have at most ${maxScimPatchOperations} operations`, "tooMany");
  return operations;
}

/** `active` becomes null if removed. Undefined if nothing changes, 400 for impossible operations. */
export async function applyPatchToUser(
  stored: Json,
  operations: readonly ScimPatchOperation[],
): Promise<Json | undefined> {
  try {
    let now = stored;
    // In sequence: an operation may need what the previous one added.
    for (const operation of operations)
      for (const regular of normalizeScimPatch([operation], now)) now = await applied(now, regular);
    if (isDeepStrictEqual(now, stored)) return undefined;
    return "active" in stored && !("active" in now) ? { ...now, active: null } : now;
  } catch (error) {
    throw asScimError(error);
  }
}

async function applied(resource: Json, operation: ScimPatchOperation): Promise<Json> {
  if (isRemovalOfExtension(operation)) {
    const { [scimEnterpriseUserSchemaUrn]: _, ...rest } = resource;
    return rest;
  }
  const patch = new PatchOp({ schemas: [scimPatchSchemaUrn], Operations: [operation as never] });
  // A given id stops scimmy from creating one.
  const changed = await patch.apply(new User({ ...resource, id: "0" }, "both"));
  return changed ? plain(changed) : resource;
}

/** scimmy cannot remove an extension. */
const isRemovalOfExtension = ({ op, path }: ScimPatchOperation): boolean =>
  String(op).toLowerCase() === "remove" &&
  String(path).toLowerCase() === scimEnterpriseUserSchemaUrn.toLowerCase();

function plain(resource: object): Json {
  const { schemas: _, id: __, meta: ___, ...own } = JSON.parse(JSON.stringify(resource));
  return own;
}

function asScim<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asScimError(error);
  }
}

/** Any error that is not scimmy's is a bug of ours. */
function asScimError(error: unknown): unknown {
  if (error instanceof SCIMError) return new ScimError(400, error.message, error.scimType as never);
  return error instanceof TypeError ? scimInvalidValueError(error.message) : error;
}
