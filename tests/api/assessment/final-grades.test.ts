import { beforeEach, describe, expect, it } from "vitest";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { openQuiz } from "./exam.ts";

const world = openWorld();
const make = makersOf(world);

const at = (seconds: number) => world.setNow(new Date(Date.parse("2026-03-10T12:00:00Z") + seconds * 1000));

beforeEach(() => at(0));

/** An exam of five points and one hour, which is the whole course grade. */
async function openExam(data: Record<string, unknown> = { quiz_mode: "exam", time_limit_seconds: 3600 }) {
  const opened = await openQuiz(world, data);
  const { offering, teacher, assistant, learner } = opened;
  const here = `/assessments/offerings/${offering.id}`;
  return {
    ...opened,
    finalize: (body = {}) => world.as(teacher).post(`${here}/grades/finalize`, body),
    reopen: () => world.as(teacher).post(`${here}/grades/reopen`, { reason: "Late" }),
    /** The learner's final grade. Fails if staff and the learner read different ones. */
    final: async () => {
      const { rows } = (await world.as(assistant).get(`${here}/gradebook`)).body;
      const { final } = rows.find(({ user_id }: { user_id: number }) => user_id === learner.id);
      expect((await world.as(learner).get(`${here}/my-grades`)).body.final).toEqual(final);
      return final;
    },
    told: async (person = teacher) =>
      (await world.as(person).get("/users/me/notifications?kind=grade_outdated")).body.notifications,
  };
}

const nobody = { finalized: 0, passed: 0, awaiting: 0, people: [] };

