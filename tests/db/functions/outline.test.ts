import { expect, it } from "vitest";
import { openSession } from "./session.ts";

const { column, rows, refusal, value } = openSession();

const positions = "select title from modules where parent_module_id = 1 order by sequence_index";

it("modules_take_place gives a module its parent's depth plus 1, the last place, and none below itself", async () => {
  const made =
    await rows(`insert into modules (course_id, parent_module_id, module_type, title, sequence_index)
    values (1, 1, 'topic', 'Turning', null) returning depth, sequence_index`);
  expect(made).toEqual([{ depth: 1, sequence_index: 3 }]);
  expect((await refusal("update modules set parent_module_id = 2 where id = 1")).constraint).toBe(
    "modules_not_below_itself",
  );
});

it("modules_take_subtree_along moves what is below with a module", async () => {
  await rows(
    "insert into modules (course_id, module_type, title, sequence_index) values (1, 'unit', 'Above', 9)",
  );
  await rows(
    "update modules set parent_module_id = (select id from modules where title = 'Above') where id = 1",
  );
  expect(await column("select depth from modules where id < 4 order by id")).toEqual([1, 2, 2]);
});

it("content_items_take_place puts what comes without a place last", async () => {
  const made = `insert into content_items
    (module_id, course_id, university_id, content_type_id, title, data_json, sequence_index)
    select 2, 1, 1, content_type_id, 'A third', '{}', null from content_items where id = 1 returning sequence_index`;
  expect(await column(made)).toEqual([3]);
});

it("reorder_modules numbers the named ones first, and answers all siblings", async () => {
  await rows(
    "insert into modules (course_id, parent_module_id, module_type, title, sequence_index) values (1, 1, 'topic', 'Turning', 7)",
  );
  expect(await rows("select id from reorder_modules(1, '{3}')")).toHaveLength(3);
  expect(await column(positions)).toEqual(["Printing", "Carrying", "Turning"]);
});

it("reorder_modules refuses modules that are not siblings, and one that is named twice", async () => {
  for (const named of ["{1,2}", "{2,2}"])
    expect((await refusal(`select reorder_modules(1, '${named}')`)).constraint).toBe(
      "modules_reorder_siblings",
    );
});

it("reorder_content_items does the same for the content of one module", async () => {
  expect(await column("select title from reorder_content_items(1, '{2,1}') order by sequence_index")).toEqual(
    ["Why it waits", "How a carry ripples"],
  );
  expect((await refusal("select reorder_content_items(1, '{1,1}')")).constraint).toBe(
    "content_items_reorder_siblings",
  );
});

it("is_module_published asks every module above as well", async () => {
  expect([
    await value("select is_module_published(2)"),
    await value("select is_module_published(3)"),
  ]).toEqual([true, false]);
  await rows("update modules set is_published = false where id = 1");
  expect(await value("select is_module_published(2)")).toBe(false);
});

it("is_item_public is true of what is active in what is published, and is_item_open of the rest to staff", async () => {
  const [forAll, forStudent, forStaff] = [
    "select is_item_public(1)",
    "select is_item_open(1, 1)",
    "select is_item_open(1, 2)",
  ];
  await rows(
    "insert into user_university_roles (user_id, university_id, role) values (1, 1, 'student'), (2, 1, 'ta')",
  );
  expect([await value(forAll), await value(forStudent), await value(forStaff)]).toEqual([true, true, true]);
  for (const hide of [
    "content_items set is_active",
    "modules set is_published",
    "courses set is_published",
  ]) {
    await rows(`update ${hide} = false where id = 1`);
    expect([await value(forAll), await value(forStudent), await value(forStaff)]).toEqual([
      false,
      false,
      true,
    ]);
    await rows(`update ${hide} = true where id = 1`);
  }
});
