import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const lab = {
  runtime: "python",
  files: [
    { path: "main.py", role: "student_visible" },
    { path: "hidden_test.py", role: "hidden_test" },
  ],
  grading: { type: "unit_tests", max_points: 10, command: "pytest hidden_test.py" },
  entrypoint: "pytest hidden_test.py",
  env: { HIDDEN: "1" },
};

async function taught() {
  const made = await make.topic();
  return { ...made, staff: world.as(await make.holder("ta", made.university.id)) };
}

it("anyone reads published content, in its order", async () => {
  const { module, university, item } = await taught();
  const earlier = await make.contentItem(module, university.id, { sequence_index: 0, type: "video" });
  const { status, body } = await world.as().get(`/content/modules/${module.id}/content`);
  expect(status).toBe(200);
  expect(body.map(({ id }: { id: number }) => id)).toEqual([earlier.id, item.id]);
  expect(body[0].content_type).toEqual({ name: "video", label: "Video" });
  expect((await world.as().get(`/content/${earlier.id}/`)).body).toEqual(body[0]);
});

it("hidden tests and grading internals of a lab are the staff's", async () => {
  const { module, university, staff } = await taught();
  const item = await make.contentItem(module, university.id, { type: "engineering_lab", data_json: lab });
  const others = await make.holder("instructor", (await make.university()).id);
  const students = [undefined, await make.person(), others].map((person) => world.as(person));
  for (const client of students) {
    const { data_json } = (await client.get(`/content/${item.id}`)).body;
    expect(data_json).toEqual({
      runtime: "python",
      files: [{ path: "main.py", role: "student_visible" }],
      grading: { type: "unit_tests", max_points: 10 },
    });
    const listed = (await client.get(`/content/modules/${module.id}/content`)).body;
    expect(listed.at(-1).data_json).toEqual(data_json);
  }
  expect((await staff.get(`/content/${item.id}`)).body.data_json).toEqual(lab);
  expect((await staff.get(`/content/modules/${module.id}/content`)).body.at(-1).data_json).toEqual(lab);
});

it("retired items, and items of unpublished modules, are for staff", async () => {
  const { university, course, module, staff } = await taught();
  const retired = await make.contentItem(module, university.id, { is_active: false });
  const closed = await make.module(course.id, { is_published: false });
  const below = await make.module(course.id, { parent_module_id: closed.id });
  const hidden = await make.contentItem(below, university.id);
  for (const { id } of [retired, hidden]) {
    expect((await world.as().get(`/content/${id}`)).body).toEqual({ detail: "Content item not found" });
    expect((await staff.get(`/content/${id}`)).status).toBe(200);
  }
  expect((await world.as().get(`/content/modules/${module.id}/content`)).body).toHaveLength(1);
  expect((await staff.get(`/content/modules/${module.id}/content`)).body).toHaveLength(2);
  const unseen = await world.as().get(`/content/modules/${below.id}/content`);
  expect(unseen.status).toBe(404);
  expect(unseen.body.detail).toBe("Module not found");
});

it("a module without content has an empty list, and no module none", async () => {
  const { course } = await taught();
  const empty = await make.module(course.id);
  expect((await world.as().get(`/content/modules/${empty.id}/content`)).body).toEqual([]);
  expect((await world.as().get("/content/modules/2147483647/content")).status).toBe(404);
  expect((await world.as().get("/content/zero")).body.detail[0].loc).toEqual(["path", "content_id"]);
});
