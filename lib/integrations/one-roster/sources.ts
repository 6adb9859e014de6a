import { eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  OneRosterSource,
  type OneRosterSourceCreate,
  type OneRosterSourceQuery,
  type OneRosterSyncCreate,
} from "../../../schema/api/integrations/one-roster-sources.ts";
import { oneRosterSources } from "../../../schema/db/integrations/one-roster.ts";
import type { AuditAction } from "../../../schema/enums.ts";
import type { Config } from "../../config.ts";
import { badRequest, invalidField, notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  ensureAllowedInUniversity,
  getUniversity,
  rethrowMissingUniversityAsNotFound,
} from "../../identity/universities/universities.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPage, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { encryptSourceSecret } from "./source-secret.ts";

export type SourcePath = { university_id: number; one_roster_source_id: number };

type Settings = Pick<Config, "ENVIRONMENT" | "SECRET_KEY" | "SECRET_KEY_PREVIOUS">;

const one = alias(oneRosterSources, "one");

const columns = {
  id: one.id,
  university_id: one.university_id,
  name: one.name,
  service_url: one.service_url,
  token_url: one.token_url,
  client_id: one.client_id,
  created_by_user_id: one.created_by_user_id,
  mode: one.mode,
  state: one.state,
  due_at: one.due_at,
  ended_at: one.ended_at,
  synced_at: one.synced_at,
  failure: one.failure,
  removals: one.removals,
  import_id: one.import_id,
  created_at: one.created_at,
};

/** 404 without the university, 403 for non-administrators. */
export async function listOneRosterSources(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  query: OneRosterSourceQuery,
): Promise<JsonListPage<OneRosterSource>> {
  await ensureAllowedInUniversity(db, actor, "import:manage", universityId);
  const page = createPageQuery(query, [ascending(one.id)]);
  return queryJsonPage(
    db,
    page.rows(columns, sql`one_roster_sources as one`, eq(one.university_id, universityId)),
  );
}

/** The first sync is due immediately. 400 for an address in use, 422 for one without https. */
export async function createOneRosterSource(
  db: Db,
  config: Settings,
  actor: Actor,
  universityId: number,
  input: OneRosterSourceCreate,
  now: Date,
): Promise<OneRosterSource> {
  await ensureAllowedInUniversity(db, actor, "import:manage", universityId);
  for (const field of ["service_url", "token_url"] as const)
    if (config.ENVIRONMENT !== "development" && !/^https:/i.test(input[field]))
      throw invalidField([field], "Input should be an https address");
  const secret = encryptSourceSecret(input.client_secret, universityId, config);
  const written = sql`
    insert into one_roster_sources (university_id, name, service_url, token_url, client_id, secret_ciphertext,
                                    created_by_user_id, mode, state, due_at)
    values (${universityId}, ${input.name}, ${input.service_url}, ${input.token_url}, ${input.client_id}, ${secret},
            ${actor.id}, 'full', 'requested', ${now.toISOString()})
    on conflict (university_id, service_url) do nothing returning *`;
  const [created] = await audited(db, actor, "one_roster_source.created", written).catch(
    rethrowMissingUniversityAsNotFound,
  );
  if (!created) throw badRequest("one_roster_source_taken");
  return created;
}

/** Imported people and classes stay. 404 if the university has none. */
export async function removeOneRosterSource(db: Db, actor: Actor, path: SourcePath): Promise<void> {
  await ensureAllowedInUniversity(db, actor, "import:manage", path.university_id);
  const written = sql`delete from one_roster_sources as one where ${pathCondition(path)} returning one.*`;
  const removed = await audited(db, actor, "one_roster_source.removed", written);
  if (removed.length === 0) await throwMissingSource(db, path);
}

/** Within a minute, in the actor's name. 404 as above, 400 if nothing awaits confirmation. */
export async function requestOneRosterSync(
  db: Db,
  actor: Actor,
  path: SourcePath,
  { mode }: OneRosterSyncCreate,
  now: Date,
): Promise<OneRosterSource> {
  await ensureAllowedInUniversity(db, actor, "import:manage", path.university_id);
  const [requested] = await rowsOf(
    db,
    OneRosterSource,
    sql`
      update one_roster_sources as one
      set mode = ${mode.toLowerCase()}, state = 'requested', due_at = ${now.toISOString()}, tries = 0, failure = null,
          created_by_user_id = ${actor.id}, updated_at = ${now.toISOString()}
      where ${pathCondition(path)} and (${mode !== "CONFIRMED"} or one.state = 'unconfirmed')
      returning ${wireColumnsSql(columns)}`,
  );
  if (requested) return requested;
  await ensureThere(db, path);
  throw badRequest("one_roster_nothing_to_confirm");
}

const pathCondition = ({ university_id, one_roster_source_id }: SourcePath): SQL =>
  sql`one.id = ${one_roster_source_id} and one.university_id = ${university_id}`;

function audited(db: Db, actor: Actor, action: AuditAction, written: SQL): Promise<OneRosterSource[]> {
  const details = sql`jsonb_build_object('one_roster_source_id', one.id, 'name', one.name, 'service_url', one.service_url)`;
  const act = { action, actor: actor.id, university: sql`one.university_id`, details };
  return rowsOf(
    db,
    OneRosterSource,
    sql`
      with written as (${written}), audited as (${insertAuditEventsQuery(act, sql`written as one`)})
      select ${wireColumnsSql(columns)} from written as one`,
  );
}

const Found = z.object({ id: z.int() });

async function ensureThere(db: ReadDb, path: SourcePath): Promise<void> {
  const statement = sql`select one.id from one_roster_sources as one where ${pathCondition(path)}`;
  const [found] = await rowsOf(db, Found, statement);
  if (!found) await throwMissingSource(db, path);
}

async function throwMissingSource(db: ReadDb, { university_id }: SourcePath): Promise<never> {
  await getUniversity(db, university_id);
  throw notFound("OneRoster source");
}
