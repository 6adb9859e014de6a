import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { contentItems } from "../../../../schema/db/courses/content-items.ts";
import { modules } from "../../../../schema/db/courses/modules.ts";
import { userContentProgress, userModuleProgress } from "../../../../schema/db/courses/progress.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function taught() {
  const university = await make.university();
  const course = await make.course(university.id);
  const teacher = world.as(await make.holder("instructor", university.id));
  const unit = (more: object = {}) => ({ course_id: course.id, title: "Unit", module_type: "UNIT", ...more });
  const create = async (more: object = {}) => (await teacher.post("/modules/", unit(more))).body;
  return { university, course, teacher, unit, create };
}

it("an instructor creates a module, in any letter case of its type, unpublished at first", async () => {
  const { course, teacher } = await taught();
  const sent = {
    course_id: course.id,
    parent_module_id: null,
    title: "  Signals  ",
    description: "What they are",
    module_type: "chapter",
    sequence_index: 0,
  };
  const reply = await teacher.post("/modules/", sent);
  expect(reply.status).toBe(201);
  expect(reply.body).toMatchObject({
    ...sent,
    title: "Signals",
    module_type: "CHAPTER",
    module_template_id: null,
    depth: 0,
    is_published: false,
  });
  expect((await teacher.get(`/modules/${reply.body.id}`)).body).toEqual(reply.body);
});

it("without a sequence_index a module is placed after its last sibling; a taken one is a 400", async () => {
  const { teacher, unit, create } = await taught();
  expect((await create()).sequence_index).toBe(1);
  expect((await create({ sequence_index: 7 })).sequence_index).toBe(7);
  const last = await create();
  expect(last.sequence_index).toBe(8);
  expect(await create({ parent_module_id: last.id })).toMatchObject({ sequence_index: 1, depth: 1 });
  const taken = await teacher.post("/modules", unit({ sequence_index: 7 }));
  expect(taken.status).toBe(400);
  expect(taken.body.detail).toBe("Module sequence_index '7' is already taken");
});

it("twenty modules created concurrently without a sequence_index get twenty consecutive positions", async () => {
  const { create } = await taught();
  const made = await Promise.all(Array.from({ length: 20 }, () => create()));
  const positions = made.map(({ sequence_index }) => sequence_index).sort((a, b) => a - b);
  expect(positions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});

it("references of a module must exist, and its parent must be in the same course", async () => {
  const { teacher, unit } = await taught();
  const elsewhere = await make.topic();
  const refused = async (more: object) => {
    const reply = await teacher.post("/modules", unit(more));
    expect(reply.status).toBe(400);
    return reply.body.detail;
  };
  expect(await refused({ course_id: 2_147_483_647 })).toBe("Module course_id '2147483647' does not exist");
  const foreign = elsewhere.module.id;
  expect(await refused({ parent_module_id: foreign })).toBe(
    `Module parent_module_id '${foreign}' does not exist`,
  );
  expect(await refused({ module_template_id: 999 })).toBe("Module module_template_id '999' does not exist");
});

it("a module takes its template's values for absent fields", async () => {
  const { university, teacher, create } = await taught();
  const default_data = { description: "What to do", is_published: true, minutes: 45 };
  const template = { template_type: "UNIT", title: "Weekly unit", description: "For weeks" };
  const { body } = await teacher.post("/module-templates/", {
    ...template,
    university_id: university.id,
    default_data,
  });
  expect(body.default_data).toEqual(default_data);
  const from = { module_template_id: body.id };
  expect(await create(from)).toMatchObject({ ...from, description: "What to do", is_published: true });
  const said = { description: null, is_published: false };
  expect(await create({ ...from, ...said })).toMatchObject(said);

  const plain = await teacher.post("/module-templates/", { ...template, university_id: university.id });
  const bare = await create({ module_template_id: plain.body.id });
  expect(bare).toMatchObject({ description: null, is_published: false });
  const moved = await teacher.put(`/modules/${bare.id}`, from);
  expect(moved.body, "which is for new modules alone").toMatchObject({ ...from, description: null });
});

it("a template is of the course's university or of the platform: another's is reported as missing", async () => {
  const { university, teacher, unit, create } = await taught();
  const template = { template_type: "UNIT", title: "Unit", default_data: { description: "theirs" } };
  const admin = world.as(await make.holder("platform_admin", university.id));
  const elsewhere = await make.university();
  const theirs = await admin.post("/module-templates/", { ...template, university_id: elsewhere.id });
  const everyones = await admin.post("/module-templates/", template);
  const { id } = await create({ module_template_id: everyones.body.id });

  const foreign = { module_template_id: theirs.body.id };
  for (const refused of [
    await teacher.post("/modules/", unit(foreign)),
    await teacher.put(`/modules/${id}`, foreign),
    await admin.post("/modules/", unit(foreign)),
  ])
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      `Module module_template_id '${foreign.module_template_id}' does not exist`,
    ]);
  expect((await teacher.get(`/modules/${id}`)).body.module_template_id).toBe(everyones.body.id);
  const stranger = world.as(await make.holder("instructor", elsewhere.id));
  expect((await stranger.put(`/modules/${id}`, foreign)).status).toBe(404);
  expect((await teacher.put(`/modules/${id}`, { module_template_id: null })).status).toBe(200);
});

