import { describe, expect, it } from "vitest";
import { subjects } from "../../../../schema/db/courses/subjects.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const at = (version: number) => ({ headers: { "If-Match": `"${version}"` } });

/** A course with two modules and two items in the first, two authors, and a person who may delete it. */
async function written() {
  const { university, course, module, item } = await make.topic();
  const second = await make.contentItem(module, university.id);
  const below = await make.module(course.id);
  const author = world.as(await make.holder("instructor", university.id));
  const other = world.as(await make.holder("instructor", university.id));
  const owner = world.as(await make.holder("department_admin", university.id));
  const versionOf = async (path: string) => (await author.get(path)).body.version as number;
  return { university, course, module, below, item, second, author, other, owner, versionOf };
}

type Written = Awaited<ReturnType<typeof written>>;

const things: [string, (made: Written) => string, object][] = [
  ["a course", ({ course }) => `/courses/${course.id}`, { description: "Mine" }],
  ["a module", ({ module }) => `/modules/${module.id}`, { description: "Mine" }],
  ["a content item", ({ item }) => `/content/${item.id}`, { description: "Mine" }],
];

describe.each(things)("%s", (_, pathOf, change) => {
  it("is written in the version that its author has read, and gets a greater version", async () => {
    const made = await written();
    const path = pathOf(made);
    const before = await made.versionOf(path);
    const reply = await made.author.put(path, change, at(before));
    expect([reply.status, reply.body.version]).toEqual([200, before + 1]);
    expect(await made.versionOf(path)).toBe(before + 1);
  });

  it("is unchanged if another author was first, and the second author gets that state", async () => {
    const made = await written();
    const path = pathOf(made);
    const before = await made.versionOf(path);
    await made.other.put(path, { title: "Theirs" }, at(before));
    const reply = await made.author.put(path, change, at(before));
    expect(reply.status).toBe(412);
    expect(reply.body.current).toEqual((await made.author.get(path)).body);
    expect(reply.body.current).toMatchObject({ title: "Theirs", version: before + 1 });
    expect((await made.owner.delete(path, at(before))).status).toBe(412);
    expect((await made.author.put(path, change, at(before + 1))).body).toMatchObject({
      title: "Theirs",
      description: "Mine",
    });
  });

  it("is written without a version as ever, and the empty change counts for nothing", async () => {
    const made = await written();
    const path = pathOf(made);
    const before = await made.versionOf(path);
    expect((await made.author.put(path, {}, at(before))).body.version).toBe(before);
    await made.other.put(path, { title: "Theirs" });
    expect((await made.author.put(path, change)).body).toMatchObject({
      title: "Theirs",
      version: before + 2,
    });
  });

  it("accepts one of two concurrent writes", async () => {
    const made = await written();
    const path = pathOf(made);
    for (let round = 0; round < 5; round += 1) {
      const version = await made.versionOf(path);
      const replies = await Promise.all(
        [made.author, made.other].map((client, who) =>
          client.put(path, { title: `Round ${round} of ${who}` }, at(version)),
        ),
      );
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412]);
      const won = replies.find(({ status }) => status === 200);
      expect((await made.author.get(path)).body.title).toBe(won?.body.title);
    }
  });

  it("returns only a 403 to callers who may not write it", async () => {
    const made = await written();
    const learner = world.as(await make.person());
    const reply = await learner.put(pathOf(made), change, at(999));
    expect([reply.status, reply.body]).toEqual([403, { detail: "Not enough permissions" }]);
  });

  it("is deleted at the version that was read", async () => {
    const made = await written();
    const path = pathOf(made);
    expect((await made.owner.delete(path, at((await made.versionOf(path)) + 1))).status).toBe(412);
    expect((await made.owner.delete(path, at(await made.versionOf(path)))).status).toBe(204);
  });
});

