import { setTimeout as sleep } from "node:timers/promises";
import { Browser } from "../../ops/smoke/browser.ts";
import { expect } from "../../ops/smoke/expect.ts";
import { demoAdministrator } from "../seed/accounts.ts";
import { type Asking, askingAs } from "./asking.ts";
import { Learner } from "./learner.ts";
import type { Report } from "./report.ts";
import { signIn } from "./sign-in.ts";
import type { Topic } from "./topic.ts";

/** Enough offerings that they are almost never all in one arm. */
const offerings = 12;
/** Minimum of answers per arm before the comparison is conclusive. */
const minTourAnswersPerArm = 110;
const maxTourRounds = 150;

type Arm = "base" | "candidate";

type Shown = {
  id: number;
  state: string;
  stop_reason: string | null;
  arms: Record<Arm, { made: number; characters: number | null }>;
};

/** Runs the schedule's work immediately. */
export type Hurry = () => Promise<unknown>;

/** Half of the offerings use the version, until its answers are significantly longer than allowed. */
export async function rollOut(
  base: string,
  author: Asking,
  topic: Topic,
  version: number,
  report: Report,
  hurry: Hurry = async () => {},
): Promise<void> {
  report.chapter("An administrator starts a rollout to half of the offerings");
  const administrator = new Browser(base);
  await signIn(administrator, demoAdministrator);
  const ask = askingAs(administrator);
  const rollouts = "/prompts/tutor/rollouts";
  const asked = { candidate_version: version, share: 50, unit: "OFFERING" };
  await report.step("its author cannot start that", () => author("POST", rollouts, 403, asked));
  let path = "";
  await report.step("Priya starts it", async () => {
    const reply = await ask("POST", rollouts, 201, asked);
    path = `${rollouts}/${(reply.body as Shown).id}`;
    return reply;
  });
  const look = async () => (await ask("GET", path, 200)).body as Shown;
  await report.step(`${offerings} learners of as many offerings ask free-form questions`, async () => {
    const started = performance.now();
    const learners = await arrive(base, author, topic);
    await talk(learners, look);
    return { milliseconds: performance.now() - started };
  });
  await report.step("it stops automatically", async () => {
    const started = performance.now();
    await hurry();
    const { stop_reason, arms } = await stopped(look);
    expect(stop_reason === "LENGTH", `it stopped by ${stop_reason}`);
    const [before, now] = [arms.base, arms.candidate].map(({ characters }) => Math.round(characters ?? 0));
    console.log(`      ${stop_reason}: ${now} characters instead of ${before}; all continue with production`);
    return { milliseconds: performance.now() - started };
  });
}

async function arrive(base: string, author: Asking, topic: Topic): Promise<Learner[]> {
  const learners: Learner[] = [];
  for (let at = 0; at < offerings; at += 1) {
    const offering = { term_name: `Tour ${at + 1}`, visibility: "PUBLIC" };
    const { body } = await author("POST", `/courses/${topic.courseId}/offerings`, 201, offering);
    const learner = new Learner(`Guest${at + 1}`, base);
    await learner.register();
    await learner.enroll({ ...topic, offeringId: (body as { id: number }).id });
    await learner.open(topic);
    await learner.greet(() => {});
    learners.push(learner);
  }
  return learners;
}

/**
 * Each learner writes free text in each round, which is answered privately, until their arm has enough
 * answers.
 */
async function talk(learners: Learner[], look: () => Promise<Shown>): Promise<void> {
  let { arms, state } = await look();
  const met: Record<Arm, Learner[]> = { base: [], candidate: [] };
  for (const learner of learners) {
    await learner.say("Why is that?", () => {});
    const now = await look();
    met[now.arms.base.made > arms.base.made ? "base" : "candidate"].push(learner);
    ({ arms, state } = now);
  }
  for (let round = 1; round <= maxTourRounds && state === "RUNNING"; round += 1) {
    const lacking = (["base", "candidate"] as const).filter((arm) => arms[arm].made < minTourAnswersPerArm);
    if (lacking.length === 0) return;
    const asking = lacking.flatMap((arm) => met[arm]);
    await Promise.all(asking.map((learner) => learner.say(`Why is that, a ${round}. time?`, () => {})));
    ({ arms, state } = await look());
  }
  if (state === "RUNNING") throw new Error(`there are no ${minTourAnswersPerArm} answers of each arm`);
}

/** The schedule checks once a minute. */
async function stopped(look: () => Promise<Shown>): Promise<Shown> {
  for (let second = 0; second < 180; second += 1) {
    const rollout = await look();
    if (rollout.state !== "RUNNING") return rollout;
    await sleep(1000);
  }
  throw new Error("the rollout has not stopped within three minutes");
}
