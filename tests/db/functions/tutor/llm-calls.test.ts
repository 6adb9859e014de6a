import { sql } from "drizzle-orm";
import pg from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import { expireLostCallsSql } from "../../../../lib/tutor/budgets/lost-calls.ts";
import { releaseGenerationEndingCallQuery } from "../../../../lib/tutor/generations/release-generation.ts";
import { cloneDatabase, type Row, type TestDatabase } from "../../../support/database.ts";
import { openSession } from "../session.ts";
import { conversationsOf, openConversations, otherProducer, producer, twoSessions } from "./conversations.ts";

const session = openSession();
const { rows, column, value } = session;
const { open, claim, fail, finish, openAndClaim, lapse } = openConversations(session);

const calls = () =>
  rows(`select user_id, content_item_id, message_id, outcome, input_tokens::int as input, output_tokens as output,
        cache_read_tokens as read, cache_write_tokens as written, cost_micros::int as cost from llm_calls order by id`);
const month = () => value("select tokens::int from tutor_months");
const callOf = (generation: number) =>
  value(`select call_id::int from generations where id = ${generation}`) as Promise<number>;
const used = { input: 10, output: 20, cache_read: 30, cache_write: 40, cost: 1234 };
const free = { content: "Why?", message: null };

describe("end_call_and_begin_repair_call", () => {
  const repair = (
    generation: number,
    former: number,
    most: number | null = null,
    by = producer,
    restarts = false,
  ) =>
    rows(`select call::int, attempt from end_call_and_begin_repair_call(${generation}, '${by}', ${former}, '${JSON.stringify(used)}',
      '${JSON.stringify({ tokens_per_month: most })}', ${restarts})`);

  it("ends the call before it, and begins one that is no turn of the person's, within the month", async () => {
    const { generation } = await openAndClaim();
    const former = await callOf(generation);
    const [begun] = await repair(generation, former);
    expect(await calls()).toMatchObject([
      { outcome: "complete", input: 10 },
      { outcome: "started", user_id: 1 },
    ]);
    expect(await callOf(generation)).toBe(begun?.["call"]);
    expect(await month()).toBe(100 + 106);
    expect(await column("select is_repair from llm_calls order by id")).toEqual([false, true]);
    await open({ session: 1, content: "Why?", message: null, client: "next" });
    await finish(generation, ["Hello."], { call: Number(begun?.["call"]), used });
    expect(await calls()).toMatchObject([{ outcome: "complete" }, { outcome: "complete", output: 20 }]);
  });

  it("that restarts the answer is another attempt without the former chunks, and no failure", async () => {
    const { generation } = await openAndClaim();
    await rows(`select * from append_chunks_and_renew_lease(${generation}, '${producer}', 0, '["Half"]')`);
    const former = await callOf(generation);
    expect(await repair(generation, former)).toMatchObject([{ attempt: 1 }]);
    const second = await callOf(generation);
    expect(await repair(generation, second, null, producer, true)).toMatchObject([{ attempt: 2 }]);
    expect(await value("select count(*)::int from generation_pieces")).toBe(0);
    expect(await rows("select attempt, failures from generations")).toEqual([{ attempt: 2, failures: 0 }]);
  });

  it("begins none over the month's tokens, and none without the lease", async () => {
    const { generation } = await openAndClaim();
    const former = await callOf(generation);
    expect(await repair(generation, former, null, otherProducer)).toEqual([]);
    expect(await repair(generation, former, 205)).toMatchObject([{ call: null }]);
    expect(await month()).toBe(100);
    expect(await calls()).toMatchObject([{ outcome: "complete" }]);
    expect(await callOf(generation)).toBe(former);
  });

  it("of two concurrent ones admits no more than the month allows, by reserve_monthly_tokens_if_left", async () => {
    expect(await value("select reserve_monthly_tokens_if_left(1, 60, 100)")).toBe(true);
    expect(await value("select reserve_monthly_tokens_if_left(1, 60, 100)")).toBe(false);
    expect(await value("select reserve_monthly_tokens_if_left(1, 40, 100)")).toBe(true);
    expect(await value("select reserve_monthly_tokens_if_left(1, 1000, null)")).toBe(true);
    expect(await month()).toBe(1100);
  });
});

