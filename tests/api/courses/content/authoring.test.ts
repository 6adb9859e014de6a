import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { questionPools } from "../../../../schema/db/assessment/questions.ts";
import { assets } from "../../../../schema/db/courses/assets.ts";
import { contentTypes } from "../../../../schema/db/courses/content-types.ts";
import { courses } from "../../../../schema/db/courses/courses.ts";
import { userContentProgress } from "../../../../schema/db/courses/progress.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function typeId(name: string): Promise<number> {
  const [type] = await world.deps.db.select().from(contentTypes).where(eq(contentTypes.name, name));
  return type?.id ?? 0;
}

async function taught() {
  const made = await make.topic();
  const { module, course, university } = made;
  const teacher = world.as(await make.holder("instructor", university.id));
  const text = await typeId("text");
  const item = (more: object = {}) => ({
    module_id: module.id,
    course_id: course.id,
    content_type_id: text,
    title: "Aliasing",
    data_json: {},
    ...more,
  });
  const create = async (more: object = {}) => (await teacher.post("/content/", item(more))).body;
  return { ...made, teacher, contentOf: item, create };
}

it("an instructor creates an item with the keys of the API's own video example", async () => {
  const { teacher, contentOf, module, course, university } = await taught();
  const sent = contentOf({
    content_type_id: await typeId("video"),
    description: "A recording",
    data_json: { video_url: "https://video.example.edu/1", duration: 600, provider: "internal" },
    estimated_duration_seconds: 600,
    sequence_index: 0,
  });
  const reply = await teacher.post("/content/", sent);
  expect(reply.status).toBe(201);
  expect(reply.body).toMatchObject({
    ...sent,
    module_id: module.id,
    course_id: course.id,
    university_id: university.id,
    content_type: { name: "video", label: "Video" },
    is_active: true,
  });
  expect((await teacher.get(`/content/${reply.body.id}`)).body).toEqual(reply.body);
});

it("every position leaves room for a following item", async () => {
  const { course, teacher, contentOf } = await taught();
  const module_id = (await make.module(course.id)).id;
  const create = (sequence_index?: number) =>
    teacher.post("/content", contentOf({ module_id, sequence_index }));
  expect((await create(1_000_000_001)).status).toBe(422);
  const last = await create(1_000_000_000);
  expect(last.status).toBe(201);
  expect((await create()).body.sequence_index).toBe(1_000_000_001);
  expect((await teacher.post(`/content/${last.body.id}/copy`)).status).toBe(201);
});

it("items created concurrently without a sequence_index get consecutive positions; a taken one is a 400", async () => {
  const { create, course, teacher, contentOf } = await taught();
  const module_id = (await make.module(course.id)).id;
  const made = await Promise.all(Array.from({ length: 12 }, () => create({ module_id })));
  const positions = made.map(({ sequence_index }) => sequence_index).sort((a, b) => a - b);
  expect(positions).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  const taken = await teacher.post("/content", contentOf({ module_id, sequence_index: 3 }));
  expect(taken.body.detail).toBe("Content item sequence_index '3' is already taken");
});

it("data_json is validated against its content type, key by key", async () => {
  const { teacher, contentOf } = await taught();
  const engineering_lab = await typeId("engineering_lab");
  const data_json = { timeout_seconds: "10", files: [{ path: "a.py", role: "secret" }], anything: [1] };
  const reply = await teacher.post("/content", contentOf({ content_type_id: engineering_lab, data_json }));
  expect(reply.status).toBe(422);
  expect(
    reply.body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.join("."), type]),
  ).toEqual([
    ["body.data_json.timeout_seconds", "float_type"],
    ["body.data_json.files.0.role", "enum"],
  ]);
  const external_tool = await typeId("external_tool");
  for (const late_percent_per_day of [-1, 100.5]) {
    const late = contentOf({ content_type_id: external_tool, data_json: { late_percent_per_day } });
    expect((await teacher.post("/content", late)).body.detail).toMatchObject([
      { loc: ["body", "data_json", "late_percent_per_day"] },
    ]);
  }
  const absent = await teacher.post("/content", { ...contentOf(), data_json: undefined });
  expect(absent.body.detail).toEqual([
    { loc: ["body", "data_json"], msg: "Field required", type: "missing" },
  ]);
});

