import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { grantRoleTo } from "../../scripts/ops/grant-role.ts";
import { createSeededRandom } from "../chaos/rng.ts";
import { captureReports, checkCapturedReports } from "./captured-reports.ts";
import { checkCertificates, revokeAndReissueCertificates } from "./certificates.ts";
import { forEachConcurrently } from "./client.ts";
import { addDays, middayUtcDaysAfter, type SimulatedDay, type SimulatedPeriod } from "./days.ts";
import { eraseLearnerAtTermEnd, eraseLearnersAndReenrollOne } from "./erasures.ts";
import {
  copyCoursesForNextTerm,
  deactivateOneLearner,
  dropIncompleteCourses,
  enrollTwoLateLearners,
  reviewCompletedCourses,
} from "./events.ts";
import type { TermFlags } from "./flags.ts";
import { checkGradebooks, finalizeSimulatedGrades } from "./gradebooks.ts";
import { gradeLabAfterFinalization, gradeLabs } from "./labs.ts";
import { SimulationLedger } from "./ledger.ts";
import {
  enrollLearner,
  hasActiveAccount,
  pickStudyHabit,
  registerLearner,
  type SimulatedLearner,
} from "./people.ts";
import { checkReports } from "./reports.ts";
import { checkConversationRetention } from "./retention.ts";
import { checkRostersStatsAndOutlines } from "./screens.ts";
import { enrollInSecondRun } from "./second-run-enrollments.ts";
import { type ServiceUnderTest, startServiceWithPracticeTutor } from "./service.ts";
import {
  checkDatesGroupsAndAnonymity,
  formGroups,
  grantAccommodations,
  grantOfficerRightsAndSetRunRules,
  grantRetroactiveAccommodation,
  releaseAnonymousGrades,
} from "./staff-actions.ts";
import { type DayContext, simulateStudyDay } from "./study.ts";
import { formatWeekLine, type TermProgressPrinter, weekTableHeading } from "./term-progress-printer.ts";
import { simulateTutorConversations } from "./tutor-conversations.ts";
import {
  allRunsOfUniversity,
  type CourseRun,
  createUniversityWithCourseRuns,
  registerStaff,
  type SimulatedUniversity,
  staffEmails,
} from "./university.ts";

/** A run's output; success if there are no differences. */
export type SimulationOutcome = { text: string; differences: string[]; ledger: SimulationLedger };

/** A Monday from which a winter includes both clock changes: after three and after twenty-five weeks. */
const monday = "2026-10-05";

/** Learning days of a week, from its Monday. */
const learningDays = [0, 1, 3];

type Term = {
  flags: TermFlags;
  service: ServiceUnderTest;
  ledger: SimulationLedger;
  university: SimulatedUniversity;
  learners: SimulatedLearner[];
  calendar: TermProgressPrinter;
  folder: Awaited<ReturnType<typeof captureReports>>;
};

/** Runs a term on an empty, migrated database. */
export async function runTermSimulation(
  flags: TermFlags,
  databaseUrl: string,
  calendar: TermProgressPrinter,
): Promise<SimulationOutcome> {
  const began = performance.now();
  const ledger = new SimulationLedger();
  await using service = await startServiceWithPracticeTutor(databaseUrl);
  await service.moveTo(middayUtcDaysAfter(monday, -21));
  await registerStaff(service);
  ledger.signups.push(...Object.keys(staffEmails).map(() => addDays(monday, -21)));
  await makeAdministrator(databaseUrl);
  const university = await createUniversityWithCourseRuns(service, { monday, ...flags });
  await grantOfficerRightsAndSetRunRules(service, university);
  const term: Term = { flags, service, ledger, university, learners: [], calendar, folder: [] };
  calendar.week(weekTableHeading);
  await openEnrollment(term);
  for (let week = 0; week < flags.weeks; week += 1) await passWeek(term, week);
  await endTerm(term);
  const seconds = Math.round((performance.now() - began) / 1000);
  return { ...sum(term, seconds), ledger };
}

async function makeAdministrator(url: string): Promise<void> {
  const database = await connectDatabase({ url });
  const role = { email: staffEmails.admin, role: "platform_admin", shortCode: undefined };
  // An existing account needs no link.
  const links = { config: { FRONTEND_URL: undefined, PUBLIC_URL: url, PORT: 0 }, now: new Date() };
  await grantRoleTo(database.db, role, links).finally(() => database.close());
}

/** On three days before the term everyone registers and enrolls, one after another. */
async function openEnrollment({
  flags,
  service,
  ledger,
  university,
  learners,
  calendar,
}: Term): Promise<void> {
  const at = { service, ledger };
  const rng = createSeededRandom(flags.seed);
  for (const [index, days] of [-10, -6, -3].entries()) {
    const day = addDays(monday, days);
    await service.moveTo(middayUtcDaysAfter(day));
    for (let number = index; number < flags.people; number += 3) {
      calendar.step(`Enrolling on ${day}`, learners.length, flags.people);
      const own = rng.for(number);
      const learner = await registerLearner(
        { service, ledger },
        [number, own, pickStudyHabit(own, flags.weeks)],
        day,
      );
      learners.push(learner);
      for (const run of chosen(learner, university.runs))
        await enrollLearner({ ...at, university, day }, learner, run, staffEmails.teacher);
    }
  }
  await enrollInSecondRun({ ...at, day: addDays(monday, -3) }, university);
  await grantAccommodations({ ...at, day: addDays(monday, -3) }, university, learners);
}

