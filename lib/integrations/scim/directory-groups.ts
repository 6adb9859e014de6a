import { type SQL, sql } from "drizzle-orm";
import {
  DirectoryGroup,
  type DirectoryGroupMapping,
  type DirectoryGroupQuery,
} from "../../../schema/api/identity/directory.ts";
import { scimGroups } from "../../../schema/db/integrations/scim.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { ensureAllowedInUniversity, getUniversity } from "../../identity/universities/universities.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";

const columns = {
  id: scimGroups.id,
  display_name: scimGroups.display_name,
  external_id: scimGroups.external_id,
  role: scimGroups.role,
  member_count: sql`(select count(*) from scim_group_members as member where member.group_id = scim_groups.id)::int`,
  updated_at: scimGroups.updated_at,
};

/** 404 if there is none, 403 unless administrator. */
export async function listDirectoryGroups(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  query: DirectoryGroupQuery,
): Promise<JsonListPage<DirectoryGroup>> {
  await ensureAllowedInUniversity(db, actor, "directory:manage", universityId);
  const page = createPageQuery(query, [ascending(scimGroups.id)]);
  const found = await queryJsonPage<DirectoryGroup>(
    db,
    page.rows(columns, sql`scim_groups`, sql`scim_groups.university_id = ${universityId}`),
  );
  if (found.text === "[]") await getUniversity(db, universityId);
  return found;
}

const Mapped = DirectoryGroup.extend({ updated_at: StoredInstant });

/** The id is unique within its university. */
type GroupPath = { university_id: number; directory_group_id: number };

/** A group's members get the role, or none. 404 if the university has no such group. */
export async function mapDirectoryGroup(
  db: Db,
  actor: Actor,
  { university_id, directory_group_id }: GroupPath,
  { role }: DirectoryGroupMapping,
): Promise<DirectoryGroup> {
  await ensureAllowedInUniversity(db, actor, "directory:manage", university_id);
  const wanted: SQL = sql`${role?.toLowerCase() ?? null}::text`;
  const [mapped] = await rowsOf(
    db,
    Mapped,
    sql`select ${wireColumnsSql(columns)}
        from map_scim_group_to_role(${university_id}, ${directory_group_id}, ${wanted}, ${actor.id}, ${requestAuditJson()}::jsonb) as scim_groups`,
  );
  if (mapped) return mapped;
  await getUniversity(db, university_id);
  throw notFound("Group");
}
