import { isDeepStrictEqual } from "node:util";
import { PatchOp } from "scimmy/messages";
import { SCIMError } from "scimmy/types";
import { isObject, mendOperations, mendResource, type Operation } from "./entra.ts";
import { invalidValue, patchSchema, ScimError } from "./protocol.ts";
import { enterpriseSchema, User, userSchema } from "./schemas.ts";

type Json = Record<string, unknown>;

/** More than any client sends at once of one person. */
const mostOperations = 1000;

/** A User as a client sent it, with what the schemas know alone. 400 for what they refuse. */
export function readUser(body: Json): Json {
  const { schemas } = body;
  if (!Array.isArray(schemas) || !schemas.includes(userSchema))
    throw new ScimError(400, `schemas should have '${userSchema}'`, "invalidSyntax");
  const { groups: _, ...own } = body;
  return asScim(() => plain(new User(mendResource(own), "in")));
}

/** The operations of a PATCH. 400 for what is none. */
export function readOperations(body: Json): Operation[] {
  const operations = body["Operations"] ?? body["operations"];
  if (!Array.isArray(body["schemas"]) || !body["schemas"].includes(patchSchema))
    throw new ScimError(400, `schemas should have '${patchSchema}'`, "invalidSyntax");
  if (!Array.isArray(operations) || operations.length === 0 || !operations.every(isObject))
    throw new ScimError(400, "Operations should be a list of operations", "invalidSyntax");
  if (operations.length > mostOperations)
    throw new ScimError(413, `At most ${mostOperations} operations are done at once`, "tooMany");
  return operations;
}

/** A User as the operations make it, its `active` null where they remove it; undefined where they change nothing. 400 for what cannot be done. */
export async function patchUser(stored: Json, operations: readonly Operation[]): Promise<Json | undefined> {
  try {
    let now = stored;
    // One after the other, as each may need what the one before it added.
    for (const operation of operations)
      for (const regular of mendOperations([operation], now)) now = await applied(now, regular);
    if (isDeepStrictEqual(now, stored)) return undefined;
    return "active" in stored && !("active" in now) ? { ...now, active: null } : now;
  } catch (error) {
    throw asScimError(error);
  }
}

async function applied(resource: Json, operation: Operation): Promise<Json> {
  if (isRemovalOfExtension(operation)) {
    const { [enterpriseSchema]: _, ...rest } = resource;
    return rest;
  }
  const patch = new PatchOp({ schemas: [patchSchema], Operations: [operation as never] });
  // With an id, so that none is given.
  const changed = await patch.apply(new User({ ...resource, id: "0" }, "both"));
  return changed ? plain(changed) : resource;
}

/** Which scimmy cannot do. */
const isRemovalOfExtension = ({ op, path }: Operation): boolean =>
  String(op).toLowerCase() === "remove" && String(path).toLowerCase() === enterpriseSchema.toLowerCase();

/** What of a resource is the client's. */
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

/** What scimmy refuses; what else goes wrong is a fault of ours. */
function asScimError(error: unknown): unknown {
  if (error instanceof SCIMError) return new ScimError(400, error.message, error.scimType as never);
  return error instanceof TypeError ? invalidValue(error.message) : error;
}
