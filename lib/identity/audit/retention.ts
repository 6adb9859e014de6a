import { sql } from "drizzle-orm";
import type { Deps } from "../../deps.ts";
import { repeatInStepsUntilZero } from "../../platform/db/query/steps.ts";

const auditEventsDeletedPerStep = 5000;

/** Deletes audit events older than AUDIT_MAX_AGE_DAYS (0: none). Returns their number. */
export async function pruneAuditEvents(
  { db, config, now }: Pick<Deps, "db" | "config" | "now">,
  signal: AbortSignal,
): Promise<number> {
  const days = config.AUDIT_MAX_AGE_DAYS;
  if (days === 0) return 0;
  const before = sql`${now().toISOString()}::timestamptz - make_interval(days => ${days})`;
  return repeatInStepsUntilZero(
    db,
    { rows: auditEventsDeletedPerStep, signal },
    (rows) => sql`prune_audit_events(${before}, ${rows})`,
  );
}
