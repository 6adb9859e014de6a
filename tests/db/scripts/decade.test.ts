import { beforeAll, expect, it } from "vitest";
import { rollUpReportData } from "../../../lib/operations/analytics/roll-up.ts";
import { connectDatabase } from "../../../lib/platform/db/driver/connect.ts";
import { loadTenYearsOfData } from "../../../proof/scale/decade-loading.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

const size = {
  people: 60,
  courses: 6,
  runs: 20,
  enrollments: 600,
  events: 3000,
  messages: 200,
  classSize: 20,
};

/** Counts of past days and months, regardless of the time of day. */
const counted = {
  days: `select day::text, user_id, content_item_id, course_id, milliseconds, questions from activity_days
         where day < current_date - 1 order by 1, 2, 3, 4`,
  answers: `select measure, course_id, day::text, sum(amount)::int as amount from report_totals
            where day < current_date - 1 group by 1, 2, 3 order by 1, 2, 3`,
  people: `select month::text, user_id, content_item_id, course_id, milliseconds, questions from activity_months
           where month < date_trunc('month', current_date - 1) order by 1, 2, 3, 4`,
  months: `select month::text, measure, course_id, since::text, university_id, sum(amount)::int as amount from report_months
           where month < date_trunc('month', current_date - 1) group by 1, 2, 3, 4, 5 having sum(amount) <> 0
           order by 1, 2, 3, 4, 5`,
  trees: `select * from tree_totals where completed <> 0 or interrupted <> 0 order by 1, 2, 3`,
  facts: `select * from fact_months where month < date_trunc('month', current_date - 1) and amount <> 0
          order by measure, course_id, month, since`,
  tutor: `select * from tutor_report_months where month < date_trunc('month', current_date - 1) order by 1, 2, 3`,
  tutorByDay: `select * from tutor_report_days where day < date_trunc('month', current_date - 1) order by 1, 2`,
} as const;

let clone: TestDatabase;

beforeAll(async () => {
  clone = await cloneDatabase();
  await loadTenYearsOfData(clone.url, size, () => {});
  return () => clone.drop();
});

const countedNow = async () =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(counted).map(async ([what, statement]) => [what, await clone.run(statement)] as const),
    ),
  );

it("a single count of ten years equals the schedule's steps", async () => {
  const atOnce = await countedNow();
  for (const rows of Object.values(atOnce)) expect(rows.length).toBeGreaterThan(20);
  await clone.run(`
    truncate activity_days, activity_months, report_months, report_totals, counted_months,
      fact_months, tutor_report_months, tutor_report_days, counted_facts;
    update scheduled_tasks set begun_at = now() - interval '11 years', reached_at = now() - interval '11 years'
      where name = 'count'`);
  const database = await connectDatabase({ url: clone.url });
  await rollUpReportData(database.db);
  await database.close();
  expect(await countedNow()).toEqual(atOnce);
});
