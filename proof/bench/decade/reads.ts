import { sequencesOverHalf } from "../../../lib/db/query/sequences.ts";
import { atMost, type Verdict } from "../report.ts";
import { administrator, type Decade, effectOf, medianOf } from "./stage.ts";

/** Milliseconds. A report of ten years may take longer, and is printed alone. */
const mostOfReport = 2000;
const mostOfPage = 250;
const mostOfScreen = 100;

/** Reports at 4 MB of memory, lists and screens of people whose university is ten years old, and a large class's gradebook. */
export async function boundsOfReads({ request, client, db, size }: Decade): Promise<Verdict[]> {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const read = (person: number, path: string) => async () => (await request(person, "GET", path)).ms;
  const verdicts: Verdict[] = [];
  for (const days of [14, 24, 90]) {
    const path = `/admin/analytics/progress?date_from=${daysAgo(days)}`;
    const ms = await medianOf(5, read(administrator, path));
    verdicts.push(atMost(`Report of progress over ${days} days at 4 MB`, Math.round(ms), mostOfReport, "ms"));
  }
  const reports = ["overview", "engagement", "progress", "tutor"].map(
    (report) => `/admin/analytics/${report}`,
  );
  for (const path of [...reports, "/universities/1/analytics"]) {
    const ms = await medianOf(3, read(administrator, `${path}?date_from=${daysAgo(3650)}`));
    console.log(`    GET ${path} over ten years: ${Math.round(ms)} ms`);
  }
  const lastRun = size.runs;
  const page = await medianOf(9, read(administrator, `/assessments/offerings/${lastRun}/gradebook?limit=50`));
  verdicts.push(
    atMost(`A gradebook's page of 50 in a class of ${size.classSize}`, Math.round(page), mostOfPage, "ms"),
  );
  const screens = [
    "/users/me/home",
    "/enrollments/my-enrollments",
    "/users/me/notifications",
    "/chat/sessions",
    "/users/me/overview",
  ];
  for (const path of screens)
    verdicts.push(atMost(`GET ${path}`, Math.round(await medianOf(9, read(5, path))), mostOfScreen, "ms"));
  const erasure = await effectOf(
    client,
    "select erase_account(id, token_version, false, jsonb_build_object('at', now())) from users where id = 9",
    ["cache_nodes"],
  );
  verdicts.push(
    atMost("Rows of the tree of answers that an erasure reads", erasure.read, 0, "rows"),
    atMost("An erasure's first statement", Math.round(erasure.ms), 1000, "ms"),
  );
  const { rows } = await db.execute(sequencesOverHalf);
  verdicts.push(atMost("Sequences that have drawn half of their numbers", rows.length, 0, "sequences"));
  return verdicts;
}
