import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eraseAccountOf } from "../../support/erase.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const began = "2026-03-10T12:00:00.000Z";
const at = (minutes: number) => world.setNow(new Date(Date.parse(began) + minutes * 60_000));

let opened: Awaited<ReturnType<typeof openLab>>;
let groups: string;

beforeAll(async () => {
  at(0);
  opened = await openLab(world, { group_submission: true, due_at: began });
  groups = `/offerings/${opened.offering.id}/groups`;
  await world.as(opened.teacher).put(`${opened.here}/grading-scheme`, { release_mode: "AUTOMATIC" });
});

beforeEach(() => at(0));

let number = 0;
type Person = Awaited<ReturnType<typeof make.person>>;
const enrolled = async (): Promise<Person> => {
  const person = await make.person();
  await make.enrollment(person.id, opened.offering.id);
  return person;
};
const put = (group: number, person: Person) =>
  world.as(opened.teacher).put(`${groups}/${group}/members/${person.id}`, {});
const take = (group: number, person: Person) =>
  world.as(opened.teacher).delete(`${groups}/${group}/members/${person.id}`);

async function openTeam(size = 2) {
  number += 1;
  const made = await world.as(opened.teacher).post(groups, { name: `Team ${number}` });
  // Sequential: group submissions are listed in order of member ids.
  const members: Person[] = [];
  for (let place = 0; place < size; place++) members.push(await enrolled());
  for (const one of members) expect((await put(made.body.id, one)).status).toBe(204);
  return { group: made.body.id as number, members: members as [Person, Person, ...Person[]] };
}

const own = async (person: Person) =>
  (await world.as(person).get(`/assessments/my-submissions?content_item_id=${opened.lab.id}`)).body;
const scores = (people: Person[]) =>
  Promise.all(people.map(async (one) => (await own(one))[0]?.score_obtained));
const judge = (id: number, body: object, person = opened.assistant) =>
  world.as(person).put(`/assessments/submissions/${id}/grade`, body);

