import type { SeededRandom } from "../chaos/rng.ts";
import { createApiClient, signInForApiClient, simulatedPassword } from "./client.ts";
import type { SimulatedDay } from "./days.ts";
import type { ExpectedEnrollment, SimulationLedger } from "./ledger.ts";
import type { ServiceUnderTest } from "./service.ts";
import type { CourseRun, SimulatedUniversity } from "./university.ts";

/** A learner's course through the term: last week, presence, effort, and whether they drop. */
export type StudyHabit = { presence: number; effort: number; lastWeek: number; drops: boolean };

export type SimulatedLearner = {
  id: number;
  name: string;
  email: string;
  rng: SeededRandom;
  temper: StudyHabit;
  isSwitchedOff: boolean;
  isErased: boolean;
  /** Factor of time limits, and days added to due dates. */
  /** `since` is undefined for one from before the term. */
  accommodation?: { timeFactor: number; extraDays: number; since?: SimulatedDay };
  /** The account that the learner erased before returning. */
  former?: SimulatedLearner;
};

export const pickStudyHabit = (rng: SeededRandom, weeks: number): StudyHabit => {
  const chance = rng.next();
  if (chance < 0.45) return { presence: 0.95, effort: 4, lastWeek: weeks, drops: false };
  if (chance < 0.7) return { presence: 0.5, effort: 2, lastWeek: weeks, drops: false };
  const lastWeek = Math.floor(rng.between(0, Math.max(1, weeks - 1)));
  return { presence: 0.8, effort: 3, lastWeek, drops: chance < 0.85 };
};

export const hasActiveAccount = ({ isSwitchedOff, isErased }: SimulatedLearner): boolean =>
  !isSwitchedOff && !isErased;

const addressOf = (number: number): string => `learner-${number}@term.example`;

export async function registerLearner(
  { service, ledger }: Pick<EnrollmentContext, "service" | "ledger">,
  [number, rng, temper]: [number, SeededRandom, StudyHabit],
  day: SimulatedDay,
): Promise<SimulatedLearner> {
  const [name, email] = [`Learner ${number}`, addressOf(number)];
  const registered = await createApiClient(service).post("/auth/register", {
    email,
    password: simulatedPassword,
    full_name: name,
  });
  const me = await createApiClient(service, registered.access_token).get("/users/me");
  await service.confirmAddress(email);
  ledger.signups.push(day);
  return { id: me.id, name, email, rng, temper, isSwitchedOff: false, isErased: false };
}

export type EnrollmentContext = {
  service: ServiceUnderTest;
  ledger: SimulationLedger;
  university: SimulatedUniversity;
  day: SimulatedDay;
};

/** Enrolls learners by the run's rules, one after another: first come, first served. */
export async function enrollLearner(
  at: EnrollmentContext,
  learner: SimulatedLearner,
  run: CourseRun,
  teacher: string,
): Promise<void> {
  const { service, ledger } = at;
  if (ledger.enrollmentsOf(learner).some((enrollment) => enrollment.run === run)) return;
  const isFull = ledger.isFull(run);
  const expected = isFull ? "WAITLISTED" : "ACTIVE";
  let told: { id: number; status: string; position: number | null };
  if (run.mode === "STAFF") {
    const caller = await signInForApiClient(service, teacher);
    told = await caller.post("/enrollments/", { course_offering_id: run.id, email: learner.email });
  } else {
    const caller = await signInForApiClient(service, learner.email);
    if (run.key) {
      const refused = await caller.refused("POST", "/enrollments/", { course_offering_id: run.id });
      ledger.hold(`Enrolling in ${run.course.code} without its key`, refused, "403 Wrong enrollment key");
    }
    told = await caller.post("/enrollments/", {
      course_offering_id: run.id,
      ...(run.key && { enrollment_key: run.key }),
    });
  }
  const enrollment = createExpectedEnrollment(told.id, learner, run, at.day, expected);
  const position = isFull ? ledger.waiting(run).length + 1 : null;
  ledger.hold(
    `The enrollment of ${learner.email} in ${run.course.code}`,
    [told.status, told.position],
    [expected, position],
  );
  ledger.enrollments.push(enrollment);
}

export const createExpectedEnrollment = (
  id: number,
  learner: SimulatedLearner,
  run: CourseRun,
  enrolledOn: SimulatedDay,
  status: ExpectedEnrollment["status"],
): ExpectedEnrollment => ({
  id,
  learner,
  run,
  status,
  enrolledOn,
  deeds: [],
  granted: new Map(),
});
