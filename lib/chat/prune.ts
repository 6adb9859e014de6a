import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/rows.ts";

/** Nodes that go in one statement: few enough that its locks are short beside live traffic. */
const batchSize = 1000;

/** What one run of the pruning did. */
export type Pruned = {
  visits_folded: number;
  ended_answers: number;
  expired_nodes: number;
  surplus_nodes: number;
  /** Whether everything was done, or the time was up first; the next run goes on from here. */
  finished: boolean;
};

type Limits = Pick<Config, "CACHE_MAX_AGE_DAYS" | "CACHE_MAX_NODES">;

/** Called after each batch with what was done so far. */
type OnProgress = (pruned: Pruned) => void;

/**
 * Prunes the tree: first the visits that are not counted yet go into their nodes, then nodes go that were not used
 * for CACHE_MAX_AGE_DAYS, then the least recently used beyond CACHE_MAX_NODES. Leaves go first, so that a node with
 * a fresher descendant never does, in batches until `signal` says that the time is up. Safe beside live traffic:
 * a node in use keeps its row, and sessions whose cursor goes stand before the root again.
 */
export async function pruneTree(
  db: Db,
  limits: Limits,
  signal: AbortSignal,
  onProgress: OnProgress = () => {},
): Promise<Pruned> {
  const pruned: Pruned = {
    visits_folded: 0,
    ended_answers: 0,
    expired_nodes: 0,
    surplus_nodes: 0,
    finished: false,
  };
  const steps: [keyof Omit<Pruned, "finished">, () => Promise<number>][] = [
    ["visits_folded", () => foldVisits(db)],
    ["ended_answers", () => dropEnded(db)],
    ["expired_nodes", () => dropExpired(db, limits.CACHE_MAX_AGE_DAYS)],
    ["surplus_nodes", () => dropSurplus(db, limits.CACHE_MAX_NODES)],
  ];
  for (const [count, step] of steps) {
    for (let done = await step(); done > 0; done = await step()) {
      pruned[count] += done;
      onProgress(pruned);
      if (signal.aborted) return pruned;
    }
  }
  return { ...pruned, finished: true };
}

/**
 * Moves visits into the counts and last uses of their nodes; a visit is either here or there at any moment. Who followed
 * the answer as it was made used it when it was stored.
 */
async function foldVisits(db: Db): Promise<number> {
  return countOf(
    db,
    sql`
    with counted as (
      delete from cache_visits
      where id in (select id from cache_visits order by id limit ${batchSize * 10} for update skip locked)
      returning node_id, hit, created_at
    ), sums as (
      select node_id, count(*) as visits, count(*) filter (where hit) as hits, max(created_at) filter (where hit) as last_used_at
      from counted group by node_id
    ), nodes as (
      select id from cache_nodes where id in (select node_id from sums) order by id for update
    ), folded as (
      update cache_nodes
      set hit_count = hit_count + sums.hits, visit_count = visit_count + sums.visits,
          last_used_at = greatest(cache_nodes.last_used_at, sums.last_used_at)
      from sums, nodes where cache_nodes.id = sums.node_id and nodes.id = cache_nodes.id
    )
    select count(*)::int as count from counted`,
  );
}

/** Moves all visits so, until `signal`, and answers how many; often enough, a read finds few that are not moved. */
export async function foldAllVisits(db: Db, signal: AbortSignal): Promise<number> {
  let folded = 0;
  for (let done = -1; done !== 0 && !signal.aborted; folded += done) done = await foldVisits(db);
  return folded;
}

/** Answers in the making that ended, or lost their maker, while nobody made another. */
const dropEnded = (db: Db): Promise<number> =>
  countOf(db, sql`select drop_ended_generations(${batchSize}) as count`);

const dropExpired = (db: Db, days: number): Promise<number> =>
  drop(db, sql`last_used_at < service_now() - make_interval(days => ${days})`, batchSize);

async function dropSurplus(db: Db, most: number): Promise<number> {
  const surplus = await countOf(db, sql`select (count(*) - ${most}::bigint)::int as count from cache_nodes`);
  return surplus > 0 ? drop(db, sql`true`, Math.min(surplus, batchSize)) : 0;
}

const Leaf = z.object({ id: z.int() });

/**
 * Drops leaves that fit, the least recently used first. They are locked, which keeps them from getting children, and
 * looked at again: a leaf that got one or was hit meanwhile stays, as one does that is in use just now.
 */
const drop = (db: Db, condition: SQL, limit: number): Promise<number> =>
  db.transaction(async (tx) => {
    const unused = sql`
      select id from cache_nodes where ${condition} and ${isUnused}
      order by last_used_at limit ${limit} for update skip locked`;
    const leaves = sql.param((await rowsOf(tx, Leaf, unused)).map(({ id }) => id));
    return countOf(
      tx,
      sql`
      with dropped as (delete from cache_nodes where id = any(${leaves}::bigint[]) and ${isUnused} returning id)
      select count(*)::int as count from dropped`,
    );
  });

const isUnused = sql`
  not exists (select from cache_nodes as child where child.parent_id = cache_nodes.id)
  and not exists (select from generations as made where made.parent_id = cache_nodes.id and made.state = 'writing')
  and not exists (select from cache_visits where cache_visits.node_id = cache_nodes.id)`;

const Count = z.object({ count: z.int() });

async function countOf(db: Db, statement: SQL): Promise<number> {
  const [row] = await rowsOf(db, Count, statement);
  return row?.count ?? 0;
}