it("references of an item must exist, and its module must be in its course", async () => {
  const { teacher, contentOf } = await taught();
  const foreign = (await make.topic()).module.id;
  const refused = async (more: object) => {
    const reply = await teacher.post("/content", contentOf(more));
    expect(reply.status).toBe(400);
    return reply.body.detail;
  };
  expect(await refused({ module_id: foreign })).toBe(`Content item module_id '${foreign}' does not exist`);
  expect(await refused({ course_id: 2_147_483_647 })).toBe(
    "Content item course_id '2147483647' does not exist",
  );
  expect(await refused({ content_type_id: 999 })).toBe("Content item content_type_id '999' does not exist");
});

it("addresses in data_json are of the web: http or https", async () => {
  const { teacher, contentOf, create } = await taught();
  const item = await create();
  const link = (url: string) => [{ label: "Reading", url }];
  const shapes: [type: string, path: (string | number)[], data_json: (url: string) => object][] = [
    ["video", ["url"], (url) => ({ url })],
    ["video", ["video_url"], (video_url) => ({ video_url })],
    ["video", ["thumbnail_url"], (thumbnail_url) => ({ thumbnail_url })],
    [
      "text",
      ["blocks", 0, "items", 0, "url"],
      (url) => ({ blocks: [{ type: "link_list", items: link(url) }] }),
    ],
    ["resource", ["resources", 0, "url"], (url) => ({ resources: link(url) })],
  ];
  for (const [type, path, dataOf] of shapes) {
    const given = (url: string) => ({ data_json: dataOf(url) });
    const content_type_id = await typeId(type);
    expect(
      (await teacher.put(`/content/${item.id}`, { content_type_id, ...given("https://a.example") })).status,
    ).toBe(200);
    for (const refused of [
      await teacher.post("/content", contentOf({ content_type_id, ...given("javascript:alert(1)") })),
      await teacher.put(`/content/${item.id}`, given("data:text/html,x")),
    ]) {
      expect(refused.status).toBe(422);
      expect(refused.body.detail[0].loc).toEqual(["body", "data_json", ...path]);
    }
  }
});

it("assets and question pools that data_json names are of the item's university, or shared", async () => {
  const { university, teacher, contentOf, create } = await taught();
  const foreign = await make.topic();
  const { db } = world.deps;
  const asset = async (university_id: number | null) => {
    const values = { university_id, url: "https://cdn.example.edu/a.png", asset_type: "image" };
    const [{ id = 0 } = {}] = await db.insert(assets).values(values).returning();
    return id;
  };
  const pool = async (university_id: number) => {
    const values = { university_id, title: "Pool" };
    const [{ id = 0 } = {}] = await db.insert(questionPools).values(values).returning();
    return id;
  };
  const [own, shared, others] = [
    await asset(university.id),
    await asset(null),
    await asset(foreign.university.id),
  ];
  const [ownPool, othersPool] = [await pool(university.id), await pool(foreign.university.id)];
  const texts = (...ids: number[]) => ({ blocks: ids.map((asset_id) => ({ type: "image", asset_id })) });
  const tried: [type: string, data_json: object, missing: string | undefined][] = [
    ["text", texts(own, shared), undefined],
    ["text", texts(own, others), `asset_id '${others}'`],
    ["video", { asset_id: null }, undefined],
    ["video", { asset_id: own }, undefined],
    ["video", { asset_id: 2_147_483_647 }, "asset_id '2147483647'"],
    ["quiz", { question_pool_id: ownPool }, undefined],
    ["quiz", { question_pool_id: othersPool }, `question_pool_id '${othersPool}'`],
    ["assignment", { asset_id: "free", question_pool_id: 2_147_483_647 }, undefined],
  ];
  const item = await create();
  for (const [type, data_json, missing] of tried) {
    const given = { content_type_id: await typeId(type), data_json };
    const detail = missing && `Content item ${missing} does not exist`;
    for (const reply of [
      await teacher.post("/content", contentOf(given)),
      await teacher.put(`/content/${item.id}`, given),
    ])
      expect([reply.status < 300, reply.body.detail], JSON.stringify(given)).toEqual([!missing, detail]);
  }
  const free = await create({ content_type_id: await typeId("assignment"), data_json: { asset_id: others } });
  const changed = await teacher.put(`/content/${free.id}`, { content_type_id: await typeId("video") });
  expect(changed.body.detail).toBe(`Content item asset_id '${others}' does not exist`);
});

