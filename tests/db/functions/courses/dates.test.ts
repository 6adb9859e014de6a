import { beforeEach, describe, expect, it } from "vitest";
import { closedQuiz } from "../../../support/closed-quiz.ts";
import { openSession } from "../session.ts";

const { rows, value, column } = openSession();

/*
 * Course 1 has, in the topic 2 below its unit 1, the items 1, a lab, and 2, a quiz; the runs 1 and 4 of it. Ada takes
 * both, Ben the first.
 */
beforeEach(async () => {
  await rows("update course_offerings set capacity = null");
  await rows("insert into course_offerings (course_id, university_id) values (1, 1)");
  await rows(`insert into enrollments (user_id, course_offering_id)
    values (1, 1), (1, (select max(id) from course_offerings)), (2, 1)`);
  await rows(`update content_items set data_json = '{"quiz_mode": "practice", "time_limit_seconds": 3600}',
    content_type_id = (select id from content_types where name = case content_items.id when 1 then 'engineering_lab' else 'quiz' end)`);
});

const second = "(select max(id) from course_offerings)";
const at = "2026-03-01 12:00Z";
const set = (lines: object[], offering = "1") =>
  value(
    `select missing from set_offering_or_group_content_dates(${offering}, '${JSON.stringify(lines)}', '${at}')`,
  );
const datesOf = async (item: number, offering = "1", person: number | null = 1) => {
  const [one] =
    await rows(`select opens_at::date::text as opens, due_at::date::text as due, closes_at::date::text as closes
    from effective_dates_of_items(${offering}, ${person}, array[${item}])`);
  return [one?.["opens"], one?.["due"], one?.["closes"]];
};

describe("effective_dates_of_items", () => {
  it("are the item's own, else the nearest module's, and open with all above", async () => {
    expect(await datesOf(1)).toEqual([null, null, null]);
    await rows("update modules set due_at = '2026-03-07', available_from = '2026-03-03' where id = 1");
    expect(await datesOf(1)).toEqual(["2026-03-03", "2026-03-07", null]);
    await rows("update modules set due_at = '2026-03-06' where id = 2");
    await rows("update content_items set available_from = '2026-03-02' where id = 1");
    expect(await datesOf(1)).toEqual(["2026-03-03", "2026-03-06", null]);
    await rows("update content_items set due_at = '2026-03-05' where id = 1");
    expect(await datesOf(1)).toEqual(["2026-03-03", "2026-03-05", "2026-03-05"]);
  });

  it("are the offering's before the course's, of a module too, and none if it says so", async () => {
    await rows("update content_items set due_at = '2025-10-01', available_from = '2025-09-01' where id = 2");
    await set([{ module_id: 1, due_at: "2026-04-01T00:00:00Z" }]);
    expect(await datesOf(2)).toEqual(["2025-09-01", "2026-04-01", "2026-04-01"]);
    expect(await datesOf(2, second)).toEqual(["2025-09-01", "2025-10-01", "2025-10-01"]);
    await set([{ content_item_id: 2, due_at: null, available_from: "2026-03-20T00:00:00Z" }]);
    expect(await datesOf(2)).toEqual(["2026-03-20", null, null]);
    await set([{ content_item_id: 2, available_from: null }]);
    expect(await datesOf(2)).toEqual([null, "2026-04-01", "2026-04-01"]);
    await set([{ content_item_id: 2 }, { module_id: 1 }]);
    expect(await datesOf(2)).toEqual(["2025-09-01", "2025-10-01", "2025-10-01"]);
    expect(await value("select count(*)::int from offering_dates")).toBe(0);
  });

  it("are a person's granted dates first, only for them and there", async () => {
    await set([{ content_item_id: 2, due_at: "2026-03-10T00:00:00Z" }]);
    await rows(
      `select from grant_item_override_and_update_work(1, 1, 2, '{"due_at": "2026-03-15Z"}', '${at}')`,
    );
    expect((await datesOf(2))[2]).toBe("2026-03-15");
    expect((await datesOf(2, "1", 2))[2]).toBe("2026-03-10");
    expect((await datesOf(2, "1", null))[2]).toBe("2026-03-10");
    expect((await datesOf(2, second))[2]).toBeNull();
  });
});

