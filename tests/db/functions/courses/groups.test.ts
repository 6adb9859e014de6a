import { beforeEach, describe, expect, it } from "vitest";
import { closedQuiz } from "../../../support/closed-quiz.ts";
import { openSession } from "../session.ts";

const { rows, value, column } = openSession();

const at = "2026-03-01 12:00Z";

/*
 * Course 1 has, in the topic 2 below its unit 1, the items 1, a lab, and 2, a quiz. Ada and Ben take its run 1, which has two
 * groups: `one`, for one member, and `two`.
 */
beforeEach(async () => {
  await rows("update course_offerings set capacity = null");
  await rows("insert into enrollments (user_id, course_offering_id) values (1, 1), (2, 1)");
  await rows(`update content_items set data_json = '{"quiz_mode": "practice"}',
    content_type_id = (select id from content_types where name = case content_items.id when 1 then 'engineering_lab' else 'quiz' end)`);
  await rows(`insert into offering_groups (course_offering_id, name, capacity, self_enrollment)
    values (1, 'one', 1, true), (1, 'two', null, false)`);
});

const group = (name: string) => `(select id from offering_groups where name = '${name}')`;
const put = (name: string, person: number, role = "member", byOwner = false) =>
  value(
    `select add_to_group_or_change_role(${group(name)}, ${person}, '${role}', ${byOwner}, 1, '${at}', '{"at": "2026-03-01T12:00:00Z"}')`,
  );
const out = (name: string, person: number, byOwner = false) =>
  value(
    `select remove_from_group(${group(name)}, ${person}, ${byOwner}, 1, '${at}', '{"at": "2026-03-01T12:00:00Z"}')`,
  );
const set = (name: string, lines: object[]) =>
  value(
    `select missing from set_offering_or_group_content_dates(1, '${JSON.stringify(lines)}', '${at}', ${group(name)})`,
  );
const dates = (item: number, person: number | null = 1) =>
  column(
    `select opens_at::date || ' ' || due_at::date from effective_dates_of_items(1, ${person}, array[${item}])`,
  );

describe("an exam that a group opens earlier than the offering", () => {
  const early = () => value(`select first_exam_opening_early_for_group(${group("two")})`);
  const setOpen = (isOpen: boolean) =>
    column(`select self_enrollment from update_offering_group(${group("two")}, 'two', null, ${isOpen})`);

  beforeEach(async () => {
    await rows("update content_items set available_from = '2026-04-01 00:00Z' where id = 2");
    await set("two", [{ content_item_id: 2, available_from: "2026-03-20T00:00:00Z" }]);
  });

  it("is found by first_exam_opening_early_for_group, and a practice quiz is not", async () => {
    expect(await early()).toBeNull();
    await rows(`update content_items set data_json = '{"quiz_mode": "exam"}' where id = 2`);
    expect(await early()).toBe(2);
  });

  it("is rejected by update_offering_group and raise_if_group_opens_exam_early, for groups that learners can join", async () => {
    await rows(`update content_items set data_json = '{"quiz_mode": "exam"}' where id = 2`);
    await rows("select raise_if_group_opens_exam_early(1)");
    expect(await setOpen(false)).toEqual([false]);
    await expect(setOpen(true)).rejects.toThrow("earlier");
  });
});

