import { beforeEach, describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

/*
 * Ada views topic 1 at ten on the first day and ten minutes later, asks the tutor, and returns on the third.
 */
beforeEach(async () => {
  await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, course_offering_id, occurred_at) values
    (1, 'viewed', 'content_item', 1, 1, 1, '2026-03-01T10:00Z'), (1, 'asked', 'content_item', 1, 1, 1, '2026-03-01T10:10Z'),
    (1, 'viewed', 'content_item', 1, 1, 1, '2026-03-03T10:00Z')`);
});

const ofAda = { user_id: 1, content_item_id: 1, course_id: 1 };
const first = { day: "2026-03-01", ...ofAda, milliseconds: 600_000, questions: 1 };
const third = { day: "2026-03-03", ...ofAda, milliseconds: 0, questions: 0 };

const columns = "day::text, user_id, content_item_id, course_id, milliseconds, questions";

describe("daily_activity_between", () => {
  const between = (from: string, to: string) =>
    rows(`select ${columns} from daily_activity_between('${from}', '${to}', null) order by 1, 2, 3`);

  it("has a row for each day, person and topic, with the time and the questions", async () => {
    expect(await between("2026-03-01", "2026-03-04")).toEqual([first, third]);
    expect(await between("2026-03-02", "2026-03-03T10:00Z")).toEqual([]);
  });

  it("assigns activity without a topic to its offering's course, and without both to none", async () => {
    await rows(`insert into activity_events (user_id, verb, object_type, object_id, course_offering_id, occurred_at) values
      (2, 'viewed', 'course', 2, 2, '2026-03-05T10:00Z'), (2, 'viewed', 'course', 2, null, '2026-03-05T10:01Z')`);
    expect(await between("2026-03-05", "infinity")).toMatchObject([
      { user_id: 2, content_item_id: null, course_id: 2, milliseconds: 0 },
      { user_id: 2, content_item_id: null, course_id: null, milliseconds: 0 },
    ]);
  });

  it("adds up the pauses on a topic of at most half an hour, each on the day on which it ended", async () => {
    const view = async (...moments: string[]) => {
      for (const moment of moments)
        await rows(`insert into activity_events (user_id, verb, object_type, object_id, content_item_id, occurred_at)
          values (1, 'viewed', 'content_item', 1, 1, '${moment}')`);
    };
    const times = async (from: string) =>
      (await between(from, "2026-03-03")).map(({ day, milliseconds }) => [day, milliseconds]);
    await view("2026-03-01T10:40:01Z", "2026-03-01T23:55Z", "2026-03-02T00:05Z", "2026-03-02T00:35Z");
    expect(await times("2026-03-01")).toEqual([
      ["2026-03-01", 600_000],
      ["2026-03-02", 2_400_000],
    ]);
    expect(await times("2026-03-02"), "with what was before midnight").toEqual([["2026-03-02", 2_400_000]]);
    await view("2026-03-01T10:25Z");
    expect(await times("2026-03-01")).toEqual([
      ["2026-03-01", 2_401_000],
      ["2026-03-02", 2_400_000],
    ]);
  });
});

describe("activity", () => {
  const activity = () => rows(`select ${columns} from activity order by 1`);

  it("is the counted days, and everything since", async () => {
    expect(await activity()).toEqual([first, third]);
    await rows(
      "insert into activity_days values ('2026-03-01', 2, null, 1, 0, 0), ('2026-03-03', 2, null, 1, 0, 0)",
    );
    await rows("update scheduled_tasks set begun_at = '2026-03-03Z' where name = 'count'");
    expect(await activity()).toEqual([
      { day: "2026-03-01", user_id: 2, content_item_id: null, course_id: 1, milliseconds: 0, questions: 0 },
      third,
    ]);
  });

  it("has activity of erased people, on every day", async () => {
    await rows("insert into activity_days values ('2026-03-01', -4, null, 1, 0, 0)");
    expect(await value("select array_agg(user_id order by user_id) from activity")).toEqual([-4, 1, 1]);
  });
});
