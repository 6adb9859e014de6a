import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../../lib/platform/db/migrations/migrate.ts";
import { ownSchema, type SchemaSource } from "../../../lib/platform/db/migrations/schema.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { startStatements, stopUnrefused } from "../../support/load.ts";

/* Deploys the next version while requests run. `npm run bench` measures their waits. */

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "next-version-"));
  database = await cloneDatabase();
  await database.run(`
    insert into universities (name, short_code, country_id) values ('Upgraded', 'UP', (select min(id) from countries));
    insert into users (email, full_name) select 'person-' || n || '@example.edu', 'Person ' || n from generate_series(1, 9) as n;
    insert into courses (university_id, title, code) values (1, 'Course', 'C');
    insert into course_offerings (course_id, university_id, visibility) values (1, 1, 'public');
    insert into enrollments (user_id, course_offering_id, university_id, status)
      select n, 1, 1, 'active' from generate_series(1, 9) as n;
    insert into modules (course_id, module_type, title, is_published) values (1, 'unit', 'Module', true);
    insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json, sequence_index)
      select 1, 1, 1, (select min(id) from content_types), 'Topic', '{}', n from generate_series(1, 9) as n;
    insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
      select n, n, '{}', 'i', 's' from generate_series(1, 9) as n`);
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const former = "function utc_day(timestamp with time zone)";

/** This version with every kind of change that a release may have. */
async function nextVersion(): Promise<SchemaSource> {
  await Promise.all(
    [ownSchema.migrations, String(ownSchema.functions)].map((from) =>
      cp(from, path.join(folder, path.basename(from)), { recursive: true }),
    ),
  );
  const [migrations, functions] = [path.join(folder, "migrations"), path.join(folder, "functions")];
  const edit = async (file: string, from: RegExp, to: string) => {
    const text = await readFile(path.join(functions, file), "utf8");
    expect(text).toMatch(from);
    await writeFile(path.join(functions, file), text.replace(from, to));
  };
  // A changed function that each request calls.
  await edit(
    "platform/clock.sql",
    /select now\(\) \+ clock_offset\(\)/,
    "select now() + clock_offset() + interval '0'",
  );
  // A changed signature.
  await edit(
    "platform/days.sql",
    /function utc_day\(moment timestamptz\)/,
    "function utc_day(moment timestamptz, shift interval)",
  );
  // A trigger with its function on a table that requests write, and a view.
  await writeFile(
    path.join(functions, "next.sql"),
    `create or replace function note_next() returns trigger language plpgsql as $$
begin
  insert into next_events (message_id) values (new.id);
  return null;
end $$;

create or replace trigger note_next after insert on chat_messages for each row execute function note_next();

create or replace view next_view as select utc_day(now(), '0') as today, count(*) as events from next_events;
`,
  );
  // A new table, and a new column in a table that requests write.
  const journal = JSON.parse(await readFile(path.join(migrations, "meta/_journal.json"), "utf8"));
  const last = journal.entries.at(-1);
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: "0002_next" });
  await writeFile(path.join(migrations, "meta/_journal.json"), JSON.stringify(journal));
  await writeFile(
    path.join(migrations, "0002_next.sql"),
    `create table next_events (id bigint generated always as identity primary key,
       message_id bigint references chat_messages on delete cascade);--> statement-breakpoint
     alter table user_content_progress add column next_note text;--> statement-breakpoint
     alter table chat_messages add column next_note text;`,
  );
  return { migrations, functions, retired: [{ object: former, retiredIn: "1.1.0" }], version: "1.1.0" };
}

/** Requests at turn `$1`, as sent by the earlier version. */
const requests = [
  "insert into chat_messages (session_id, role, content) values (1 + $1::int % 9, 'user', 'On and on')",
  `insert into user_content_progress (user_id, course_offering_id, content_item_id, progress_percent)
   values (1 + $1::int % 9, 1, 1 + $1::int % 7, 40)
   on conflict (user_id, course_offering_id, content_item_id) do update set progress_percent = 50`,
  "select utc_day(service_now()), searched('Name ' || $1::int), content from chat_messages order by id desc limit 5",
  "update chat_sessions set updated_at = service_now() where id = 1 + $1::int % 9",
];

describe("an upgrade under load", () => {
  it("with a changed function, a changed signature, a new table, a view and a trigger fails no request", async () => {
    const next = await nextVersion();
    const loads = await Promise.all(
      [...requests, ...requests].map((statement) => startStatements(database.url, statement)),
    );
    const migrated = await migrate(database.url, { schema: next });
    await stopUnrefused(loads);
    expect(migrated).toEqual({ migrations: 1, functions: 5, unlisted: [] });
    // Servers of the earlier version use the old signature, new servers the new one.
    expect(await database.run("select utc_day(service_now()) = utc_day(service_now(), '0') as same")).toEqual(
      [{ same: true }],
    );
    await database.run(requests[0]?.replace("$1::int", "1") ?? "");
    expect(await database.run("select events > 0 as noted from next_view")).toEqual([{ noted: true }]);
  });
});
