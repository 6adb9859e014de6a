import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rollUpReportData } from "../../../lib/operations/analytics/roll-up.ts";
import { openConnection } from "../../../lib/platform/db/driver/connect.ts";
import { readCatalog } from "../../../scripts/ops/university/catalog.ts";
import { removedWhere, takenWhere, targetOf } from "../../../scripts/ops/university/conditions.ts";
import { exportUniversity } from "../../../scripts/ops/university/export-university.ts";
import { importUniversity } from "../../../scripts/ops/university/import-university.ts";
import type { Leaving } from "../../../scripts/ops/university/leaving.ts";
import { ownerships } from "../../../scripts/ops/university/ownership.ts";
import { previewRemoval, removeUniversity } from "../../../scripts/ops/university/remove-university.ts";
import { seed } from "../../../scripts/seed.ts";
import { makersOf } from "../../support/makers.ts";
import { buildUniversity, type UniversityFixture } from "../../support/university.ts";
import { openWorld, type World } from "../../support/world.ts";

const here = openWorld();
const there = openWorld({ SECRET_KEY: "the secret of another deployment, long enough" });

function stopAfter(batches: number) {
  const stop = new AbortController();
  let told = 0;
  const onProgress = () => {
    told += 1;
    if (told === batches) stop.abort();
  };
  return { signal: stop.signal, onProgress };
}

const urlOf = (world: World) => world.deps.config.DATABASE_URL;

/** Lists a university's people in the session. */
const findPeople = (client: pg.Client, university: number) =>
  client.query(`
    set time zone 'UTC';
    create temp table if not exists people_taken (id integer primary key);
    truncate people_taken;
    insert into people_taken select user_id from university_members where university_id = ${university}
    union select user_id from enrollments where university_id = ${university}`);

async function rowsOf(client: pg.Client, table: string, columns: string, where: string): Promise<string> {
  const { rows } = await client.query<{ said: string }>(`
    select count(*) || coalesce(string_agg(E'\\n' || listed::text, '' order by listed::text), '') as said
    from (select ${columns} from ${table} where ${where}) as listed`);
  return rows[0]?.said ?? "";
}

/** A university's rows per table, unordered, without columns that reference rows. */
async function plainRowsOf(client: pg.Client, university: number): Promise<Record<string, string>> {
  const catalog = await readCatalog(client);
  await findPeople(client, university);
  const found: Record<string, string> = {};
  for (const ownership of ownerships) {
    const plain = catalog
      .get(ownership.table)
      ?.columns.filter(
        (column) =>
          !(column.isId || targetOf(column, ownership)) &&
          !(ownership.json?.[column.name] || ownership.instead?.[column.name]) &&
          !/^(cause|object_id|provider|change_number|node_key)$/.test(column.name),
      )
      .map(({ name }) => name);
    const where = takenWhere(ownership, university)
      // Roll-ups end at another day there, and the commands' own audit entries remain at the source.
      .replace(" and day < utc_day((select daily_aggregates_counted_until()))", "")
      .concat(ownership.table === "audit_events" ? " and action not like 'university.%'" : "");
    found[ownership.table] = await rowsOf(client, ownership.table, plain?.join(", ") || "1", where);
  }
  return found;
}

async function wholeRowsOf(client: pg.Client, university: number): Promise<Record<string, string>> {
  await findPeople(client, university);
  const found: Record<string, string> = {};
  for (const one of ownerships)
    found[one.table] = await rowsOf(client, one.table, "*", takenWhere(one, university));
  return found;
}

type Rare = Record<"person" | "erased" | "university" | "offering" | "item", number>;

