import { describe, expect, it } from "vitest";
import type { Db } from "../../../../lib/platform/db/client.ts";
import { AnswerBroadcast } from "../../../../lib/tutor/generations/broadcast.ts";
import type { AnswerStreamEvent } from "../../../../lib/tutor/generations/chunk-batch.ts";
import { ReplayBuffer } from "../../../../lib/tutor/generations/replay-buffer.ts";
import { subscribeToGeneration } from "../../../../lib/tutor/generations/subscribe.ts";
import { noDeadline } from "../../../support/no-deadline.ts";

/** A broadcast whose producer runs in this process, without database queries. */
function toldHere(): AnswerBroadcast {
  const broadcast = new AnswerBroadcast({} as Db, 1);
  broadcast.produced();
  broadcast.restart();
  return broadcast;
}

describe("a subscription to a local generation", () => {
  it("has the end of a restart while the former draft is still passed on", async () => {
    const broadcast = toldHere();
    broadcast.send(["Hello, "]);
    broadcast.send(["Ada."]);
    const told: AnswerStreamEvent[] = [];
    const following = subscribeToGeneration(broadcast, new ReplayBuffer(), noDeadline());
    let step = await following.next();
    for (; !step.done; step = await following.next()) {
      told.push(...step.value);
      if (told.length === 2) broadcast.finish({ state: "complete" }, ["Good ", "day."]);
    }
    expect(step.value).toMatchObject({ state: "complete" });
    expect(told).toEqual([["Hello, "], ["Ada."], "restart", ["Good ", "day."]]);
  });

  it("has each chunk once that arrives while a restart is passed on", async () => {
    const broadcast = toldHere();
    broadcast.send(["Hello"]);
    const told: AnswerStreamEvent[] = [];
    const following = subscribeToGeneration(broadcast, new ReplayBuffer(), noDeadline());
    told.push(...((await following.next()).value as AnswerStreamEvent[]));
    broadcast.restart();
    broadcast.send(["Good "]);
    let step = await following.next();
    for (; !step.done; step = await following.next()) {
      told.push(...step.value);
      if (step.value.includes("restart")) broadcast.send(["day"]);
      if (told.length === 4) broadcast.finish({ state: "complete" }, ["Good ", "day", "."]);
    }
    expect(told).toEqual([["Hello"], "restart", ["Good "], ["day"], ["."]]);
  });

  it("is for a class in fewer batches, and never waits for the end", () => {
    const broadcast = toldHere();
    broadcast.users = 1_000_000;
    for (const chunk of ["Hello, ", "dear ", "class"]) broadcast.send([chunk]);
    expect(broadcast.draft.batches).toEqual([["Hello, "]]);
    broadcast.finish({ state: "complete" }, ["Hello, ", "dear ", "class", "."]);
    expect(broadcast.draft.batches).toEqual([["Hello, "], ["dear ", "class"], ["."]]);
  });

  it("loses nothing when its producer is gone before the end", () => {
    const broadcast = new AnswerBroadcast({} as Db, 1);
    const producer = broadcast.produced();
    broadcast.restart();
    broadcast.users = 1_000_000;
    for (const chunk of ["Hello, ", "class"]) broadcast.send([chunk]);
    producer[Symbol.dispose]();
    expect(broadcast.draft.batches).toEqual([["Hello, "], ["class"]]);
  });
});
