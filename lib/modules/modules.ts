import { and, eq, getTableColumns, isNull, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import type { OptionalPagination } from "../../schema/api/fields.ts";
import type { Module } from "../../schema/api/modules.ts";
import { courses } from "../../schema/db/courses.ts";
import { modules } from "../../schema/db/modules.ts";
import type { Actor } from "../auth/actor.ts";
import { courseVisibleTo, staffOfCourse } from "../courses/visibility.ts";
import type { Db } from "../db/client.ts";
import { wireColumns } from "../db/json-rows.ts";
import { rowsOf } from "../db/rows.ts";
import { notFound } from "../errors.ts";
import { JsonList } from "../json-list.ts";
import { inTreeOrder } from "./tree.ts";
import { moduleVisibleTo } from "./visibility.ts";

/** A course's modules that the caller may see, in tree order; 404 for a course that they may not see. */
export async function listModules(
  db: Db,
  actor: Actor | undefined,
  courseId: number,
  window: OptionalPagination,
): Promise<JsonList<Module>> {
  return within(window, inTreeOrder(await modulesOf(db, actor, courseId)));
}

/** The modules at the top of a course's tree, in their order; 404 as for the whole tree. */
export async function listRootModules(
  db: Db,
  actor: Actor | undefined,
  courseId: number,
  window: OptionalPagination,
): Promise<JsonList<Module>> {
  return within(window, await modulesOf(db, actor, courseId, isNull(listed.parent_module_id)));
}

/** A module as PostgreSQL wrote it, with its place in the tree. */
const WrittenModule = z.object({ id: z.int(), parent_module_id: z.int().nullable(), json: z.string() });

/** One row for what the modules are in; it has no module where none is shown. */
const Row = z.object({ ...WrittenModule.shape, id: z.int().nullable(), json: z.string().nullable() });

const within = (
  { skip, limit = Infinity }: OptionalPagination,
  found: readonly z.output<typeof WrittenModule>[],
): JsonList<Module> => new JsonList(found.slice(skip, skip + limit).map(({ json }) => json));

/** Where modules are listed: what they are in, rows of `courses` perhaps beside others, and which of them are meant. */
type Place = { from: SQL; where: SQL | undefined; which: SQL | undefined; what: string };

const listed = alias(modules, "listed");

/** The modules of a place that the caller may see, by their order; 404 where there is none that they may look into. */
async function modulesAt(db: Db, actor: Actor | undefined, { from, where, which, what }: Place) {
  const rows = await rowsOf(
    db,
    Row,
    sql`
      select item.id, item.parent_module_id, row_to_json(item)::text as json
      from ${from}
      left join lateral (
        select ${wireColumns(getTableColumns(listed))} from ${modules} as listed
        where ${and(which, or(listed.is_published, staffOfCourse(actor)))}
      ) as item on true
      where ${where}
      order by item.sequence_index`,
  );
  if (rows.length === 0) throw notFound(what);
  return rows.filter(isWritten);
}

const modulesOf = (db: Db, actor: Actor | undefined, courseId: number, which?: SQL) =>
  modulesAt(db, actor, {
    from: sql`${courses}`,
    where: and(eq(courses.id, courseId), courseVisibleTo(actor)),
    which: and(eq(listed.course_id, courses.id), which),
    what: "Course",
  });

const isWritten = (row: z.output<typeof Row>): row is z.output<typeof WrittenModule> => row.id !== null;

/** A module; 404 when there is none that the caller may see. */
export async function getModule(db: Db, actor: Actor | undefined, moduleId: number): Promise<Module> {
  const module = await findModule(db, actor, moduleId);
  if (!module) throw notFound("Module");
  return module;
}

/** A module that the caller may see, if there is one. */
export async function findModule(
  db: Db,
  actor: Actor | undefined,
  moduleId: number,
): Promise<Module | undefined> {
  const [module] = await db
    .select(getTableColumns(modules))
    .from(modules)
    .innerJoin(courses, eq(courses.id, modules.course_id))
    .where(and(eq(modules.id, moduleId), moduleVisibleTo(actor)));
  return module;
}

/** The modules right below one, in their order; 404 for one that the caller may not see. */
export async function listChildModules(
  db: Db,
  actor: Actor | undefined,
  moduleId: number,
  window: OptionalPagination,
): Promise<JsonList<Module>> {
  const found = await modulesAt(db, actor, {
    from: sql`${modules} join ${courses} on ${courses.id} = ${modules.course_id}`,
    where: and(eq(modules.id, moduleId), moduleVisibleTo(actor)),
    which: eq(listed.parent_module_id, modules.id),
    what: "Module",
  });
  return within(window, found);
}
