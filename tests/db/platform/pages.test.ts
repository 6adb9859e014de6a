import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { openConnectionWithoutTimeouts } from "../../../lib/platform/db/driver/connect.ts";
import {
  buildScaleReadRequests,
  normalCourseParameterValues,
  readerIdsByRole,
} from "../../../proof/bench/scale-reads.ts";
import { loadScaleData } from "../../../proof/scale/load.ts";
import { smallScaleSize } from "../../../proof/scale/size.ts";
import type { Client } from "../../support/client.ts";
import { type Operation, operations } from "../../support/operations.ts";
import { allOr, oneOfEach } from "../../support/representatives.ts";
import { openWorld } from "../../support/world.ts";
import { manyOfEach } from "./many.ts";

const world = openWorld();
const size = { ...smallScaleSize, people: 80, courses: 60, modulesInFirst: 20 };
const readers: { name: string; client: Client }[] = [];
/** The paths of each list: default order and all others. */
const paths = new Map<Operation, string[]>();

const takes = ({ parameters }: Operation, name: string): boolean =>
  parameters.some((one) => one.name === name);

const lists = operations.filter((one) => one.method === "GET" && takes(one, "after") && takes(one, "skip"));

beforeAll(async () => {
  // Readers are found by trial. Writing the rejections every five seconds would grow the audit log during the
  // walk.
  world.deps.refusals.note = () => {};
  const base = await loadScaleData(world.deps.config.DATABASE_URL, size, () => {});
  const session = await openConnectionWithoutTimeouts(world.deps.config.DATABASE_URL);
  await session.query(manyOfEach(normalCourseParameterValues(size, base))).finally(() => session.end());
  for (const [name, id] of Object.entries(readerIdsByRole(size, base)))
    readers.push({ name, client: world.as(id === undefined ? undefined : { id }) });
  for (const name of ["tutor", "tutor/tone", "hints"])
    for (const labels of [["production"], ["draft", name.slice(0, 3)]])
      await admin().post("/prompts/", { name, prompt: "Be kind.", labels });
  const parameters = new Map(lists.map((one) => [`/api/v1${one.path}`, one.parameters]));
  const reads = buildScaleReadRequests(
    parameters as Parameters<typeof buildScaleReadRequests>[0],
    size,
    base,
  );
  for (const list of lists) {
    const own = reads.filter(({ operation }) => operation === `/api/v1${list.path}`);
    const prefixes = own
      .filter(({ name }) => !name.includes("?"))
      .map(({ path }) => path.slice("/api/v1".length));
    paths.set(
      list,
      prefixes.flatMap((prefix) => ordersOf(list).map((order) => prefix + order)),
    );
  }
});

/** The default order and all others; in `npm test` one of the others, different per list. */
function ordersOf(list: Operation): string[] {
  const orders = list.parameters.find(({ name }) => name === "sort")?.schema.enum ?? [];
  const tried = allOr(orders, () => oneOfEach(orders, () => "order", lists.indexOf(list)));
  return ["?", ...tried.map((order) => `?sort=${order}`)];
}

const admin = (): Client =>
  readers.find(({ name }) => name === "a platform_admin")?.client ?? expect.fail("there is no such reader");

type Item = Record<string, unknown> | string;

const listIn = (body: unknown): Item[] =>
  Array.isArray(body) ? body : (Object.values(Object(body)).find(Array.isArray) ?? []);

const nextOf = (headers: Headers): string | undefined =>
  /^<[^>]*?\/api\/v1(\/[^>]*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];

/** Follows links from a first page, for `most` pages. */
async function follow(
  client: Client,
  first: string,
  most: number,
): Promise<{ items: Item[]; ended: boolean }> {
  const items: Item[] = [];
  let next: string | undefined = first;
  for (let page = 0; next !== undefined && page < most; page++) {
    const reply = await client.get(next);
    expect(reply.status).toBe(200);
    items.push(...listIn(reply.body));
    next = nextOf(reply.headers);
  }
  return { items, ended: next === undefined };
}

type Walk = { path: string; client: Client; whole: Item[] };

const walks = new Map<Operation, Promise<Walk[]>>();

/** Walks of a list with several entries for the reader. */
function walksOf(list: Operation): Promise<Walk[]> {
  const found = walks.get(list) ?? findWalks(list);
  walks.set(list, found);
  return found;
}

/** In default order by everyone, in other orders by the first reader with several entries. */
async function findWalks(list: Operation): Promise<Walk[]> {
  const found: Walk[] = [];
  for (const path of paths.get(list) ?? [])
    for (const { client } of readers.toReversed()) {
      if (!path.endsWith("?") && found.some((walk) => walk.path === path)) break;
      const { status, body } = await client.get(`${path}&limit=100`);
      const whole = status === 200 ? listIn(body) : [];
      if (whole.length > 1) found.push({ path, client, whole });
    }
  return found;
}

const cursorOf = (path: string | undefined): string =>
  new URLSearchParams(path?.split("?")[1]).get("after") ?? "";

