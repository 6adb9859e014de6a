import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readLineItemsScope, scoreScope } from "../../../../lib/integrations/lti/service-scopes.ts";
import { maxToolLineItemsPerOffering } from "../../../../lib/integrations/lti-tools/line-item-writes.ts";
import { ags, launchedClaims, registerTool, toolCourse, toolServer } from "../../../support/lti-tool.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const moment = "2026-03-10T12:00:00.000Z";

type Made = Awaited<ReturnType<typeof toolCourse>>;
let made: Made;
beforeAll(async () => {
  made = await toolCourse(world, make);
});
beforeEach(() => world.setNow(moment));

async function launched({ launch, learner }: Made) {
  const claims = await launchedClaims(world, (await launch(learner)).body.launch_url);
  const endpoint = claims[ags] as { lineitems: string; lineitem: string };
  return { userId: String(claims.sub), ...endpoint };
}

const column = { label: "Participation", scoreMaximum: 10, resourceId: "p-1", tag: "weekly" };

const final = (userId: string, scoreGiven: number) => ({
  ...{ userId, scoreGiven, scoreMaximum: 10, timestamp: "2026-03-10T11:59:00.000Z" },
  ...{ activityProgress: "Completed", gradingProgress: "FullyGraded" },
});

const itemIdOf = (address: string): number => Number(address.split("/").at(-1));

const gradebook = async (one: Made, offering = one.offering.id) =>
  (await world.as(one.teacher).get(`/assessments/offerings/${offering}/gradebook`)).body;