it("effective_dates_of_modules and offering_and_course_content_dates return the offering's dates instead of the course's, of each alone", async () => {
  await rows("update modules set due_at = '2026-03-07', available_from = '2026-03-03' where id = 1");
  await set([{ module_id: 1, due_at: null, available_from: "2026-03-04T00:00:00Z" }]);
  const of = `select opens_at::date::text, due_at::date::text`;
  expect(await rows(`${of} from effective_dates_of_modules(1, null) where module_id = 1`)).toEqual([
    { opens_at: "2026-03-04", due_at: null },
  ]);
  expect(
    await rows(`${of}, course_due_at::date::text from offering_and_course_content_dates(1) where module_id = 1 or content_item_id = 1
      order by module_id`),
  ).toEqual([
    { opens_at: "2026-03-04", due_at: "infinity", course_due_at: "2026-03-07" },
    { opens_at: null, due_at: null, course_due_at: null },
  ]);
});

it("offering_content_dates_json has modules and items in the order of the tree, with dates as in the response", async () => {
  await rows("update modules set due_at = '2026-03-07' where id = 1");
  await set([
    { module_id: 1, due_at: null },
    { content_item_id: 2, available_from: "2026-03-04T00:00:00Z" },
  ]);
  const calendar = (window = "") =>
    value(`select offering_content_dates_json(1${window})`) as Promise<{ total: number; lines: object[] }>;
  const { total, lines } = await calendar();
  expect(lines).toHaveLength(total);
  const own = { available_from: "2026-03-04T00:00:00.000Z" };
  expect(lines).toMatchObject([
    {
      module_id: 1,
      content_item_id: null,
      due_at: null,
      own: { due_at: null },
      course: { due_at: "2026-03-07T00:00:00.000Z" },
    },
    { module_id: 2, content_item_id: null, own: {}, depth: 1 },
    { module_id: 2, content_item_id: 1, due_at: null, own: {}, content_type: "engineering_lab", depth: 2 },
    { module_id: 2, content_item_id: 2, own, ...own },
    { module_id: 3, content_item_id: null },
  ]);
  expect((await calendar(", 2, 1")).lines).toMatchObject([{ content_item_id: 1 }]);
  expect(await value("select format_api_timestamp('2026-03-07 01:00+01')")).toBe("2026-03-07T00:00:00.000Z");
});

it("content_opening_date_for_person is the earliest opening among a person's seats, and the course's without a seat", async () => {
  const opens = (person: number | null, offering: string | null = null) =>
    value(
      `select content_opening_date_for_person(${person}, 1, ${offering}, 2, 1, '2026-01-01')::date::text`,
    );
  expect(await opens(1)).toBe("2026-01-01");
  await set([{ module_id: 1, available_from: "2026-03-09T00:00:00Z" }]);
  await set([{ content_item_id: 1, available_from: "2026-03-05T00:00:00Z" }], second);
  expect(await opens(1)).toBe("2026-03-05");
  expect(await opens(1, "1")).toBe("2026-03-09");
  expect(await opens(2)).toBe("2026-03-09");
  expect(await opens(3)).toBe("2026-01-01");
  expect(await opens(null)).toBe("2026-01-01");
  const gates = `select array[item_access_refusal(1, 1, m), item_access_refusal(1, 2, m), item_access_refusal(1, 1, m, offering => 1), item_access_refusal(1, null, m)]
    from (values ('2026-03-06'::timestamptz)) as v (m)`;
  const early = "not available yet";
  expect(await value(gates)).toEqual([null, early, early, null]);
});

