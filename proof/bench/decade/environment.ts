import type pg from "pg";
import type { Db } from "../../../lib/platform/db/client.ts";
import type { DecadeSize } from "../../scale/decade.ts";
import type { createInProcessService } from "../in-process-service.ts";
import { median } from "../measure.ts";

export type DecadeEnvironment = {
  url: string;
  size: DecadeSize;
  db: Db;
  /** PostgreSQL's main process. */
  postmaster: number;
  /** A separate connection without timeouts. */
  client: pg.Client;
  /** Sends a request as a user; rejects on errors. */
  request(person: number, method: string, path: string, body?: object): Promise<{ ms: number; text: string }>;
};

/** Sends requests as a user to an app in this process, and returns duration and text; rejects on errors. */
export const createTimedRequestSender =
  ({ deps, app }: Awaited<ReturnType<typeof createInProcessService>>): DecadeEnvironment["request"] =>
  async (person, method, path, body) => {
    const { access_token } = await deps.tokens.issue({ id: person });
    const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
    const begun = performance.now();
    const answer = await app.request(`/api/v1${path}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return { ms: performance.now() - begun, text };
  };

export const administratorId = 1;

/** The median in milliseconds, after warm-up rounds for the connections' plans. */
export async function medianMsAfterWarmUp(rounds: number, once: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = -3; round < rounds; round += 1) {
    const time = await once();
    if (round >= 0) times.push(time);
  }
  return median(times);
}

/** A statement's effect on some tables by PostgreSQL's statistics, in a rolled-back transaction. */
export async function measureRolledBackStatement(
  client: pg.Client,
  statement: string,
  tables: readonly string[],
): Promise<{ written: number; read: number; ms: number }> {
  await client.query("begin");
  try {
    const began = performance.now();
    await client.query(statement);
    const ms = performance.now() - began;
    const { rows } = await client.query<{ written: number; read: number }>(
      `select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::float8 as written,
         coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::float8 as read
       from pg_stat_xact_user_tables where relname = any ($1)`,
      [tables],
    );
    return { written: rows[0]?.written ?? 0, read: rows[0]?.read ?? 0, ms };
  } finally {
    await client.query("rollback");
  }
}
