import { sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pruneAnswerTree } from "../../../../lib/tutor/chat/prune.ts";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { makersOf } from "../../../support/makers.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { isExhaustive } from "../../../support/representatives.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

const learners = 3;

/** Events that may happen in any order and concurrently. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("start"), learner: fc.nat(learners - 1) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("answer"),
      learner: fc.nat(learners - 1),
      answer: fc.constantFrom("A", "B"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("ask"), learner: fc.nat(learners - 1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("fail", "cut off", "prompt", "prune", "edit") }),
  },
);

type Step = { kind: string; learner?: number; answer?: string };

describe("the tree's invariants", () => {
  it("hold through random interleavings of hits, misses, failures, edits, prompt changes and pruning", async () => {
    const { item } = await make.topic();
    const clients = await Promise.all(
      Array.from({ length: learners }, async () => world.as(await make.person())),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
        async (rounds) => {
          const sessions = await Promise.all(clients.map((client) => openSession(client, item.id)));
          for (const round of rounds) await Promise.all(round.map((one) => take(one, sessions, item.id)));
          world.llm.reset();
          const { rows } = await world.deps.db.execute(sql.raw(treeViolationsQuery));
          expect(rows).toEqual([]);
        },
      ),
      { numRuns: isExhaustive() ? 100 : 20, interruptAfterTimeLimit: 60_000 },
    );
  });
});

describe("the check of the invariants", () => {
  it("reports a broken invariant", async () => {
    // If the previous test timed out, it may have left failing answers.
    world.llm.reset();
    const { item } = await make.topic();
    const session = await openSession(world.as(await make.person()), item.id);
    await session.say("Start.");
    const { rows } = await world.deps.db.transaction(async (tx) => {
      await tx.execute(
        sql`update cache_nodes set message = 'Other.', chunks = '[""]' where content_item_id = ${item.id}`,
      );
      const found = await tx.execute(sql.raw(`${treeViolationsQuery} order by rule`));
      await tx.execute(
        sql`update cache_nodes set message = 'Start.', chunks = '["x"]' where content_item_id = ${item.id}`,
      );
      return found;
    });
    expect(rows.map(({ rule }) => ({ rule }))).toEqual([
      { rule: "a cursor stands on an answer that was told" },
      { rule: "a whole answer is not empty" },
      { rule: "roots answer Start., and nothing else does" },
    ]);
  });
});

type Session = Awaited<ReturnType<typeof openSession>>;

async function take(
  { kind, learner = 0, answer = "A" }: Step,
  sessions: Session[],
  itemId: number,
): Promise<void> {
  const { db } = world.deps;
  const session = sessions[learner];
  const said: Record<string, string> = { start: "Start.", answer: answerTo("q1", answer), ask: "Why?" };
  const content = said[kind];
  if (content) {
    const reply = await session?.say(content);
    expect([200, 409, 503]).toContain(reply?.status);
  }
  if (kind === "fail") world.llm.script({ chunks: ["Half "], failure: "socket destroyed" });
  if (kind === "cut off") world.llm.script({ chunks: ["Half "], stop_reason: "max_tokens" });
  if (kind === "edit")
    await db.execute(sql`
      select replace_and_pin_answer(id, '{"text": "By hand."}', null, random() < 0.5) from (
        select id from cache_nodes where content_item_id = ${itemId} order by random() limit 1) as node`);
  if (kind === "prompt")
    await db.execute(sql`update courses set llm_model = md5(random()::text)
      where id = (select course_id from content_items where id = ${itemId})`);
  if (kind === "prune") {
    await db.execute(sql`
      update cache_nodes set last_used_at = now() - interval '90 days'
      where id in (select id from cache_nodes where content_item_id = ${itemId}
                   order by random() limit 2)`);
    const limits = { CACHE_MAX_AGE_DAYS: 30, CACHE_MAX_NODES: 1_000_000 };
    await pruneAnswerTree(db, limits, noDeadline());
  }
}