describe("apply_extended_dates_to_work", () => {
  const work = () =>
    rows(`select is_late as late, due_at::date::text as due from lab_submissions where user_id = 1`);
  const handIn = (moment: string) =>
    rows(`select refusal from submit_work(1, 1, 1, '{"body": "x", "links": []}', '${moment}', '2026-03-01')`);

  it("makes work on time after a later date, and leaves it so after an earlier one", async () => {
    await rows("update modules set due_at = '2025-03-07' where id = 1");
    expect(await handIn(at)).toEqual([{ refusal: null }]);
    expect(await work()).toEqual([{ late: true, due: "2025-03-07" }]);
    await set([{ module_id: 1, due_at: "2026-03-08T00:00:00Z" }]);
    expect(await work()).toEqual([{ late: false, due: "2026-03-08" }]);
    await set([{ content_item_id: 1, due_at: "2026-02-01T00:00:00Z" }]);
    expect(await work()).toEqual([{ late: false, due: "2026-03-08" }]);
    await set([{ content_item_id: 1, due_at: null }]);
    expect(await work()).toEqual([{ late: false, due: null }]);
  });

  it("leaves late work in a final grade as it is after an earlier date", async () => {
    await rows("update content_items set due_at = '2026-02-20' where id = 1");
    expect(await handIn(at)).toEqual([{ refusal: null }]);
    await rows("update lab_submissions set status = 'graded', score_obtained = 50, max_score = 100");
    await rows(
      "insert into course_grades (user_id, course_offering_id, final_score, graded_at) values (1, 1, 50, now())",
    );
    await set([{ content_item_id: 1, due_at: "2026-02-10T00:00:00Z" }]);
    expect(await work()).toEqual([{ late: true, due: "2026-02-20" }]);
    await set([{ content_item_id: 1, due_at: "2026-02-25T00:00:00Z" }]);
    expect(await work()).toEqual([{ late: true, due: "2026-02-25" }]);
  });

  it("does so after a person's accommodation, for them only", async () => {
    await rows("update content_items set due_at = '2026-02-01' where id = 1");
    expect(await handIn(at)).toEqual([{ refusal: null }]);
    await rows(
      `select from grant_item_override_and_update_work(2, 1, 1, '{"due_at": "2026-03-09Z"}', '${at}')`,
    );
    expect(await work()).toMatchObject([{ late: true }]);
    await rows(
      `select from grant_item_override_and_update_work(1, 1, 1, '{"due_at": "2026-03-09Z"}', '${at}')`,
    );
    expect(await work()).toEqual([{ late: false, due: "2026-03-09" }]);
    await rows(`select apply_extended_dates_to_work(1, array[2], null, '${at}')`);
  });

  it("extends an open attempt to a later date, and never shortens it", async () => {
    const deadline = () => value("select to_char(due_at, 'HH24:MI') from quiz_attempts");
    await rows(`insert into quiz_attempts (user_id, course_offering_id, content_item_id, attempt_number, started_at, due_at,
      passing_percent) values (1, 1, 2, 1, '2026-03-01 11:30Z', '2026-03-01 12:10Z', 60)`);
    await set([{ content_item_id: 2, due_at: "2026-03-01T12:20:00Z" }]);
    expect(await deadline()).toBe("12:20");
    await set([{ content_item_id: 2, due_at: "2026-03-01T12:15:00Z" }]);
    expect(await deadline()).toBe("12:20");
    await set([{ content_item_id: 2, due_at: "2026-03-09T12:15:00Z" }]);
    expect(await deadline()).toBe("12:30");
  });
});

it("a quiz closes to all not before the offering's end if a person has no due date", async () => {
  await rows(
    "update content_items set due_at = '2026-03-05', data_json = data_json || '{\"quiz_mode\": \"exam\"}' where id = 2",
  );
  const closed = (moment: string) => value(closedQuiz(2, 1, moment));
  expect(await closed("2026-03-06")).toBe(true);
  await rows(`insert into quiz_overrides (user_id, course_offering_id, content_item_id, due_at)
    values (1, 1, 2, 'infinity')`);
  expect(await datesOf(2)).toEqual([null, null, null]);
  expect(await closed("2026-03-06")).toBe(false);
  await rows("update course_offerings set ends_at = '2026-03-20' where id = 1");
  expect([await closed("2026-03-19"), await closed("2026-03-21")]).toEqual([false, true]);
});

