import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../../../lib/identity/auth/actor.ts";
import { inCandidateArmCondition, sessionRolloutJsonSql } from "../../../../lib/tutor/chat/arm-of-session.ts";
import { armStatisticsSql } from "../../../../lib/tutor/rollouts/arm-statistics.ts";
import { contentItems } from "../../../../schema/db/courses/content-items.ts";
import { contentTypes } from "../../../../schema/db/courses/content-types.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { rows, column, value, refusal } = openSession();

const request = `'{"at": "2026-03-10T12:00:00Z"}'`;

const lastMove = "(select coalesce(max(id), 0)::int from prompt_label_events)";

/** Ids of two new versions of the tutor's prompt, the first in production. */
async function versions(): Promise<[number, number]> {
  const made = async (labels: string) =>
    Number(
      await value(`select id from create_prompt_version('tutor', jsonb_build_object('prompt', 'Teach ' || random(),
        'labels', '${labels}'::text[]), '{}', 1, 5, 1000)`),
    );
  return [await made("{production}"), await made("{}")];
}

const begin = async (candidate: number, base: number, { seen = lastMove, guarded = "{}", share = 50 } = {}) =>
  (
    await rows(`select refusal, (rollout).id, (rollout).state from begin_rollout(${candidate}, ${base}, ${seen},
      '${JSON.stringify({ share, unit: "offering", stop: {} })}', '${guarded}', 2, ${request})`)
  )[0];

const state = async (id: unknown) =>
  (await rows(`select state, stop_reason, ended_by, warmed_to from prompt_rollouts where id = ${id}`))[0];

let base = 0;
let candidate = 0;

beforeEach(async () => {
  [base, candidate] = await versions();
});

describe("meetsCandidate", () => {
  const meets = (rollout: number, unit: string, share: number) =>
    textOf(inCandidateArmCondition(sql`${rollout}`, sql.raw(unit), sql`${share}`));

  it("is the same at any time, and true of about as many units as the share says", async () => {
    expect(await value(`select ${meets(7, "'offering 12'", 30)}`)).toBe(
      await value(`select ${meets(7, "'offering 12'", 30)}`),
    );
    for (const share of [1, 10, 50]) {
      const met = Number(
        await value(
          `select count(*) from generate_series(1, 10000) as unit where ${meets(3, "'person ' || unit", share)}`,
        ),
      );
      expect(Math.abs(met / 100 - share), `${share} of a hundred`).toBeLessThan(1.5);
    }
    const both = await value(`select count(*) from generate_series(1, 10000) as unit
      where ${meets(3, "'person ' || unit", 50)} and ${meets(4, "'person ' || unit", 50)}`);
    expect(Math.abs(Number(both) - 2500), "another rollout meets others").toBeLessThan(200);
  });

  it("stays true for the same conversations when a share grows", async () => {
    expect(
      await value(`select count(*) from generate_series(1, 1000) as unit
        where ${meets(3, "'person ' || unit", 10)} and not ${meets(3, "'person ' || unit", 20)}`),
    ).toBe(0);
  });
});

describe("begin_rollout", () => {
  it("begins one for a name, and says why it does not", async () => {
    expect(await begin(candidate, base, { seen: "0" })).toMatchObject({ refusal: "changed", id: null });
    expect(await begin(candidate, base)).toMatchObject({ refusal: null, state: "running" });
    expect(await begin(candidate, base)).toMatchObject({ refusal: "running", id: null });
    expect(await column("select details from audit_events where action = 'prompt.rollout_started'")).toEqual([
      {
        name: "tutor",
        version: await value("select candidate_version from prompt_rollouts"),
        rollout_id: await value("select id from prompt_rollouts"),
        share: 50,
      },
    ]);
  });

  it("is rejected if a guarded version reaches production", async () => {
    await rows(`select create_prompt_version('above', '{"prompt": "", "labels": ["live"], "references":
      [{"child_name": "tutor", "child_label": "production", "occurrences": 1, "tag_characters": 1}]}', '{}', 1, 5, 1000)`);
    expect(
      await refusal(`select begin_rollout(${candidate}, ${base}, ${lastMove}, '{"share": 10, "unit": "offering", "stop": {}}', '{live}', 2,
        ${request})`),
    ).toEqual({ constraint: "prompt_labels_followed", detail: "above (version 1)" });
  });
});

