import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { signGraderCall } from "../../../lib/assessment/grader-signature.ts";
import { courseGrades } from "../../../schema/db/assessment/grades.ts";
import { labSubmissions } from "../../../schema/db/assessment/lab-submissions.ts";
import { openLab } from "../../support/lab.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();

it("concurrent submissions are no more than allowed, and equal ones are one", async () => {
  const { submit, learner } = await openLab(world, { max_attempts: 2 });
  const same = await Promise.all(Array.from({ length: 10 }, () => submit({ body: "same" })));
  expect(same.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  expect(new Set(same.map(({ text }) => text)).size).toBe(1);
  const others = await Promise.all(Array.from({ length: 10 }, (_, at) => submit({ body: `other ${at}` })));
  expect(others.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(others.filter(({ body }) => body.detail === "No attempt is left")).toHaveLength(9);
  const stored = await world.deps.db
    .select()
    .from(labSubmissions)
    .where(eq(labSubmissions.user_id, learner.id));
  expect(stored).toHaveLength(2);
});

it("of concurrent claims of a submission one succeeds, and grades it", async () => {
  const { submit, claim, grade, assistant, other, teacher } = await openLab(world);
  const graders = [assistant, other, teacher];
  for (let round = 0; round < 5; round += 1) {
    const { id } = (await submit({ body: `round ${round}` })).body;
    const claims = await Promise.all(graders.map((grader) => claim(id, grader)));
    expect(claims.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const winner = claims.findIndex(({ status }) => status === 200);
    const grades = await Promise.all(graders.map((grader, at) => grade(id, at, grader)));
    expect(grades[winner]?.status).toBe(200);
    // Grading ends the claim, so a later grader may grade again.
    const granted = grades.flatMap(({ status, body }) => (status === 200 ? [body.score_obtained] : []));
    expect(granted).toContain(winner);
  }
});

it("a grade by a person is kept, before or after the item's own grader", async () => {
  const { submit, grade, read, lab, teacher, assistant, here } = await openLab(world);
  const { secret } = (await world.as(teacher).get(`${here}/assignments/${lab.id}/auto-grader`)).body;
  for (let round = 0; round < 8; round += 1) {
    const { id } = (await submit({ body: `round ${round}` })).body;
    const signed = world.deps.now().getTime();
    const digest = signGraderCall(secret, { at: signed, submissionId: id, body: '{"score":3}' });
    const headers = { "x-grader-signature": `t=${signed},v1=${digest}` };
    const path = `/assessments/submissions/${id}/auto-grade`;
    const said = () => world.as().request("POST", path, { score: 3 }, { headers });
    const replies = await Promise.all(round % 2 ? [said(), grade(id, 18)] : [grade(id, 18), said()]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect((await read(id, assistant)).body).toMatchObject({ score_obtained: 18, grade_source: "hand" });
  }
});

it("a grade that was given before the end is part of the final one, and a later one outdates it", async () => {
  const { submit, grade, finalize, reopen, here, learner, lab, paper, assistant } = await openLab(world);
  for (let round = 0; round < 10; round += 1) {
    const { id } = (await submit({ body: `round ${round}` }, learner, paper)).body;
    const late = [
      () => grade(id, 40 + round),
      () => finalize({ include_awaiting: true }),
      () =>
        world
          .as(assistant)
          .put(`${here}/grades/${learner.id}/items/${lab.id}`, { score: round, reason: "On paper" }),
    ];
    const order = round % 2 ? late : late.toReversed();
    await Promise.all(order.map((ask) => ask()));
    const book = (await world.as(assistant).get(`${here}/gradebook`)).body.rows[0];
    // Every accepted grade is in the gradebook: the final grade includes it or is marked outdated.
    expect(book.final.final_score !== book.final_percent).toBe(book.final.is_outdated);
    await reopen();
  }
});

it("grades finalized during last completions are final once and complete each enrollment", async () => {
  const { submit, grade, finalize, here, teacher, learner, lab, paper } = await openLab(world);
  await world.as(teacher).put(`${here}/grading-scheme`, {});
  const ids: number[] = [];
  for (const item of [lab, paper]) ids.push((await submit({ body: "x" }, learner, item)).body.id);
  await grade(ids[0] ?? 0, 20);
  const all = () => finalize({ include_awaiting: true });
  const replies = await Promise.all([all(), grade(ids[1] ?? 0, 80), all(), all()]);
  const finalized = replies.map(({ body }) => body.finalized ?? 0).reduce((sum, one) => sum + one, 0);
  expect(finalized).toBe(1);
  const [stored] = await world.deps.db
    .select()
    .from(courseGrades)
    .where(eq(courseGrades.user_id, learner.id));
  const [enrollment] = (await world.as(learner).get("/enrollments/my-enrollments")).body;
  expect(enrollment.status).toBe(stored?.passed ? "COMPLETED" : "ACTIVE");
});