describe("a line item that a tool creates", () => {
  it("is a column of the offering's gradebook, with the tool's scores", async () => {
    const one = await toolCourse(world, make);
    const { userId, lineitems } = await launched(one);
    const server = await toolServer(world, one.tool);
    const sent = {
      ...column,
      startDateTime: "2026-03-01T08:00:00Z",
      endDateTime: "2026-04-01T08:00:00.500+02:00",
    };
    const created = await server.lineItem("POST", lineitems, sent);
    expect([created.status, created.headers.get("content-type")]).toEqual([
      201,
      "application/vnd.ims.lis.v2.lineitem+json",
    ]);
    const id = String(created.body.id);
    expect(created.body).toEqual({ id, ...sent, endDateTime: "2026-04-01T06:00:00Z" });
    expect(created.headers.get("location")).toBe(id);
    expect((await server.get(id)).body).toEqual(created.body);
    expect((await server.lineItem("POST", `${id}/scores`, final(userId, 8))).status).toBe(204);
    expect((await server.get(`${id}/results`)).body).toMatchObject([
      { userId, resultScore: 8, resultMaximum: 10 },
    ]);
    const { columns, rows } = await gradebook(one);
    expect(columns).toMatchObject([
      { content_item_id: one.item.id, is_tool_column: false },
      { content_item_id: itemIdOf(id), title: "Participation", max_points: 10, is_tool_column: true },
    ]);
    expect(rows[0].cells[1]).toMatchObject({ score: 8, state: "GRADED" });
    const own = await world.as(one.learner).get(`/assessments/offerings/${one.offering.id}/my-grades`);
    expect(own.body.items[1]).toMatchObject({ title: "Participation", is_tool_column: true });
  });

  it("is no content: learners cannot open it, and it does not count as progress", async () => {
    const one = await toolCourse(world, make);
    const { userId, lineitems } = await launched(one);
    const server = await toolServer(world, one.tool);
    const { id } = (await server.lineItem("POST", lineitems, column)).body;
    await server.lineItem("POST", `${id}/scores`, final(userId, 8));
    const learner = world.as(one.learner);
    expect((await learner.get(`/content/${itemIdOf(id)}`)).status).toBe(404);
    const launch = `/offerings/${one.offering.id}/external-tools/${itemIdOf(id)}/launch`;
    expect((await learner.get(launch)).status).toBe(404);
    const progress = await world.deps.db.execute(
      sql`select progress_percent::float8 as percent from course_progress_of_people(${one.offering.id}::int, array[${one.learner.id}::int])`,
    );
    expect(progress.rows).toEqual([{ percent: 0 }]);
  });

  it("belongs to one offering of its course", async () => {
    const one = await toolCourse(world, make);
    const { lineitems } = await launched(one);
    const other = await make.offering(one.course);
    const server = await toolServer(world, one.tool);
    const { id } = (await server.lineItem("POST", lineitems, column)).body;
    const foreign = lineitems.replace(`/${one.offering.id}/`, `/${other.id}/`);
    expect((await server.get(foreign)).body).toHaveLength(1);
    for (const method of ["PUT", "DELETE"] as const)
      expect((await server.lineItem(method, `${foreign}/${itemIdOf(id)}`, column)).status).toBe(404);
    expect((await gradebook(one, other.id)).columns).toHaveLength(1);
    const copy = await world.as(one.teacher).post(`/courses/${one.course.id}/copy`, {});
    expect(copy.status).toBe(201);
    const copied = await world.deps.db.execute(
      sql`select count(*)::int as items from content_items where course_id = ${copy.body.id} and data_json ? 'line_item'`,
    );
    expect(copied.rows).toEqual([{ items: 0 }]);
  });

  it("is found by its resource link, resource and tag", async () => {
    const one = await toolCourse(world, make);
    const { lineitems, lineitem } = await launched(one);
    const server = await toolServer(world, one.tool);
    const resourceLinkId = `${one.offering.id}-${one.item.id}`;
    const linked = (await server.lineItem("POST", lineitems, { ...column, resourceLinkId })).body;
    const loose = (await server.lineItem("POST", lineitems, { label: "Bonus", scoreMaximum: 1 })).body;
    expect(linked).toMatchObject({ resourceLinkId });
    expect(loose).not.toHaveProperty("resourceLinkId");
    const found = async (filter: string) =>
      (await server.get(`${lineitems}?${filter}`)).body.map(({ id }: { id: string }) => id);
    expect(await found("")).toEqual([lineitem, linked.id, loose.id]);
    expect(await found(`resource_link_id=${resourceLinkId}`)).toEqual([lineitem, linked.id]);
    expect(await found("resource_id=p-1")).toEqual([linked.id]);
    expect(await found("tag=weekly")).toEqual([linked.id]);
    const page = await server.get(`${lineitems}?limit=2`);
    const [, next = ""] = /<(.+)>; rel="next"/.exec(page.headers.get("link") ?? "") ?? [];
    expect((await server.get(next)).body).toEqual([loose]);
    const { rows } = await world.deps.db.execute(
      sql`select title, is_published from modules where course_id = ${one.course.id} and id <> ${one.module.id}`,
    );
    expect(rows).toEqual([{ title: "Tool", is_published: false }]);
  });

  it("stands in one module with those that its tool creates at the same time", async () => {
    const one = await toolCourse(world, make);
    const { lineitems } = await launched(one);
    const server = await toolServer(world, one.tool);
    const created = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        server.lineItem("POST", lineitems, { label: `Week ${at}`, scoreMaximum: 1 }),
      ),
    );
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
    const { rows } = await world.deps.db.execute(
      sql`select count(*)::int as modules from modules where course_id = ${one.course.id} and id <> ${one.module.id}`,
    );
    expect(rows).toEqual([{ modules: 1 }]);
  });

  it("is replaced by its tool, and its scores scale", async () => {
    const one = await toolCourse(world, make);
    const { userId, lineitems } = await launched(one);
    const server = await toolServer(world, one.tool);
    const { id } = (await server.lineItem("POST", lineitems, column)).body;
    await server.lineItem("POST", `${id}/scores`, final(userId, 8));
    const changed = await server.lineItem("PUT", id, { label: "Talks", scoreMaximum: 20 });
    expect([changed.status, changed.body]).toEqual([200, { id, label: "Talks", scoreMaximum: 20 }]);
    expect((await server.get(`${id}/results`)).body).toMatchObject([{ resultScore: 16, resultMaximum: 20 }]);
    const moved = { ...column, resourceLinkId: `${one.offering.id}-${one.item.id}` };
    expect((await server.lineItem("PUT", id, moved)).status).toBe(422);
  });

  it("is deleted from the gradebook without its grades", async () => {
    const one = await toolCourse(world, make);
    const { userId, lineitems } = await launched(one);
    const server = await toolServer(world, one.tool);
    const { id } = (await server.lineItem("POST", lineitems, column)).body;
    await server.lineItem("POST", `${id}/scores`, final(userId, 8));
    expect((await server.lineItem("DELETE", id)).status).toBe(204);
    expect((await gradebook(one)).columns).toHaveLength(1);
    for (const path of [id, `${id}/results`]) expect((await server.get(path)).status).toBe(404);
    expect((await server.lineItem("POST", `${id}/scores`, final(userId, 9))).status).toBe(404);
    expect((await server.lineItem("DELETE", id)).status).toBe(404);
    const { rows } = await world.deps.db.execute(
      sql`select score_obtained from lab_submissions where content_item_id = ${itemIdOf(id)}`,
    );
    expect(rows).toEqual([{ score_obtained: "8.00" }]);
  });

  it.each([
    ["without a label", { label: " " }, 422],
    ["without points", { scoreMaximum: 0 }, 422],
    ["with too many points", { scoreMaximum: 10_000 }, 422],
    ["with a NUL character", { tag: "a\u0000" }, 422],
    ["that ends before it starts", { startDateTime: moment, endDateTime: "2026-03-10T11:00:00Z" }, 422],
    ["for another offering's link", { resourceLinkId: "1-1" }, 404],
  ])("%s is rejected", async (_, changes, status) => {
    const { lineitems } = await launched(made);
    const server = await toolServer(world, made.tool);
    expect((await server.lineItem("POST", lineitems, { ...column, ...changes })).status).toBe(status);
    expect((await server.get(lineitems)).body).toHaveLength(1);
  });

  it("needs the scope for writing, which also reads", async () => {
    const { lineitems, lineitem } = await launched(made);
    const readOnly = await toolServer(world, made.tool, `${readLineItemsScope} ${scoreScope}`);
    expect((await readOnly.get(lineitems)).status).toBe(200);
    expect((await readOnly.lineItem("POST", lineitems, column)).status).toBe(403);
    for (const method of ["PUT", "DELETE"] as const)
      expect((await readOnly.lineItem(method, lineitem, column)).status).toBe(403);
    const writer = await toolServer(
      world,
      made.tool,
      "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem",
    );
    expect((await writer.get(lineitem)).status).toBe(200);
  });

  it("is not a teacher's or another tool's", async () => {
    const { lineitems, lineitem } = await launched(made);
    const server = await toolServer(world, made.tool);
    for (const method of ["PUT", "DELETE"] as const)
      expect((await server.lineItem(method, lineitem, column)).status).toBe(403);
    const second = await toolServer(world, await registerTool(world, made.admin, made.university.id));
    const { id } = (await second.lineItem("POST", lineitems, column)).body;
    for (const method of ["PUT", "DELETE"] as const)
      expect((await server.lineItem(method, id, column)).status).toBe(404);
    const stranger = await toolServer(world, (await toolCourse(world, make)).tool);
    expect((await stranger.lineItem("POST", lineitems, column)).status).toBe(404);
    for (const method of ["PUT", "DELETE"] as const)
      expect((await stranger.lineItem(method, id, column)).status).toBe(404);
  });

  it("is one of a bounded number", async () => {
    const one = await toolCourse(world, make);
    const { lineitems } = await launched(one);
    const server = await toolServer(world, one.tool);
    const { id } = (await server.lineItem("POST", lineitems, column)).body;
    await world.deps.db.execute(sql`
      insert into content_items (module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
      select module_id, course_id, university_id, content_type_id, title, number, data_json
      from content_items cross join generate_series(2, ${maxToolLineItemsPerOffering}::int) as number where id = ${itemIdOf(id)}`);
    expect((await server.lineItem("POST", lineitems, column)).status).toBe(409);
  });
});
