import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Trial, type TrialPath } from "../../../schema/api/tutor/trials.ts";
import { badRequest } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { editableTrialWithIdCondition } from "./editable-trials.ts";
import { caseCountSql, getTrial, trialJsonSql } from "./read.ts";

const Changed = z.object({ trial: Trial });

/** 404 if the caller may not see it, 400 if already started. */
export const startTrial = (db: Db, actor: Actor, path: TrialPath): Promise<Trial> =>
  change(
    db,
    actor,
    path,
    sql`with changed as (
          update trials as trial set state = 'running', started_at = service_now()
          where ${editableTrialWithIdCondition(actor, path)} and trial.state = 'ready' returning trial.*)
        select ${trialJsonSql(sql`trial`, caseCountSql)} as trial from changed as trial`,
    "trial_started",
  );

/** Calls in progress finish, the rest is cancelled. 404 as above, 400 if it has ended. */
export const stopTrial = (db: Db, actor: Actor, path: TrialPath): Promise<Trial> =>
  change(
    db,
    actor,
    path,
    sql`select ${trialJsonSql(sql`changed`, caseCountSql)} as trial
        from trials as trial cross join lateral stop_trial(trial.id) as changed where ${editableTrialWithIdCondition(actor, path)}`,
    "trial_ended",
  );

async function change(
  db: Db,
  actor: Actor,
  path: TrialPath,
  statement: SQL,
  refusal: "trial_started" | "trial_ended",
): Promise<Trial> {
  const [changed] = await rowsOf(db, Changed, statement);
  if (changed) return changed.trial;
  await getTrial(db, actor, path);
  throw badRequest(refusal);
}
