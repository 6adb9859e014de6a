import { beforeEach, describe, expect, it } from "vitest";
import { openLab } from "../../../support/lab.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { openQuiz } from "../../assessment/exam.ts";

const world = openWorld();
const make = makersOf(world);

const at = (minutes: number) =>
  world.setNow(new Date(Date.parse("2026-03-10T12:00:00.000Z") + minutes * 60_000));

beforeEach(() => at(0));

type Named = { id: number };

const homeOf = async (person: Named) => (await world.as(person).get("/users/me/home")).body;
const nextOf = async (person: Named) => (await homeOf(person)).courses[0].next_item?.id ?? null;
const dueOf = async (person: Named) => (await homeOf(person)).due.map(({ id }: Named) => id);

const attemptsOf = async (opened: { course: Named; offering: Named }, reader: Named, query = "") => {
  const path = `/courses/${opened.course.id}/offerings/${opened.offering.id}/outline${query}`;
  const { modules } = (await world.as(reader).get(path)).body;
  return modules.flatMap(({ items }: { items: { attempt: unknown }[] }) =>
    items.map(({ attempt }) => attempt),
  );
};

describe("the outline's attempt", () => {
  it("is null before the first, and then the newest with its number and its result", async () => {
    const quiz = await openQuiz(world, { mastery: { max_attempts: 2 } });
    const { start, submit, learner, right, assistant } = quiz;
    expect(await attemptsOf(quiz, learner)).toEqual([null]);
    const { id } = (await start()).body;
    const open = { number: 1, of: 2, score: null, passed: null, state: "OPEN" };
    expect(await attemptsOf(quiz, learner)).toEqual([open]);
    await submit(id, right.slice(0, 1));
    const failed = { number: 1, of: 2, score: 1, passed: false, state: "GRADED" };
    expect(await attemptsOf(quiz, learner)).toEqual([failed]);
    expect(await attemptsOf(quiz, assistant), "staff's own").toEqual([null]);
    expect(await attemptsOf(quiz, assistant, `?user_id=${learner.id}`)).toEqual([failed]);
    await submit((await start()).body.id, right);
    expect(await attemptsOf(quiz, learner)).toEqual([
      { number: 2, of: 2, score: 5, passed: true, state: "GRADED" },
    ]);
  });

  it("is one of as many as the person is granted, or of none that are counted", async () => {
    const exam = await openQuiz(world, { quiz_mode: "exam" });
    await exam.submit((await exam.start()).body.id);
    expect(await attemptsOf(exam, exam.learner)).toMatchObject([{ number: 1, of: 1, passed: false }]);
    await world.as(exam.assistant).put(`${exam.quiz}/overrides/${exam.learner.id}`, { max_attempts: 3 });
    expect(await attemptsOf(exam, exam.learner)).toMatchObject([{ number: 1, of: 3 }]);
    const practice = await openQuiz(world);
    await practice.start();
    expect(await attemptsOf(practice, practice.learner)).toMatchObject([{ number: 1, of: null }]);
  });

  it("is graded once its time is up, whether the job has closed it or not", async () => {
    const quiz = await openQuiz(world, { time_limit_seconds: 60 });
    await quiz.start();
    at(2);
    expect(await attemptsOf(quiz, quiz.learner)).toEqual([
      { number: 1, of: null, score: 0, passed: false, state: "GRADED" },
    ]);
  });

  it("of work has its score for the learner once grades are released, and for staff before", async () => {
    const lab = await openLab(world, { max_attempts: 1 });
    const { submit, grade, giveBack, release, learner, assistant } = lab;
    const own = async () => (await attemptsOf(lab, learner))[0];
    const attempt = { number: 1, of: 1, score: null, passed: null };
    const { id } = (await submit({ body: "one" })).body;
    expect(await own()).toEqual({ ...attempt, state: "SUBMITTED" });
    await giveBack(id, "Once more");
    expect(await own()).toEqual({ ...attempt, state: "RETURNED" });
    const again = (await submit({ body: "two" })).body;
    expect(await own(), "what was returned does not count").toEqual({ ...attempt, state: "SUBMITTED" });
    await grade(again.id, 15);
    expect(await own()).toEqual({ ...attempt, state: "GRADED" });
    expect((await attemptsOf(lab, assistant, `?user_id=${learner.id}`))[0]).toMatchObject({ score: 15 });
    await release();
    expect(await own()).toEqual({ ...attempt, score: 15, state: "GRADED" });
  });
});

