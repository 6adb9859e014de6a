import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  defaultMinRetentionDays,
  minRetentionDaysByKind,
  proposedDays,
  type Retention,
  type RetentionUpdate,
} from "../../../schema/api/operations/retention.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { retentionKinds } from "../../../schema/enums.ts";
import { badRequest } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  explainUniversityRightRefusal,
  universityIfRightHeldQuery,
} from "../../identity/universities/offices.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";

/*
 * Deletion waits for a policy, then 30 days, and until its dry run was read:
 * schema/functions/operations/retention.sql.
 */

/** Delay before a new policy takes effect. */
const waitMs = 30 * 24 * 60 * 60 * 1000;

const defaultArchiveDays = 5 * 365;

export const universityWithRetentionRightQuery = (actor: Actor, universityId: number): SQL =>
  universityIfRightHeldQuery(actor, universityId, "retention:write");

const Stored = z.object({
  stored: z
    .object({
      archive_days: z.int(),
      periods: z.array(
        z.object({
          kind: z.enum(retentionKinds),
          days: z.int(),
          set_at: StoredInstant,
          counted_at: StoredInstant.nullable(),
        }),
      ),
    })
    .nullable(),
});

type Period = Retention["periods"][number];

function shown({ stored }: z.output<typeof Stored>): Retention {
  const known = new Map(stored?.periods.map((period) => [period.kind, period]));
  return {
    archive_days: stored?.archive_days ?? defaultArchiveDays,
    periods: retentionKinds.map((kind): Period => {
      const period = known.get(kind);
      const set_at = period ? toInstant(period.set_at) : null;
      return {
        ...{ kind, days: period?.days ?? null, set_at },
        proposed_days: proposedDays[kind] ?? null,
        least_days: minRetentionDaysByKind[kind] ?? defaultMinRetentionDays,
        counted_at: period?.counted_at ? toInstant(period.counted_at) : null,
        first_run_at: set_at && new Date(Date.parse(set_at) + waitMs).toISOString(),
      };
    }),
  };
}

/** 404 without the university, 403 without the permission. */
export async function getRetention(db: ReadDb, actor: Actor, universityId: number): Promise<Retention> {
  const [row] = await rowsOf(
    db,
    Stored,
    sql`select (
      select settings from retention_settings where university_id = permitted.id) as stored from (${universityWithRetentionRightQuery(actor, universityId)}) as permitted`,
  );
  return row ? shown(row) : explainUniversityRightRefusal(db, universityId);
}

/**
 * Audited. Shorter and new periods wait for the delay and the dry run. 400 if grades would be deleted before
 * their attempts, 404 and 403 as above.
 */
export async function setRetention(
  db: Db,
  actor: Actor,
  universityId: number,
  { kinds = {}, archive_days }: RetentionUpdate,
  now: Date,
): Promise<Retention> {
  const [row] = await rowsOf(
    db,
    Stored,
    sql`
      select set_retention_policy(permitted.id, ${JSON.stringify(kinds)}::jsonb, ${archive_days ?? null}::int, ${actor.id},
        ${now.toISOString()}, ${requestAuditJson()}::jsonb) as stored
      from (${universityWithRetentionRightQuery(actor, universityId)}) as permitted`,
  ).catch(throwGradesFirst);
  return row ? shown(row) : explainUniversityRightRefusal(db, universityId);
}

function throwGradesFirst(error: unknown): never {
  const isThat = constraintViolationIn(error)?.constraint === "retention_grades_last";
  throw isThat ? badRequest("grades_kept_shorter") : error;
}
