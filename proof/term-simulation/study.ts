import { type ApiClient, signInForApiClient } from "./client.ts";
import type { SimulatedDay } from "./days.ts";
import {
  countAttemptsTaken,
  isQuizOrExam,
  itemProgressPercent,
  itemsOpenToLearner,
  quizAttemptsForItem,
} from "./definitions.ts";
import { submitLab } from "./labs.ts";
import type { ExpectedEnrollment, SimulationLedger } from "./ledger.ts";
import type { SimulatedLearner } from "./people.ts";
import { checkLearnerHome } from "./screens.ts";
import type { ServiceUnderTest } from "./service.ts";
import { isTrueTheCorrectAnswer, type SimulatedItem } from "./university.ts";

export type DayContext = {
  service: ServiceUnderTest;
  ledger: SimulationLedger;
  day: SimulatedDay;
  week: number;
};

/** A learner's day: home, the next items in each course, and sometimes a post. */
export async function simulateStudyDay(today: DayContext, learner: SimulatedLearner): Promise<void> {
  const caller = await signInForApiClient(today.service, learner.email);
  await checkLearnerHome(today, caller, learner);
  for (const enrollment of today.ledger.enrollmentsOf(learner)) {
    if (enrollment.status !== "ACTIVE") continue;
    if (learner.temper.drops && today.week >= learner.temper.lastWeek) continue;
    await work(today, caller, enrollment);
    if (learner.rng.chance(0.04)) await speakUp(today, caller, enrollment);
  }
}

async function work(today: DayContext, caller: ApiClient, enrollment: ExpectedEnrollment): Promise<void> {
  const { learner } = enrollment;
  for (let done = 0; done < learner.temper.effort; done += 1) {
    const [item] = itemsOpenToLearner(today.ledger, enrollment, today.day).filter(
      (one) => !hasOpenAttempt(enrollment, one),
    );
    if (!item || enrollment.status !== "ACTIVE") return;
    if (isQuizOrExam(item)) await takeQuiz(today, caller, enrollment, item);
    else if (item.kind === "engineering_lab") await submitLab(today, caller, enrollment, item);
    else await read(today, caller, enrollment, item);
  }
}

async function read(
  { ledger, day }: DayContext,
  caller: ApiClient,
  enrollment: ExpectedEnrollment,
  item: SimulatedItem,
): Promise<void> {
  const { learner, run } = enrollment;
  const isHalf = itemProgressPercent(enrollment, item) === 0 && learner.rng.chance(0.3);
  const percent = isHalf ? 50 : 100;
  await caller.post("/progress/content", {
    content_item_id: item.id,
    course_offering_id: run.id,
    progress_percent: percent,
  });
  ledger.activities.push({ day, learner, run, item });
  ledger.note(enrollment, { kind: "post", item, day, percent });
}

/** A learner who left an exam does not return to it. */
export const hasOpenAttempt = (enrollment: ExpectedEnrollment, item: SimulatedItem): boolean =>
  quizAttemptsForItem(enrollment, item).some(({ endedOn }) => endedOn === undefined);

/** After failing all attempts, learners come back to look. One in ten leaves an exam; saved answers count. */
async function takeQuiz(
  { ledger, day }: DayContext,
  caller: ApiClient,
  enrollment: ExpectedEnrollment,
  item: SimulatedItem,
): Promise<void> {
  const { learner, run } = enrollment;
  const path = `/assessments/offerings/${run.id}/quizzes/${item.id}/attempts`;
  const attempt = await caller.post(path);
  if (item.kind === "exam") {
    const minutes = (Date.parse(attempt.due_at) - Date.parse(attempt.started_at)) / 60_000;
    ledger.hold(
      `The minutes of an exam of ${run.course.code} for ${learner.email}`,
      Math.round(minutes),
      60 * (learner.accommodation?.timeFactor ?? 1),
    );
  }
  const wrong = Math.floor(learner.rng.between(0, item.kind === "exam" ? 2.2 : 2.8));
  const responses = attempt.questions.map(
    (asked: { question_id: number; question_text: string }, index: number) => ({
      question_id: asked.question_id,
      response:
        index < wrong
          ? !isTrueTheCorrectAnswer(asked.question_text)
          : isTrueTheCorrectAnswer(asked.question_text),
    }),
  );
  const score = 4 - wrong;
  const passed = score >= 3;
  const done = { kind: "attempt", enrollment, item, startedOn: day, score, most: 4, passed } as const;
  for (let events = 0; events < 2; events += 1) ledger.activities.push({ day, learner, run, item });
  if (item.kind === "exam" && learner.rng.chance(0.1)) {
    await caller.put(`/assessments/attempts/${attempt.id}/responses`, { responses });
    return ledger.note(enrollment, done);
  }
  const graded = await caller.post(`/assessments/attempts/${attempt.id}/submit`, { responses });
  ledger.hold(
    `A quiz of ${run.course.code}`,
    [graded.score_obtained, graded.max_score, graded.passed],
    [score, 4, passed],
  );
  ledger.note(enrollment, { ...done, endedOn: day });
  if (passed || item.kind !== "exam") return;
  const isLeft = countAttemptsTaken(ledger, enrollment, item) < (enrollment.granted.get(item) ?? 1);
  if (isLeft) return;
  const refused = await caller.refused("POST", path);
  ledger.hold(`An exam of ${run.course.code} once more`, refused, "400 No attempt at this quiz is left");
}

/** A question to the class, a reply, and a private note. */
async function speakUp(
  { ledger, day }: DayContext,
  caller: ApiClient,
  { learner, run }: ExpectedEnrollment,
): Promise<void> {
  const thread = await caller.post(`/community/offerings/${run.id}/threads`, {
    title: "A question",
    body: "Why so?",
  });
  await caller.post(`/community/threads/${thread.id}/posts`, { body: "I see it now." });
  const [item] = run.course.items;
  if (item) await caller.post("/study/notes", { content_item_id: item.id, body: "Think of it again" });
  ledger.threads += 1;
  ledger.posts += 2;
  ledger.notes += 1;
  for (let events = 0; events < 2; events += 1) ledger.activities.push({ day, learner, run });
}
