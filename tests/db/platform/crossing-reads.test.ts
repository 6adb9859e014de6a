import { beforeAll, expect, it, vi } from "vitest";
import { closeAndGradeDueAttempts } from "../../../lib/assessment/grade-closed-attempts.ts";
import { recomputeStaleCourseProgress } from "../../../lib/courses/course-progress/recount.ts";
import { createNotificationsAndQueueMails } from "../../../lib/courses/notifications/process-notifications.ts";
import { type Deps, withScheduleDb } from "../../../lib/deps.ts";
import { hashAndScanPendingFiles } from "../../../lib/files/check-files.ts";
import { extractDocumentTexts } from "../../../lib/files/extract-document-texts.ts";
import { pruneFiles } from "../../../lib/files/prune.ts";
import { refreshMetadata } from "../../../lib/identity/saml/refresh.ts";
import { processCartridgeImports } from "../../../lib/integrations/cartridges/work.ts";
import { processImports } from "../../../lib/integrations/imports/work.ts";
import { sendScores } from "../../../lib/integrations/lti/send-scores.ts";
import { syncDueRosters } from "../../../lib/integrations/lti/sync-rosters.ts";
import { syncDueOneRosterSources } from "../../../lib/integrations/one-roster/sync-sources.ts";
import { runRetentionPolicies } from "../../../lib/operations/retention/work.ts";
import {
  runCachePruningTasks,
  runDailyExpiryTasks,
  runFrequentUpkeep,
} from "../../../lib/operations/upkeep/upkeep.ts";
import type { JobName } from "../../../lib/platform/jobs/jobs.ts";
import { type MailSenderDeps, sendDueMail } from "../../../lib/platform/mail/outbox.ts";
import { embedAndMeasurePassages } from "../../../lib/tutor/passages/work.ts";
import { processRollouts } from "../../../lib/tutor/rollouts/work.ts";
import { processTrials } from "../../../lib/tutor/trials/work.ts";
import { processWarmings } from "../../../lib/tutor/warming/work.ts";
import { createInProcessService } from "../../../proof/bench/in-process-service.ts";
import { loadTenYearsOfData } from "../../../proof/scale/decade-loading.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { noDeadline } from "../../support/no-deadline.ts";
import { scaleTable } from "../../support/scale-page.ts";

/*
 * A hundred universities with ten years of data. Work over all of them has nothing due here and must read few
 * rows of each table, by an index: the rows read grow with the work that is due, not with the history.
 */

const size = {
  people: 202,
  courses: 202,
  runs: 20,
  enrollments: 6000,
  events: 8000,
  messages: 10_000,
  classSize: 100,
};

/** Rows of a table in one round or request: fewer than half of the smallest table that is checked. */
const most = 500;

const signal = () => noDeadline();

const ofJobs: Record<JobName, (deps: Deps) => Promise<unknown>> = {
  notifications: (deps) => createNotificationsAndQueueMails(deps, signal()),
  outlines: ({ db }) => recomputeStaleCourseProgress(db, signal()),
  // No mail is due, so none is sent.
  mail: (deps) => sendDueMail(deps as unknown as MailSenderDeps, signal()),
  quiz_deadlines: (deps) => closeAndGradeDueAttempts(deps, signal()),
  imports: (deps) => processImports(deps, signal()),
  warming: (deps) => processWarmings(deps, signal()),
  embeddings: (deps) => embedAndMeasurePassages(deps, signal()),
  rollouts: (deps) => processRollouts(deps, signal()),
  trials: (deps) => processTrials(deps, signal()),
  files: (deps) => hashAndScanPendingFiles(deps, signal()),
  cartridges: (deps) => processCartridgeImports(deps, signal()),
  file_texts: (deps) => extractDocumentTexts(deps, signal()),
  file_pruning: (deps) => pruneFiles(deps, signal()),
  retention: (deps) => runRetentionPolicies(deps, signal()),
  lti_scores: (deps) => sendScores(deps, signal()),
  lti_rosters: (deps) => syncDueRosters(deps, signal()),
  one_roster: (deps) => syncDueOneRosterSources(deps, signal()),
  saml_metadata: (deps) => refreshMetadata(deps, signal()),
  prune: (deps) => runCachePruningTasks(deps, signal()),
  expired_rows: (deps) => runDailyExpiryTasks(deps, signal()),
  upkeep: (deps) => runFrequentUpkeep(deps, signal()),
};

