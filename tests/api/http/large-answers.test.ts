import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { maxResponseBytes } from "../../../lib/http/responses.ts";
import type { Client } from "../../support/client.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld();
const make = makersOf(world);
const run = (statement: ReturnType<typeof sql>) => world.deps.db.execute(statement);

/** The next page's path below the API prefix. */
const nextOf = (headers: Headers): string | undefined =>
  /^<[^>]*?\/api\/v1(\/[^>]*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];

/** Reads all pages of a list. Returns the ids in order and the number of pages. */
async function readAll(client: Client, path: string, listIn = (body: { id: number }[]) => body) {
  const ids: number[] = [];
  let answers = 0;
  for (let next: string | undefined = path; next; answers++) {
    const reply = await client.get(next);
    expect(reply.status).toBe(200);
    expect(Buffer.byteLength(reply.text)).toBeLessThanOrEqual(maxResponseBytes);
    ids.push(...listIn(reply.body).map(({ id }: { id: number }) => id));
    next = nextOf(reply.headers);
  }
  return { ids, answers };
}

/** A module with items of a quarter of a megabyte each. */
async function heavyModule(count: number) {
  const { module, university, item } = await make.topic();
  await run(sql`delete from content_items where id = ${item.id}`);
  const text = "x".repeat(256 * 1024 - 60);
  for (let at = 0; at < count; at++)
    await make.contentItem(module, university.id, {
      data_json: { blocks: [{ type: "paragraph", text }] },
      sequence_index: at,
    });
  const { rows } = await run(
    sql`select id from content_items where module_id = ${module.id} order by sequence_index`,
  );
  return { module, university, path: `/content/modules/${module.id}/content`, ids: rows.map(({ id }) => id) };
}

it("a module's content that is too large to send ends early and links to the rest", async () => {
  const { path, ids } = await heavyModule(45);
  const all = await readAll(world.as(), path);
  expect(all.ids).toEqual(ids);
  expect(all.answers).toBeGreaterThanOrEqual(3);

  const part = await world.as().get(`${path}?skip=3&limit=2`);
  expect(part.body.map(({ id }: { id: number }) => id)).toEqual(ids.slice(3, 5));
  expect(nextOf(part.headers)).toBe(`${path}?skip=5&limit=2`);
  expect((await world.as().get(`${path}?skip=45`)).body).toEqual([]);

  const summary = await world.as().get(`${path}?fields=summary`);
  expect(summary.body.map(({ id }: { id: number }) => id)).toEqual(ids);
  expect(summary.body[0]).not.toHaveProperty("data_json");
  expect(summary.headers.get("link")).toBeNull();
});

it("an order that is too large for a response links to the rest", async () => {
  const { university, path, ids } = await heavyModule(22);
  const teacher = world.as(await make.holder("instructor", university.id));
  const reply = await teacher.post("/content/reorder", { content_ids: [ids.at(-1)] });
  expect(reply.status).toBe(200);
  expect(Buffer.byteLength(reply.text)).toBeLessThanOrEqual(maxResponseBytes);
  const reordered = [ids.at(-1), ...ids.slice(0, -1)];
  const answered = reply.body.map(({ id }: { id: number }) => id);
  expect(answered).toEqual(reordered.slice(0, answered.length));
  expect(nextOf(reply.headers)).toBe(`${path}?skip=${answered.length}`);
});

it("lists and pages of anything else end early as well", async () => {
  const { university, course } = await make.topic();
  const admin = world.as(await make.holder("platform_admin", university.id));
  const text = sql`repeat('é', 20000)`;
  await run(sql`
    insert into modules (course_id, title, module_type, is_published, sequence_index, description)
    select ${course.id}, 'M', 'unit', true, 100000 + n, ${text} from generate_series(1, 300) as n`);
  await run(sql`
    insert into courses (university_id, title, code, level, is_published, description)
    select ${university.id}, 'C', 'LARGE-' || n, 'undergraduate', true, ${text} from generate_series(1, 300) as n`);
  await run(sql`
    insert into feature_requests (user_id, title, description, admin_notes)
    select id, 'F', repeat('d', 32000), repeat('n', 32000) from users, generate_series(1, 100)`);

  const modules = await readAll(admin, `/modules/courses/${course.id}/modules`);
  expect(new Set(modules.ids).size).toBe(301);
  const courses = await readAll(admin, `/courses/?university_id=${university.id}&limit=1000`);
  expect(new Set(courses.ids).size).toBe(301);
  expect(modules.answers * courses.answers).toBeGreaterThanOrEqual(4);
  const page = await admin.get("/feature-requests/all?limit=100");
  expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(maxResponseBytes);
  expect(nextOf(page.headers)).toBe(`/feature-requests/all?limit=100&skip=${page.body.data.length}`);
});

it("the data of an item is bounded", async () => {
  const { item, university } = await make.topic();
  const teacher = world.as(await make.holder("instructor", university.id));
  const put = (data_json: object) => teacher.put(`/content/${item.id}`, { data_json });
  const room = 256 * 1024 - JSON.stringify({ text: "" }).length;
  expect((await put({ text: "x".repeat(room) })).status).toBe(200);
  for (const data_json of [{ text: "x".repeat(room + 1) }, { numbers: Array(1000).fill(1e300) }])
    expect((await put(data_json)).body.detail).toMatchObject([{ loc: ["body", "data_json"] }]);
});
