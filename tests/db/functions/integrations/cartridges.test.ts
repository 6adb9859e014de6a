import { beforeEach, describe, expect, it } from "vitest";
import { endCartridgeImportQuery, leaseImportCtes } from "../../../../lib/integrations/cartridges/lease.ts";
import { insertStoredObjectQuery } from "../../../../lib/integrations/cartridges/store-file.ts";
import { insertPlannedPartsQuery } from "../../../../lib/integrations/cartridges/work.ts";
import { textOf } from "../../../support/statement-text.ts";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

const [moment, end] = ["2026-03-01T08:00Z", "2026-03-01T08:15Z"];
const at = `'${moment}'`;

describe("an import of a cartridge", () => {
  let id: number;

  const start = (isDryRun = false) =>
    column(`select id from start_cartridge_import(1, 1, null, ${isDryRun}, ${at})`);

  /** Lists parts: a module, a page in it, and the collecting module. */
  const list = () => {
    const part = (kind: string, title: string, more: object = {}) => ({
      kind,
      identifier: title,
      title,
      ...more,
    });
    const plan = {
      version: "1.3.0",
      title: "Waves",
      parts: [
        part("module", "Week 1", { parent: null, details: {} }),
        part("page", "What a wave is", { parent: 0, details: { path: "a.html" } }),
        part("module", "Further material", { parent: null, details: { is_lazy: true } }),
        part("page", "Left over", { parent: 2, details: { path: "b.html" } }),
        part("page", "Left over, too", { parent: 2, details: { path: "c.html" } }),
      ],
    };
    return rows(insertPlannedPartsQuery(id, JSON.stringify(plan), moment));
  };

  const write = async (title: string, given: object) => {
    const [part] = await column(
      `select id::int from cartridge_parts where import_id = ${id} and title = '${title}'`,
    );
    await rows(
      `select create_content_from_cartridge_part(${part}, '${JSON.stringify(given)}', 'Its module is missing')`,
    );
  };

  const page = (title: string) => ({
    outcome: "created",
    became: ["text"],
    items: [{ type: "text", title, data_json: { blocks: [] }, files: [] }],
  });

  beforeEach(async () => {
    id = Number((await start())[0]);
  });

  it("start_cartridge_import allows one import into a course at a time, and any number of dry runs", async () => {
    expect(await start()).toEqual([]);
    expect(await start(true)).toHaveLength(1);
    await rows(textOf(endCartridgeImportQuery(id, "No", moment)));
    expect(await start()).toHaveLength(1);
  });

  it("leaseImportCtes gives each to one worker until its time is over, the oldest first", async () => {
    const second = Number((await start(true))[0]);
    const claim = (from: string) =>
      column(`with ${textOf(leaseImportCtes(from, end))} select id from leased`);
    expect([await claim(moment), await claim(moment), await claim(moment)]).toEqual([[id], [second], []]);
    expect(await claim(end)).toEqual([id]);
    expect(await value(`select tries from cartridge_imports where id = ${id}`)).toBe(2);
  });

  it("insertPlannedPartsQuery lists once, and create_content_from_cartridge_part writes each once, unpublished", async () => {
    await list();
    await list();
    expect(await value(`select count(*)::int from cartridge_parts where import_id = ${id}`)).toBe(5);
    const before = Number(await value("select count(*)::int from content_items where course_id = 1"));
    await write("Week 1", { outcome: "created", became: ["module"], module: { module_type: "unit" } });
    await write("What a wave is", page("What a wave is"));
    await write("What a wave is", page("Twice"));
    expect(await value("select count(*)::int from content_items where course_id = 1")).toBe(before + 1);
    const [made] =
      await rows(`select module.title, module.is_published, item.title as item from content_items as item
      join modules as module on module.id = item.module_id where item.title = 'What a wave is'`);
    expect(made).toEqual({ title: "Week 1", is_published: false, item: "What a wave is" });
  });

  it("create_content_from_cartridge_part makes the last module with its first part, once", async () => {
    await list();
    const modules = () => value("select count(*)::int from modules where title = 'Further material'");
    expect(await modules()).toBe(0);
    await write("Left over", page("Left over"));
    await write("Left over, too", page("Left over, too"));
    expect(await modules()).toBe(1);
  });

  it("endCartridgeImportQuery ends it when no part is left, or stores why it failed", async () => {
    await list();
    const ended = () => value(`select ended_at is not null from cartridge_imports where id = ${id}`);
    await rows(textOf(endCartridgeImportQuery(id, null, moment)));
    expect(await ended()).toBe(false);
    await rows(textOf(endCartridgeImportQuery(id, "It is no ZIP", moment)));
    expect(await ended()).toBe(true);
    expect(await value(`select failure from cartridge_imports where id = ${id}`)).toBe("It is no ZIP");
  });

  it("insertStoredObjectQuery and store_cartridge_file keep a file once for each path, and none beyond the university's room", async () => {
    const begin = (key: string, most = 1_000_000) =>
      value(insertStoredObjectQuery({ university: 1, key, size: 100 }, most, moment));
    expect(await begin("too-much", 99)).toBeUndefined();
    const end = async (object: unknown) =>
      value(
        `select store_cartridge_file(${id}, 'a.png', ${object}, 'a.png', 'image/png', 100, '${"a".repeat(64)}', ${at})::int`,
      );
    const file = await end(await begin("first"));
    expect(await end(await begin("second"))).toBe(file);
    expect(await column(`select path from cartridge_files where import_id = ${id}`)).toEqual(["a.png"]);
  });
});
