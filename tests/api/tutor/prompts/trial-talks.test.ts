import { sql } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { processTrials } from "../../../../lib/tutor/trials/work.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { openWorld } from "../../../support/world.ts";
import { killAtEach, stepsTo } from "./killed-steps.ts";
import { asking, prices, taught, trialsOf } from "./trials.ts";

const world = openWorld({ LLM_PRICES: JSON.stringify(prices) });
const { classWithTree, newVersion, work, started } = trialsOf(world);

afterEach(() => world.llm.reset());

const limit_micros = 1_000_000_000;
const spent = { input_tokens: 100, output_tokens: 20 };

const free = async (more: object = {}) => {
  const { item, author, ...topic } = await classWithTree();
  const version = await newVersion(author, "Be talkative with {{title}}.");
  world.llm.reset();
  const one = await started(author, version, {
    ...{ against: taught, content_item_ids: [item.id], kind: "FREE", limit_micros, ...more },
  });
  return { ...one, ...topic, item, author, version };
};

it("simulated learners talk with the version for a few turns, and each answer is checked", async () => {
  const { made, report, cases, item } = await free();
  expect(made).toMatchObject({ kind: "FREE", estimate: { calls: 30 } });
  world.llm.improvise(({ messages, system }) => {
    expect(system).toBe(`Be talkative with "${item.title}".`);
    const last = messages.at(-1)?.content ?? "";
    // A request for a hint gets the answer.
    return {
      chunks: last.startsWith("[@hint]") ? ["The answer is A."] : asking("On we go."),
      ...spent,
    };
  });
  expect(await work()).toEqual({ cases: 30 });
  const { body } = await report();
  expect(body).toMatchObject({
    state: "FINISHED",
    cases: { answered: 5 },
    all_passed: { candidate: { passed: 4, of: 5 }, recorded: null },
    cost: { spent_micros: 30 * 600, reserved_micros: 0 },
    lengths: { candidate: { cost_micros: 6 * 600, output_tokens: 6 * 20 } },
  });
  const { body: talks } = await cases();
  const personas = talks.map(({ persona }: { persona: string }) => persona);
  expect(personas).toEqual(["SURE", "MISTAKEN", "HINT_SEEKING", "LOST", "TALKATIVE"]);
  for (const talk of talks) {
    expect(talk).toMatchObject({ state: "ANSWERED", recorded: null, attack: null, node_id: null, visits: 0 });
    expect(talk.talk).toHaveLength(5);
    expect(talk.path[0]).toBe("Start.");
    expect(talk.path).toHaveLength(6);
  }
  const answered = (answer: string) => JSON.stringify({ answer, questionId: "q1" });
  expect(talks[1].path.slice(0, 3)).toEqual(["Start.", answered("B"), answered("A")]);
  expect(talks[2].path.slice(0, 4)).toEqual(["Start.", "@hint", "@hint", answered("A")]);
  expect(talks[2].candidate.checks.key_not_told).toBe("Turn 2: A is called right");
  expect(JSON.stringify(talks), "no key is told").not.toContain("misconceptions");
});

it("a trial has the requested conversations, and one that its limit cuts off keeps its messages", async () => {
  const { made, report, cases } = await free({ most_nodes: 2, limit_micros: 140_000 });
  expect(made.estimate.calls).toBe(12);
  // A call may cost at most 4096 × 15: two fit concurrently, and one after 20 000 are spent.
  world.llm.improvise(() => ({ chunks: asking("On we go."), input_tokens: 100, output_tokens: 1000 }));
  await work();
  const { body } = await report();
  expect(body.state).toBe("FINISHED");
  expect(body.cases.skipped).toBeGreaterThan(0);
  expect(body.not_sent).toEqual([{ reason: "LIMIT", cases: body.cases.skipped }]);
  expect(body.cost.spent_micros).toBeLessThanOrEqual(140_000);
  const { body: talks } = await cases();
  expect(talks).toHaveLength(2);
  expect(talks.some(({ talk }: { talk: object[] }) => talk.length > 0)).toBe(true);
});

it("a process that is killed at any step leaves each turn taken once, and its cost counted once", async () => {
  // A turn has three statements: every second step reaches each of them in some turn.
  const steps = stepsTo(22).filter((step) => step % 2 === 1);
  await killAtEach(world, steps, async (db, place) => {
    const { report, cases, made } = await free({ most_nodes: 1 });
    world.llm.improvise(() => ({ chunks: asking("On we go."), ...spent }));
    await processTrials({ ...world.deps, db }, noDeadline()).catch(() => {});
    await world.deps.db.execute(
      sql`update trial_cases set leased_until = null where trial_id = ${made.id} and state = 'running'`,
    );
    await work();
    expect((await report()).body, place).toMatchObject({
      state: "FINISHED",
      cases: { answered: 1 },
      cost: { spent_micros: 6 * 600, reserved_micros: 0 },
    });
    expect((await cases()).body[0].path).toHaveLength(6);
  });
});
