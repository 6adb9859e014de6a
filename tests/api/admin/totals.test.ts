import { beforeAll, expect, it } from "vitest";
import { activityEvents } from "../../../schema/db/activity.ts";
import { chatMessages, chatSessions } from "../../../schema/db/chat.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { readTotals, recountTotals } from "./totals.ts";

const world = openWorld();
const make = makersOf(world);

/** The same numbers in every run, in an order without a pattern: from 0 to below `bound`. */
let state = 1;
const drawn = (bound: number): number => {
  state = (state * 48_271) % 2_147_483_647;
  return state % bound;
};
const oneOf = <T>(values: readonly T[]): T => values[drawn(values.length)] as T;
const several = <T>(make: () => T): T[] => Array.from({ length: 1 + drawn(4) }, make);

/** Within ten days, so that many days have several events, and many pauses are short. */
const moment = (): string => new Date(Date.UTC(2026, 2, 1) + drawn(10 * 24 * 12) * 5 * 60_000).toISOString();

let people: number[];
let places: { item: number; offering: number }[];

beforeAll(async () => {
  people = await Promise.all(Array.from({ length: 4 }, async () => (await make.person()).id));
  places = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const { item, offering } = await make.topic();
      return { item: item.id, offering: offering.id };
    }),
  );
});

it("events that are written in any order and number are counted as if they had been counted at once", async () => {
  const event = () => {
    const { item, offering } = oneOf(places);
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
    await world.deps.db.insert(activityEvents).values(several(event));
  const { activity } = await readTotals(world.deps.db);
  expect(activity.length).toBeGreaterThan(100);
  expect((await recountTotals(world.deps.db)).activity).toEqual(activity);
});

it("messages that are written in any order and number are counted as if they had been counted at once", async () => {
  const opened = await world.deps.db
    .insert(chatSessions)
    .values(
      Array.from({ length: 8 }, () => ({
        user_id: oneOf(people),
        content_item_id: oneOf(places).item,
        content_context: {},
        content_fingerprint: "",
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
    await world.deps.db.insert(chatMessages).values(several(answer));
  const { chats } = await readTotals(world.deps.db);
  expect(chats.length).toBeGreaterThan(5);
  expect((await recountTotals(world.deps.db)).chats).toEqual(chats);
});

it("people who do the same thing at once, and one who does many, are counted as if one after the other", async () => {
  const { item, offering } = oneOf(places);
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
