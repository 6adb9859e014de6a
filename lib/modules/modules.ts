import { and, asc, eq, getTableColumns, isNull, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Module, ModuleCreate, ModuleUpdate } from "../../schema/api/modules.ts";
import { courses } from "../../schema/db/courses.ts";
import { modules } from "../../schema/db/modules.ts";
import type { Actor } from "../auth/actor.ts";
import { courseVisibleTo, staffOfCourse } from "../courses/visibility.ts";
import type { Db } from "../db/client.ts";
import { badRequest, forbidden, notFound } from "../errors.ts";
import { courseToWrite, explained, lockedCourse, touched } from "./outline.ts";
import { inTreeOrder } from "./tree.ts";
import { moduleVisibleTo } from "./visibility.ts";

/** A course's modules that the caller may see, in tree order; 404 for a course that they may not see. */
export async function listModules(db: Db, actor: Actor | undefined, courseId: number): Promise<Module[]> {
  return inTreeOrder(await modulesOf(db, actor, courseId));
}

/** The modules at the top of a course's tree, in their order; 404 as for the whole tree. */
export function listRootModules(db: Db, actor: Actor | undefined, courseId: number): Promise<Module[]> {
  return modulesOf(db, actor, courseId, isNull(modules.parent_module_id));
}

async function modulesOf(
  db: Db,
  actor: Actor | undefined,
  courseId: number,
  which?: SQL,
): Promise<Module[]> {
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

async function findModule(
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
  return rows.flatMap(({ child }) => child ?? []);
}

/** The database puts what comes without a place after its last sibling. */
const last = sql`null`;

/** Creates a module; 400 for a course or a parent that is not there, a taken place, or a tree too deep. */
export async function createModule(db: Db, actor: Actor, input: ModuleCreate): Promise<Module> {
  await courseToWrite(db, actor, "module:write", input.course_id);
  const [module] = await explained(
    db
      .insert(modules)
      .values({ ...input, sequence_index: input.sequence_index ?? last })
      .returning(),
  );
  if (!module) throw notFound("Module");
  return module;
}

/**
 * Changes a module; absent fields keep their values. With another parent it moves, its subtree with it, and goes
 * after its new siblings unless it is given a place. 400 below itself, into another course, or to a taken place.
 */
export async function updateModule(
  db: Db,
  actor: Actor,
  moduleId: number,
  change: ModuleUpdate,
): Promise<Module> {
  const [module] = await explained(
    db
      .update(modules)
      .set({ ...change, ...placeAfterMove(change), updated_at: touched(change, modules.updated_at) })
      .where(writableModule(actor, moduleId))
      .returning(),
  );
  return module ?? refuse(db, actor, moduleId);
}

function placeAfterMove({ parent_module_id, sequence_index }: ModuleUpdate) {
  if (parent_module_id === undefined || sequence_index !== undefined) return undefined;
  const stays = sql`${modules.parent_module_id} is not distinct from ${parent_module_id}::int`;
  return { sequence_index: sql`case when ${stays} then ${modules.sequence_index} end` };
}

/** Deletes a module with all that is below it; 400 when anyone has worked on any of it. */
export async function deleteModule(db: Db, actor: Actor, moduleId: number): Promise<void> {
  const deleted = await explained(
    db.delete(modules).where(writableModule(actor, moduleId)).returning({ id: modules.id }),
    "Module is in use: someone has progress, chats or attempts in it",
  );
  if (deleted.length === 0) await refuse(db, actor, moduleId);
}

/**
 * Gives siblings a new order, numbered from 1; those not named follow in their old order. Answers them all.
 * 400 unless the ids are siblings, each named once.
 */
export async function reorderModules(db: Db, actor: Actor, moduleIds: readonly number[]): Promise<Module[]> {
  const [first = 0] = moduleIds;
  const siblings = await explained(
    db
      .select(getTableColumns(modules))
      .from(sql`reorder_modules(${courseOf(actor, first)}, ${sql.param(moduleIds)}::int[]) as modules`)
      .orderBy(asc(modules.sequence_index)),
  );
  return siblings.length > 0 ? siblings : refuse(db, actor, first, badRequest(`Module '${first}' does not exist`));
}

const courseOf = (actor: Actor, moduleId: number): SQL =>
  lockedCourse(actor, "module:write", sql`(select course_id from modules where id = ${moduleId})`);

/** That module, when the caller may write in its course, which is then locked. */
const writableModule = (actor: Actor, moduleId: number): SQL | undefined =>
  and(eq(modules.id, moduleId), eq(modules.course_id, courseOf(actor, moduleId)));

/** Why a module was not there to be written: what is `unseen` to the caller is not there, else 403. */
async function refuse(db: Db, actor: Actor, moduleId: number, unseen = notFound("Module")): Promise<never> {
  const module = await findModule(db, actor, moduleId);
  throw module ? forbidden() : unseen;
}
