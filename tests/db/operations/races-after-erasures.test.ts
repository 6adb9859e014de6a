import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import {
  eraseConversationsOfErasedAccounts,
  eraseLeftovers,
} from "../../../lib/operations/personal-data/erase-leftovers.ts";
import { treeViolationsQuery } from "../../../proof/chaos/tree-violations.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { chatSessions } from "../../../schema/db/tutor/chat.ts";
import { answerTo, hold, keepLeases, openSession } from "../../api/tutor/chat/support.ts";
import { atOnce } from "../../support/at-once.ts";
import { eraseAccountOf } from "../../support/erase.ts";
import { makersOf } from "../../support/makers.ts";
import { tablesWith } from "../../support/tables-with.ts";
import { openWorld } from "../../support/world.ts";

/*
 * An account is closed immediately, and its conversations are deleted later, with requests that ran in
 * between.
 */

const world = openWorld();
keepLeases(world);
const make = makersOf(world);
const rounds = [0, 1, 2, 3, 4, 5];

const { signal } = new AbortController();
const job = () => eraseConversationsOfErasedAccounts(world.deps, signal);

/** The schedule's work after an erasure, until it has ended. */
async function endErasures(): Promise<void> {
  await eraseLeftovers(world.deps, signal);
  await job();
  const later = new Date(world.deps.now().getTime() + 2 * 3_600_000);
  await eraseConversationsOfErasedAccounts({ db: world.deps.db, now: () => later }, signal);
  expect(await rowsOf(sql`select user_id from erasures`)).toEqual([]);
}

const rowsOf = async (statement: ReturnType<typeof sql>) => (await world.deps.db.execute(statement)).rows;

const accountOf = async ({ id }: { id: number }) => {
  const [account] = await world.deps.db.select().from(users).where(eq(users.id, id));
  return account;
};

it.each(rounds)(
  "a post of progress during an erasure is counted with the remaining rows, or rejected (%i)",
  async (round) => {
    const { offering, item, module, university } = await make.topic();
    await make.contentItem(module, university.id, { sequence_index: 2 });
    const learner = await make.person();
    const client = world.as(learner);
    await client.post("/enrollments/", { course_offering_id: offering.id });
    const post = (progress_percent: number) =>
      client.post("/progress/content", {
        content_item_id: item.id,
        course_offering_id: offering.id,
        progress_percent,
      });
    if (round > 2) expect((await post(40)).status).toBe(200);
    const [erased, posted] = await atOnce(
      round,
      () => eraseAccountOf(world, learner),
      () => post(100),
    );
    expect(erased).toBe(204);
    expect([200, 401, 403]).toContain(posted.status);
    await endErasures();
    expect((await post(100)).status).toBe(401);
    const rows = await rowsOf(sql`
      select progress_percent::float8 as percent from user_content_progress where user_id = ${learner.id}`);
    if (posted.status === 200) expect(rows).toEqual([{ percent: 100 }]);
    else expect(rows).toEqual(round > 2 ? [{ percent: 40 }] : []);
    const [kept] = await rowsOf(sql`
      select progress_percent::float8 as percent, (select own.progress_percent::float8 from course_progress_of_people(${offering.id}::int, array[${learner.id}::int]) as own) as counted
      from enrollment_progress where user_id = ${learner.id}`);
    expect(kept?.["percent"]).toBe(kept?.["counted"]);
    expect(await accountOf(learner)).toMatchObject({ email: null, full_name: "", is_active: false });
  },
);

const jobAt = ["while the tutor writes", ...Array<"as it ends">(4).fill("as it ends"), "after it"] as const;

it.each([
  ...jobAt.map((when) => ({ when, kind: "in words of one's own" })),
  ...jobAt.map((when) => ({ when, kind: "on a path that others take too" })),
])(
  "a turn that is being answered leaves nothing of who erased their account: $kind, the job $when",
  async ({ when, kind }) => {
    const words = make.unique("a zebra in pyjamas");
    const { item } = await make.topic();
    const learner = await make.person();
    const session = await openSession(world.as(learner), item.id);
    await session.greet();
    const { held, release } = hold();
    world.llm.script({ chunks: [`You said ${words}`, held, ` and more ${words}.`] });
    const calls = world.llm.calls();
    const said = session.say(kind.startsWith("in words") ? `Said ${words}` : answerTo("q1", words));
    await expect.poll(() => world.llm.calls()).toBe(calls + 1);
    await expect.poll(async () => (await tablesWith(world, `You said ${words}`)).length).toBeGreaterThan(0);

    expect(await eraseAccountOf(world, learner)).toBe(204);
    if (when === "while the tutor writes") await job();
    release();
    const [reply] = await Promise.all([said, ...(when === "as it ends" ? [job()] : [])]);
    expect(reply.status).toBe(200);
    await endErasures();
    expect(await tablesWith(world, words)).toEqual([]);
    const sessions = world.deps.db.select().from(chatSessions).where(eq(chatSessions.user_id, learner.id));
    expect(await sessions).toEqual([]);
    expect(await rowsOf(sql`select id from llm_calls where user_id = ${learner.id}`)).toEqual([]);
    expect(await rowsOf(sql.raw(treeViolationsQuery))).toEqual([]);
  },
);

it("a turn with several subscribers continues for them, also if its first caller erased their account", async () => {
  const { item } = await make.topic();
  const [leaving, staying] = [await make.person(), await make.person()];
  const [one, other] = [
    await openSession(world.as(leaving), item.id),
    await openSession(world.as(staying), item.id),
  ];
  const { held, release } = hold();
  world.llm.script({ chunks: ["Welcome", held, " to all."] });
  const calls = world.llm.calls();
  const first = one.greet();
  await expect.poll(() => world.llm.calls()).toBe(calls + 1);
  const second = other.greet();
  const listening = () =>
    rowsOf(sql`
    select id from chat_sessions where id in (${one.id}, ${other.id}) and answering_generation_id is not null`);
  await expect.poll(async () => (await listening()).length).toBe(2);
  expect(await eraseAccountOf(world, leaving)).toBe(204);
  await job();
  release();
  expect((await second).text).toContain(" to all.");
  await first;
  await endErasures();
  expect((await other.read()).messages.at(-1).content).toBe("Welcome to all.");
  expect(world.llm.calls()).toBe(calls + 1);
});
