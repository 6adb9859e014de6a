import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { ScimBody, ScimQuery } from "../../../schema/api/integrations/scim.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { formatErrorMessage } from "../../error-codes.ts";
import type { ActingApiKey } from "../../identity/auth/acting-key.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { expectedVersionsSql } from "../../platform/db/query/versions.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import type { ScimPatchOperation } from "./entra.ts";
import { type ScimAttributeLookup, scimFilterToSql } from "./filter.ts";
import { toScimWindow } from "./page.ts";
import {
  parseScimId,
  ScimError,
  scimNotFoundError,
  scimWriteError,
  versionConflictError,
} from "./protocol.ts";
import { scimEnterpriseUserSchemaUrn } from "./schemas.ts";
import { applyPatchToUser, parsePatchOperations, parseScimUser } from "./scimmy.ts";
import {
  type ScimUserColumns,
  type StoredScimUser,
  toScimUserColumns,
  userAsSentByClient,
} from "./user-record.ts";

export type ScimProvisioner = { id: number; key: ActingApiKey };

const stored = z.custom<StoredScimUser>();

const storedJson = (record: SQL): SQL => sql`json_build_object(
  'id', (${record}).id, 'version', (${record}).version, 'is_active', (${record}).is_active,
  'attributes', (${record}).attributes, 'created_at', ${momentForm(sql`(${record}).created_at`)},
  'updated_at', ${momentForm(sql`(${record}).updated_at`)}, 'groups', (
    select coalesce(json_agg(json_build_object('value', one.id::text, 'display', one.display_name) order by one.id), '[]')
    from scim_group_members as member join scim_groups as one on one.id = member.group_id
    where member.scim_user_id = (${record}).id))`;

const Page = z.object({ total: z.int(), users: z.array(stored) });

export async function listScimUsers(
  db: ReadDb,
  { key }: ScimProvisioner,
  query: ScimQuery,
): Promise<{ total: number; startIndex: number; users: StoredScimUser[] }> {
  const { startIndex, count } = toScimWindow(query);
  const [page] = await rowsOf(
    db,
    Page,
    sql`
    with found as materialized (
      select record.id from scim_users as record
      where record.university_id = ${key.university_id} and ${scimFilterToSql(query.filter, userAttributes)}
    ), page as (
      select record.* from scim_users as record
      where record.id in (select id from found order by id limit ${count} offset ${startIndex - 1})
    )
    select (select count(*) from found)::int as total,
      (select coalesce(json_agg(${storedJson(sql`record`)} order by record.id), '[]') from page as record) as users`,
  );
  return { total: page?.total ?? 0, startIndex, users: page?.users ?? [] };
}

const One = z.object({ record: stored });

/** 404 if the key's university has none. */
export async function getScimUser(db: ReadDb, { key }: ScimProvisioner, id: string): Promise<StoredScimUser> {
  const [found] = await rowsOf(
    db,
    One,
    sql`select ${storedJson(sql`record`)} as record from scim_users as record
        where record.id = ${parseIdOrZero(id)} and record.university_id = ${key.university_id}`,
  );
  if (!found) throw scimNotFoundError("User", id);
  return found.record;
}

/** 409 for a userName or externalId in use, 400 for an invalid User. */
export const createScimUser = (db: Db, by: ScimProvisioner, body: ScimBody): Promise<StoredScimUser> =>
  write(db, by, { id: null, wanted: toScimUserColumns(parseScimUser(body)) });

/** 404 if there is none, 412 on a version conflict; otherwise errors as for creation. */
export const replaceScimUser = (
  db: Db,
  by: ScimProvisioner,
  id: string,
  body: ScimBody,
  expected: readonly number[] | undefined,
): Promise<StoredScimUser> => write(db, by, { id, wanted: toScimUserColumns(parseScimUser(body)), expected });

/** All operations or none. Errors as for replacement. */
export async function patchScimUser(
  db: Db,
  by: ScimProvisioner,
  id: string,
  body: ScimBody,
  expected: readonly number[] | undefined,
): Promise<StoredScimUser> {
  const operations = parsePatchOperations(body);
  const present = await getScimUser(db, by, id);
  try {
    return await patched(db, by, present, operations, expected);
  } catch (error) {
    const isOvertaken = error instanceof ScimError && error.status === 412;
    if (!isOvertaken || expected) throw error;
  }
  // Locks the row, so each of several concurrent writes is applied once.
  return db.transaction(async (held) => {
    await held.execute(sql`
      select from scim_users where id = ${present.id} and university_id = ${by.key.university_id} for update`);
    return patched(held, by, await getScimUser(held, by, id), operations, undefined);
  });
}

async function patched(
  db: Db,
  by: ScimProvisioner,
  present: StoredScimUser,
  operations: readonly ScimPatchOperation[],
  expected: readonly number[] | undefined,
): Promise<StoredScimUser> {
  if (expected && !expected.includes(present.version)) throw versionConflictError();
  const changed = await applyPatchToUser(userAsSentByClient(present), operations);
  if (!changed) return present;
  return write(db, by, {
    id: String(present.id),
    wanted: toScimUserColumns(changed),
    expected: [present.version],
  });
}

