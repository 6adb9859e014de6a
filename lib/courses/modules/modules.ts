import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Module } from "../../../schema/api/courses/modules.ts";
import type { OptionalWindow } from "../../../schema/api/platform/fields.ts";
import { courses } from "../../../schema/db/courses/courses.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { queryWholeJsonListOfOwner, wireColumnsSql } from "../../platform/db/query/json-rows.ts";
import type { JsonListPage } from "../../platform/results/json-list-page.ts";
import { courseStaffCondition, visibleCourseCondition } from "../course-permissions.ts";
import { visibleModuleCondition } from "./visibility.ts";

const listed = alias(modules, "listed");

const listedColumns = getTableColumns(listed);

const published = (actor: Actor | undefined): SQL =>
  sql`(listed.is_published or ${courseStaffCondition(actor)})`;

const windowOf = ({ skip, limit }: OptionalWindow): SQL => sql`offset ${skip} limit ${limit ?? null}::int`;

/** Of the row `courses`. The database sorts: ten thousand modules would block Node. */
const inTreeOrder = (actor: Actor | undefined, window: OptionalWindow): SQL => sql`
  with recursive shown as materialized (
    select listed.* from modules as listed where listed.course_id = courses.id and ${published(actor)}
  ), tree (id, position) as (
    select id, array[sequence_index] from shown where parent_module_id is null
    union all
    select shown.id, tree.position || shown.sequence_index from tree join shown on shown.parent_module_id = tree.id
  )
  select ${wireColumnsSql(listedColumns)} from tree join shown as listed on listed.id = tree.id order by tree.position ${windowOf(window)}`;

/** Child modules of one module, or the top level. */
const inOrder = (actor: Actor | undefined, which: SQL, window: OptionalWindow): SQL => sql`
  select ${wireColumnsSql(listedColumns)} from modules as listed where ${which} and ${published(actor)}
  order by listed.sequence_index ${windowOf(window)}`;

async function modulesOfCourse(db: ReadDb, actor: Actor | undefined, courseId: number, rows: SQL) {
  const course = sql`courses where courses.id = ${courseId} and ${visibleCourseCondition(actor)}`;
  const found = await queryWholeJsonListOfOwner<Module>(db, course, rows);
  if (!found) throw notFound("Course");
  return found;
}

/**
 * Depth first, parents before children. A hidden module hides its subtree. 404 if the caller cannot see the
 * course.
 */
export const listModules = (
  db: ReadDb,
  actor: Actor | undefined,
  courseId: number,
  window: OptionalWindow,
): Promise<JsonListPage<Module>> => modulesOfCourse(db, actor, courseId, inTreeOrder(actor, window));

/** In order; 404 as for the whole tree. */
export const listRootModules = (
  db: ReadDb,
  actor: Actor | undefined,
  courseId: number,
  window: OptionalWindow,
): Promise<JsonListPage<Module>> =>
  modulesOfCourse(
    db,
    actor,
    courseId,
    inOrder(actor, sql`listed.course_id = courses.id and listed.parent_module_id is null`, window),
  );

/** 404 if there is none that the caller may see. */
export async function getModule(db: ReadDb, actor: Actor | undefined, moduleId: number): Promise<Module> {
  const module = await findModule(db, actor, moduleId);
  if (!module) throw notFound("Module");
  return module;
}

/** Undefined if the caller may not see the module. */
export async function findModule(
  db: ReadDb,
  actor: Actor | undefined,
  moduleId: number,
): Promise<Module | undefined> {
  const [module] = await db
    .select(getTableColumns(modules))
    .from(modules)
    .innerJoin(courses, eq(courses.id, modules.course_id))
    .where(and(eq(modules.id, moduleId), visibleModuleCondition(actor)));
  return module;
}

/** In order; 404 if the caller cannot see the module. */
export async function listChildModules(
  db: ReadDb,
  actor: Actor | undefined,
  moduleId: number,
  window: OptionalWindow,
): Promise<JsonListPage<Module>> {
  const module = sql`${modules} join ${courses} on ${courses.id} = ${modules.course_id}
    where ${and(eq(modules.id, moduleId), visibleModuleCondition(actor))}`;
  const below = inOrder(actor, eq(listed.parent_module_id, modules.id), window);
  const found = await queryWholeJsonListOfOwner<Module>(db, module, below);
  if (!found) throw notFound("Module");
  return found;
}
