import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const idsIn = (reply: { body: { id: number }[] }) => reply.body.map(({ id }) => id);

/** A course whose second unit is unpublished, with a published lesson and topic below it. */
async function outline() {
  const university = await make.university();
  const course = await make.course(university.id);
  const under = (parent_module_id: number, sequence_index: number, is_published = true) =>
    make.module(course.id, { parent_module_id, sequence_index, is_published });
  const second = await make.module(course.id, { sequence_index: 7, is_published: false });
  const first = await make.module(course.id, { sequence_index: 0 });
  const later = await under(first.id, 2);
  const earlier = await under(first.id, 1);
  const lesson = await under(second.id, 1);
  const topic = await under(lesson.id, 1);
  const staff = world.as(await make.holder("ta", university.id));
  return { university, course, first, second, earlier, later, lesson, topic, staff };
}

it("lists a course depth first, siblings by sequence_index, each with its depth", async () => {
  const { course, first, second, earlier, later, lesson, topic, staff } = await outline();
  const reply = await staff.get(`/modules/courses/${course.id}/modules`);
  expect(idsIn(reply)).toEqual([first.id, earlier.id, later.id, second.id, lesson.id, topic.id]);
  expect(reply.body.map(({ depth }: { depth: number }) => depth)).toEqual([0, 1, 1, 0, 1, 2]);
  expect(reply.body[0]).toMatchObject({ course_id: course.id, parent_module_id: null, module_type: "UNIT" });
});

it("an unpublished module hides all that is below it from everyone but staff", async () => {
  const { course, first, second, earlier, later, lesson, topic, staff } = await outline();
  for (const client of [world.as(), world.as(await make.person())]) {
    const listed = await client.get(`/modules/courses/${course.id}/modules`);
    expect(idsIn(listed)).toEqual([first.id, earlier.id, later.id]);
    expect(idsIn(await client.get(`/modules/courses/${course.id}/modules/root`))).toEqual([first.id]);
    for (const hidden of [second, lesson, topic]) {
      expect((await client.get(`/modules/${hidden.id}`)).body).toEqual({ detail: "Module not found" });
      expect((await client.get(`/modules/${hidden.id}/children`)).status).toBe(404);
    }
  }
  expect((await staff.get(`/modules/${topic.id}`)).body.id).toBe(topic.id);
  expect(idsIn(await staff.get(`/modules/courses/${course.id}/modules/root`))).toEqual([first.id, second.id]);
});

it("lists direct children only, in their order", async () => {
  const { first, second, earlier, later, lesson, topic, staff } = await outline();
  expect(idsIn(await world.as().get(`/modules/${first.id}/children/`))).toEqual([earlier.id, later.id]);
  expect(idsIn(await staff.get(`/modules/${second.id}/children`))).toEqual([lesson.id]);
  expect(idsIn(await staff.get(`/modules/${topic.id}/children`))).toEqual([]);
});

it("an unpublished course's modules are its own university's staff's", async () => {
  const university = await make.university();
  const course = await make.course(university.id, { is_published: false });
  const module = await make.module(course.id);
  const own = world.as(await make.holder("ta", university.id));
  const others = world.as(await make.holder("university_admin", (await make.university()).id));
  expect(idsIn(await own.get(`/modules/courses/${course.id}/modules`))).toEqual([module.id]);
  for (const client of [world.as(), others]) {
    expect((await client.get(`/modules/courses/${course.id}/modules`)).body.detail).toBe("Course not found");
    expect((await client.get(`/modules/courses/${course.id}/modules/root`)).status).toBe(404);
    expect((await client.get(`/modules/${module.id}`)).status).toBe(404);
  }
});

it("staff of a department see the unpublished modules of that department's courses", async () => {
  const university = await make.university();
  const department = await make.department(university.id);
  const course = await make.course(university.id, { department_id: department.id });
  const module = await make.module(course.id, { is_published: false });
  const other = await make.department(university.id);
  const own = world.as(await make.holder("ta", university.id, department.id));
  const others = world.as(await make.holder("instructor", university.id, other.id));
  expect((await own.get(`/modules/${module.id}`)).status).toBe(200);
  expect((await others.get(`/modules/${module.id}`)).status).toBe(404);
});

it("an empty course has an empty tree; no course is a 404, and no id a 422", async () => {
  const course = await make.course((await make.university()).id);
  expect((await world.as().get(`/modules/courses/${course.id}/modules`)).body).toEqual([]);
  expect((await world.as().get(`/modules/courses/${course.id}/modules/root`)).body).toEqual([]);
  expect((await world.as().get("/modules/courses/2147483647/modules")).status).toBe(404);
  expect((await world.as().get("/modules/2147483648")).body.detail[0].loc).toEqual(["path", "module_id"]);
});
