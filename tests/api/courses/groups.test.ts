import { and, eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { auditEvents } from "../../../schema/db/identity/audit.ts";
import type { Person } from "../../support/client.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

let opened: Awaited<ReturnType<typeof openLab>>;
let groups: string;
let number = 0;

beforeAll(async () => {
  world.setNow("2026-03-02T09:00:00Z");
  opened = await openLab(world, { due_at: "2026-03-01T22:00:00Z" });
  groups = `/offerings/${opened.offering.id}/groups`;
});

const staff = () => world.as(opened.teacher);
const open = async (fields: object = {}) => {
  number += 1;
  const made = await staff().post(groups, { name: `Team ${number}`, self_enrollment: true, ...fields });
  expect(made.status).toBe(201);
  return made.body;
};
const enrolled = async () => {
  const person = await make.person();
  await make.enrollment(person.id, opened.offering.id);
  return person;
};
const join = (group: number, person: Person) =>
  world.as(person).put(`${groups}/${group}/membership`, undefined);
const leave = (group: number, person: Person) => world.as(person).delete(`${groups}/${group}/membership`);
const put = (group: number, person: { id: number }, body: object = {}) =>
  staff().put(`${groups}/${group}/members/${person.id}`, body);

describe("a group", () => {
  it("is created, changed and deleted by staff, and audited", async () => {
    const made = await open({ name: "Lab pair", capacity: 2, self_enrollment: true });
    expect(made).toMatchObject({ name: "Lab pair", capacity: 2, member_count: 0, own_role: null });
    const taken = await staff().post(groups, { name: "Lab pair" });
    expect([taken.status, taken.body.detail]).toEqual([400, "Group name 'Lab pair' is already taken"]);
    const changed = await staff().put(`${groups}/${made.id}`, { name: "Pair of the lab" });
    expect(changed.body).toMatchObject({ name: "Pair of the lab", capacity: 2, self_enrollment: true });
    const name = "Pair of the lab";
    for (const [given, present] of [
      [{}, { name, capacity: 2, self_enrollment: true }],
      [{ capacity: null }, { name, capacity: null, self_enrollment: true }],
      [{ self_enrollment: false }, { name, capacity: null, self_enrollment: false }],
      [{ capacity: 3 }, { name, capacity: 3, self_enrollment: false }],
    ])
      expect((await staff().put(`${groups}/${made.id}`, given)).body).toMatchObject(present as object);
    expect((await staff().delete(`${groups}/${made.id}`)).status).toBe(204);
    expect((await staff().delete(`${groups}/${made.id}`)).status).toBe(404);
    const told = await world.deps.db
      .select({ action: auditEvents.action })
      .from(auditEvents)
      .where(and(eq(auditEvents.actor_id, opened.teacher.id)));
    const actions = told.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["group.created", "group.changed", "group.deleted"]));
  });

  it("is visible to participants, its members to staff only, and a 404 to others", async () => {
    const { learner } = opened;
    const group = await open();
    expect((await join(group.id, learner)).status).toBe(204);
    const seen = await world.as(learner).get(groups);
    expect(seen.body.find(({ id }: { id: number }) => id === group.id)).toMatchObject({
      member_count: 1,
      own_role: "MEMBER",
    });
    const people = await staff().get(`${groups}/${group.id}/members`);
    expect(people.body).toMatchObject([{ user_id: learner.id, role: "MEMBER", has_place: true }]);
    const stranger = await make.person();
    for (const [person, method, path, status] of [
      [learner, "get", `${groups}/${group.id}/members`, 403],
      [learner, "get", `${groups}/${group.id}/dates`, 403],
      [learner, "delete", `${groups}/${group.id}`, 403],
      [stranger, "get", groups, 403],
      [stranger, "delete", `${groups}/${group.id}/membership`, 403],
      [opened.teacher, "get", `${groups}/999999/members`, 404],
      [opened.teacher, "get", "/offerings/999999/groups", 404],
      [opened.teacher, "delete", `${groups}/${group.id}/members/${stranger.id}`, 404],
    ] as const)
      expect([path, (await world.as(person)[method](path)).status]).toEqual([path, status]);
    for (const [body, status] of [
      [{ name: "" }, 422],
      [{ name: "x", capacity: 0 }, 422],
      [{}, 422],
    ] as const)
      expect((await staff().post(groups, body)).status).toBe(status);
  });

  it("takes people with a seat as members and staff as its staff, can be left, and can be closed to joining", async () => {
    const [person, stranger, group] = [await enrolled(), await make.person(), await open()];
    expect((await put(group.id, stranger)).body.detail).toBe(
      `Member user_id '${stranger.id}' is not enrolled in this offering`,
    );
    expect((await put(group.id, person, { role: "STAFF" })).body.detail).toBe(
      `Member user_id '${person.id}' is not staff of this offering`,
    );
    expect((await put(group.id, opened.teacher, { role: "staff" })).status).toBe(204);
    expect((await put(group.id, opened.teacher)).status).toBe(204);
    expect((await staff().get(`${groups}/${group.id}/members`)).body).toMatchObject([
      { user_id: opened.teacher.id, role: "STAFF" },
    ]);
    expect((await join(group.id, person)).status).toBe(204);
    expect((await join(group.id, person)).status).toBe(204);
    expect((await leave(group.id, person)).status).toBe(204);
    expect((await leave(group.id, person)).status).toBe(204);
    await staff().put(`${groups}/${group.id}`, { name: `Closed ${group.id}`, self_enrollment: false });
    expect((await join(group.id, person)).body.detail).toBe(
      "Learners cannot join or leave this group themselves",
    );
    expect((await put(group.id, person)).status).toBe(204);
    expect((await leave(group.id, person)).status).toBe(400);
    expect((await staff().delete(`${groups}/${group.id}/members/${person.id}`)).status).toBe(204);
  });

  it("gives its last seat to one of several concurrent people, and a freed seat to the next", async () => {
    const group = await open({ capacity: 1 });
    const people = await Promise.all([enrolled(), enrolled(), enrolled(), enrolled()]);
    const replies = await Promise.all(people.map((person) => join(group.id, person)));
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 400, 400, 400]);
    expect(replies.find(({ status }) => status === 400)?.body.detail).toBe("Group is full");
    const winner = people[replies.findIndex(({ status }) => status === 204)];
    const other = people[replies.findIndex(({ status }) => status === 400)];
    if (!winner || !other) throw new Error("nobody won");
    expect((await put(group.id, other)).status).toBe(400);
    await leave(group.id, winner);
    expect((await join(group.id, other)).status).toBe(204);
  });

  it("narrows the roster, the gradebook, submissions, threads and announcements to its people", async () => {
    const { learner, teacher, offering, course, lab } = opened;
    const [other, group] = [await enrolled(), await open()];
    await put(group.id, learner);
    await put(group.id, teacher, { role: "STAFF" });
    await opened.submit({ body: "from the group" });
    const work = `/assessments/offerings/${offering.id}/assignments/${lab.id}/submissions`;
    await world.as(other).post(work, { body: "from elsewhere" });
    for (const person of [learner, other])
      await world
        .as(person)
        .post(`/community/offerings/${offering.id}/threads`, { title: "A word", body: "Hello" });
    await staff().post(`/community/offerings/${offering.id}/announcements`, {
      title: "To all",
      body: "Hello",
    });
    const only = `?group_id=${group.id}`;
    const ids = (rows: Record<string, unknown>[], key = "user_id") => [
      ...new Set(rows.map((row) => row[key])),
    ];
    const roster = await staff().get(`/courses/${course.id}/offerings/${offering.id}/enrollments${only}`);
    expect(ids(roster.body)).toEqual([learner.id]);
    const byProgress = `/courses/${course.id}/offerings/${offering.id}/enrollments${only}&sort=progress_percent`;
    expect(ids((await staff().get(byProgress)).body)).toEqual([learner.id]);
    const book = (await staff().get(`/assessments/offerings/${offering.id}/gradebook${only}`)).body;
    expect([ids(book.rows), book.total]).toEqual([[learner.id], 1]);
    const queue = await staff().get(`/assessments/offerings/${offering.id}/submissions${only}`);
    expect(ids(queue.body)).toEqual([learner.id]);
    const threads = `/community/offerings/${offering.id}/threads${only}`;
    expect(ids((await staff().get(threads)).body, "created_by_user_id")).toEqual([learner.id]);
    expect((await world.as(learner).get(threads)).body).toHaveLength(1);
    expect((await world.as(other).get(threads)).body).toEqual([]);
    const said = `/community/offerings/${offering.id}/announcements${only}`;
    expect(ids((await staff().get(said)).body, "created_by_user_id")).toEqual([teacher.id]);
    expect((await staff().get(`/assessments/offerings/${offering.id}/gradebook?group_id=x`)).status).toBe(
      422,
    );
    const elsewhere = await openLab(world, {});
    const foreign = await world
      .as(elsewhere.teacher)
      .get(`/assessments/offerings/${elsewhere.offering.id}/gradebook${only}`);
    expect(foreign.body.rows).toEqual([]);
  });
});

