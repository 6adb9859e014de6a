import { Email } from "../../../schema/api/platform/email.ts";
import { isObject } from "./entra.ts";
import { formatWeakEtag, scimInvalidValueError, scimPath } from "./protocol.ts";
import { scimEnterpriseUserSchemaUrn, scimUserSchemaUrn } from "./schemas.ts";

type Json = Record<string, unknown>;

/** Columns of `scim_users` derived from the User, stored with the sent attributes. */
export type ScimUserColumns = {
  user_name: string;
  external_id: string | null;
  email: string | null;
  full_name: string;
  is_active: boolean;
  attributes: Json;
};

const maxScimUserTextCharacters = 255;
const maxScimUserJsonCharacters = 32_768;

/** 400 for values that are too long. */
export function toScimUserColumns(user: Json): ScimUserColumns {
  const { active, ...attributes } = user;
  if (JSON.stringify(attributes).length > maxScimUserJsonCharacters)
    throw scimInvalidValueError(`A User can have at most ${maxScimUserJsonCharacters} characters`);
  const name = isObject(user["name"]) ? user["name"] : {};
  const user_name = shortText("userName", user["userName"]) ?? "";
  if (user_name === "") throw scimInvalidValueError("userName should not be empty");
  shortText("name.givenName", name["givenName"]);
  shortText("name.familyName", name["familyName"]);
  return {
    user_name,
    external_id: shortText("externalId", user["externalId"]) || null,
    email: addressOf(user, user_name),
    full_name: fullNameOf(user, name, user_name).slice(0, maxScimUserTextCharacters),
    is_active: active !== false,
    attributes: active === null ? { ...attributes, active } : attributes,
  };
}

function shortText(path: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = String(value).trim();
  if (text.length > maxScimUserTextCharacters)
    throw scimInvalidValueError(`${path} should have at most ${maxScimUserTextCharacters} characters`);
  return text;
}

/** The primary email, else type work, else the first, else the userName if it is an address. */
function addressOf(user: Json, userName: string): string | null {
  const emails = (Array.isArray(user["emails"]) ? user["emails"] : []).filter(isObject);
  const chosen =
    emails.find(({ primary }) => primary === true) ?? emails.find(({ type }) => type === "work") ?? emails[0];
  for (const text of [chosen?.["value"], userName]) {
    const read = Email.safeParse(text);
    if (read.success) return read.data;
  }
  return null;
}

function fullNameOf(user: Json, name: Json, userName: string): string {
  const parts = [name["givenName"], name["familyName"]].filter(
    (part) => typeof part === "string" && part !== "",
  );
  const candidates = [user["displayName"], name["formatted"], parts.join(" "), userName];
  return String(candidates.find((one) => typeof one === "string" && one.trim() !== "")).trim();
}

export type StoredScimUser = {
  id: number;
  version: number;
  is_active: boolean;
  attributes: Json;
  created_at: string;
  updated_at: string;
  groups: { value: string; display: string }[];
};

/** As the client sent it, with `active` unless the client removed it. */
export function userAsSentByClient({
  attributes: { active, ...attributes },
  is_active,
}: StoredScimUser): Json {
  return active === null ? attributes : { ...attributes, active: is_active };
}

export function toScimUser(stored: StoredScimUser, base: string): Json & { id: string } {
  const { attributes, groups } = stored;
  const isExtended = attributes[scimEnterpriseUserSchemaUrn] !== undefined;
  return {
    schemas: [scimUserSchemaUrn, ...(isExtended ? [scimEnterpriseUserSchemaUrn] : [])],
    id: String(stored.id),
    ...userAsSentByClient(stored),
    ...(groups.length > 0 && {
      groups: groups.map((one) => ({ ...one, $ref: `${base}/Groups/${one.value}`, type: "direct" })),
    }),
    meta: scimResourceMeta("User", stored, base),
  };
}

type Stored = Pick<StoredScimUser, "id" | "version" | "created_at" | "updated_at">;

export const scimResourceMeta = (
  resourceType: "User" | "Group",
  { id, version, created_at, updated_at }: Stored,
  base: string,
) => ({
  resourceType,
  created: created_at,
  lastModified: updated_at,
  location: scimLocationUrl(resourceType, id, base),
  version: formatWeakEtag(version),
});

export const scimLocationUrl = (resourceType: "User" | "Group", id: number, base: string): string =>
  `${base}/${resourceType}s/${id}`;

export const scimBase = (publicUrl: string): string => publicUrl + scimPath;
