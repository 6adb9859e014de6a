import { eq, sql } from "drizzle-orm";
import { afterEach } from "vitest";
import { promptRollouts } from "../../../../schema/db/tutor/rollouts.ts";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { insertTrialsOf, meetsCandidate, noLimits } from "../../../support/rollout.ts";
import type { World } from "../../../support/world.ts";
import { openSession } from "../chat/support.ts";

export const path = "/prompts/tutor/rollouts";

/** Ends rollouts of the previous test, because only one may run. */
export function rolloutsOf(world: World) {
  const make = makersOf(world);

  afterEach(async () => {
    world.llm.reset();
    await world.deps.db
      .update(promptRollouts)
      .set({ state: "STOPPED", ended_at: world.deps.now().toISOString(), warmed_to: null })
      .where(eq(promptRollouts.state, "RUNNING"));
    await world.deps.db.execute(sql`update prompt_rollouts set warmed_to = null`);
  });

  const productionNow = async (client: Client, name = "tutor"): Promise<number> =>
    (await client.get(`/prompts/${name}`)).body.version;

  /** A version with its author's trial, and a person who may approve it. */
  async function prepare(prompt = `Be new with {{title}}: ${make.unique("text")}.`) {
    const topic = await make.topic();
    const writer = await make.holder("instructor", topic.university.id);
    const approving = await make.holder("platform_admin", topic.university.id);
    const [author, approver] = [world.as(writer), world.as(approving)];
    const { body } = await author.post("/prompts/", { name: "tutor", prompt });
    const version: number = body.version;
    const base = await productionNow(approver);
    const where = { course_id: topic.course.id, content_item_id: topic.item.id };
    await insertTrialsOf(world, where, { version, against: base });
    return { ...topic, writer, approving, author, approver, version, base, prompt, where };
  }

  /** The same with a rollout to half of the units, by default without limits. */
  async function begun(more: object = {}) {
    const prepared = await prepare();
    const { body, status } = await prepared.approver.post(path, {
      ...{ candidate_version: prepared.version, share: 50, stop: noLimits, ...more },
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return { ...prepared, rollout: body as { id: number; share: number }, one: `${path}/${body.id}` };
  }

  /** An offering of the topic's course in the given arm. */
  async function offeringIn(
    arm: "base" | "candidate",
    {
      rollout,
      course,
    }: { rollout: { id: number; share: number }; course: { id: number; university_id: number } },
  ) {
    for (;;) {
      const offering = await make.offering(course);
      const meets = await meetsCandidate(world, rollout, `offering ${offering.id}`);
      if (meets === (arm === "candidate")) return offering;
    }
  }

  async function learner(offering: { id: number }, itemId: number) {
    const person = await make.person();
    await make.enrollment(person.id, offering.id);
    const client = world.as(person);
    return { person, client, session: await openSession(client, itemId) };
  }

  return { make, prepare, begun, offeringIn, learner, productionNow };
}
