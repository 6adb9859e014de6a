import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { ScimBody, ScimQuery } from "../../../schema/api/integrations/scim.ts";
import { momentForm } from "../../../schema/db/platform/columns.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { expectedVersionsSql } from "../../platform/db/query/versions.ts";
import { type ScimAttributeLookup, scimFilterToSql } from "./filter.ts";
import { parseScimGroup, toGroupChanges } from "./group-changes.ts";
import { isAttributeRequested, toScimWindow } from "./page.ts";
import { scimInvalidValueError, scimNotFoundError, scimWriteError } from "./protocol.ts";
import { scimGroupSchemaUrn } from "./schemas.ts";
import { parsePatchOperations } from "./scimmy.ts";
import { scimResourceMeta } from "./user-record.ts";
import { parseIdOrZero, rethrowScimConflict, type ScimProvisioner } from "./users.ts";

type Member = { value: string };

/** `members` only if requested. */
export type StoredGroup = {
  id: number;
  version: number;
  display_name: string;
  external_id: string | null;
  created_at: string;
  updated_at: string;
  members: Member[] | null;
};

const stored = z.custom<StoredGroup>();

const storedJson = (one: SQL, members: SQL): SQL => sql`json_build_object(
  'id', (${one}).id, 'version', (${one}).version, 'display_name', (${one}).display_name,
  'external_id', (${one}).external_id, 'created_at', ${momentForm(sql`(${one}).created_at`)},
  'updated_at', ${momentForm(sql`(${one}).updated_at`)}, 'members', ${members})`;

/** On a page of groups, which limits the response size. */
const maxScimMembersPerPage = 20_000;

const membersOf = (query: ScimQuery): SQL =>
  isAttributeRequested("members", query)
    ? sql`(select scim_group_values.members from scim_group_values where group_id = one.id)`
    : sql`null::json`;

const Page = z.object({ total: z.int(), groups: z.array(stored) });

/** Shorter than requested if the Groups have very many members. */
export async function listScimGroups(
  db: ReadDb,
  { key }: ScimProvisioner,
  query: ScimQuery,
): Promise<{ total: number; startIndex: number; groups: StoredGroup[] }> {
  const { startIndex, count } = toScimWindow(query);
  const size = isAttributeRequested("members", query)
    ? sql`(select count(*) from scim_group_members as member where member.group_id = one.id)`
    : sql`0`;
  const [page] = await rowsOf(
    db,
    Page,
    sql`
    with found as materialized (
      select one.id from scim_groups as one
      where one.university_id = ${key.university_id} and ${scimFilterToSql(query.filter, groupAttributes)}
    ), sized as (
      select one.*, sum(${size}) over (order by one.id) as up_to, row_number() over (order by one.id) as nth
      from scim_groups as one
      where one.id in (select id from found order by id limit ${count} offset ${startIndex - 1})
    ), page as (
      select one.* from scim_groups as one
      where one.id in (select id from sized where nth = 1 or up_to <= ${maxScimMembersPerPage})
    )
    select (select count(*) from found)::int as total,
      (select coalesce(json_agg(${storedJson(sql`one`, membersOf(query))} order by one.id), '[]') from page as one) as groups`,
  );
  return { total: page?.total ?? 0, startIndex, groups: page?.groups ?? [] };
}

const One = z.object({ written: stored });

/** With members unless excluded; 404 if the key's university has none. */
export async function getScimGroup(
  db: ReadDb,
  { key }: ScimProvisioner,
  id: string,
  query: ScimQuery,
): Promise<StoredGroup> {
  const [found] = await rowsOf(
    db,
    One,
    sql`select ${storedJson(sql`one`, membersOf(query))} as written from scim_groups as one
        where one.id = ${parseIdOrZero(id)} and one.university_id = ${key.university_id}`,
  );
  if (!found) throw scimNotFoundError("Group", id);
  return found.written;
}

/** 409 for an externalId in use, 400 for unknown members. */
export const createScimGroup = (db: Db, by: ScimProvisioner, body: ScimBody): Promise<StoredGroup> =>
  write(db, by, { id: null, wanted: parseScimGroup(body) });

