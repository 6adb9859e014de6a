import type pg from "pg";
import { expect } from "vitest";
import type { TestDatabase } from "./database.ts";

export const untilOneWaits = (database: TestDatabase): Promise<void> =>
  expect
    .poll(() =>
      database.run(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      ),
    )
    .toHaveLength(1);

type Meeting = { database: TestDatabase; one: pg.Client; other: pg.Client };

/** Starts the first statement in one session and commits it once the second waits for it in the other. */
export async function atOnce(
  { database, one, other }: Meeting,
  first: string,
  second: string,
): Promise<void> {
  await one.query("begin");
  await one.query(first);
  const waiting = other.query(second);
  // It may be rejected before the commit has ended.
  waiting.catch(() => {});
  await untilOneWaits(database);
  await one.query("commit");
  await waiting;
}
