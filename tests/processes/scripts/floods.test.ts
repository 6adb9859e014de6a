import { expect, it } from "vitest";
import { openBenchEnvironment } from "../../../proof/bench/environment.ts";
import { meanwhile } from "../../../proof/bench/floods/meanwhile.ts";
import { openFloods } from "../../../proof/bench/floods/stage.ts";
import { floods } from "../../../proof/bench/floods.ts";

/** What each flood is answered with; of files some perhaps only in a longer one. */
const expected = {
  "wrong passwords": { all: [401, 503], some: [] },
  mails: { all: [201, 202], some: [] },
  files: { all: [429], some: [200, 201, 422] },
  "private answers": { all: [200, 429], some: [] },
};

const pace = { rounds: 1, seconds: 2 };

it("the bench floods the service, and everyone else is answered meanwhile", async () => {
  const bench = await openBenchEnvironment();
  try {
    const stage = await openFloods(bench, { BCRYPT_COST: "9" });
    // At once, since no time of it counts here.
    const found = await Promise.all(floods.map(async (flood) => meanwhile(await flood(stage), pace)));
    await stage.close();
    expect(found.map(({ name }) => name)).toEqual(Object.keys(expected));
    for (const [at, { all, some }] of Object.values(expected).entries()) {
      const { waited = [], answers = {} } = found[at] ?? {};
      const statuses = Object.keys(answers).map(Number);
      expect(statuses).toEqual(expect.arrayContaining(all));
      expect([...all, ...some]).toEqual(expect.arrayContaining(statuses));
      for (const times of waited.flatMap(({ quiet, flooded }) => [quiet, flooded])) {
        expect(times).not.toEqual([]);
        expect(times.every((milliseconds) => milliseconds > 0)).toBe(true);
      }
    }
  } finally {
    await bench.close();
  }
});