describe("a running rollout", () => {
  it("applies to new conversations in its universities, and keeps its versions", async () => {
    await begin(candidate, base);
    const joined = () =>
      value(sql`select ${sessionRolloutJsonSql({ id: 1 } as Actor, "tutor")} from ${contentItems}
        join ${contentTypes} on ${contentTypes.id} = ${contentItems.content_type_id} where ${contentItems.id} = 1`);
    expect(await joined()).toEqual({
      rollout_id: await value("select id from prompt_rollouts"),
      rollout_arm: expect.stringMatching(/^(base|candidate)$/),
    });
    await rows("update prompt_rollouts set universities = '{}'");
    expect(await joined()).toBeNull();
    const version = await value(`select version from prompts where id = ${candidate}`);
    expect((await refusal(`select delete_prompt_versions('tutor', ${version}, 1, 5, 1000)`)).constraint).toBe(
      "prompt_rollouts_running",
    );
  });

  it("is ended once by end_rollout, and by stop_rollout_and_notify, which notifies author and approver", async () => {
    const begun = await begin(candidate, base);
    const id = begun?.["id"];
    expect(
      await column(`select state from stop_rollout_and_notify(${id}, 'cost', null, ${request})`),
    ).toEqual(["stopped"]);
    expect(
      await column(`select state from stop_rollout_and_notify(${id}, 'cost', null, ${request})`),
    ).toEqual([]);
    expect(await column(`select state from end_rollout(${id}, 'promoted', null, 1, ${request})`)).toEqual([]);
    expect(await state(id)).toEqual({
      state: "stopped",
      stop_reason: "cost",
      ended_by: null,
      warmed_to: null,
    });
    expect(
      await rows(
        "select user_id, prompt_rollout_id from notifications where kind = 'rollout_stopped' order by 1",
      ),
    ).toEqual([
      { user_id: 1, prompt_rollout_id: id },
      { user_id: 2, prompt_rollout_id: id },
    ]);
    const again = await begin(candidate, base);
    await rows(`select stop_rollout_and_notify(${again?.["id"]}, 'by_hand', 2, ${request})`);
    expect(
      await column(`select user_id from notifications where prompt_rollout_id = ${again?.["id"]}`),
      "not whoever does it",
    ).toEqual([1]);
  });

  it("ends as production moves, and is promoted by promote_rollout", async () => {
    const moved = await begin(candidate, base);
    await rows(`select set_prompt_labels('tutor', (select version from prompts where id = ${candidate}), '{production}', '{}', 3,
      5, 1000)`);
    expect(await state(moved?.["id"])).toMatchObject({
      state: "stopped",
      stop_reason: "production_moved",
      ended_by: 3,
    });
    const back = await begin(base, candidate);
    expect(
      await column(`select state from promote_rollout(${back?.["id"]}, '{}', 2, 5, 1000, ${request})`),
    ).toEqual(["promoted"]);
    expect(
      await value("select prompt_id from prompt_labels where name = 'tutor' and label = 'production'"),
    ).toBe(base);
    expect(await state(back?.["id"])).toMatchObject({ state: "promoted", warmed_to: 0 });
    expect(await column(`select promote_rollout(${back?.["id"]}, '{}', 2, 5, 1000, ${request})`)).toEqual([]);
  });
});

describe("take_next_topics_to_warm", () => {
  it("looks at so many items at a time, and at each once", async () => {
    const begun = await begin(candidate, base);
    const next = () => value(`select take_next_topics_to_warm(${begun?.["id"]}, 2)`);
    expect(await next(), "it is not promoted").toBeNull();
    await rows(`select promote_rollout(${begun?.["id"]}, '{}', 2, 5, 1000, ${request})`);
    const items = Number(await value("select count(*) from content_items"));
    let looked = 0;
    for (let found = await next(); found !== null; found = await next()) {
      expect(found).toEqual([]);
      looked += 1;
    }
    expect(looked).toBe(Math.ceil(items / 2));
    expect(await state(begun?.["id"])).toMatchObject({ warmed_to: null });
  });
});

describe("the answers of an arm", () => {
  it("are none at first, and then have the measured moments", async () => {
    const begun = await begin(candidate, base);
    expect(
      await value(sql`select ${armStatisticsSql(sql`${begun?.["id"]}::int`, "base", 10)}`),
    ).toMatchObject({
      ...{ conversations: 0, turns: 0, made: 0, calls: 0, cost: { count: 0, mean: 0, variance: 0 } },
    });
    const session = `insert into chat_sessions
      (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, rollout_id, rollout_arm)
      values (1, 1, '{}', '', '', ${begun?.["id"]}, 'base') returning id`;
    const id = await value(session);
    for (const cost of [1, 2, 3, 4, null]) {
      const asked = await value(
        `insert into chat_messages (session_id, role, content) values (${id}, 'user', '?') returning id`,
      );
      await rows(`insert into chat_messages (session_id, role, content, in_reply_to_id, meta)
        select ${id}, 'assistant', '!', ${asked}, jsonb_build_object(
          'source', 'llm', 'prompt_name', prompt_name, 'prompt_version', base_version) from prompt_rollouts`);
      await rows(`insert into llm_calls (message_id, model, reserved_tokens, outcome, cost_micros, usage_estimated)
        values (${asked}, 'model', 0, 'complete', ${cost}, ${cost === 4})`);
    }
    expect(
      await value(sql`select ${armStatisticsSql(sql`${begun?.["id"]}::int`, "base", 10)}`),
    ).toMatchObject({
      ...{ conversations: 1, turns: 5, made: 5, calls: 5, calls_estimated: 1, total_cost_micros: 10 },
      cost: { count: 4, mean: 2.5, variance: 5 / 3 },
      length: { count: 5, mean: 1, variance: 0 },
    });
  });
});
