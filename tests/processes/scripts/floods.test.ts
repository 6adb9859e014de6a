import { expect, it } from "vitest";
import { openBenchEnvironment } from "../../../proof/bench/environment.ts";
import { measureFloods } from "../../../proof/bench/floods.ts";

/** What each flood is answered with. */
const expected: Record<string, number[]> = {
  "wrong passwords": [401, 503],
  mails: [201, 202],
};

it("the bench floods the service, and everyone else is answered meanwhile", {
  timeout: 120_000,
}, async () => {
  const bench = await openBenchEnvironment();
  try {
    const found = await measureFloods(bench, { rounds: 1, seconds: 1 }, { BCRYPT_COST: "9" });
    const statuses = found.map(({ name, answers }) => [name, Object.keys(answers).map(Number)]);
    expect(Object.fromEntries(statuses)).toEqual(expected);
    for (const { waited } of found)
      for (const { quiet, flooded } of waited)
        for (const times of [quiet, flooded]) {
          expect(times).not.toEqual([]);
          expect(times.every((milliseconds) => milliseconds > 0)).toBe(true);
        }
  } finally {
    await bench.close();
  }
});