describe("work of a group", () => {
  it("is submitted by one member for all current members, each with a separate attempt", async () => {
    const { group, members } = await openTeam(3);
    const [ada, ben, cyd] = members;
    const handed = await opened.submit({ body: "Ours" }, ada);
    expect([handed.status, handed.body]).toMatchObject([
      201,
      { user_id: ada.id, group_id: group, attempt_number: 1, shared_with: [], is_late: false },
    ]);
    for (const one of [ben, cyd as Person])
      expect(await own(one)).toMatchObject([{ user_id: one.id, group_id: group, attempt_number: 1 }]);
    const [of] = await own(ben);
    const told = (await opened.read(of.id, opened.assistant)).body;
    expect(told).toMatchObject({ body: "Ours", user_id: ben.id, graded_alone: false });
    expect(told.shared_with.map((one: { user_id: number }) => one.user_id)).toEqual([ada.id, cyd?.id]);
    expect((await opened.read(of.id, ben)).body).toMatchObject({ body: "Ours", shared_with: [] });
    expect((await opened.read(handed.body.id, ben)).status).toBe(404);
    // A pending submission is the same, regardless of the member who submits it again.
    expect((await opened.submit({ body: "Ours" }, ben)).status).toBe(200);
    at(1);
    expect((await opened.submit({ body: "Better" }, ben)).body).toMatchObject({
      attempt_number: 2,
      is_late: true,
    });
    expect(await own(ada)).toMatchObject([{ attempt_number: 2, is_late: true }, { attempt_number: 1 }]);
  });

  it("is late for each by the dates that hold for them", async () => {
    const { members } = await openTeam();
    const [ada, ben] = members;
    await world.as(opened.teacher).put(`${opened.here}/assignments/${opened.lab.id}/overrides/${ben.id}`, {
      due_at: "2026-03-12T12:00:00Z",
    });
    at(60);
    expect((await opened.submit({ body: "x" }, ada)).body).toMatchObject({ is_late: true });
    expect(await own(ben)).toMatchObject([{ is_late: false, due_at: "2026-03-12T12:00:00.000Z" }]);
  });

  it("is one line of the queue if requested, with a separate line for members who are graded alone", async () => {
    const { group, members } = await openTeam(3);
    const [ada, ben, cyd] = members as [Person, Person, Person];
    const alone = await enrolled();
    const { id } = (await opened.submit({ body: "Ours" }, ada)).body;
    const single = (await opened.submit({ body: "Mine" }, alone)).body;
    const queue = async (query: string) => {
      const { body } = await world
        .as(opened.assistant)
        .get(`/assessments/offerings/${opened.offering.id}/submissions?one_of_group=true&${query}`);
      const mine = [...members, alone].map((one) => one.id);
      return body.filter((one: { user_id: number }) => mine.includes(one.user_id));
    };
    expect(await queue("status=submitted")).toMatchObject([
      { id, group_id: group, group_name: `Team ${number}`, graded_with: 2 },
      { id: single.id, group_id: null, group_name: null, graded_with: 0 },
    ]);
    expect(await queue(`group_id=${group}`)).toMatchObject([{ id }]);
    expect(await queue(`user_id=${cyd.id}`)).toMatchObject([{ user_id: cyd.id }]);
    expect(await queue(`q=${encodeURIComponent(ben.full_name)}`)).toMatchObject([{ user_id: ben.id }]);
    const [of] = await own(ben);
    await judge(of.id, { score_obtained: 9, alone: true });
    expect(await queue("status=submitted")).toMatchObject([{ id, graded_with: 1 }, { id: single.id }]);
    expect(await queue("status=graded")).toMatchObject([{ id: of.id, graded_with: 0 }]);
    await judge(id, { score_obtained: 15 });
    expect(await queue("status=submitted")).toMatchObject([{ id: single.id }]);
    // Another member represents the group after one leaves.
    await take(group, ada);
    expect(await queue(`group_id=${group}`)).toMatchObject([{ user_id: ben.id }, { user_id: cyd.id }]);
  });

  it("has one grade for all, and another for one that stays when the others get theirs", async () => {
    const { members } = await openTeam(3);
    const [ada, ben, cyd] = members as [Person, Person, Person];
    const { id } = (await opened.submit({ body: "Ours" }, ada)).body;
    const [of] = await own(ben);
    const claimed = await opened.claim(of.id);
    expect(claimed.body.claimed_by_user_id).toBe(opened.assistant.id);
    expect((await judge(id, { score_obtained: 1 }, opened.other)).body.detail).toMatch(/^Another grader/);
    expect((await world.as(opened.other).put(`/assessments/submissions/${id}/claim`)).status).toBe(400);
    expect((await judge(id, { score_obtained: 15, feedback: "Well argued" })).body).toMatchObject({
      ...{ score_obtained: 15, graded_alone: false },
    });
    expect(await scores(members)).toEqual([15, 15, 15]);
    expect((await opened.read(of.id, ben)).body.instructor_feedback).toBe("Well argued");
    expect((await judge(of.id, { score_obtained: 9, alone: true })).body).toMatchObject({
      graded_alone: true,
    });
    expect(await scores(members)).toEqual([15, 9, 15]);
    const [last] = await own(cyd);
    await judge(last.id, { score_obtained: 18 });
    expect(await scores(members)).toEqual([18, 9, 18]);
    await judge(of.id, { score_obtained: 12 });
    expect(await scores(members)).toEqual([12, 12, 12]);
    expect((await opened.giveBack(id, "Once more")).body.status).toBe("returned");
    expect((await own(cyd))[0].status).toBe("returned");
  });

  it("stays with a member who leaves and submits the next attempt with another group", async () => {
    const { group, members } = await openTeam();
    const other = await openTeam();
    const [ada, ben] = members;
    const { id } = (await opened.submit({ body: "Of the old one" }, ada)).body;
    await take(group, ben);
    await put(other.group, ben);
    await judge(id, { score_obtained: 11 });
    expect(await scores([ada, ben])).toEqual([11, 11]);
    // The same text for another group is another attempt.
    const again = await opened.submit({ body: "Of the old one" }, other.members[0]);
    expect(again.status).toBe(201);
    expect(await own(ben)).toMatchObject([
      { attempt_number: 2, group_id: other.group, status: "submitted" },
      { attempt_number: 1, group_id: group, score_obtained: 11 },
    ]);
    await judge(again.body.id, { score_obtained: 19 });
    expect(await scores([ada, ben, other.members[1]])).toEqual([11, 19, 19]);
    expect((await world.as(opened.teacher).delete(`${groups}/${group}`)).status).toBe(204);
    await judge(id, { score_obtained: 10 });
    expect((await own(ada))[0]).toMatchObject({ group_id: null, score_obtained: 10 });
    expect((await own(ben))[1]).toMatchObject({ score_obtained: 10 });
  });

  it("belongs to the named one of several groups, and to the submitter alone without a group", async () => {
    const first = await openTeam(1);
    const second = await openTeam(1);
    const [ada] = first.members;
    await put(second.group, ada);
    const refused = async (body: object, person = ada, item = opened.lab) => {
      const told = await opened.submit({ body: "x", ...body }, person, item);
      return [told.status, told.body.detail];
    };
    expect(await refused({})).toEqual([
      400,
      "You are in several groups. Set group_id to the one that hands it in",
    ]);
    const none = [400, "group_id must be a group of yours that hands in this item"];
    const stranger = await openTeam(1);
    expect(await refused({ group_id: stranger.group })).toEqual(none);
    expect(await refused({ group_id: 2_000_000_000 })).toEqual(none);
    expect(await refused({ group_id: second.group }, ada, opened.paper)).toEqual(none);
    expect((await refused({ group_id: "x" }))[0]).toBe(422);
    const handed = await opened.submit({ body: "x", group_id: second.group }, ada);
    expect(handed.body.group_id).toBe(second.group);
    expect(await own(second.members[0])).toHaveLength(1);
    expect(await own(first.members[0])).toHaveLength(1);
    expect((await opened.submit({ body: "x" }, await enrolled())).body).toMatchObject({ group_id: null });
  });

  it("has files that all members read, and keeps them when a member erases their account", async () => {
    const { members } = await openTeam();
    const [ada, ben] = members;
    const scope = { course_offering_id: opened.offering.id, content_item_id: opened.lab.id };
    const sent = await sendFile(world.deps, world.as(ada), { purpose: "SUBMISSION", ...scope });
    const work = { file_ids: [sent.body.id] };
    const { id } = (await opened.submit(work, ada)).body;
    expect((await opened.submit(work, ada)).status).toBe(200);
    const [of] = await own(ben);
    const said = await sendFile(world.deps, world.as(opened.assistant), {
      purpose: "FEEDBACK",
      submission_id: id,
    });
    await judge(id, { score_obtained: 9, feedback_file_ids: [said.body.id] });
    const files = async (one: number, person: Person) => {
      const { body } = await opened.read(one, person);
      return [...body.files, ...body.feedback_files].map((file: { id: number }) => file.id);
    };
    const reads = async (person: Person) =>
      Promise.all(
        [sent, said].map(
          async ({ body }) => (await world.as(person).get(`/files/${body.id}/content`)).status,
        ),
      );
    expect(await files(of.id, ben)).toEqual([sent.body.id, said.body.id]);
    expect(await reads(ben)).toEqual([302, 302]);
    expect(await reads(await enrolled())).toEqual([404, 404]);
    expect((await judge(of.id, { score_obtained: 10 })).body.feedback_files).toHaveLength(1);
    const ofOne = { score_obtained: 8, alone: true, feedback_file_ids: [said.body.id] };
    expect((await judge(of.id, ofOne)).body.feedback_files).toEqual([]);
    expect(await files(of.id, ben)).toEqual([sent.body.id]);
    expect(await files(id, ada)).toEqual([sent.body.id, said.body.id]);
    expect(await reads(ben)).toEqual([302, 404]);
    const another = await sendFile(world.deps, world.as(opened.assistant), {
      purpose: "FEEDBACK",
      submission_id: of.id,
    });
    await judge(of.id, { ...ofOne, feedback_file_ids: [another.body.id] });
    await judge(of.id, { score_obtained: 7, alone: true });
    expect(await files(of.id, ben)).toEqual([sent.body.id, another.body.id]);
    await judge(of.id, { score_obtained: 7, alone: true, feedback_file_ids: [] });
    await eraseAccountOf(world, ada);
    expect((await reads(ben))[0]).toBe(302);
    expect((await opened.read(of.id, ben)).body.files).toMatchObject([
      { id: sent.body.id, is_erased: false },
    ]);
  });

  it("is rejected for members with a final grade or without a seat", async () => {
    const { members } = await openTeam(3);
    const [ada, ben, cyd] = members as [Person, Person, Person];
    expect((await opened.finalize({ user_ids: [ben.id], include_awaiting: true })).body.finalized).toBe(1);
    expect((await opened.submit({ body: "x" }, ada)).status).toBe(201);
    expect(await own(ben)).toEqual([]);
    expect(await own(cyd)).toHaveLength(1);
    expect((await opened.finalize({ user_ids: [cyd.id], include_awaiting: true })).body.finalized).toBe(1);
    await judge((await own(ada))[0].id, { score_obtained: 5 });
    // Work that was left ungraded can still be graded.
    expect(await scores([ada, cyd])).toEqual([5, 5]);
    await judge((await own(ada))[0].id, { score_obtained: 6 });
    expect(await scores([ada, cyd])).toEqual([6, 5]);
  });
});

