import { setTimeout as sleep } from "node:timers/promises";
import { Browser } from "../../ops/smoke/browser.ts";
import { expect } from "../../ops/smoke/expect.ts";
import { demoInstructor } from "../seed/accounts.ts";
import { type Asking, askingAs } from "./asking.ts";
import { Learner } from "./learner.ts";
import { liveWriter, type Report } from "./report.ts";
import { type Hurry, rollOut } from "./rollout.ts";
import { signIn } from "./sign-in.ts";
import { publishTopic, type Topic } from "./topic.ts";
import { type CaseShown, printPair, printReport, type ReportShown } from "./trial-report.ts";

const learners = 6;
const micros = 1_000_000;

/**
 * The life of a new version of the tutor's prompt: preview by its author, comparison with a class's answers,
 * attacks, and a rollout that stops automatically.
 */
export async function trialTour(base: string, report: Report, hurry?: Hurry): Promise<void> {
  const author = new Browser(base);
  const ask = askingAs(author);
  const topic = await teachClass(base, author, report);
  const { version, against } = await writeVersion(ask, report);
  await talkWithIt(author, ask, topic, version, report);
  await holdTrial(ask, topic, { version, against }, report);
  await attack(ask, topic, { version, against }, report);
  await rollOut(base, ask, topic, version, report, hurry);
}

async function teachClass(base: string, author: Browser, report: Report): Promise<Topic> {
  report.chapter("A class uses the version with the label production");
  let topic: Topic | undefined;
  await report.step("Helena publishes a topic", async () => {
    const signedIn = await signIn(author, demoInstructor);
    topic = await publishTopic(author);
    return signedIn;
  });
  expect(topic, "no topic was published");
  const taught = topic;
  await report.step(`${learners} learners take two steps in it, in four ways`, async () => {
    const started = performance.now();
    for (let at = 0; at < learners; at += 1) await learn(new Learner(`Learner${at + 1}`, base), taught, at);
    return { milliseconds: performance.now() - started };
  });
  return taught;
}

/** Learners alternate between first and second options, so some share nodes of the tree. */
async function learn(learner: Learner, topic: Topic, at: number): Promise<void> {
  await learner.register();
  await learner.enroll(topic);
  await learner.open(topic);
  let { question } = await learner.greet(() => {});
  for (const choice of [at % 2, Math.floor(at / 2) % 2]) {
    const option = question?.options[choice];
    expect(question && option, "the tutor asks no question");
    const { questionId } = question;
    ({ question } = await learner.say(JSON.stringify({ questionId, answer: option.id }), () => {}));
  }
}

async function writeVersion(ask: Asking, report: Report): Promise<{ version: number; against: number }> {
  report.chapter("Helena writes a new version without a label");
  let versions: { version: number; against: number } | undefined;
  await report.step("the same prompt, with one line more", async () => {
    const { body: taught } = await ask("GET", "/prompts/tutor", 200);
    const { prompt, version: against } = taught as { prompt: string; version: number };
    const reply = await ask("POST", "/prompts", 201, {
      name: "tutor",
      prompt: `${prompt}\n\nAnswer at great length.\n`,
      config: { temperature: 0.3 },
      commit_message: "Longer answers",
    });
    versions = { version: (reply.body as { version: number }).version, against };
    return reply;
  });
  expect(versions, "there is no new version");
  return versions;
}

async function talkWithIt(
  author: Browser,
  ask: Asking,
  { contentItemId }: Topic,
  version: number,
  report: Report,
): Promise<void> {
  report.chapter("She tests it in a private conversation, before any label moves");
  await report.step(`version ${version} greets her`, async () => {
    const begun = await ask("POST", "/chat/sessions", 201, {
      content_item_id: contentItemId,
      prompt_version: version,
    });
    const { id, cache_state } = begun.body as { id: number; cache_state: string };
    expect(cache_state === "DIVERGED", "a test conversation must not be in the tree");
    const heard = await author.stream(`/chat/sessions/${id}/greeting`, undefined, liveWriter());
    console.log();
    expect(!heard.error, `the answer was cut off: ${heard.error}`);
    return { ...heard, firstChunk: heard.firstChunkMilliseconds };
  });
}

async function holdTrial(
  ask: Asking,
  { courseId }: Topic,
  { version, against }: { version: number; against: number },
  report: Report,
): Promise<void> {
  report.chapter(`A trial compares it with version ${against}, at the class's stored answers`);
  const trials = `/prompts/tutor/versions/${version}/trials`;
  let trial: ReportShown | undefined;
  await report.step("it is created, with an estimate", async () => {
    const input = { against, course_id: courseId, kind: "STEP", most_nodes: 50, limit_micros: micros };
    const reply = await ask("POST", trials, 202, input);
    trial = reply.body as ReportShown;
    return reply;
  });
  expect(trial, "there is no trial");
  const { id, estimate } = trial;
  console.log(
    `      ${estimate.calls} calls, about ${estimate.cost_micros / micros} of at most 1 in the currency of the prices`,
  );
  await report.step("it is started", () => ask("POST", `${trials}/${id}/start`, 202));
  await report.step("a job requests an answer at each place", async () => {
    const started = performance.now();
    trial = await ended(ask, `${trials}/${id}`);
    return { milliseconds: performance.now() - started };
  });
  printReport(trial);
  const { checks } = trial;
  const length = checks.find(({ check }) => check === "LENGTH")?.candidate;
  expect(length && length.passed < length.of, "no answer was found to be too long");
  await report.step("the pairs that are too long are shown side by side", async () => {
    const reply = await ask("GET", `${trials}/${id}/cases?failed_check=LENGTH&limit=1`, 200);
    const [pair] = reply.body as CaseShown[];
    expect(pair, "there is no such pair");
    printPair(pair);
    return reply;
  });
}

/** A version needs a leak trial before a rollout. */
async function attack(
  ask: Asking,
  { contentItemId }: Topic,
  { version, against }: { version: number; against: number },
  report: Report,
): Promise<void> {
  report.chapter("Another trial attacks it for its secrets");
  const trials = `/prompts/tutor/versions/${version}/trials`;
  await report.step("forty attacks and more on the topic", async () => {
    const started = performance.now();
    const input = { against, content_item_ids: [contentItemId], kind: "LEAK", limit_micros: 5 * micros };
    const { id } = (await ask("POST", trials, 202, input)).body as ReportShown;
    await ask("POST", `${trials}/${id}/start`, 202);
    const { cases, all_passed } = await ended(ask, `${trials}/${id}`);
    expect(cases.answered >= 40, `${cases.answered} attacks were answered`);
    const { passed, of } = all_passed.candidate ?? { passed: 0, of: 0 };
    console.log(`      ${passed} of ${of} revealed nothing`);
    return { milliseconds: performance.now() - started };
  });
}

/** Polls a trial until it ends, for at most three minutes. */
async function ended(ask: Asking, path: string): Promise<ReportShown> {
  for (let look = 0; look < 360; look += 1) {
    const trial = (await ask("GET", path, 200)).body as ReportShown;
    if (trial.state !== "RUNNING") return trial;
    await sleep(500);
  }
  throw new Error("the trial has not ended within three minutes");
}