describe("the dates of a group", () => {
  it("apply to its members, also to later ones, whose work is then no longer late", async () => {
    const { learner, lab, course, offering } = opened;
    const group = await open();
    const due = "2026-03-20T22:00:00.000Z";
    const set = await staff().put(`${groups}/${group.id}/dates`, {
      dates: [{ content_item_id: lab.id, due_at: due }],
    });
    expect(set.status).toBe(200);
    const line = (body: { content_item_id: number | null }[]) =>
      body.find(({ content_item_id }) => content_item_id === lab.id);
    expect(line(set.body)).toMatchObject({
      due_at: due,
      own: { due_at: due },
      course: { due_at: "2026-03-01T22:00:00.000Z" },
    });
    expect((await staff().get(`${groups}/${group.id}/dates`)).body).toEqual(set.body);
    const plain = await staff().get(`/courses/${course.id}/offerings/${offering.id}/dates`);
    expect(line(plain.body)).toMatchObject({ due_at: "2026-03-01T22:00:00.000Z", own: {} });
    const work = (await opened.submit({ body: "late" })).body.id;
    const late = async () => (await opened.read(work)).body.is_late;
    expect(await late()).toBe(true);
    // Staff grant a later date, which no learner needs for submitted work.
    expect((await join(group.id, learner)).status).toBe(204);
    expect(await late()).toBe(true);
    const member = `${groups}/${group.id}/members/${learner.id}`;
    expect((await staff().delete(member)).status).toBe(204);
    expect(await late()).toBe(true);
    expect((await staff().put(member, {})).status).toBeLessThan(300);
    expect(await late()).toBe(false);
    for (const [body, status] of [
      [{ dates: [{ content_item_id: 999_999, due_at: due }] }, 400],
      [{ dates: [] }, 422],
    ] as const)
      expect((await staff().put(`${groups}/${group.id}/dates`, body)).status).toBe(status);
    expect((await staff().get(`${groups}/999999/dates`)).status).toBe(404);
    expect(
      (await world.as(learner).put(`${groups}/${group.id}/dates`, { dates: [{ content_item_id: lab.id }] }))
        .status,
    ).toBe(403);
  });
});

