/**
 * A learner's day on the terminal: `npm run tour`, or `npm run tour -- --base http://localhost:3000`;
 * `--trial` shows the life of a new tutor prompt.
 */
import { processRollouts } from "../lib/tutor/rollouts/work.ts";
import { commandLine } from "./command-line.ts";
import { type Platform, startPlatform } from "./dev/platform.ts";
import { demoInstructor, demoRegistrar } from "./dev/seed/accounts.ts";
import { earnedCertificate, takeQuiz, verify } from "./dev/tour/certificate.ts";
import { Learner } from "./dev/tour/learner.ts";
import { giveAgain, openTerm } from "./dev/tour/next-term.ts";
import { announce, readAnnouncement, readCalendar, seeAnswer } from "./dev/tour/notices.ts";
import { type Facts, liveWriter, Report } from "./dev/tour/report.ts";
import { signIn } from "./dev/tour/sign-in.ts";
import { publishTopic, questions, type Topic } from "./dev/tour/topic.ts";
import { trialTour } from "./dev/tour/trial.ts";
import { Browser, waitFor } from "./ops/smoke/browser.ts";
import { expect } from "./ops/smoke/expect.ts";

type Heard = Awaited<ReturnType<Learner["greet"]>>;

/** The message that chooses an option of a question, by its id or its text. */
const choice = (questionId: string, answer: string) => JSON.stringify({ questionId, answer });

const factsOf = (heard: Heard): Facts => ({
  status: heard.status,
  milliseconds: heard.milliseconds,
  firstChunk: heard.firstChunkMilliseconds,
  source: heard.source ?? "nowhere",
});

const same = (one: Heard | undefined, two: Heard) =>
  JSON.stringify(one?.chunks) === JSON.stringify(two.chunks);

async function tour(base: string, report: Report): Promise<void> {
  const [ada, ben] = [new Learner("Ada", base), new Learner("Ben", base)];
  const instructor = new Browser(base);
  const topic = await prepare(instructor, report);
  for (const learner of [ada, ben]) await arrive(learner, topic, report);

  report.chapter("The tutor answers once, and then from the tree");
  const greeting = await hear(report, "Ada is greeted, live", "llm", () => ada.greet(liveWriter()));
  const replayed = await hear(report, "Ben is greeted with the same words", "cache", () =>
    ben.greet(() => {}),
  );
  expect(same(greeting, replayed), "the replayed chunks differ from the first answer");

  const { question } = greeting;
  const chosen = question?.options[1];
  expect(question && chosen, "the greeting asks no question");
  console.log(`      ${question.question}`);
  for (const { id, text } of question.options) console.log(`      ${id}) ${text}`);
  const answered = await hear(report, `Ada chooses ${chosen.id}`, "llm", () =>
    ada.say(choice(question.questionId, chosen.id), liveWriter()),
  );
  const followed = await hear(report, "Ben chooses the same, by its text", "cache", () =>
    ben.say(choice(question.questionId, ` ${chosen.text} `), () => {}),
  );
  expect(same(answered, followed), "the replayed chunks differ from the first answer");

  report.chapter("A free-form question leaves the tree permanently");
  await hear(report, "Ben asks freely", "llm", () => ben.say("Why odd harmonics only?", liveWriter()));
  expect((await ben.session()).cache_state === "DIVERGED", "the session has not diverged");
  await hear(report, "even Start. is answered privately for Ben", "llm", () => ben.say("Start.", () => {}));

  report.chapter("Ada keeps a flashcard, and Ben asks the class");
  await report.step("Ada makes a flashcard of an answer, and taps twice", () => ada.keepCard());
  let thread = "";
  await report.step("Ben asks the class", async () => {
    const { path, ...facts } = await ben.ask(topic, "Why odd harmonics only?");
    thread = path;
    return facts;
  });
  await report.step("Ada answers him", () => ada.answer(thread, "The even ones would break its symmetry."));

  await gradeLab(instructor, ada, topic, report);

  report.chapter("Notifications, announcements and the calendar");
  await report.step("Ben sees that Ada answered", () => seeAnswer(ben, "Ada"));
  await report.step("The instructor announces something", () => announce(instructor, topic));
  await report.step("Ben reads it", () => readAnnouncement(ben));
  await report.step("a calendar program reads Ada's due dates", () => readCalendar(ada, new Browser(base)));

  report.chapter("Progress and streaks");
  await report.step("Ada reports half of the topic", () => ada.progress(topic, 50));
  await report.step("Ada completes it", () => ada.progress(topic, 100));
  await report.step("Ada's streak is one day", () => ada.streak(1));

  report.chapter("Ada takes a quiz and earns a certificate");
  await report.step("Ada fails the quiz at her first attempt", () => takeQuiz(ada.browser, topic, 1));
  await report.step("and passes it at her second", () => takeQuiz(ada.browser, topic, questions.length));
  let code = "";
  await report.step("the course is completed, and she has a certificate", async () => {
    const { certificateCode, ...facts } = await earnedCertificate(ada.browser, topic);
    code = certificateCode;
    return facts;
  });
  await report.step("its code verifies it without a sign-in", () => verify(new Browser(base), code, "Ada"));

  report.chapter("The course is copied into the next term");
  const registrar = new Browser(base);
  await signIn(registrar, demoRegistrar);
  let term: Awaited<ReturnType<typeof openTerm>>["term"] | undefined;
  await report.step("The registrar opens a term", async () => {
    const opened = await openTerm(registrar, topic);
    term = opened.term;
    return opened;
  });
  expect(term, "no term was opened");
  const next = term;
  await report.step("the instructor copies the offering into it", () => giveAgain(instructor, topic, next));
}