const Deleted = z.object({ outcome: z.enum(["missing", "stale", "deleted"]) });

/** Revokes what the directory granted. Errors as for replacement. */
export async function deleteScimUser(
  db: Db,
  { id: actor, key }: ScimProvisioner,
  id: string,
  expected: readonly number[] | undefined,
): Promise<void> {
  const [done] = await rowsOf(
    db,
    Deleted,
    sql`select delete_scim_user(${key.university_id}, ${parseIdOrZero(id)}, ${expectedVersionsSql(expected)}, ${actor},
          ${requestAuditJson()}::jsonb) as outcome`,
  );
  if (done?.outcome !== "deleted") throw scimWriteError(done?.outcome, "User", id);
}

export const parseIdOrZero = (id: string): number => parseScimId(id) ?? 0;

type Write = { id: string | null; wanted: ScimUserColumns; expected?: readonly number[] | undefined };

const Written = z.object({ outcome: z.enum(["missing", "stale", "written"]), record: stored });

async function write(
  db: Db,
  { id: actor, key }: ScimProvisioner,
  { id, wanted, expected }: Write,
): Promise<StoredScimUser> {
  const [done] = await rowsOf(
    db,
    Written,
    sql`select outcome, ${storedJson(sql`done.record`)} as record
        from create_or_replace_scim_user(${key.university_id}, ${id === null ? null : parseIdOrZero(id)}::int, ${JSON.stringify(wanted)}::jsonb,
          ${expectedVersionsSql(expected)}, ${actor}, ${requestAuditJson()}::jsonb) as done`,
  ).catch(rethrowScimConflict);
  if (done?.outcome !== "written") throw scimWriteError(done?.outcome, "User", String(id));
  return done.record;
}

const unique: Record<string, string> = {
  scim_users_user_name_key: "A User with this userName exists",
  scim_users_external_id_key: "A User with this externalId exists",
  scim_groups_external_id_key: "A Group with this externalId exists",
};

/** Throws 409 for a unique field in use, 400 for an inactive university, else the error. */
export function rethrowScimConflict(error: unknown): never {
  const constraint = constraintViolationIn(error)?.constraint ?? "";
  if (constraint === "university_is_active")
    throw new ScimError(400, formatErrorMessage("university_inactive"), "invalidValue");
  const said = unique[constraint];
  throw said ? new ScimError(409, said, "uniqueness") : error;
}

const columns = new Map<string, ReturnType<ScimAttributeLookup>>(
  Object.entries({
    id: { kind: "text", value: sql`record.id::text`, exact: true },
    username: { kind: "text", value: sql`record.user_name` },
    externalid: { kind: "text", value: sql`record.external_id`, exact: true },
    active: { kind: "flag", value: sql`record.is_active` },
    "meta.resourcetype": { kind: "text", value: sql`'User'::text` },
    "meta.created": { kind: "moment", value: sql`record.created_at` },
    "meta.lastmodified": { kind: "moment", value: sql`record.updated_at` },
  }),
);

const named = (paths: readonly string[]) =>
  new Map(paths.map((path) => [path.toLowerCase(), path.split(".")]));

const texts = named([
  ..."displayName nickName profileUrl title userType preferredLanguage locale timezone".split(" "),
  ..."formatted familyName givenName middleName honorificPrefix honorificSuffix"
    .split(" ")
    .map((one) => `name.${one}`),
]);
const lists = named(["emails", "phoneNumbers", "addresses", "roles", "entitlements", "ims", "photos"]);
const ofEnterprise = named(["employeeNumber", "costCenter", "organization", "division", "department"]);

const userAttributes: ScimAttributeLookup = (asked) => {
  const path = asked.replace(/^urn:ietf:params:scim:schemas:core:2\.0:user:/, "");
  const column = columns.get(path);
  if (column) return column;
  const text = texts.get(path);
  if (text) return { kind: "text", value: sql`record.attributes #>> ${sql.param(text)}::text[]` };
  if (path.startsWith(`${scimEnterpriseUserSchemaUrn.toLowerCase()}:`)) {
    const [name] = ofEnterprise.get(path.slice(scimEnterpriseUserSchemaUrn.length + 1)) ?? [];
    const value = sql`record.attributes #>> ${sql.param([scimEnterpriseUserSchemaUrn, name ?? ""])}::text[]`;
    return name === undefined ? undefined : { kind: "text", value };
  }
  const [outer = "", inner = "value", ...rest] = path.split(".");
  const [name] = lists.get(outer) ?? [];
  if (name === undefined || rest.length > 0) return undefined;
  const list = sql`jsonb_array_elements(record.attributes -> ${name}::text) as item`;
  const field = ["value", "type", "display", "primary"].find((one) => one === inner);
  if (field === undefined) return undefined;
  return field === "primary"
    ? { kind: "flag", value: sql`(item ->> 'primary')::boolean`, list }
    : { kind: "text", value: sql`item ->> ${field}::text`, list };
};
