import { setTimeout as sleep } from "node:timers/promises";
import { checkFinalInvariants, watchAnswerTreeViolations } from "./checks.ts";
import { type ChaosEnvironment, withChaosEnvironment } from "./environment.ts";
import { injectFaultsUntilStopped } from "./faults.ts";
import type { ChaosFlags } from "./flags.ts";
import { ChaosLearner } from "./learner.ts";
import { buildChaosReport, type ChaosReport } from "./report.ts";

export type ChaosRunOptions = {
  /** Time for everyone to get an answer after the faults. */
  calmSeconds?: number;
  onProgress?: (line: string) => void;
};

/** Runs faults and learners, ends the faults, and checks the results. */
export function runChaos(
  flags: ChaosFlags,
  { calmSeconds = 15, onProgress = () => {} }: ChaosRunOptions = {},
) {
  return withChaosEnvironment(flags, async (stage): Promise<ChaosReport> => {
    const learners = stage.university.learners.map(
      (token, index) => new ChaosLearner(stage, index + 1, token),
    );
    const storm = new AbortController();
    const seconds = flags.minutes * 60;
    const watching = watchAnswerTreeViolations(stage, storm.signal);
    const progress = setInterval(() => onProgress(progressLine(stage, learners)), 1000);
    try {
      const studying = learners.map((learner) => study(learner, storm.signal));
      const faults = injectFaultsUntilStopped(stage, AbortSignal.timeout(seconds * 1000));
      await faults;
      stage.llm.calmDown();
      storm.abort();
      await watching;
      await waitForAll(stage, learners, studying, calmSeconds);
      await checkFinalInvariants(stage);
    } finally {
      clearInterval(progress);
    }
    return buildChaosReport(flags, stage);
  });
}

/** Works through topics until the faults end, then takes one more step. */
async function study(learner: ChaosLearner, storm: AbortSignal): Promise<void> {
  // Learners do not start at the same moment.
  await sleep(learner.rng.between(0, 500));
  while (!storm.aborted) {
    await learner.step();
    await sleep(learner.rng.between(0, 1000));
  }
  await learner.step(true);
  await learner.readBack();
}

async function waitForAll(
  { ledger }: ChaosEnvironment,
  learners: readonly ChaosLearner[],
  studying: readonly Promise<void>[],
  seconds: number,
): Promise<void> {
  const calmSince = performance.now();
  const all = Promise.all(studying);
  // A stuck learner continues until the servers close.
  all.catch(() => {});
  const limit = new AbortController();
  await Promise.race([all, sleep(seconds * 1000, undefined, { signal: limit.signal })]).finally(() =>
    limit.abort(),
  );
  const stuck = learners.filter(({ answeredAt }) => answeredAt < calmSince);
  for (const learner of stuck) ledger.violated(`${learner.name} is stuck ${whereabouts(learner)}`);
  ledger.count("stuck after calm", stuck.length);
  if (stuck.length === 0) await all;
}

function whereabouts({ session, waitingSince = performance.now(), answeredAt }: ChaosLearner): string {
  const [waited, before] = [waitingSince, answeredAt].map((moment) =>
    Math.round((performance.now() - moment) / 1000),
  );
  return `in session ${session}: waits for ${waited} s, and had the last answer ${before} s ago`;
}

function progressLine({ ledger, llm }: ChaosEnvironment, learners: readonly ChaosLearner[]): string {
  const waiting = learners.filter(({ waitingSince }) => waitingSince !== undefined).length;
  const counted = ["acknowledged", "kills", "freezes"].map((what) => `${ledger.counted(what)} ${what}`);
  return `${[...counted, `${llm.calls} calls`, `${waiting} waiting`, `${ledger.violations.length} violations`].join(", ")}`;
}
