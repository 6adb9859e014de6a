import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { markAnnouncementReadCte } from "../../../../lib/community/announcements.ts";
import { notificationKinds } from "../../../../schema/enums.ts";
import { openSession } from "../session.ts";

const { column, rows, value } = openSession();

const at = "2026-03-10T12:00:00Z";
const nextMorning = new Date("2026-03-11T07:00:00Z");

/** Ada, whose address is verified, and Ben take the first offering; Cyd takes none. */
beforeEach(async () => {
  await rows(
    "insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'active'), (2, 1, 'active')",
  );
  await rows("update users set email_verified_at = now() where id = 1");
});

const told = (kind?: string) =>
  rows(`select user_id, cause, mail_due_at from notifications
        where ${kind ? `kind = '${kind}'` : "true"} order by user_id, id`);

const announce = async (more = "") => {
  const [made] = await rows(
    `insert into announcements (university_id, course_offering_id, title, body, created_by_user_id, published_at)
     values (1, ${more || "1"}, 'News', 'Words', 3, '${at}') returning id`,
  );
  return Number(made?.["id"]);
};

describe("notify", () => {
  it("notifies each person once per cause, and no deactivated one", async () => {
    await rows("update users set is_active = false where id = 2");
    const tell = () =>
      value(`select notify('{1,2,3,999}', 'grade_released', 'grade:7', '${at}', offering => 1)`);
    expect([await tell(), await tell()]).toEqual([2, 0]);
    expect(await column("select user_id from notifications order by 1")).toEqual([1, 3]);
  });

  it("sends mail by the person's preferences, and to a verified address only", async () => {
    await rows(`select notify('{1,2}', 'grade_released', 'grade:7', '${at}')`);
    expect(await told()).toMatchObject([
      { user_id: 1, mail_due_at: nextMorning },
      { user_id: 2, mail_due_at: null },
    ]);
    await rows(`select notify('{1}', 'place_obtained', 'place:1', '${at}')`);
    expect(await told("place_obtained")).toMatchObject([{ mail_due_at: new Date(at) }]);
    // The next daily mail would be too late.
    await rows(`select notify('{1}', 'due_soon', 'item:1', '${at}', due => '2026-03-11T06:59:00Z')`);
    expect(await told("due_soon")).toMatchObject([{ mail_due_at: new Date(at) }]);
  });

  it("carries a grade's item and course", async () => {
    await rows(`select notify('{2}', 'grade_released', 'grade:7', '${at}', offering => 1, item => 1)`);
    await rows(`select notify('{2}', 'grade_released', 'final:1', '${at}', offering => 1)`);
    expect(await column(`select title from visible_notifications_of_person(2, '${at}') order by id`)).toEqual(
      ["How a carry ripples", "Difference engines"],
    );
  });
});

