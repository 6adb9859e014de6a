import { and, count, desc, eq, getViewSelectedFields, sql } from "drizzle-orm";
import * as z from "zod";
import type {
  Prompt,
  PromptCreate,
  PromptVersionPage,
  PromptVersionQuery,
} from "../../../schema/api/tutor/prompts.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { promptVersions } from "../../../schema/db/tutor/prompts.ts";
import { badRequest, forbidden, notFound } from "../../errors.ts";
import { insertAuditEventsQuery } from "../../identity/audit/record.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { visiblePersonCondition } from "../../identity/users/visibility.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsDecodedByColumns, rowsOf, typedSql } from "../../platform/db/query/rows.ts";
import type { ExpectedVersions } from "../../platform/db/query/versions.ts";
import { type ConfigBounds, ensureConfigWithinBounds } from "./config.ts";
import { lockPromptNameAtVersionSql } from "./current-version.ts";
import { maxPromptReferenceDepth, maxResolvedPromptCharacters } from "./inline.ts";
import { auditPromptVersionsSql, labelsProtectedFromActor } from "./labels.ts";
import { promptSummary } from "./lookup.ts";
import { countReferences } from "./references.ts";
import { latestIsAutomaticError, translatePromptRefusal } from "./refusals.ts";
import { knownVariables } from "./variables.ts";

/**
 * Creates the next version, which becomes `latest`. 403 without the right to a protected label, or if a
 * protected version reaches `latest` or one of the labels, naming it. 400 for the label `latest`, a `config`
 * outside the bounds, a reference to itself, or unknown variables of a tutor's prompt unless allowed. 400
 * with the path if the version, or a prompt that follows its labels, could not be resolved. 412 on a version
 * conflict, 404 if a version is expected of an unknown name.
 */
export async function createVersion(
  db: Db,
  actor: Actor,
  input: PromptCreate,
  {
    protectedLabels,
    bounds,
    tutorPrompt,
  }: { protectedLabels: readonly string[]; bounds: ConfigBounds; tutorPrompt: string },
  expected: ExpectedVersions,
): Promise<Prompt> {
  const { name, prompt, config, labels, tags, commit_message } = input;
  const guarded = labelsProtectedFromActor(actor, protectedLabels);
  if (labels.some((label) => guarded.includes(label))) throw forbidden();
  if (labels.includes("latest")) throw latestIsAutomaticError();
  ensureConfigWithinBounds(config, bounds);
  const references = countReferences(prompt);
  if (references.some((reference) => reference.child_name === name))
    throw badRequest("prompt_references_itself", { name, same: name });

  const wanted = JSON.stringify({
    ...{ prompt, config, labels, references, commit_message },
    tags: tags && [...new Set(tags)],
    ...(!input.allow_unknown_variables && { tutor: { prompt: tutorPrompt, variables: knownVariables } }),
  });
  const created = sql`create_prompt_version(
    ${lockPromptNameAtVersionSql(name, expected)}, ${wanted}::jsonb, ${sql.param(guarded)}::text[], ${actor.id}, ${maxPromptReferenceDepth}, ${maxResolvedPromptCharacters})`;
  const columns = getViewSelectedFields(promptVersions);
  const [version] = await translatePromptRefusal(
    rowsDecodedByColumns(db, columns, auditPromptVersionsSql(actor, "prompt.version_created", created)),
    () => promptSummary(db, name),
  );
  if (!version) throw notFound("Prompt");
  return version;
}

/** Newest first, with their number; 404 without such a prompt. Hides creators that the caller may not see. */
export async function listVersions(
  db: ReadDb,
  actor: Actor,
  name: string,
  { page, page_size }: PromptVersionQuery,
): Promise<PromptVersionPage> {
  const { id, version, labels, name_version, commit_message, created_by, created_at } = promptVersions;
  const ofName = eq(promptVersions.name, name);
  const rows = await db
    .select({
      listed: {
        id,
        name: promptVersions.name,
        version,
        labels,
        name_version,
        commit_message,
        created_by,
        created_at,
      },
      creator: { id: users.id, full_name: users.full_name },
      total: typedSql(z.int())`(count(*) over ())::int`,
    })
    .from(promptVersions)
    .leftJoin(users, and(sql`${users.id} = ${created_by}::int`, visiblePersonCondition(actor)))
    .where(ofName)
    .orderBy(desc(version))
    .offset((page - 1) * page_size)
    .limit(page_size);
  const versions = rows.map(({ listed, creator }) => ({ ...listed, creator }));
  if (rows[0]) return { versions, total: rows[0].total };

  const [all] = await db.select({ total: count() }).from(promptVersions).where(ofName);
  if (!all?.total) throw notFound("Prompt");
  return { versions, total: all.total };
}

const Deletion = z.object({ deleted: z.boolean() });

/**
 * Deletes one version, or all; 404 if there is none, 400 while others depend on it, 412 on a version
 * conflict.
 */
export async function deleteVersions(
  db: Db,
  actor: Actor,
  name: string,
  version: number | null,
  expected: ExpectedVersions,
): Promise<void> {
  const details = sql`jsonb_strip_nulls(jsonb_build_object('name', ${name}::text, 'version', ${version}::int))`;
  const deleted = sql`
    with deletion as materialized (
      select delete_prompt_versions(${lockPromptNameAtVersionSql(name, expected)}, ${version}::int, ${actor.id}, ${maxPromptReferenceDepth}, ${maxResolvedPromptCharacters})
        as deleted
    ), audited as (
      ${insertAuditEventsQuery({ action: "prompt.deleted", actor: actor.id, details }, sql`(select from deletion where deleted) as one`)}
    )
    select deleted from deletion`;
  const [deletion] = await translatePromptRefusal(rowsOf(db, Deletion, deleted), () =>
    promptSummary(db, name),
  );
  if (!deletion?.deleted) throw notFound(version === null ? "Prompt" : "Prompt version");
}
