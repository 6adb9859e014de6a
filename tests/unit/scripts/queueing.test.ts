import { describe, expect, it } from "vitest";
import { simulate } from "../../../proof/capacity-model/queueing.ts";

const at = (moment: number, milliseconds: number, station = "desk") => ({
  at: moment,
  visits: [{ station, milliseconds }],
});

/** The same numbers each time, evenly between 0 and 1 (a linear congruential generator). */
function* evenNumbers(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield (state + 0.5) / 2 ** 32;
  }
}

describe("Monday's queues", () => {
  it("one server serves four who come at once one after the other", () => {
    const [desk] = simulate(
      [{ name: "desk", servers: 1 }],
      [0, 0, 0, 0].map((moment) => at(moment, 10)),
    );
    expect(desk).toEqual({ name: "desk", requests: 4, median: 20, p99: 30, longest: 30, busy: 1, most: 1 });
  });

  it("two servers halve their waits, and nobody waits who comes when one is free", () => {
    const [desk] = simulate(
      [{ name: "desk", servers: 2 }],
      [0, 0, 0, 0, 25].map((moment) => at(moment, 10)),
    );
    expect([desk?.median, desk?.longest]).toEqual([0, 10]);
    expect(desk?.busy).toBeCloseTo(50 / (35 * 2), 10);
  });

  it("a request stands in the line of its second station only when the first has served it", () => {
    const visits = [
      { station: "process", milliseconds: 5 },
      { station: "database", milliseconds: 20 },
    ];
    const stations = [
      { name: "process", servers: 2 },
      { name: "database", servers: 1 },
    ];
    const arrivals = [0, 0].map((moment) => ({ at: moment, visits }));
    const [process, database] = simulate(stations, arrivals);
    expect([process?.longest, database?.longest]).toEqual([0, 20]);
    expect(database?.busy).toBeCloseTo(40 / 45, 10);
  });

  it("a request keeps its function while it waits for the database, and the next one waits for both", () => {
    const stations = [
      { name: "functions", servers: 2 },
      { name: "database", servers: 1 },
    ];
    const visits = [{ milliseconds: 5 }, { station: "database", milliseconds: 20 }];
    const arrivals = [0, 0, 0].map((moment) => ({ at: moment, visits, keeps: "functions" }));
    const [functions, database] = simulate(stations, arrivals);
    // The first is done at 25, the second at 45; the third begins at 25 and is at the database from 45 to 65.
    expect([functions?.longest, functions?.most]).toEqual([25, 2]);
    expect([database?.longest, database?.median]).toEqual([20, 15]);
    expect(database?.busy).toBeCloseTo(60 / 65, 10);
  });

  it("waits as long as the formula says for Poisson arrivals and exponential times (M/M/1)", () => {
    // With a load of a half, every second request finds nobody.
    const numbers = evenNumbers();
    const exponential = (mean: number) => -mean * Math.log(numbers.next().value);
    let moment = 0;
    const arrivals = Array.from({ length: 200_000 }, () => {
      moment += exponential(20);
      return at(moment, exponential(10));
    });
    const [desk] = simulate([{ name: "desk", servers: 1 }], arrivals);
    expect(desk?.busy).toBeCloseTo(0.5, 1);
    // P(wait > t) = load × e^(−t (1 − load) / time): 1 in 100 waits longer than 20 ln 50.
    expect((desk?.p99 ?? 0) / (20 * Math.log(50))).toBeGreaterThan(0.95);
    expect((desk?.p99 ?? 0) / (20 * Math.log(50))).toBeLessThan(1.05);
    expect(desk?.median).toBeLessThan(1);
  });
});
