import { eq, sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { activityEvents } from "../../../../schema/db/courses/activity.ts";
import { chatMessages, chatSessions } from "../../../../schema/db/tutor/chat.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { drawing } from "./drawn.ts";
import { readTotals, recountTotals } from "./totals.ts";

const world = openWorld();
const make = makersOf(world);

const { drawn, oneOf, several } = drawing();

/** Within ten days: many days have several events, and many pauses are short. */
const moment = (): string => new Date(Date.UTC(2026, 2, 1) + drawn(10 * 24 * 12) * 5 * 60_000).toISOString();

let people: number[];
let taught: { item: number; offering: number }[];

beforeAll(async () => {
  people = await Promise.all(Array.from({ length: 4 }, async () => (await make.person()).id));
  taught = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const { item, offering } = await make.topic();
      return { item: item.id, offering: offering.id };
    }),
  );
});

/** Writes, and sometimes rolls up a week, to mix rolled-up and new rows. */
async function meanwhile(write: () => Promise<unknown>): Promise<void> {
  await write();
  if (drawn(3) === 0) await world.deps.db.execute(sql`select aggregate_daily_activity_and_answers(10000)`);
}

it("events written in any order and number have the totals of one full count", async () => {
  const event = () => {
    const { item, offering } = oneOf(taught);
    return {
      user_id: oneOf(people),
      verb: oneOf(["asked", "progressed"]),
      object_type: "content_item",
      object_id: 1,
      content_item_id: oneOf([item, item, null]),
      course_offering_id: oneOf([offering, null]),
      occurred_at: moment(),
    };
  };
  for (let statement = 0; statement < 120; statement++)
    await meanwhile(() => world.deps.db.insert(activityEvents).values(several(event)));
  const kept = await readTotals(world.deps.db);
  expect(kept.length).toBeGreaterThan(100);
  expect(await recountTotals(world.deps.db)).toEqual(kept);
});

it("messages written in any order and number have the totals of one full count", async () => {
  const opened = await world.deps.db
    .insert(chatSessions)
    .values(
      Array.from({ length: 8 }, () => ({
        user_id: oneOf(people),
        content_item_id: oneOf(taught).item,
        content_context: {},
        item_fingerprint: "",
        surroundings_fingerprint: "",
        created_at: moment(),
        cache_state: oneOf(["TRACKING", "DIVERGED"] as const),
      })),
    )
    .returning({ id: chatSessions.id });
  await world.deps.db.update(chatSessions).set({ cache_state: "DIVERGED" });
  const answer = () => ({
    session_id: oneOf(opened).id,
    role: "assistant" as const,
    content: "",
    meta: { source: oneOf(["cache", "llm"]) },
    on_shared_path: oneOf([true, false]),
    created_at: moment(),
  });
  for (let statement = 0; statement < 40; statement++)
    await meanwhile(() => world.deps.db.insert(chatMessages).values(several(answer)));
  const kept = await readTotals(world.deps.db);
  expect(kept.filter(({ measure }) => measure === "conversations").length).toBeGreaterThan(5);
  expect(await recountTotals(world.deps.db)).toEqual(kept);
});

it("people with concurrent activities are counted as if they had acted one after the other", async () => {
  const { item, offering } = oneOf(taught);
  const event = (user_id: number, minute: number) => ({
    user_id,
    verb: "asked",
    object_type: "content_item",
    object_id: item,
    content_item_id: item,
    course_offering_id: offering,
    occurred_at: new Date(Date.UTC(2026, 3, 1, 12, minute)).toISOString(),
  });
  const atOnce = Array.from({ length: 40 }, (_, index) => event(people[index % 4] ?? 0, index));
  await Promise.all(atOnce.map((one) => world.deps.db.insert(activityEvents).values(one)));
  const kept = await readTotals(world.deps.db);
  expect(await recountTotals(world.deps.db)).toEqual(kept);
});

it("a deleted conversation stays counted, also if it was not counted before", async () => {
  const [opened] = await world.deps.db
    .insert(chatSessions)
    .values({
      user_id: people[0] ?? 0,
      content_item_id: taught[0]?.item ?? 0,
      content_context: {},
      item_fingerprint: "",
      surroundings_fingerprint: "",
      cache_state: "DIVERGED",
    })
    .returning({ id: chatSessions.id });
  const session_id = opened?.id ?? 0;
  const answer = { session_id, role: "assistant" as const, content: "", meta: { source: "cache" } };
  const hits = async () =>
    (await readTotals(world.deps.db))
      .filter(({ measure, course_id }) => course_id === null && ["hits", "divergences"].includes(measure))
      .reduce((all, { amount }) => all + Number(amount), 0);
  const before = await hits();
  await world.deps.db.insert(chatMessages).values({ ...answer, on_shared_path: true });
  await world.deps.db.delete(chatSessions).where(eq(chatSessions.id, session_id));
  expect(await hits()).toBe(before + 1);
});