/** Everyone wants the small course; some choose it and one or two others. */
function chosen({ rng }: SimulatedLearner, runs: readonly CourseRun[]): CourseRun[] {
  const [small, ...others] = runs;
  const first = rng.chance(0.3) && small ? [small] : [];
  const more = Array.from(
    { length: rng.chance(0.6) ? 2 : 1 },
    () => others[Math.floor(rng.between(0, others.length))],
  );
  return [...new Set([...first, ...more.filter((run) => run !== undefined)])];
}

async function passWeek(term: Term, week: number): Promise<void> {
  const { service, ledger, university, learners, calendar, flags } = term;
  const from = addDays(monday, 7 * week);
  for (const [index, days] of learningDays.entries()) {
    const day = addDays(from, days);
    calendar.step(`Week ${week + 1}, ${day}`, 3 * week + index, 3 * flags.weeks);
    await service.moveTo(middayUtcDaysAfter(day));
    await service.doScheduled();
    ledger.endAttempts();
    const today: DayContext = { service, ledger, day, week };
    if (days === 0) await beginWeek(term, today);
    const present = learners.filter(
      (learner) =>
        week < learner.temper.lastWeek &&
        hasActiveAccount(learner) &&
        learner.rng.chance(learner.temper.presence),
    );
    await forEachConcurrently(circles(present, university), 8, async (circle) => {
      for (const learner of circle) await simulateStudyDay(today, learner);
    });
    if (days === 3) {
      const talking = present.filter(({ rng }) => rng.chance(0.3));
      await simulateTutorConversations(
        today,
        talking.flatMap((learner) => ledger.enrollmentsOf(learner).slice(0, 1)),
      );
    }
  }
  calendar.week(formatWeekLine(ledger, from, addDays(from, 6)));
  if (week === 3) await reconcile(term, addDays(from, 3), [{ from: monday, to: addDays(from, 3) }]);
}

/** Members of a group learn one after another, so the effects of group submissions are predictable. */
function circles(
  present: readonly SimulatedLearner[],
  university: SimulatedUniversity,
): SimulatedLearner[][] {
  const groups = allRunsOfUniversity(university).flatMap((run) => run.groups);
  return [
    ...Map.groupBy(
      present,
      (learner) => groups.find(({ members }) => members.includes(learner)) ?? learner,
    ).values(),
  ];
}

async function beginWeek(term: Term, today: DayContext): Promise<void> {
  for (const learner of term.learners)
    if (learner.temper.drops && learner.temper.lastWeek === today.week && hasActiveAccount(learner))
      await dropIncompleteCourses(today, learner);
  if (today.week === 1) await formGroups(today, term.university);
  if (today.week === 2) await enrollTwoLateLearners(today, term);
  if (today.week === 3) await grantRetroactiveAccommodation(today, term.university);
  if (today.week === 3) await deactivateOneLearner(today, term.learners);
  await gradeLabs(today, term.university);
  const past = { from: addDays(monday, -21), to: addDays(today.day, -1) };
  if (today.week > 0) term.folder.push(...(await captureReports(today, term.university, past)));
  if (today.week === 3) await eraseLearnersAndReenrollOne(today, { ...term, monday });
}

async function endTerm(term: Term): Promise<void> {
  const last = addDays(monday, 7 * term.flags.weeks + 1);
  await term.service.moveTo(middayUtcDaysAfter(last));
  const today = { ...term, day: last, week: term.flags.weeks };
  await gradeLabs(today, term.university, true);
  await finalizeSimulatedGrades(today, term.university);
  await releaseAnonymousGrades(today, term.university);
  await gradeLabAfterFinalization(today, term.university);
  await term.service.doScheduled();
  await revokeAndReissueCertificates(today, term.university);
  await reviewCompletedCourses(today);
  await eraseLearnerAtTermEnd(today, { ...term, monday });
  await checkCapturedReports(today, term.folder);
  await reconcile(term, last, [
    { from: addDays(monday, -21), to: last },
    { from: addDays(monday, 7), to: addDays(monday, 20) },
  ]);
  await copyCoursesForNextTerm(today);
  await checkConversationRetention(today, term.university);
}

async function reconcile(
  { service, ledger, university, calendar }: Term,
  day: SimulatedDay,
  periods: SimulatedPeriod[],
): Promise<void> {
  calendar.step(`Holding the books on ${day}`, 1, 1);
  await checkRostersStatsAndOutlines({ service, ledger, day }, university);
  await checkGradebooks({ service, ledger, day }, university);
  await checkDatesGroupsAndAnonymity({ service, ledger, day }, university);
  await checkCertificates({ service, ledger, day }, university);
  await checkReports({ service, ledger, day }, university, periods);
}

function sum(
  { service, ledger, flags }: Term,
  seconds: number,
): Pick<SimulationOutcome, "text" | "differences"> {
  const differences = [...ledger.differences, ...service.errors.map((line) => `The service logged ${line}`)];
  const shown = differences.slice(0, 20).map((line) => `- ${line}`);
  const more = differences.length > shown.length ? [`and ${differences.length - shown.length} more`] : [];
  const held = `${ledger.held} figures and screens compared with the actions of ${flags.people} people in ${flags.weeks} weeks, in ${seconds} s`;
  const verdict = differences.length === 0 ? "No difference." : `${differences.length} differences:`;
  return { differences, text: ["", held, verdict, ...shown, ...more].join("\n") };
}
