import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createNotificationsAndQueueMails } from "../../../../lib/courses/notifications/process-notifications.ts";
import { processRollouts } from "../../../../lib/tutor/rollouts/work.ts";
import { processWarmings } from "../../../../lib/tutor/warming/work.ts";
import { mailboxOf } from "../../../support/mailbox.ts";
import { noDeadline } from "../../../support/no-deadline.ts";
import { insertAnswers } from "../../../support/rollout.ts";
import { openWorld } from "../../../support/world.ts";
import { openSession } from "../chat/support.ts";
import { rolloutsOf } from "./rollouts.ts";
import { asking } from "./trials.ts";

const world = openWorld();
const { make, begun, productionNow } = rolloutsOf(world);

const mailbox = mailboxOf(world);

const work = () => processRollouts(world.deps, noDeadline());

/** A rollout with standard limits, and a function that adds answers to its arms. */
async function answered(more: object = { stop: {} }) {
  const made = await begun(more);
  const where = { rollout_id: made.rollout.id, content_item_id: made.item.id, user_id: made.writer.id };
  const add = (arm: "base" | "candidate", answers: Parameters<typeof insertAnswers>[3]) =>
    insertAnswers(world, where, arm, answers);
  const state = async () => (await made.approver.get(made.one)).body;
  return { ...made, add, state };
}

describe("the schedule stops a rollout automatically", () => {
  it.each([
    ["MALFORMED", { stop: "malformed" }],
    ["REFUSALS", { stop: "refusal" }],
    ["CUT_OFFS", { stop: "length" }],
    ["DOWNS", { rating: "down" as const }],
    ["LENGTH", { characters: 1600 }],
    ["COST", { cost_micros: 4000 }],
    ["FIRST_WORD", { first_word_ms: 2400 }],
  ])("by %s", async (reason, worse) => {
    const { add, state, author, approver, version, base } = await answered();
    await add("base", { count: 150 });
    await add("candidate", { count: 110 });
    expect(await work()).toMatchObject({ stopped_rollouts: 0 });
    expect(await state()).toMatchObject({ state: "RUNNING" });
    await add("candidate", { count: 40, ...worse });
    expect(await work()).toMatchObject({ stopped_rollouts: 1 });
    const stopped = await state();
    expect(stopped).toMatchObject({ state: "STOPPED", stop_reason: reason, ended_by: null });
    expect(stopped.compared.filter((one: { is_exceeded: boolean }) => one.is_exceeded)).toMatchObject([
      { limit: reason, candidate_answers: 150, base_answers: 150 },
    ]);
    expect(await work()).toMatchObject({ stopped_rollouts: 0 });
    expect(await productionNow(approver)).toBe(base);
    for (const client of [author, approver]) {
      const { notifications } = (await client.get("/users/me/notifications")).body;
      expect(notifications).toHaveLength(1);
      expect(notifications[0]).toMatchObject({
        kind: "rollout_stopped",
        title: `tutor ${version}`,
        rollout: { prompt_name: "tutor", version, stop_reason: reason },
      });
    }
    const { rows } = await world.deps.db.execute(
      sql`select actor_id, details ->> 'stop_reason' as reason from audit_events
          where action = 'prompt.rollout_stopped' order by id desc limit 1`,
    );
    expect(rows).toEqual([{ actor_id: null, reason: reason.toLowerCase() }]);
  });

  it("not after too few answers, nor if a limit is off", async () => {
    const few = await answered();
    await few.add("base", { count: 500 });
    await few.add("candidate", { count: 99, stop: "malformed", rating: "down", cost_micros: 90_000 });
    expect(await work()).toMatchObject({ stopped_rollouts: 0 });
    expect((await few.state()).compared).toContainEqual(
      expect.objectContaining({ limit: "MALFORMED", candidate: 1, base: 0, most: 0.02, is_exceeded: false }),
    );
    await few.approver.post(`${few.one}/stop`);
    const off = await answered({ stop: { malformed: null } });
    await off.add("base", { count: 150 });
    await off.add("candidate", { count: 150, stop: "malformed" });
    expect(await work()).toMatchObject({ stopped_rollouts: 0 });
  });

  it("by answers of its own version while it ran", async () => {
    const { add, state, rollout } = await answered();
    await add("base", { count: 150 });
    await add("candidate", { count: 150, stop: "malformed" });
    await world.deps.db.execute(sql`
      update chat_messages set meta = meta || '{"prompt_version": 1}'
      where session_id in (select id from chat_sessions where rollout_id = ${rollout.id})`);
    expect((await state()).arms).toMatchObject({ candidate: { conversations: 150, turns: 0, malformed: 0 } });
    expect(await work()).toMatchObject({ stopped_rollouts: 0 });
  });

  it("and sends a mail with the reason to verified addresses", async () => {
    const { add, author: _, writer, version } = await answered();
    await world.deps.db.execute(sql`update users set email_verified_at = now() where id = ${writer.id}`);
    await add("base", { count: 150 });
    await add("candidate", { count: 150, stop: "refusal" });
    await work();
    world.setNow(new Date(Date.now() + 60_000));
    await createNotificationsAndQueueMails(world.deps, noDeadline());
    await mailbox.send();
    const sent = mailbox.mails.filter(({ to }) => to === writer.email);
    expect(sent.map(({ subject }) => subject)).toEqual(["A rollout of a prompt has stopped"]);
    expect(sent[0]?.text).toContain(
      `The rollout of tutor ${version} has stopped: more of its answers were refused`,
    );
  });

  it("and looks again in a minute for as long as one runs", async () => {
    await begun();
    expect((await work()).nextDue?.getTime()).toBe(world.deps.now().getTime() + 60_000);
  });
});

it("a promotion warms each topic that used the version before, by its class's visits", async () => {
  const made = await begun({ unit: "PERSON" });
  const { item, approver, one, version } = made;
  world.llm.script({ chunks: asking("Begin.") });
  // Conversations before the rollout belong to the base.
  await world.deps.db.execute(
    sql`update prompt_rollouts set universities = '{}' where id = ${made.rollout.id}`,
  );
  for (let place = 0; place < 3; place += 1)
    await (await openSession(world.as(await make.person()), item.id)).say("Start.");
  const seldom = await make.topic();
  await (await openSession(world.as(await make.person()), seldom.item.id)).say("Start.");
  expect(await approver.post(`${one}/promote`)).toMatchObject({ status: 200, body: { state: "PROMOTED" } });
  expect(await work()).toMatchObject({ warmings: 1 });
  expect(await work()).toMatchObject({ warmings: 0 });
  expect((await approver.get(one)).body.warmings).toBe(1);
  world.llm.reset();
  world.llm.script({ chunks: asking("Begin anew.") });
  expect(await processWarmings(world.deps, noDeadline())).toMatchObject({ warmed: 1 });
  expect((await approver.get(`/content/${item.id}/warm`)).body).toMatchObject({
    ...{ state: "DONE", prompt_version: version, nodes: { made: 1 } },
  });
  const session = await openSession(world.as(await make.person()), item.id);
  await session.say("Start.");
  expect(await session.lastMeta()).toMatchObject({ source: "cache", prompt_version: version });
});
