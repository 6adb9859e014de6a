import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

it("a read is one round trip with its caller, posting progress two, and other writes three at most", async () => {
  const { university, course, offering, module, item } = await make.topic();
  const person = await make.holder("instructor", university.id);
  await make.enrollment(person.id, offering.id);
  const client = world.as(person);
  const cost = async (method: string, path: string, body?: object) => {
    const { status } = await client.request(method, path, body);
    expect(status, `${method} ${path}`).toBeLessThan(300);
    return Number(world.log.at(-1)?.["db_query_count"]);
  };
  const progress = { course_offering_id: offering.id, progress_percent: 10 };

  await client.get("/users/me");
  for (const path of [
    `/modules/courses/${course.id}/modules`,
    `/modules/courses/${course.id}/modules/root`,
    `/modules/${module.id}`,
    `/modules/${module.id}/children`,
    `/content/modules/${module.id}/content`,
    `/content/${item.id}`,
    "/progress/modules/my-progress",
    "/progress/content/my-progress",
    "/users",
    `/users/${person.id}`,
    "/users/me/overview",
  ])
    expect(await cost("GET", path), path).toBe(1);
  expect(await cost("GET", "/users/me")).toBe(1);

  expect(await cost("POST", "/progress/modules", { ...progress, module_id: module.id })).toBe(2);
  expect(await cost("POST", "/progress/content", { ...progress, content_item_id: item.id })).toBe(2);
  expect(await cost("POST", "/modules/reorder", { module_ids: [module.id] })).toBe(2);
  expect(await cost("POST", "/content/reorder", { content_ids: [item.id] })).toBe(2);
  expect(await cost("PUT", `/modules/${module.id}`, { title: "New" })).toBe(2);
  expect(await cost("PUT", `/content/${item.id}`, { title: "New" })).toBe(3);
});
