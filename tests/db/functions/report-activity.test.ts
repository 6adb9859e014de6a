import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "./session.ts";

const { column, rows, value, noted } = openSession();

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
  expect(await column("select event_id from uncounted_events except select id from activity_events")).toEqual(
    [],
  );
  expect(await value("select count(*)::int from uncounted_events")).toBe(3);
});

it("activity_scopes says what an event counts for, by its topic or else by its offering", async () => {
  const scopes = (args: string) =>
    rows(`select scope, target, course_id from activity_scopes(${args}) order by scope`);
  expect(await scopes("'asked', 1, null")).toEqual([
    { scope: "anywhere", target: null, course_id: null },
    { scope: "course", target: 1, course_id: 1 },
    { scope: "topic", target: 1, course_id: 1 },
    { scope: "tutor", target: 1, course_id: 1 },
  ]);
  expect((await scopes("'viewed', null, 2")).map(({ scope, course_id }) => [scope, course_id])).toEqual([
    ["anywhere", null],
    ["course", 2],
  ]);
  expect(await scopes("'viewed', null, null")).toHaveLength(1);
});

it("activity_moments answers when a person was active in a scope, by what is counted and the uncounted up to a number", async () => {
  const moments = (args: string) => value(`select count(*)::int from activity_moments(${args})`);
  const all = "(select max(event_id) from uncounted_events)";
  expect(await moments(`'anywhere', 1, null, ${all}`)).toBe(3);
  expect(await moments(`'course', 1, 1, ${all}`)).toBe(3);
  expect(await moments(`'topic', 1, 1, ${all}`)).toBe(3);
  expect(await moments(`'tutor', 1, 1, ${all}`)).toBe(1);
  expect(await moments("'topic', 1, 1, 0")).toBe(0);
  expect(await moments(`'topic', 1, 2, ${all}`)).toBe(0);
});

it("people_measure names the measure of a scope", async () => {
  expect(
    await column(
      "select people_measure(scope) from unnest('{anywhere,course,topic,tutor}'::text[]) as scope",
    ),
  ).toEqual([...["people", "course_people", "topic_people", "tutor_people"]]);
});

it("active_before is the day of the last activity before a day", async () => {
  const before = (day: string) =>
    value(
      `select active_before('topic', 1, 1, '${day}', (select max(event_id) from uncounted_events))::text`,
    );
  expect(await before("2026-03-03")).toBe("2026-03-01");
  expect(await before("2026-03-01")).toBeNull();
});

it("topic_milliseconds adds up the pauses of at most 30 minutes, each on the day on which it ended", async () => {
  const time = (day: string) =>
    value(`select topic_milliseconds(1, 1, '${day}', (select max(id) from activity_events))::int`);
  expect(await time("2026-03-01")).toBe(600_000);
  await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at) values
    (1, 'viewed', 'content_item', 1, 1, '2026-03-01T10:41Z'), (1, 'viewed', 'content_item', 1, 1, '2026-03-01T23:55Z'),
    (1, 'viewed', 'content_item', 1, 1, '2026-03-02T00:05Z')`);
  expect(await time("2026-03-01")).toBe(600_000);
  expect(await time("2026-03-02")).toBe(600_000);
});

it("activity_counts answers what events count for, of some people or all, with or without the uncounted", async () => {
  const counts = async (args: string) =>
    Object.fromEntries(
      (await rows(`select measure, sum(amount)::int as amount from activity_counts(${args}) group by 1`)).map(
        ({ measure, amount }) => [measure, amount],
      ),
    );
  expect(await counts("null, false")).toEqual(counted);
  expect(await counts("'{1}', false")).toEqual(counted);
  expect(await counts("'{2}', false")).toEqual({});
  expect(await counts("null, true")).toEqual({});
});

describe.each(["count_events", "count_events_of_people"])("%s", (count) => {
  it("notes what the uncounted events come to, each once", async () => {
    await rows("delete from uncounted_changes");
    expect(await value(`select ${count}(100)`)).toBe(3);
    expect(await noted()).toEqual(counted);
    expect(await value(`select ${count}(100)`)).toBe(0);
    expect(await noted()).toEqual(counted);
  });

  it("moves the day before, when what happened between two days is counted later", async () => {
    await rows(`select ${count}(100)`);
    await rows(`insert into activity_events (user_id, verb, object_type, object_id, occurred_at)
      values (1, 'viewed', 'course', 1, '2026-03-02T10:00Z')`);
    await rows(`select ${count}(100)`);
    const days = `select day::text, since::text from uncounted_changes where measure = 'people'
      group by 1, 2 having sum(amount) <> 0 order by 1`;
    expect(await rows(days)).toEqual([
      { day: "2026-03-01", since: null },
      { day: "2026-03-02", since: "2026-03-01" },
      { day: "2026-03-03", since: "2026-03-02" },
    ]);
  });
});

it("event_changes says what counting would note, and counts nothing", async () => {
  const changes = await rows("select measure, sum(amount)::int as amount from event_changes(100) group by 1");
  expect(Object.fromEntries(changes.map(({ measure, amount }) => [measure, amount]))).toEqual(counted);
  expect(await value("select count(*)::int from uncounted_events")).toBe(3);
});

it("count_events_of counts what these people did", async () => {
  expect(await value("select count_events_of('{2}')")).toBe(0);
  expect(await value("select count_events_of('{1}')")).toBe(3);
});

it("count_events takes the first of many", async () => {
  expect(await value("select count_events(2)")).toBe(2);
  expect(await value("select count_events(2)")).toBe(1);
});