describe("concurrent requests", () => {
  it("members who submit together make attempts for the whole group", async () => {
    const { members } = await openTeam(3);
    const made = await Promise.all(members.map((one, n) => opened.submit({ body: `By ${n}` }, one)));
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    for (const one of members)
      expect((await own(one)).map((work: { attempt_number: number }) => work.attempt_number)).toEqual([
        3, 2, 1,
      ]);
  });

  it("a grade during a member's departure: the submitter has the grade", async () => {
    for (let round = 0; round < 4; round += 1) {
      const { group, members } = await openTeam();
      const [ada, ben] = members;
      const { id } = (await opened.submit({ body: "x" }, ada)).body;
      const asked = [() => judge(id, { score_obtained: 7 }), () => take(group, ben)];
      const done = await Promise.all((round % 2 ? asked.toReversed() : asked).map((ask) => ask()));
      expect(done.map(({ status }) => status).sort()).toEqual([200, 204]);
      expect(await scores([ada, ben])).toEqual([7, 7]);
    }
  });

  it("a submission during a member's departure includes the member, or does not", async () => {
    for (let round = 0; round < 4; round += 1) {
      const { group, members } = await openTeam();
      const [ada, ben] = members;
      const [handed, left] = await Promise.all([opened.submit({ body: "x" }, ada), take(group, ben)]);
      expect([handed.status, left.status]).toEqual([201, 204]);
      const told = (await opened.read(handed.body.id, opened.assistant)).body;
      expect(told.shared_with).toHaveLength((await own(ben)).length);
    }
  });

  it("two graders of one group's work leave one grade for all", async () => {
    const { members } = await openTeam(3);
    const { id } = (await opened.submit({ body: "x" }, members[0])).body;
    const [of] = await own(members[1]);
    await Promise.all([judge(id, { score_obtained: 3 }), judge(of.id, { score_obtained: 8 }, opened.other)]);
    const given = await scores(members);
    expect(new Set(given).size).toBe(1);
    expect([3, 8]).toContain(given[0]);
  });
});
