import { readFile } from "node:fs/promises";
import { type SQL, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../../../lib/identity/auth/actor.ts";
import { overviewReport } from "../../../lib/operations/analytics/overview.ts";
import { universityReport } from "../../../lib/operations/analytics/university.ts";
import { universityMidnightSql } from "../../../lib/operations/analytics/university-period.ts";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { repeatInStepsWhileMore } from "../../../lib/platform/db/query/steps.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

/*
 * A university moves from UTC to Berlin, across the date line and back, and to New York. A dozen people learn
 * for two years, mostly near midnight. Reports are compared with each event's own day.
 */

const zones = [
  ["0001-01-01", "UTC"],
  ["2024-09-01", "Europe/Berlin"],
  ["2025-04-01", "Pacific/Kiritimati"],
  ["2025-04-20", "Etc/GMT+12"],
  ["2025-06-10", "America/New_York"],
] as const;

let cloned: TestDatabase;
let database: DatabaseHandles;

/** The same numbers in every run. */
let seed = 20260713;
const drawn = (below: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
};

function drawEvents(count: number, from: string, days: number): string {
  const values = Array.from({ length: count }, () => {
    const moment = Date.parse(`${from}Z`) + drawn(days) * 86_400_000 + drawn(48) * 1_800_000;
    const verb = drawn(3) === 0 ? "asked" : "viewed";
    const offering = 1 + drawn(3);
    return `(${1000 + drawn(12)}, '${verb}', 'course', 1, 1, null, ${offering}, '${new Date(moment).toISOString()}')`;
  });
  return `insert into activity_events
    (user_id, verb, object_type, object_id, university_id, content_item_id, course_offering_id, occurred_at)
    values ${values.join(", ")}`;
}

beforeAll(async () => {
  cloned = await cloneDatabase();
  await cloned.run(await readFile(new URL("../functions/university.sql", import.meta.url), "utf8"));
  await cloned.run(`
    update scheduled_tasks set begun_at = '2024-01-01Z', reached_at = null where name = 'count';
    insert into university_time_zones (university_id, from_day, time_zone)
      values ${zones.map(([day, zone]) => `(1, '${day}', '${zone}')`).join(", ")};
    insert into departments (university_id, name, code) values (1, 'Engines', 'E');
    update courses set department_id = 1 where id <> 2;
    insert into users (id, email, full_name, password_hash) overriding system value
      select id, 'person' || id || '@example.edu', 'Person', 'hash' from generate_series(1000, 1011) as id;
    ${drawEvents(900, "2024-05-01", 640)};
    ${drawEvents(200, "2025-04-15", 60)};
    insert into user_content_progress (user_id, course_offering_id, content_item_id, first_started_at, completed_at)
      select distinct on (user_id, course_offering_id, 1) user_id, course_offering_id, 1, occurred_at,
             occurred_at + interval '20 days' from activity_events`);
  database = await connectDatabase({ url: cloned.url, max: 4 });
  return async () => {
    await database.close();
    await cloned.drop();
  };
});

const head = {
  id: 1,
  roles: [{ university_id: 1, department_id: null, role: "university_admin" }],
} as unknown as Actor;

type About = { date_from: string; date_to: string; department_id?: number };

const reported = async (about: About) => {
  const report = await universityReport(
    database.db,
    head,
    1,
    { ...about, skip: 0, limit: 100 },
    new Date("2026-03-01Z"),
  );
  return {
    time_zone_from: report.time_zone_from,
    people: report.active_users,
    weekly: report.weekly_active_users,
    monthly: report.monthly_active_users,
    begun: report.content_started_count,
    completed: report.content_completed_count,
    days: report.daily_active_users.flatMap(({ date, count }) => (count ? [`${date} ${count}`] : [])),
    courses: report.per_course_breakdown.map((one) => [one.course_id, one.active_users]),
  };
};

/** The same computed from rows, each with its own day. */
async function expected({ date_from, date_to, department_id }: About) {
  const { rows } = await database.db.execute(sql`
    with done as (
      select event.user_id, run.course_id, university_day(1, occurred_at) as day
      from activity_events as event join course_offerings as run on run.id = event.course_offering_id
      join courses on courses.id = run.course_id
      where event.university_id = 1 and (${department_id ?? null}::int is null or courses.department_id = ${department_id ?? null}::int)
    ), mine as (
      select university_day(1, first_started_at) as begun, university_day(1, completed_at) as completed
      from user_content_progress as one join course_offerings as run on run.id = one.course_offering_id
      join courses on courses.id = run.course_id
      where ${department_id ?? null}::int is null or courses.department_id = ${department_id ?? null}::int
    )
    select count(distinct user_id) filter (where day between ${date_from} and ${date_to})::int as people,
           count(distinct user_id) filter (where day between ${date_to}::date - 6 and ${date_to}::date)::int as weekly,
           count(distinct user_id) filter (where day between ${date_to}::date - 29 and ${date_to}::date)::int as monthly,
           (select count(*)::int from mine where begun between ${date_from} and ${date_to}) as begun,
           (select count(*)::int from mine where completed between ${date_from} and ${date_to}) as completed,
           (select coalesce(json_agg(day || ' ' || people order by day), '[]') from (
              select day, count(distinct user_id) as people from done
              where day between ${date_from} and ${date_to} group by day) as one) as days,
           (select json_agg(json_build_array(course_id, people) order by course_id) from (
              select course_id, count(distinct user_id) filter (where day between ${date_from} and ${date_to}) as people
              from done group by course_id) as one) as courses
    from done`);
  return { time_zone_from: "2024-09-01", ...rows[0] };
}

const periods: About[] = [
  { date_from: "2024-08-31", date_to: "2024-08-31" },
  { date_from: "2024-09-01", date_to: "2024-09-01" },
  { date_from: "2024-08-01", date_to: "2024-10-31" },
  { date_from: "2025-03-30", date_to: "2025-04-01" },
  { date_from: "2025-04-18", date_to: "2025-04-22" },
  { date_from: "2025-06-10", date_to: "2025-11-02" },
  { date_from: "2024-07-01", date_to: "2025-12-31" },
  { date_from: "2024-09-01", date_to: "2025-11-01" },
  { date_from: "2024-05-01", date_to: "2025-06-09" },
  { date_from: "2020-01-01", date_to: "2026-03-31" },
];

const holds = async () => {
  for (const period of periods)
    for (const about of [period, { ...period, department_id: 1 }])
      expect(await reported(about), JSON.stringify(about)).toEqual(await expected(about));
};

const count = async (): Promise<void> => {
  for (const step of [
    sql`aggregate_daily_activity_and_answers(50)`,
    sql`aggregate_monthly_activity(200)`,
    sql`aggregate_monthly_progress_and_tutor_use(50)`,
  ])
    await repeatInStepsWhileMore(database.db, { rows: 50, signal: undefined }, () => step);
};

describe("the days of a university", () => {
  it("begin, in each time zone, with the first moment of their date, also at clock changes", async () => {
    const { rows } = await database.db.execute(sql`
      select name, day from pg_timezone_names as zone,
        lateral (select day::date from generate_series('2026-01-01', '2026-12-31', interval '1 day') as day
                 where extract(month from day) in (3, 4, 9, 10)) as one
      where name not like 'posix%' and name not like 'right%' and (
        (first_moment_of_day(day, name) at time zone name)::date <> day
        or ((first_moment_of_day(day, name) - interval '1 second') at time zone name)::date <> day - 1)`);
    expect(rows).toEqual([]);
  });

  it("have 23 and 25 hours at clock changes, and skip no moment when the zone changes", async () => {
    const begins = (day: SQL) => universityMidnightSql(sql`1`, day);
    const hours = (of: string) => {
      const day = sql`${of}::date`;
      return sql`extract(epoch from ${begins(sql`${day} + 1`)} - ${begins(day)})::int / 3600`;
    };
    const day = sql`university_day(1, moment)`;
    const { rows } = await database.db.execute(sql`
      select ${hours("2025-03-30")} as spring, ${hours("2025-11-02")} as autumn,
             (select count(*)::int from generate_series('2024-08-01Z'::timestamptz, '2025-12-01Z', interval '131 minutes') as moment
              where moment < ${begins(day)} or moment >= ${begins(sql`${day} + 1`)}) as left_out`);
    expect(rows).toEqual([{ spring: 23, autumn: 25, left_out: 0 }]);
  });
});

describe("a university's report", () => {
  it("counts its days across each change, the same from events, days and months, before they are counted and after", async () => {
    await holds();
    await count();
    await holds();
  });

  it("follows late events around its own midnight", async () => {
    await count();
    await cloned.run(drawEvents(60, "2025-06-28", 5));
    await cloned.run(drawEvents(60, "2025-03-29", 5));
    await holds();
  });

  it("leaves those of the platform as they were: days of UTC", async () => {
    await count();
    const days = { date_from: "2024-05-01", date_to: "2025-12-31" };
    const report = await overviewReport(database.db, days, new Date("2026-03-01Z"));
    const { rows } = await database.db.execute(sql`
      select utc_day(occurred_at)::text as date, count(distinct user_id)::int as count from activity_events
      where utc_day(occurred_at) between ${days.date_from} and ${days.date_to} group by 1 order by 1`);
    expect(report.daily_active_users.filter(({ count }) => count)).toEqual(rows);
  });
});

describe("a change of a university's time zone", () => {
  // Half an hour before midnight UTC, Berlin's first full day has already begun.
  it.each([
    ["2026-05-05T12:00Z", "noon", 1],
    ["2026-05-05T23:30Z", "night", 2],
  ])(
    "at %s applies from the next midnight there, from the first day of a new university, and not after its withdrawal",
    async (moment, at, taken) => {
      const run = (statement: string) =>
        cloned.run(
          `select set_config('service.clock_offset', ('${moment}'::timestamptz - now())::text, false); ${statement}`,
        );
      const move = (code: string, zone: string) =>
        run(`update universities set time_zone = '${zone}' where short_code = '${code} ${at}'`);
      const zonesOf = (code: string) =>
        database.db
          .execute(sql`
          select time_zone, from_day - (${moment}::timestamptz at time zone time_zone)::date as in_days
          from university_time_zones where from_day > '0001-01-01'
            and university_id = (select id from universities where short_code = ${`${code} ${at}`}) order by from_day`)
          .then(({ rows }) => rows);
      await run(`insert into universities (name, short_code, country_id, time_zone)
      select name, name || ' ${at}', (select min(id) from countries), zone
      from (values ('Berlin', 'Europe/Berlin'), ('Plain', 'UTC'), ('Odd', 'Mars/Olympus')) as one (name, zone)`);
      expect(await zonesOf("Berlin")).toEqual([{ time_zone: "Europe/Berlin", in_days: 0 }]);
      expect(await zonesOf("Plain")).toEqual([]);
      expect(await zonesOf("Odd")).toEqual([]);
      await move("Plain", "Asia/Tokyo");
      expect(await zonesOf("Plain")).toEqual([{ time_zone: "Asia/Tokyo", in_days: 1 }]);
      await move("Plain", "America/Lima");
      expect(await zonesOf("Plain")).toEqual([{ time_zone: "America/Lima", in_days: 1 }]);
      await move("Plain", "UTC");
      expect(await zonesOf("Plain")).toEqual([]);
      await move("Berlin", "UTC");
      expect(await zonesOf("Berlin")).toEqual([
        { time_zone: "Europe/Berlin", in_days: 0 },
        { time_zone: "UTC", in_days: taken },
      ]);
    },
  );
});
