import { sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import type { Client } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import { png, sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Opened = Awaited<ReturnType<typeof open>>;
let at: Opened;

/** A course with a lab and a text, learners, teachers, and files with the requested purposes. */
async function open() {
  const university = await make.university();
  const course = await make.course(university.id);
  const offering = await make.offering(course);
  const module = await make.module(course.id);
  const lab = await make.contentItem(module, university.id, {
    type: "engineering_lab",
    data_json: { grading: { max_points: 20 } },
  });
  const text = await make.contentItem(module, university.id, { type: "text", data_json: { blocks: [] } });
  const learners = await Promise.all([make.person(), make.person()]);
  for (const { id } of learners) await make.enrollment(id, offering.id);
  const [learner, classmate] = learners.map((one) => world.as(one)) as [Client, Client];
  const teacher = world.as(await make.holder("instructor", university.id));
  const stranger = world.as(await make.holder("instructor", (await make.university()).id));
  const work = `/assessments/offerings/${offering.id}/assignments/${lab.id}/submissions`;
  const scopes = {
    ASSET: { course_id: course.id },
    SUBMISSION: { course_offering_id: offering.id, content_item_id: lab.id },
    POST: { course_offering_id: offering.id },
    AVATAR: { name: "me.png", media_type: "image/png" },
  };
  const send = async (client: Client, purpose: keyof typeof scopes, scope: object = {}) => {
    const bytes = purpose === "AVATAR" ? png : undefined;
    const { body } = await sendFile(world.deps, client, { purpose, ...scopes[purpose], ...scope }, bytes);
    return body.id as number;
  };
  const readers = { nobody: world.as(), learner, classmate, teacher, stranger };
  return { university, course, offering, lab, text, ...readers, readers, work, send, learners };
}

beforeAll(async () => {
  at = await open();
});

/** People who can read it, equally by metadata, content and list of addresses. */
async function readersOf(id: number): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(at.readers).map(async ([name, client]) => {
      const content = await client.get(`/files/${id}/content`);
      const { body } = await client.post("/files/addresses", { ids: [id] });
      expect([content.status === 302, body.length === 1], name).toEqual(
        content.status === 302 ? [true, true] : [false, false],
      );
      return content.status === 302 ? [name] : [];
    }),
  );
  return found.flat();
}

it("work with files is read by its owner and its graders, and by no one before its submission", async () => {
  const id = await at.send(at.learner, "SUBMISSION");
  expect(await readersOf(id)).toEqual(["learner"]);
  const handed = await at.learner.post(at.work, { file_ids: [id] });
  expect([handed.status, handed.body.files]).toEqual([
    201,
    [expect.objectContaining({ id, name: "notes.txt", state: "READY", is_erased: false })],
  ]);
  expect(await readersOf(id)).toEqual(["learner", "teacher"]);
  const again = await at.learner.post(at.work, { file_ids: [id] });
  expect([again.status, again.body.id]).toEqual([200, handed.body.id]);
  const inUse = await at.learner.delete(`/files/${id}`);
  expect([inUse.status, inUse.body.detail]).toEqual([400, "File is still in use"]);

  const own = { purpose: "FEEDBACK", submission_id: handed.body.id };
  const { body: feedback } = await sendFile(world.deps, at.teacher, own);
  const graded = await at.teacher.put(`/assessments/submissions/${handed.body.id}/grade`, {
    score_obtained: 18,
    feedback_file_ids: [feedback.id],
  });
  expect(graded.body.feedback_files).toEqual([expect.objectContaining({ id: feedback.id })]);
  const isReleased =
    (await at.learner.get(`/assessments/submissions/${handed.body.id}`)).body.graded_at !== null;
  expect(await readersOf(feedback.id)).toEqual(isReleased ? ["learner", "teacher"] : ["teacher"]);
});

it("a list of files names each file once", async () => {
  const id = await at.send(at.learner, "SUBMISSION");
  const twice = await at.learner.post(at.work, { file_ids: [id, id] });
  expect([twice.status, twice.body.detail]).toMatchObject([422, [{ loc: ["body", "file_ids"] }]]);
});

