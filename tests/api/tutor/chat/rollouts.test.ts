import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../../../functions/groups.ts";
import { createDeps } from "../../../../lib/deps.ts";
import { createApp } from "../../../../lib/http/create-app.ts";
import { treeViolationsQuery } from "../../../../proof/chaos/tree-violations.ts";
import { serverParts } from "../../../../server/parts.ts";
import { clientOf } from "../../../support/client.ts";
import { meetsCandidate } from "../../../support/rollout.ts";
import { openWorld } from "../../../support/world.ts";
import { rolloutsOf } from "../prompts/rollouts.ts";
import { asking } from "../prompts/trials.ts";
import { answerTo, eventsOf, keepLeases, openSession } from "./support.ts";

const world = openWorld();
const { make, begun, prepare, offeringIn, learner } = rolloutsOf(world);
keepLeases(world);

const armOf = async (session: { id: number }) => {
  const { rows } = await world.deps.db.execute(
    sql`select rollout_id, rollout_arm from chat_sessions where id = ${session.id}`,
  );
  return rows[0] as { rollout_id: number | null; rollout_arm: string | null };
};

const lastSystem = () => world.llm.requests.at(-1)?.system;

describe("the arm of a conversation", () => {
  it("is its class's: both arms share whole trees", async () => {
    const made = await begun();
    const { item, version, base, rollout } = made;
    for (const [arm, of] of [
      ["candidate", version],
      ["base", base],
    ] as const) {
      const offering = await offeringIn(arm, made);
      const [first, second] = [await learner(offering, item.id), await learner(offering, item.id)];
      world.llm.reset();
      world.llm.script({ chunks: asking(`Begin ${arm}.`) }, { chunks: asking(`Go on ${arm}.`, "q2") });
      for (const message of ["Start.", answerTo("q1", "A")]) {
        await first.session.say(message);
        expect(await first.session.lastMeta()).toMatchObject({ source: "llm", prompt_version: of });
        await second.session.say(message);
        expect(await second.session.lastMeta()).toMatchObject({ source: "cache", prompt_version: of });
      }
      expect(world.llm.requests).toHaveLength(2);
      if (arm === "candidate")
        expect(lastSystem()).toContain(made.prompt.replace("{{title}}", `"${item.title}"`));
      for (const { session } of [first, second])
        expect(await armOf(session)).toEqual({ rollout_id: rollout.id, rollout_arm: arm });
    }
    const tree = async () => (await made.approver.get(`/chat/topics/${item.id}/tree`)).body.nodes;
    expect((await tree()).map((node: { is_live: boolean }) => node.is_live)).toEqual(Array(4).fill(true));
    const { body } = await made.approver.get(made.one);
    expect(body.arms).toMatchObject({
      base: { conversations: 2, turns: 4, made: 2, calls: 2, malformed: 0 },
      candidate: { conversations: 2, turns: 4, made: 2, calls: 2, malformed: 0 },
    });
    expect(body.arms.candidate.first_word_ms).toBeGreaterThanOrEqual(0);
    await made.approver.post(`${made.one}/stop`);
    expect((await tree()).filter((node: { is_live: boolean }) => node.is_live)).toHaveLength(2);
  });

  it("is the same on another device, in another process, and after a restart", async () => {
    const made = await begun();
    const arms = ["candidate", "base"] as const;
    const people = await Promise.all(
      arms.map(async (arm) => (await learner(await offeringIn(arm, made), made.item.id)).person),
    );
    const other = await createDeps(world.deps.config, {
      log: world.deps.log,
      now: world.deps.now,
      parts: serverParts,
    });
    try {
      const app = createApp(other, allEndpointGroups) as never;
      for (const [place, arm] of arms.entries()) {
        const person = people[place];
        for (const client of [world.as(person), clientOf(app, other, person), clientOf(app, other, person)])
          expect((await armOf(await openSession(client, made.item.id))).rollout_arm).toBe(arm);
      }
    } finally {
      await other.close();
    }
  });

  it("is the person's own by their wish of unit, and without an offering", async () => {
    const made = await begun({ unit: "PERSON" });
    const arms = new Set<string | null>();
    for (let place = 0; place < 200 && arms.size < 2; place += 1) {
      const { person, session } = await learner(made.offering, made.item.id);
      const { rollout_arm } = await armOf(session);
      expect(rollout_arm === "candidate").toBe(
        await meetsCandidate(world, made.rollout, `person ${person.id}`),
      );
      arms.add(rollout_arm);
    }
    expect(arms).toEqual(new Set(["candidate", "base"]));
    await made.approver.post(`${made.one}/stop`);
    const byOffering = await begun();
    const alone = await make.person();
    const session = await openSession(world.as(alone), byOffering.item.id);
    const meets = await meetsCandidate(world, byOffering.rollout, `person ${alone.id}`);
    expect((await armOf(session)).rollout_arm).toBe(meets ? "candidate" : "base");
  });

  it("is missing if it began earlier, at other universities, and if staff try a version; an aside has its session's", async () => {
    const prepared = await prepare();
    const { item, course, approver, author, version, base, university } = prepared;
    const before = await learner(prepared.offering, item.id);
    const { body: rollout } = await approver.post("/prompts/tutor/rollouts", {
      ...{ candidate_version: version, share: 50, universities: [university.id] },
    });
    const offering = await offeringIn("candidate", { rollout, course });
    await make.enrollment(before.person.id, offering.id);
    await before.session.say("Start.");
    expect(await before.session.lastMeta()).toMatchObject({ prompt_version: base });
    expect(await armOf(before.session)).toEqual({ rollout_id: null, rollout_arm: null });

    const elsewhere = await make.topic();
    expect(
      (await armOf(await openSession(world.as(await make.person()), elsewhere.item.id))).rollout_id,
    ).toBeNull();
    const { body: tried } = await author.post("/chat/sessions", {
      content_item_id: item.id,
      prompt_version: version,
    });
    expect((await armOf(tried)).rollout_id).toBeNull();

    const { client, session } = await learner(offering, item.id);
    await session.say("Start.");
    const { body: aside } = await client.post("/chat/sessions", {
      content_item_id: item.id,
      aside_of: session.id,
    });
    expect(await armOf(aside)).toEqual({ rollout_id: rollout.id, rollout_arm: "candidate" });
  });
});

