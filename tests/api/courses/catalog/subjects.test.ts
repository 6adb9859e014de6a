import { expect, it } from "vitest";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

const platformAdmin = async () => world.as(await make.holder("platform_admin", (await make.university()).id));

async function subject(admin: Client, parent_subject_id?: number): Promise<number> {
  const { body } = await admin.post("/subjects", {
    code: make.unique("S"),
    name: "Subject",
    parent_subject_id,
  });
  return body.id;
}

async function chain(admin: Client, length: number, top?: number): Promise<number[]> {
  const ids: number[] = [];
  for (let parent = top; ids.length < length; parent = ids.at(-1)) ids.push(await subject(admin, parent));
  return ids;
}

const read = async (id: number | undefined) => (await world.as().get(`/subjects/${id}`)).body;

const depths = async (ids: number[]) => Promise.all(ids.map(async (id) => (await read(id)).depth));

const under = (parent_subject_id: number | undefined) => ({ parent_subject_id });

it("a subject's depth is its parent's plus 1, regardless of the request", async () => {
  const admin = await platformAdmin();
  const [top, middle] = await chain(admin, 2);
  expect(await depths([top ?? 0, middle ?? 0])).toEqual([0, 1]);
  const sent = { code: make.unique("S"), name: "Leaf", parent_subject_id: middle, depth: 7 };
  expect((await admin.post("/subjects", sent)).body.depth).toBe(2);
});

it("a move takes the depths of the whole subtree along", async () => {
  const admin = await platformAdmin();
  const moved = await chain(admin, 3);
  const target = await chain(admin, 4);
  const answer = await admin.put(`/subjects/${moved[0]}`, under(target[3]));
  expect(answer.body).toMatchObject({ parent_subject_id: target[3], depth: 4 });
  expect(await depths(moved)).toEqual([4, 5, 6]);
  expect((await admin.put(`/subjects/${moved[1]}`, under(undefined))).status).toBe(200);
  expect(await depths(moved)).toEqual([4, 5, 6]);
  expect((await admin.put(`/subjects/${moved[1]}`, { parent_subject_id: null })).body.depth).toBe(0);
  expect(await depths(moved)).toEqual([4, 0, 1]);
});

it("a subject moves neither below itself nor below a missing subject", async () => {
  const admin = await platformAdmin();
  const [top, middle, leaf] = await chain(admin, 3);
  for (const parent of [top, middle, leaf]) {
    const refused = await admin.put(`/subjects/${top}`, under(parent));
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      `Subject parent_subject_id '${parent}' cannot be the subject itself or below it`,
    ]);
  }
  const nowhere = await admin.put(`/subjects/${top}`, under(2_147_483_647));
  expect([nowhere.status, nowhere.body.detail]).toEqual([
    400,
    "Subject parent_subject_id '2147483647' does not exist",
  ]);
  const unborn = await admin.post("/subjects", {
    code: make.unique("S"),
    name: "S",
    ...under(2_147_483_647),
  });
  expect(unborn.status).toBe(400);
  expect(await depths([top ?? 0, middle ?? 0, leaf ?? 0])).toEqual([0, 1, 2]);
});

it("of two concurrent moves that would form a cycle, one is rejected", async () => {
  const admin = await platformAdmin();
  for (let round = 0; round < 10; round++) {
    const one = await chain(admin, 2);
    const other = await chain(admin, 2);
    const answers = await Promise.all([
      admin.put(`/subjects/${one[0]}`, under(other[1])),
      admin.put(`/subjects/${other[0]}`, under(one[1])),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await depths([...one, ...other])).sort()).toEqual([0, 1, 2, 3]);
  }
});

it("concurrent moves, creations and renamings leave every depth at its parent's plus 1", async () => {
  const admin = await platformAdmin();
  const ids = await chain(admin, 6);
  const [top, ...rest] = ids;
  const homes = await chain(admin, 3);
  const answers = await Promise.all([
    admin.put(`/subjects/${top}`, under(homes[2])),
    admin.put(`/subjects/${ids[2]}`, under(homes[0])),
    admin.put(`/subjects/${ids[4]}`, { parent_subject_id: null }),
    ...rest.map((id) => admin.put(`/subjects/${id}`, { name: "Renamed" })),
    ...ids.map((id) => admin.post("/subjects", { code: make.unique("S"), name: "Child", ...under(id) })),
  ]);
  expect(answers.filter(({ status }) => status >= 400)).toEqual([]);

  const { body: all } = await admin.get("/subjects?limit=1000");
  const depthOf = new Map<number | null, number>(
    all.map((one: { id: number; depth: number }) => [one.id, one.depth]),
  );
  for (const one of all) expect(one.depth).toBe((depthOf.get(one.parent_subject_id) ?? -1) + 1);
});

it("the list is narrowed by parent and by domain", async () => {
  const admin = await platformAdmin();
  const domain = await admin.post("/domains", { code: make.unique("D"), name: "Engineering" });
  const [parent] = await chain(admin, 1);
  const fields = { name: "Filters", parent_subject_id: parent, domain_id: domain.body.id };
  const both = await admin.post("/subjects", { ...fields, code: make.unique("S") });
  const below = await subject(admin, parent);

  const ids = async (query: string) =>
    (await world.as().get(`/subjects/?${query}`)).body.map(({ id }: { id: number }) => id);
  expect(await ids(`parent_subject_id=${parent}`)).toEqual([both.body.id, below]);
  expect(await ids(`parent_subject_id=${parent}&skip=1&limit=5`)).toEqual([below]);
  expect(await ids(`domain_id=${domain.body.id}`)).toEqual([both.body.id]);
  expect(await ids(`domain_id=${domain.body.id}&parent_subject_id=${below}`)).toEqual([]);
  expect((await world.as().get("/subjects?domain_id=x")).body.detail).toMatchObject([
    { loc: ["query", "domain_id"], type: "int_parsing" },
  ]);
});

it("a domain that does not exist is a 400", async () => {
  const sent = { code: make.unique("S"), name: "Signals", domain_id: 2_147_483_647 };
  const refused = await (await platformAdmin()).post("/subjects", sent);
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    "Subject domain_id '2147483647' does not exist",
  ]);
});