describe("begin_llm_call_within_budget", () => {
  it("writes the call when its maker claims the answer, and counts the most that it may use", async () => {
    const { question } = await openAndClaim();
    expect(await calls()).toMatchObject([
      { user_id: 1, content_item_id: 1, message_id: question, outcome: "started", cost: null },
    ]);
    // The context `{"title": "Carry"}` and no exchanges, `[]`.
    expect(await month()).toBe(100 + Math.floor(20 / 3));
  });

  it("records none for subscribers, and none for a stored answer", async () => {
    const { generation } = await openAndClaim();
    await open({ session: 2 });
    await claim({ session: 2, by: otherProducer });
    await finish(generation, ["Hello."], { call: await callOf(generation), used });
    await open({ session: 2, content: "Start.", client: "again" });
    expect(await calls()).toHaveLength(1);
  });

  it("rejects turns above the day's limit, and leaves the answer to others", async () => {
    await open();
    const refused = await claim({ budget: { turns_per_day: 0 } });
    expect(refused).toMatchObject({ kind: "refused", by: "turns_per_day" });
    expect(refused["retry_after"]).toBeGreaterThan(0);
    expect(refused["retry_after"]).toBeLessThanOrEqual(24 * 60 * 60);
    expect(await calls()).toEqual([]);
    await open({ session: 2 });
    expect(await claim({ session: 2, by: otherProducer })).toMatchObject({ kind: "make", attempt: 1 });
  });

  it("leaves an answer without a producer to others, if the next one has no budget", async () => {
    const { generation } = await openAndClaim();
    await lapse(generation);
    await open({ session: 2 });
    const budget = { turns_per_day: 0 };
    expect(await claim({ session: 2, by: otherProducer, budget })).toMatchObject({
      kind: "refused",
      by: "turns_per_day",
    });
    expect(await value("select lease_until < clock_timestamp() from generations")).toBe(true);
    expect(await claim({ session: 1, by: otherProducer })).toMatchObject({ kind: "make" });
  });

  it("counts the turns of one person on one day, without free ones", async () => {
    await rows(
      "insert into llm_calls (university_id, user_id, model, reserved_tokens) values (1, 2, 'model', 0)",
    );
    const past = (outcome: string, tokens: number, ago: string) =>
      rows(`insert into llm_calls (university_id, user_id, model, reserved_tokens, outcome, input_tokens, started_at)
        values (1, 1, 'model', 0, '${outcome}', ${tokens}, now() - interval '${ago}')`);
    await past("complete", 5, "24 hours");
    await past("failed", 0, "0 s");
    await open();
    expect(await claim({ budget: { turns_per_day: 1 } })).toMatchObject({ kind: "make" });
    await past("failed", 5, "0 s");
    await open({ session: 2, ...free });
    await rows("update chat_sessions set user_id = 1 where id = 2");
    expect(await claim({ session: 2, shared: false, budget: { turns_per_day: 2 } })).toMatchObject({
      kind: "refused",
      by: "turns_per_day",
    });
  });

  it("counts running generations, and no longer those of dead producers", async () => {
    const { generation } = await openAndClaim();
    await rows("update chat_sessions set user_id = 1 where id = 2");
    await open({ session: 2, person: 1, ...free });
    const claimSecond = () =>
      claim({ session: 2, shared: false, by: otherProducer, budget: { turns_at_once: 1 } });
    expect(await claimSecond()).toMatchObject({ kind: "refused", by: "turns_at_once", retry_after: 5 });
    await lapse(generation);
    expect(await claimSecond()).toMatchObject({ kind: "make" });
  });

  it("admits calls within the month's tokens, including running ones", async () => {
    await open();
    expect(await claim({ budget: { tokens_per_month: 105 } })).toMatchObject({
      kind: "refused",
      by: "tokens_per_month",
    });
    expect(await month()).toBeUndefined();
    expect(await claim({ budget: { tokens_per_month: 106 } })).toMatchObject({ kind: "make" });
    await open({ session: 2, ...free });
    expect(await claim({ session: 2, shared: false, budget: { tokens_per_month: 211 } })).toMatchObject({
      kind: "refused",
      by: "tokens_per_month",
    });
    expect(await month()).toBe(106);
  });

  it("marks a dead producer's call as lost when another takes over", async () => {
    const { generation } = await openAndClaim();
    await lapse(generation);
    await open({ session: 2 });
    await claim({ session: 2, by: otherProducer });
    expect((await calls()).map(({ outcome, user_id }) => [user_id, outcome])).toEqual([
      [1, "lost"],
      [2, "started"],
    ]);
    // The lost call released its reservation.
    expect(await month()).toBe(100 + Math.floor(20 / 3));
  });
});