describe("preferences", () => {
  it("are the standard of each kind until they are changed, of one field or both", async () => {
    const wishes = () =>
      rows("select kind, in_app, mail from notification_settings where user_id = 1 order by kind");
    expect((await wishes()).map(({ kind }) => kind)).toEqual([...notificationKinds].sort());
    const changed = `'{"due_soon": {"mail": "off"}, "announcement": {"in_app": false}}'`;
    const all = await value(`select update_notification_preferences(1, ${changed}, '${at}')`);
    expect(all).toMatchObject({
      due_soon: { in_app: true, mail: "off" },
      announcement: { in_app: false, mail: "immediate" },
    });
    expect((await wishes()).find(({ kind }) => kind === "due_soon")).toMatchObject({ mail: "off" });
  });

  it("apply to queued mail, too", async () => {
    await rows(`select notify('{1}', 'grade_released', 'grade:7', '${at}')`);
    await rows(`select notify('{1}', 'due_soon', 'item:1', '${at}')`);
    await rows(
      `select update_notification_preferences(1, '{"grade_released": {"mail": "immediate"}}', '${at}')`,
    );
    expect(await told("grade_released")).toMatchObject([{ mail_due_at: new Date(at) }]);
    expect(await told("due_soon")).toMatchObject([{ mail_due_at: nextMorning }]);
    await rows(`select update_notification_preferences(
      1, (select jsonb_object_agg(kind, '{"mail": "off"}'::jsonb) from notification_settings where user_id = 1), '${at}')`);
    expect(await column("select mail_due_at from notifications")).toEqual([null, null]);
    expect(await column("select distinct mail from notification_settings where user_id = 1")).toEqual([
      "off",
    ]);
  });

  it("notification_mail_time goes by the person's time zone, or UTC where it is unknown here", async () => {
    const daily = (time_zone: string, moment: string) =>
      `notification_mail_time(jsonb_populate_record(users, '${JSON.stringify({ time_zone })}'), 'daily', '${moment}')`;
    const moments = await rows(`select ${daily("America/New_York", at)} as west,
      ${daily("Asia/Tokyo", "2026-03-10T21:59:00Z")} as east, ${daily("Moon/Base", at)} as moon,
      notification_mail_time(users, 'immediate', '${at}') as now, notification_mail_time(users, 'off', '${at}') as none
      from users where id = 1`);
    expect(moments).toEqual([
      {
        now: new Date(at),
        west: new Date("2026-03-11T11:00:00Z"),
        east: new Date("2026-03-10T22:00:00Z"),
        moon: nextMorning,
        none: null,
      },
    ]);
  });
});

describe("an answer in a discussion", () => {
  beforeEach(async () => {
    await rows(`insert into discussion_threads (id, course_offering_id, created_by_user_id, title)
                overriding system value values (1, 1, 1, 'Beats')`);
    await rows(`insert into discussion_posts (id, thread_id, user_id, body)
                overriding system value values (101, 1, 1, 'Why?')`);
  });
  const post = (person: number, parent: number | null = null) =>
    value(
      `select (post).id from add_discussion_post_and_notify(1, ${parent}, ${person}, 'Because.', '${at}', '{}')`,
    );

  it("add_discussion_post_and_notify tells who began the thread and whose post it answers, each once, and never its writer", async () => {
    const first = await post(2);
    expect(await told()).toMatchObject([{ user_id: 1, cause: `post:${first}` }]);
    const second = await post(1, Number(first));
    expect(await told()).toMatchObject([{ user_id: 1 }, { user_id: 2, cause: `post:${second}` }]);
    await post(2, 101);
    expect((await told()).filter((one) => one["user_id"] === 1)).toHaveLength(2);
  });

  it("can_read_discussion_thread no one who left the offering: they are not notified, and earlier notifications are hidden", async () => {
    await post(2);
    expect(
      await rows(`select title, by_name, thread_id from visible_notifications_of_person(1, '${at}')`),
    ).toEqual([{ title: "Beats", by_name: "Ben", thread_id: 1 }]);
    await rows("update enrollments set status = 'dropped' where user_id = 1");
    expect(await value("select can_read_discussion_thread(1, 1)")).toBe(false);
    await post(2);
    expect([
      await told(),
      await column(`select id from visible_notifications_of_person(1, '${at}')`),
    ]).toMatchObject([[{}], []]);
  });

  it("is hidden once it is deleted or hidden", async () => {
    const [one, two] = [await post(2), await post(2)];
    await rows(`select delete_discussion_post_keeping_row(${one})`);
    await rows(`select hide_or_show_post_resolving_reports(${two}, true, '${at}')`);
    expect(await value(`select count_unread_notifications(1, '${at}')`)).toBe(0);
  });
});

