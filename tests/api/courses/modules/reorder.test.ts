import { expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

type Ordered = { id: number; sequence_index: number };

const orderIn = (reply: { body: Ordered[] }) =>
  reply.body.map(({ id, sequence_index }) => [id, sequence_index]);

async function siblings(count: number) {
  const university = await make.university();
  const course = await make.course(university.id);
  const teacher = world.as(await make.holder("instructor", university.id));
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1)
    ids.push((await make.module(course.id, { sequence_index: 3 * index })).id);
  const reorder = (module_ids: number[]) => teacher.post("/modules/reorder", { module_ids });
  return { course, teacher, ids, reorder };
}

it("puts the named siblings first, the others after them in their old order, numbered from 1", async () => {
  const { course, teacher, ids, reorder } = await siblings(4);
  const [a = 0, b = 0, c = 0, d = 0] = ids;
  const reply = await reorder([d, b]);
  expect(reply.status).toBe(200);
  expect(orderIn(reply)).toEqual([
    [d, 1],
    [b, 2],
    [a, 3],
    [c, 4],
  ]);
  expect(orderIn(await teacher.get(`/modules/courses/${course.id}/modules/root`))).toEqual(orderIn(reply));
});

it("leaves modules of another parent unchanged", async () => {
  const { course, teacher, ids, reorder } = await siblings(2);
  const child = await make.module(course.id, { parent_module_id: ids[0] ?? null, sequence_index: 5 });
  await reorder(ids.toReversed());
  expect((await teacher.get(`/modules/${child.id}`)).body.sequence_index).toBe(5);
});

it("rejects ids that are not siblings, are repeated, or do not exist", async () => {
  const { course, ids, reorder } = await siblings(2);
  const [a = 0, b = 0] = ids;
  const child = await make.module(course.id, { parent_module_id: a });
  const foreign = await make.topic();
  for (const wrong of [
    [a, child.id],
    [a, b, a],
    [a, foreign.module.id],
    [a, 2_147_483_647],
  ]) {
    const reply = await reorder(wrong);
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toBe("module_ids must be siblings, each named once");
  }
  expect((await reorder([2_147_483_647, a])).body.detail).toBe(
    "Module module_ids '2147483647' does not exist",
  );
  expect((await reorder([])).status).toBe(422);
});

it("concurrent reorders and creations leave a clean permutation", async () => {
  const { course, teacher, ids, reorder } = await siblings(8);
  const changes = Array.from({ length: 6 }, (_, turn) => [
    reorder(ids.toSorted((one, two) => ((one * (turn + 3)) % 17) - ((two * (turn + 3)) % 17))),
    teacher.post("/modules", { course_id: course.id, title: "New", module_type: "LESSON" }),
    reorder(ids.slice(turn % 4)),
  ]).flat();
  const answers = await Promise.all(changes);
  expect(answers.map(({ status }) => status).filter((status) => status >= 400)).toEqual([]);
  const { body } = await reorder(ids.slice(0, 1));
  expect(body.map(({ sequence_index }: Ordered) => sequence_index)).toEqual(
    body.map((_: Ordered, at: number) => at + 1),
  );
  expect(body).toHaveLength(14);
});