it("a quiz draws from a pool of another course only if the author may read its questions", async () => {
  const { university, item } = await taught();
  const [own, other] = [await make.department(university.id), await make.department(university.id)];
  const elsewhere = await make.questionPool(await make.course(university.id, { department_id: other.id }));
  await world.deps.db.update(courses).set({ department_id: own.id }).where(eq(courses.id, item.course_id));
  const write = async (department: number | null, more: object) =>
    world
      .as(await make.holder("instructor", university.id, department))
      .put(`/content/${item.id}`, { content_type_id: await typeId("quiz"), ...more });
  const data_json = { question_pool_id: elsewhere.pool.id };
  const missing = { detail: `Content item question_pool_id '${elsewhere.pool.id}' does not exist` };
  expect((await write(own.id, { data_json })).body).toEqual(missing);
  // Also not in two steps, the first without a pool.
  expect((await write(own.id, { content_type_id: await typeId("assignment"), data_json })).status).toBe(200);
  expect((await write(own.id, {})).body).toEqual(missing);
  expect((await write(null, { data_json })).status).toBe(200);
  // Editing other fields keeps a setting that only others may change.
  expect((await write(own.id, { data_json: { ...data_json, quiz_mode: "exam" } })).status).toBe(200);
});

it("a quiz draws from a pool of the whole university only if the author may read it, unless it does so already", async () => {
  const { university, item, contentOf } = await taught();
  const own = await make.department(university.id);
  await world.deps.db.update(courses).set({ department_id: own.id }).where(eq(courses.id, item.course_id));
  const shared = { university_id: university.id, title: "Finals" };
  const [pool] = await world.deps.db.insert(questionPools).values(shared).returning();
  const quiz = { content_type_id: await typeId("quiz"), data_json: { question_pool_id: pool?.id } };
  const [theirs, everyones] = [
    world.as(await make.holder("instructor", university.id, own.id)),
    world.as(await make.holder("instructor", university.id)),
  ];
  const missing = `Content item question_pool_id '${pool?.id}' does not exist`;
  expect((await theirs.get(`/assessments/question-pools/${pool?.id}`)).status).toBe(404);
  for (const reply of [
    await theirs.post("/content", contentOf(quiz)),
    await theirs.put(`/content/${item.id}`, quiz),
  ])
    expect([reply.status, reply.body.detail]).toEqual([400, missing]);
  expect((await everyones.put(`/content/${item.id}`, quiz)).status).toBe(200);
  const data_json = { ...quiz.data_json, quiz_mode: "exam" };
  expect((await theirs.put(`/content/${item.id}`, { data_json })).status).toBe(200);
});