/**
 * Replaces the members too. 404 if there is none, 412 on a version conflict; otherwise errors as for
 * creation.
 */
export const replaceScimGroup = (
  db: Db,
  by: ScimProvisioner,
  id: string,
  body: ScimBody,
  expected: readonly number[] | undefined,
): Promise<StoredGroup> => write(db, by, { id, wanted: parseScimGroup(body), expected });

/** In one statement, however many members the Group has. Errors as for replacement. */
export const patchScimGroup = (
  db: Db,
  by: ScimProvisioner,
  id: string,
  body: ScimBody,
  expected: readonly number[] | undefined,
): Promise<StoredGroup> =>
  write(db, by, { id, wanted: toGroupChanges(parsePatchOperations(body)), expected, answersMembers: false });

const Deleted = z.object({ outcome: z.enum(["missing", "stale", "deleted"]) });

/** Revokes what the Group granted. Errors as for replacement. */
export async function deleteScimGroup(
  db: Db,
  { id: actor, key }: ScimProvisioner,
  id: string,
  expected: readonly number[] | undefined,
): Promise<void> {
  const [done] = await rowsOf(
    db,
    Deleted,
    sql`select delete_scim_group(${key.university_id}, ${parseIdOrZero(id)}, ${expectedVersionsSql(expected)}, ${actor},
          ${requestAuditJson()}::jsonb) as outcome`,
  );
  if (done?.outcome !== "deleted") throw scimWriteError(done?.outcome, "Group", id);
}

export function toScimGroup(group: StoredGroup, base: string): Record<string, unknown> & { id: string } {
  const { members } = group;
  return {
    schemas: [scimGroupSchemaUrn],
    id: String(group.id),
    ...(group.external_id !== null && { externalId: group.external_id }),
    displayName: group.display_name,
    ...(members && {
      members: members.map((one) => ({ ...one, $ref: `${base}/Users/${one.value}`, type: "User" })),
    }),
    meta: scimResourceMeta("Group", group, base),
  };
}

type Write = {
  id: string | null;
  wanted: object;
  expected?: readonly number[] | undefined;
  answersMembers?: boolean;
};

const Written = z.object({ outcome: z.enum(["missing", "stale", "written"]), written: stored });

async function write(
  db: Db,
  { id: actor, key }: ScimProvisioner,
  { id, wanted, expected, answersMembers = true }: Write,
): Promise<StoredGroup> {
  const [done] = await rowsOf(
    db,
    Written,
    sql`select outcome, ${storedJson(sql`done.written`, sql`members`)} as written
        from create_or_update_scim_group(${key.university_id}, ${id === null ? null : parseIdOrZero(id)}::int, ${JSON.stringify(wanted)}::jsonb,
          ${expectedVersionsSql(expected)}, ${answersMembers}, ${actor}, ${requestAuditJson()}::jsonb) as done`,
  ).catch(throwUnknownMember);
  if (done?.outcome !== "written") throw scimWriteError(done?.outcome, "Group", String(id));
  return done.written;
}

function throwUnknownMember(error: unknown): never {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ((cause as { code?: unknown }).code === "SCIMM")
      throw scimInvalidValueError("Each member should be the id of a User");
  return rethrowScimConflict(error);
}

const columns = new Map<string, ReturnType<ScimAttributeLookup>>(
  Object.entries({
    id: { kind: "text", value: sql`one.id::text`, exact: true },
    displayname: { kind: "text", value: sql`one.display_name` },
    externalid: { kind: "text", value: sql`one.external_id`, exact: true },
    "meta.resourcetype": { kind: "text", value: sql`'Group'::text` },
    "meta.created": { kind: "moment", value: sql`one.created_at` },
    "meta.lastmodified": { kind: "moment", value: sql`one.updated_at` },
    members: member(),
    "members.value": member(),
  }),
);

function member(): ReturnType<ScimAttributeLookup> {
  const list = sql`(select scim_user_id from scim_group_members where group_id = one.id) as member`;
  return { kind: "text", value: sql`member.scim_user_id::text`, exact: true, list };
}

const groupAttributes: ScimAttributeLookup = (asked) =>
  columns.get(asked.replace(/^urn:ietf:params:scim:schemas:core:2\.0:group:/, ""));