/** Screens of a person, and reports of a platform administrator: they belong to no one university. */
const paths = [
  "/users/me",
  "/users/me/home",
  "/users/me/overview",
  "/users/me/notifications",
  "/enrollments/my-enrollments",
  "/chat/sessions",
  "/admin/audit",
  ...["overview", "engagement", "progress", "assessments", "cache", "community", "tutor"].map(
    (report) => `/admin/analytics/${report}`,
  ),
];

/**
 * Reads of more rows of a growing table, with the reason. A plan for so few rows may also read a table's keys
 * by its index to join them.
 */
const more: Record<string, readonly string[]> = {
  // Each night reads all stored answers, a thousand at a time.
  prune: ["cache_nodes"],
  // Topics whose passages may be measured again, for half a minute each time.
  upkeep: ["content_items", "chat_sessions", "tutor_steps"],
  "/users/me/home": ["course_offerings"],
  // On the first day of a month the events of the last one are not counted yet: the BRIN index finds them.
  "/admin/analytics/overview": ["activity_events"],
  "/admin/analytics/engagement": ["activity_events", "chat_sessions"],
  // Enrollments by status, which no period bounds. The BRIN index finds events of the last days by megabyte,
  // and this table has one; their trees come from a join. Also the totals of trees per course and month:
  // twelve rows a year.
  "/admin/analytics/progress": [
    ...["activity_events", "course_offerings", "course_trees", "enrollments"],
    "tree_totals",
  ],
  // Current totals: sums of all rows.
  "/admin/analytics/cache": ["cache_nodes", "chat_messages", "chat_sessions", "report_totals"],
  // The BRIN index finds answers since midnight by megabyte, and this table has one.
  "/admin/analytics/tutor": ["report_totals", "chat_messages"],
};

let clone: TestDatabase;

beforeAll(async () => {
  clone = await cloneDatabase();
  await loadTenYearsOfData(clone.url, size, () => {});
  const name = new URL(clone.url).pathname.slice(1);
  // Test tables are so small that a plan would read them or their keys in full for a join. Here a plan does
  // so only if no index helps.
  for (const plan of ["seqscan", "hashjoin", "mergejoin"]) {
    await clone.run(`alter database "${name}" set enable_${plan} = off`);
  }
  // The first round does all due work.
  await opened(({ deps }) => runFrequentUpkeep(withScheduleDb(deps), signal()));
  // Plans, and which tables are large, depend on statistics. They must not depend on the time of autovacuum.
  await clone.run("vacuum analyze");
  return () => clone.drop();
});

type Opened = Awaited<ReturnType<typeof createInProcessService>>;

/** A connection reports its reads when it ends. */
async function opened(run: (app: Opened) => Promise<unknown>): Promise<void> {
  const app = await createInProcessService(clone.url);
  try {
    await run(app);
  } finally {
    await app.deps.close();
  }
  await vi.waitFor(
    async () =>
      expect(
        await clone.run(`
          select pid from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`),
      ).toEqual([]),
    { timeout: 240_000 },
  );
}

/** Rows read so far of each large table. */
const counters = () =>
  clone.run(`
    select t.relname as name, coalesce(t.seq_tup_read, 0)::int
      + coalesce((select sum(idx_tup_read) from pg_stat_user_indexes as one where one.relid = t.relid), 0)::int as rows
    from pg_stat_user_tables as t join pg_class on pg_class.oid = t.relid where reltuples >= 1000 order by 1`);

