import { sql } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import {
  closeAndGradeDueAttempts,
  gradeClosedAttempts,
} from "../../../lib/assessment/grade-closed-attempts.ts";
import { signGraderCall } from "../../../lib/assessment/grader-signature.ts";
import { markAttemptsForRegradeCtes } from "../../../lib/assessment/regrade.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const at = (seconds: number) => world.setNow(new Date(Date.parse("2026-03-10T12:00:00Z") + seconds * 1000));
const rounds = Array.from({ length: 6 }, (_, round) => round);

beforeEach(() => at(0));

/** Runs these concurrently, in reverse order every other round. */
const race = <Reply>(round: number, ...asked: (() => Promise<Reply>)[]): Promise<Reply[]> =>
  Promise.all((round % 2 ? asked.toReversed() : asked).map((ask) => ask()));

type Row = { final: { final_score: number; is_outdated: boolean } | null; final_percent: number };

/** A quiz of five points and an hour with unlimited attempts, and actions on its final grades. */
async function openBook(data: Record<string, unknown> = {}) {
  const opened = await openQuiz(world, { time_limit_seconds: 3600, mastery: { points: 5 }, ...data });
  const { offering, teacher, assistant, learner, item, quiz } = opened;
  const here = `/assessments/offerings/${offering.id}`;
  const grades = (what: string, body: object) => world.as(teacher).post(`${here}/grades/${what}`, body);
  const row = async (): Promise<Row> => (await world.as(assistant).get(`${here}/gradebook`)).body.rows[0];
  return {
    ...opened,
    row,
    finalize: (body: object = { include_awaiting: true }) => grades("finalize", body),
    reopen: () => grades("reopen", { reason: "Again" }),
    regrade: () => world.as(teacher).post(`${quiz}/regrade`),
    override: (score: number | null) =>
      world.as(assistant).put(`${here}/grades/${learner.id}/items/${item.id}`, { score, reason: "On paper" }),
    /** Changes the first question's key, worth a point, which inverts its correctness. */
    rekey: async (option_id: "A" | "B") => {
      const path = `/assessments/questions/${opened.questions[0]?.id}`;
      expect((await world.as(teacher).put(path, { answer: { option_id } })).status).toBe(200);
    },
    /** A final grade matches the gradebook, or is marked outdated and the teacher was notified. */
    holds: async () => {
      const { final, final_percent } = await row();
      if (!final) return;
      expect(final.final_score !== final_percent).toBe(final.is_outdated);
      const told = await world.as(teacher).get("/users/me/notifications?kind=grade_outdated");
      if (final.is_outdated) expect(told.body.notifications).toHaveLength(1);
    },
  };
}

const schedule = () =>
  closeAndGradeDueAttempts({ db: world.deps.db, now: world.deps.now }, new AbortController().signal);

