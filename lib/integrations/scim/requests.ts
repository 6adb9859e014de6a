import { and, sql } from "drizzle-orm";
import * as z from "zod";
import type { DirectoryRequest, DirectoryRequestQuery } from "../../../schema/api/identity/directory.ts";
import { scimRequests } from "../../../schema/db/integrations/scim.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { ensureAllowedInUniversity } from "../../identity/universities/universities.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../../platform/db/query/page.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { changeInSteps } from "../../platform/db/query/steps.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";

const Key = z.object({ id: z.int(), name: z.string() });

const columns = {
  id: scimRequests.id,
  asked_at: scimRequests.asked_at,
  api_key: typedSql(Key)`(
    select json_build_object('id', key.id, 'name', key.name) from api_keys as key where key.id = scim_requests.api_key_id)`,
  method: scimRequests.method,
  path: scimRequests.path,
  user_name: typedSql(z.string().nullable())`(
    select record.user_name from scim_users as record
    where record.university_id = scim_requests.university_id
      and record.id = substring(scim_requests.path from '^/Users/([0-9]{1,9})$')::int)`,
  status: scimRequests.status,
  scim_type: scimRequests.scim_type,
  detail: scimRequests.detail,
  request_id: scimRequests.request_id,
};

/** Newest first; 404 if there is none, 403 unless administrator. */
export async function listDirectoryRequests(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  { is_refused, ...query }: DirectoryRequestQuery,
): Promise<JsonListPage<DirectoryRequest>> {
  await ensureAllowedInUniversity(db, actor, "directory:manage", universityId);
  const page = createPageQuery(query, [descending(scimRequests.asked_at), descending(scimRequests.id)]);
  const wanted = and(
    sql`scim_requests.university_id = one.id`,
    is_refused === undefined ? undefined : sql`(scim_requests.status >= 400) = ${is_refused}::boolean`,
  );
  const listed = await queryJsonPageOfOwner<DirectoryRequest>(
    db,
    sql`universities as one where one.id = ${universityId}`,
    page.rows(columns, sql`scim_requests`, wanted),
  );
  if (!listed) throw notFound("University");
  return listed;
}

const directoryRequestsDeletedPerStep = 5000;

/** Deletes the log after 30 days; returns the number of rows. */
export const pruneDirectoryRequests = (
  { db, now }: Pick<Deps, "db" | "now">,
  signal: AbortSignal,
): Promise<number> =>
  changeInSteps(
    db,
    { rows: directoryRequestsDeletedPerStep, signal },
    (rows) => sql`
      delete from scim_requests where id = any (array(
        select id from scim_requests where asked_at < ${now().toISOString()}::timestamptz - interval '30 days'
        order by asked_at limit ${rows} for update skip locked))
      returning id`,
  );
