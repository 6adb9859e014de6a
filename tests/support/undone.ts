import { hash } from "node:crypto";
import pg from "pg";
import type { Db } from "../../lib/platform/db/client.ts";
import { applyPoolLayers } from "../../lib/platform/db/driver/layers.ts";
import { createPgDatabase } from "../../lib/platform/db/driver/pg-driver.ts";
import { createPreparedStatementLayer, type StatementNames } from "../../lib/platform/db/driver/prepared.ts";

export type UndoneDatabase = {
  db: Db;
  /** Whether stored data differs from the state that `undo` restores. */
  isChanged(): Promise<boolean>;
  /** Restores the state at opening before the next statement. */
  undo(): void;
  close(): Promise<void>;
};

/** Names statements from their second use on, so each is parsed and planned once in thousands of requests. */
function nameAll(): StatementNames {
  const names = new Map<string, string | undefined>();
  return {
    of(text) {
      const name =
        names.get(text) ?? (names.has(text) ? `s_${hash("sha256", text, "base64url")}` : undefined);
      names.set(text, name);
      return name;
    },
    lostBy: () => false,
  };
}

/**
 * A database whose changes are isolated and undone, so many requests find the same rows. As outside a
 * transaction, a failed statement rolls back only its own changes.
 */
export async function openUndone(url: string): Promise<UndoneDatabase> {
  const client = new pg.Client({ connectionString: url, pipeline: true } as pg.ClientConfig);
  await client.connect();
  const send = client.query.bind(client) as unknown as Send;

  let last: Promise<unknown> = Promise.resolve();
  const inItsTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  // Sent together with a statement, without an extra round trip: the connection preserves order.
  const begin = "begin; savepoint statement";
  let isSaved = true;
  let isUsed = false;
  const alone: Send = async (...args) => {
    const saved = isSaved ? undefined : send("release savepoint statement; savepoint statement");
    [isSaved, isUsed] = [false, true];
    try {
      const [answer] = await Promise.all([send(...args), saved]);
      return answer;
    } catch (error) {
      await send("rollback to savepoint statement");
      isSaved = true;
      throw error;
    }
  };
  const undo = async () => {
    if (!isUsed) return;
    [isSaved, isUsed] = [true, false];
    void send(`rollback; ${begin}`);
  };
  const pool = applyPoolLayers(
    {
      send: ({ query, values }) => inItsTurn(() => alone(query as pg.QueryConfig, values as unknown[])),
      connect: () => Promise.reject(new Error("No transactions: all that is sent is in one")),
    },
    [createPreparedStatementLayer(nameAll())],
  );
  await send(begin);
  const stored = await contentsOf(send);
  const [versions, contents] = [await stored.versions(), await stored.contents()];
  const isChanged = async () =>
    isUsed &&
    (await hasTransactionId(send)) &&
    (await stored.versions()) !== versions &&
    (await stored.contents()) !== contents;
  return {
    db: createPgDatabase(pool, { repeatable: false }),
    isChanged: () => inItsTurn(isChanged),
    undo: () => void inItsTurn(undo),
    close: () => inItsTurn(() => client.end()),
  };
}

type Send = (...query: [query: string | pg.QueryConfig, values?: unknown[]]) => Promise<pg.QueryResult>;

/** Whether a row was written or locked. This is rare; only then are the tables compared. */
async function hasTransactionId(send: Send): Promise<boolean> {
  const text = "select pg_current_xact_id_if_assigned() is not null as touched";
  const { rows } = await send({ name: "touched", text });
  return rows[0].touched;
}

/**
 * Row counts, latest writers (fast, to find changed tables) and hashes of all tables. The audit log is left
 * out, because it also records rejections.
 */
async function contentsOf(send: Send) {
  const tables = await send(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'audit_events' order by 1",
  );
  /** A named statement, because it is long and runs often. */
  const ofEach = (name: string, expressions: string) => {
    const each = tables.rows.map(
      (table) => `select '${table.name}', ${expressions} from ${table.name} as one`,
    );
    const statement = { name, text: `${each.join(" union all ")} order by 1` };
    return async () => JSON.stringify((await send(statement)).rows);
  };
  return {
    versions: ofEach("versions", "count(*) as rows, max(xmin::text::bigint) as latest"),
    contents: ofEach("contents", "md5(coalesce(string_agg(one::text, '' order by one::text), '')) as hash"),
  };
}
