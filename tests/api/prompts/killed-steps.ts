import { expect } from "vitest";
import type { Db } from "../../../lib/db/client.ts";
import type { World } from "../../support/world.ts";
import { dyingAt } from "./trials.ts";

/**
 * Kills a process before each of these statements; `live` starts it on the database it is given and checks what is left.
 * Killed right after the statement before, it leaves the same rows. Only the LLM knows the difference, so that is done where
 * the LLM was asked between the two statements. If calls run at once, that depends on their order: then `after` says where.
 * Returns how many processes were killed.
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

/** The same database, and whether the LLM was asked between the statement before a number and the one of that number. */
function watched(world: World, db: Db) {
  /** How often the LLM had been asked when each statement began. */
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

/** From one to that number. */
export const stepsTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);
