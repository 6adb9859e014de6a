import { describe, expect, it } from "vitest";
import type { Db } from "../../../lib/db/client.ts";
import { Broadcast } from "../../../lib/generations/broadcast.ts";
import { subscribe } from "../../../lib/generations/subscribe.ts";
import type { Delta } from "../../../lib/generations/chunk-batch.ts";
import { ReplayBuffer } from "../../../lib/generations/replay-buffer.ts";

/** A feed whose maker works in this process, so that no database is asked. */
function toldHere(): Broadcast {
  const feed = new Broadcast({} as Db, 1);
  feed.made();
  feed.begin();
  return feed;
}

describe("listening to an answer that is made here", () => {
  it("hears the end of what is told anew while the former draft is still passed on", async () => {
    const feed = toldHere();
    feed.say(["Hello, "]);
    feed.say(["Ada."]);
    const told: Delta[] = [];
    const following = subscribe(feed, new ReplayBuffer(), AbortSignal.timeout(10_000));
    let step = await following.next();
    for (; !step.done; step = await following.next()) {
      told.push(...step.value);
      if (told.length === 2) feed.finish({ state: "complete" }, ["Good ", "day."]);
    }
    expect(step.value).toMatchObject({ state: "complete" });
    expect(told).toEqual([["Hello, "], ["Ada."], "restart", ["Good ", "day."]]);
  });

  it("hears each piece once that is told while a restart is passed on", async () => {
    const feed = toldHere();
    feed.say(["Hello"]);
    const told: Delta[] = [];
    const following = subscribe(feed, new ReplayBuffer(), AbortSignal.timeout(10_000));
    told.push(...((await following.next()).value as Delta[]));
    feed.begin();
    feed.say(["Good "]);
    let step = await following.next();
    for (; !step.done; step = await following.next()) {
      told.push(...step.value);
      if (step.value.includes("restart")) feed.say(["day"]);
      if (told.length === 4) feed.finish({ state: "complete" }, ["Good ", "day", "."]);
    }
    expect(told).toEqual([["Hello"], "restart", ["Good "], ["day"], ["."]]);
  });

  it("is for a class in fewer pieces, and never waits for the end", () => {
    const feed = toldHere();
    feed.users = 1_000_000;
    for (const chunk of ["Hello, ", "dear ", "class"]) feed.say([chunk]);
    expect(feed.draft.pieces).toEqual([["Hello, "]]);
    feed.finish({ state: "complete" }, ["Hello, ", "dear ", "class", "."]);
    expect(feed.draft.pieces).toEqual([["Hello, "], ["dear ", "class"], ["."]]);
  });

  it("loses nothing when its maker is gone before it was told", () => {
    const feed = new Broadcast({} as Db, 1);
    const maker = feed.made();
    feed.begin();
    feed.users = 1_000_000;
    for (const chunk of ["Hello, ", "class"]) feed.say([chunk]);
    maker[Symbol.dispose]();
    expect(feed.draft.pieces).toEqual([["Hello, "], ["class"]]);
  });
});