it("a file for work needs a learner of the item, and for an item without work it is a 422", async () => {
  const promised = async (client: Client, content_item_id: number) => {
    const file = { purpose: "SUBMISSION", name: "a.txt", media_type: "text/plain", size: 1 };
    const reply = await client.post("/files/", {
      ...file,
      course_offering_id: at.offering.id,
      content_item_id,
    });
    return reply.status;
  };
  expect(await promised(at.learner, at.lab.id)).toBe(201);
  expect(await promised(at.teacher, at.lab.id)).toBe(403);
  expect(await promised(at.learner, at.text.id)).toBe(422);
});

it("only its uploader uses a file, for its purpose and scope, and in one place", async () => {
  const another = await at.send(at.classmate, "SUBMISSION");
  const post = await at.send(at.learner, "POST");
  const elsewhere = await make.contentItem(
    { id: at.lab.module_id, course_id: at.course.id } as never,
    at.university.id,
    { type: "assignment", data_json: {} },
  );
  const misplaced = await at.send(at.learner, "SUBMISSION", { content_item_id: elsewhere.id });
  const pending = (
    await at.learner.post("/files/", {
      ...{ purpose: "SUBMISSION", name: "a", media_type: "text/plain", size: 1 },
      ...{ course_offering_id: at.offering.id, content_item_id: at.lab.id },
    })
  ).body.id;
  for (const id of [another, post, misplaced, pending, 999_999_999]) {
    const { status, body } = await at.learner.post(at.work, { body: `try ${id}`, file_ids: [id] });
    expect([status, body.detail]).toEqual([400, `File ${id} does not exist`]);
  }
  const once = await at.send(at.learner, "SUBMISSION");
  const answers = await Promise.all(
    ["one", "another"].map((body) => at.learner.post(at.work, { body, file_ids: [once] })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
});

it("a post's files are read by the readers of its thread while the post exists", async () => {
  const id = await at.send(at.learner, "POST");
  const threads = `/community/offerings/${at.offering.id}/threads`;
  const { body: thread } = await at.learner.post(threads, { title: "Beats", body: "Why?", file_ids: [id] });
  const { body: page } = await at.classmate.get(`/community/threads/${thread.id}/posts`);
  expect(page.posts[0].files).toEqual([expect.objectContaining({ id })]);
  expect(await readersOf(id)).toEqual(["learner", "classmate", "teacher"]);
  const second = await at.send(at.learner, "POST");
  const { body: post } = await at.learner.post(`/community/threads/${thread.id}/posts`, {
    body: "Look",
    file_ids: [second],
  });
  expect(post.files).toHaveLength(1);
  const changed = await at.learner.put(`/community/posts/${post.id}`, { body: "Gone", file_ids: [] });
  expect(changed.body.files).toEqual([]);
  expect(await readersOf(second)).toEqual(["learner"]);
  const foreign = await at.send(at.classmate, "POST");
  const refused = await at.learner.post(threads, { body: "Theirs", file_ids: [foreign] });
  expect([refused.status, refused.body.detail]).toEqual([400, `File ${foreign} does not exist`]);
  await at.learner.delete(`/community/posts/${page.posts[0].id}`);
  expect(await readersOf(id)).toEqual([]);
});

it("a file that an item shows is read by readers of the item; a lab's hidden one by staff only", async () => {
  const shown = await at.send(at.teacher, "ASSET");
  expect(await readersOf(shown)).toEqual(["teacher"]);
  const blocks = [{ type: "image", file_id: shown }];
  const put = await at.teacher.put(`/content/${at.text.id}`, { data_json: { blocks } });
  expect(put.status).toBe(200);
  expect(await readersOf(shown)).toEqual(["nobody", "learner", "classmate", "teacher", "stranger"]);
  await at.teacher.put(`/content/${at.text.id}`, { is_active: false });
  expect(await readersOf(shown)).toEqual(["teacher"]);
  await at.teacher.put(`/content/${at.text.id}`, { is_active: true });

  const [open, hidden] = [await at.send(at.teacher, "ASSET"), await at.send(at.teacher, "ASSET")];
  const files = [
    { path: "start.py", role: "student_visible", file_id: open },
    { path: "test.py", role: "hidden_test", file_id: hidden },
  ];
  await at.teacher.put(`/content/${at.lab.id}`, { data_json: { grading: { max_points: 20 }, files } });
  expect(await readersOf(open)).toContain("learner");
  expect(await readersOf(hidden)).toEqual(["teacher"]);

  const { body: copy } = await at.teacher.post(`/courses/${at.course.id}/copy`, {});
  await at.teacher.put(`/content/${at.text.id}`, { data_json: { blocks: [] } });
  expect(copy.is_published).toBe(true);
  expect(await readersOf(shown)).toContain("learner");
  const foreign = await sendFile(world.deps, at.stranger, {
    purpose: "ASSET",
    university_id: (await at.stranger.get("/users/me/roles")).body[0].university_id,
  });
  const refused = await at.teacher.put(`/content/${at.text.id}`, {
    data_json: { blocks: [{ type: "image", file_id: foreign.body.id }] },
  });
  expect([refused.status, refused.body.detail]).toEqual([400, `File ${foreign.body.id} does not exist`]);
});

it("an asset may be a file: it returns the file's URL, and readers of the asset may read the file", async () => {
  const id = await at.send(at.teacher, "ASSET");
  const own = { asset_type: "image", university_id: at.university.id };
  const { body: asset, status } = await at.teacher.post("/assets/", { ...own, file_id: id });
  expect([status, asset.url, asset.file_name]).toEqual([
    201,
    `http://localhost/api/v1/files/${id}/content`,
    "notes.txt",
  ]);
  const blocks = [{ type: "image", asset_id: asset.id }];
  await at.teacher.put(`/content/${at.text.id}`, { data_json: { blocks } });
  expect(await readersOf(id)).toContain("nobody");
  const other = await at.send(at.teacher, "ASSET");
  await at.teacher.put(`/assets/${asset.id}`, { file_id: other });
  expect(await readersOf(other)).toContain("nobody");
  expect(await readersOf(id)).toEqual(["teacher"]);
  await at.teacher.put(`/assets/${asset.id}`, { url: "https://cdn.example.edu/a.png" });
  expect(await readersOf(other)).toEqual(["teacher"]);
  await at.teacher.put(`/assets/${asset.id}`, { file_id: other });
  expect(await readersOf(other)).toContain("nobody");
  for (const both of [{ ...own }, { ...own, file_id: id, url: "https://a.example.edu" }])
    expect((await at.teacher.post("/assets/", both)).status).toBe(422);
  const found = await at.teacher.get("/assets/?q=notes.txt");
  expect(found.body.map((one: { id: number }) => one.id)).toContain(asset.id);
});

it("a picture is read by its address without a token, which ends with another picture", async () => {
  const [first, second] = [await at.send(at.learner, "AVATAR"), await at.send(at.learner, "AVATAR")];
  const { body: shown } = await at.learner.put("/users/me/avatar", { file_id: first });
  const path = (url: string) => url.replace("http://localhost/api/v1", "");
  expect((await at.nobody.get(path(shown.avatar_url))).status).toBe(302);
  expect((await at.learner.get("/users/me")).body.avatar_url).toBe(shown.avatar_url);
  const { body: other } = await at.learner.put("/users/me/avatar", { file_id: second });
  expect((await at.nobody.get(path(shown.avatar_url))).status).toBe(404);
  expect((await at.nobody.get(path(other.avatar_url))).status).toBe(302);
  const theirs = await at.send(at.classmate, "AVATAR");
  expect((await at.learner.put("/users/me/avatar", { file_id: theirs })).body.detail).toBe(
    `File ${theirs} does not exist`,
  );
  expect((await at.learner.put("/users/me/avatar", { file_id: null })).body).toEqual({ avatar_url: null });
  expect((await at.nobody.get(path(other.avatar_url))).status).toBe(404);
});

it("of graded work size and hash stay when its owner's account is erased, and of the rest nothing", async () => {
  const person = await make.person();
  await make.enrollment(person.id, at.offering.id);
  const leaver = world.as(person);
  const [graded, loose] = [await at.send(leaver, "SUBMISSION"), await at.send(leaver, "POST")];
  const { body: work } = await leaver.post(at.work, { file_ids: [graded] });
  await at.teacher.put(`/assessments/submissions/${work.id}/grade`, { score_obtained: 10 });
  await world.deps.db.execute(sql`select erase_files_of_person(${person.id}, now())`);
  const { body } = await at.teacher.get(`/assessments/submissions/${work.id}`);
  expect(body.files).toEqual([
    expect.objectContaining({
      id: graded,
      name: null,
      is_erased: true,
      size: 15,
      sha256: expect.any(String),
    }),
  ]);
  expect((await at.teacher.get(`/files/${graded}/content`)).status).toBe(404);
  const { rows } = await world.deps.db.execute(sql`select from files where id = ${loose}`);
  expect(rows).toEqual([]);
});