it("only the course's own instructors and above write", async () => {
  const { university, item, contentOf } = await taught();
  const retired = await make.contentItem({ id: item.module_id, course_id: item.course_id }, university.id, {
    is_active: false,
  });
  const strangers = [
    await make.holder("student", university.id),
    await make.holder("ta", university.id),
    await make.holder("instructor", (await make.university()).id),
    await make.holder("instructor", university.id, (await make.department(university.id)).id),
  ];
  for (const stranger of strangers.map((person) => world.as(person))) {
    expect((await stranger.post("/content", contentOf())).status).toBe(403);
    expect((await stranger.put(`/content/${item.id}`, { title: "Mine" })).status).toBe(403);
    expect((await stranger.post("/content/reorder", { content_ids: [item.id] })).status).toBe(403);
    expect((await stranger.delete(`/content/${item.id}`)).status).toBe(403);
  }
  const student = world.as(await make.holder("student", university.id));
  expect((await student.put(`/content/${retired.id}`, { title: "Mine" })).status).toBe(404);
  expect((await student.delete(`/content/${retired.id}`)).status).toBe(404);
  expect((await student.post("/content/reorder", { content_ids: [retired.id] })).status).toBe(400);
  expect((await world.as().post("/content", contentOf())).status).toBe(401);
});

it("a change keeps absent fields, clears null ones and retires inactive items", async () => {
  const { teacher, create } = await taught();
  const item = await create({ description: "Old", estimated_duration_seconds: 60 });
  const path = `/content/${item.id}`;
  const changed = await teacher.put(path, { title: "New", estimated_duration_seconds: null });
  expect(changed.body).toMatchObject({ title: "New", description: "Old", estimated_duration_seconds: null });
  expect((await teacher.put(path, {})).body).toEqual(changed.body);
  expect((await teacher.put(path, { data_json: null })).status).toBe(422);
  expect((await teacher.put(path, { is_active: false })).body.is_active).toBe(false);
  expect((await world.as().get(path)).status).toBe(404);
  expect((await teacher.put("/content/2147483647", {})).body.detail).toBe("Content item not found");
});

it("the data of an item must fit its new type", async () => {
  const { teacher, create } = await taught();
  const item = await create({ data_json: { layout: "wide", resources: "none" } });
  const path = `/content/${item.id}`;
  const resource = await typeId("resource");
  const misfit = await teacher.put(path, { content_type_id: resource });
  expect(misfit.status).toBe(422);
  expect(misfit.body.detail[0].loc).toEqual(["body", "data_json", "resources"]);
  const fitted = await teacher.put(path, { content_type_id: resource, data_json: { resources: [] } });
  expect(fitted.body).toMatchObject({ content_type: { name: "resource" }, data_json: { resources: [] } });
  expect((await teacher.put(path, { content_type_id: 999 })).status).toBe(400);
});

it("a change of type does not expose staff-only data", async () => {
  const { teacher, create } = await taught();
  const [lab, quiz, text] = [await typeId("engineering_lab"), await typeId("quiz"), await typeId("text")];
  for (const [content_type_id, data_json] of [
    [lab, { files: [{ path: "test.py", role: "hidden_test" }] }],
    [quiz, { questions: [{ text: "2 + 2?", answer: 4 }] }],
  ] as const) {
    const { id } = await create({ content_type_id, data_json });
    const refused = await teacher.put(`/content/${id}`, { content_type_id: text });
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toMatchObject([{ loc: ["body", "data_json"], type: "value_error" }]);
    const again = await teacher.put(`/content/${id}`, { content_type_id: text, data_json: {} });
    expect(again.body).toMatchObject({ content_type: { name: "text" }, data_json: {} });
  }
});

it("a new type and new data that fit only separately are never both accepted", async () => {
  const { teacher, create } = await taught();
  const [text, video] = [await typeId("text"), await typeId("video")];
  for (let round = 0; round < 5; round += 1) {
    const { id } = await create({ content_type_id: text, data_json: {} });
    await Promise.all([
      teacher.put(`/content/${id}`, { content_type_id: video }),
      teacher.put(`/content/${id}`, { data_json: { url: 5 } }),
    ]);
    const { content_type, data_json } = (await teacher.get(`/content/${id}`)).body;
    expect([content_type.name, data_json]).not.toEqual(["video", { url: 5 }]);
  }
});

