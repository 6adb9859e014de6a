import { setTimeout as delay } from "node:timers/promises";
import { openConnection, openConnectionWithoutTimeouts } from "../../lib/platform/db/driver/connect.ts";
import { migrate } from "../../lib/platform/db/migrations/migrate.ts";
import { sqlStateOf } from "../../lib/platform/db/unavailable.ts";
import { lastRelease } from "../../schema/functions/last-release.ts";
import { hasLastRelease, unpackLastRelease } from "../../scripts/build/migrations/last-release.ts";
import { createEmptyDatabase } from "./databases.ts";
import type { BenchEnvironment } from "./environment.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

/** A request's lock timeout in milliseconds; then it gets 503. */
const maxMigrationLockWaitMs = 2000;

/**
 * Waiting times of requests while a database of the last release is migrated. It has five million rows of
 * progress, messages and notifications, or a share of them.
 */
export const benchRequestsDuringMigration =
  (share: number) =>
  async (stage: Pick<BenchEnvironment, "databaseUrl">): Promise<BenchVerdict[]> => {
    const url = await createEmptyDatabase(stage.databaseUrl, "upgraded");
    if (!hasLastRelease) throw new Error(`Nothing to upgrade from: git has no tag ${lastRelease}`);
    const last = await unpackLastRelease();
    await migrate(url, { schema: last.schema });
    last.remove();
    const rows = await loadLastRelease(url, share);
    const probes = statements.map((statement) => probe(url, statement));
    const began = performance.now();
    // Fails immediately if a request fails.
    const applied = await Promise.race([migrate(url), ...probes.map(({ failed }) => failed)]);
    const seconds = Math.round((performance.now() - began) / 1000);
    const found = await Promise.all(probes.map((one) => one.stop()));
    const waits = found.flatMap(({ waits }) => waits).sort((one, other) => one - other);
    const at = (part: number) => Math.round(waits[Math.floor(waits.length * part)] ?? 0);
    console.log(
      `    ${rows} rows, ${applied.migrations} migrations in ${seconds} s; ${waits.length} requests meanwhile: median ${at(0.5)} ms, ` +
        `${found.reduce((sum, { deadlocks }) => sum + deadlocks, 0)} deadlocks, 99 of 100 within ${at(0.99)} ms, 999 of 1000 within ${at(0.999)} ms`,
    );
    return [
      upperLimitVerdict(
        "The longest wait while a database is migrated",
        Math.round(waits.at(-1) ?? 0),
        maxMigrationLockWaitMs,
        "ms",
      ),
      upperLimitVerdict(
        "Requests that were refused meanwhile",
        found.reduce((sum, { refused }) => sum + refused, 0),
        0,
        "requests",
      ),
    ];
  };

const items = 1000;

/** Two million rows of progress, two of messages and one of notifications; returns the total. */
async function loadLastRelease(url: string, share: number): Promise<number> {
  const [progress, messages, notifications] = [2_000_000, 2_000_000, 1_000_000].map((count) =>
    Math.round(count * share),
  );
  const people = Math.ceil((progress ?? 0) / items) + 1;
  const client = await openConnectionWithoutTimeouts(url);
  try {
    await client.query(`
      set session_replication_role = replica; set synchronous_commit = off;
      insert into universities (name, short_code, country_id) values ('Upgraded', 'UP', (select min(id) from countries));
      insert into users (email, full_name) select 'person-' || n || '@upgrade.example.edu', 'Person ' || n
        from generate_series(1, ${people}) as n;
      insert into courses (university_id, title, code) values (1, 'Course', 'C');
      insert into course_offerings (course_id, university_id, visibility) values (1, 1, 'public');
      insert into enrollments (user_id, course_offering_id, university_id, status)
        select n, 1, 1, 'active' from generate_series(1, ${people}) as n;
      insert into modules (course_id, module_type, title, is_published) values (1, 'unit', 'Module', true);
      insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json, sequence_index)
        select 1, 1, 1, (select min(id) from content_types), 'Topic', '{}', n from generate_series(1, ${items}) as n;
      insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent)
        select 1 + n / ${items}, 1, 1 + n % ${items}, 40 from generate_series(0, ${progress} - 1) as n;
      insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
        select 1 + n % ${people}, 1 + n % ${items}, '{}', 'c', 'c' from generate_series(1, ${messages} / 10) as n;
      insert into chat_messages (session_id, role, content)
        select 1 + n / 10, case n % 2 when 0 then 'user' else 'assistant' end, 'What is said, in some eighty characters: a topic and its why'
        from generate_series(0, ${messages} - 1) as n;
      insert into notifications (user_id, kind, cause, created_at)
        select 1 + n % ${people}, 'place_obtained', 'place:' || n, now() from generate_series(1, ${notifications}) as n;
      reset session_replication_role`);
    await client.query("vacuum analyze");
    return (progress ?? 0) + (messages ?? 0) + (notifications ?? 0);
  } finally {
    await client.end();
  }
}

/** Concurrent requests at turn `$1`, valid in both releases. */
const statements = [
  "insert into chat_messages (session_id, role, content) values (1 + $1::int % 100, 'user', 'Meanwhile')",
  "update user_content_progress set progress_percent = 50, attempts_count = attempts_count + 1 where user_id = 1 and content_item_id = 1 + $1::int % 500",
  "insert into notifications (user_id, kind, cause, created_at) values (1, 'place_obtained', 'meanwhile:' || $1::int, now())",
  "select content from chat_messages where session_id = 1 + $1::int % 100 order by id desc limit 20",
  "update chat_sessions set updated_at = now() where id = 1 + $1::int % 100",
];

/** Runs a statement some forty times a second, with a request's lock timeout. */
function probe(url: string, statement: string) {
  let goesOn = true;
  const waits: number[] = [];
  let [refused, deadlocks] = [0, 0];
  const done = (async () => {
    const client = await openConnection(url);
    await client.query(`set lock_timeout = ${maxMigrationLockWaitMs}`);
    for (let turn = 1; goesOn; turn += 1) {
      const began = performance.now();
      for (let isDone = false; !isDone; ) {
        const state = await client.query(statement, [turn]).then(
          () => undefined,
          (error) => sqlStateOf(error) ?? Promise.reject(error),
        );
        if (state === "55P03") refused += 1;
        // The driver retries after a deadlock.
        else if (state === "40P01") deadlocks += 1;
        else if (state) throw new Error(`a request was refused with ${state}: ${statement}`);
        isDone = state !== "40P01";
      }
      waits.push(performance.now() - began);
      await delay(25);
    }
    await client.end();
  })();
  return {
    /** Rejects when a statement fails, otherwise stays pending. */
    failed: done.then(() => new Promise<never>(() => {})),
    async stop() {
      goesOn = false;
      await done;
      return { waits, refused, deadlocks };
    },
  };
}
