import { and, asc, eq, getTableColumns, isNull, or, type SQL } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { OptionalPagination } from "../../schema/api/fields.ts";
import type { Module } from "../../schema/api/modules.ts";
import { courses } from "../../schema/db/courses.ts";
import { modules } from "../../schema/db/modules.ts";
import type { Actor } from "../auth/actor.ts";
import { courseVisibleTo, staffOfCourse } from "../courses/visibility.ts";
import type { Db } from "../db/client.ts";
import { notFound } from "../errors.ts";
import { inTreeOrder } from "./tree.ts";
import { moduleVisibleTo } from "./visibility.ts";

/** A course's modules that the caller may see, in tree order; 404 for a course that they may not see. */
export async function listModules(
  db: Db,
  actor: Actor | undefined,
  courseId: number,
  window: OptionalPagination,
): Promise<Module[]> {
  return within(window, inTreeOrder(await modulesOf(db, actor, courseId)));
}

/** The modules at the top of a course's tree, in their order; 404 as for the whole tree. */
export async function listRootModules(
  db: Db,
  actor: Actor | undefined,
  courseId: number,
  window: OptionalPagination,
): Promise<Module[]> {
  return within(window, await modulesOf(db, actor, courseId, isNull(modules.parent_module_id)));
}

const within = ({ skip, limit = Infinity }: OptionalPagination, found: Module[]): Module[] =>
  found.slice(skip, skip + limit);

async function modulesOf(db: Db, actor: Actor | undefined, courseId: number, which?: SQL): Promise<Module[]> {
  const shown = or(modules.is_published, staffOfCourse(actor));
  const rows = await db
    .select({ course_id: courses.id, module: getTableColumns(modules) })
    .from(courses)
    .leftJoin(modules, and(eq(modules.course_id, courses.id), shown, which))
    .where(and(eq(courses.id, courseId), courseVisibleTo(actor)))
    .orderBy(asc(modules.sequence_index));
  if (rows.length === 0) throw notFound("Course");
  return rows.flatMap(({ module }) => module ?? []);
}

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
): Promise<Module[]> {
  const child = alias(modules, "child");
  const rows = await db
    .select({ parent_id: modules.id, child: getTableColumns(child) })
    .from(modules)
    .innerJoin(courses, eq(courses.id, modules.course_id))
    .leftJoin(
      child,
      and(eq(child.parent_module_id, modules.id), or(child.is_published, staffOfCourse(actor))),
    )
    .where(and(eq(modules.id, moduleId), moduleVisibleTo(actor)))
    .orderBy(asc(child.sequence_index));
  if (rows.length === 0) throw notFound("Module");
  return within(
    window,
    rows.flatMap(({ child }) => child ?? []),
  );
}