describe("when a rollout ends", () => {
  it.each(["stop", "promote"])(
    "by a %s, its conversations continue with the current version, without a restart",
    async (how) => {
      const made = await begun();
      const { item, version, base, approver, one } = made;
      const offering = await offeringIn("candidate", made);
      const [first, second] = [await learner(offering, item.id), await learner(offering, item.id)];
      world.llm.script({ chunks: asking("Candidate.") });
      for (const { session } of [first, second]) await session.say("Start.");
      const stood = await first.session.read();
      expect(await approver.post(`${one}/${how}`)).toMatchObject({ status: 200 });

      world.llm.script({ chunks: asking("After it.", "q2") });
      const reply = await first.session.say(answerTo("q1", "A"));
      expect(eventsOf(reply).some((event) => "restart" in event)).toBe(false);
      const teaching = how === "stop" ? base : version;
      expect(await first.session.lastMeta()).toMatchObject({ source: "llm", prompt_version: teaching });
      expect(world.llm.requests.at(-1)?.messages, "the dialogue so far is told on").toHaveLength(3);
      const now = await first.session.read();
      expect(now).toMatchObject({ id: stood.id, cache_state: "TRACKING" });
      expect(now.messages.slice(0, 2)).toEqual(stood.messages);
      expect(now.cache_node_id).not.toBe(stood.cache_node_id);

      await second.session.say(answerTo("q1", "A"));
      expect(await second.session.lastMeta()).toMatchObject({ source: "cache", prompt_version: teaching });
      expect((await world.deps.db.execute(sql.raw(treeViolationsQuery))).rows).toEqual([]);
    },
  );

  it("during a generation, that answer is completed, and the next turn is the base's", async () => {
    const made = await begun();
    const { session } = await learner(await offeringIn("candidate", made), made.item.id);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const [text = ""] = asking("Slowly.");
    world.llm.script({ chunks: ["Sl", held, text.slice(2)] });
    const saying = session.say("Start.");
    await expect.poll(() => world.llm.requests.length).toBe(1);
    await made.approver.post(`${made.one}/stop`);
    release();
    await saying;
    expect(await session.lastMeta()).toMatchObject({ source: "llm", prompt_version: made.version });
    await session.say(answerTo("q1", "A"));
    expect(await session.lastMeta()).toMatchObject({ prompt_version: made.base });
  });
});
