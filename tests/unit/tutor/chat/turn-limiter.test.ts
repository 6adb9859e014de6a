import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Db } from "../../../../lib/platform/db/client.ts";
import { turnLimiter } from "../../../../lib/tutor/chat/turn-limiter.ts";

/** How many of twenty turns open concurrently, in a warm process. */
async function mostAtOnce(DATABASE_POOL_SIZE: number, turns: number): Promise<number> {
  const open = turnLimiter({} as Db, { DATABASE_POOL_SIZE });
  /** The database responds after so many turns of the event loop. */
  const opened = async () => {
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  };
  for (let before = 0; before < 5; before += 1) await open(opened);
  let now = 0;
  let most = 0;
  const opening = () =>
    open(async () => {
      now += 1;
      most = Math.max(most, now);
      await opened();
      now -= 1;
    });
  await Promise.all(Array.from({ length: 20 }, opening));
  return most;
}

it.each([
  ["a near database keeps half of the connections busy", 10, 0, 5],
  ["so does a far one", 10, 10, 5],
  ["with two connections, one turn is opened at a time", 2, 0, 1],
  ["with one connection too", 1, 10, 1],
])("%s", async (_, connections, turns, atOnce) => {
  expect(await mostAtOnce(connections, turns)).toBe(atOnce);
});

it("a failure is thrown, and admits the next one", async () => {
  const open = turnLimiter({} as Db, { DATABASE_POOL_SIZE: 1 });
  await expect(open(() => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  await expect(open(() => Promise.resolve("opened"))).resolves.toBe("opened");
});
