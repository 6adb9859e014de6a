import { roles } from "../../schema/enums.ts";
import type { GeneratedTableInsert, MaxIdByTable } from "./generated-inserts.ts";
import type { ScaleSize } from "./size.ts";

/** External id of person `n`, in another order than the people. */
export const externalIdOfPerson = (n: number, people: number): string => `s-${(n * 7919) % people}-${n}`;

/** One in that many people has an accommodation, a hold, or a data request. */
const oneInTwenty = 20;

/** Retention runs and stored archives per university. */
const runsEach = 100;

/** Cartridge parts per course. */
const partsEach = 5;

/**
 * Work of each university's university_admin: accommodations, retention with past runs, holds, data requests,
 * and imported cartridges.
 */
export function buildAdministrationInserts(
  { universities, people, courses, modulesInFirst }: ScaleSize,
  base: MaxIdByTable,
): GeneratedTableInsert[] {
  const university = `${base.universities} + n % ${universities} + 1`;
  const admin = `${base.users} + ${(roles.indexOf("university_admin") - 1) * universities} + n % ${universities} + 1`;
  const other = `${base.users} + ${(roles.indexOf("instructor") - 1) * universities} + n % ${universities} + 1`;
  // People after the staff, each in their university.
  const few = Math.floor((people - roles.length * universities) / oneInTwenty / universities) * universities;
  const person = `${base.users} + ${roles.length * universities} + n + 1`;
  const rights = ["accommodation:write", "retention:write", "data-request:write"];
  return [
    {
      what: "offices",
      table: "university_offices",
      columns: "university_id, user_id, office_right",
      count: universities * rights.length,
      rows: `${university}, ${admin}, (array['${rights.join("', '")}'])[n / ${universities} + 1]`,
    },
    {
      what: "ids of people",
      table: "sourced_people",
      columns: "university_id, sourced_id, user_id",
      count: people,
      rows: `${university}, 's-' || (n::bigint * 7919 % ${people}) || '-' || n, ${base.users} + n + 1`,
    },
    {
      what: "accommodations",
      table: "accommodations",
      columns: "university_id, user_id, time_factor, extra_days",
      count: few,
      rows: `${university}, ${person}, 1.5, n % 10`,
    },
    {
      what: "policies of retention",
      table: "retention_policies",
      columns: "university_id, archive_days",
      count: universities,
      rows: `${university}, 365`,
    },
    {
      what: "periods of retention",
      table: "retention_periods",
      columns: "university_id, kind, days, set_at, counted_at",
      count: universities,
      rows: `${university}, 'submissions', 1825, now(), now()`,
    },
    {
      what: "holds of people",
      table: "retention_holds",
      columns: "university_id, user_id, reason, placed_by_user_id",
      count: few,
      rows: `${university}, ${person}, 'A case', ${admin}`,
    },
    {
      what: "runs of retention",
      table: "retention_runs",
      columns: "university_id, begun_at, ended_at, forgotten, part",
      count: universities * runsEach,
      rows: `${university}, now() - interval '1 day' * n, now() - interval '1 day' * n, '{"submissions": 5}', 'done'`,
    },
    {
      what: "archives of retention",
      table: "retention_archives",
      columns: "university_id, run_id, kind, rows, object_id, ends_at",
      count: Math.min(universities * runsEach, courses),
      rows: `${university}, (select max(id) from retention_runs where university_id = ${university}), 'submissions', 5,
             ${base.stored_objects} + n + 1, now() + interval '1 year'`,
    },
    {
      what: "requests of people",
      table: "data_requests",
      columns: `id, university_id, user_id, kind, state, received_on, made_by_user_id, made_at, decided_by_user_id,
                decided_at, done_at, available_until`,
      count: few,
      rows: `${base.data_requests} + n + 1, ${university}, ${person}, 'export', 'done', '2026-01-01', ${admin}, now(), ${other},
             now(), now(), now() + interval '7 days'`,
    },
    {
      what: "imports of cartridges",
      table: "cartridge_imports",
      columns: `id, university_id, course_id, created_by_user_id, file_id, is_dry_run, cartridge_version, title, listed_at,
                created_at, ended_at`,
      count: courses,
      rows: `${base.cartridge_imports} + n + 1, ${university}, ${base.courses} + n + 1, ${admin}, ${base.files} + n + 1, true, '1.3.0',
             'Cartridge', now(), now(), now()`,
    },
    {
      what: "parts of cartridges",
      table: "cartridge_parts",
      columns: "import_id, number, kind, identifier, title, details, is_last, outcome, became",
      count: courses * partsEach,
      rows: `${base.cartridge_imports} + n / ${partsEach} + 1, n % ${partsEach}, 'page', 'i' || n, 'Page', '{}', false,
             (array['created', 'partly'])[n % 2 + 1], '{text}'`,
    },
    {
      what: "parts of the first cartridge",
      table: "cartridge_parts",
      columns: "import_id, number, kind, identifier, title, details, is_last, outcome, became",
      count: modulesInFirst,
      rows: `${base.cartridge_imports} + 1, ${partsEach} + n, 'page', 'more' || n, 'Page', '{}', false, 'created', '{text}'`,
    },
  ];
}