it("content_opening_date_for_person a person by their granted date, in that offering and item only", async () => {
  await rows("update content_items set available_from = '2026-03-09'");
  await rows(`insert into quiz_overrides (user_id, course_offering_id, content_item_id, available_from)
    values (1, 1, 1, '2026-03-03')`);
  const opens = (person: number, item: number, offering = "null") =>
    value(
      `select content_opening_date_for_person(${person}, 1, ${offering}, 2, ${item}, '2026-03-09')::date::text`,
    );
  expect([await opens(1, 1), await opens(1, 1, "1"), await opens(1, 1, second)]).toEqual([
    "2026-03-03",
    "2026-03-03",
    "2026-03-09",
  ]);
  expect([await opens(2, 1), await opens(1, 2)]).toEqual(["2026-03-09", "2026-03-09"]);
  expect([await datesOf(1), await datesOf(1, "1", 2)].map(([from]) => from)).toEqual([
    "2026-03-03",
    "2026-03-09",
  ]);
  const access = (person: number) => value(`select item_access_refusal(1, ${person}, '2026-03-04')`);
  expect([await access(1), await access(2)]).toEqual([null, "not available yet"]);
});

it("a quiz closes to all by the offering's date, and not before the last granted one", async () => {
  const closed = (moment: string, offering = "1") => value(closedQuiz(2, offering, moment));
  expect(await closed("2027-03-05")).toBe(false);
  await rows("update content_items set due_at = '2026-03-01' where id = 2");
  await set([{ content_item_id: 2, due_at: "2026-03-10T00:00:00Z" }]);
  expect([await closed("2026-03-05"), await closed("2026-03-05", second)]).toEqual([false, true]);
  await rows(
    `select from grant_item_override_and_update_work(1, 1, 2, '{"due_at": "2026-03-12Z"}', '${at}')`,
  );
  expect([await closed("2026-03-11"), await closed("2026-03-13")]).toEqual([false, true]);
});

it("set_offering_or_group_content_dates names the first that the course does not have, and sets nothing", async () => {
  await rows("insert into modules (course_id, module_type, title) values (2, 'unit', 'Elsewhere')");
  const elsewhere = Number(await value("select max(id) from modules"));
  const due_at = "2026-03-10T00:00:00Z";
  expect(
    await set([
      { content_item_id: 1, due_at },
      { module_id: elsewhere, due_at },
    ]),
  ).toBe(1);
  expect(await set([{ content_item_id: 999, due_at }])).toBe(0);
  expect(await value("select count(*)::int from offering_dates")).toBe(0);
});

