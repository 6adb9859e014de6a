import { roles } from "../../schema/enums.ts";
import { busySize, loadActivity, quietSize } from "../scale/activity.ts";
import { progressBar } from "../scale/progress-bar.ts";
import type { Size } from "../scale/size.ts";
import type { Bases } from "../scale/step.ts";
import { createAnotherDatabase } from "./another-database.ts";
import type { BenchEnvironment } from "./environment.ts";
import { mediansOfBoth } from "./measure.ts";
import { multipleLine, type Verdict } from "./report.ts";
import { openWholeApp } from "./whole-app.ts";

const rounds = 15;

/** Before them, so that the connections have their plans. */
const warmUps = 3;

/** The median time of each report on a busy platform, in multiples of the same report's on a hundredth of it. */
export async function benchReports(stage: BenchEnvironment): Promise<Verdict[]> {
  const quiet = await loadedPlatform(stage, "quiet", quietSize);
  const busy = await loadedPlatform(stage, "busy", busySize);
  const verdicts = await compareReports(quiet, busy);
  await Promise.all([quiet.close(), busy.close()]);
  return verdicts;
}

async function loadedPlatform(stage: BenchEnvironment, name: string, size: Size): Promise<Platform> {
  const url = await createAnotherDatabase(stage.databaseUrl, name);
  return openReports(url, size, await loadActivity(url, size, progressBar()));
}

async function compareReports(quiet: Platform, busy: Platform): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const [name, path] of pathsOf(busy.base.courses)) {
    const read = { small: () => quiet.read(path), large: () => busy.read(path) };
    await mediansOfBoth(warmUps, read);
    verdicts.push(multipleLine(`Report ${name}`, await mediansOfBoth(rounds, read), 20));
  }
  return verdicts;
}

/** A loaded database with the whole app on it; `read` answers how many milliseconds a report took. */
type Platform = { base: Bases; read(path: string): Promise<number>; close(): Promise<void> };

/** Reports are read as by a platform administrator. */
export async function openReports(url: string, size: Size, base: Bases): Promise<Platform> {
  const { deps, app } = await openWholeApp(url);
  // The first people are the staff above students, by role; the last of them is the platform administrator.
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

/** Of the usual 30 days and of a year, of everything, of the course that everyone takes and of another. */
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
