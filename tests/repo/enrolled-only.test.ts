import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDryRun } from "../support/dry-run.ts";
import { makersOf } from "../support/makers.ts";
import { addressOf, bodyOf, type Operation, operations } from "../support/operations.ts";
import { allOr } from "../support/representatives.ts";
import type { UniversityFixture } from "../support/university.ts";
import type { World } from "../support/world.ts";

type Person = { id: number } | undefined;

/** Words in all content of the closed course and in its learner's activity. No clock shows 91 s. */
const held = /hush/;
const done = /\b91\.97\b|2001-02-0/;

let classmate: Person;

/** Closes the course to all but enrolled learners, and enrolls a classmate without activity. */
async function closeCourse(world: World, { courses, paths, learner }: UniversityFixture): Promise<void> {
  const make = makersOf(world);
  const moment = sql`timestamptz '2001-02-03 12:00Z'`;
  const theirs = sql`user_id = ${learner.id}`;
  classmate = await make.person();
  await make.enrollment(classmate.id, Number(paths["offering_id"]));
  for (const change of [
    sql`update courses set access = 'enrolled' where id = ${courses[0]?.id}`,
    sql`update content_items set data_json = data_json || '{"title": "hush", "show_answers": "hush"}' where course_id = ${courses[0]?.id}`,
    sql`update chat_messages set content = 'hush'`,
    sql`update cache_nodes set message = 'hush', chunks = '["hush"]'`,
    sql`update lab_submissions set body = 'hush', submitted_at = ${moment}`,
    sql`update announcements set body = 'hush'`,
    sql`update enrollments set enrolled_at = ${moment} where ${theirs}`,
    sql`update user_module_progress set progress_percent = 91.97, started_at = ${moment} where ${theirs}`,
    sql`update user_content_progress set progress_percent = 91.97, first_started_at = ${moment},
      last_interacted_at = ${moment} where ${theirs}`,
  ])
    await world.deps.db.execute(change);
}

const dryRun = openDryRun(closeCourse);

async function told(operation: Operation, person: Person): Promise<string> {
  const { paths, fields } = dryRun.university;
  const { method } = operation;
  const path = addressOf(operation, paths);
  const { status, headers, text } = await dryRun.ask(person, {
    method,
    path,
    body: bodyOf(operation, fields),
  });
  return JSON.stringify([status, [...headers], text]);
}

const member = (name: string): Person => dryRun.university.people.find((one) => one.name === name);

describe("of a course for enrolled learners", () => {
  it.each(operations)("$name shows a stranger nothing", async (operation) => {
    const student = member("student of the university");
    // In `npm test` anonymously only if no token is needed.
    const isForAll = operation.contract.access.kind !== "signed in";
    for (const person of allOr([undefined, student], () => (isForAll ? [undefined, student] : [student]))) {
      const text = await told(operation, person);
      expect(text).not.toMatch(held);
      expect(text).not.toMatch(done);
    }
  });

  it("the tutor chats with no one else", async () => {
    const { status, body } = await dryRun.ask(member("student of the university"), {
      method: "POST",
      path: "/chat/sessions",
      body: { content_item_id: dryRun.university.paths["content_item_id"] },
    });
    expect([status, body.detail]).toEqual([403, "Enrollment required"]);
  });

  it("its learners see it", async () => {
    const { paths } = dryRun.university;
    const item = { method: "GET", path: `/content/${paths["content_item_id"]}` };
    expect((await dryRun.ask(classmate, item)).text).toMatch(held);
    expect((await dryRun.ask(member("ta of the university"), item)).text).toMatch(held);
  });
});

describe("a learner's results", () => {
  const reads = operations.filter(({ method }) => method === "GET");

  it.each(reads)("is nothing that a classmate reads in $name", async (operation) => {
    expect(await told(operation, classmate)).not.toMatch(done);
  });

  it("is read by the learner, and by staff", async () => {
    const { paths, learner } = dryRun.university;
    const roster = `/courses/${paths["course_id"]}/offerings/${paths["offering_id"]}/enrollments`;
    for (const [person, path] of [
      [learner, "/progress/content/my-progress"],
      [member("ta of the university"), roster],
    ] as const)
      expect((await dryRun.ask(person, { method: "GET", path })).text).toMatch(done);
  });
});