it("a template's values for modules have the types of a module's fields", async () => {
  const { university, teacher } = await taught();
  const template = { template_type: "UNIT", title: "Unit", university_id: university.id };
  for (const [default_data, field] of [
    [{ is_published: "yes" }, "is_published"],
    [{ description: 7 }, "description"],
  ] as const) {
    const refused = await teacher.post("/module-templates/", { ...template, default_data });
    expect(refused.status).toBe(422);
    expect(refused.body.detail[0].loc).toEqual(["body", "default_data", field]);
  }
});

it("input that breaks the schema is a 422 that names the field", async () => {
  const { teacher, unit } = await taught();
  const faults = async (more: object) => {
    const reply = await teacher.post("/modules", unit(more));
    expect(reply.status).toBe(422);
    return reply.body.detail.map(({ loc }: { loc: string[] }) => loc.join("."));
  };
  expect(await faults({ title: " ", module_type: "volume" })).toEqual(["body.module_type", "body.title"]);
  expect(await faults({ sequence_index: -1 })).toEqual(["body.sequence_index"]);
  expect(await faults({ title: null })).toEqual(["body.title"]);
  expect(await faults({ course_id: 0 })).toEqual(["body.course_id"]);
});

it("only the course's own instructors and above write; others get 401, 403 or nothing to see", async () => {
  const { university, course, unit, create } = await taught();
  const module = await create({ is_published: true });
  const hidden = await create();
  const otherDepartment = await make.department(university.id);
  const strangers = [
    await make.person(),
    await make.holder("student", university.id),
    await make.holder("ta", university.id),
    await make.holder("university_admin", (await make.university()).id),
    await make.holder("instructor", university.id, otherDepartment.id),
  ];
  for (const stranger of strangers.map((person) => world.as(person))) {
    expect((await stranger.post("/modules", unit())).body).toEqual({ detail: "Not enough permissions" });
    expect((await stranger.put(`/modules/${module.id}`, { title: "Mine" })).status).toBe(403);
    expect((await stranger.post("/modules/reorder", { module_ids: [module.id] })).status).toBe(403);
    expect((await stranger.delete(`/modules/${module.id}`)).status).toBe(403);
  }
  const student = world.as(await make.holder("student", university.id));
  expect((await student.put(`/modules/${hidden.id}`, { title: "Mine" })).status).toBe(404);
  expect((await student.delete(`/modules/${hidden.id}`)).status).toBe(404);
  expect((await student.post("/modules/reorder", { module_ids: [hidden.id] })).status).toBe(400);
  expect((await world.as().post("/modules", unit())).status).toBe(401);
  const unpublished = await make.course(university.id, { is_published: false });
  expect((await student.post("/modules", unit({ course_id: unpublished.id }))).status).toBe(400);
  const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
  expect((await admin.post("/modules", unit({ course_id: course.id }))).status).toBe(201);
});

it("a change keeps absent fields and clears null ones; an empty one changes nothing", async () => {
  const { teacher, create } = await taught();
  const module = await create({ description: "Old" });
  const renamed = await teacher.put(`/modules/${module.id}`, { title: "New", is_published: true });
  expect(renamed.body).toMatchObject({ title: "New", description: "Old", is_published: true });
  const cleared = await teacher.put(`/modules/${module.id}`, { description: null, unknown: 1 });
  expect(cleared.body).toMatchObject({ title: "New", description: null });
  expect((await teacher.put(`/modules/${module.id}`, {})).body).toEqual(cleared.body);
  expect((await teacher.put(`/modules/${module.id}`, { title: null })).status).toBe(422);
  expect((await teacher.put("/modules/2147483647", {})).body.detail).toBe("Module not found");
});

it("a move updates the subtree's depths and is placed after the new siblings", async () => {
  const { teacher, create } = await taught();
  const target = await create();
  const sibling = await create({ parent_module_id: target.id, sequence_index: 4 });
  const moved = await create();
  const child = await create({ parent_module_id: moved.id });
  const grandchild = await create({ parent_module_id: child.id });

  const reply = await teacher.put(`/modules/${moved.id}`, { parent_module_id: target.id });
  expect(reply.body).toMatchObject({ parent_module_id: target.id, depth: 1, sequence_index: 5 });
  expect((await teacher.get(`/modules/${grandchild.id}`)).body.depth).toBe(3);

  const stayed = await teacher.put(`/modules/${moved.id}`, { parent_module_id: target.id });
  expect(stayed.body.sequence_index).toBe(5);
  const clash = { parent_module_id: target.id, sequence_index: sibling.sequence_index };
  expect((await teacher.put(`/modules/${moved.id}`, clash)).status).toBe(400);
  const back = await teacher.put(`/modules/${moved.id}`, { parent_module_id: null, sequence_index: 9 });
  expect(back.body).toMatchObject({ parent_module_id: null, depth: 0, sequence_index: 9 });
  expect((await teacher.get(`/modules/${child.id}`)).body.depth).toBe(1);
});

