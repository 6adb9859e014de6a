import { expect, it } from "vitest";
import { openBenchEnvironment } from "../../../proof/bench/environment.ts";
import { measureFloods } from "../../../proof/bench/floods.ts";

/** What each flood is answered with; of files some perhaps only in a longer one. */
const expected = {
  "wrong passwords": { all: [401, 503], some: [] },
  mails: { all: [201, 202], some: [] },
  files: { all: [429], some: [200, 201, 422] },
  "private answers": { all: [200, 429], some: [] },
};

it("the bench floods the service, and everyone else is answered meanwhile", {
  timeout: 120_000,
}, async () => {
  const bench = await openBenchEnvironment();
  try {
    const found = await measureFloods(bench, { rounds: 1, seconds: 0.5 }, { BCRYPT_COST: "9" });
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
