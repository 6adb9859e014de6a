import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function openCourse() {
  const university = await make.university();
  const course = await make.course(university.id, { language_code: "de" });
  const unit = await make.module(course.id, { title: "Wellen" });
  const after = await make.module(course.id, { title: "Danach", requires_module_ids: [unit.id] });
  const { pool } = await make.questionPool(course);
  const quiz = await make.contentItem(unit, university.id, {
    ...{ type: "quiz", title: "Was du weißt", data_json: { question_pool_id: pool.id } },
  });
  const below = await make.module(course.id, { title: "Saiten", parent_module_id: unit.id });
  const text = await make.contentItem(below, university.id, { title: "Eine Saite" });
  const author = world.as(await make.holder("instructor", university.id));
  return { university, course, unit, after, below, quiz, text, author, pool };
}

const titlesOf = (list: { title: string }[]) => list.map(({ title }) => title);

describe("a copy in the same course", () => {
  it("of an item is placed after it, hidden, named in the course's language, with its notes", async () => {
    const { author, unit, quiz, pool, university } = await openCourse();
    await make.contentItem(unit, university.id, { title: "Zuletzt" });
    await author.put(`/content/${quiz.id}/tutor-notes`, { notes: "Only for the tutor" });
    const copy = await author.post(`/content/${quiz.id}/copy`);
    expect(copy).toMatchObject({
      status: 201,
      body: {
        ...{ title: "Was du weißt (Kopie)", is_active: false, origin_item_id: quiz.id, version: 1 },
        ...{ module_id: unit.id, data_json: { question_pool_id: pool.id }, content_type: { name: "quiz" } },
      },
    });
    expect((await author.get(`/content/${copy.body.id}`)).body).toEqual(copy.body);
    expect(titlesOf((await author.get(`/content/modules/${unit.id}/content`)).body)).toEqual([
      "Was du weißt",
      "Was du weißt (Kopie)",
      "Zuletzt",
    ]);
    const notes = await author.get(`/content/${copy.body.id}/tutor-notes`);
    expect(notes.body).toMatchObject({ notes: "Only for the tutor" });
  });

  it("of a module has its subtree, and is no prerequisite", async () => {
    const { author, course, unit } = await openCourse();
    const copy = await author.post(`/modules/${unit.id}/copy`);
    expect(copy).toMatchObject({ status: 201, body: { title: "Wellen (Kopie)", is_published: false } });
    const tree = (await author.get(`/modules/courses/${course.id}/modules`)).body;
    expect(titlesOf(tree)).toEqual(["Wellen", "Saiten", "Wellen (Kopie)", "Saiten", "Danach"]);
    expect(tree[4].requires_module_ids).toEqual([unit.id]);
    expect(titlesOf((await author.get(`/content/modules/${tree[3].id}/content`)).body)).toEqual([
      "Eine Saite",
    ]);
  });

  it("is made once per concurrent request, each at a separate position", async () => {
    const { author, unit, text, below } = await openCourse();
    const copies = await Promise.all([
      author.post(`/content/${text.id}/copy`),
      author.post(`/modules/${unit.id}/copy`),
      author.post(`/content/${text.id}/copy`),
      author.post(`/modules/${unit.id}/copy`),
    ]);
    expect(copies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await author.get(`/content/modules/${below.id}/content`)).body).toHaveLength(3);
  });

  it("needs write access", async () => {
    const { unit, quiz, university } = await openCourse();
    const assistant = world.as(await make.holder("ta", university.id));
    for (const path of [`/modules/${unit.id}/copy`, `/content/${quiz.id}/copy`])
      expect((await assistant.post(path)).status, path).toBe(403);
    const admin = world.as(await make.holder("university_admin", university.id));
    expect((await admin.post("/modules/999999/copy")).status).toBe(404);
    expect((await admin.post("/content/999999/copy")).status).toBe(404);
  });
});