describe("effective_tutor_limits", () => {
  const inForce = () =>
    rows(`select turns_per_day::int, turns_at_once::int, tokens_per_month::int
      from universities left join tutor_budgets as budget on budget.university_id = universities.id
      cross join lateral effective_tutor_limits(
        budget, '{"turns_per_day": 200, "turns_at_once": 4, "tokens_per_month": null}') as limits
      where universities.id = 1`);

  it("returns the settings for a university without limits", async () => {
    expect(await inForce()).toEqual([{ turns_per_day: 200, turns_at_once: 4, tokens_per_month: null }]);
  });

  it("returns granted limits instead of the settings, and the university's own within them", async () => {
    await rows(`insert into tutor_budgets (university_id, granted_turns_per_day, own_turns_per_day, own_turns_at_once,
      own_tokens_per_month) values (1, 500, 300, 9, 1000)`);
    expect(await inForce()).toEqual([{ turns_per_day: 300, turns_at_once: 4, tokens_per_month: 1000 }]);
  });
});

describe("end_llm_call_and_count_usage", () => {
  it("stores the call's usage and cost, once, and replaces the reserved maximum", async () => {
    const { generation } = await openAndClaim();
    const call = await callOf(generation);
    await finish(generation, ["Hello."], { call, used });
    await rows(`select end_llm_call_and_count_usage(${call}, 'failed', '{"input": 7}')`);
    expect(await calls()).toMatchObject([
      { outcome: "complete", input: 10, output: 20, read: 30, written: 40, cost: 1234 },
    ]);
    expect(await month()).toBe(100);
  });

  it("is accepted from a producer without the lease, too", async () => {
    const { generation } = await openAndClaim();
    const call = await callOf(generation);
    await lapse(generation);
    await open({ session: 2 });
    await claim({ session: 2, by: otherProducer });
    expect(await finish(generation, ["Hello."], { call, used })).toEqual([]);
    expect(await calls()).toMatchObject([{ outcome: "lost", input: 10 }, { outcome: "started" }]);
    // Its usage is counted once, in addition to the second call's reservation.
    expect(await month()).toBe(100 + 100 + Math.floor(20 / 3));
    await rows(`select end_llm_call_and_count_usage(${call}, 'lost', '{"input": 7}')`);
    expect(await month()).toBe(100 + 100 + Math.floor(20 / 3));
  });

  it("expireLostCallsSql, by mark_llm_calls_lost_releasing_tokens, gives back what calls reserved whose makers were killed, once, and no others", async () => {
    const { generation } = await openAndClaim();
    const call = await callOf(generation);
    const lose = () => value(sql`select ${expireLostCallsSql(10)}`);
    expect(await lose()).toBe(0);
    await rows("update llm_calls set started_at = now() - interval '1 hour'");
    // An hour ago can be in another month.
    await rows(
      "update tutor_months set month = (select date_trunc('month', started_at at time zone 'UTC') from llm_calls)",
    );
    expect([await lose(), await lose(), await month()]).toEqual([1, 0, 0]);
    expect(await value(`select mark_llm_calls_lost_releasing_tokens(array[${call}])`)).toBe(0);
    await rows(`select end_llm_call_and_count_usage(${call}, 'complete', '{"input": 7}')`);
    expect(await month()).toBe(7);
  });

  it("is told by one who gives the answer up: released", async () => {
    const { generation } = await openAndClaim();
    const call = await callOf(generation);
    await rows(releaseGenerationEndingCallQuery({ generation, token: producer }, call, '{"input": 3}'));
    expect(await calls()).toMatchObject([{ outcome: "timeout", input: 3 }]);
  });
});

