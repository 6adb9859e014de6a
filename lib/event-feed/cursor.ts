import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { gone } from "../errors.ts";

/*
 * Where a reader of a feed is: behind the row that a transaction of that number wrote, and of that id. A feed lists what
 * transactions wrote that nothing older than them is open beside, in their order.
 */

export type Cursor = { change: number; id: number };

export function cursorOf(text: string | undefined): Cursor {
  const [change = 0, id = 0] = (text ?? "0-0").split("-").map(Number);
  return { change, id };
}

/** The number below which no transaction is open. */
export const safeChangeNumber = sql`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;

/** Whether a row comes behind a cursor, and nothing that would stand before it is still to come. */
export const isListed = ({ change, id }: Cursor, number: SQLWrapper, rowId: SQLWrapper): SQL => sql`
  (${number}, ${rowId}) > (${change}::bigint, ${id}::bigint) and ${number} < (${safeChangeNumber})`;

/** Whether a cursor is of this database: no transaction of a greater number has begun in it. */
export const isKnown = ({ change }: Cursor): SQL =>
  sql`${change}::bigint < pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/**
 * Whether a cursor stands at an event of a university that was forgotten: what came behind it may be gone, too. One of an
 * event that is kept goes on behind that.
 */
export const isForgotten = ({ change, id }: Cursor, university: number): SQL => sql`
  (exists (
    select from retention_policies where university_id = ${university}
      and (${change}::bigint, ${id}::bigint) <= (forgotten_change, forgotten_event))
  and ${change}::bigint > 0
  and not exists (
    select from activity_events where id = ${id}::bigint and change_number = ${change}::bigint))`;

/** The refusal of a cursor that is not, as after a restore: the feed begins with `oldest`, null where it is empty. */
export const staleCursor = (oldest: string | null) =>
  gone("cursor_forgotten", { oldest: oldest ? `; the oldest that is kept is ${oldest}` : "" });
