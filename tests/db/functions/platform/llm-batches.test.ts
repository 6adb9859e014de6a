import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { expireLostCallsSql } from "../../../../lib/tutor/budgets/lost-calls.ts";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

/** A running trial of so many cases, which are a batch from `least` on. */
async function trial(cases: number, { least = 1, limit = 10_000 } = {}) {
  const id = Number(
    await value(`insert into trials (course_id, prompt_name, version, against, prompt_fingerprint, against_fingerprint, kind,
      state, model, batch_least, limit_micros, estimated_input_tokens, estimated_output_tokens, estimated_micros)
    values (1, 'tutor', 2, 1, 'two', 'one', 'step', 'running', 'model', ${least}, ${limit}, 1, 1, 1) returning id`),
  );
  await rows(`insert into trial_cases (trial_id, content_item_id, node_id, visits, message, exchanges, recorded)
    select ${id}, 1, place, 1, 'Start.', '[]', 'Hello.' from generate_series(1, ${cases}) as place`);
  return id;
}

const claim = async (most = 10) =>
  (await rows(`select * from claim_or_create_trial_batch(${most}, '5 minutes')`))[0];
const claimCase = async (byBatch = true) =>
  (await rows(`select * from claim_next_trial_case(4, '5 minutes', ${byBatch})`))[0];
const begin = async (batch: Record<string, unknown> | undefined, micros = 100, holder = batch?.["token"]) => {
  const ids = await column(`select id from trial_cases where batch_id = ${batch?.["id"]} order by id`);
  const calls = JSON.stringify(ids.map((id) => ({ id: Number(id), tokens: 50, micros })));
  return rows(
    `select * from begin_trial_batch_calls_within_budget(${batch?.["id"]}, '${holder}', '${calls}', null)`,
  );
};
const lapse = () => rows("update llm_batches set leased_until = clock_timestamp() - interval '1 second'");
const stateOf = () => value("select state from llm_batches order by id desc limit 1");
const sums = async () =>
  (
    await rows(
      "select spent_micros::int as spent, reserved_micros::int as reserved, lost_micros::int as lost from trials",
    )
  )[0];

beforeEach(async () => {
  await rows("delete from trials");
});

describe("claim_or_create_trial_batch and trials_for_batches", () => {
  it("takes the cases of a trial together, once, and no other takes them one by one", async () => {
    const id = await trial(3);
    expect((await column("select id from trials_for_batches")).map(Number)).toEqual([id]);
    expect(await claimCase(), "it waits for a batch").toBeUndefined();
    const batch = await claim(2);
    expect(batch).toMatchObject({ state: "gathering", provider_id: null });
    expect(await column("select batch_id is not null from trial_cases order by id")).toEqual([
      true,
      true,
      false,
    ]);
    expect(await claim(), "one batch at a time").toBeUndefined();
    expect(await claimCase()).toBeUndefined();
    await lapse();
    const again = await claim();
    expect(again).toMatchObject({ id: batch?.["id"], marker: batch?.["marker"] });
    expect(again?.["token"]).not.toBe(batch?.["token"]);
  });

  it("begins none for too few cases, which are called one by one, nor without batches", async () => {
    await trial(2, { least: 3 });
    expect(await claim()).toBeUndefined();
    expect(await claimCase()).toMatchObject({ state: "running", batch_id: null });
    await rows("delete from trials");
    await trial(2);
    expect(await claimCase(false)).toMatchObject({ state: "running" });
  });
});

describe("begin_trial_batch_calls_within_budget", () => {
  it("reserves the cost before anything is sent, and marks the calls as a batch's", async () => {
    await trial(3, { limit: 250 });
    const batch = await claim();
    expect(await begin(batch, 100, crypto.randomUUID()), "it is someone else's").toEqual([]);
    expect(await begin(batch)).toHaveLength(2);
    expect(await begin(batch), "once").toEqual([]);
    expect(await rows("select state, requests from llm_batches")).toEqual([
      { state: "sending", requests: 2 },
    ]);
    expect(await column("select is_batch from llm_calls where purpose = 'trial'")).toEqual([true, true]);
    expect(await column("select reason from trial_cases where state = 'skipped'")).toEqual(["limit"]);
    expect(await sums()).toEqual({ spent: 0, reserved: 200, lost: 0 });
    expect(await claim(), "later").toBeUndefined();
    expect(await value(sql`select ${expireLostCallsSql(10)}`), "a day is not too long for them").toBe(0);
  });

  it("ends a batch without affordable calls", async () => {
    await trial(1, { limit: 10 });
    expect(await begin(await claim())).toEqual([]);
    expect(await stateOf()).toBe("ended");
  });
});

describe("end_trial_batch_requeuing_unanswered", () => {
  it.each([
    ["lost", 200],
    ["refused", 0],
  ])("leaves the cases of one that is %s to immediate calls, and keeps %d counted", async (how, lost) => {
    await trial(2);
    const batch = await claim();
    await begin(batch);
    await rows(`select end_trial_batch_requeuing_unanswered(${batch?.["id"]}, '${how}')`);
    await rows(`select end_trial_batch_requeuing_unanswered(${batch?.["id"]}, 'ended')`);
    expect(await stateOf()).toBe(how);
    expect(await sums()).toEqual({ spent: 0, reserved: 0, lost });
    expect(await column("select outcome from llm_calls where purpose = 'trial'")).toEqual(["lost", "lost"]);
    expect(await claim(), "no second batch").toBeUndefined();
    expect(await claimCase()).toMatchObject({ tries: 2, batch_id: null, call_id: null });
  });

  it("leaves the cases of one that never arrived to another, twice, with nothing counted", async () => {
    await trial(2);
    for (const number of [1, 2, 3]) {
      const batch = await claim();
      await begin(batch);
      await rows(`select end_trial_batch_requeuing_unanswered(${batch?.["id"]}, 'unsent')`);
      expect(await stateOf()).toBe("refused");
      expect(await sums()).toEqual({ spent: 0, reserved: 0, lost: 0 });
      expect(await value("select may_resend_batch(llm_batches) from llm_batches limit 1")).toBe(number < 3);
    }
    expect(await claim(), "no fourth batch").toBeUndefined();
    expect(await claimCase()).toMatchObject({ tries: 2, batch_id: null, call_id: null });
  });
});