it("fill_seats_from_waitlist_and_notify notifies people who are admitted from the waiting list", async () => {
  await rows("insert into enrollments (user_id, course_offering_id, status) values (3, 1, 'waitlisted')");
  await rows("update course_offerings set capacity = 3 where id = 1");
  await rows(`select fill_seats_from_waitlist_and_notify(1, '${at}')`);
  expect(await told()).toMatchObject([{ user_id: 3, cause: expect.stringMatching(/^place:1:/) }]);
  await rows(`select fill_seats_from_waitlist_and_notify(1, '${at}')`);
  expect(await told()).toHaveLength(1);
});

describe("announcements", () => {
  const teach = (person: number) =>
    rows(`insert into user_university_roles (user_id, university_id, role) values (${person}, 1, 'ta');
          insert into course_offering_instructors (course_offering_id, user_id) values (1, ${person})`);

  const readersOf = async (id: unknown) => {
    await rows("savepoint telling");
    await rows(`update announcements set told_at = '${at}' where id <> ${id}`);
    await rows(`select notify_readers_of_next_published_announcement('${at}', 10)`);
    const people = await column(`select user_id from notifications where announcement_id = ${id} order by 1`);
    await rows("rollback to savepoint telling");
    return people;
  };

  it("notify_readers_of_next_published_announcement reaches people with a seat and teachers, except the author", async () => {
    await teach(3);
    await rows("insert into enrollments (user_id, course_offering_id, status) values (3, 2, 'active')");
    const id = await announce();
    const readers = () => readersOf(id);
    expect(await readers()).toEqual([1, 2]);
    await rows("update enrollments set status = 'waitlisted' where user_id = 2");
    expect(await readers()).toEqual([1]);
    expect(await column("select user_id from participants where course_offering_id = 1 order by 1")).toEqual([
      1, 3,
    ]);
  });

  it("of a university are for everyone with a role or an enrollment there, and visible_announcements_of_person has both", async () => {
    await rows("insert into user_university_roles (user_id, university_id, role) values (2, 1, 'ta')");
    const [own, all] = [await announce(), await announce("null")];
    expect(await readersOf(all)).toEqual([1, 2]);
    const of = (person: number) =>
      column(`select id from visible_announcements_of_person(${person}, '${at}') order by id`);
    expect([await of(1), await of(3)]).toEqual([[own, all], []]);
    expect(await column(`select id from visible_announcements_of_person(1, '2026-03-10T11:59:59Z')`)).toEqual(
      [],
    );
  });

  it("notify_readers_of_next_published_announcement continues after an interruption, and notifies no one twice", async () => {
    await teach(3);
    await rows("update announcements set created_by_user_id = null");
    await announce();
    await rows("update announcements set created_by_user_id = null");
    const tell = () => value(`select notify_readers_of_next_published_announcement('${at}', 2)`);
    expect([await tell(), await tell(), await tell()]).toEqual([3, 2, 0]);
    expect(await column("select user_id from notifications order by id")).toEqual([1, 2, 3]);
  });

  it("are notified at publication, and hidden before it", async () => {
    await announce();
    expect(
      await value("select notify_readers_of_next_published_announcement('2026-03-10T11:00:00Z', 10)"),
    ).toBe(0);
    await rows(`select notify_readers_of_next_published_announcement('${at}', 10)`);
    await rows("update announcements set published_at = '2026-03-12'");
    expect(await value(`select count_unread_notifications(1, '${at}')`)).toBe(0);
    expect(await value(`select count_unread_notifications(1, '2026-03-12')`)).toBe(1);
  });

  it("are read once: markAnnouncementReadCte and mark_notifications_read each mark both", async () => {
    const [one, two] = [await announce(), await announce()];
    await rows(
      `select notify_readers_of_next_published_announcement('${at}', 10), notify_readers_of_next_published_announcement('${at}', 10)`,
    );
    expect(await value(`select count_unread_announcements(1, '${at}')`)).toBe(2);
    for (const moment of [at, "2026-03-11"])
      await rows(
        sql`with permitted as (select ${one}::int as id), ${markAnnouncementReadCte(1, moment)} select from permitted`,
      );
    expect(await column("select read_at from announcement_reads")).toEqual([new Date(at)]);
    expect(await value(`select count_unread_notifications(1, '${at}')`)).toBe(1);
    const last = `select id from notifications where user_id = 1 and announcement_id = ${two}`;
    expect(await value(`select mark_notifications_read(1, array(${last}), 0, '${at}')`)).toBe(0);
    expect(await value(`select count_unread_announcements(1, '${at}')`)).toBe(0);
  });
});

