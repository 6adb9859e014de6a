import { expect, it, onTestFinished } from "vitest";
import { openBenchEnvironment } from "../../../proof/bench/environment.ts";
import { measureBystanderWaitsDuringFlood } from "../../../proof/bench/floods/bystander-waits.ts";
import { openFloodEnvironment } from "../../../proof/bench/floods/environment.ts";
import { floodFactories } from "../../../proof/bench/floods.ts";

/** Expected statuses per flood. How many files are read in time depends on the machine. */
const expected: Record<string, { all: number[]; some: number[] }> = {
  doors: { all: [201, 401], some: [200, 202, 204, 302, 303, 400, 404, 422, 429, 502, 503] },
  "wrong passwords": { all: [401], some: [] },
  mails: { all: [201, 202], some: [] },
  files: { all: [], some: [200, 201, 422, 429, 503] },
  "hostile files": { all: [], some: [200, 400, 422, 429, 503] },
  "private answers": { all: [200, 429], some: [] },
  "scores of a tool": { all: [204], some: [409] },
};

/** A slow machine needs longer for each of them. */
const paceOf = (name: string) => {
  const { all = [] } = expected[name] ?? {};
  return {
    ...{ rounds: 1, seconds: 2 },
    isEnough: (answers: Readonly<Record<number, number>>) =>
      Object.keys(answers).length > 0 && all.every((status) => status in answers),
  };
};

it("the bench floods the service, and everyone else is answered", async () => {
  const bench = await openBenchEnvironment();
  // Also after a timeout, to stop its PostgreSQL.
  onTestFinished(() => bench.close());
  const stage = await openFloodEnvironment(bench, { BCRYPT_COST: "9" });
  // Before the first of them occupies the database.
  const floods = await Promise.all(floodFactories.map((create) => create(stage)));
  // Concurrently, because times do not matter here.
  const found = await Promise.all(
    floods.map((flood) => measureBystanderWaitsDuringFlood(flood, paceOf(flood.name))),
  );
  await stage.close();
  expect(found.map(({ name }) => name)).toEqual(Object.keys(expected));
  for (const [at, { all, some }] of Object.values(expected).entries()) {
    const { waited = [], answers = {} } = found[at] ?? {};
    const statuses = Object.keys(answers).map(Number);
    expect(statuses).not.toEqual([]);
    expect(statuses).toEqual(expect.arrayContaining(all));
    expect([...all, ...some]).toEqual(expect.arrayContaining(statuses));
    for (const times of waited.flatMap(({ quiet, flooded }) => [quiet, flooded])) {
      expect(times).not.toEqual([]);
      expect(times.every((milliseconds) => milliseconds > 0)).toBe(true);
    }
  }
});
