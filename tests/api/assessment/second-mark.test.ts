import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Person } from "../../support/client.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const now = () => world.setNow("2026-03-10T12:00:00.000Z");
beforeEach(now);

let lab: Awaited<ReturnType<typeof openLab>>;

beforeAll(async () => {
  now();
  lab = await openLab(world, { second_mark: true });
});

/** Each test has the work of another learner. */
async function handedIn() {
  const owner = await make.person();
  await make.enrollment(owner.id, lab.offering.id);
  const { body } = await lab.submit({ body: "We measured it" }, owner);
  return { id: body.id as number, owner };
}

const agree = (id: number, score_obtained: number, person: Person) =>
  world.as(person).put(`/assessments/submissions/${id}/agreed-grade`, { score_obtained });
const seen = async (id: number, person: Person) =>
  (await world.as(person).get(`/assessments/submissions/${id}`)).body;
const codeOf = (reply: { status: number; headers: Headers }) => [
  reply.status,
  reply.headers.get("x-error-code"),
];

describe("work that two people mark", () => {
  it("has no grade and shows no mark to a grader who has not given theirs", async () => {
    const { assistant, other, teacher } = lab;
    const { id, owner } = await handedIn();
    await lab.claim(id);
    const first = await lab.grade(id, 12, assistant, { feedback: "Units" });
    expect(first.body).toMatchObject({
      claimed_by_user_id: null,
      status: "submitted",
      score_obtained: null,
      instructor_feedback: null,
    });
    expect(first.body.marks).toMatchObject({
      given: 1,
      is_own_given: true,
      shown: [{ score: 12, feedback: "Units" }],
    });
    for (const one of [other, teacher])
      expect((await seen(id, one)).marks).toEqual({ given: 1, is_own_given: false, shown: [] });
    expect(await seen(id, owner)).toMatchObject({ marks: null, score_obtained: null, status: "submitted" });
    const { body } = await world.as(other).get(`${lab.here}/submissions?user_id=${owner.id}`);
    expect(body[0].marks).toEqual({ given: 1, is_own_given: false });
    for (const [one, marked] of [
      [assistant, true],
      [other, false],
    ] as const) {
      const found = await world.as(one).get(`${lab.here}/submissions?user_id=${owner.id}&marked=${marked}`);
      expect(found.body).toHaveLength(1);
    }
    const { body: changes } = await world.as(other).get(`${lab.here}/grade-changes?user_id=${owner.id}`);
    expect(changes).toEqual([]);
  });

  it("is graded if both are equal, with both texts", async () => {
    const { assistant, other } = lab;
    const { id } = await handedIn();
    await lab.grade(id, 11, assistant, { feedback: "Units" });
    await lab.grade(id, 14, assistant, { feedback: "Units!" });
    const { body } = await lab.grade(id, 14, other, { feedback: "Fine" });
    expect(body).toMatchObject({
      status: "graded",
      score_obtained: 14,
      instructor_feedback: "Units!\n\nFine",
    });
    expect(body.marks).toMatchObject({ given: 2, is_own_given: true, shown: [{ score: 14 }, { score: 14 }] });
  });

  it("is graded by either marker or an instructor, once both marks exist and differ", async () => {
    const { assistant, other, teacher } = lab;
    const third = await make.holder("ta", lab.university.id);
    for (const one of [assistant, other, teacher]) {
      const { id, owner } = await handedIn();
      expect(codeOf(await agree(id, 9, one))).toEqual([400, "marks_missing"]);
      await lab.grade(id, 8, assistant);
      expect(codeOf(await agree(id, 9, assistant))).toEqual([400, "marks_missing"]);
      expect((await lab.grade(id, 12, other)).body).toMatchObject({
        status: "submitted",
        score_obtained: null,
      });
      expect((await seen(id, assistant)).marks.shown).toMatchObject([
        { grader_id: assistant.id, score: 8 },
        { grader_id: other.id, score: 12 },
      ]);
      expect(codeOf(await lab.grade(id, 10, third))).toEqual([400, "two_marks_given"]);
      expect(codeOf(await lab.grade(id, 12, assistant))).toEqual([400, "two_marks_given"]);
      expect(codeOf(await agree(id, 10, third))).toEqual([403, "marks_of_others"]);
      expect(codeOf(await agree(id, 10, owner))[0]).toBe(403);
      expect((await agree(id, 21, one)).status).toBe(400);
      expect((await agree(id, 10, one)).body).toMatchObject({ status: "graded", score_obtained: 10 });
      expect((await agree(id, 11, one)).body).toMatchObject({ status: "graded", score_obtained: 11 });
      const { body } = await world.as(one).get(`${lab.here}/grade-changes?user_id=${owner.id}`);
      expect(body.map((change: { changed_by_user_id: number }) => change.changed_by_user_id)).toEqual([
        one.id,
        one.id,
      ]);
    }
  });

  it("gets no score past the marks, no release and no final grade before they are agreed upon", async () => {
    const { assistant, other, teacher } = lab;
    const { id, owner } = await handedIn();
    const set = (is_excused = false) =>
      world.as(assistant).put(`${lab.here}/grades/${owner.id}/items/${lab.lab.id}`, {
        ...(is_excused ? { is_excused } : { score: 20 }),
        reason: "x",
      });
    expect(codeOf(await set())).toEqual([400, "marks_not_agreed"]);
    await lab.grade(id, 8, assistant);
    await lab.grade(id, 12, other);
    const release = () => lab.release({ content_item_ids: [lab.lab.id] });
    expect(codeOf(await release())).toEqual([400, "marks_not_agreed"]);
    const { body } = await lab.finalize({ user_ids: [owner.id] });
    expect(body).toMatchObject({ finalized: 0, people: [{ user_id: owner.id, items: [lab.lab.id] }] });
    await agree(id, 10, teacher);
    // Some work of the others has one mark.
    expect(codeOf(await release())).toEqual([400, "marks_not_agreed"]);
    expect((await lab.release({ content_item_ids: [lab.paper.id] })).status).toBe(200);
    expect((await set()).status).toBe(200);
  });

  it("accepts files with the agreed grade only", async () => {
    const { id } = await handedIn();
    const more = { feedback_file_ids: [1] };
    expect(codeOf(await lab.grade(id, 8, lab.assistant, more))).toEqual([400, "mark_without_files"]);
  });

  it("has two marks of two people, also if they grade concurrently", async () => {
    const third = await make.holder("ta", lab.university.id);
    const { assistant, other } = lab;
    for (const round of [0, 1, 2, 3]) {
      const { id } = await handedIn();
      const graders = [assistant, assistant, other, other, third];
      const acts = graders.map((one, at) => () => lab.grade(id, at + 1, one));
      const replies = await Promise.all((round % 2 ? acts : acts.toReversed()).map((act) => act()));
      expect(new Set(replies.map(codeOf).map(String))).toEqual(new Set(["200,", "400,two_marks_given"]));
      const { marks } = await seen(id, lab.teacher);
      expect(marks.given).toBe(2);
      expect(new Set(marks.shown.map((one: { grader_id: number }) => one.grader_id)).size).toBe(2);
    }
  });

  it("keeps an earlier grade, and is graded by one person once the item no longer requires two", async () => {
    const plain = await openLab(world);
    const says = (data: object) =>
      world
        .as(plain.teacher)
        .put(`/content/${plain.lab.id}`, { data_json: { grading: { max_points: 20 }, ...data } });
    const { id } = (await plain.submit({ body: "Before" })).body;
    await plain.grade(id, 9);
    await says({ second_mark: true });
    expect((await plain.read(id, plain.other)).body).toMatchObject({ score_obtained: 9, marks: null });
    expect((await plain.grade(id, 10, plain.other)).body).toMatchObject({
      score_obtained: 10,
      status: "graded",
    });
    const next = (await plain.submit({ body: "After" })).body;
    expect((await plain.grade(next.id, 9)).body).toMatchObject({ status: "submitted", marks: { given: 1 } });
    await says({});
    expect((await plain.grade(next.id, 12, plain.other)).body).toMatchObject({
      status: "graded",
      score_obtained: 12,
    });
  });

  it("is marked for all of a group, and its marks are scaled with the points of the item", async () => {
    const group = await openLab(world, { second_mark: true, group_submission: true, anonymous: true });
    const mate = await make.person();
    await make.enrollment(mate.id, group.offering.id);
    const groups = `/offerings/${group.offering.id}/groups`;
    const team = await world.as(group.teacher).post(groups, { name: "Two" });
    for (const one of [group.learner, mate])
      await world.as(group.teacher).put(`${groups}/${team.body.id}/members/${one.id}`, {});
    const { id } = (await group.submit({ body: "Ours" })).body;
    await group.grade(id, 10);
    const data_json = {
      grading: { max_points: 40 },
      second_mark: true,
      group_submission: true,
      anonymous: true,
    };
    const unsaid = await world.as(group.teacher).put(`/content/${group.lab.id}`, { data_json });
    expect(codeOf(unsaid)).toEqual([400, "rescale_required"]);
    await world.as(group.teacher).put(`/content/${group.lab.id}`, { data_json, rescale: true });
    await group.grade(id, 20, group.other);
    const { body } = await world.as(group.other).get(`${group.here}/submissions`);
    const both = { status: "graded", score_obtained: 20, max_score: 40, user_id: null };
    expect(body).toMatchObject([both, both]);
  });
});
