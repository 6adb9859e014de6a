import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

const spent = { input: 100, output: 20, cache_read: 0, cache_write: 0, cost: 600 };

async function trial(cases: number, { limit = 10_000, state = "running" } = {}) {
  const id = Number(
    await value(`insert into trials (course_id, prompt_name, version, against, prompt_fingerprint, against_fingerprint, kind,
      state, model, limit_micros, estimated_input_tokens, estimated_output_tokens, estimated_micros)
    values (1, 'tutor', 2, 1, 'two', 'one', 'step', '${state}', 'model', ${limit}, 1, 1, 1) returning id`),
  );
  await rows(`insert into trial_cases (trial_id, content_item_id, node_id, visits, message, exchanges, recorded)
    select ${id}, 1, place, 1, 'Start.', '[]', 'Hello.' from generate_series(1, ${cases}) as place`);
  return id;
}

const claim = async (most = 4) =>
  (await rows(`select * from claim_next_trial_case(${most}, '5 minutes', false)`))[0];
const begin = async (held: Record<string, unknown> | undefined, micros = 1000, most: number | null = null) =>
  (
    await rows(`select call::int, refused_by from begin_trial_call_within_budget(${held?.["id"]}, '${held?.["token"]}', 50, ${micros},
      ${most}, '5 minutes')`)
  )[0];
const end = (
  held: Record<string, unknown> | undefined,
  how = "answered",
  told: object = {},
  used: object | null = spent,
) =>
  value(`select end_or_requeue_trial_case(${held?.["id"]}, '${held?.["token"]}', '${how}', '${JSON.stringify(told)}',
    ${used ? `'${JSON.stringify(used)}'` : "null"})`);
const lapse = () => rows("update trial_cases set leased_until = clock_timestamp() - interval '1 second'");
const sums = async () =>
  (
    await rows(
      "select state, spent_micros::int as spent, reserved_micros::int as reserved, lost_micros::int as lost from trials",
    )
  )[0];
const states = () => column("select state from trial_cases order by id");
const months = async () => (await rows("select tokens::int, trial_tokens::int from tutor_months"))[0];

beforeEach(async () => {
  await rows("delete from trials");
});

describe("claim_next_trial_case", () => {
  it("leases each case once, within the concurrency limit, and first those of a trial with fewer running", async () => {
    const [first, second] = [await trial(3), await trial(1)];
    const held = [await claim(3), await claim(3), await claim(3)];
    expect(held.map((one) => Number(one?.["trial_id"]))).toEqual([first, second, first]);
    expect(await claim(3), "three are under way").toBeUndefined();
    expect(await claim(4)).toMatchObject({ state: "running", tries: 1 });
    expect(await claim(5), "none is left").toBeUndefined();
  });

  it("leases none of a trial that is not running, and ends one whose cases have gone", async () => {
    await trial(1, { state: "ready" });
    expect(await claim()).toBeUndefined();
    await rows("delete from trials");
    await trial(0);
    expect(await claim()).toBeUndefined();
    expect(await sums()).toMatchObject({ state: "finished" });
  });

  it("leases a dead worker's case to another, and counts that call's maximum cost", async () => {
    await trial(1);
    const dead = await claim();
    expect(await begin(dead)).toMatchObject({ refused_by: null });
    expect(await sums()).toEqual({ state: "running", spent: 0, reserved: 1000, lost: 0 });
    expect(await months()).toEqual({ tokens: 0, trial_tokens: 50 });
    await lapse();
    const held = await claim();
    expect(held).toMatchObject({ id: dead?.["id"], tries: 2, call_id: null });
    expect(await column("select outcome from llm_calls")).toEqual(["lost"]);
    expect(await sums()).toEqual({ state: "running", spent: 0, reserved: 0, lost: 1000 });
    expect(await months()).toEqual({ tokens: 0, trial_tokens: 0 });
    expect(await end(dead, "answered", { answer: "Late." }), "it is another's by now").toBe(false);
    expect(await begin(dead)).toEqual({ call: null, refused_by: "lost" });
    await begin(held);
    expect(await end(held, "answered", { answer: "In time." })).toBe(true);
    expect(await column("select answer from trial_cases")).toEqual(["In time."]);
    expect(await sums()).toEqual({ state: "finished", spent: 600, reserved: 0, lost: 1000 });
  });
});

