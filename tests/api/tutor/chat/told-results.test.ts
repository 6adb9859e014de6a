import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { labSubmissions } from "../../../../schema/db/assessment/lab-submissions.ts";
import { users } from "../../../../schema/db/identity/users.ts";
import { eraseAccountOf } from "../../../support/erase.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { answerTo, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);

afterEach(() => world.llm.reset());

const lastAsked = () => String(world.llm.requests.at(-1)?.messages.at(-1)?.content);
const mark = "--- What the learner did";

/** An assignment and two people of its class: one got 8 of 10 points, the other 3. */
async function inClass() {
  const topic = await make.topic();
  const submission = { course_offering_id: topic.offering.id, content_item_id: topic.item.id, max_score: 10 };
  const people = [];
  for (const score_obtained of [8, 3]) {
    const person = await make.person();
    await make.enrollment(person.id, topic.offering.id);
    await world.deps.db
      .insert(labSubmissions)
      .values({ ...submission, user_id: person.id, status: "graded", score_obtained });
    people.push({ person, client: world.as(person) });
  }
  await world.deps.db.execute(sql`
    insert into grade_releases (course_offering_id, content_item_id, released_at) values (${topic.offering.id}, ${topic.item.id}, now())`);
  const [one, other] = people as [(typeof people)[0], (typeof people)[0]];
  return { ...topic, one, other };
}

const chooses = (client: { put: ReturnType<typeof world.as>["put"] }, tutor_sees_results: boolean) =>
  client.put("/users/me", { tutor_sees_results });

describe("a learner's results", () => {
  it("are sent with their free text, only while they share them; nobody else's are", async () => {
    const { one, other, item } = await inClass();
    const session = await openSession(one.client, item.id);
    world.llm.script({ chunks: ["Well."], times: 4 });
    await session.say("How am I doing?");
    expect(lastAsked()).not.toContain(mark);
    expect((await chooses(one.client, true)).body).toMatchObject({ tutor_sees_results: true });
    await session.say("And now?");
    expect(lastAsked()).toContain("Work handed in, number 1: 8 of 10 points.");
    expect(lastAsked()).not.toContain("3 of 10");
    // It is in no history: neither the learner's nor the next prompt's.
    expect(JSON.stringify(await session.read())).not.toContain(mark);
    await chooses(one.client, false);
    await session.say("And again?");
    expect(JSON.stringify(world.llm.requests.at(-1))).not.toContain(mark);
    await chooses(one.client, true);
    await (await openSession(other.client, item.id)).say("How am I doing?");
    expect(lastAsked()).not.toContain(mark);
  });

  it("leave the class's requests the same, byte for byte, for every setting", async () => {
    const { one, other, item } = await inClass();
    const asks = async (client: typeof one.client, chose: boolean) => {
      await chooses(client, chose);
      await world.deps.db.execute(sql`delete from cache_nodes`);
      world.llm.reset();
      const question = {
        questionId: "q1",
        question: "Which?",
        options: ["A", "B"].map((id) => ({ id, text: id })),
      };
      world.llm.script(
        { chunks: [`Hello.\n\`\`\`mcq\n${JSON.stringify(question)}\n\`\`\``] },
        { chunks: ["Well."] },
      );
      const session = await openSession(client, item.id);
      await session.say("Start.");
      await session.say(answerTo("q1", "A"));
      expect(world.llm.requests).toHaveLength(2);
      return JSON.stringify(world.llm.requests);
    };
    const shared = await asks(one.client, false);
    for (const [who, chose] of [
      [one, true],
      [other, true],
      [other, false],
    ] as const)
      expect(await asks(who.client, chose)).toBe(shared);
  });

  it("are deleted with the account", async () => {
    const { one } = await inClass();
    await chooses(one.client, true);
    const [exported] = (await one.client.get("/users/me/export")).body.users;
    expect(exported).toMatchObject({ tutor_sees_results: true });
    expect(await eraseAccountOf(world, one.person)).toBe(204);
    const kept = await world.deps.db.select().from(users).where(eq(users.id, one.person.id));
    expect(kept).toMatchObject([{ tutor_sees_results: false, email: null }]);
  });
});
