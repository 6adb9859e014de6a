import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { universityMidnightSql } from "../../../../lib/operations/analytics/university-period.ts";
import { openSession } from "../session.ts";

const { rows, column, value } = openSession();

const isNow = (moment: string) =>
  rows(`create or replace function service_now() returns timestamptz language sql stable
    as $$ select timestamptz '${moment}' $$`);
const zones = (university = 1) =>
  column(`select from_day::text || ' ' || time_zone from university_time_zones
    where university_id = ${university} order by from_day`);
const moveTo = (zone: string) => rows(`update universities set time_zone = '${zone}' where id = 1`);

describe("first_moment_of_day", () => {
  it.each([
    ["2026-03-10", "UTC", "2026-03-10 00:00Z"],
    ["2026-03-10", "America/New_York", "2026-03-10 04:00Z"],
    // Clocks go back from 01:00 to midnight, which occurs twice.
    ["2024-11-03", "America/Havana", "2024-11-03 04:00Z"],
    // Clocks go forward from midnight to 01:00.
    ["2018-11-04", "America/Sao_Paulo", "2018-11-04 03:00Z"],
  ])("of %s in %s is %s", async (day, zone, moment) => {
    expect(await value(`select first_moment_of_day('${day}', '${zone}') = '${moment}'`)).toBe(true);
    expect(
      await column(
        `select ((first_moment_of_day('${day}', '${zone}') + step) at time zone '${zone}')::date >= '${day}'
         from unnest('{-1 second,0}'::interval[]) as step`,
      ),
    ).toEqual([false, true]);
  });
});

describe("day_in_zone", () => {
  it("is the date there, before the zone's last day, and UTC's without a zone", async () => {
    const day = (zone: string, past: string) =>
      value(`select day_in_zone('2026-03-10 02:00Z', ${zone}, ${past})::text`);
    expect(await day("'America/New_York'", "null")).toBe("2026-03-09");
    expect(await day("'Europe/Berlin'", "null")).toBe("2026-03-10");
    expect(await day("'Europe/Berlin'", "'2026-03-10'")).toBe("2026-03-09");
    expect(await day("null", "null")).toBe("2026-03-10");
  });
});

describe("university_day and universityMidnightSql", () => {
  const dayOf = (moment: string, university = 1) =>
    value(`select university_day(${university}, '${moment}')::text`);
  const isMidnight = (day: string, moment: string, university = 1) =>
    value(
      sql`select ${universityMidnightSql(sql`${university}::int`, sql`${day}::date`)} = ${moment}::timestamptz`,
    );

  it("use the zone of that time, and UTC before it and without one", async () => {
    await isNow("2026-03-10 12:00Z");
    await moveTo("America/New_York");
    expect([await dayOf("2026-03-10 02:00Z"), await isMidnight("2026-03-10", "2026-03-10 00:00Z")]).toEqual([
      "2026-03-10",
      true,
    ]);
    expect([await dayOf("2026-03-12 02:00Z"), await isMidnight("2026-03-12", "2026-03-12 04:00Z")]).toEqual([
      "2026-03-11",
      true,
    ]);
    expect([await dayOf("2026-03-12 02:00Z", 99), await isMidnight("2026-03-12", "2026-03-12Z", 99)]).toEqual(
      ["2026-03-12", true],
    );
  });

  it("put every moment into one day, which begins at the end of the former, also when the zone changes", async () => {
    await isNow("2026-03-10 12:00Z");
    await moveTo("Pacific/Kiritimati");
    await isNow("2026-03-14 12:00Z");
    await moveTo("Etc/GMT+12");
    expect(await zones()).toHaveLength(3);
    const begins = universityMidnightSql(sql`1`, sql`day`);
    const past = universityMidnightSql(sql`1`, sql`day + 1`);
    const wrong = await rows(sql`
      select moment from generate_series(timestamptz '2026-03-08Z', '2026-03-20Z', interval '30 minutes') as moment
      cross join lateral (select university_day(1, moment) as day) as one
      where moment < ${begins} or moment >= ${past}`);
    expect(wrong).toEqual([]);
  });
});

describe("universities_after_write", () => {
  it("has days be of a new university's zone from its first day on, and none of one in UTC", async () => {
    await isNow("2026-03-10 02:00Z");
    expect(await zones()).toEqual([]);
    const [made] = await column(`
      insert into universities (name, short_code, country_id, time_zone)
      select 'College of looms', 'CL', country_id, 'America/New_York' from universities where id = 1 returning id`);
    expect(await zones(Number(made))).toEqual(["0001-01-01 UTC", "2026-03-09 America/New_York"]);
  });

  it("applies another zone from the next day on, the last one that was set before", async () => {
    await isNow("2026-03-10 12:00Z");
    await moveTo("America/New_York");
    await moveTo("Europe/Berlin");
    expect(await zones()).toEqual(["0001-01-01 UTC", "2026-03-11 Europe/Berlin"]);
    await moveTo("UTC");
    expect(await zones()).toEqual(["0001-01-01 UTC"]);
    await isNow("2026-03-12 12:00Z");
    await moveTo("Europe/Berlin");
    await isNow("2026-03-20 12:00Z");
    await moveTo("Europe/Madrid");
    expect(await zones()).toEqual(["0001-01-01 UTC", "2026-03-13 Europe/Berlin", "2026-03-21 Europe/Madrid"]);
  });

  it("counts a zone that PostgreSQL does not know as UTC", async () => {
    await isNow("2026-03-10 12:00Z");
    await moveTo("Europe/Berlin");
    await isNow("2026-03-12 12:00Z");
    await moveTo("Mars/Olympus");
    expect(await zones()).toEqual(["0001-01-01 UTC", "2026-03-11 Europe/Berlin", "2026-03-13 UTC"]);
  });
});