describe("mark_notifications_read", () => {
  it("marks those up to one, never another's, and takes them from the mail", async () => {
    for (const cause of ["a", "b", "c"])
      await rows(`select notify('{1,2}', 'due_soon', '${cause}', '${at}', item => 1)`);
    const second = await value("select id from notifications where user_id = 1 and cause = 'b'");
    expect(await value(`select mark_notifications_read(1, '{}', ${second}, '${at}')`)).toBe(1);
    expect(
      await value(
        `select mark_notifications_read(2, array(select id from notifications where user_id = 1), 0, '${at}')`,
      ),
    ).toBe(3);
    expect(
      await column("select cause from notifications where user_id = 1 and mail_due_at is not null"),
    ).toEqual(["c"]);
  });

  it("counts enabled kinds, up to a thousand", async () => {
    await rows(`insert into notifications (user_id, kind, cause, created_at)
                select 1, 'grade_released', 'grade:' || n, '${at}' from generate_series(1, 1001) as n`);
    expect(await value(`select count_unread_notifications(1, '${at}')`)).toBe(1000);
    await rows(`select update_notification_preferences(1, '{"grade_released": {"in_app": false}}', '${at}')`);
    expect(await value(`select count_unread_notifications(1, '${at}')`)).toBe(0);
  });
});

describe("remind_people_of_items_due_soon", () => {
  const remind = (moment = at) =>
    value(`select remind_people_of_items_due_soon('${moment}', interval '24 hours', 10)`);

  it("reminds once of due work by its date or the nearest module's, for people who have still to do it", async () => {
    await rows("update content_items set due_at = '2026-03-11T11:00:00Z' where id = 1");
    await rows("update modules set due_at = '2026-03-11T09:00:00Z' where id = 1");
    expect(
      await rows(`select * from items_due_soon_without_reminder('${at}', interval '24 hours') order by item`),
    ).toEqual([
      { offering: 1, item: 1, due: new Date("2026-03-11T11:00:00Z") },
      { offering: 1, item: 2, due: new Date("2026-03-11T09:00:00Z") },
    ]);
    await rows(`insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent, completed_at)
                values (2, 1, 1, 100, '${at}')`);
    expect([await remind(), await remind()]).toEqual([2, 0]);
    expect(await column("select user_id || ':' || content_item_id from notifications order by 1")).toEqual([
      "1:1",
      "1:2",
      "2:2",
    ]);
  });

  it("reminds again when the date moves, and of nothing hidden, past, far off or in a finished offering", async () => {
    const due = (moment: string) => rows(`update content_items set due_at = '${moment}' where id = 1`);
    await due("2026-03-11T11:00:00Z");
    await remind();
    await due("2026-03-11T10:00:00Z");
    expect(await remind()).toBe(1);
    for (const moment of [at, "2026-03-12T00:00:00Z"]) {
      await due(moment);
      expect(await remind()).toBe(0);
    }
    await due("2026-03-11T09:00:00Z");
    await rows("update modules set is_published = false where id = 1");
    expect(await remind()).toBe(0);
    await rows("update modules set is_published = true where id = 1");
    await rows("update course_offerings set ends_at = '2026-03-10T00:00:00Z' where id = 1");
    expect(await remind()).toBe(0);
  });

  it("reminds by the offering's date instead of the course's, and by granted dates", async () => {
    await rows("update content_items set due_at = '2026-03-11T11:00:00Z' where id = 1");
    const lines = JSON.stringify([{ module_id: 1, due_at: "2026-03-20T11:00:00Z" }]);
    await rows(`select from set_offering_or_group_content_dates(1, '${lines}', '${at}')`);
    expect(await remind()).toBe(0);
    await rows(
      `select from grant_item_override_and_update_work(2, 1, 1, '{"due_at": "2026-03-11T08:00:00Z"}', '${at}')`,
    );
    const reminded = () => column("select user_id || ':' || content_item_id from notifications order by 1");
    expect([await remind(), await reminded()]).toEqual([1, ["2:1"]]);
    expect(await remind("2026-03-19T12:00:00Z")).toBe(2);
    expect(await reminded()).toEqual(["1:1", "1:2", "2:1", "2:2"]);
  });

  it("skips people whose work awaits a grade, or without attempts left", async () => {
    await rows("update content_items set due_at = '2026-03-11T11:00:00Z' where id in (1, 2)");
    const become = (item: number, type: string, data: object) =>
      rows(`update content_items set data_json = '${JSON.stringify(data)}',
              content_type_id = (select id from content_types where name = '${type}') where id = ${item}`);
    await become(1, "assignment", {});
    await become(2, "quiz", { quiz_mode: "exam" });
    await rows(`insert into lab_submissions (user_id, course_offering_id, content_item_id) values (1, 1, 1)`);
    await rows(`insert into quiz_attempts (user_id, course_offering_id, content_item_id, submitted_at, passed)
                values (2, 1, 2, '${at}', false)`);
    await remind();
    expect(await column("select user_id || ':' || content_item_id from notifications order by 1")).toEqual([
      "1:2",
      "2:1",
    ]);
  });

  it("skips people with another granted date", async () => {
    await rows("update content_items set due_at = '2026-03-11T11:00:00Z' where id = 1");
    await rows(`insert into quiz_overrides (user_id, course_offering_id, content_item_id, due_at)
                values (1, 1, 1, '2026-03-20T00:00:00Z')`);
    await remind();
    expect(await column("select user_id from notifications")).toEqual([2]);
  });
});

