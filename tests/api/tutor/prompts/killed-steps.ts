import { expect } from "vitest";
import type { Db } from "../../../../lib/platform/db/client.ts";
import type { World } from "../../../support/world.ts";
import { dyingAt } from "./trials.ts";

/**
 * Kills a process before each statement; `live` starts it on the given database and checks the result. A kill
 * right after a statement leaves the same rows, unless the LLM was called in between. Those places are killed
 * too; for concurrent calls, `after` gives them. Returns the number of kills.
 */
export async function killAtEach(
  world: World,
  steps: readonly number[],
  live: (db: Db, place: string) => Promise<void>,
  after?: readonly number[],
): Promise<number> {
  const asking: number[] = [];
  for (const step of steps) {
    const { db, hasAskedBefore } = watched(world, dyingAt(world, step, "before"));
    await live(db, `before statement ${step}`);
    if (hasAskedBefore(step)) asking.push(step - 1);
  }
  const killedAfter = after ?? asking;
  expect(killedAfter.length, "some statements are followed by a call of the LLM").toBeGreaterThan(0);
  for (const step of killedAfter) await live(dyingAt(world, step, "after"), `after statement ${step}`);
  return steps.length + killedAfter.length;
}

/** The database, and whether the LLM was called between a statement and the one before. */
function watched(world: World, db: Db) {
  /** The number of LLM calls when each statement began. */
  const asked: number[] = [0];
  const execute: Db["execute"] = (statement) => {
    asked.push(world.llm.requests.length + world.llm.batches.all.length);
    return db.execute(statement);
  };
  return {
    db: new Proxy(db, { get: (it, name) => (name === "execute" ? execute : Reflect.get(it, name)) }),
    hasAskedBefore: (step: number) => step > 1 && (asked[step] ?? 0) > (asked[step - 1] ?? 0),
  };
}

export const stepsTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);