describe("the members of a group", () => {
  it("are added by add_to_group_or_change_role, up to its capacity, and removed by remove_from_group", async () => {
    expect(await put("one", 1)).toBeNull();
    expect(await put("one", 1)).toBeNull();
    expect(await put("one", 2)).toBe("full");
    expect(await put("one", 3)).toBe("not_enrolled");
    expect(await put("one", 2, "staff")).toBe("not_staff");
    expect(await put("two", 2, "member", true)).toBe("closed");
    expect(await put("none", 2)).toBe("missing");
    expect(await column(`select user_id from seated_members where group_id = ${group("one")}`)).toEqual([1]);
    expect(await column("select given_or_own_group_ids(1, 1)")).toHaveLength(1);
    expect(await column("select given_or_own_group_ids(1, 1, array[7, 8])")).toEqual([7, 8]);
    // Dropping an enrollment frees the group seat, which another may have when they return.
    await rows("update enrollments set status = 'dropped' where user_id = 1 and course_offering_id = 1");
    expect(await put("one", 2)).toBeNull();
    await rows("update enrollments set status = 'active' where user_id = 1 and course_offering_id = 1");
    expect(await column("select user_id from offering_group_members")).toEqual([2]);
    expect(await put("one", 1)).toBe("full");
    expect(await out("two", 2, true)).toBe("closed");
    expect(await out("two", 2)).toBe("not_in_it");
    expect(await out("none", 2)).toBe("missing");
    expect(await out("one", 2)).toBeNull();
  });

  it("stay after completing the offering, include its staff, and exclude erased accounts", async () => {
    await put("one", 1);
    await rows(`insert into offering_group_members (group_id, course_offering_id, user_id, group_role)
      values (${group("two")}, 1, 1, 'staff')`);
    await rows("update enrollments set status = 'completed', completion_source = 'self' where user_id = 1");
    const roles = () => column("select group_role from offering_group_members where user_id = 1 order by 1");
    expect(await roles()).toEqual(["member", "staff"]);
    await rows(
      "update users set erased_at = now(), email = null, full_name = '', is_active = false where id = 1",
    );
    expect(await column(`select user_id from seated_members where group_id = ${group("one")}`)).toEqual([]);
    await rows("update enrollments set status = 'waitlisted', completion_source = null where user_id = 1");
    expect(await roles()).toEqual(["staff"]);
  });

  it("are deleted with delete_group, for which lock_group_and_offering_grades finds it", async () => {
    await put("one", 1);
    expect(await column(`select name from lock_group_and_offering_grades(${group("one")})`)).toEqual(["one"]);
    const one = await value(`select ${group("one")}`);
    expect(await value(`select delete_group(${one}, 1, '${at}', '{"at": "2026-03-01T12:00:00Z"}')`)).toBe(
      one,
    );
    expect(
      await value(`select delete_group(${one}, 1, '${at}', '{"at": "2026-03-01T12:00:00Z"}')`),
    ).toBeNull();
    expect(await column("select user_id from offering_group_members")).toEqual([]);
  });
});

