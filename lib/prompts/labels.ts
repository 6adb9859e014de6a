import { and, desc, eq, getViewSelectedFields, sql } from "drizzle-orm";
import type { Prompt, PromptLabelEvent, PromptLabelHistoryQuery } from "../../schema/api/prompts.ts";
import { promptLabelEvents, promptNames, promptVersions } from "../../schema/db/prompts.ts";
import { users } from "../../schema/db/users.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { storedRowsOf } from "../db/rows.ts";
import { notFound } from "../errors.ts";
import { can } from "../rbac/policy.ts";
import { maxDepth, maxResolvedLength } from "./inline.ts";
import { translateRefusal } from "./refusals.ts";

/** The protected labels that this caller may neither put on, nor move, nor take off. */
export const protectedLabelsFor = (actor: Actor, protectedLabels: readonly string[]): readonly string[] =>
  can(actor.roles, "prompt:protected-label") ? [] : protectedLabels;

/**
 * Sets a version's labels to exactly these; those that stood on other versions move, `latest` stays where it is.
 * 404 without such a version, 403 when a protected label would change, or one that a protected version reaches, which
 * it names; 400 for `latest` on a version that does not carry it, and when a prompt that follows one of the labels
 * would break: with the path.
 */
export async function setLabels(
  db: Db,
  actor: Actor,
  { name, version, labels }: { name: string; version: number; labels: readonly string[] },
  protectedLabels: readonly string[],
): Promise<Prompt> {
  const guarded = protectedLabelsFor(actor, protectedLabels);
  const labelled = sql`set_prompt_labels(
    ${name}, ${version}, ${sql.param(labels)}::text[], ${sql.param(guarded)}::text[], ${actor.id},
    ${maxDepth}, ${maxResolvedLength})`;
  const columns = getViewSelectedFields(promptVersions);
  const [prompt] = await translateRefusal(storedRowsOf(db, columns, sql`select * from ${labelled}`));
  if (!prompt) throw notFound("Prompt version");
  return prompt;
}

/**
 * Who put, moved or took off the labels of a name, newest first, also of a name that was deleted. 404 when there
 * never was one.
 */
export async function labelHistory(
  db: Db,
  name: string,
  { label, skip, limit }: PromptLabelHistoryQuery,
): Promise<PromptLabelEvent[]> {
  const { id, from_version, to_version, changed_at } = promptLabelEvents;
  const ofLabel = label ? eq(promptLabelEvents.label, label) : undefined;
  const rows = await db
    .select({
      event: { id, label: promptLabelEvents.label, from_version, to_version, changed_at },
      changed_by: { id: users.id, full_name: users.full_name },
    })
    .from(promptLabelEvents)
    .leftJoin(users, eq(users.id, promptLabelEvents.changed_by))
    .where(and(eq(promptLabelEvents.name, name), ofLabel))
    .orderBy(desc(changed_at), desc(id))
    .offset(skip)
    .limit(limit);
  if (rows.length === 0) await ensureKnown(db, name);
  return rows.map(({ event, changed_by }) => ({ ...event, changed_by }));
}

async function ensureKnown(db: Db, name: string): Promise<void> {
  const known = sql`exists (select from prompt_label_events where name = ${name})`;
  const { rows } = await db.execute(sql`
    select from ${promptNames} where name = ${name} union all select where ${known} limit 1`);
  if (rows.length === 0) throw notFound("Prompt");
}