describe.each(lists)("$name", (list) => {
  it("yields by its links the rows of one large page, in its order", async () => {
    const found = await walksOf(list);
    expect(found.length).toBeGreaterThan(0);
    for (const { path, client, whole } of found) {
      const limit = whole.length > 5 ? Math.ceil(whole.length / 3) : 1;
      const { items, ended } = await follow(client, `${path}&limit=${limit}`, whole.length < 100 ? 9 : 3);
      expect(items.slice(0, whole.length)).toEqual(whole);
      if (whole.length < 100)
        expect({ path, ended, count: items.length }).toEqual({ path, ended: true, count: whole.length });
    }
  });

  it("rejects invalid cursors, and cursors of other lists", async () => {
    const [{ path, client } = { path: "", client: world.as() }] = await walksOf(list);
    const cursor = cursorOf(nextOf((await client.get(`${path}&limit=1`)).headers));
    const text = Buffer.from(cursor, "base64url").toString();
    const values: unknown[] = JSON.parse(text.slice(8));
    const forged = [[], [...values, 1], values.map(() => ({})), values.map(() => 1e300)];
    const wrong = [
      ...[
        "%00",
        "é",
        "x",
        cursor.slice(0, 12),
        Buffer.from(`elsewhere${text.slice(8)}`).toString("base64url"),
      ],
      ...forged.map((one) => Buffer.from(text.slice(0, 8) + JSON.stringify(one)).toString("base64url")),
    ];
    for (const after of wrong) {
      const { status, body } = await client.get(`${path}&limit=1&after=${after}`);
      expect({ after, status, locs: body.detail?.map(({ loc }: { loc: unknown }) => loc) }).toEqual({
        after,
        status: 422,
        locs: [["query", "after"]],
      });
    }
  });
});

/** Lists without keyset pagination, and why: each is computed completely and is bounded. */
const byNumber = {
  "the courses that one takes": ["GET /users/me/home"],
  "the tree of one course, in its order": [
    "GET /courses/{course_id}/offerings/{offering_id}/outline",
    "GET /courses/{course_id}/offerings/{offering_id}/dates",
    "GET /offerings/{offering_id}/groups/{group_id}/dates",
    "GET /modules/courses/{course_id}/modules",
    "GET /modules/courses/{course_id}/modules/root",
    "GET /modules/{module_id}/children",
    "GET /content/modules/{module_id}/content",
  ],
  "figures of one class, one pool or each course": [
    "GET /universities/{university_id}/analytics",
    "GET /admin/analytics/progress",
    "GET /admin/analytics/tutor",
    "GET /assessments/offerings/{offering_id}/gradebook",
    "GET /assessments/offerings/{offering_id}/quizzes/{content_item_id}/questions",
    "GET /assessments/question-pools/{question_pool_id}/statistics",
    "GET /prompts/{prompt_name}/impact",
    "GET /scorm/offerings/{offering_id}/items/{scorm_item_id}/attempts",
  ],
  "the caller's attempts of one package": ["GET /scorm/my-attempts"],
  "files whose parts are numbered": [
    "GET /assessments/question-pools/{question_pool_id}/export",
    "GET /assessments/question-pools/{question_pool_id}/export/qti",
  ],
};

it("every list with pages continues after a cursor, except lists that are computed as a whole", () => {
  const others = operations
    .filter((one) => takes(one, "skip") && !takes(one, "after"))
    .map(({ name }) => name);
  expect(others.sort()).toEqual(Object.values(byNumber).flat().sort());
});

describe("people by name, while people are added and deleted", () => {
  const run = (statement: ReturnType<typeof sql>) => world.deps.db.execute(statement);
  const named = (name: string) => sql`
    insert into users (email, full_name) values (${`${name.toLowerCase()}@example.edu`}, ${name})`;

  it("are each answered once", async () => {
    const first = await admin().get("/users/?sort=full_name&limit=30");
    const seen: { id: number }[] = first.body;
    const [gone, last] = [seen[3], seen.at(-1)];
    await run(sql`delete from users where id in (${gone?.id}, ${last?.id})`);
    await run(named("Aaron"));
    await run(named("Zoe"));
    const { items } = await follow(admin(), nextOf(first.headers) ?? "", 99);
    const all: { id: number; full_name: string }[] = (await admin().get("/users/?sort=full_name&limit=1000"))
      .body;
    const ids = [...seen, ...(items as { id: number }[])].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const aaron = all.find(({ full_name }) => full_name === "Aaron")?.id;
    expect(ids.filter((id) => ![gone?.id, last?.id].includes(id))).toEqual(
      all.map(({ id }) => id).filter((id) => id !== aaron),
    );
  });

  it("`skip` counts from the cursor, and the size of the pages may change", async () => {
    const { body: all } = await admin().get("/users/?limit=20");
    const next = nextOf((await admin().get("/users/?limit=5")).headers);
    expect((await admin().get(`/users/?limit=3&skip=2&after=${cursorOf(next)}`)).body).toEqual(
      all.slice(7, 10),
    );
  });

  it("a cursor is valid for its filters and its order only", async () => {
    const after = cursorOf(nextOf((await admin().get("/users/?limit=5")).headers));
    expect((await admin().get(`/users/?sort=id&after=${after}`)).status).toBe(200);
    for (const other of ["sort=-id", "is_active=true", "q=person"])
      expect((await admin().get(`/users/?${other}&after=${after}`)).status).toBe(422);
  });
});