describe("the dates of groups", () => {
  it("are the earliest opening and the latest due date of a member, each by its nearest, before the offering's", async () => {
    await rows(`insert into offering_dates (course_id, course_offering_id, content_item_id, available_from, due_at)
      values (1, 1, 1, '2026-03-05', '2026-03-10')`);
    await set("one", [
      { content_item_id: 1, available_from: "2026-03-03T00:00:00Z", due_at: "2026-03-12T00:00:00Z" },
    ]);
    await set("two", [
      { content_item_id: 1, available_from: "2026-03-04T00:00:00Z" },
      { module_id: 2, due_at: "2026-03-14T00:00:00Z" },
    ]);
    expect(await dates(1)).toEqual(["2026-03-05 2026-03-10"]);
    await put("one", 1);
    expect(await dates(1)).toEqual(["2026-03-03 2026-03-12"]);
    await put("two", 1);
    expect(await dates(1)).toEqual(["2026-03-03 2026-03-14"]);
    await put("two", 2);
    expect(await dates(1, 2)).toEqual(["2026-03-04 2026-03-14"]);
    expect(await dates(1, null)).toEqual(["2026-03-05 2026-03-10"]);
    const due = "select due_at::date::text from effective_dates_of_modules(1, 1) where module_id = 2";
    expect(await column(due)).toEqual(["2026-03-14"]);
    expect(
      await column("select due_at::date::text from effective_dates_of_modules(1, null) where module_id = 2"),
    ).toEqual([null]);
    const opens = "select content_opening_date_for_person(1, 1, null, 2, 1, '2026-03-05')::date::text";
    expect(await value(opens)).toBe("2026-03-03");
    await rows(`insert into quiz_overrides (user_id, course_offering_id, content_item_id, due_at)
      values (1, 1, 1, '2026-03-11')`);
    expect(await dates(1)).toEqual(["2026-03-03 2026-03-11"]);
  });

  it("keep a quiz open to its members, and are those of their reminders", async () => {
    await rows("update content_items set due_at = '2026-03-05' where id = 2");
    const closed = closedQuiz(2, 1, "2026-03-08");
    expect(await value(closed)).toBe(true);
    await set("two", [{ content_item_id: 2, due_at: "2026-03-10T00:00:00Z" }]);
    expect(await value(closed)).toBe(true);
    await put("two", 2);
    expect(await value(closed)).toBe(false);
    expect(
      await column(
        "select item from items_due_soon_without_reminder('2026-03-09 12:00Z', '1 day') where offering = 1",
      ),
    ).toEqual([2]);
  });

  it("keep a member's submissions on time, however dates change once they have left", async () => {
    await rows("update content_items set due_at = '2026-03-05' where id = 1");
    await set("two", [{ content_item_id: 1, due_at: "2026-03-20T00:00:00Z" }]);
    await put("two", 1);
    const submit = (person: number) =>
      rows(
        `select refusal from submit_work(${person}, 1, 1, '{"body": "x", "links": []}', '2026-03-10 12:00Z', '2026-03-10')`,
      );
    expect(await submit(1)).toEqual([{ refusal: null }]);
    expect(await submit(2)).toEqual([{ refusal: null }]);
    const late = () =>
      column(
        "select user_id || ': ' || late_days_of_submission(lab_submissions) from lab_submissions order by user_id",
      );
    expect(await late()).toEqual(["1: 0", "2: 6"]);
    // Deleted with the seat, and below by staff.
    await rows("update enrollments set status = 'dropped' where user_id = 1");
    await rows("update enrollments set status = 'active' where user_id = 1");
    expect(await column("select user_id from offering_group_members")).toEqual([]);
    const change = (due_at: string | null) =>
      rows(
        `select missing from set_offering_or_group_content_dates(1, '${JSON.stringify([{ content_item_id: 1, due_at }])}', '${at}')`,
      );
    await change("2026-03-02T00:00:00Z");
    expect(await late()).toEqual(["1: 0", "2: 6"]);
    await change("2026-03-08T00:00:00Z");
    expect(await late()).toEqual(["1: 0", "2: 3"]);
    await rows(
      "insert into user_university_roles (user_id, university_id, role) values (1, 1, 'student') on conflict do nothing",
    );
    await rows(`select grant_accommodation_and_extend_work(1, 1, '{"time_factor": 1, "extra_days": 1}', 2, '${at}',
      '{"at": "2026-03-01T12:00:00Z"}')`);
    expect(await late()).toEqual(["1: 0", "2: 3"]);
    await set("two", [{ content_item_id: 1, due_at: "2026-03-06T00:00:00Z" }]);
    await put("two", 1);
    await out("two", 1);
    expect(await late()).toEqual(["1: 0", "2: 3"]);
    await rows(`select shift_offering_content_dates(1, '{"days": -3}', '${at}')`);
    expect(await late()).toEqual(["1: 0", "2: 3"]);
    await change(null);
    expect(await late()).toEqual(["1: 0", "2: 0"]);
  });

  it("reject items of other courses", async () => {
    expect(await set("one", [{ module_id: 1, due_at: null }, { content_item_id: 99 }])).toBe(1);
    expect(await set("one", [{ module_id: 1, due_at: null }])).toBeNull();
    await rows("delete from offering_group_dates");
    const calendar = (await value(`select offering_content_dates_json(1, of_group => ${group("one")})`)) as {
      lines: object[];
    };
    expect(calendar.lines[0]).toMatchObject({ own: {} });
    expect(
      await column(
        `select module_id from offering_and_course_content_dates(1, ${group("one")}) where content_item_id = 1`,
      ),
    ).toEqual([null]);
  });
});