describe("begin_trial_call_within_budget", () => {
  it("reserves the call's maximum cost, and sends none beyond the limit", async () => {
    await trial(3, { limit: 2500 });
    const held = [await claim(), await claim(), await claim()];
    expect(await begin(held[0])).toMatchObject({ refused_by: null });
    expect(await begin(held[1])).toMatchObject({ refused_by: null });
    expect(await begin(held[2])).toEqual({ call: null, refused_by: "limit" });
    expect(await rows("select state, reason from trial_cases order by id offset 2")).toEqual([
      { state: "skipped", reason: "limit" },
    ]);
    expect(await rows("select purpose, user_id, message_id from llm_calls limit 1")).toEqual([
      { purpose: "trial", user_id: null, message_id: null },
    ]);
  });

  it("begins none over the month's tokens of trials, and takes none of the learners'", async () => {
    await trial(5);
    const over = { call: null, refused_by: "budget" };
    expect(await begin(await claim(), 10, 49), "one call is too large").toEqual(over);
    expect(await begin(await claim(), 10, 99)).toMatchObject({ refused_by: null });
    expect(await begin(await claim(), 10, 99)).toEqual(over);
    expect(await months()).toEqual({ tokens: 0, trial_tokens: 50 });
    expect(await begin(await claim(), 10, null)).toMatchObject({ refused_by: null });
    expect(await months()).toEqual({ tokens: 0, trial_tokens: 100 });
    await rows("delete from trials");
    await trial(1);
    expect(await begin(await claim(), 10, 149)).toEqual(over);
    expect(await sums()).toMatchObject({ state: "finished" });
  });
});

describe("end_or_requeue_trial_case", () => {
  it("stores an answer once, with its cost", async () => {
    await trial(1);
    const held = await claim();
    await begin(held);
    const told = {
      answer: "Good.",
      question: null,
      checks: { length: null },
      prompt_fingerprint: "two",
      stop: null,
    };
    expect(await end(held, "answered", told)).toBe(true);
    expect(await end(held, "answered", { answer: "Again." })).toBe(false);
    expect(
      await rows(`select state, answer, question, checks, stop, input_tokens, output_tokens, cost_micros::int as cost
        from trial_cases`),
    ).toEqual([
      {
        ...{ state: "answered", answer: "Good.", question: null, checks: { length: null }, stop: null },
        ...{ input_tokens: 100, output_tokens: 20, cost: 600 },
      },
    ]);
    expect(await sums()).toEqual({ state: "finished", spent: 600, reserved: 0, lost: 0 });
    expect(await months()).toEqual({ tokens: 0, trial_tokens: 120 });
  });

  it("delays a case after a failure of the LLM, and counts its cost", async () => {
    await trial(1);
    const held = await claim();
    await begin(held);
    expect(await end(held, "waiting", { outcome: "failed", retry_in: 60 })).toBe(true);
    expect(await states()).toEqual(["waiting"]);
    expect(await column("select outcome from llm_calls")).toEqual(["failed"]);
    expect(await sums()).toEqual({ state: "running", spent: 600, reserved: 0, lost: 0 });
    expect(await claim(), "it waits").toBeUndefined();
    await lapse();
    expect(await claim()).toMatchObject({ tries: 2 });
  });
});

it("stop_trial ends a trial, once", async () => {
  const id = await trial(2);
  const held = await claim();
  expect(await column(`select state from stop_trial(${id})`)).toEqual(["stopped"]);
  expect(await column(`select state from stop_trial(${id})`)).toEqual([]);
  expect(await states()).toEqual(["running", "skipped"]);
  expect(await begin(held)).toEqual({ call: null, refused_by: "stopped" });
  expect(await states()).toEqual(["skipped", "skipped"]);
  expect(await sums()).toMatchObject({ state: "stopped" });
});