/** Rows that neither the fixture nor the demonstration has. */
async function insertWhatIsRare(
  client: pg.Client,
  { person, erased, university, offering, item }: Rare,
): Promise<void> {
  await client.query(`
    insert into user_identities (user_id, provider, subject) values (${person}, '${university}.campus', 'known');
    insert into user_profiles (user_id, learning_goal) values (${person}, 'To learn');
    insert into notification_preferences (user_id, kind, in_app, mail) values (${person}, 'due_soon', true, 'off');
    insert into sourced_people (university_id, sourced_id, user_id) values (${university}, 'p-1', ${person});
    insert into sourced_offerings (university_id, sourced_id, course_offering_id)
    values (${university}, 'o-1', ${offering});
    insert into certificate_settings (course_offering_id, issuance) values (${offering}, 'by_staff');
    insert into auto_graders (course_offering_id, content_item_id, secret_version, renewed_at)
    values (${offering}, ${item}, 2, now());
    insert into auto_grader_readers (course_offering_id, content_item_id, user_id, secret_version, read_at)
    values (${offering}, ${item}, ${person}, 2, now());
    insert into due_reminders values (${offering}, ${item}, now());
    insert into announcement_reads (announcement_id, user_id, read_at)
    select id, ${person}, now() from announcements where university_id = ${university};
    insert into offering_dates (course_id, course_offering_id, content_item_id, due_at)
    select course_id, id, ${item}, 'infinity' from course_offerings where id = ${offering};
    insert into offering_group_dates (course_id, course_offering_id, group_id, content_item_id, due_at)
    select run.course_id, run.id, one.id, ${item}, 'infinity'
    from offering_groups as one join course_offerings as run on run.id = one.course_offering_id
    where run.id = ${offering};
    insert into retention_policies (university_id, archive_days) values (${university}, 10)
    on conflict (university_id) do nothing;
    insert into retention_periods (university_id, kind, days, set_at) values (${university}, 'conversations', 180, now());
    insert into retention_holds (university_id, user_id, reason) values (${university}, ${person}, 'Appeal');
    insert into data_requests (university_id, user_id, kind, received_on, correction, made_at)
    values (${university}, ${person}, 'rectify', '2026-03-01', '{"given_name": "Ada"}', now());
    insert into cartridge_parts (import_id, number, kind, identifier, title, details, is_last)
    select id, 0, 'page', 'p', 'Page', '{}', false from cartridge_imports where university_id = ${university};
    insert into cartridge_files (import_id, path, file_id)
    select one.id, 'a.png', min(files.id) from cartridge_imports as one
    join files on files.university_id = one.university_id where one.university_id = ${university} group by one.id;
    insert into retention_runs (university_id, begun_at, part) values (${university}, now(), 'conversations');
    insert into stored_objects (key, size, university_id) values ('objects/archive', 3, ${university});
    insert into retention_archives (university_id, run_id, kind, rows, object_id, ends_at)
    select ${university}, retention_runs.id, 'conversations', 1, stored_objects.id, now()
    from retention_runs, stored_objects where key = 'objects/archive' and retention_runs.university_id = ${university};
    insert into accommodations (university_id, user_id, time_factor, extra_days)
    select university_id, user_id, 1.5, 2 from university_members
    where university_id = ${university} and user_id = ${person};
    insert into quiz_overrides (user_id, course_offering_id, content_item_id, max_attempts)
    values (${person}, ${offering}, ${item}, 9);
    insert into submission_marks (submission_id, place, grader_id, score, marked_at)
    select max(id), 1, ${person}, 12, now() from lab_submissions where course_offering_id = ${offering};
    insert into anonymous_codes (user_id, course_offering_id, content_item_id, code)
    values (${person}, ${offering}, ${item}, 'BCDFGHJK');
    insert into item_grades (user_id, course_offering_id, content_item_id, is_excused)
    values (${person}, ${offering}, ${item}, true);
    insert into course_grades (user_id, course_offering_id, final_score) values (${person}, ${offering}, 71);
    insert into message_feedback (message_id, rating) select max(id), 'up' from chat_messages;
    insert into flashcards (user_id, content_item_id, front, back) values (${person}, ${item}, 'What?', 'That');
    insert into flashcard_reviews (flashcard_id, rating) select max(id), 'good' from flashcards;
    insert into enrollments (user_id, course_offering_id, status) values (${erased}, ${offering}, 'dropped');
    delete from university_members where user_id = ${erased};
    update users set email = null, full_name = '', is_active = false, erased_at = now() where id = ${erased};
    insert into former_accounts values (${person}, ${erased});
    insert into erased_identifiers (user_id, university_id, identifier) values (${erased}, ${university}, 'p-0');
    insert into saml_providers (identity_provider_id, sso_url, certificates, certificate, metadata_read_at, metadata_tried_at)
    select id, 'https://idp.example.edu/sso', '{}', 'own', now(), now() from identity_providers
    where university_id = ${university} and name = 'campus';
    with directory as (
      insert into scim_users (university_id, user_name, full_name, is_active, attributes, user_id)
      values (${university}, 'p-1', 'Person', true, '{}', ${person}) returning id
    )
    insert into scim_group_members select own.id, directory.id from scim_groups as own, directory
    where own.university_id = ${university};
    insert into lti_links (context_id, resource_link_id, content_item_id)
    select id, 'l-1', ${item} from lti_contexts where course_offering_id = ${offering};
    insert into lti_enrollments (enrollment_id, context_id, source)
    select mine.id, context.id, 'launch' from enrollments as mine join lti_contexts as context using (course_offering_id)
    where mine.user_id = ${person} and mine.course_offering_id = ${offering};
    insert into offering_staff (course_offering_id, university_id, user_id, role, source, lti_context_id)
    select course_offering_id, university_id, ${person}, 'ta', 'launch', id
    from lti_contexts where course_offering_id = ${offering};
    insert into thrown_out_questions (course_offering_id, content_item_id, question_id, credit, reason, thrown_out_at)
    select ${offering}, ${item}, min(asked.id), 'no_points', 'Unclear', now()
    from questions as asked join question_pools as pool on pool.id = asked.question_pool_id
    where pool.university_id = ${university};
    insert into stale_trees values (${offering}, ${person});
    insert into stale_outlines (course_id) select course_id from course_offerings where id = ${offering};
    insert into tutor_questions (content_item_id, question_hash, node_id, question, question_key)
    select ${item}, repeat('a', 64), gone, '{}', '{}' from unnest('{2000000001, 2000000002}'::bigint[]) as gone;
    insert into tutor_step_counts select id, 'A', 1, false, 7 from tutor_questions where node_id > 2000000000;
    insert into tutor_notes (course_id, content_item_id, notes, updated_by)
    select course_id, id, 'Tell them slowly.', ${person} from content_items where id = ${item};`);
}

