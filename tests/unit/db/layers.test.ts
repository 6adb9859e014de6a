import { expect, it } from "vitest";
import { type Layer, LayeredPool } from "../../../lib/db/driver/layers.ts";

/** A pool of two layers, each of which notes what goes through it. */
function pool() {
  const passed: string[] = [];
  const layer = (name: string): Layer => ({
    alone: (statement, next) => {
      passed.push(`${name} alone`);
      return next(statement);
    },
    within: (statement, next) => {
      passed.push(`${name} within`);
      return next(statement);
    },
    connect: async (next) => {
      passed.push(`${name} connects`);
      const connection = await next();
      return { ...connection, release: () => passed.push(`${name} releases`) && connection.release() };
    },
  });
  const send = async ([text]: readonly unknown[]) => text;
  const connect = async () => ({ send, release: () => passed.push("released") });
  return { passed, layered: new LayeredPool(send, connect, [layer("first"), {}, layer("second")]) };
}

it("a statement goes through the layers in their order, and comes as it is", async () => {
  const { layered, passed } = pool();
  expect(await layered.query("select 1")).toBe("select 1");
  expect(passed).toEqual(["first alone", "second alone"]);
});

it("a connection does so when it is lent, with each of its statements, and when it is released", async () => {
  const { layered, passed } = pool();
  const client = await layered.connect();
  expect(await client.query("begin")).toBe("begin");
  client.release();
  expect(passed.slice(0, 4)).toEqual(["first connects", "second connects", "first within", "second within"]);
  expect(passed.slice(4)).toEqual(["first releases", "second releases", "released"]);
});

it("drizzle knows it for a pool, whatever a bundle calls it", () => {
  expect(LayeredPool.name).toContain("Pool");
});
