import { expect, it } from "vitest";
import {
  applyPoolLayers,
  type Layer,
  type Statement,
  toDrizzleClient,
  toStatement,
} from "../../../../lib/platform/db/driver/layers.ts";
import { PlannedByValue } from "../../../../lib/platform/db/planned-by-value.ts";

/** A pool of two layers that log each statement. */
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
  const send = async ({ text }: Statement) => text;
  const connect = async () => ({ send, release: () => passed.push("released") });
  return { passed, through: applyPoolLayers({ send, connect }, [layer("first"), {}, layer("second")]) };
}

it("a statement passes through the layers in order, unchanged", async () => {
  const { through, passed } = pool();
  expect(await through.send(toStatement("select 1"))).toBe("select 1");
  expect(passed).toEqual(["first alone", "second alone"]);
});

it("a connection does so when it is lent, with each of its statements, and when it is released", async () => {
  const { through, passed } = pool();
  const client = await through.connect();
  expect(await client.send(toStatement("begin"))).toBe("begin");
  client.release();
  expect(passed.slice(0, 4)).toEqual(["first connects", "second connects", "first within", "second within"]);
  expect(passed.slice(4)).toEqual(["first releases", "second releases", "released"]);
});

it("a statement says whether it may be repeated, as its handle does, and whether it is planned once for all values", async () => {
  const sent: Statement[] = [];
  const send = async (statement: Statement) => sent.push(statement);
  const values = [[1], [], [new PlannedByValue("ada"), 1]];
  for (const repeatable of [true, false])
    for (const one of values) await toDrizzleClient(send, { repeatable }).query({ text: "select $1" }, one);
  expect(sent.map(({ repeatable }) => repeatable)).toEqual([true, true, true, false, false, false]);
  expect(sent.map(({ named }) => named)).toEqual([true, false, false, true, false, false]);
  expect(toStatement("commit")).toMatchObject({ text: "commit", repeatable: false, named: false });
});
