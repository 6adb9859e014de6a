import { type SQL, sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { closeAndGradeDueAttempts } from "../../../lib/assessment/grade-closed-attempts.ts";
import { pruneNotifications } from "../../../lib/courses/notifications/retention.ts";
import type { Deps } from "../../../lib/deps.ts";
import { pruneTokens } from "../../../lib/identity/accounts/one-time-tokens.ts";
import { pruneAuditEvents } from "../../../lib/identity/audit/retention.ts";
import { pruneImports } from "../../../lib/integrations/imports/retention.ts";
import { processImports } from "../../../lib/integrations/imports/work.ts";
import { pruneRefusedLaunches } from "../../../lib/integrations/lti/retention.ts";
import { eraseLeftovers } from "../../../lib/operations/personal-data/erase-leftovers.ts";
import type { Db } from "../../../lib/platform/db/client.ts";
import { pruneMail } from "../../../lib/platform/mail/retention.ts";
import { addVisitsToNodeCounts, pruneAnswerTree } from "../../../lib/tutor/chat/prune.ts";
import { pruneTreeChangeUndoData } from "../../../lib/tutor/chat/prune-changes.ts";
import { pruneFailedAnswers } from "../../../lib/tutor/generations/retention.ts";
import { openQuiz } from "../../api/assessment/exam.ts";
import { openSession } from "../../api/tutor/chat/support.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";

const world = openWorld({ AUDIT_MAX_AGE_DAYS: "30", CACHE_MAX_AGE_DAYS: "30" });
const make = makersOf(world);

const execute = (statement: SQL) => world.deps.db.execute(statement);

/** The rows below refer to these. */
let known: { university: number; offering: number; item: number; person: number; node: number };

beforeAll(async () => {
  const { university, offering, item } = await make.topic();
  const person = await make.person();
  const session = await openSession(world.as(person), item.id);
  await session.greet();
  const [node] = (await execute(sql`select id from cache_nodes where content_item_id = ${item.id}`)).rows;
  known = {
    university: university.id,
    offering: offering.id,
    item: item.id,
    person: person.id,
    node: Number(node?.["id"]),
  };
  await execute(sql`delete from cache_visits`);
});

type Work = {
  job: string;
  /** Rows of the first step. */
  step: number;
  /** Steps before that find nothing. */
  before?: number;
  /** Makes so many rows for the job. */
  make: (rows: number) => SQL;
  left: () => SQL;
  run: (deps: Deps, signal: AbortSignal) => Promise<unknown>;
};

const longAgo = sql`now() - interval '9999 days'`;

const works: Work[] = [
  {
    job: "mail that has ended",
    step: 5000,
    make: (rows) => sql`
      insert into mail_outbox (kind, address, created_at, due_at, ended_at)
      select 'verify_email', n || '@example.edu', ${longAgo}, ${longAgo}, ${longAgo} from generate_series(1, ${rows}::int) as n`,
    left: () => sql`select count(*)::int as count from mail_outbox`,
    run: pruneMail,
  },
  {
    job: "links whose time is up",
    step: 5000,
    make: (rows) => sql`
      insert into one_time_tokens (user_id, purpose, token_hash, email, expires_at)
      select ${known.person}, 'verify_email', 'hash ' || n, 'x', ${longAgo} from generate_series(1, ${rows}::int) as n`,
    left: () => sql`select count(*)::int as count from one_time_tokens`,
    run: pruneTokens,
  },
  {
    job: "old imports",
    step: 2000,
    make: (rows) => sql`
      with old as (
        insert into imports (university_id, format, is_dry_run, overrides, total, created_at, ended_at)
        select ${known.university}, 'csv', false, false, 1, ${longAgo}, ${longAgo} from generate_series(1, 10) returning id)
      insert into import_rows (import_id, kind, file, line, is_deletion, details, outcome)
      select id, 'person', 'people.csv', n, false, '{}', 'created'
      from old, generate_series(1, ${rows}::int / 10) as n`,
    left: () => sql`select count(*)::int as count from import_rows`,
    run: pruneImports,
  },
  {
    job: "what changes of the trees took away",
    step: 200,
    make: (rows) => sql`
      insert into tree_changes (content_item_id, action, node_id, path, asked_hash, former, removed, changed_at)
      select ${known.item}, 'purged', n, '[]', n, '{}', '[]', ${longAgo} from generate_series(1, ${rows}::int) as n`,
    left: () => sql`select count(*)::int as count from tree_changes where removed is not null`,
    run: pruneTreeChangeUndoData,
  },
  {
    job: "answers that failed a check",
    step: 1000,
    make: (rows) => sql`
      insert into failed_answers (content_item_id, message, prompt_name, prompt_version, model, answer, failed, created_at)
      select ${known.item}, 'Start.', 'tutor', 1, 'm', 'x', '[]', ${longAgo} from generate_series(1, ${rows}::int)`,
    left: () => sql`select count(*)::int as count from failed_answers`,
    run: pruneFailedAnswers,
  },
  {
    job: "old notifications",
    step: 5000,
    before: 1,
    make: (rows) => sql`
      insert into notifications (user_id, kind, cause, created_at)
      select ${known.person}, 'grade_released', 'cause ' || n, ${longAgo} from generate_series(1, ${rows}::int) as n`,
    left: () => sql`select count(*)::int as count from notifications`,
    run: pruneNotifications,
  },
  {
    job: "reminders of what was due",
    step: 5000,
    make: (rows) => sql`
      insert into due_reminders (course_offering_id, content_item_id, due_at)
      select ${known.offering}, ${known.item}, ${longAgo} - make_interval(mins => n) from generate_series(1, ${rows}::int) as n`,
    left: () => sql`select count(*)::int as count from due_reminders`,
    run: pruneNotifications,
  },
  {
    job: "launches of LMSs that were refused",
    step: 5000,
    make: (rows) => sql`
      with platform as (
        insert into lti_platforms (university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url)
        values (${known.university}, 'LMS', 'https://lms.example.edu', 'c', 'https://lms.example.edu/a',
                'https://lms.example.edu/t', 'https://lms.example.edu/k') returning id)
      insert into lti_refused_launches (platform_id, day, reason, launches, last_at)
      select id, '2001-01-01', 'reason ' || n, 1, ${longAgo} from platform, generate_series(1, ${rows}::int) as n`,
    left: () => sql`select count(*)::int as count from lti_refused_launches`,
    run: pruneRefusedLaunches,
  },
  {
    job: "old lines of the audit log",
    step: 5000,
    make: (rows) => sql`
      insert into audit_events (id, action, occurred_at)
      overriding system value select -n, 'role.granted', ${longAgo} from generate_series(1, ${rows}::int) as n`,
    left: () => sql`select count(*)::int as count from audit_events where id < 0`,
    run: pruneAuditEvents,
  },
  {
    job: "visits that are not counted yet",
    step: 10_000,
    make: (rows) => sql`
      insert into cache_visits (node_id, hit) select ${known.node}, true from generate_series(1, ${rows}::int)`,
    left: () => sql`select count(*)::int as count from cache_visits`,
    run: ({ db }, signal) => addVisitsToNodeCounts(db, signal),
  },
  {
    job: "answers that nobody has used",
    step: 1000,
    before: 2,
    make: (rows) => sql`
      insert into cache_nodes (content_item_id, parent_id, message, prompt_name, prompt_version, model,
        prompt_fingerprint, content_fingerprint, chunks, last_used_at)
      select content_item_id, id, 'm' || n, prompt_name, prompt_version, model,
        prompt_fingerprint, content_fingerprint, chunks, ${longAgo}
      from cache_nodes, generate_series(1, ${rows}::int) as n where id = ${known.node}`,
    left: () => sql`select count(*)::int as count from cache_nodes where parent_id = ${known.node}`,
    run: ({ db, config }, signal) => pruneAnswerTree(db, config, signal),
  },
  {
    job: "what came after erasures",
    step: 20,
    make: (rows) => sql`
      with erased as (
        insert into users (full_name, is_active, erased_at)
        select '', false, ${world.deps.now().toISOString()} from generate_series(1, ${rows}::int) returning id)
      insert into notes (user_id, content_item_id, body) select id, ${known.item}, 'Late' from erased`,
    left: () => sql`select count(*)::int as count from notes`,
    run: eraseLeftovers,
  },
  {
    job: "rows of imports",
    step: 500,
    make: (rows) => sql`
      with fresh as (
        insert into imports (university_id, format, is_dry_run, overrides, total, created_at)
        values (${known.university}, 'csv', false, false, ${rows}::int, now()) returning id)
      insert into import_rows (import_id, kind, file, line, is_deletion, details)
      select id, 'person', 'people.csv', n, false, '{}' from fresh, generate_series(1, ${rows}::int) as n`,
    left: () => sql`select count(*)::int as count from import_rows where outcome is null`,
    run: processImports,
  },
];

/** The database, with a call of `tell` after each transaction. */
const telling = (db: Db, tell: () => void): Db =>
  Object.assign(Object.create(db) as Db, {
    transaction: async (...given: Parameters<Db["transaction"]>) => {
      const done = await db.transaction(...given);
      tell();
      return done;
    },
  });

it.each(works)(
  "$job: more than a step is done in several, until the signal, and the rest next time",
  async ({ step, before = 0, make: makeRows, left, run }) => {
    const countLeft = async () => Number((await execute(left())).rows[0]?.["count"]);
    await execute(makeRows(2.5 * step));
    expect(await countLeft()).toBe(2.5 * step);
    const stopping = new AbortController();
    let begun = 0;
    const stopped = telling(world.deps.schedule, () => {
      begun += 1;
      if (begun > before) stopping.abort();
    });
    await run({ ...world.deps, db: stopped }, stopping.signal);
    // A step that took long on a busy machine was repeated as a smaller one.
    const rest = await countLeft();
    expect(rest).toBeGreaterThanOrEqual(1.5 * step);
    expect(rest).toBeLessThan(2.5 * step);
    let steps = 0;
    const counting = telling(world.deps.schedule, () => {
      steps += 1;
    });
    await run({ ...world.deps, db: counting }, new AbortController().signal);
    expect(await countLeft()).toBe(0);
    expect(steps).toBeGreaterThanOrEqual(2);
  },
);

it("an old import is deleted with the last of its rows", async () => {
  await pruneImports({ db: world.deps.schedule, now: world.deps.now }, new AbortController().signal);
  expect(
    (await execute(sql`select id from imports where created_at < now() - interval '40 days'`)).rows,
  ).toEqual([]);
});

it("attempts that wait for their grades are graded until the signal, and the rest next time", async () => {
  const { start, submit, offering, right } = await openQuiz(world, {});
  for (const _ of [1, 2, 3]) {
    const person = await make.person();
    await make.enrollment(person.id, offering.id);
    await submit((await start(person)).body.id, right, person);
  }
  await execute(sql`
    update quiz_attempts set awaits_grading = true, score_obtained = null, passed = null
    where course_offering_id = ${offering.id}`);
  // Called before the search for expired attempts, and before each grading.
  let looks = 0;
  const afterTwo = {
    get aborted() {
      looks += 1;
      return looks > 3;
    },
  } as AbortSignal;
  expect(await closeAndGradeDueAttempts(world.deps, afterTwo)).toMatchObject({ graded: 2 });
  expect(await closeAndGradeDueAttempts(world.deps, new AbortController().signal)).toMatchObject({
    graded: 1,
  });
});
