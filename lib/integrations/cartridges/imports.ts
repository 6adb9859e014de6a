import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import {
  CartridgeImport,
  type CartridgeImportCreate,
  type CartridgeImportQuery,
  CartridgePart,
  type CartridgePartQuery,
} from "../../../schema/api/integrations/cartridges.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { cartridgeImports, cartridgeParts } from "../../../schema/db/integrations/cartridges.ts";
import { coursePermissionCondition, visibleCourseCondition } from "../../courses/course-permissions.ts";
import { explainCourseRefusal } from "../../courses/courses.ts";
import { badRequest, forbidden, nonexistentFileBadRequest, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { tokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { RoleHolder } from "../../identity/rbac/scopes.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import { ascending, createPageQuery, descending, RowWithPageKey } from "../../platform/db/query/page.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { decodeOmission } from "../../platform/results/omission-codes.ts";
import { decodeStoredReason } from "../../platform/results/stored-reason.ts";

const one = alias(cartridgeImports, "one");

const countParts = sql`
  cross join lateral (
    select count(*)::int as total, count(outcome)::int as done,
      count(*) filter (where outcome = 'created')::int as created, count(*) filter (where outcome = 'partly')::int as partly,
      count(*) filter (where outcome = 'refused')::int as refused, count(*) filter (where outcome = 'ignored')::int as ignored
    from cartridge_parts where import_id = one.id
  ) as counts`;

const shown = {
  id: one.id,
  course_id: one.course_id,
  dry_run: one.is_dry_run,
  cartridge_version: one.cartridge_version,
  title: one.title,
  total: sql`counts.total`,
  done: sql`counts.done`,
  created: sql`counts.created`,
  partly: sql`counts.partly`,
  refused: sql`counts.refused`,
  ignored: sql`counts.ignored`,
  failure: one.failure,
  created_by_user_id: one.created_by_user_id,
  created_at: one.created_at,
  ended_at: one.ended_at,
};

const Stored = CartridgeImport.omit({ code: true });

const Started = z.object({ has_file: z.boolean(), begun: Stored.nullable() });

function withCode<T extends { failure: string | null }>(row: T) {
  const { code, reason } = decodeStoredReason(row.failure);
  return { ...row, failure: reason, code };
}

/** On `courses` into which the caller may import: modules, content, and questions with keys. */
export const importCartridgePermissionCondition = (caller: RoleHolder) =>
  sql`(${coursePermissionCondition(caller, "module:write")} and ${coursePermissionCondition(caller, "content:write")} and ${coursePermissionCondition(caller, "question:write")})`;

/**
 * A job processes the import. 404 or 403 without the right to write, 400 for a file not uploaded for it by
 * the caller, or while another import into the course runs.
 */
export async function startCartridgeImport(
  db: Db,
  actor: Actor,
  { course_id, file_id, dry_run }: CartridgeImportCreate,
  now: Date,
): Promise<CartridgeImport> {
  const [row] = await rowsOf(
    db,
    Started,
    sql`
      with course as materialized (
        select courses.id, exists (
          select from files
          where files.id = ${file_id} and files.purpose = 'import' and files.state = 'ready' and files.erased_at is null
            and files.university_id = courses.university_id and (files.course_id is null or files.course_id = courses.id)
            and files.uploaded_by_user_id = ${actor.id} and ${tokenReachCondition(actor, sql`files.university_id`) ?? sql`true`}) as has_file
        from courses where courses.id = ${course_id} and ${importCartridgePermissionCondition(actor)}
      ), begun as materialized (
        select one.* from (select * from course where has_file offset 0) as course
        cross join lateral start_cartridge_import(course.id, ${actor.id}, ${file_id}, ${dry_run}, ${now.toISOString()}) as one
      )
      select has_file, (select row_to_json(one) from (select ${wireColumnsSql(shown)} from begun as one ${countParts}) as one) as begun
      from course`,
  );
  if (!row) return explainCourseRefusal(db, actor, course_id);
  if (!row.has_file) throw nonexistentFileBadRequest(file_id);
  if (!row.begun) throw badRequest("cartridge_import_running");
  return withCode(row.begun);
}

/** Newest first; 404 if there is none, 403 without the right to import. */
export async function listCartridgeImports(
  db: ReadDb,
  actor: Actor,
  courseId: number,
  query: CartridgeImportQuery,
): Promise<ListPage<CartridgeImport>> {
  const page = createPageQuery(query, [descending(one.id)]);
  const rows = await rowsOf(
    db,
    Stored.extend(RowWithPageKey.shape),
    sql`select ${wireColumnsSql(shown)}, ${page.keyColumn} from cartridge_imports as one ${countParts}
        ${page.tail(and(eq(one.course_id, courseId), sql`exists (select from courses where courses.id = one.course_id and ${importCartridgePermissionCondition(actor)})`))}`,
  );
  if (rows.length === 0) await ensureImporter(db, actor, courseId);
  return page.part(rows.map(withCode));
}

async function ensureImporter(db: ReadDb, actor: Actor, courseId: number): Promise<void> {
  const [course] = await db
    .select({ id: courses.id })
    .from(courses)
    .where(and(eq(courses.id, courseId), importCartridgePermissionCondition(actor)));
  if (!course) await explainCourseRefusal(db, actor, courseId);
}

/** 404 if the caller cannot see the course, 403 without the right to import. */
export async function getCartridgeImport(
  db: ReadDb,
  actor: Actor,
  importId: number,
): Promise<CartridgeImport> {
  const [found] = await rowsOf(
    db,
    Stored,
    sql`select ${wireColumnsSql(shown)} from cartridge_imports as one join courses on courses.id = one.course_id ${countParts}
        where one.id = ${importId} and ${importCartridgePermissionCondition(actor)}`,
  );
  return found ? withCode(found) : explainImportRefusal(db, actor, importId);
}

/** In outline order; 404 and 403 as above. */
export async function listCartridgeParts(
  db: ReadDb,
  actor: Actor,
  importId: number,
  { outcome, ...query }: CartridgePartQuery,
): Promise<ListPage<CartridgePart>> {
  const page = createPageQuery(query, [ascending(cartridgeParts.number)]);
  const wanted = and(
    sql`import_id = (
      select one.id from cartridge_imports as one join courses on courses.id = one.course_id
      where one.id = ${importId} and ${importCartridgePermissionCondition(actor)})`,
    outcome && sql`outcome = ${outcome.toLowerCase()}`,
  );
  const rows = await rowsOf(
    db,
    CartridgePart.omit({ code: true, left_out_codes: true }).extend(RowWithPageKey.shape),
    sql`select number, parent_number, upper(kind) as kind, identifier, title, details ->> 'path' as path, details ->> 'read_as' as read_as, upper(outcome) as outcome,
          became, left_out, reason, module_id, content_item_ids, ${page.keyColumn}
        from cartridge_parts ${page.tail(wanted)}`,
  );
  if (rows.length === 0) await getCartridgeImport(db, actor, importId);
  return page.part(
    rows.map((row) => {
      const lines = row.left_out.map(decodeOmission);
      return {
        ...row,
        ...decodeStoredReason(row.reason),
        left_out: lines.map(({ line }) => line),
        left_out_codes: lines.map(({ code }) => code),
      };
    }),
  );
}

async function explainImportRefusal(db: ReadDb, actor: Actor, importId: number): Promise<never> {
  const { rows } = await db.execute(sql`
    select from cartridge_imports as one join courses on courses.id = one.course_id
    where one.id = ${importId} and ${visibleCourseCondition(actor)}`);
  throw rows.length > 0 ? forbidden() : notFound("Import");
}