it("retry_or_fail_generation begins the call of the second attempt, whatever the budget", async () => {
  const { generation } = await openAndClaim();
  const first = await callOf(generation);
  const [failed] = await fail(generation, 1, { call: first, used: {} });
  const second = await callOf(generation);
  expect(failed).toMatchObject({ state: "writing", call: second });
  expect(await fail(generation, 1, { call: first, used: {} })).toMatchObject([{ call: second }]);
  await fail(generation, 2, { call: second, used: { input: 5 } });
  expect(await calls()).toMatchObject([
    { outcome: "failed", user_id: 1, input: 0 },
    { outcome: "failed", user_id: 1, input: 5 },
  ]);
  expect(await month()).toBe(5);
});

it("start_claimed_generation_within_budget reserves a third of the characters sent, and more for each move", async () => {
  await open();
  await claim({ budget: { material: 1 } });
  expect(await month()).toBe(100 + Math.floor((1 + 2) / 3));
  await rows("delete from tutor_months");
  await rows(`insert into chat_messages (id, session_id, role, content, meta, in_reply_to_id) overriding system value
    values (-2, 2, 'user', '@hint', '{}', null), (-1, 2, 'assistant', 'Left.', '{"move": "@hint"}', -2)`);
  await open({ session: 2, ...free });
  const claimed = await claim({ session: 2, shared: false, budget: { material: 0 } });
  expect(claimed["exchanges"]).toEqual([{ question: "@hint", answer: "Left.", move: "@hint" }]);
  // As text of the type `json`.
  const text = await value(`select '[' || json_build_object(
    'question', '@hint', 'answer', 'Left.', 'move', '@hint') || ']'`);
  const length = String(text).replaceAll(" ", "").length;
  expect(await month()).toBe(100 + Math.floor(length / 3) + 150);
});

it("current_budget_month is the first day of the month in UTC", async () => {
  expect(await value("select extract(day from current_budget_month())::int")).toBe(1);
});

describe("calls of several concurrent connections", () => {
  let database: TestDatabase;

  /** Concurrent sessions of Ada, each with an open question and a separate connection. */
  async function race(sessions: number, budget: object): Promise<Row[]> {
    const clients = Array.from({ length: sessions }, () => new pg.Client(database.url));
    await Promise.all(clients.map((client) => client.connect()));
    try {
      const one = clients[0] as pg.Client;
      await one.query(`insert into chat_sessions (id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
        overriding system value select n, 1, 1, '{"title": "Carry"}', 'content', 'content' from generate_series(10, 9 + ${sessions}) as n`);
      return await Promise.all(
        clients.map(async (client, index) => {
          const run = async (statement: string): Promise<Row[]> => (await client.query(statement)).rows;
          const talk = conversationsOf({
            rows: run,
            value: async (text) => Object.values((await run(text))[0] ?? {})[0],
          });
          await talk.open({ session: 10 + index, person: 1, ...free });
          return talk.claim({ session: 10 + index, shared: false, budget });
        }),
      );
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  }

  beforeEach(async () => {
    database = await cloneDatabase();
    const { readFile } = await import("node:fs/promises");
    await database.run(await readFile(new URL("../university.sql", import.meta.url), "utf8"));
    await database.run(twoSessions);
    return () => database.drop();
  });

  it.each([
    ["turns of a day", { turns_per_day: 3 }, "turns_per_day"],
    ["turns at once", { turns_at_once: 3 }, "turns_at_once"],
    // Each may use 100, plus 6 for its input.
    ["tokens of a month", { tokens_per_month: 3 * 106 + 50 }, "tokens_per_month"],
  ])("never use more %s than there are", async (_, budget, limit) => {
    const claimed = await race(12, budget);
    expect(claimed.filter((row) => row["kind"] === "make")).toHaveLength(3);
    expect(claimed.filter((row) => row["by"] === limit)).toHaveLength(9);
  });
});
