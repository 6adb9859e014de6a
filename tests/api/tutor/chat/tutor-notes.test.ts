import { eq, type SQL, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { contentItems } from "../../../../schema/db/courses/content-items.ts";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";
import { keepLeases, openSession } from "./support.ts";

const world = openWorld();
const make = makersOf(world);
keepLeases(world);

afterEach(() => world.llm.reset());

const secret = "xyzzy";
const notes = {
  notes: `The solution is ${secret} {{title}}\n--- end`,
  key_facts: [`fact ${secret}`],
  common_errors: [`error ${secret}`],
  never_say: [`never ${secret}`],
};

async function staffed() {
  const made = await make.topic();
  const holder = async (role: "instructor" | "ta" | "student") =>
    world.as(await make.holder(role, made.university.id));
  const [instructor, ta, student] = [await holder("instructor"), await holder("ta"), await holder("student")];
  return { ...made, instructor, ta, student, path: `/content/${made.item.id}/tutor-notes` };
}

/** Replaces the seeded prompt with one that includes the notes. */
async function promptWith(prompt: string) {
  const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
  const made = await admin.post("/prompts/", { name: "tutor", prompt, labels: ["production"] });
  expect(made.status).toBe(201);
}

const greet = async (client: Client, item: number) => {
  const session = await openSession(client, item);
  await session.say("Start.");
  return session;
};

const systems = () => world.llm.requests.map(({ system }) => system);

describe("notes for the tutor", () => {
  it("are read by a ta, written by an instructor, and a 404 for anyone else", async () => {
    const { instructor, ta, student, path, course, item } = await staffed();
    for (const at of [path, `/courses/${course.id}/tutor-notes`]) {
      expect((await ta.get(at)).body).toMatchObject({
        notes: "",
        key_facts: [],
        version: 0,
        updated_at: null,
      });
      expect((await ta.put(at, notes)).status).toBe(403);
      expect((await student.get(at)).status).toBe(403);
      const written = await instructor.put(at, notes);
      expect(written.body).toMatchObject({ ...notes, version: 1 });
      expect((await instructor.put(at, { notes: "Other" })).body).toMatchObject({ ...notes, notes: "Other" });
      expect((await ta.get(at)).body).toMatchObject({ notes: "Other", version: 2 });
    }
    const elsewhere = world.as(await make.holder("instructor", (await make.university()).id));
    expect((await elsewhere.get(path)).status).toBe(403);
    expect((await elsewhere.put(path, notes)).status).toBe(403);
    expect((await instructor.put(`/content/${item.id}`, { is_active: false })).status).toBe(200);
    expect((await elsewhere.put(path, notes)).status).toBe(404);
  });

  it("keep both of two concurrent changes", async () => {
    const { instructor, path } = await staffed();
    const first = { headers: { "if-match": '"0"' } };
    const both = await Promise.all([
      instructor.put(path, { notes: "One" }, first),
      instructor.put(path, { notes: "Two" }, first),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    const [written, refused] = both.sort((one, other) => one.status - other.status);
    expect(refused?.body.current).toEqual(written?.body);
  });

  it("are in the tutor's request only, as they were when the conversation began", async () => {
    const { instructor, student, path, item, course } = await staffed();
    await promptWith("Teach {{title}}.{{content}}\nNotes: {{tutor_notes}}\nCourse: {{course_notes}}");
    await instructor.put(path, notes);
    await instructor.put(`/courses/${course.id}/tutor-notes`, { notes: "Be brief." });
    await instructor.put(`/content/${item.id}`, { tutor_line: "Line {{title}} of the item" });
    await instructor.put(`/courses/${course.id}`, { tutor_line: "Line of the course" });
    const session = await greet(student, item.id);
    const [told] = systems();
    expect(told).toBe(
      `Teach "${item.title}".\nNotes: The solution is ${secret} {{title}}\n> --- end\n\nKey facts:\n- fact ${secret}\n\n` +
        `Common errors:\n- error ${secret}\n\nNever say:\n- never ${secret}\nCourse: Be brief.\n\n` +
        "The teachers of this course add:\nLine of the course\n\nOf this topic they add:\nLine {{title}} of the item",
    );
    await instructor.put(path, { notes: "Rewritten" });
    await session.say("A question of my own");
    expect(systems()[1]).toBe(told);
  });

  it("lead to another answer after a change, and to the former one after a change back", async () => {
    const { instructor, path, item } = await staffed();
    const calls = async () => {
      await greet(world.as(await make.person()), item.id);
      return world.llm.requests.length;
    };
    expect(await calls()).toBe(1);
    await instructor.put(path, notes);
    expect([await calls(), await calls()]).toEqual([2, 2]);
    await instructor.put(path, { notes: "", key_facts: [], common_errors: [], never_say: [] });
    expect(await calls()).toBe(2);
    await instructor.put(`/content/${item.id}`, { tutor_line: "Be brief." });
    expect(await calls()).toBe(3);
    const tree = await instructor.get(`/chat/topics/${item.id}/tree`);
    expect(tree.body.nodes.map((node: { is_live: boolean }) => node.is_live)).toEqual([false, false, true]);
  });

  it("are copied with the course, whose first learner is answered without a call", async () => {
    const { university, course, item, path } = await staffed();
    const admin = world.as(await make.holder("university_admin", university.id));
    await admin.put(path, notes);
    await admin.put(`/courses/${course.id}/tutor-notes`, notes);
    await admin.put(`/courses/${course.id}`, { tutor_line: "Be brief." });
    await greet(world.as(await make.person()), item.id);
    const copy = await admin.post(`/courses/${course.id}/copy`, { is_published: true });
    expect(copy.body.tutor_line).toBe("Be brief.");
    const [copied] = await world.deps.db
      .select({ id: contentItems.id })
      .from(contentItems)
      .where(eq(contentItems.course_id, copy.body.id));
    const itsNotes = await admin.get(`/content/${copied?.id}/tutor-notes`);
    expect(itsNotes.body).toMatchObject({ ...notes, version: 1 });
    await greet(world.as(await make.person()), copied?.id ?? 0);
    expect(world.llm.requests.length).toBe(1);
  });

  it("reach no learner: not by the item, the course, the session, a share or an export", async () => {
    const { instructor, student, path, item, course, module } = await staffed();
    await instructor.put(path, notes);
    await instructor.put(`/content/${item.id}`, { tutor_line: secret });
    await instructor.put(`/courses/${course.id}`, { tutor_line: secret });
    await instructor.put(`/courses/${course.id}/tutor-notes`, notes);
    const session = await greet(student, item.id);
    expect(systems()[0]).toContain(secret);
    const { share_url } = (await student.post(`/chat/sessions/${session.id}/share`)).body;
    const replies = await Promise.all(
      [
        `/content/${item.id}`,
        `/modules/${module.id}/content`,
        `/courses/${course.id}`,
        "/courses/",
        `/chat/sessions/${session.id}`,
        "/chat/sessions",
        share_url.replace("/api/v1", ""),
        `/chat/topics/${item.id}/tree`,
        path,
        "/users/me/export",
      ].map((at) => student.get(at)),
    );
    for (const { text } of replies) expect(text).not.toContain(secret);
    expect((await instructor.get("/users/me/export")).text).not.toContain(secret);
    expect(JSON.stringify(world.log)).not.toContain(secret);
    expect((await instructor.get(`/content/${item.id}`)).body.tutor_line).toBe(secret);
    expect((await instructor.get(`/courses/${course.id}`)).body.tutor_line).toBe(secret);
  });
});

describe("a practice quiz's tutor", () => {
  async function quiz(data_json: object = {}) {
    const made = await staffed();
    const { pool } = await make.questionPool(made.course);
    const data = { question_pool_id: pool.id, ...data_json };
    const item = await make.contentItem(made.module, made.university.id, { type: "quiz", data_json: data });
    const asked = async () => {
      const session = await greet(world.as(await make.person()), item.id);
      const { not_read } = await session.read();
      return { told: systems().at(-1) ?? "", not_read };
    };
    return { ...made, pool, quiz: item, asked };
  }

  it("knows the questions, with the keys if takers see them immediately", async () => {
    const { asked } = await quiz();
    const { told, not_read } = await asked();
    expect(told).toContain("1. One?\nA: Option A\nB: Option B\nC: Option C\nRight: B");
    expect(told).toContain("4. How many?\nRight: 9.8, ± 0.1");
    expect(not_read).toEqual([]);
  });

  it("does not know the keys if they are shown later, nor if the quiz has weight", async () => {
    const later = await quiz({ show_answers: "after_due" });
    const weighed = await quiz();
    const scheme = `/assessments/offerings/${weighed.offering.id}/grading-scheme`;
    expect((await weighed.instructor.put(scheme, {})).status).toBe(200);
    for (const { asked } of [later, weighed]) {
      const { told } = await asked();
      expect(told).toContain("1. One?\nA: Option A");
      expect(told).not.toContain("Right:");
    }
  });

  it("knows nothing of a pool with a question that an exam asks, as in a copy of its pool", async () => {
    const { asked, module, university, course } = await quiz();
    const { pool: copy, questions } = await make.questionPool(course);
    const data_json = { question_pool_id: copy.id, quiz_mode: "exam" };
    const exam = await make.contentItem(module, university.id, { type: "quiz", data_json });
    const hidden = await asked();
    expect(hidden.told).not.toContain("One?");
    const isHidden = async () => (await asked()).not_read.length === 1;
    const ask = (set: SQL) =>
      world.deps.db.execute(
        sql`update questions set ${set} where id = any (${sql.param(questions.map(({ id }) => id))}::int[])`,
      );
    expect(await isHidden()).toBe(true);
    await ask(sql`question_text = question_text || ' Or so?'`);
    expect(await isHidden()).toBe(false);
    await ask(sql`question_text = replace(question_text, ' Or so?', '')`);
    expect(await isHidden()).toBe(true);
    await world.deps.db.execute(sql`delete from content_items where id = ${exam.id}`);
    expect(await isHidden()).toBe(false);
  });

  it("knows nothing of a pool that an exam draws from", async () => {
    const { asked, pool, module, university } = await quiz();
    const data_json = { question_pool_id: pool.id, quiz_mode: "exam" };
    await make.contentItem(module, university.id, { type: "quiz", data_json });
    const { told, not_read } = await asked();
    expect(told).not.toContain("One?");
    expect(not_read).toMatchObject([{ kind: "POOL" }]);
  });
});
