import { and, eq, getViewSelectedFields, type SQL, sql } from "drizzle-orm";
import type { Prompt, PromptLabelEvent, PromptLabelHistoryQuery } from "../../../schema/api/tutor/prompts.ts";
import { promptLabelEvents, promptVersions } from "../../../schema/db/tutor/prompts.ts";
import type { AuditAction } from "../../../schema/enums.ts";
import { notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { can } from "../../identity/rbac/policy.ts";
import { visiblePersonCondition } from "../../identity/users/visibility.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../../platform/db/query/page.ts";
import { rowsDecodedByColumns } from "../../platform/db/query/rows.ts";
import type { ExpectedVersions } from "../../platform/db/query/versions.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { lockPromptNameAtVersionSql, readPromptVersion } from "./current-version.ts";
import { maxPromptReferenceDepth, maxResolvedPromptCharacters } from "./inline.ts";
import { translatePromptRefusal } from "./refusals.ts";

export const labelsProtectedFromActor = (
  actor: Actor,
  protectedLabels: readonly string[],
): readonly string[] => (can(actor.roles, "prompt:protected-label") ? [] : protectedLabels);

/**
 * Sets exactly these labels on a version; they move from other versions, `latest` stays. 404 without such a
 * version. 403 if a protected label changes or a protected version reaches one, naming it. 400 for `latest`
 * on another version than the newest, and with the path if a prompt that follows one of the labels would
 * break. 412 on a version conflict.
 */
export async function setLabels(
  db: Db,
  actor: Actor,
  { name, version, labels }: { name: string; version: number; labels: readonly string[] },
  protectedLabels: readonly string[],
  expected: ExpectedVersions,
): Promise<Prompt> {
  const guarded = labelsProtectedFromActor(actor, protectedLabels);
  const labelled = sql`set_prompt_labels(
    ${lockPromptNameAtVersionSql(name, expected)}, ${version}, ${sql.param(labels)}::text[], ${sql.param(guarded)}::text[], ${actor.id},
    ${maxPromptReferenceDepth}, ${maxResolvedPromptCharacters})`;
  const columns = getViewSelectedFields(promptVersions);
  const [prompt] = await translatePromptRefusal(
    rowsDecodedByColumns(db, columns, auditPromptVersionsSql(actor, "prompt.labels_set", labelled)),
    () => readPromptVersion(db, name, version),
  );
  if (!prompt) throw notFound("Prompt version");
  return prompt;
}

/** With an audit entry for each. */
export function auditPromptVersionsSql(actor: Actor, action: AuditAction, versions: SQL): SQL {
  const details = sql`jsonb_build_object('name', name, 'version', version, 'labels', labels)`;
  return sql`
    with changed as materialized (select * from ${versions}),
    audited as (${insertAuditEventsQuery({ action, actor: actor.id, details }, sql`changed`)})
    select * from changed`;
}

/**
 * Newest first, even if the name was deleted; null for people that the caller may not see. 404 if it never
 * existed.
 */
export async function labelHistory(
  db: ReadDb,
  actor: Actor,
  name: string,
  { label, ...window }: PromptLabelHistoryQuery,
): Promise<JsonListPage<PromptLabelEvent>> {
  const { id, from_version, to_version, changed_at } = promptLabelEvents;
  const changed_by = sql`(
    select json_build_object('id', users.id, 'full_name', full_name) from users
    where users.id = ${promptLabelEvents.changed_by} and ${visiblePersonCondition(actor)})`;
  const ofLabel = label ? eq(promptLabelEvents.label, label) : undefined;
  const found = await queryJsonPageOfOwner<PromptLabelEvent>(
    db,
    sql`(
      select 1 from prompt_names where name = ${name} union select 1 from prompt_label_events where name = ${name}
    ) as known`,
    createPageQuery(window, [descending(changed_at), descending(id)]).rows(
      { id, label: promptLabelEvents.label, from_version, to_version, changed_at, changed_by },
      sql`${promptLabelEvents}`,
      and(eq(promptLabelEvents.name, name), ofLabel),
    ),
  );
  if (!found) throw notFound("Prompt");
  return found;
}