describe("the home screen", () => {
  /** A text behind a prerequisite, and all of the quiz or lab. */
  const followed = async <Opened extends Awaited<ReturnType<typeof openQuiz>>>(opened: Opened) => ({
    ...opened,
    later: await make.contentItem(opened.module, opened.university.id, {
      due_at: "2026-04-01T00:00:00.000Z",
    }),
  });

  it("omits an exam without attempts left, and shows one with an attempt left", async () => {
    const due_at = "2026-03-20T00:00:00.000Z";
    const exam = { quiz_mode: "exam", due_at, mastery: { max_attempts: 2 } };
    const { start, submit, learner, item, later } = await followed(await openQuiz(world, exam));
    expect(await nextOf(learner)).toBe(item.id);
    await submit((await start()).body.id);
    expect(await nextOf(learner)).toBe(item.id);
    const { id } = (await start()).body;
    expect(await nextOf(learner), "while the last is open").toBe(item.id);
    expect(await dueOf(learner)).toEqual([item.id, later.id]);
    await submit(id);
    expect(await nextOf(learner)).toBe(later.id);
    expect(await dueOf(learner)).toEqual([later.id]);
  });

  it("omits closed work, except for an open attempt", async () => {
    const due_at = "2026-03-10T12:30:00.000Z";
    const { learner, item, later, start, quiz, assistant } = await followed(
      await openQuiz(world, { quiz_mode: "exam", due_at }),
    );
    const granted = await world
      .as(assistant)
      .put(`${quiz}/overrides/${learner.id}`, { due_at: "2026-03-10T13:00:00.000Z" });
    expect(granted.status).toBe(200);
    await start();
    at(31);
    expect(await nextOf(learner)).toBe(item.id);
    at(61);
    expect(await nextOf(learner)).toBe(later.id);
    const other = await openQuiz(world, { due_at: "2026-03-10T12:30:00.000Z" });
    expect(await nextOf(other.learner)).toBe(null);
    expect(await dueOf(other.learner)).toEqual([]);
  });

  it("omits work that is no longer accepted, or whose course's grade is final", async () => {
    const strict = await openLab(world, { due_at: "2026-03-10T12:30:00.000Z", accepts_late: false });
    const lenient = await openLab(world, { due_at: "2026-03-10T12:30:00.000Z" });
    expect(await nextOf(strict.learner)).toBe(strict.lab.id);
    at(31);
    expect(await nextOf(strict.learner)).toBe(strict.paper.id);
    expect(await nextOf(lenient.learner)).toBe(lenient.lab.id);
    expect(await dueOf(lenient.learner)).toEqual([lenient.lab.id]);
    await lenient.finalize();
    expect(await nextOf(lenient.learner)).toBe(null);
  });

  it("names practice that counts in no grade when nothing else is left", async () => {
    const opened = await followed(await openQuiz(world));
    const { learner, teacher, item, later, offering } = opened;
    expect(await nextOf(learner), "in an ungraded course").toBe(later.id);
    const scheme = `/assessments/offerings/${offering.id}/grading-scheme`;
    const exam = await make.contentItem(opened.module, opened.university.id, { type: "assignment" });
    const groups = (id: number) => ({ groups: [{ name: "All", weight: 1, content_item_ids: [id] }] });
    await world.as(teacher).put(scheme, groups(exam.id));
    expect(await nextOf(learner), "in no group").toBe(later.id);
    await world.as(teacher).put(scheme, groups(item.id));
    expect(await nextOf(learner), "with a weight").toBe(item.id);
    await world.as(teacher).put(scheme, { groups: [] });
    expect(await nextOf(learner), "where everything counts").toBe(item.id);
    await world.as(teacher).put(scheme, groups(exam.id));
    await world.as(learner).post("/progress/content", {
      content_item_id: later.id,
      course_offering_id: offering.id,
      progress_percent: 100,
    });
    expect(await nextOf(learner)).toBe(exam.id);
    await world.as(learner).post(`/assessments/offerings/${offering.id}/assignments/${exam.id}/submissions`, {
      body: "x",
    });
    expect(await nextOf(learner)).toBe(item.id);
  });

  it("has a course until its term's last day is over in the university's time zone, else until it ends", async () => {
    const university = await make.university({ time_zone: "America/New_York" });
    const course = await make.course(university.id);
    const term = await make.term(university.id, { starts_on: "2026-02-01", ends_on: "2026-03-09" });
    const learner = await make.person();
    const ends_at = "2026-03-10T04:30:00.000Z";
    const inTerm = await make.offering(course, { term_id: term.id, ends_at: "2026-06-01T00:00:00.000Z" });
    const ending = await make.offering(await make.course(university.id), { ends_at });
    const open = await make.offering(await make.course(university.id));
    for (const { id } of [inTerm, ending, open]) await make.enrollment(learner.id, id);
    const shown = async (moment: string) => {
      world.setNow(moment);
      const { courses } = await homeOf(learner);
      return courses.map((one: { course_offering: Named }) => one.course_offering.id).toSorted();
    };
    expect(await shown("2026-03-10T03:59:59.000Z")).toEqual([inTerm.id, ending.id, open.id]);
    expect(await shown("2026-03-10T04:00:00.000Z")).toEqual([ending.id, open.id]);
    expect(await shown(ends_at)).toEqual([open.id]);
    expect(await shown("2027-03-10T04:00:00.000Z")).toEqual([open.id]);
  });

  it("has a course that was completed until it ends, else for a fortnight, with nothing that is next", async () => {
    const [{ course, offering }, ending] = [await make.topic(), await make.topic()];
    const learner = await make.person();
    const completed = { completed_at: "2026-03-01T12:00:00.000Z", completion_source: "RESULT" as const };
    await make.enrollment(learner.id, offering.id, "COMPLETED", completed);
    expect(await homeOf(learner)).toMatchObject({
      courses: [{ course: { id: course.id }, status: "COMPLETED", next_item: null }],
      due: [],
    });
    const run = await make.offering(ending.course, { ends_at: "2026-05-01T00:00:00.000Z" });
    await make.enrollment(learner.id, run.id, "COMPLETED", completed);
    world.setNow("2026-03-15T12:00:00.000Z");
    const { courses } = await homeOf(learner);
    expect(courses.map((one: { course_offering: Named }) => one.course_offering.id)).toEqual([run.id]);
  });
});
