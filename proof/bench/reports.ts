import { roles } from "../../schema/enums.ts";
import { progressBar } from "../../scripts/ops/progress-bar.ts";
import { highActivitySize, loadPlatformWithActivity } from "../scale/activity.ts";
import type { MaxIdByTable } from "../scale/generated-inserts.ts";
import type { ScaleSize } from "../scale/size.ts";
import { createMigratedDatabase } from "./databases.ts";
import type { BenchEnvironment } from "./environment.ts";
import { createInProcessService } from "./in-process-service.ts";
import { median } from "./measure.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

const rounds = 9;

/** Warm-up rounds for the connections' plans. */
const warmUps = 3;

const maxReportMs = 2000;

/** Median time of each report on a platform with two million events. */
export async function benchAnalyticsReports(stage: BenchEnvironment): Promise<BenchVerdict[]> {
  const url = await createMigratedDatabase(stage.databaseUrl, "busy");
  const platform = await openTimedReportReader(
    url,
    highActivitySize,
    await loadPlatformWithActivity(url, highActivitySize, progressBar()),
  );
  const verdicts: BenchVerdict[] = [];
  for (const [name, path] of pathsOf(platform.base.courses)) {
    const times: number[] = [];
    for (let round = -warmUps; round < rounds; round++) {
      const time = await platform.read(path);
      if (round >= 0) times.push(time);
    }
    verdicts.push(upperLimitVerdict(`Report ${name}`, Math.round(median(times)), maxReportMs, "ms"));
  }
  await platform.close();
  return verdicts;
}

/** A loaded database with the whole app; `read` returns a report's milliseconds. */
type Platform = { base: MaxIdByTable; read(path: string): Promise<number>; close(): Promise<void> };

/** Reads reports as a platform administrator. */
export async function openTimedReportReader(
  url: string,
  size: ScaleSize,
  base: MaxIdByTable,
): Promise<Platform> {
  const { deps, app } = await createInProcessService(url);
  // The first users are staff by role; the last of them is the platform administrator.
  const { access_token } = await deps.tokens.issue({
    id: base.users + (roles.length - 1) * size.universities,
  });
  const headers = { authorization: `Bearer ${access_token}` };
  return {
    base,
    async read(path) {
      const began = performance.now();
      const answer = await app.request(`/api/v1/admin/analytics/${path}`, { headers });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
      return performance.now() - began;
    },
    close: () => deps.close(),
  };
}

/** The default 30 days, a year, and all time; all courses, everyone's course, and another one. */
function pathsOf(lastCourse: number): [string, string][] {
  const year = `date_from=${new Date(Date.now() - 364 * 86_400_000).toISOString().slice(0, 10)}`;
  const periods: [string, string][] = [
    ["", ""],
    [", a year", year],
  ];
  const courses: [string, string][] = [
    ["", ""],
    [" of everyone's course", `course_id=${lastCourse + 1}`],
    [" of a course", `course_id=${lastCourse + 10}`],
  ];
  const about = (report: string, choices: [string, string][]): [string, string][] =>
    choices.flatMap(([choice, query]) =>
      periods.map(([period, days]): [string, string] => [
        `${report}${choice}${period}`,
        `${report}?${query}&${days}`,
      ]),
    );
  return [
    ...about("overview", [["", ""]]),
    ...about("engagement", courses),
    ...about("progress", courses),
    ...about("assessments", [["", ""]]),
    ["cache", "cache"],
    ["community", "community"],
  ];
}
