import { sql } from "drizzle-orm";
import * as z from "zod";
import { loadConfig } from "../../lib/config.ts";
import { createDeps, type Deps } from "../../lib/deps.ts";
import { renewToolKeys } from "../../lib/integrations/lti/keys.ts";
import { sendScores } from "../../lib/integrations/lti/send-scores.ts";
import type { Db } from "../../lib/platform/db/client.ts";
import { connectDatabase } from "../../lib/platform/db/driver/connect.ts";
import { rowsOf } from "../../lib/platform/db/query/rows.ts";
import { seed } from "../../scripts/seed.ts";
import { serverParts } from "../../server/parts.ts";
import { bindCourse } from "../../tests/support/lti-course.ts";
import { type LtiPlatformStandIn, startLtiPlatform } from "../../tests/support/lti-platform-stand-in.ts";
import type { World } from "../../tests/support/world.ts";
import type { ServerUrlAndPid } from "./baseline/environment.ts";
import { type BenchEnvironment, benchServiceSettings } from "./environment.ts";
import { createLtiLauncher } from "./lti-launches.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

export type LtiBenchSize = { launches: number; launchesAlone: number; scores: number };

const usual: LtiBenchSize = { launches: 1000, launchesAlone: 50, scores: 10_000 };
/** Concurrently launching browsers. */
const concurrentLtiBrowsers = 16;
const maxLaunchesSeconds = 60;
const maxScoreTransferSeconds = 120;

/**
 * A thousand users launch for the first time into one offering, and once more. The outbox sends ten thousand
 * grades, and the LMS temporarily rejects every tenth.
 */
export async function benchLtiLaunchesAndGrades(
  stage: BenchEnvironment,
  size = usual,
): Promise<BenchVerdict[]> {
  // Only development allows an LMS at a private address without https.
  const settings = {
    ...benchServiceSettings(stage.databaseUrl),
    ...{ ENVIRONMENT: "development", ENABLE_ACCESS_LOG: "false" },
  };
  const database = await connectDatabase({ url: stage.databaseUrl });
  const deps = await createDeps(loadConfig(settings), { database, parts: serverParts });
  await seed(deps.db, { now: new Date(), bcryptCost: 4 });
  await renewToolKeys(deps);
  const lms = await startLtiPlatform();
  const server = await stage.start<ServerUrlAndPid>("platform-server.ts", settings);
  const keys = await fetch(`${server.url}/lti/jwks`);
  lms.services.state.toolKeys = (await keys.json()) as typeof lms.services.state.toolKeys;
  const bound = await bindTo(deps.db, lms);
  try {
    return [
      ...(await benchLaunches(lms, `${server.url}/lti/${bound.university}`, size)),
      ...(await benchScores(deps, lms, bound, size)),
    ];
  } finally {
    await lms.close();
    await deps.close();
  }
}

const Graded = z.object({ university: z.int(), offering: z.int(), item: z.int() });

/** An LMS course linked to an offering with a graded item. */
async function bindTo(db: Db, lms: LtiPlatformStandIn) {
  const [graded] = await rowsOf(
    db,
    Graded,
    sql`select run.university_id as university, run.id as offering, item.item_id as item
        from course_offerings as run cross join lateral gradebook_items_of_offering(run.id) as item
        where item.max_points > 0 order by run.id, item.item_id limit 1`,
  );
  if (!graded) throw new Error("the demonstration has nothing that is graded");
  const { university, offering, item } = graded;
  const of = { university: { id: university }, offering: { id: offering } };
  return { ...graded, ...(await bindCourse({ deps: { db } } as unknown as World, lms, of)), item };
}