it("an exam that is submitted while grades are made final is part of the grade, or outdates it", async () => {
  const { start, submit, right, finalize, reopen, holds, row } = await openBook();
  for (const round of rounds) {
    const { id } = (await start()).body;
    const answers = right.slice(0, round);
    const replies = await race(
      round,
      () => submit(id, answers),
      () => finalize(),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect((await row()).final).not.toBeNull();
    await holds();
    await reopen();
  }
});

it("an exam that is submitted during the finalization excludes its taker, or is part of the grade", async () => {
  const { start, submit, right, finalize, reopen, row } = await openBook();
  for (const round of rounds) {
    const { id } = (await start()).body;
    await race(
      round,
      () => submit(id, right.slice(0, round)),
      () => finalize({}),
    );
    const { final, final_percent } = await row();
    if (final) expect(final).toMatchObject({ final_score: final_percent, is_outdated: false });
    await reopen();
  }
});

it("a quiz that is regraded during the finalization is part of the grades, or outdates them", async () => {
  const { start, submit, right, finalize, reopen, regrade, rekey, holds } = await openBook();
  await submit((await start()).body.id, right);
  for (const round of rounds) {
    await rekey(round % 2 ? "B" : "A");
    const replies = await race(
      Math.floor(round / 2),
      () => regrade(),
      () => finalize(),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    await holds();
    await reopen();
  }
});

it("a question that is thrown out during a submission counts so in every attempt, and the audit shows it", async () => {
  const { start, submit, right, quiz, teacher, assistant, questions, university, offering } =
    await openBook();
  const path = `${quiz}/questions/${questions[0]?.id}/thrown-out`;
  const credits = rounds.map((round) => (round % 2 ? null : "full_points"));
  for (const round of rounds) {
    const thrown_out = credits[round] ?? null;
    const { id } = (await start()).body;
    const replies = await race(
      Math.floor(round / 2),
      () => submit(id, right.slice(1)),
      () => world.as(teacher).put(path, { thrown_out, reason: `Round ${round}` }),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    await schedule();
    const attempts: { score_obtained: number }[] = (await world.as(assistant).get(`${quiz}/attempts`)).body;
    expect(attempts.map(({ score_obtained }) => score_obtained)).toEqual(
      Array(round + 1).fill(thrown_out === null ? 4 : 5),
    );
  }
  const admin = await make.holder("university_admin", university.id);
  const audit = await world.as(admin).get("/admin/audit?action=quiz.regraded");
  const thrown = audit.body.map(
    ({ details }: { details: { thrown_out: string | null } }) => details.thrown_out,
  );
  expect(thrown.toReversed()).toEqual(credits);
  const { rows } = await world.deps.db.execute(sql`
    select count(*)::int as broken from (
      select former_json, lag(current_json) over (partition by current_json ->> 'quiz_attempt_id' order by id) as before
      from grade_changes where course_offering_id = ${offering.id}
    ) as chain where before is not null and former_json <> before`);
  expect(rows).toEqual([{ broken: 0 }]);
});

it("a staff score outlives a concurrent regrade of a quiz, and shows the new result once withdrawn", async () => {
  const { start, submit, right, regrade, rekey, override, row } = await openBook();
  await submit((await start()).body.id, right);
  for (const round of rounds) {
    await rekey(round % 2 ? "B" : "A");
    const replies = await race(
      Math.floor(round / 2),
      () => regrade(),
      () => override(round),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect((await row()).final_percent).toBe(Math.min(5, round) * 20);
    await override(null);
    expect((await row()).final_percent).toBe(round % 2 ? 100 : 80);
  }
});

it("exams that the schedule closes while grades are made final are graded once, and count", async () => {
  const { start, save, right, finalize, reopen, row } = await openBook();
  for (const round of rounds.slice(0, 5)) {
    at(round * 4000);
    await save((await start()).body.id, right.slice(0, round + 1));
    at(round * 4000 + 3700);
    await race<unknown>(round, schedule, () => finalize({}));
    await finalize({});
    expect((await row()).final).toMatchObject({ final_score: (round + 1) * 20, is_outdated: false });
    await reopen();
  }
});

it("of two concurrent finalizations with missing submissions, grades are final once", async () => {
  const { start, save, right, finalize, row, offering } = await openBook();
  const people = [await make.person(), await make.person(), await make.person()];
  for (const { id } of people) await make.enrollment(id, offering.id);
  for (const person of people) await save((await start(person)).body.id, right, person);
  at(3700);
  const replies = await Promise.all([finalize({}), finalize({}), finalize({ dry_run: true }), finalize({})]);
  expect(replies.map(({ status }) => status)).toEqual(Array(4).fill(200));
  const finalized = [0, 1, 3].map((one) => replies[one]?.body.finalized).reduce((sum, one) => sum + one, 0);
  const left = (await finalize({})).body.finalized;
  expect(finalized + left).toBe(4);
  const { rows } = await world.deps.db.execute(sql`
    select count(*)::int as changes, (select sum(final_score)::float8 from course_grades where course_offering_id = ${offering.id})
      as scores from grade_changes where course_offering_id = ${offering.id} and kind = 'finalized'`);
  expect(rows).toEqual([{ changes: 4, scores: 300 }]);
  expect((await row()).final).not.toBeNull();
});

it("a dry run during a submission writes nothing, and blocks no one", async () => {
  const { start, submit, right, finalize, row } = await openBook();
  for (const round of rounds) {
    const { id } = (await start()).body;
    const replies = await race(
      round,
      () => finalize({ dry_run: true, include_awaiting: true }),
      () => submit(id, right),
      () => finalize({ dry_run: true }),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await row()).toMatchObject({ final: null, final_percent: 100 });
  }
});

it("grades are reopened during a submission: it outdates them, or counts in the open ones", async () => {
  const { start, submit, right, finalize, reopen, row } = await openBook();
  for (const round of rounds) {
    const { id } = (await start()).body;
    await finalize();
    await race(
      round,
      () => submit(id, right.slice(0, round)),
      () => reopen(),
    );
    expect((await row()).final).toBeNull();
    await finalize();
    const { final, final_percent } = await row();
    expect(final).toMatchObject({ final_score: final_percent, is_outdated: false });
    await reopen();
  }
});

it("two concurrent grades after the final one outdate it, even if neither does alone", async () => {
  const { start, submit, right, finalize, reopen, regrade, rekey, holds, row } = await openBook();
  for (const _ of rounds.slice(0, 2)) await submit((await start()).body.id, right);
  for (const round of rounds) {
    await finalize();
    await rekey(round % 2 ? "B" : "A");
    const grade = () => gradeClosedAttempts(world.deps.db, world.deps.now());
    await race<unknown>(round, () => regrade(), grade, grade);
    await grade();
    expect((await row()).final?.is_outdated).toBe(true);
    await holds();
    await reopen();
  }
});

const isOneWaiting = async () => {
  const { rows } = await world.deps.db.execute(
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
};

it("two concurrent grades wait for each other, or neither would see that the best is gone", async () => {
  const { start, submit, right, finalize, rekey, row, item, offering } = await openBook({
    passing_percent: 100,
  });
  const ids: number[] = [];
  for (const _ of rounds.slice(0, 2))
    ids.push((await submit((await start()).body.id, right.slice(0, 4))).body.id);
  await finalize();
  await rekey("A");
  const { db, now } = world.deps;
  await db.execute(sql`
    with permitted as (select ${item.id}::int as item_id, ${offering.id}::int as offering_id), ${markAttemptsForRegradeCtes(0)}
    select from waiting`);
  const grade = (over: typeof db, id: number | undefined) =>
    gradeClosedAttempts(over, now(), sql`id = ${id}`);
  const second = await db.transaction(async (first) => {
    await grade(first as unknown as typeof db, ids[0]);
    let isDone = false;
    const meanwhile = grade(db, ids[1]).finally(() => {
      isDone = true;
    });
    await expect
      .poll(async () => isDone || (await isOneWaiting()), { message: "the second waits, or is done" })
      .toBe(true);
    return { meanwhile };
  });
  await second.meanwhile;
  expect(await row()).toMatchObject({ final: { final_score: 80, is_outdated: true }, final_percent: 60 });
});

it("an attempt that starts during the finalization continues, and excludes its taker or outdates the grades", async () => {
  const { start, submit, right, finalize, reopen, holds, row } = await openBook();
  for (const round of rounds) {
    const [first, second] = await race(
      round,
      () => start(),
      () => finalize({}),
    );
    const { id } = (round % 2 ? second : first)?.body ?? {};
    const hadFinal = (await row()).final !== null;
    expect((await submit(id, right.slice(0, Math.min(round, 5)))).status).toBe(200);
    await holds();
    if (!hadFinal) expect((await finalize({})).body).toMatchObject({ finalized: 1 });
    await reopen();
  }
});

it("work that is handed in while grades are made final is awaited, or refused", async () => {
  const { submit, grade, finalize, reopen, paper, learner } = await openLab(world);
  for (const round of rounds) {
    const handIn = () => submit({ body: `round ${round}` }, learner, paper);
    const replies = await race(round, handIn, () => finalize());
    const [handed, finalized] = round % 2 ? replies.toReversed() : replies;
    expect([handed?.status, finalized?.body.finalized]).toEqual(handed?.status === 201 ? [201, 0] : [400, 1]);
    await reopen();
    if (handed?.status === 201) await grade(handed.body.id, 40);
  }
});

it("an item's own grader during the finalization is part of the grades, or outdates them", async () => {
  const { submit, finalize, reopen, gradebook, lab, teacher, here } = await openLab(world);
  const { secret } = (await world.as(teacher).get(`${here}/assignments/${lab.id}/auto-grader`)).body;
  for (const round of rounds) {
    const { id } = (await submit({ body: `round ${round}` })).body;
    const body = JSON.stringify({ score: 10 + round });
    const signed = world.deps.now().getTime();
    const digest = signGraderCall(secret, { at: signed, submissionId: id, body });
    const headers = { "x-grader-signature": `t=${signed},v1=${digest}` };
    const path = `/assessments/submissions/${id}/auto-grade`;
    const replies = await race(
      round,
      () => world.as().request("POST", path, JSON.parse(body), { headers }),
      () => finalize({ include_awaiting: true }),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const { final, final_percent } = (await gradebook()).body.rows[0];
    expect(final.final_score !== final_percent).toBe(final.is_outdated);
    await reopen();
  }
});
