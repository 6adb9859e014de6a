import { describe, expect, it } from "vitest";
import { makersOf } from "../../../support/makers.ts";
import { openWorld } from "../../../support/world.ts";

const world = openWorld();
const make = makersOf(world);

async function learnerWithNote(body = "Half of the sampling rate") {
  const { item, module, university } = await make.topic();
  const me = world.as(await make.person());
  const note = await me.post("/study/notes", { content_item_id: item.id, body });
  expect(note.status).toBe(201);
  return { me, item, module, university, note: note.body, path: `/study/notes/${note.body.id}` };
}

describe("a note", () => {
  it("is written at a position of an item, changed, and deleted", async () => {
    const { me, item } = await learnerWithNote();
    const anchor = { block: 2, seconds: 12.5, quote: "the rate" };
    const body = "<script>alert(1)</script> & “beats”";
    const made = await me.post("/study/notes", { content_item_id: item.id, body, anchor });
    expect(made.body).toMatchObject({ body, anchor, language_code: "en" });
    const path = `/study/notes/${made.body.id}`;
    expect((await me.put(path, { anchor: null })).body).toMatchObject({ body, anchor: null });
    expect((await me.put(path, {})).body).toEqual((await me.get(path)).body);
    expect((await me.delete(path)).status).toBe(204);
    expect((await me.get(path)).status).toBe(404);
  });

  it("of another user is a 404 for every role", async () => {
    const { item, university, path } = await learnerWithNote();
    for (const role of ["student", "instructor", "university_admin", "platform_admin"] as const) {
      const other = world.as(await make.holder(role, university.id));
      for (const reply of [
        await other.get(path),
        await other.put(path, { body: "Mine" }),
        await other.delete(path),
      ])
        expect([reply.status, reply.body]).toEqual([404, { detail: "Note not found" }]);
      expect((await other.get(`/study/notes?content_item_id=${item.id}`)).body).toEqual([]);
    }
  });

  it("is not lost with its item: that cannot be deleted any more, only retired", async () => {
    const { me, item, module, university, note, path } = await learnerWithNote();
    const staff = world.as(await make.holder("department_admin", university.id));
    for (const at of [`/content/${item.id}`, `/modules/${module.id}`])
      expect((await staff.delete(at)).body.detail).toMatch(/is in use: learners have .+ notes/);
    expect((await staff.put(`/content/${item.id}`, { is_active: false })).status).toBe(200);
    expect((await me.get(path)).body).toEqual(note);
  });

  it("takes an item that its writer sees", async () => {
    const { item } = await make.topic({ is_published: false });
    const reply = await world
      .as(await make.person())
      .post("/study/notes", { content_item_id: item.id, body: "N" });
    expect([reply.status, reply.body.detail]).toEqual([404, "Content item not found"]);
  });
});

describe("searching in notes", () => {
  it.each([
    ["en", "Sampling the sounds of waves", "wave samples", "wavelets"],
    ["es", "Las ondas interfirieron entre sí: sumas de senos", "suma", "resta"],
    ["de", "Schwingungen überlagern sich in den Räumen", "Schwingung", "Wellen"],
  ])("finds other forms of a word in %s", async (language_code, body, found, missed) => {
    const { item } = await make.topic({ language_code });
    const me = world.as(await make.person());
    const note = await me.post("/study/notes", { content_item_id: item.id, body });
    expect(note.body.language_code).toBe(language_code);
    const search = async (q: string) => (await me.get(`/study/notes?q=${encodeURIComponent(q)}`)).body;
    expect(await search(found)).toEqual([note.body]);
    expect(await search(missed)).toEqual([]);
  });

  it("searches the current text, and finds only the caller's notes", async () => {
    const { me, path } = await learnerWithNote("About sampling");
    await learnerWithNote("About sampling, by someone else");
    const found = async (q: string) => (await me.get(`/study/notes?q=${encodeURIComponent(q)}`)).body.length;
    expect(await found("samples")).toBe(1);
    await me.put(path, { body: "About filters" });
    expect([await found("samples"), await found('"about filters" -rate')]).toEqual([0, 1]);
    expect(await found("& | ! ( :* <->")).toBe(0);
  });
});
