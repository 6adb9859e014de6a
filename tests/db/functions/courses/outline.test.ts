import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { column, rows, refusal, value } = openSession();

const positions = "select title from modules where parent_module_id = 1 order by sequence_index";

it("set_module_depth_position_refusing_cycle gives a module its parent's depth plus 1, the last place, and none below itself", async () => {
  const made =
    await rows(`insert into modules (course_id, parent_module_id, module_type, title, sequence_index)
    values (1, 1, 'topic', 'Turning', null) returning depth, sequence_index`);
  expect(made).toEqual([{ depth: 1, sequence_index: 3 }]);
  expect((await refusal("update modules set parent_module_id = 2 where id = 1")).constraint).toBe(
    "modules_not_below_itself",
  );
});

it("modules_after_write moves the subtree with a module", async () => {
  await rows(
    "insert into modules (course_id, module_type, title, sequence_index) values (1, 'unit', 'Above', 9)",
  );
  await rows(
    "update modules set parent_module_id = (select id from modules where title = 'Above') where id = 1",
  );
  expect(await column("select depth from modules where id < 4 order by id")).toEqual([1, 2, 2]);
});

it("set_position_of_content_item puts an item without a position last", async () => {
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

it("reorder_modules rejects modules that are not siblings, and duplicates", async () => {
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

it("is_module_published_with_ancestors asks every module above as well", async () => {
  expect([
    await value("select is_module_published_with_ancestors(2)"),
    await value("select is_module_published_with_ancestors(3)"),
  ]).toEqual([true, false]);
  await rows("update modules set is_published = false where id = 1");
  expect(await value("select is_module_published_with_ancestors(2)")).toBe(false);
});

describe("item_access_refusal", () => {
  const gates = (item = 1, moment = "2026-03-10") =>
    column(
      `select item_access_refusal(${item}, person, '${moment}') from (values (1), (2), (null)) as v (person)`,
    );
  beforeEach(async () => {
    await rows(
      "insert into user_university_roles (user_id, university_id, role) values (1, 1, 'student'), (2, 1, 'ta')",
    );
  });

  it("hides inactive items of published modules from all but staff", async () => {
    expect(await gates()).toEqual([null, null, null]);
    for (const hide of [
      "content_items set is_active",
      "modules set is_published",
      "courses set is_published",
    ]) {
      await rows(`update ${hide} = false where id = 1`);
      expect(await gates()).toEqual(["hidden", null, "hidden"]);
      expect(await value("select is_item_published_with_ancestors(1)")).toBe(false);
      await rows(`update ${hide} = true where id = 1`);
    }
  });

  it("is item_access_refusal in an offering for its learners: staff who learn there begin no sooner than others", async () => {
    const works = () =>
      column(
        "select item_access_refusal(1, person, '2026-03-10', offering => 1) from (values (1), (2)) as v (person)",
      );
    await rows("update content_items set available_from = '2026-03-11' where id = 1");
    expect(await works()).toEqual(["not available yet", null]);
    await rows("insert into enrollments (user_id, course_offering_id) values (2, 1)");
    expect(await works()).toEqual(["not available yet", "not available yet"]);
    expect(await gates()).toEqual(["not available yet", null, "not available yet"]);
    await rows("update user_university_roles set role = 'university_admin' where user_id = 2");
    expect(await works()).toEqual(["not available yet", null]);
  });

  it("requires a seat if the course does, as is_admitted_to_course says", async () => {
    await rows("update courses set access = 'enrolled' where id = 1");
    expect(await gates()).toEqual(["enrollment required", null, "enrollment required"]);
    expect(await value("select is_item_published_with_ancestors(1)")).toBe(true);
    await rows("insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'waitlisted')");
    expect(await gates()).toMatchObject(["enrollment required", null, "enrollment required"]);
    await rows("update enrollments set status = 'active'");
    expect(await gates()).toEqual([null, null, "enrollment required"]);
  });

  it.each(["modules where id = 1", "modules where id = 2", "content_items where id = 1"])(
    "locks items that open later, by %s",
    async (where) => {
      await rows(`update ${where.replace(" where", " set available_from = '2026-03-11' where")}`);
      expect(await gates()).toEqual(["not available yet", null, "not available yet"]);
      expect(await gates(1, "2026-03-11")).toEqual([null, null, null]);
    },
  );

  it("locks modules with incomplete prerequisites, as unmet_required_modules and module_access_refusal say", async () => {
    await rows(`insert into modules (id, course_id, module_type, title, sequence_index, is_published)
      overriding system value values (4, 1, 'unit', 'Levers', 2, true)`);
    await rows("update modules set requires_module_ids = '{4}' where id = 1");
    await rows("insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'active')");
    const unmet = () => value("select unmet_required_modules(1, 1, '{2, 4}')");
    expect([await unmet(), await value("select module_access_refusal(2, 1, now())")]).toEqual([
      [2, 4],
      "not available yet",
    ]);
    expect(await gates()).toEqual(["not available yet", null, "not available yet"]);
    await rows(
      "insert into user_module_progress (user_id, course_offering_id, module_id, completed_at) values (1, 1, 4, now())",
    );
    expect([await unmet(), await gates()]).toEqual([[2], [null, null, "not available yet"]]);
    await rows("update modules set is_published = false where id = 4");
    expect(await gates()).toEqual([null, null, null]);
  });

  it("counts posted progress only for its own module, as unmet_required_modules says", async () => {
    await rows(`insert into modules (id, course_id, module_type, title, sequence_index, is_published)
      overriding system value values (4, 1, 'unit', 'Levers', 2, true), (5, 1, 'unit', 'Cams', 3, true)`);
    await rows("insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'active')");
    await rows(
      "insert into user_module_progress (user_id, course_offering_id, module_id, completed_at) values (1, 1, 4, now())",
    );
    expect(await value("select unmet_required_modules(1, 1, '{4, 5}')")).toEqual([5]);
  });
});

it("module_lock_reason returns the first reason", async () => {
  const reason = (lacksPlace: boolean, starts: string, unmet: string) =>
    value(`select module_lock_reason(${lacksPlace}, ${starts}, '{4,5}', '${unmet}', '2026-03-10')`);
  expect(await reason(true, "'2026-03-11'", "{5}")).toBe("enrollment_required");
  expect(await reason(false, "'2026-03-11'", "{5}")).toBe("not_available_yet");
  expect(await reason(false, "'2026-03-10'", "{5}")).toBe("modules_incomplete");
  expect([await reason(false, "null", "{6}"), await reason(false, "null", "{}")]).toEqual([null, null]);
});

it("modules_after_write rejects cycles, excessive depth, and other courses' modules", async () => {
  await rows(`insert into modules (id, course_id, parent_module_id, module_type, title, sequence_index)
    overriding system value values (4, 1, null, 'unit', 'Levers', 2), (5, 1, null, 'unit', 'Cams', 3),
      (6, 2, null, 'unit', 'Elsewhere', 1), (7, 1, 5, 'unit', 'Below cams', 1)`);
  const asks = async (module: number, required: string) =>
    (await refusal(`update modules set requires_module_ids = '{${required}}' where id = ${module}`))
      .constraint;
  for (const required of ["1", "2"]) expect(await asks(1, required)).toBe("modules_requirements_acyclic");
  expect(await asks(2, "1")).toBe("modules_requirements_acyclic");
  for (const required of ["6", "99", "4,99"])
    expect(await asks(1, required)).toBe("modules_requirements_of_course");
  await rows("update modules set requires_module_ids = '{4}' where id = 2");
  await rows("update modules set requires_module_ids = '{7}' where id = 4");
  for (const [module, required] of [
    [7, "1"],
    [5, "2"],
    [5, "3,1"],
  ] as const)
    expect(await asks(module, required)).toBe("modules_requirements_acyclic");
  expect(await asks(5, "3")).toBeUndefined();
  const moved = await refusal("update modules set parent_module_id = 2 where id = 7");
  expect(moved.constraint).toBe("modules_requirements_acyclic");
});

it("modules_after_write removes a deleted module from prerequisites", async () => {
  await rows(`insert into modules (id, course_id, module_type, title, sequence_index, requires_module_ids)
    overriding system value values (4, 1, 'unit', 'Levers', 2, '{1,2}')`);
  await rows("delete from modules where id = 2");
  expect(await value("select requires_module_ids from modules where id = 4")).toEqual([1]);
});

it("increment_course_version_and_queue_recompute increases the course's version for a changed position, once for a statement", async () => {
  const version = () => value("select version from courses where id = 1");
  const before = Number(await version());
  await rows("update modules set title = title || '!' where course_id = 1");
  await rows("update content_items set title = title || '!' where course_id = 1");
  expect(await version()).toBe(before);
  await rows("update modules set sequence_index = sequence_index + 10 where course_id = 1");
  expect(await version()).toBe(before + 1);
  await rows("update content_items set sequence_index = sequence_index + 10 where course_id = 1");
  expect(await version()).toBe(before + 2);
});
