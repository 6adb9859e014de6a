import { expectReportsUnchanged } from "./captured-reports.ts";
import { createApiClient, signInForApiClient, simulatedPassword } from "./client.ts";
import { addDays, type SimulatedDay, type SimulatedPeriod } from "./days.ts";
import { begunDaysByItem, quizAttemptsForItem } from "./definitions.ts";
import type { ExpectedEnrollment, SimulationLedger } from "./ledger.ts";
import {
  createExpectedEnrollment,
  hasActiveAccount,
  registerLearner,
  type SimulatedLearner,
} from "./people.ts";
import type { ServiceUnderTest } from "./service.ts";
import { type CourseRun, type SimulatedItem, type SimulatedUniversity, staffEmails } from "./university.ts";

type At = { service: ServiceUnderTest; ledger: SimulationLedger; day: SimulatedDay };
type Class = { university: SimulatedUniversity; learners: SimulatedLearner[]; monday: SimulatedDay };

/** A learner without attempts left at a failed exam, in a course that continues without it. */
const failedExam = (enrollment: ExpectedEnrollment): SimulatedItem | undefined =>
  enrollment.run.course.isInTurn
    ? undefined
    : enrollment.run.course.items.find(
        (item) =>
          item.kind === "exam" &&
          quizAttemptsForItem(enrollment, item).some(({ endedOn, passed }) => endedOn && !passed),
      );

/**
 * In mid-term two learners erase their accounts: one after failing an exam, and an active one. The first
 * returns with the same address, is enrolled by staff, and the exam attempt still counts.
 */
export async function eraseLearnersAndReenrollOne(at: At, around: Class): Promise<void> {
  const active = at.ledger.enrollments.filter(
    (enrollment) => enrollment.status === "ACTIVE" && hasActiveAccount(enrollment.learner),
  );
  const failing = active.find(failedExam);
  const busy = active
    .filter(({ learner }) => learner !== failing?.learner)
    .toSorted((one, other) => begunDaysByItem(other).size - begunDaysByItem(one).size)[0];
  for (const enrollment of [failing, busy]) if (enrollment) await erase(at, around, enrollment.learner);
  const exam = failing && failedExam(failing);
  if (exam) await comeBack(at, around, failing, exam);
}

/** At the end of term, a learner who completed and reviewed a course erases their account. */
export async function eraseLearnerAtTermEnd(at: At, around: Class): Promise<void> {
  const completed = at.ledger.enrollments.find(
    (enrollment) => enrollment.status === "COMPLETED" && hasActiveAccount(enrollment.learner),
  );
  if (completed) await erase(at, around, completed.learner);
}

/** The account cannot sign in, and reports still contain everything. */
async function erase(at: At, { university, monday }: Class, learner: SimulatedLearner): Promise<void> {
  const { service, ledger, day } = at;
  const period: SimulatedPeriod = { from: addDays(monday, -21), to: day };
  await expectReportsUnchanged(
    at,
    [university, period],
    [
      `the erasure of ${learner.email}`,
      async () => {
        const caller = await signInForApiClient(service, learner.email);
        await caller.remove("/users/me", { password: simulatedPassword, keep_certificates: true });
        learner.isErased = true;
        for (const { run } of ledger.enrollmentsOf(learner)) ledger.promote(run, day);
      },
    ],
  );
  const credentials = { email: learner.email, password: simulatedPassword };
  const refused = await createApiClient(service).refused("POST", "/auth/login", credentials);
  ledger.hold("Signing in when erased", refused, "401 Incorrect email or password");
}

async function comeBack(
  at: At,
  { learners }: Class,
  former: ExpectedEnrollment,
  exam: SimulatedItem,
): Promise<void> {
  const { service, ledger, day } = at;
  const { learner: old, run } = former;
  const number = Number(/\d+/.exec(old.email)?.[0]);
  const learner = await registerLearner(at, [number, old.rng.for("again"), old.temper], day);
  learner.former = old;
  learners.push(learner);
  await enrollByStaff(at, learner, run);
  const caller = await signInForApiClient(service, learner.email);
  const enrollment = ledger.enrollmentsOf(learner)[0];
  if (!enrollment) return;
  const path = `/assessments/offerings/${run.id}/quizzes/${exam.id}/attempts`;
  const refused = await caller.refused("POST", path);
  ledger.hold("An exam that was failed before an erasure", refused, "400 No attempt at this quiz is left");
  const mine = await caller.get("/assessments/my-attempts");
  ledger.hold("One's attempts after an erasure", mine, []);
}

/** Staff enroll a learner after the enrollment window, or into a second run of the course. */
export async function enrollByStaff(
  { service, ledger, day }: At,
  learner: SimulatedLearner,
  run: CourseRun,
): Promise<void> {
  const teacher = await signInForApiClient(service, staffEmails.teacher);
  const wanted = { course_offering_id: run.id, email: learner.email, override: true };
  const told = await teacher.post("/enrollments/", wanted);
  ledger.hold(`Letting ${learner.email} into ${run.course.code}`, told.status, "ACTIVE");
  ledger.enrollments.push(createExpectedEnrollment(told.id, learner, run, day, "ACTIVE"));
}
