import { getTableColumns, sql } from "drizzle-orm";
import type { Module } from "../../../schema/api/courses/modules.ts";
import { modules } from "../../../schema/db/courses/modules.ts";
import { forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsDecodedByColumns } from "../../platform/db/query/rows.ts";
import { findModule } from "./modules.ts";
import { lockCourseForOutlineChangeSql, translateOutlineRefusal } from "./outline-writes.ts";

/**
 * Copies a module with content and subtree behind itself, unpublished, in one statement. 404 if the caller
 * cannot see it, 403 if they may not write in its course.
 */
export async function copyModule(db: Db, actor: Actor, moduleId: number): Promise<Module> {
  const course = lockCourseForOutlineChangeSql(
    actor,
    "module:write",
    sql`(select course_id from modules where id = ${moduleId})`,
  );
  const [copy] = await translateOutlineRefusal(
    rowsDecodedByColumns(
      db,
      getTableColumns(modules),
      sql`
        select copy.* from (select ${course} as id) as writable cross join lateral copy_module_after_itself(${moduleId}) as copy
        where writable.id is not null and copy.id is not null`,
    ),
  );
  if (copy) return copy;
  throw (await findModule(db, actor, moduleId)) ? forbidden() : notFound("Module");
}
