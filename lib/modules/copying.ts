import { getTableColumns, sql } from "drizzle-orm";
import type { Module } from "../../schema/api/modules.ts";
import { modules } from "../../schema/db/modules.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { storedRowsOf } from "../db/query/rows.ts";
import { forbidden, notFound } from "../errors.ts";
import { findModule } from "./modules.ts";
import { lockedCourse, translateRefusal } from "./outline.ts";

/**
 * Copies a module of a course with all that is in it and below it, behind it and unpublished, in one statement. 404 for one
 * that the caller cannot see, 403 for who may not write in its course.
 */
export async function copyModule(db: Db, actor: Actor, moduleId: number): Promise<Module> {
  const course = lockedCourse(
    actor,
    "module:write",
    sql`(select course_id from modules where id = ${moduleId})`,
  );
  const [copy] = await translateRefusal(
    storedRowsOf(
      db,
      getTableColumns(modules),
      sql`
        select copy.* from (select ${course} as id) as writable cross join lateral copy_module(${moduleId}) as copy
        where writable.id is not null and copy.id is not null`,
    ),
  );
  if (copy) return copy;
  throw (await findModule(db, actor, moduleId)) ? forbidden() : notFound("Module");
}
