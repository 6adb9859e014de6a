import { readAnswerStream } from "../chaos/stream.ts";
import { forEachConcurrently, signInForApiClient } from "./client.ts";
import type { ExpectedEnrollment, SimulationLedger } from "./ledger.ts";
import { type DayContext, hasOpenAttempt } from "./study.ts";
import type { SimulatedItem } from "./university.ts";

/** Talks to the tutor one learner per topic at a time, so cache hits are predictable. */
export async function simulateTutorConversations(
  today: DayContext,
  enrollments: readonly ExpectedEnrollment[],
): Promise<void> {
  const byTopic = Map.groupBy(
    enrollments.flatMap((enrollment) => {
      const item = enrollment.run.course.items.findLast(
        ({ kind, opensOn }) => kind === "text" && opensOn <= today.day,
      );
      const isMeant = enrollment.status === "ACTIVE" && !enrollment.run.course.isInTurn;
      return item && isMeant && !isSilenced(today.ledger, enrollment) ? [{ enrollment, item }] : [];
    }),
    ({ item }) => item,
  );
  await forEachConcurrently([...byTopic.values()], 4, async (talks) => {
    for (const { enrollment, item } of talks) await talk(today, enrollment, item);
  });
}

/** The tutor does not answer learners with an open exam in the course. */
const isSilenced = (ledger: SimulationLedger, { learner, run }: ExpectedEnrollment): boolean =>
  ledger
    .enrollmentsOf(learner)
    .some(
      (enrollment) =>
        enrollment.run.course === run.course &&
        run.course.items.some((item) => hasOpenAttempt(enrollment, item)),
    );

/** A conversation belongs to the run of the course that the learner entered last and has not left. */
const runOfTalk = (ledger: SimulationLedger, { learner, run }: ExpectedEnrollment) =>
  ledger
    .enrollmentsOf(learner)
    .findLast((enrollment) => enrollment.run.course === run.course && enrollment.status !== "DROPPED")?.run ??
  run;

async function talk(
  { service, ledger, day }: DayContext,
  enrollment: ExpectedEnrollment,
  item: SimulatedItem,
): Promise<void> {
  const { learner } = enrollment;
  const run = runOfTalk(ledger, enrollment);
  const caller = await signInForApiClient(service, learner.email);
  const session = await caller.post("/chat/sessions", { content_item_id: item.id });
  const told = { learner, run, item, messages: 0, hits: 0, calls: 0, diverged: false };
  const say = async (content: string, path: string | undefined) => {
    const ending = await readAnswerStream(`${service.url}/chat/sessions/${session.id}/messages`, {
      method: "POST",
      token: caller.token ?? "",
      body: { content },
      timeoutMs: 30_000,
    });
    if (ending.kind !== "told") throw new Error(`The tutor ended with ${JSON.stringify(ending)}`);
    told.messages += 1;
    ledger.activities.push({ day, learner, run, item, asked: true });
    if (path !== undefined && ledger.stored.has(path)) told.hits += 1;
    else told.calls += 1;
    if (path === undefined) told.diverged = true;
    else ledger.stored.add(path);
    return ending.question;
  };
  let path = `${item.id}`;
  let question = await say("Start.", path);
  for (let turn = 0; turn < 2 && question && learner.rng.chance(0.7); turn += 1) {
    const option = learner.rng.chance(0.7) ? question.options[0] : question.options[1];
    path += `/${option?.id}`;
    question = await say(JSON.stringify({ questionId: question.questionId, answer: option?.id }), path);
  }
  if (learner.rng.chance(0.15)) await say("Why is that so?", undefined);
  ledger.conversations.push(told);
}
