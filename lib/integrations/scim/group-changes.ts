import { isObject, normalizeScimResource, type ScimPatchOperation } from "./entra.ts";
import { parseScimId, ScimError, scimInvalidValueError } from "./protocol.ts";
import { scimGroupSchemaUrn } from "./schemas.ts";

/* Changes for the database, which has the members: they are never loaded, however many. */

/** `members` replaces all; `added` and `removed` change the existing ones. */
export type GroupChanges = {
  display_name?: string;
  external_id?: string | null;
  members?: number[];
  added?: number[];
  removed?: number[];
};

const maxScimGroupTextCharacters = 255;
const maxScimMembersPerRequest = 50_000;

/** 400 if the client's Group is invalid. */
export function parseScimGroup(body: Record<string, unknown>): GroupChanges {
  if (!Array.isArray(body["schemas"]) || !body["schemas"].includes(scimGroupSchemaUrn))
    throw new ScimError(400, `schemas should have '${scimGroupSchemaUrn}'`, "invalidSyntax");
  const { displayName, externalId, members } = normalizeScimResource(body);
  return {
    display_name: nameOf(displayName),
    external_id: externalId === undefined ? null : textOf("externalId", externalId),
    members: membersIn(members ?? []),
  };
}

/** The net result of PATCH operations, in order; 400 for attributes that a Group lacks. */
export function toGroupChanges(operations: readonly ScimPatchOperation[]): GroupChanges {
  const changes: GroupChanges = {};
  for (const operation of operations) {
    const op = typeof operation.op === "string" ? operation.op.toLowerCase() : "";
    if (!["add", "replace", "remove"].includes(op))
      throw new ScimError(400, `'${String(operation.op).slice(0, 64)}' is not an operation`, "invalidSyntax");
    for (const [path, value] of targetsOf(op, operation)) change(changes, op, path, value);
  }
  if (changes.members) {
    const { members, added = [], removed = [], ...rest } = changes;
    const left = new Set(removed);
    return {
      ...rest,
      members: membersIn([...members, ...added].filter((id) => !left.has(id)).map(asMember)),
    };
  }
  return changes;
}

const asMember = (id: number) => ({ value: String(id) });

function targetsOf(op: string, { path, value }: ScimPatchOperation): [path: string, value: unknown][] {
  if (path !== undefined && typeof path !== "string")
    throw new ScimError(400, "A path should be a text", "invalidPath");
  if (path) return [[path, value]];
  if (op === "remove") throw new ScimError(400, "'remove' needs a path", "noTarget");
  if (!isObject(value)) throw scimInvalidValueError("Without a path the value should be an object");
  return Object.entries(value).filter(([name]) => !["id", "schemas", "meta"].includes(name));
}

const oneMember = /^members\[\s*value\s+eq\s+"([^"\]]{1,32})"\s*\]$/i;

function change(changes: GroupChanges, op: string, path: string, value: unknown): void {
  const name = path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:Group:/i, "");
  const member = oneMember.exec(name);
  switch (member ? "member" : name.toLowerCase()) {
    case "member":
      changeMembers(changes, op, [{ value: member?.[1] }]);
      return;
    case "displayname":
      changes.display_name = nameOf(op === "remove" ? undefined : value);
      return;
    case "externalid":
      changes.external_id = op === "remove" || value === null ? null : textOf("externalId", value);
      return;
    case "members":
      changeMembers(changes, op, value);
      return;
    default:
      throw new ScimError(
        400,
        `A Group has no attribute '${path.slice(0, 64)}' that can be changed`,
        "invalidPath",
      );
  }
}

/** The last operation on a member wins. */
function changeMembers(changes: GroupChanges, op: string, value: unknown): void {
  const isOfAll = value === undefined || value === null;
  if (op === "replace" || (op === "remove" && isOfAll)) {
    changes.members = op === "replace" ? membersIn(isOfAll ? [] : value) : [];
    changes.added = [];
    changes.removed = [];
    return;
  }
  const named = new Set(membersIn(value));
  const others = (ids: number[] = []) => ids.filter((id) => !named.has(id));
  const isAdded = op === "add";
  changes.added = [...others(changes.added), ...(isAdded ? named : [])];
  changes.removed = [...others(changes.removed), ...(isAdded ? [] : named)];
}

function membersIn(value: unknown): number[] {
  const listed = Array.isArray(value) ? value : [value];
  if (listed.length > maxScimMembersPerRequest)
    throw new ScimError(413, `A request can name at most ${maxScimMembersPerRequest} members`, "tooMany");
  const ids = listed.map((one) => {
    const id = parseScimId(isObject(one) ? one["value"] : one);
    if (id === undefined || (isObject(one) && String(one["type"] ?? "User").toLowerCase() !== "user"))
      throw scimInvalidValueError("Each member should be the id of a User");
    return id;
  });
  return [...new Set(ids)];
}

const nameOf = (value: unknown): string => {
  const name = value === undefined ? "" : textOf("displayName", value);
  if (name === "") throw scimInvalidValueError("displayName should not be empty");
  return name;
};

function textOf(path: string, value: unknown): string {
  if (typeof value !== "string") throw scimInvalidValueError(`${path} should be a text`);
  const text = value.trim();
  if (text.length > maxScimGroupTextCharacters)
    throw scimInvalidValueError(`${path} should have at most ${maxScimGroupTextCharacters} characters`);
  return text;
}
