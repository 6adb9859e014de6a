import { and, eq, sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { closeAndGradeDueAttempts } from "../../../lib/assessment/grade-closed-attempts.ts";
import { quizAttempts } from "../../../schema/db/assessment/quiz-attempts.ts";
import { enrollments } from "../../../schema/db/courses/enrollments.ts";
import { auditEvents } from "../../../schema/db/identity/audit.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Row = { id: number };

const rounds = [1, 2, 3, 4, 5];
const at = (seconds: number) => world.setNow(new Date(Date.parse("2026-03-10T12:00:00Z") + seconds * 1000));

beforeEach(() => at(0));

const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();

describe("concurrent attempts at a quiz of a course with three offerings in a term", () => {
  async function openThrice(data: Parameters<typeof openQuiz>[1]) {
    const opened = await openQuiz(world, data);
    const runs = [
      opened.offering,
      await make.offering(opened.course),
      await make.offering(opened.course),
    ] as const;
    const quizIn = (run: Row) => `/assessments/offerings/${run.id}/quizzes/${opened.item.id}`;
    const join = async () => {
      const learner = await make.person();
      for (const { id } of runs) await make.enrollment(learner.id, id);
      const startIn = (run: Row) => world.as(learner).post(`${quizIn(run)}/attempts`);
      const taken = () => world.deps.db.$count(quizAttempts, eq(quizAttempts.user_id, learner.id));
      return { learner, startIn, taken };
    };
    return { ...opened, runs, quizIn, join };
  }

  it("started in all of them are one if one is left", async () => {
    const { runs, join } = await openThrice({ quiz_mode: "exam" });
    for (const _ of rounds) {
      const { startIn, taken } = await join();
      const replies = await Promise.all(runs.map(startIn));
      expect(statusesOf(replies)).toEqual([201, 400, 400]);
      expect(await taken()).toBe(1);
    }
  });

  it("begun in each again and again are as many as are left, and each open one is answered again", async () => {
    const { runs, join } = await openThrice({ quiz_mode: "exam", mastery: { max_attempts: 2 } });
    for (const _ of rounds) {
      const { startIn, taken } = await join();
      const replies = await Promise.all([...runs, ...runs, ...runs].map(startIn));
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(2);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(4);
      expect(await taken()).toBe(2);
    }
  });

  it("started elsewhere during a submission do not exceed the limit", async () => {
    const { runs, join, submit } = await openThrice({ quiz_mode: "exam" });
    for (const round of rounds) {
      const { learner, startIn, taken } = await join();
      const { id } = (await startIn(runs[0])).body;
      const both = [() => submit(id, [], learner), () => startIn(runs[1]), () => startIn(runs[2])];
      const replies = await Promise.all((round % 2 ? both : both.toReversed()).map((ask) => ask()));
      expect(statusesOf(replies)).toEqual([200, 400, 400]);
      expect(await taken()).toBe(1);
    }
  });

  it("started elsewhere while the schedule closes one do not exceed the limit", async () => {
    const { runs, join } = await openThrice({ quiz_mode: "exam", time_limit_seconds: 60 });
    for (const _ of rounds) {
      at(0);
      const { startIn, taken } = await join();
      await startIn(runs[0]);
      at(66);
      const closing = closeAndGradeDueAttempts(
        { db: world.deps.db, now: world.deps.now },
        new AbortController().signal,
      );
      const [elsewhere, again] = await Promise.all([startIn(runs[1]), startIn(runs[0]), closing]);
      expect(statusesOf([elsewhere, again])).toEqual([400, 400]);
      expect(await taken()).toBe(1);
    }
  });

  it("begun while more are granted there are as many as are granted in the end", async () => {
    const { runs, join, quizIn, teacher } = await openThrice({ quiz_mode: "exam" });
    for (const round of rounds) {
      const { learner, startIn, taken } = await join();
      await startIn(runs[0]);
      const grant = () =>
        world.as(teacher).put(`${quizIn(runs[1])}/overrides/${learner.id}`, { max_attempts: 2 });
      const both = [grant, () => startIn(runs[1])];
      const replies = await Promise.all((round % 2 ? both : both.toReversed()).map((ask) => ask()));
      const [granted, begun] = round % 2 ? replies : replies.toReversed();
      expect(granted?.status).toBe(200);
      expect((await startIn(runs[1])).status).toBe(begun?.status === 201 ? 200 : 201);
      expect((await startIn(runs[2])).status).toBe(400);
      expect(await taken()).toBe(2);
    }
  });

  it("show correct answers to no learner who can start another, during any submission", async () => {
    const { runs, join, submit, read, right } = await openThrice({
      ...{ quiz_mode: "exam", show_answers: "after_submit", mastery: { max_attempts: 2 } },
    });
    for (const _ of rounds) {
      const { learner, startIn } = await join();
      const first = (await startIn(runs[0])).body.id;
      const [submitted, second] = await Promise.all([submit(first, right, learner), startIn(runs[1])]);
      expect([submitted.body.answers_shown, second.status]).toEqual([false, 201]);
      const [seen, last] = await Promise.all([read(first, learner), submit(second.body.id, [], learner)]);
      expect(last.body.answers_shown).toBe(true);
      if (seen.body.answers_shown) expect(seen.body.questions[0].result).not.toBeNull();
      expect((await read(first, learner)).body.answers_shown).toBe(true);
    }
  });
});

describe("concurrent seats in a course with two offerings", () => {
  async function runTwice(...capacities: (number | undefined)[]) {
    const { university, course } = await make.topic();
    const runs = [
      await make.offering(course, { capacity: capacities[0] ?? null }),
      await make.offering(course, { capacity: capacities[1] ?? null }),
    ] as const;
    const staff = await make.holder("instructor", university.id);
    const enroll = (person: Row, { id }: Row, more: object = {}) =>
      world.as(person).post("/enrollments/", { course_offering_id: id, ...more });
    const inRun = (person: Row, run: Row) =>
      and(eq(enrollments.user_id, person.id), eq(enrollments.course_offering_id, run.id));
    const put = async (caller: Row, person: Row, run: Row, status: string) => {
      const [mine] = await world.deps.db.select().from(enrollments).where(inRun(person, run));
      return world.as(caller).put(`/enrollments/${mine?.id}`, { status });
    };
    const resize = ({ id }: Row, capacity: number | null) =>
      world.as(staff).put(`/courses/${course.id}/offerings/${id}`, { capacity });
    const standing = async (person: Row) =>
      Promise.all(
        runs.map(async (run) => {
          const [mine] = await world.deps.db.select().from(enrollments).where(inRun(person, run));
          return mine?.status ?? "NONE";
        }),
      );
    return { university, course, runs, staff, enroll, put, resize, standing };
  }

  const people = (count: number): Promise<{ id: number; email: string }[]> =>
    Promise.all(Array.from({ length: count }, () => make.person()));
  const twoPeople = async () => [await make.person(), await make.person()] as const;
  const threePeople = async () => [...(await twoPeople()), await make.person()] as const;

  it("taken in both are one", async () => {
    const { runs, enroll, standing } = await runTwice();
    for (const person of await people(5)) {
      const replies = await Promise.all([...runs, ...runs].map((run) => enroll(person, run)));
      expect(statusesOf(replies)).toEqual([201, 400, 400, 400]);
      expect((await standing(person)).sort()).toEqual(["ACTIVE", "NONE"]);
    }
  });

  it("taken in one and taken up again in the other are one", async () => {
    const { runs, enroll, put, standing } = await runTwice();
    for (const person of await people(5)) {
      await enroll(person, runs[0]);
      await put(person, person, runs[0], "DROPPED");
      const replies = await Promise.all([put(person, person, runs[0], "ACTIVE"), enroll(person, runs[1])]);
      expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
      expect((await standing(person)).filter((status) => status === "ACTIVE")).toHaveLength(1);
    }
  });

  it("for a waiting person who enrolls in the other are one, and go to the next in line", async () => {
    for (const round of rounds) {
      const { runs, enroll, put, standing } = await runTwice(1);
      const [holder, person, next] = await threePeople();
      for (const each of [holder, person, next]) await enroll(each, runs[0]);
      const both = [() => put(holder, holder, runs[0], "DROPPED"), () => enroll(person, runs[1])];
      await Promise.all((round % 2 ? both : both.toReversed()).map((ask) => ask()));
      const stands = await standing(person);
      expect(["ACTIVE,NONE", "WAITLISTED,ACTIVE"]).toContain(String(stands));
      expect((await standing(next))[0]).toBe(stands[0] === "ACTIVE" ? "WAITLISTED" : "ACTIVE");
    }
  });

  it("that a person leaves while their waiting list moves are taken there, and never lost", async () => {
    for (const round of rounds) {
      const { runs, enroll, put, resize, standing } = await runTwice(undefined, 1);
      const [holder, person] = await twoPeople();
      await enroll(holder, runs[1]);
      await enroll(person, runs[0]);
      await enroll(person, runs[1]);
      const both = [() => put(person, person, runs[0], "DROPPED"), () => resize(runs[1], 2)];
      const replies = await Promise.all((round % 2 ? both : both.toReversed()).map((ask) => ask()));
      expect(statusesOf(replies)).toEqual([200, 200]);
      expect(await standing(person)).toEqual(["DROPPED", "ACTIVE"]);
    }
  });

  it("that two people leave for each other's change hands", async () => {
    for (const _ of rounds) {
      const { runs, enroll, put, standing } = await runTwice(1, 1);
      const [one, other] = await twoPeople();
      await enroll(one, runs[0]);
      await enroll(other, runs[1]);
      await enroll(one, runs[1]);
      await enroll(other, runs[0]);
      await Promise.all([put(one, one, runs[0], "DROPPED"), put(other, other, runs[1], "DROPPED")]);
      expect([await standing(one), await standing(other)]).toEqual([
        ["DROPPED", "ACTIVE"],
        ["ACTIVE", "DROPPED"],
      ]);
    }
  });

  it("that free in both, with the same people waiting in opposite order, are one for each", async () => {
    const { runs, enroll, resize, standing } = await runTwice(1, 1);
    const [first, second] = await twoPeople();
    await enroll(first, runs[0]);
    await enroll(second, runs[1]);
    const others = await people(10);
    for (const person of others) await enroll(person, runs[0]);
    for (const person of others.toReversed()) await enroll(person, runs[1]);
    const replies = await Promise.all([resize(runs[0], 6), resize(runs[1], 6)]);
    expect(statusesOf(replies)).toEqual([200, 200]);
    for (const person of others) expect((await standing(person)).sort()).toEqual(["ACTIVE", "WAITLISTED"]);
  });

  it("taken while staff give the other are both, and the audit log says so exactly then", async () => {
    for (const round of rounds) {
      const { university, runs, staff, enroll, standing } = await runTwice();
      const person = await make.holder("student", university.id);
      const both = [
        () => enroll(person, runs[0]),
        () => enroll(staff, runs[1], { user_id: person.id, override: true }),
      ];
      await Promise.all((round % 2 ? both : both.toReversed()).map((ask) => ask()));
      const stands = await standing(person);
      const [audited] = await world.deps.db
        .select()
        .from(auditEvents)
        .where(eq(auditEvents.subject_id, person.id));
      expect(stands[1]).toBe("ACTIVE");
      expect(audited?.details["passed"]).toBe(stands[0] === "ACTIVE" ? "enrolled_in_course" : undefined);
    }
  });

  it("taken while the other is completed are never two that run", async () => {
    for (const round of rounds) {
      const { runs, staff, enroll, put, standing } = await runTwice();
      const person = await make.person();
      await enroll(person, runs[0]);
      const both = [() => put(staff, person, runs[0], "COMPLETED"), () => enroll(person, runs[1])];
      const replies = await Promise.all((round % 2 ? both : both.toReversed()).map((ask) => ask()));
      const [, enrolled] = round % 2 ? replies : replies.toReversed();
      expect(await standing(person)).toEqual(["COMPLETED", enrolled?.status === 201 ? "ACTIVE" : "NONE"]);
    }
  });

  it("that an import gives while people enroll in the other stop neither", async () => {
    const { university, runs, enroll, standing } = await runTwice();
    const admin = await make.holder("university_admin", university.id);
    // University members: an import only offers seats to others.
    const persons = await Promise.all(
      Array.from({ length: 10 }, () => make.holder("student", university.id)),
    );
    const lines = persons.toReversed().map(({ email }) => `${email},${runs[1].id}`);
    const files = { "enrollments.csv": ["email,course_offering_id", ...lines].join("\r\n") };
    const [imported, ...replies] = await Promise.all([
      world.as(admin).post(`/universities/${university.id}/imports`, { format: "CSV", files }),
      ...persons.map((person) => enroll(person, runs[0])),
    ]);
    expect(imported.body).toMatchObject({ created: 10, refused: 0 });
    for (const [index, person] of persons.entries())
      expect(await standing(person)).toEqual([replies[index]?.status === 201 ? "ACTIVE" : "NONE", "ACTIVE"]);
  });

  it("for a reactivated person, and from a larger offering, are one", async () => {
    for (const _ of rounds) {
      const { university, runs, enroll, resize, standing } = await runTwice(1, 1);
      const [first, second, person] = await threePeople();
      await enroll(first, runs[0]);
      await enroll(second, runs[1]);
      for (const run of runs) await enroll(person, run);
      const platform = world.as(await make.holder("platform_admin", university.id));
      const setActive = (is_active: boolean) =>
        platform.request("PATCH", `/users/${person.id}`, { is_active });
      await setActive(false);
      await resize(runs[0], 2);
      const replies = await Promise.all([setActive(true), resize(runs[1], 2)]);
      expect(statusesOf(replies)).toEqual([200, 200]);
      expect((await standing(person)).sort()).toEqual(["ACTIVE", "WAITLISTED"]);
    }
  });

  it("that an erasure frees while a waiting person enrolls in the other are one", async () => {
    for (const round of rounds) {
      const { runs, enroll, standing } = await runTwice(1);
      const account = { email: `${make.unique("leaving")}@example.edu`, password: "correct horse" };
      const { access_token } = (await world.as().post("/auth/register", { ...account, full_name: "Ada" }))
        .body;
      const headers = { authorization: `Bearer ${access_token}` };
      await world.as().request("POST", "/enrollments/", { course_offering_id: runs[0].id }, { headers });
      const person = await make.person();
      await enroll(person, runs[0]);
      const { password } = account;
      const both = [
        () => world.as().request("DELETE", "/users/me", { password }, { headers }),
        () => enroll(person, runs[1]),
      ];
      const replies = await Promise.all((round % 2 ? both : both.toReversed()).map((ask) => ask()));
      expect(replies[round % 2 ? 0 : 1]?.status).toBe(204);
      expect(["ACTIVE,NONE", "WAITLISTED,ACTIVE"]).toContain(String(await standing(person)));
    }
  });
});

describe("an offering that is changed", () => {
  let keeper: pg.Client;

  beforeAll(async () => {
    keeper = new pg.Client(world.deps.config.DATABASE_URL);
    await keeper.connect();
  });
  afterAll(() => keeper.end());

  it("is locked only once its course's seats are", async () => {
    const { university, course, offering } = await make.topic();
    const staff = world.as(await make.holder("instructor", university.id));
    await keeper.query("begin");
    await keeper.query("select lock_course_seats_of_offering($1)", [offering.id]);
    const resized = staff.put(`/courses/${course.id}/offerings/${offering.id}`, { capacity: 5 });
    await expect
      .poll(async () => {
        const { rows } = await world.deps.db.execute(
          sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length;
      })
      .toBe(1);
    // Without waiting, as in seat promotion.
    await keeper.query("select from course_offerings where id = $1 for no key update nowait", [offering.id]);
    await keeper.query("commit");
    expect((await resized).body.capacity).toBe(5);
  });
});
