import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  leastDays,
  leastOfOthers,
  proposedDays,
  type Retention,
  type RetentionUpdate,
} from "../../schema/api/retention.ts";
import { toInstant } from "../../schema/db/columns.ts";
import { retentionKinds } from "../../schema/enums.ts";
import { requestFacts } from "../async/request-context.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db, ReadDb } from "../db/client.ts";
import { rowsOf, StoredInstant } from "../db/query/rows.ts";
import { refusalIn } from "../db/query/violations.ts";
import { badRequest } from "../errors.ts";
import { explainOfficeRefusal, whereOffice } from "../universities/offices.ts";

/*
 * How long a university keeps what its people leave behind. Nothing is forgotten before it has said so, for 30 days after it
 * has, and before a dry run of that was read: schema/functions/retention.sql.
 */

/** How long nothing is forgotten by what was just set. */
const waitMs = 30 * 24 * 60 * 60 * 1000;

const usualArchiveDays = 5 * 365;

/** The university's row, where the caller holds the office. */
export const permitted = (actor: Actor, universityId: number): SQL =>
  whereOffice(actor, universityId, "retention:write");

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
    archive_days: stored?.archive_days ?? usualArchiveDays,
    periods: retentionKinds.map((kind): Period => {
      const period = known.get(kind);
      const set_at = period ? toInstant(period.set_at) : null;
      return {
        ...{ kind, days: period?.days ?? null, set_at },
        proposed_days: proposedDays[kind] ?? null,
        least_days: leastDays[kind] ?? leastOfOthers,
        counted_at: period?.counted_at ? toInstant(period.counted_at) : null,
        first_run_at: set_at && new Date(Date.parse(set_at) + waitMs).toISOString(),
      };
    }),
  };
}

/** How long a university keeps what, for who holds the office; 404 without it, 403 to everyone else. */
export async function getRetention(db: ReadDb, actor: Actor, universityId: number): Promise<Retention> {
  const [row] = await rowsOf(
    db,
    Stored,
    sql`select retention_of(permitted.id) as stored from (${permitted(actor, universityId)}) as permitted`,
  );
  return row ? shown(row) : explainOfficeRefusal(db, universityId);
}

/**
 * Sets how long a university keeps what; the audit log is told. What is shorter than before, or new, waits for its month and
 * its dry run. 400 where grades would go before the attempts that they were given for, 404 and 403 as above.
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
      select set_retention(permitted.id, ${JSON.stringify(kinds)}::jsonb, ${archive_days ?? null}::int, ${actor.id},
        ${now.toISOString()}, ${requestFacts()}::jsonb) as stored
      from (${permitted(actor, universityId)}) as permitted`,
  ).catch(throwGradesFirst);
  return row ? shown(row) : explainOfficeRefusal(db, universityId);
}

function throwGradesFirst(error: unknown): never {
  const isThat = refusalIn(error)?.constraint === "retention_grades_last";
  throw isThat ? badRequest("grades_kept_shorter") : error;
}
