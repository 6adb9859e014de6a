import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { memoize } from "../../platform/caching/memoize.ts";
import type { Db } from "../../platform/db/client.ts";
import { createPreparedRowsQuery } from "../../platform/db/query/rows.ts";
import { type Actor, learnerJsonSql, type TokenPersonValues } from "./actor.ts";

/** `cached`: the learner's cached person as text; null if the caller was just read. */
export type Verification = TokenPersonValues & {
  cached: string | null;
  /** Set when a statement found the caller unchanged: a later refusal is theirs. */
  isConfirmed?: true;
};

/** A caller whom the handler's only write verifies (`createVerifiedWrite`). */
export type CallerToVerify = { actor: Actor; verification: Verification };

/** Nothing was written, because the cached caller is outdated. `person`: the current text, if their token is valid. */
export class ChangedCaller extends Error {
  override name = "ChangedCaller";
  readonly person: string | undefined;

  constructor(person: string | undefined) {
    super("The caller changed");
    this.person = person;
  }
}

/** CTEs that write must read nothing unless this is true. */
export const isCallerUnchanged = sql`(select is_unchanged from caller)`;

const verifiedCaller = sql`
  caller as materialized (
    select person, (cached is null or person = cached) is true as is_unchanged
    from (
      select cached, case when cached is not null then ${learnerJsonSql} end as person
      from (select ${sql.placeholder("cached")}::text as cached) as given) as compared
  )`;

const outcomeOf = memoize((row: z.ZodType<object>) =>
  z.object({ changed: z.string().nullable(), answer: row.nullable() }),
);

/**
 * A prepared statement that verifies the caller and writes: `writes` are CTEs, `answered` selects at most one
 * row. Undefined without a row. Throws `ChangedCaller`.
 */
export function createVerifiedWrite<Row extends object>(row: z.ZodType<Row>, writes: SQL, answered: SQL) {
  type Outcome = { changed: string | null; answer: Row | null };
  const statement = sql`
    with ${verifiedCaller}, ${writes}
    select case when not is_unchanged then coalesce(person, '') end as changed,
           (select row_to_json(answered) from (${answered}) as answered) as answer
    from caller`;
  const send = createPreparedRowsQuery(outcomeOf(row) as z.ZodType<Outcome>, statement);
  return async (
    db: Db,
    verification: Verification,
    values: Record<string, unknown>,
  ): Promise<Row | undefined> => {
    const [outcome] = await send(db, { ...verification, ...values });
    if (!outcome || outcome.changed !== null) throw new ChangedCaller(outcome?.changed || undefined);
    verification.isConfirmed = true;
    return outcome.answer ?? undefined;
  };
}