it("a module moves neither below itself nor into another course", async () => {
  const { teacher, create, university } = await taught();
  const top = await create();
  const middle = await create({ parent_module_id: top.id });
  const bottom = await create({ parent_module_id: middle.id });
  for (const parent_module_id of [top.id, middle.id, bottom.id]) {
    const reply = await teacher.put(`/modules/${top.id}`, { parent_module_id });
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toBe("A module cannot be moved below itself");
  }
  const other = await make.module((await make.course(university.id)).id);
  expect((await teacher.put(`/modules/${top.id}`, { parent_module_id: other.id })).status).toBe(400);
});

it("modules nest 32 deep and no deeper, by creation or by a move", async () => {
  const { teacher, create, unit } = await taught();
  let deepest = await create();
  for (let depth = 1; depth <= 32; depth += 1) deepest = await create({ parent_module_id: deepest.id });
  expect(deepest.depth).toBe(32);
  const refused = await teacher.post("/modules", unit({ parent_module_id: deepest.id }));
  expect(refused.status).toBe(400);
  expect(refused.body.detail).toBe("Modules can be nested at most 32 deep");
  const pair = await create();
  await create({ parent_module_id: pair.id });
  const move = { parent_module_id: deepest.parent_module_id };
  expect((await teacher.put(`/modules/${pair.id}`, move)).body.detail).toBe(
    "Modules can be nested at most 32 deep",
  );
});

it("of two moves that would only together form a cycle, one is rejected", async () => {
  const { teacher, course, create } = await taught();
  for (let round = 0; round < 5; round += 1) {
    const [one, two] = [await create(), await create()];
    await create({ parent_module_id: one.id });
    const answers = await Promise.all([
      teacher.put(`/modules/${one.id}`, { parent_module_id: two.id }),
      teacher.put(`/modules/${two.id}`, { parent_module_id: one.id }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const listed = await teacher.get(`/modules/courses/${course.id}/modules`);
    expect(listed.body).toHaveLength(3 * (round + 1));
  }
});

it("concurrent moves of a subtree and of its parts leave every depth right", async () => {
  const { teacher, course, create } = await taught();
  const [left, right] = [await create(), await create()];
  const top = await create({ parent_module_id: left.id });
  const part = await create({ parent_module_id: top.id });
  const moves = Array.from({ length: 6 }, (_, turn) => [
    teacher.put(`/modules/${top.id}`, { parent_module_id: turn % 2 ? left.id : null }),
    teacher.put(`/modules/${part.id}`, { parent_module_id: turn % 2 ? right.id : top.id }),
  ]).flat();
  expect((await Promise.all(moves)).map(({ status }) => status)).toEqual(moves.map(() => 200));
  const { body } = await teacher.get(`/modules/courses/${course.id}/modules`);
  const depths = new Map(body.map((one: { id: number; depth: number }) => [one.id, one.depth]));
  for (const { parent_module_id, depth } of body)
    expect(depth).toBe(parent_module_id === null ? 0 : Number(depths.get(parent_module_id)) + 1);
});

it("a deletion includes the subtree and its content, unless a learner has worked in it", async () => {
  const { university, course, teacher, create } = await taught();
  const offering = await make.offering(course);
  const top = await create();
  const below = await create({ parent_module_id: top.id });
  const item = await make.contentItem(below, university.id);
  const where = { user_id: (await make.person()).id, course_offering_id: offering.id };
  const { db } = world.deps;

  await db.insert(userContentProgress).values({ ...where, content_item_id: item.id });
  const refused = await teacher.delete(`/modules/${top.id}`);
  expect(refused.status).toBe(400);
  expect(refused.body.detail).toBe(
    "Module is in use: learners have progress, chats, attempts or notes in it",
  );
  await db.delete(userContentProgress);
  // Creating the item created progress in its module.
  expect((await teacher.delete(`/modules/${top.id}`)).status).toBe(400);
  await db.delete(userModuleProgress);

  expect((await teacher.delete(`/modules/${top.id}`)).status).toBe(204);
  expect(await db.select().from(modules).where(eq(modules.course_id, course.id))).toEqual([]);
  expect(await db.select().from(contentItems).where(eq(contentItems.course_id, course.id))).toEqual([]);
  expect((await teacher.delete(`/modules/${top.id}`)).status).toBe(404);
});
