import { describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, column, value, refusal } = openSession();

/* Course 1 has the unit 1 with the topics 2 (items 1 and 2) and 3 (unpublished). */
const all = { module_ids: [1], with_content: true };

const json = (wanted: object) => `'${JSON.stringify(wanted)}'::jsonb`;
const change = (wanted: object, isTrial = false) =>
  value(`select apply_or_preview_outline_changes(1, ${json(wanted)}, ${isTrial})`);
const outline = () =>
  rows(`select title, is_published as shown, available_from::text as opens, due_at::text as due, version
    from modules where course_id = 1
    union all select title, is_active, available_from::text, due_at::text, version from content_items where course_id = 1
    order by title`);

describe("apply_or_preview_outline_changes on trial", () => {
  const tried = (wanted: object) =>
    column(
      `select jsonb_array_elements(apply_or_preview_outline_changes(1, ${json(wanted)}, true) -> 'lines')`,
    );
  const titles = (wanted: object) =>
    column(
      `select jsonb_array_elements(apply_or_preview_outline_changes(1, ${json(wanted)}, true) -> 'lines') ->> 'title'`,
    );

  it("has the named rows, and with content everything in and below them, in the order of the tree", async () => {
    expect(await titles({ module_ids: [2, 1], content_item_ids: [2] })).toEqual([
      "Columns",
      "Carrying",
      "Why it waits",
    ]);
    expect(await titles({ ...all, content_item_ids: [2] })).toEqual([
      "Columns",
      "Carrying",
      "How a carry ripples",
      "Why it waits",
      "Printing",
    ]);
    expect(await titles({ module_ids: [3], with_content: true })).toEqual(["Printing"]);
  });

  it("has the values before and after; absent fields stay", async () => {
    await rows("update content_items set due_at = '2026-03-20 12:00Z' where id = 1");
    expect(await tried({ ...{ content_item_ids: [1], is_published: false, due_at: null } })).toMatchObject([
      {
        ...{ content_item_id: 1, module_id: 2, version: 1, state: "CHANGED" },
        before: { is_published: true, due_at: "2026-03-20T12:00:00.000Z" },
        after: { is_published: false, available_from: null, due_at: null },
      },
    ]);
  });

  it("moves existing dates by days of the university, at the same time of the day", async () => {
    await rows("update universities set time_zone = 'Europe/Madrid' where id = 1");
    await rows("update content_items set due_at = '2026-03-27 09:00+01' where id = 1");
    expect(await tried({ content_item_ids: [1, 2], shift_days: 3 })).toMatchObject([
      { after: { available_from: null, due_at: "2026-03-30T07:00:00.000Z" } },
      { after: { available_from: null, due_at: null } },
    ]);
  });
});

describe("position_of_first_id_outside_course", () => {
  it("is the index of the first unknown id, modules before items", async () => {
    const first = (wanted: object) => value(`select position_of_first_id_outside_course(1, ${json(wanted)})`);
    expect(await first({ module_ids: [1, 2], content_item_ids: [1] })).toBeNull();
    expect(await first({})).toBeNull();
    expect(await first({ module_ids: [1, 99, 98], content_item_ids: [77] })).toEqual({ module_ids: 1 });
    expect(await first({ module_ids: [1], content_item_ids: [1, 2, 77] })).toEqual({ content_item_ids: 2 });
    expect(
      await value(`select position_of_first_id_outside_course(2, ${json({ module_ids: [1] })})`),
    ).toEqual({
      module_ids: 0,
    });
  });
});

describe("apply_or_preview_outline_changes", () => {
  it("publishes all named rows, and reports each result", async () => {
    expect(await change({ ...all, is_published: true })).toMatchObject({
      ...{ missing: null, changed: 1, refused: 0 },
      lines: [
        { title: "Columns", state: "UNCHANGED", version: 1 },
        { title: "Carrying", state: "UNCHANGED" },
        { title: "How a carry ripples", content_item_id: 1, module_id: 2, state: "UNCHANGED" },
        { title: "Why it waits", state: "UNCHANGED" },
        {
          ...{ title: "Printing", content_item_id: null, module_id: 3, state: "CHANGED", version: 2 },
          ...{ before: { is_published: false }, after: { is_published: true } },
        },
      ],
    });
    expect((await outline()).map(({ title, shown, version }) => [title, shown, version])).toEqual([
      ["Carrying", true, 1],
      ["Columns", true, 1],
      ["How a carry ripples", true, 1],
      ["Printing", true, 2],
      ["Why it waits", true, 1],
    ]);
  });

  it("dates and hides modules and items, and counts none that has all that already", async () => {
    const wanted = { ...{ module_ids: [2], content_item_ids: [1] }, due_at: "2026-03-20T12:00:00.000Z" };
    expect(await change({ ...wanted, is_published: false })).toMatchObject({
      changed: 2,
      lines: [
        { module_id: 2, after: { is_published: false, available_from: null, due_at: wanted.due_at } },
        { content_item_id: 1, after: { is_published: false, available_from: null, due_at: wanted.due_at } },
      ],
    });
    const there = await outline();
    expect(there.filter(({ shown, version }) => !shown && version === 2).map(({ title }) => title)).toEqual([
      "Carrying",
      "How a carry ripples",
    ]);
    expect(await change({ ...wanted, is_published: false })).toMatchObject({ changed: 0, refused: 0 });
    expect(await outline()).toEqual(there);
  });

  it("writes nothing in a dry run, with unknown ids, and for a due date before the opening", async () => {
    await rows("update content_items set available_from = '2026-03-20 12:00Z' where id = 2");
    const before = await outline();
    expect(await change({ ...all, is_published: false }, true)).toMatchObject({ changed: 4, refused: 0 });
    expect(await change({ module_ids: [1, 99], is_published: false })).toEqual({
      missing: { module_ids: 1 },
    });
    const refused = await change({ ...all, due_at: "2026-03-20T12:00:00.000Z" });
    expect(refused).toMatchObject({ missing: null, changed: 4, refused: 1 });
    expect((refused as { lines: { title: string; state: string }[] }).lines).toContainEqual(
      expect.objectContaining({ title: "Why it waits", state: "REFUSED", version: 1 }),
    );
    expect(await outline()).toEqual(before);
  });

  it("rejects days that would move a date out of the calendar", async () => {
    await rows("update content_items set due_at = '9999-12-01Z' where id = 1");
    expect(
      (
        await refusal(
          `select apply_or_preview_outline_changes(1, ${json({ ...all, shift_days: 60 })}, false)`,
        )
      ).constraint,
    ).toBe("copies_within_calendar");
  });
});