describe("queue_due_notification_mail", () => {
  const queue = (moment = at) => value(`select queue_due_notification_mail('${moment}', 10)`);

  it("makes one mail of everything due to a person, and the next only five minutes after the first was sent", async () => {
    for (const cause of ["a", "b"]) await rows(`select notify('{1}', 'place_obtained', '${cause}', '${at}')`);
    await rows(`select notify('{1}', 'due_soon', 'later', '${at}')`);
    expect([await queue(), await queue()]).toEqual([2, 0]);
    await rows(`select notify('{1}', 'place_obtained', 'c', '${at}')`);
    expect(await queue()).toBe(0);
    expect(await rows("select kind, address, user_id from mail_outbox")).toEqual([
      { kind: "notifications", address: "ada@example.edu", user_id: 1 },
    ]);
    await rows(`update mail_outbox set ended_at = '${at}'`);
    const fiveMinutesLater = new Date(Date.parse(at) + 5 * 60_000).toISOString();
    expect([await queue(), await queue(fiveMinutesLater)]).toEqual([0, 1]);
    expect(await column("select cause from notifications where mail_id is null")).toEqual(["later"]);
  });

  it("waits for nothing after a mail that had nothing to say", async () => {
    for (const cause of ["a", "b"]) {
      await rows(`select notify('{1}', 'place_obtained', '${cause}', '${at}')`);
      expect(await queue()).toBe(1);
      await rows(`update mail_outbox set ended_at = '${at}', failure = 'nothing to say'`);
    }
  });

  it("drops mail to deactivated people, and to unverified addresses", async () => {
    await rows(`select notify('{1}', 'place_obtained', 'a', '${at}')`);
    await rows("update users set email_verified_at = null where id = 1");
    expect([await queue(), await column("select id from mail_outbox")]).toEqual([1, []]);
  });
});