describe("an exam of a group that learners may join", () => {
  const opens = "2026-03-10T08:00:00.000Z";
  const early = "2026-03-05T08:00:00.000Z";
  const refused = { status: 400, body: { detail: expect.stringContaining("cannot open an exam earlier") } };

  /** An exam that opens on the 10th in the offering. */
  async function exam() {
    const { module, university, course, offering } = opened;
    const data_json = { quiz_mode: "exam" };
    const { id } = await make.contentItem(module, university.id, { type: "quiz", data_json });
    const run = `/courses/${course.id}/offerings/${offering.id}/dates`;
    const inOffering = (available_from?: string) =>
      staff().put(run, { dates: [{ content_item_id: id, ...(available_from && { available_from }) }] });
    expect((await inOffering(opens)).status).toBe(200);
    const inGroup = (group: number, available_from: string | null) =>
      staff().put(`${groups}/${group}/dates`, { dates: [{ content_item_id: id, available_from }] });
    const ofModule = (group: number, available_from: string) =>
      staff().put(`${groups}/${group}/dates`, { dates: [{ module_id: module.id, available_from }] });
    return { id, inOffering, inGroup, ofModule };
  }

  it("cannot open earlier than in the offering, also by a null date, but later", async () => {
    const { inGroup, ofModule } = await exam();
    const group = await open();
    for (const date of [early, null]) expect(await inGroup(group.id, date)).toMatchObject(refused);
    expect((await staff().get(`${groups}/${group.id}/dates`)).text).not.toContain("2026-03-05");
    expect((await inGroup(group.id, opens)).status).toBe(200);
    expect((await inGroup(group.id, "2026-03-12T08:00:00Z")).status).toBe(200);
    // A module's date alone does not open the exam.
    expect((await ofModule(group.id, early)).status).toBe(200);
  });

  it("opens earlier for a group of staff's, which cannot be opened to learners then", async () => {
    const { inGroup } = await exam();
    const group = await open({ self_enrollment: false });
    expect((await inGroup(group.id, early)).status).toBe(200);
    const change = { name: group.name, self_enrollment: true };
    expect(await staff().put(`${groups}/${group.id}`, change)).toMatchObject(refused);
    expect((await inGroup(group.id, opens)).status).toBe(200);
    expect((await staff().put(`${groups}/${group.id}`, change)).status).toBe(200);
  });

  it("cannot be moved behind the group's date by the offering", async () => {
    const { inOffering, inGroup } = await exam();
    const group = await open();
    expect((await inGroup(group.id, opens)).status).toBe(200);
    expect(await inOffering("2026-03-11T08:00:00.000Z")).toMatchObject(refused);
    const { course, offering } = opened;
    const move = `/courses/${course.id}/offerings/${offering.id}/dates/move`;
    expect(await staff().post(move, { shift_days: 7 })).toMatchObject(refused);
  });

  it("is not opened by joining, where the course made a quiz an exam since", async () => {
    const { module, university } = opened;
    const quiz = await make.contentItem(module, university.id, {
      type: "quiz",
      data_json: { quiz_mode: "practice" },
      available_from: opens,
    });
    const group = await open();
    const dates = [{ content_item_id: quiz.id, available_from: early }];
    expect((await staff().put(`${groups}/${group.id}/dates`, { dates })).status).toBe(200);
    const [first, second] = [await enrolled(), await enrolled()];
    expect((await join(group.id, first)).status).toBe(204);
    await world.deps.db.execute(
      sql`update content_items set data_json = '{"quiz_mode": "exam"}' where id = ${quiz.id}`,
    );
    expect(await join(group.id, second)).toMatchObject(refused);
    expect((await put(group.id, second)).status).toBe(204);
  });
});
