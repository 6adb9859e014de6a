import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

/** Tables pruned by one platform-wide period, set or fixed, and the column with the age. */
const forgotten: Readonly<Record<string, string>> = {
  audit_events: "occurred_at",
  imports: "ended_at",
  mail_outbox: "ended_at",
  notifications: "created_at",
  one_time_tokens: "expires_at",
  rate_limits: "ends_at",
  login_failures: "until",
};

type Held = { table: string; referrers: string[]; keys: string[] };

/**
 * References to a table, and unique constraints over all times. A partition would enforce them only within
 * itself.
 */
const held = `
  select relname as table,
    array(select distinct conrelid::regclass::text from pg_constraint where contype = 'f' and confrelid = pg_class.oid
          order by 1) as referrers,
    array(select indexrelid::regclass::text from pg_index
          where indrelid = pg_class.oid and indisunique and not indisprimary and not exists (
            select from unnest(indkey::int2[]) as number join pg_attribute on attrelid = indrelid and attnum = number
            where attname = $2)
          order by 1) as keys
  from pg_class where oid = $1::regclass`;

describe("tables that might be partitions", () => {
  let clone: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    clone = await cloneDatabase();
    client = new pg.Client(clone.url);
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await clone.drop();
  });

  const heldOf = async (table: string): Promise<Held> => {
    const { rows } = await client.query<Held>(held, [table, forgotten[table]]);
    return rows[0] as Held;
  };

  it("are each referred to, hold a rule over all times, or hold a row for each person or address at a time", async () => {
    expect(await heldOf("imports")).toMatchObject({ referrers: ["import_rows", "one_roster_sources"] });
    expect(await heldOf("mail_outbox")).toMatchObject({ referrers: ["notifications"] });
    // Rejections are recorded once an hour, notifications once.
    expect(await heldOf("audit_events")).toMatchObject({ keys: ["audit_events_refused_key"] });
    expect(await heldOf("notifications")).toMatchObject({ keys: ["notifications_cause_unique"] });
    expect(await heldOf("one_time_tokens")).toMatchObject({ keys: ["one_time_tokens_token_hash_unique"] });
    for (const table of ["rate_limits", "login_failures"]) {
      const { rows } = await client.query<{ columns: string }>(
        "select pg_get_constraintdef(oid) as columns from pg_constraint where conrelid = $1::regclass and contype = 'p'",
        [table],
      );
      expect(rows[0]?.columns, table).not.toContain(forgotten[table]);
    }
  });
});
