import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { learnerVisitRequests } from "../../../proof/bench/learner-visit.ts";

const template = readFileSync(path.resolve(import.meta.dirname, "../../../serverless.yml"), "utf8");

const parameter = (name: string): number =>
  Number(new RegExp(`^    ${name}: (\\d+)$`, "m").exec(template)?.[1]);

/** As in docs/scale.md: half of the remaining learners arrive in each quarter of an hour. */
function throttleFor(learners: number): number {
  const inHour = 1 - 2 ** (-60 / 15);
  const visitsInBusiestMinute = (learners / inHour) * (1 - 2 ** (-1 / 15));
  return Math.ceil((visitsInBusiestMinute * learnerVisitRequests.length) / 60 / 0.8 / 50) * 50;
}

it("the template's throttle is for the visits of 25 000 learners in an hour", () => {
  expect(parameter("throttleRate")).toBe(throttleFor(25_000));
  expect(parameter("throttleBurst")).toBe(2 * throttleFor(25_000));
});