/** Tables of which a round or request reads more rows than that. */
async function muchReadBy(run: (app: Opened) => Promise<unknown>): Promise<unknown[]> {
  const before = await counters();
  await opened(run);
  const after = await counters();
  return after
    .filter(({ rows }, at) => Number(rows) - Number(before[at]?.["rows"]) > most)
    .map(({ name }) => name);
}

/** A bad plan reads much each time; a plan from before the statistics does so once. */
async function expectFew(name: string, run: (app: Opened) => Promise<unknown>): Promise<void> {
  const known = more[name] ?? [];
  const surplus = async () => (await muchReadBy(run)).filter((table) => !known.includes(String(table)));
  const first = await surplus();
  if (first.length > 0) expect(await surplus(), `${first}`).toEqual([]);
}

it.each(Object.entries(ofJobs))("the job %s reads few rows when nothing is due", async (job, run) => {
  await expectFew(job, ({ deps }) => run(withScheduleDb(deps)));
});

/** A learner in one offering of one university with due work; and the rest of that work. */
const own =
  "select user_id, course_offering_id from enrollments where course_offering_id = 30 order by id limit 1";
const due: readonly { job: JobName; what: string; make: string; left: string }[] = [
  {
    ...{ job: "outlines", what: "an outline that was edited" },
    make: "update content_items set is_active = not is_active where id = 15",
    left: "select from stale_outlines",
  },
  {
    ...{ job: "notifications", what: "an announcement to a run" },
    make: `insert into announcements (university_id, course_offering_id, title, body, published_at)
           select university_id, id, 'Title', 'Words', now() - interval '1 minute' from course_offerings where id = 30`,
    left: "select from announcements where told_at is null",
  },
  {
    ...{ job: "quiz_deadlines", what: "an attempt whose time is over" },
    make: `insert into quiz_attempts (user_id, course_offering_id, content_item_id, started_at, due_at, attempt_number)
           select user_id, course_offering_id, 15, now() - interval '1 hour', now() - interval '1 minute',
                  1 + (select count(*) from quiz_attempts) from (${own}) as one`,
    left: "select from quiz_attempts where submitted_at is null",
  },
  {
    ...{ job: "upkeep", what: "a tree, and an account that is to be erased" },
    make: `insert into stale_trees (user_id, course_offering_id) ${own};
           select erase_account(id, token_version, false, jsonb_build_object('at', now() - interval '2 hours'))
           from users where erased_at is null and id > 190 order by id limit 1`,
    left: "select from erasures",
  },
];

it.each(due)("the job $job does $what, and reads few other rows", async ({ job, make, left }) => {
  const known = more[job] ?? [];
  const surplus = async () => {
    await clone.run(make);
    expect(await clone.run(left)).not.toEqual([]);
    return (await muchReadBy(({ deps }) => ofJobs[job](withScheduleDb(deps)))).filter(
      (table) => !known.includes(String(table)),
    );
  };
  const first = await surplus();
  if (first.length > 0) expect(await surplus(), `${first}`).toEqual([]);
  expect(await clone.run(left)).toEqual([]);
});

it.each(paths)("GET %s reads few rows however many universities there are", async (path) => {
  await expectFew(path, async ({ deps, app }) => {
    const { access_token } = await deps.tokens.issue({ id: 1 });
    const headers = { authorization: `Bearer ${access_token}` };
    expect(await app.request(`/api/v1${path}`, { headers })).toMatchObject({ status: 200 });
  });
});

it("what is tried here is what docs/scale.md lists", async () => {
  const table = await scaleTable("Work across all universities");
  const listed = table.map(({ name }) => name.replace("GET ", ""));
  expect(listed.toSorted()).toEqual(
    [...Object.keys(ofJobs), ...paths.filter((path) => path.startsWith("/admin"))].toSorted(),
  );
});
