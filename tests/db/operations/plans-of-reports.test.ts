import { readdir, readFile } from "node:fs/promises";
import type { SQL } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { readCourseStats } from "../../../lib/courses/stats.ts";
import type { Actor } from "../../../lib/identity/auth/actor.ts";
import { assessmentsReport } from "../../../lib/operations/analytics/assessments.ts";
import { cacheReport } from "../../../lib/operations/analytics/cache.ts";
import { communityReport } from "../../../lib/operations/analytics/community.ts";
import { engagementReport } from "../../../lib/operations/analytics/engagement.ts";
import { overviewReport } from "../../../lib/operations/analytics/overview.ts";
import { progressReport } from "../../../lib/operations/analytics/progress.ts";
import { tutorReport } from "../../../lib/operations/analytics/tutor.ts";
import { universityReport } from "../../../lib/operations/analytics/university.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { connectDatabase, type DatabaseHandles } from "../../../lib/platform/db/driver/connect.ts";
import { loadPlatformWithActivity } from "../../../proof/scale/activity.ts";
import type { ScaleSize } from "../../../proof/scale/size.ts";
import { cloneDatabase } from "../../support/database.ts";
import { notingStatements, plansOf, productsIn } from "../platform/plans.ts";

/* A few days of a small platform for realistic statistics; the planner is given larger row counts. */
const size: ScaleSize = {
  universities: 2,
  people: 60,
  courses: 20,
  subjects: 10,
  coursesEach: 3,
  modulesInFirst: 2,
};

let database: DatabaseHandles;

beforeAll(async () => {
  const clone = await cloneDatabase();
  await loadPlatformWithActivity(clone.url, size, () => {});
  // Some days are not rolled up, and some trees need a recount.
  await clone.run(`
    insert into stale_trees select course_offering_id, user_id from enrollments order by id limit 50;
    update scheduled_tasks set begun_at = utc_midnight(current_date - 1), reached_at = utc_midnight(current_date - 1)
    where name = 'count'`);
  database = await connectDatabase({ url: clone.url });
  return async () => {
    await database.close();
    await clone.drop();
  };
});

const admin = {
  id: 11,
  roles: [{ university_id: 1, department_id: null, role: "platform_admin" }],
} as unknown as Actor;
const head = {
  id: 9,
  roles: [{ university_id: 1, department_id: null, role: "university_admin" }],
} as unknown as Actor;
const today = new Date();
const day = (back: number) => new Date(today.getTime() - back * 86_400_000).toISOString().slice(0, 10);
const window = { skip: 0, limit: 100 };

const reports = (period: {
  date_from: string;
  date_to: string;
}): Record<string, (db: Db) => Promise<unknown>> => ({
  overview: (db) => overviewReport(db, period, today),
  engagement: (db) => engagementReport(db, period),
  "engagement of a course": (db) => engagementReport(db, { ...period, course_id: 2 }),
  progress: (db) => progressReport(db, period, window),
  "progress of a course": (db) => progressReport(db, { ...period, course_id: 2 }, window),
  assessments: (db) => assessmentsReport(db, period),
  "assessments of a course": (db) => assessmentsReport(db, { ...period, course_id: 2 }),
  cache: (db) => cacheReport(db),
  community: (db) => communityReport(db),
  tutor: (db) => tutorReport(db, admin, { ...period, ...window }),
  "tutor of a university": (db) => tutorReport(db, head, { ...period, ...window, university_id: 1 }),
  "tutor of a course": (db) => tutorReport(db, head, { ...period, ...window, course_id: 2 }),
  university: (db) => universityReport(db, head, 1, { ...period, ...window }, new Date()),
  "university's department": (db) =>
    universityReport(db, head, 1, { ...period, ...window, department_id: 1 }, new Date()),
  "university's offering": (db) =>
    universityReport(db, head, 1, { ...period, ...window, offering_id: 1 }, new Date()),
  "stats of a course": (db) => readCourseStats(db, admin, 2),
});

const periods = {
  "a month": { date_from: day(29), date_to: day(0) },
  "ten years": { date_from: day(3650), date_to: day(0) },
};

describe.each(Object.entries(periods))("over %s", (_, period) => {
  it.each(Object.entries(reports(period)))(
    "the report %s never reads one table for each row of another, with a thousand or ten thousand times the data and little memory",
    async (_name, report) => {
      const statements: SQL[] = [];
      await report(notingStatements(database.db, statements));
      const found = new Set<string>();
      for (const statement of statements)
        for (const times of [1000, 10_000])
          for (const workMem of ["4MB", "64kB"])
            for (const plan of await plansOf(database.db, statement, times, workMem))
              for (const product of productsIn(plan)) found.add(`${product} (${times} times, ${workMem})`);
      expect([...found]).toEqual([]);
    },
  );
});

it("nothing asks whether a value is not in the rows of a query: that list is searched for each row once it is long", async () => {
  const found: string[] = [];
  for (const folder of ["lib", "schema/functions"]) {
    const root = new URL(`../../../${folder}/`, import.meta.url);
    for (const file of await readdir(root, { recursive: true }))
      if (
        /\.(ts|sql)$/.test(file) &&
        /\bnot in \(\s*select/i.test(await readFile(new URL(file, root), "utf8"))
      )
        found.push(`${folder}/${file}`);
  }
  expect(found).toEqual([]);
});
