import { createSeededRandom } from "../chaos/rng.ts";
import { createApiClient, signInForApiClient, simulatedPassword } from "./client.ts";
import { addDays, type SimulatedDay } from "./days.ts";
import { courseProgressPercent } from "./definitions.ts";
import { enrollByStaff } from "./erasures.ts";
import type { TermFlags } from "./flags.ts";
import type { SimulationLedger } from "./ledger.ts";
import { hasActiveAccount, pickStudyHabit, registerLearner, type SimulatedLearner } from "./people.ts";
import { checkLearnerHome } from "./screens.ts";
import type { ServiceUnderTest } from "./service.ts";
import type { DayContext } from "./study.ts";
import { type SimulatedUniversity, staffEmails } from "./university.ts";

type At = { service: ServiceUnderTest; ledger: SimulationLedger; day: SimulatedDay };

/** A learner drops all incomplete courses; the waiting list gets the seats, unless enrollment is over. */
export async function dropIncompleteCourses(
  { service, ledger, day }: DayContext,
  learner: SimulatedLearner,
): Promise<void> {
  const caller = await signInForApiClient(service, learner.email);
  for (const enrollment of ledger.enrollmentsOf(learner)) {
    if (enrollment.status !== "ACTIVE" && enrollment.status !== "WAITLISTED") continue;
    const told = await caller.put(`/enrollments/${enrollment.id}`, { status: "DROPPED" });
    ledger.drop(enrollment, day);
    ledger.hold(
      `Dropping ${enrollment.run.course.code}`,
      [told.status, told.progress_percent],
      ["DROPPED", courseProgressPercent(enrollment)],
    );
  }
  await checkLearnerHome({ service, ledger, day }, caller, learner);
}

/** Two learners come after enrollment ended; only staff can enroll them, overriding window and capacity. */
export async function enrollTwoLateLearners(
  today: DayContext,
  {
    flags,
    university,
    learners,
  }: { flags: TermFlags; university: SimulatedUniversity; learners: SimulatedLearner[] },
): Promise<void> {
  const { service, ledger, day } = today;
  const [run] = university.runs;
  if (!run) return;
  for (const number of [0, 1].map((late) => flags.people + late)) {
    const rng = createSeededRandom(flags.seed).for(number);
    const learner = await registerLearner(today, [number, rng, pickStudyHabit(rng, flags.weeks)], day);
    learners.push(learner);
    const caller = await signInForApiClient(service, learner.email);
    const refused = await caller.refused("POST", "/enrollments/", { course_offering_id: run.id });
    ledger.hold("Enrolling when it is over", refused, "400 Enrollment is not open");
    await enrollByStaff(today, learner, run);
  }
}

/** An account is deactivated: it cannot sign in, and its data remains. */
export async function deactivateOneLearner(
  { service, ledger }: DayContext,
  learners: SimulatedLearner[],
): Promise<void> {
  const learner = learners.find((one) => one.temper.lastWeek > 4 && hasActiveAccount(one));
  if (!learner) return;
  const admin = await signInForApiClient(service, staffEmails.admin);
  await admin.patch(`/users/${learner.id}`, { is_active: false });
  learner.isSwitchedOff = true;
  const credentials = { email: learner.email, password: simulatedPassword };
  const refused = await createApiClient(service).refused("POST", "/auth/login", credentials);
  ledger.hold("Signing in when switched off", refused, "403 Inactive user");
}

/** Learners review completed courses. */
export async function reviewCompletedCourses({ service, ledger }: At): Promise<void> {
  for (const { learner, run, status } of ledger.enrollments) {
    if (status !== "COMPLETED" || !hasActiveAccount(learner)) continue;
    const rating = Math.floor(learner.rng.between(1, 6));
    const caller = await signInForApiClient(service, learner.email);
    await caller.put(`/community/offerings/${run.id}/review`, { rating });
    ledger.ratings.push(rating);
  }
}

/** The next term has the same courses with shifted dates and no enrollments. */
export async function copyCoursesForNextTerm({
  service,
  ledger,
  university,
  day,
}: At & { university: SimulatedUniversity }): Promise<void> {
  const teacher = await signInForApiClient(service, staffEmails.teacher);
  for (const run of university.runs) {
    const path = `/courses/${run.course.id}/offerings/${run.id}`;
    const copy = await teacher.post(`${path}/copy`, { shift_days: 147, term_id: null, term_name: "Spring" });
    const at = `/courses/${copy.course_id}/offerings/${copy.id}`;
    const [before, after] = [await teacher.get(`${path}/outline`), await teacher.get(`${at}/outline`)];
    type Told = { title: string; available_from: string; items: { title: string; content_type: string }[] };
    const told = (modules: Told[], shift: number) =>
      modules.map(({ title, available_from, items }) => [
        title,
        addDays(available_from.slice(0, 10), shift),
        items.map((item) => [item.title, item.content_type]),
      ]);
    ledger.hold(
      `The copy of ${run.course.code} on ${day}`,
      told(after.modules, 0),
      told(before.modules, 147),
    );
    ledger.hold(`Who is in the copy of ${run.course.code}`, await teacher.get(`${at}/enrollments`), []);
  }
}