describe("shift_offering_content_dates", () => {
  const move = (wanted: object, offering = "1") =>
    rows(`select from shift_offering_content_dates(${offering}, '${JSON.stringify(wanted)}', '${at}')`);

  it("moves the offering's effective dates, and leaves the course unchanged", async () => {
    await rows("update universities set time_zone = 'Europe/Berlin'");
    await rows(
      "update modules set due_at = '2025-10-20 22:00Z', available_from = '2025-10-01 22:00Z' where id = 1",
    );
    await set([{ content_item_id: 1, due_at: null }]);
    await move({ starts_on: "2026-03-02" });
    // 24:00 in Berlin, before and after the clocks are changed.
    expect(
      await column(`select opens_at || ' ' || due_at from effective_dates_of_modules(1, null) where module_id = 1
        union all select due_at::text from effective_dates_of_modules(${second}, null) where module_id = 1`),
    ).toEqual(["2026-03-01 23:00:00+00 2026-03-20 23:00:00+00", "2025-10-20 22:00:00+00"]);
    expect((await datesOf(1))[1]).toBeNull();
    await move({ shift_days: -1 });
    expect((await datesOf(2))[1]).toBe("2026-03-19");
    expect(await value("select moment_plus_local_days('infinity', 3, 'UTC')::text")).toBe("infinity");
  });

  it("moves the selection: everything with a date, or modules with their subtrees, and items", async () => {
    const moved = async (wanted: object, offering = "1") => {
      await rows("savepoint moving");
      await rows(
        `select shift_offering_content_dates(${offering}, '${JSON.stringify(wanted)}', '2026-01-01')`,
      );
      const found = await rows(`
        select module_id, content_item_id as item_id, available_from::date::text as opens, due_at::date::text as due
        from offering_dates where updated_at = '2026-01-01' order by module_id, item_id`);
      await rows("rollback to savepoint moving");
      return found;
    };
    expect(await moved({})).toEqual([]);
    await rows("update modules set available_from = '2026-03-03' where id = 1");
    await rows("update modules set due_at = '2026-03-07' where id = 2");
    await rows("update content_items set due_at = '2026-03-05' where id = 1");
    // The offering's own dates take precedence over the course's.
    await set([{ content_item_id: 1, due_at: "2026-03-06T00:00:00Z" }]);
    const [unit, topic, item] = [
      { module_id: 1, item_id: null, opens: "2026-03-03", due: null },
      { module_id: 2, item_id: null, opens: null, due: "2026-03-07" },
      { module_id: null, item_id: 1, opens: null, due: "2026-03-06" },
    ];
    expect(await moved({})).toEqual([unit, topic, item]);
    expect(await moved({}, second)).toEqual([unit, topic, { ...item, due: "2026-03-05" }]);
    expect(await moved({ module_ids: [1] })).toEqual([unit, topic, item]);
    expect(await moved({ module_ids: [2] })).toEqual([topic, item]);
    expect(await moved({ module_ids: [3], content_item_ids: [1, 2] })).toEqual([item]);
    expect(await moved({ content_item_ids: [] })).toEqual([]);
    await move({ module_ids: [2], shift_days: 2 });
    expect(await moved({})).toEqual([unit, { ...topic, due: "2026-03-09" }, { ...item, due: "2026-03-08" }]);
  });

  it("moves nothing to a day if there is no date", async () => {
    await expect(move({ starts_on: "2026-03-02" })).rejects.toThrow("no date to begin with");
  });
});

it("copy_offering_with_or_without_course gives a run its own dates: of the same course, and of its copy", async () => {
  await rows("update modules set due_at = '2025-10-20' where id = 1");
  await rows("update content_items set due_at = '2025-10-21' where id = 2");
  await set([
    { module_id: 2, due_at: "2026-03-20T00:00:00Z" },
    { content_item_id: 1, due_at: null },
  ]);
  const copy = async (wanted: object) =>
    String(
      await value(`select id from copy_offering_with_or_without_course(1, '${JSON.stringify(wanted)}')`),
    );
  const again = await copy({ same_course: true, shift_days: 10 });
  expect([await datesOf(1, again), await datesOf(2, again)]).toEqual([
    [null, null, null],
    [null, "2025-10-31", "2025-10-31"],
  ]);
  expect(await value(`select count(*)::int from offering_dates where course_offering_id = ${again}`)).toBe(4);
  const unmoved = await copy({ same_course: true });
  expect(await value(`select count(*)::int from offering_dates where course_offering_id = ${unmoved}`)).toBe(
    2,
  );
  const elsewhere = await copy({ shift_days: 10 });
  expect(
    await column(`select coalesce(module.title, item.title) || ' ' || one.due_at::date from offering_dates as one
      left join modules as module on module.id = module_id and module.course_id = one.course_id
      left join content_items as item on item.id = content_item_id and item.course_id = one.course_id
      where course_offering_id = ${elsewhere} order by 1`),
  ).toEqual(["Carrying 2026-03-30", "How a carry ripples infinity"]);
});
