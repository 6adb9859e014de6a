import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { goneError } from "../../errors.ts";

/*
 * Transaction number and row id of the last row read. Feeds list rows in transaction order, once no older
 * transaction is open.
 */

export type EventFeedCursor = { change: number; id: number };

export function parseEventCursor(text: string | undefined): EventFeedCursor {
  const [change = 0, id = 0] = (text ?? "0-0").split("-").map(Number);
  return { change, id };
}

/** The number below which no transaction is open. */
export const oldestOpenTransactionNumberQuery = sql`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;

/** The row comes after the cursor and no earlier row can still appear. */
export const settledAfterCursorCondition = (
  { change, id }: EventFeedCursor,
  number: SQLWrapper,
  rowId: SQLWrapper,
): SQL => sql`
  (${number}, ${rowId}) > (${change}::bigint, ${id}::bigint) and ${number} < (${oldestOpenTransactionNumberQuery})`;

/** The cursor is from this database: its transaction number exists. */
export const cursorOfThisDatabaseCondition = ({ change }: EventFeedCursor): SQL =>
  sql`${change}::bigint < pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/** The cursor's event was deleted, so later ones may be too. A cursor at an existing event is valid. */
export const prunedCursorCondition = ({ change, id }: EventFeedCursor, university: number): SQL => sql`
  (exists (
    select from retention_policies where university_id = ${university}
      and (${change}::bigint, ${id}::bigint) <= (forgotten_change, forgotten_event))
  and ${change}::bigint > 0
  and not exists (
    select from activity_events where id = ${id}::bigint and change_number = ${change}::bigint))`;

/** As after a restore. The feed starts at `oldest`, or null if it is empty. */
export const staleCursorError = (oldest: string | null) =>
  goneError("cursor_forgotten", { oldest: oldest ? `; the oldest stored one is ${oldest}` : "" });