describe("grades are made final", () => {
  it("for no learner with an open exam, and for them a moment after it has passed", async () => {
    const { start, submit, right, finalize, final, learner, item } = await openExam();
    const { id } = (await start()).body;
    const people = [{ user_id: learner.id, items: [item.id] }];
    expect((await finalize()).body).toEqual({ ...nobody, awaiting: 1, people });
    expect(await final()).toBeNull();
    expect((await submit(id, right)).body.score_obtained).toBe(5);
    expect((await finalize()).body).toEqual({ ...nobody, finalized: 1, passed: 1 });
    expect(await final()).toMatchObject({ final_score: 100, letter_grade: "A", is_outdated: false });
  });

  it("for people who await a grade if requested: an open attempt continues, and outdates them", async () => {
    const { start, submit, right, finalize, reopen, final, told, learner, item, offering } = await openExam();
    const professor = await make.holder("instructor", offering.university_id);
    await world.deps.db.execute(
      `insert into course_offering_instructors (course_offering_id, user_id) values (${offering.id}, ${professor.id})`,
    );
    const { id } = (await start()).body;
    const people = [{ user_id: learner.id, items: [item.id] }];
    expect((await finalize({ include_awaiting: true })).body).toEqual({
      ...{ finalized: 1, passed: 0, awaiting: 1, people },
    });
    expect(await final()).toMatchObject({ final_score: 0, letter_grade: "F", is_outdated: false });
    expect(await told()).toEqual([]);
    expect((await submit(id, right)).status).toBe(200);
    expect(await final()).toMatchObject({ final_score: 0, letter_grade: "F", is_outdated: true });
    expect([await told(), await told(professor)]).toMatchObject([
      [{ course_offering_id: offering.id }],
      [{ course_offering_id: offering.id }],
    ]);
    expect((await reopen()).body).toEqual({ reopened: 1 });
    expect((await finalize()).body).toMatchObject({ finalized: 1, passed: 1 });
    expect(await final()).toMatchObject({ final_score: 100, is_outdated: false });
  });

  it("after overdue attempts are closed and graded, ahead of the schedule", async () => {
    const { start, save, right, finalize, final } = await openExam();
    await save((await start()).body.id, right);
    at(3606);
    expect((await finalize()).body).toEqual({ ...nobody, finalized: 1, passed: 1 });
    expect(await final()).toMatchObject({ final_score: 100, is_outdated: false });
  });

  it("for no learner whose overdue exam cannot be graded within the request", async () => {
    const { start, save, right, finalize, learner, item } = await openExam();
    const { id } = (await start()).body;
    await save(id, right);
    at(3606);
    await world.deps.db.execute(
      `update quiz_attempt_questions set option_ids = '{}' where quiz_attempt_id = ${id};
       create function fail() returns trigger language plpgsql as 'begin raise ''no''; end';
       create trigger fail before update of score_obtained on quiz_attempts for each row when (old.id = ${id}) execute function fail()`,
    );
    const people = [{ user_id: learner.id, items: [item.id] }];
    expect((await finalize()).body).toEqual({ ...nobody, awaiting: 1, people });
    await world.deps.db.execute("drop trigger fail on quiz_attempts; drop function fail");
    expect((await finalize()).body).toMatchObject({ finalized: 1, passed: 1 });
  });

  it("for no learner with ungraded work; late grading outdates them, and they stay", async () => {
    const { submit, grade, finalize, mine, paper, lab, learner, here, teacher } = await openLab(world);
    await world.as(teacher).put(`${here}/grading-scheme`, { passing_percent: 10 });
    await grade((await submit({ body: "x" })).body.id, 20);
    const { id } = (await submit({ body: "y" }, learner, paper)).body;
    const again = (await submit({ body: "once more" })).body.id;
    const people = [{ user_id: learner.id, items: [lab.id, paper.id] }];
    expect((await finalize()).body).toEqual({ ...nobody, awaiting: 1, people });
    expect((await finalize({ include_awaiting: true })).body).toMatchObject({ finalized: 1, passed: 1 });
    expect((await mine()).body.final).toMatchObject({ final_score: 20, is_outdated: false });
    expect((await grade(again, 20)).status).toBe(200);
    expect((await mine()).body.final).toMatchObject({ is_outdated: false });
    expect((await grade(id, 40)).status).toBe(200);
    expect((await mine()).body.final).toMatchObject({ final_score: 20, is_outdated: true });
    expect((await grade(id, 50)).body.detail).toBe("The grade of this course is final");
  });

  it("and outdated by a regraded quiz", async () => {
    const { start, submit, right, finalize, final, told, questions, quiz, teacher } = await openExam();
    await submit((await start()).body.id, right.slice(1));
    await finalize();
    expect(await final()).toMatchObject({ final_score: 80, is_outdated: false });
    const changed = await world.as(teacher).put(`/assessments/questions/${questions[0]?.id}`, { points: 3 });
    expect(changed.status).toBe(200);
    expect((await world.as(teacher).post(`${quiz}/regrade`)).body).toEqual({ graded: 1 });
    expect(await final()).toMatchObject({ final_score: 80, is_outdated: true });
    expect(await told()).toHaveLength(1);
  });

  it("not outdated by another attempt that counts for nothing", async () => {
    const { start, submit, right, finalize, final, told } = await openExam({});
    await submit((await start()).body.id, right);
    await finalize();
    await submit((await start()).body.id, []);
    expect(await final()).toMatchObject({ final_score: 100, is_outdated: false });
    expect(await told()).toEqual([]);
  });

  it("for these people only, or for all who are left, in as many statements as needed", async () => {
    const { start, finalize, learner, offering } = await openExam();
    const ben = await make.person();
    await make.enrollment(ben.id, offering.id);
    await start();
    expect((await finalize({ user_ids: [learner.id] })).body).toMatchObject({ finalized: 0, awaiting: 1 });
    expect((await finalize({ user_ids: [ben.id] })).body).toMatchObject({ finalized: 1, awaiting: 0 });
    expect((await finalize()).body).toMatchObject({ finalized: 0, awaiting: 1 });
  });
});

describe("a dry run of final grades", () => {
  it("returns the result, and writes nothing, not even for overdue attempts", async () => {
    const { start, save, read, right, finalize, final, offering, item } = await openExam();
    const [ben, cyd] = [await make.person(), await make.person()];
    for (const { id } of [ben, cyd]) await make.enrollment(id, offering.id);
    await save((await start()).body.id, right);
    const { id } = (await start(cyd)).body;
    at(3606);
    await start(ben);
    const expected = {
      finalized: 2,
      passed: 1,
      awaiting: 1,
      people: [{ user_id: ben.id, items: [item.id] }],
    };
    expect((await finalize({ dry_run: true })).body).toEqual(expected);
    expect((await finalize({ dry_run: true, include_awaiting: true })).body).toEqual({
      ...expected,
      finalized: 3,
    });
    const { rows } = await world.deps.db.execute(
      `select (select count(*)::int from course_grades where course_offering_id = ${offering.id}) as grades,
              (select count(*)::int from grade_changes where course_offering_id = ${offering.id}) as changes,
              (select count(*)::int from quiz_attempts where course_offering_id = ${offering.id} and submitted_at is null) as open`,
    );
    expect(rows).toEqual([{ grades: 0, changes: 0, open: 3 }]);
    expect((await read(id, cyd)).body).toMatchObject({ score_obtained: 0 });
    expect((await finalize()).body).toEqual(expected);
    expect(await final()).toMatchObject({ final_score: 100 });
  });
});
