import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "./session.ts";

const { rows, value, noted } = openSession();

/* Ada views topic 1 at ten on the first day and ten minutes later, asks the tutor, and comes back on the third. */
beforeEach(async () => {
  await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, course_offering_id, occurred_at) values
    (1, 'viewed', 'content_item', 1, 1, 1, '2026-03-01T10:00Z'), (1, 'asked', 'content_item', 1, 1, 1, '2026-03-01T10:10Z'),
    (1, 'viewed', 'content_item', 1, 1, 1, '2026-03-03T10:00Z')`);
});

/** What the events above come to. */
const counted = {
  people: 2,
  course_people: 2,
  topic_people: 2,
  tutor_people: 1,
  tutor_questions: 1,
  topic_milliseconds: 600_000,
};

it("note_events leaves the numbers of new events on the list", async () => {
  const listed = "select event_id, user_id, course_offering_id from uncounted_activity";
  expect(await rows(`${listed} except select id, user_id, course_offering_id from activity_events`)).toEqual(
    [],
  );
  expect(await value("select count(*)::int from uncounted_activity")).toBe(3);
});

it("activity_scopes says what an event counts for, by its topic or else by its offering", async () => {
  const scopes = (args: string) =>
    rows(`select measure, target, course_id from activity_scopes(${args}) order by measure`);
  expect(await scopes("'asked', 1, null")).toEqual([
    { measure: "course_people", target: 1, course_id: 1 },
    { measure: "people", target: 0, course_id: null },
    { measure: "topic_people", target: 1, course_id: 1 },
    { measure: "tutor_people", target: 1, course_id: 1 },
  ]);
  expect((await scopes("'viewed', null, 2")).map(({ measure, course_id }) => [measure, course_id])).toEqual([
    ["course_people", 2],
    ["people", null],
  ]);
  expect(await scopes("'viewed', null, null")).toHaveLength(1);
});

it("active_before is the day of the last activity before a moment, anywhere, in a course, on a topic or with its tutor", async () => {
  const before = (measure: string, target: number, moment: string) =>
    value(`select active_before('${measure}', 1, ${target}, '${moment}')::text`);
  expect(await before("people", 0, "2026-03-03")).toBe("2026-03-01");
  expect(await before("people", 0, "2026-03-04")).toBe("2026-03-03");
  expect(await before("people", 0, "2026-03-01")).toBeNull();
  expect(await before("course_people", 1, "2026-03-04")).toBe("2026-03-03");
  expect(await before("course_people", 2, "2026-03-04")).toBeNull();
  expect(await before("topic_people", 1, "2026-03-04")).toBe("2026-03-03");
  expect(await before("topic_people", 2, "2026-03-04")).toBeNull();
  expect(await before("tutor_people", 1, "2026-03-04")).toBe("2026-03-01");
});

it("uncounted_people are those who have uncounted events, since the day of the first", async () => {
  expect(await rows("select user_id, first_day = '2026-03-01Z' as is_first from uncounted_people()")).toEqual(
    [{ user_id: 1, is_first: true }],
  );
  await rows("select count_activity('{1}')");
  expect(await rows("select * from uncounted_people()")).toEqual([]);
});

it("counted_pause counts pauses of at most 30 minutes, in milliseconds", async () => {
  expect(await value("select counted_pause('30 minutes')::int")).toBe(1_800_000);
  expect(await value("select counted_pause('30 minutes 1 second')::int")).toBe(0);
  expect(await value("select counted_pause(null)::int")).toBe(0);
});

describe("count_activity", () => {
  it("notes what the uncounted events of these people come to, each once", async () => {
    await rows("delete from uncounted_changes");
    expect(await value("select count_activity('{2}')")).toBe(0);
    expect(await noted()).toEqual({});
    expect(await value("select count_activity('{1}')")).toBe(3);
    expect(await noted()).toMatchObject(counted);
    expect(await value("select count_activity('{1}')")).toBe(0);
    expect(await noted()).toMatchObject(counted);
  });

  it("moves the day before, when what happened between two days is counted later", async () => {
    await rows("select count_activity('{1}')");
    await rows(`insert into activity_events (user_id, verb, object_type, object_id, occurred_at)
      values (1, 'viewed', 'course', 1, '2026-03-02T10:00Z')`);
    await rows("select count_activity('{1}')");
    const days = `select day::text, since::text from uncounted_changes where measure = 'people'
      group by 1, 2 having sum(amount) <> 0 order by 1`;
    expect(await rows(days)).toEqual([
      { day: "2026-03-01", since: null },
      { day: "2026-03-02", since: "2026-03-01" },
      { day: "2026-03-03", since: "2026-03-02" },
    ]);
  });

  it("adds up the pauses on a topic, each on the day on which it ended, also where one is parted later", async () => {
    const times = () =>
      rows(`select day::text, sum(amount)::int as time from uncounted_changes
        where measure = 'topic_milliseconds' group by 1 having sum(amount) <> 0 order by 1`);
    const view = async (...moments: string[]) => {
      for (const moment of moments)
        await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at)
          values (1, 'viewed', 'content_item', 1, 1, '${moment}')`);
      await rows("select count_activity('{1}')");
    };
    await view("2026-03-01T10:41Z", "2026-03-01T23:55Z", "2026-03-02T00:05Z");
    const first = { day: "2026-03-01", time: 600_000 };
    expect(await times()).toEqual([first, { day: "2026-03-02", time: 600_000 }]);
    await view("2026-03-02T00:25Z");
    expect(await times()).toEqual([first, { day: "2026-03-02", time: 1_800_000 }]);
    await view("2026-03-01T10:25Z");
    expect(await times()).toEqual([
      { day: "2026-03-01", time: 2_460_000 },
      { day: "2026-03-02", time: 1_800_000 },
    ]);
  });
});

it("activity_changes says what counting would note, and counts nothing", async () => {
  const changes = async (people: string) =>
    Object.fromEntries(
      (
        await rows(`select measure, sum(amount)::int as amount from activity_changes('${people}') group by 1`)
      ).map(({ measure, amount }) => [measure, amount]),
    );
  expect(await changes("{1}")).toEqual(counted);
  expect(await changes("{2}")).toEqual({});
  expect(await value("select count(*)::int from uncounted_activity")).toBe(3);
});
