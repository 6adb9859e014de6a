import { sequencesOverHalfQuery } from "../../../lib/platform/db/query/sequences.ts";
import { readCumulativeCpuMs } from "../cpu-time.ts";
import { type BenchVerdict, upperLimitVerdict } from "../report.ts";
import {
  administratorId,
  type DecadeEnvironment,
  measureRolledBackStatement,
  medianMsAfterWarmUp,
} from "./environment.ts";

/** CPU milliseconds of the database. Reports over ten years may take longer, and are only printed. */
const maxDatabaseMsPerReport = 2000;
const maxDatabaseMsPerPage = 250;
const maxDatabaseMsPerScreen = 100;
const maxMsPerFeedPage = 250;

/** A feed reader's positions, as a share of all ids. */
const cursors = [
  ["at its beginning", 0],
  ["in its middle", 0.5],
  ["near its end", 0.99],
] as const;

const cursorBehind = `
  select change_number || '-' || id as cursor from activity_events
  where university_id = 1 and id >= (select max(id) * $1::float8 from activity_events)
  order by id limit 1`;

/**
 * Reports with 4 MB of work_mem, lists and screens of users in a ten-year-old university, and a large
 * gradebook.
 */
export async function benchReadsAfterTenYears({
  request,
  client,
  db,
  size,
  postmaster,
}: DecadeEnvironment): Promise<BenchVerdict[]> {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const read = (person: number, path: string) => async () => (await request(person, "GET", path)).ms;
  const verdicts: BenchVerdict[] = [];
  for (const days of [14, 24, 90]) {
    const path = `/admin/analytics/progress?date_from=${daysAgo(days)}`;
    const waits: number[] = [];
    const busy = await medianMsAfterWarmUp(5, async () => {
      const before = await readCumulativeCpuMs(process.pid, postmaster);
      waits.push(await read(administratorId, path)());
      return (await readCumulativeCpuMs(process.pid, postmaster)).database - before.database;
    });
    console.log(
      `    Report of progress over ${days} days: waited for ${Math.round(Math.min(...waits))} ms at least`,
    );
    const what = `Report of progress over ${days} days at 4 MB`;
    verdicts.push(upperLimitVerdict(what, Math.round(busy), maxDatabaseMsPerReport, "ms of the database"));
  }
  const reports = ["overview", "engagement", "progress", "tutor"].map(
    (report) => `/admin/analytics/${report}`,
  );
  for (const path of [...reports, "/universities/1/analytics"]) {
    const told = await medianMsAfterWarmUp(
      3,
      read(administratorId, `${path}?date_from=${daysAgo(3650)}`),
    ).then(
      (ms) => `${Math.round(ms)} ms`,
      (error: unknown) => `no answer: ${String(error).slice(0, 200)}`,
    );
    console.log(`    GET ${path} over ten years: ${told}`);
  }
  const lastRun = size.runs;
  const page = await medianMsAfterWarmUp(
    9,
    read(administratorId, `/assessments/offerings/${lastRun}/gradebook?limit=50`),
  );
  verdicts.push(
    upperLimitVerdict(
      `A gradebook's page of 50 in a class of ${size.classSize}`,
      Math.round(page),
      maxDatabaseMsPerPage,
      "ms",
    ),
  );
  const screens = [
    "/users/me/home",
    "/enrollments/my-enrollments",
    "/users/me/notifications",
    "/chat/sessions",
    "/users/me/overview",
  ];
  for (const path of screens)
    verdicts.push(
      upperLimitVerdict(
        `GET ${path}`,
        Math.round(await medianMsAfterWarmUp(9, read(5, path))),
        maxDatabaseMsPerScreen,
        "ms",
      ),
    );
  for (const [where, share] of cursors) {
    const { rows: at } = await client.query<{ cursor: string }>(cursorBehind, [share]);
    const feed = `/universities/1/events?limit=500&after=${at[0]?.cursor ?? "0-0"}`;
    const ms = Math.round(await medianMsAfterWarmUp(9, read(administratorId, feed)));
    verdicts.push(upperLimitVerdict(`500 events of the feed, ${where}`, ms, maxMsPerFeedPage, "ms"));
  }
  const erasure = await measureRolledBackStatement(
    client,
    "select erase_account(id, token_version, false, jsonb_build_object('at', now())) from users where id = 9",
    ["cache_nodes"],
  );
  verdicts.push(
    upperLimitVerdict("Rows of the tree of answers that an erasure reads", erasure.read, 0, "rows"),
    upperLimitVerdict("An erasure's first statement", Math.round(erasure.ms), 1000, "ms"),
  );
  const { rows } = await db.execute(sequencesOverHalfQuery);
  verdicts.push(
    upperLimitVerdict("Sequences that have used half of their numbers", rows.length, 0, "sequences"),
  );
  return verdicts;
}