async function gradeLab(instructor: Browser, learner: Learner, topic: Topic, report: Report): Promise<void> {
  report.chapter("A lab is submitted, graded and released");
  const { offeringId } = topic;
  let submission = 0;
  await report.step(`${learner.name} submits the lab, and taps twice`, async () => {
    const { submission: id, ...facts } = await learner.handIn(topic, "Four odd harmonics, and a plot");
    submission = id;
    return facts;
  });
  const ask = async (method: string, path: string, body?: object) => {
    const reply = await instructor.send(method, `/assessments${path}`, body);
    expect(reply.status === 200, `${method} ${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply;
  };
  await report.step("it is in the grading queue", async () => {
    const reply = await ask("GET", `/offerings/${offeringId}/submissions?status=submitted&claimed=false`);
    expect(
      (reply.body as { id: number }[]).some(({ id }) => id === submission),
      "the queue does not have it",
    );
    return reply;
  });
  await report.step("claim it", () => ask("PUT", `/submissions/${submission}/claim`));
  const grade = { score_obtained: 17.5, feedback: "Mind the phases." };
  await report.step("grade it", () => ask("PUT", `/submissions/${submission}/grade`, grade));
  await report.step(`${learner.name} sees no grade yet`, () => learner.score(topic, null));
  await report.step("release the grades", () => ask("POST", `/offerings/${offeringId}/grades/release`, {}));
  await report.step(`${learner.name} sees 17.5 of 20`, () => learner.score(topic, 17.5));
}

async function prepare(instructor: Browser, report: Report): Promise<Topic> {
  report.chapter("An instructor publishes a new topic and a lab");
  let topic: Topic | undefined;
  await report.step("sign in and publish", async () => {
    const signedIn = await signIn(instructor, demoInstructor);
    topic = await publishTopic(instructor);
    return signedIn;
  });
  expect(topic, "no topic was published");
  return topic;
}

async function arrive(learner: Learner, topic: Topic, report: Report): Promise<void> {
  report.chapter(`${learner.name} arrives`);
  await report.step("register", () => learner.register());
  await report.step("enroll", () => learner.enroll(topic));
  await report.step(`open “${topic.title}”`, () => learner.open(topic));
}

async function hear(
  report: Report,
  title: string,
  source: string,
  ask: () => Promise<Heard>,
): Promise<Heard> {
  let heard: Heard | undefined;
  await report.step(title, async () => {
    heard = await ask();
    if (heard.source === "llm") console.log();
    expect(heard.source === source, `the answer came from ${heard.source}, not from ${source}`);
    return factsOf(heard);
  });
  expect(heard, "no answer arrived");
  return heard;
}

const { flags: values } = commandLine({
  usage: `npm run tour -- [--trial [--quick]] [--base BASE_URL]

A learner's day on the terminal, on a new platform or on the server at that address. --trial shows a new version of the tutor's
prompt, from its author's first test through its trials to a rollout that stops automatically, in some minutes. --quick removes
pauses: the practice tutor writes at full speed, and rollouts are checked immediately.`,
  flags: {
    base: { type: "string" },
    trial: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});
const report = new Report();
let platform: Platform | undefined;
try {
  // A trial and a rollout take some hundred answers.
  const tutorPauseMs = values.quick ? 0 : values.trial ? 2 : undefined;
  if (!values.base)
    platform = await startPlatform({ port: 0, ...(tutorPauseMs !== undefined && { tutorPauseMs }) });
  const base = values.base ?? platform?.base ?? "";
  expect(await waitFor(base), `the server at ${base} does not answer`);
  const deps = values.quick ? platform?.deps : undefined;
  const hurry = deps && (() => processRollouts(deps, AbortSignal.timeout(30_000)));
  await (values.trial ? trialTour(base, report, hurry) : tour(base, report));
  console.log("\nAll steps succeeded.");
} catch (error) {
  if (report.failed === 0) console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await platform?.stop();
}
