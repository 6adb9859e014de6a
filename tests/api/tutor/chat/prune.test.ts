import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { pruneAnswerTree } from "../../../../lib/tutor/chat/prune.ts";
import { cacheNodes } from "../../../../schema/db/tutor/cache.ts";
import { makersOf } from "../../../support/makers.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

const limits = { CACHE_MAX_AGE_DAYS: 30, CACHE_MAX_NODES: 1_000_000 };
const prune = (own = limits) => pruneAnswerTree(world.deps.db, own, noDeadline());

async function visited() {
  const { item } = await make.topic();
  const session = await openSession(world.as(await make.person()), item.id);
  await session.say("Start.");
  await session.say(answerTo("q1", "A"));
  await session.say(answerTo("q2", "B"));
  return { item, session };
}

const nodesOf = (itemId: number) =>
  world.deps.db
    .select()
    .from(cacheNodes)
    .where(eq(cacheNodes.content_item_id, itemId))
    .orderBy(cacheNodes.id);

const age = (nodeId: number | undefined, days: number) =>
  world.deps.db
    .update(cacheNodes)
    .set({ last_used_at: sql`now() - make_interval(days => ${days})` })
    .where(eq(cacheNodes.id, nodeId ?? 0));

describe("pruning the tree", () => {
  it("deletes nodes unused for the set time, leaves first, and sets cursors there to null", async () => {
    const { item, session } = await visited();
    for (const node of await nodesOf(item.id)) await age(node.id, 31);
    expect(await prune()).toMatchObject({ expired_nodes: 3, finished: true });
    expect(await nodesOf(item.id)).toHaveLength(0);
    expect(await session.read()).toMatchObject({ cache_node_id: null });
  });

  it("never drops a node with a fresher descendant", async () => {
    const { item } = await visited();
    const [root, middle] = await nodesOf(item.id);
    await age(root?.id, 100);
    await age(middle?.id, 100);
    expect(await prune()).toMatchObject({ expired_nodes: 0 });
    expect(await nodesOf(item.id)).toHaveLength(3);
  });

  it("counts the hits into their nodes, and a hit is a use", async () => {
    const { item } = await visited();
    const [root, middle, leaf] = await nodesOf(item.id);
    for (const node of [root, middle, leaf]) await age(node?.id, 31);
    for (const _ of [1, 2]) await (await openSession(world.as(await make.person()), item.id)).say("Start.");
    expect(await prune()).toMatchObject({ visits_folded: 5, expired_nodes: 2 });
    const left = await nodesOf(item.id);
    expect(left).toMatchObject([{ id: root?.id, hit_count: 2, visit_count: 3 }]);
    expect(await prune()).toMatchObject({ visits_folded: 0 });
  });

  it("drops the least recently used beyond the most nodes", async () => {
    const { item } = await visited();
    const before = await world.deps.db.$count(cacheNodes);
    const pruned = await prune({ ...limits, CACHE_MAX_NODES: before - 1 });
    expect(pruned.surplus_nodes).toBe(1);
    expect(await world.deps.db.$count(cacheNodes)).toBe(before - 1);
    expect((await nodesOf(item.id))[0]?.parent_id).toBeNull();
  });

  it("stops when its time is up, and says that it has not finished", async () => {
    const { item } = await visited();
    for (const node of await nodesOf(item.id)) await age(node.id, 31);
    const pruned = await pruneAnswerTree(world.deps.db, limits, AbortSignal.abort());
    expect(pruned.finished).toBe(false);
  });
});