describe("the order of an outline", () => {
  it("has its course's version, which other changes of modules and items leave alone", async () => {
    const made = await written();
    const course = `/courses/${made.course.id}`;
    const before = await made.versionOf(course);
    await made.author.put(`/modules/${made.module.id}`, { title: "Renamed" });
    await made.author.put(`/content/${made.item.id}`, { title: "Renamed" });
    expect(await made.versionOf(course)).toBe(before);

    const module_ids = [made.below.id, made.module.id];
    expect((await made.author.post("/modules/reorder", { module_ids }, at(before))).status).toBe(200);
    expect(await made.versionOf(course)).toBe(before + 1);
    const content_ids = [made.second.id, made.item.id];
    expect((await made.author.post("/content/reorder", { content_ids }, at(before + 1))).status).toBe(200);
    expect(await made.versionOf(course)).toBe(before + 2);
  });

  it("is rejected from an author with an outdated version, who gets the course", async () => {
    const made = await written();
    const course = `/courses/${made.course.id}`;
    const before = await made.versionOf(course);
    const module_ids = [made.below.id, made.module.id];
    const content_ids = [made.second.id, made.item.id];
    await made.other.post("/modules/reorder", { module_ids });
    for (const [path, body] of [
      ["/modules/reorder", { module_ids: module_ids.toReversed() }],
      ["/content/reorder", { content_ids }],
    ] as const) {
      const reply = await made.author.post(path, body, at(before));
      expect(reply.status).toBe(412);
      expect(reply.body.current).toEqual((await made.author.get(course)).body);
    }
    const modules = await made.author.get(`/modules/courses/${made.course.id}/modules`);
    expect(modules.body.map(({ id }: { id: number }) => id)).toEqual(module_ids);
  });

  it("is another one after a move, by a position as by a parent", async () => {
    const made = await written();
    const course = `/courses/${made.course.id}`;
    const before = await made.versionOf(course);
    await made.author.put(`/modules/${made.below.id}`, { parent_module_id: made.module.id });
    await made.author.put(`/modules/${made.below.id}`, { sequence_index: 77 });
    await made.author.put(`/content/${made.item.id}`, { module_id: made.below.id });
    await made.author.put(`/content/${made.second.id}`, { sequence_index: 77 });
    expect(await made.versionOf(course)).toBe(before + 4);
  });

  it("accepts one of two concurrent orders", async () => {
    const made = await written();
    const course = `/courses/${made.course.id}`;
    const orders = [
      [made.below.id, made.module.id],
      [made.module.id, made.below.id],
    ];
    for (let round = 0; round < 5; round += 1) {
      const version = await made.versionOf(course);
      const replies = await Promise.all(
        orders.map((module_ids, who) =>
          (who ? made.author : made.other).post("/modules/reorder", { module_ids }, at(version)),
        ),
      );
      // The current order again changes nothing and keeps the version.
      expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      expect(replies.filter(({ status }) => ![200, 412].includes(status))).toEqual([]);
      const moved = (await made.versionOf(course)) - version;
      expect(moved).toBeLessThanOrEqual(1);
    }
  });
});

it("the subjects of a course are not replaced by an author with an outdated version of it", async () => {
  const made = await written();
  const course = `/courses/${made.course.id}`;
  const name = make.unique("subject");
  const [subject] = await world.deps.db.insert(subjects).values({ name, code: name }).returning();
  const before = await made.versionOf(course);
  const set = [{ subject_id: subject?.id, is_primary: true }];
  expect((await made.author.put(`${course}/subjects`, set, at(before))).status).toBe(200);
  const reply = await made.other.put(`${course}/subjects`, [], at(before));
  expect([reply.status, reply.body.current.subjects]).toEqual([
    412,
    [expect.objectContaining({ id: subject?.id })],
  ]);
});

it("lists answer versions too, and copies begin with the first", async () => {
  const made = await written();
  await made.author.put(`/modules/${made.module.id}`, { title: "Twice" });
  await made.author.put(`/content/${made.item.id}`, { title: "Twice" });
  const module = (await made.author.get(`/modules/courses/${made.course.id}/modules/root`)).body[0];
  const items = (await made.author.get(`/content/modules/${made.module.id}/content?fields=summary`)).body;
  const courses = (await made.author.get(`/courses/?university_id=${made.university.id}`)).body;
  expect([module.version, items[0].version, courses[0].version]).toEqual([2, 2, 1]);

  const copy = (await made.author.post(`/courses/${made.course.id}/copy`, {})).body;
  const copied = (await made.author.get(`/modules/courses/${copy.id}/modules/root`)).body;
  expect([copy.version, copied.map((one: { version: number }) => one.version)]).toEqual([1, [1, 1]]);
});