it("an item moves to another module of its course, last there unless it has a position", async () => {
  const { teacher, create, course } = await taught();
  const target = (await make.module(course.id)).id;
  await create({ module_id: target, sequence_index: 6 });
  const { id } = await create();
  const moved = await teacher.put(`/content/${id}`, { module_id: target });
  expect(moved.body).toMatchObject({ module_id: target, sequence_index: 7 });
  expect((await teacher.put(`/content/${id}`, { module_id: target })).body.sequence_index).toBe(7);
  expect((await teacher.put(`/content/${id}`, { sequence_index: 6 })).status).toBe(400);
  const foreign = (await make.topic()).module.id;
  expect((await teacher.put(`/content/${id}`, { module_id: foreign })).status).toBe(400);
});

it("an item can be deleted unless a learner has worked on it", async () => {
  const { teacher, create, offering, item } = await taught();
  const user_id = (await make.person()).id;
  await world.deps.db
    .insert(userContentProgress)
    .values({ user_id, course_offering_id: offering.id, content_item_id: item.id });
  const refused = await teacher.delete(`/content/${item.id}`);
  expect(refused.status).toBe(400);
  expect(refused.body.detail).toBe(
    "Content item is in use: learners have progress, chats, attempts or notes on it",
  );
  const { id } = await create();
  expect((await teacher.delete(`/content/${id}`)).status).toBe(204);
  expect((await teacher.delete(`/content/${id}`)).status).toBe(404);
});

it("of a concurrent deletion and first progress, only one succeeds", async () => {
  const { teacher, create, offering } = await taught();
  const learner = await make.person();
  await make.enrollment(learner.id, offering.id);
  for (let round = 0; round < 5; round += 1) {
    const { id } = await create();
    const progress = { content_item_id: id, course_offering_id: offering.id, progress_percent: 5 };
    const answers = await Promise.all([
      teacher.delete(`/content/${id}`),
      world.as(learner).post("/progress/content", progress),
    ]);
    expect([
      [204, 400],
      [400, 200],
    ]).toContainEqual(answers.map(({ status }) => status));
  }
});

it("reordering puts the named items first and numbers from 1", async () => {
  const { teacher, create, course } = await taught();
  const module_id = (await make.module(course.id)).id;
  const [a, b, c] = [await create({ module_id }), await create({ module_id }), await create({ module_id })];
  const reply = await teacher.post("/content/reorder", { content_ids: [c.id] });
  expect(reply.status).toBe(200);
  expect(reply.body.map(({ id }: { id: number }) => id)).toEqual([c.id, a.id, b.id]);
  expect((await world.as().get(`/content/modules/${module_id}/content`)).body).toEqual(reply.body);

  const elsewhere = await create();
  for (const content_ids of [
    [a.id, elsewhere.id],
    [a.id, a.id],
  ]) {
    const refused = await teacher.post("/content/reorder", { content_ids });
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toBe("content_ids must be items of one module, each named once");
  }
});

it("concurrent reorders, creations and moves leave a clean permutation", async () => {
  const { teacher, create, course } = await taught();
  const [from, to] = [(await make.module(course.id)).id, (await make.module(course.id)).id];
  const ids: number[] = [];
  for (let made = 0; made < 8; made += 1) ids.push((await create({ module_id: made < 6 ? to : from })).id);
  const staying = ids.slice(0, 6);
  const changes = Array.from({ length: 5 }, (_, turn) => [
    teacher.post("/content/reorder", { content_ids: staying.toSpliced(turn, 1).reverse() }),
    create({ module_id: to }),
    teacher.put(`/content/${ids[6 + (turn % 2)]}`, { module_id: turn % 3 ? to : from }),
    teacher.post("/content/reorder", { content_ids: staying }),
  ]).flat();
  const answers: { status?: number }[] = await Promise.all(changes);
  expect(answers.filter(({ status }) => status !== undefined && status !== 200)).toEqual([]);
  const { body } = await teacher.post("/content/reorder", { content_ids: staying });
  const positions = body.map(({ sequence_index }: { sequence_index: number }) => sequence_index);
  expect(positions).toEqual(positions.map((_: number, at: number) => at + 1));
});