async function benchLaunches(
  lms: LtiPlatformStandIn,
  root: string,
  { launches, launchesAlone }: LtiBenchSize,
): Promise<BenchVerdict[]> {
  const launch = createLtiLauncher(lms, root);
  const subjects = Array.from({ length: launches }, (_, n) => `person-${n}`);
  const first = await launchAll(subjects, launch);
  const again = await launchAll(subjects, launch);
  const alone = await launchAll(subjects.slice(0, launchesAlone), launch, 1);
  return [
    upperLimitVerdict("A single launch, its four requests", alone.median, 500, "ms"),
    upperLimitVerdict(
      `${launches} first launches, ${concurrentLtiBrowsers} at once`,
      first.seconds,
      maxLaunchesSeconds,
      "s",
    ),
    upperLimitVerdict("Their 95th percentile", first.slow, 4000, "ms"),
    upperLimitVerdict(`${launches} launches of people who are known`, again.seconds, maxLaunchesSeconds, "s"),
    upperLimitVerdict("Their 95th percentile", again.slow, 2000, "ms"),
  ];
}

/**
 * Launches all with limited concurrency. Returns the total time and the launch times' median and 95th
 * percentile.
 */
async function launchAll(
  subjects: readonly string[],
  launch: (subject: string) => Promise<void>,
  browsers = concurrentLtiBrowsers,
) {
  const waiting = [...subjects];
  const times: number[] = [];
  const started = performance.now();
  const work = async () => {
    for (let subject = waiting.shift(); subject; subject = waiting.shift()) {
      const begun = performance.now();
      await launch(subject);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: browsers }, work));
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { seconds: (performance.now() - started) / 1000, median: at(0.5), slow: at(0.95) };
}

type Bound = Awaited<ReturnType<typeof bindTo>>;

async function benchScores(
  deps: Deps,
  lms: LtiPlatformStandIn,
  bound: Bound,
  { scores }: LtiBenchSize,
): Promise<BenchVerdict[]> {
  await gradeMany(deps.db, bound, scores);
  await bound.link("column", { content_item_id: bound.item });
  lms.services.state.scoreFault = (_score, nth) => (nth % 10 === 0 ? 503 : undefined);
  let later = 0;
  const parts = { ...deps, now: () => new Date(Date.now() + later) };
  const started = performance.now();
  const counts = { sent: 0, later: 0 };
  for (let isDue = true; isDue; ) {
    const { sent, later: again, nextDue } = await sendScores(parts);
    counts.sent += sent;
    counts.later += again;
    isDue = nextDue !== undefined;
    // Failed grades are due in some minutes; the clock moves there.
    if (nextDue) later += Math.max(1, nextDue.getTime() - parts.now().getTime());
  }
  const seconds = (performance.now() - started) / 1000;
  const told = lms.services.state.results.size;
  return [
    upperLimitVerdict(
      `${scores} scores, of which every tenth fails (${counts.later} sent again)`,
      seconds,
      maxScoreTransferSeconds,
      "s",
    ),
    upperLimitVerdict("Scores that the LMS did not receive", scores - told, 0, "scores"),
    upperLimitVerdict("Scores that it received twice", counts.sent - told, 0, "scores"),
  ];
}

/** Enrolls people known to the LMS with a released grade, in bulk and without triggers. */
const gradeMany = (db: Db, { platform, offering, item }: Bound, scores: number): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`delete from lti_people where platform_id = ${platform}`);
    await tx.execute(sql`
      with made as (
        insert into users (full_name) select 'Learner' from generate_series(1, ${scores}) returning id
      ), known as (
        insert into lti_people (platform_id, subject, user_id, linked_by)
        select ${platform}, 'graded-' || id, id, 'made' from made
      ), seated as (
        insert into enrollments (user_id, course_offering_id, university_id, status, is_admitted)
        select made.id, run.id, run.university_id, 'active', true from made, course_offerings as run where run.id = ${offering}
      )
      insert into item_grades (course_offering_id, user_id, content_item_id, score_override)
      select ${offering}, id, ${item}, 1 from made`);
    await tx.execute(sql`
      insert into grade_releases (course_offering_id, content_item_id, released_at) values (${offering}, ${item}, now())
      on conflict do nothing`);
  });
