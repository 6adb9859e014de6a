import { type SQL, sql } from "drizzle-orm";
import type { Rollout, RolloutPath } from "../../../schema/api/tutor/rollouts.ts";
import type { Deps } from "../../deps.ts";
import { conflict, forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { maxPromptReferenceDepth, maxResolvedPromptCharacters } from "../prompts/inline.ts";
import { labelsProtectedFromActor } from "../prompts/labels.ts";
import { translatePromptRefusal } from "../prompts/refusals.ts";
import { canMoveProductionLabel, RolloutRow, rolloutJsonSql } from "./rollout-json.ts";

type EndDeps = Pick<Deps, "db" | "config" | "metrics">;

/**
 * Labels the candidate as production; a job then warms its topics. 403: the candidate's author, or users who
 * may not move the label. 404: no such rollout. 409: it has ended.
 */
export async function promoteRollout(deps: EndDeps, actor: Actor, path: RolloutPath): Promise<Rollout> {
  const guarded = labelsProtectedFromActor(actor, deps.config.PROTECTED_PROMPT_LABELS);
  const rollout = await end(
    deps,
    actor,
    path,
    sql`promote_rollout(one.id, ${sql.param(guarded)}::text[], ${actor.id}, ${maxPromptReferenceDepth}, ${maxResolvedPromptCharacters},
      ${requestAuditJson()}::jsonb)`,
    { byAuthor: false },
  );
  deps.metrics.rolloutEnded("promoted");
  return rollout;
}

/** Notifies the candidate's author and approver. Errors as above, but the author may stop it. */
export async function stopRollout(deps: EndDeps, actor: Actor, path: RolloutPath): Promise<Rollout> {
  const rollout = await end(
    deps,
    actor,
    path,
    sql`stop_rollout_and_notify(one.id, 'by_hand', ${actor.id}, ${requestAuditJson()}::jsonb)`,
    { byAuthor: true },
  );
  deps.metrics.rolloutEnded("by_hand");
  return rollout;
}

async function end(
  { db, config }: EndDeps,
  actor: Actor,
  { prompt_name, rollout_id }: RolloutPath,
  verb: SQL,
  { byAuthor }: { byAuthor: boolean },
): Promise<Rollout> {
  if (!canMoveProductionLabel(actor, config.PROTECTED_PROMPT_LABELS)) throw forbidden();
  const named = sql`one.id = ${rollout_id} and one.prompt_name = ${prompt_name}`;
  const others = sql`(${byAuthor} or one.author_id is distinct from ${actor.id})`;
  const ended = rowsOf(
    db,
    RolloutRow,
    sql`select ${rolloutJsonSql(sql`ended`)} as rollout
        from prompt_rollouts as one cross join lateral ${verb} as ended where ${named} and ${others}`,
  );
  const [row] = await translatePromptRefusal(ended);
  if (row) return row.rollout;
  const [now] = await rowsOf(
    db,
    RolloutRow,
    sql`select ${rolloutJsonSql(sql`one`)} as rollout from prompt_rollouts as one where ${named}`,
  );
  if (!now) throw notFound("Rollout");
  if (!byAuthor && now.rollout.author_id === actor.id) throw forbidden("another_approves");
  throw conflict("rollout_ended");
}
