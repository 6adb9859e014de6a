import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../../config.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { doInSteps } from "../../platform/db/query/steps.ts";

/** In the first step: few, to keep its locks short under live traffic. */
const [nodesAtOnce, visitsAtOnce] = [1000, 10_000];

export type PruneResult = {
  visits_folded: number;
  ended_answers: number;
  expired_nodes: number;
  surplus_nodes: number;
  /** False if the time was up; the next run continues. */
  finished: boolean;
};

type Limits = Pick<Config, "CACHE_MAX_AGE_DAYS" | "CACHE_MAX_NODES">;

type OnProgress = (pruned: PruneResult) => void;

/**
 * Prunes the tree in steps until `signal`. Adds visits to their nodes' counts, then deletes nodes unused for
 * CACHE_MAX_AGE_DAYS, and the least recently used above CACHE_MAX_NODES. Deletes only leaves, so no node goes
 * before a more recent descendant. Safe under live traffic: nodes in use stay, and a session whose cursor is
 * deleted returns to the root.
 */
export async function pruneAnswerTree(
  db: Db,
  limits: Limits,
  signal: AbortSignal,
  onProgress: OnProgress = () => {},
): Promise<PruneResult> {
  const pruned: PruneResult = {
    visits_folded: 0,
    ended_answers: 0,
    expired_nodes: 0,
    surplus_nodes: 0,
    finished: false,
  };
  const { CACHE_MAX_AGE_DAYS: days, CACHE_MAX_NODES: most } = limits;
  const parts: [keyof Omit<PruneResult, "finished">, number, Step][] = [
    ["visits_folded", visitsAtOnce, foldVisits],
    ["ended_answers", nodesAtOnce, dropEnded],
    ["expired_nodes", nodesAtOnce, (tx, rows) => dropExpired(tx, days, rows)],
    ["surplus_nodes", nodesAtOnce, (tx, rows) => dropSurplus(tx, most, rows)],
  ];
  for (const [count, rows, step] of parts) {
    await doInSteps(db, { rows, signal }, async (tx, rows) => {
      const done = await step(tx, rows);
      pruned[count] += done;
      onProgress(pruned);
      return done > 0;
    });
    if (signal.aborted) return pruned;
  }
  return { ...pruned, finished: true };
}

/** Returns at most `rows`. */
type Step = (tx: Db, rows: number) => Promise<number>;

/**
 * Moves visits into their nodes' counts; each counts exactly once at any moment. Only hits set the last use;
 * for other visits, storing the answer set it.
 */
async function foldVisits(tx: Db, rows: number): Promise<number> {
  return countOf(
    tx,
    sql`
    with counted as (
      delete from cache_visits
      where id = any (array(select id from cache_visits order by id limit ${rows} for update skip locked))
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

/** Moves all visits until `signal`. Run regularly, reads find few unmoved ones. */
export async function addVisitsToNodeCounts(db: Db, signal: AbortSignal): Promise<number> {
  let folded = 0;
  await doInSteps(db, { rows: visitsAtOnce, signal }, async (tx, rows) => {
    const done = await foldVisits(tx, rows);
    folded += done;
    return done > 0;
  });
  return folded;
}

/** Deletes ended generations, and expired ones without a new producer. */
const dropEnded: Step = (tx, rows) => countOf(tx, sql`select delete_ended_generations(${rows}) as count`);

const dropExpired = (tx: Db, days: number, rows: number): Promise<number> =>
  drop(tx, sql`last_used_at < service_now() - make_interval(days => ${days})`, rows);

async function dropSurplus(tx: Db, most: number, rows: number): Promise<number> {
  const surplus = await countOf(tx, sql`select (count(*) - ${most}::bigint)::int as count from cache_nodes`);
  return surplus > 0 ? drop(tx, sql`true`, Math.min(surplus, rows)) : 0;
}

const Leaf = z.object({ id: z.int() });

/**
 * Deletes leaves, least recently used first. Locks each against new children and checks again: it stays if it
 * got a child, was hit, or is in use.
 */
async function drop(tx: Db, condition: SQL, limit: number): Promise<number> {
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
}

const isUnused = sql`
  not exists (select from cache_nodes as child where child.parent_id = cache_nodes.id)
  and not exists (select from generations as made where made.parent_id = cache_nodes.id and made.state = 'writing')
  and not exists (select from cache_visits where cache_visits.node_id = cache_nodes.id)`;

const Count = z.object({ count: z.int() });

async function countOf(db: Db, statement: SQL): Promise<number> {
  const [row] = await rowsOf(db, Count, statement);
  return row?.count ?? 0;
}
