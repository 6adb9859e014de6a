import { afterAll, beforeAll, expect, it } from "vitest";
import { type BenchEnvironment, openBenchEnvironment } from "../../../proof/bench/environment.ts";
import { benchLtiLaunchesAndGrades } from "../../../proof/bench/lti.ts";
import { benchToolLaunchesAndScores } from "../../../proof/bench/lti-tools.ts";
import type { BenchVerdict } from "../../../proof/bench/report.ts";
import { benchSamlResponseVerification } from "../../../proof/bench/saml.ts";
import { benchScimProvisioning } from "../../../proof/bench/scim.ts";
import { benchPromptStepTrial } from "../../../proof/bench/trials.ts";

let bench: BenchEnvironment;
beforeAll(async () => {
  bench = await openBenchEnvironment();
});
afterAll(() => bench.close());

/** Verdicts on counts, which do not depend on the machine, unlike those on time and memory. */
const countsIn = (verdicts: BenchVerdict[]) =>
  verdicts.filter(({ found }) => / (scores|launches|people|calls)$/.test(found));

it("the bench of LTI launches people, and sends each grade once", async () => {
  const size = { launches: 20, launchesAlone: 2, scores: 60 };
  const verdicts = await benchLtiLaunchesAndGrades(bench, size);
  expect(countsIn(verdicts)).toHaveLength(2);
  expect(countsIn(verdicts).filter(({ reached }) => !reached)).toEqual([]);
});

it("the bench of tools launches people, and stores each score once", async () => {
  const verdicts = await benchToolLaunchesAndScores(bench, { launches: 20, scores: 100 });
  expect(countsIn(verdicts)).toHaveLength(5);
  expect(countsIn(verdicts).filter(({ reached }) => !reached)).toEqual([]);
});

it("the bench of SCIM provisions each person", async () => {
  const verdicts = await benchScimProvisioning(bench, 30);
  expect(countsIn(verdicts)).toHaveLength(1);
  expect(countsIn(verdicts).filter(({ reached }) => !reached)).toEqual([]);
});

it("the bench of trials calls the LLM once for each place", async () => {
  const verdicts = await benchPromptStepTrial(bench, { places: 6, rounds: 1 });
  expect(countsIn(verdicts)).toHaveLength(1);
  expect(countsIn(verdicts).filter(({ reached }) => !reached)).toEqual([]);
});

it("the bench of SAML reads every response of a class", async () => {
  expect(await benchSamlResponseVerification(6)).toHaveLength(7);
});