describe("a university that leaves", () => {
  let folder: string;
  let leaving: Leaving;
  let fixture: UniversityFixture;
  let source: pg.Client;
  let target: pg.Client;
  let key: string | undefined;
  let stayed: string[];
  let before: Record<string, string>;
  let others: { id: number; rows: Record<string, string> }[];

  beforeAll(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), "university-")), "export");
    await seed(here.deps.db, { now: new Date("2026-03-10T12:00:00Z"), bcryptCost: 4 });
    fixture = await buildUniversity(here);
    const make = makersOf(here);
    // A person who also learns elsewhere and has a card from there.
    const elsewhere = await make.topic();
    await make.enrollment(fixture.learner.id, elsewhere.offering.id);
    await here.as(fixture.learner).post("/study/flashcards", {
      content_item_id: elsewhere.item.id,
      ...{ front: "Of another university", back: "Stays" },
    });
    // An inactive account without other universities.
    await make.enrollment(
      (await make.person({ is_active: false })).id,
      Number(fixture.paths["offering_id"]),
      "DROPPED",
    );
    await rollUpReportData(here.deps.db);
    source = await openConnection(urlOf(here));
    await source.query(`update users set email_verified_at = '2026-01-01'
      where id in (select user_id from user_university_roles where role = 'platform_admin')`);
    await insertWhatIsRare(source, {
      ...{
        person: fixture.learner.id,
        erased: (await make.person()).id,
        university: fixture.scope.university_id,
      },
      ...{ offering: Number(fixture.paths["offering_id"]), item: Number(fixture.paths["content_item_id"]) },
    });
    target = await openConnection(urlOf(there));
    const { rows } = await source.query<Leaving>("select id, name, short_code, is_active from universities");
    leaving = rows.find(({ id }) => id === fixture.scope.university_id) as Leaving;
    others = [];
    for (const { id, short_code } of rows)
      if (id === 1 || short_code === elsewhere.university.short_code)
        others.push({ id, rows: await wholeRowsOf(source, id) });
  });

  afterAll(async () => {
    await Promise.all([source?.end(), target?.end()]);
    await rm(path.dirname(folder), { recursive: true, force: true });
  });

  const exporting = () => ({
    shortCode: leaving.short_code,
    folder,
    secrets: { SECRET_KEY: here.deps.config.SECRET_KEY },
  });
  const importing = (world: World) => ({ folder, key, secretKey: world.deps.config.SECRET_KEY });

  /** The gradebook of the fixture's offering without ids. */
  async function gradebookIn(world: World, client: pg.Client, university: number) {
    const { rows } = await client.query<{ offering: number; admin: number }>(
      `select enrollments.course_offering_id as offering, (
         select user_id from user_university_roles
         where university_id = $1 and role = 'university_admin' and department_id is null order by user_id limit 1) as admin
       from enrollments join users on users.id = user_id where university_id = $1 and email = $2`,
      [university, fixture.learner.email],
    );
    const [found] = rows;
    const book = await world
      .as({ id: Number(found?.admin) })
      .get(`/assessments/offerings/${found?.offering}/gradebook`);
    expect(book.status).toBe(200);
    expect(book.body.rows.length).toBeGreaterThan(0);
    const withoutIds = (name: string, value: unknown) => (/(^|_)ids?$/.test(name) ? undefined : value);
    return JSON.parse(JSON.stringify(book.body, withoutIds));
  }

  it("is exported only while it is frozen", async () => {
    await expect(exportUniversity(urlOf(here), exporting())).rejects.toThrow("is active");
    await expect(exportUniversity(urlOf(here), { ...exporting(), shortCode: "NOWHERE" })).rejects.toThrow(
      "No university has the short code NOWHERE",
    );
  });

  it("is exported in batches, and an interrupted export continues", async () => {
    before = await plainRowsOf(source, leaving.id);
    await source.query("update universities set is_active = false where id = $1", [leaving.id]);
    await expect(exportUniversity(urlOf(here), { ...exporting(), ...stopAfter(20) })).rejects.toThrow(
      "Stopped",
    );
    // As left by a process that was killed while writing.
    await appendFile(path.join(folder, "courses.jsonl.gz"), "half a batch");
    await expect(importUniversity(urlOf(there), importing(there))).rejects.toThrow(
      "contains no complete university",
    );
    ({ key } = await exportUniversity(urlOf(here), exporting()));
    const manifest = JSON.parse(await readFile(path.join(folder, "manifest.json"), "utf8"));
    for (const [table, said] of Object.entries(before))
      expect(manifest.parts[table].rows, table).toBe(Number.parseInt(said, 10));
    await expect(exportUniversity(urlOf(here), exporting())).rejects.toThrow("already");
  });

  it("arrives completely in an empty database, although the import was stopped", async () => {
    await expect(importUniversity(urlOf(there), { ...importing(there), ...stopAfter(60) })).rejects.toThrow(
      "Stopped",
    );
    const { university, known } = await importUniversity(urlOf(there), importing(there));
    expect(known).toBe(0);
    expect(await plainRowsOf(target, university)).toEqual(before);
    await expect(importUniversity(urlOf(there), importing(there))).rejects.toThrow("has the short code");
    const { rows } = await target.query(
      "select action from audit_events where university_id = $1 order by id desc limit 1",
      [university],
    );
    expect(rows).toEqual([{ action: "university.imported" }]);
  });

  it("arrives next to another one, with rows in nearly every table", async () => {
    const northgate = { id: others[0]?.id ?? 0, folder: `${folder}-2` };
    const { rows } = await source.query<{ short_code: string }>(
      "update universities set is_active = false where id = $1 returning short_code",
      [northgate.id],
    );
    const told = await plainRowsOf(source, northgate.id);
    const moved = { ...northgate, shortCode: rows[0]?.short_code ?? "" };
    const exported = await exportUniversity(urlOf(here), { ...exporting(), ...moved });
    const { university } = await importUniversity(urlOf(there), {
      ...importing(there),
      ...moved,
      key: exported.key,
    });
    expect(await plainRowsOf(target, university)).toEqual(told);
    await source.query("update universities set is_active = true where id = $1", [northgate.id]);
    const empty = Object.keys(before).filter((table) => before[table] === "0" && told[table] === "0");
    expect(empty.length, empty.join()).toBeLessThan(4);
  });

  it("continues there: with its gradebook, its secrets, and a tutor that answers without a call", async () => {
    const { rows } = await target.query<{ id: number; item: number }>(
      `update universities set is_active = true where short_code = $1 returning id, (
         select content_item_id from cache_nodes limit 1) as item`,
      [leaving.short_code],
    );
    const { id = 0, item = 0 } = rows[0] ?? {};
    expect(await gradebookIn(there, target, id)).toEqual(await gradebookIn(here, source, leaving.id));
    expect(await there.deps.credentials.read(id)).toEqual(await here.deps.credentials.read(leaving.id));
    const calls = there.llm.requests.length;
    const newcomer = there.as(await makersOf(there).holder("ta", id));
    const session = await newcomer.post("/chat/sessions", { content_item_id: item });
    const greeting = await newcomer.post(`/chat/sessions/${session.body.id}/greeting`);
    expect(greeting.body).toMatchObject({ meta: { source: "cache" } });
    expect(there.llm.requests).toHaveLength(calls);
    await rollUpReportData(there.deps.db);
  });

  it("is removed only if none of its people administers the platform", async () => {
    await expect(removeUniversity(here.deps.db, leaving)).rejects.toThrow("administer the platform");
    // An administrator would continue at another one.
    const { rows } = await source.query<{ email: string }>(
      `with moved as (
         update user_university_roles set university_id = $2, department_id = null
         where university_id = $1 and role = 'platform_admin' returning user_id)
       select distinct email from moved join users on users.id = user_id`,
      [leaving.id, others.at(-1)?.id],
    );
    stayed = rows.map(({ email }) => email);
    for (const one of others) one.rows = await wholeRowsOf(source, one.id);
  });

  it("is removed in steps, and leaves others' data unchanged", async () => {
    const calls = "select count(*)::int as calls, sum(cost_micros)::float8 as cost from llm_calls";
    const paid = await source.query(calls);
    const preview = await previewRemoval(here.deps.db, leaving);
    expect(preview.rows["courses"]).toBe(3);
    expect(preview.people).toBe(preview.erased + 5);
    await expect(removeUniversity(here.deps.db, leaving, stopAfter(30))).rejects.toThrow("Stopped");
    const removed = await removeUniversity(here.deps.db, leaving);
    expect(removed).toEqual({ people: preview.people, erased: preview.erased });
    for (const { id, rows } of others) expect(await wholeRowsOf(source, id)).toEqual(rows);
    for (const { removal = "deleted", ...one } of ownerships)
      if (removal === "deleted")
        expect(await rowsOf(source, one.table, "*", removedWhere(one, leaving.id)), one.table).toBe("0");
    expect((await source.query(calls)).rows).toEqual(paid.rows);
    const { rows } = await source.query<{ table: string }>(`
      select 'report_totals' as table from report_totals where course_id not in (select id from courses)
      union all select 'tree_totals' from tree_totals where course_id not in (select id from courses)
      union all select 'activity_days' from activity_days where course_id not in (select id from courses)
      union all select 'stale_outlines' from stale_outlines where course_id not in (select id from courses)
      union all select 'stale_trees' from stale_trees where course_offering_id not in (select id from course_offerings)`);
    expect(rows).toEqual([]);
    const said = await source.query("select details from audit_events where action = 'university.removed'");
    expect(said.rows).toMatchObject([
      { details: { short_code: leaving.short_code, erased: preview.erased } },
    ]);
  });

  it("returns next to others, to the known people", async () => {
    const { university, known } = await importUniversity(urlOf(here), importing(here));
    expect(known).toBe(1 + stayed.length);
    await findPeople(source, university);
    const { rows } = await source.query<{ id: number }>(
      "select user_id as id from enrollments where university_id = $1 and user_id = $2",
      [university, fixture.learner.id],
    );
    expect(rows).toEqual([{ id: fixture.learner.id }]);
    // A rejected import leaves no rows that block the next.
    await source.query("update users set email_verified_at = null where id = $1", [fixture.learner.id]);
    await removeUniversity(here.deps.db, { ...leaving, id: university });
    await expect(importUniversity(urlOf(here), importing(here))).rejects.toThrow(
      "not verified on both sides",
    );
  });
});
