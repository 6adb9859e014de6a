import { and, asc, eq, type SQL } from "drizzle-orm";
import type { ContentProgress, ModuleProgress, ProgressQuery } from "../../schema/api/progress.ts";
import { userContentProgress, userModuleProgress } from "../../schema/db/progress.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";

/** The caller's own progress in modules, by offering and module; in one offering when it is named. */
export async function listModuleProgress(
  db: Db,
  actor: Actor,
  query: ProgressQuery,
): Promise<ModuleProgress[]> {
  return db
    .select()
    .from(userModuleProgress)
    .where(ownIn(userModuleProgress, actor, query))
    .orderBy(asc(userModuleProgress.course_offering_id), asc(userModuleProgress.module_id))
    .offset(query.skip)
    .limit(query.limit);
}

/** The caller's own progress in content items, by offering and item; in one offering when it is named. */
export async function listContentProgress(
  db: Db,
  actor: Actor,
  query: ProgressQuery,
): Promise<ContentProgress[]> {
  return db
    .select()
    .from(userContentProgress)
    .where(ownIn(userContentProgress, actor, query))
    .orderBy(asc(userContentProgress.course_offering_id), asc(userContentProgress.content_item_id))
    .offset(query.skip)
    .limit(query.limit);
}

function ownIn(
  progress: typeof userModuleProgress | typeof userContentProgress,
  actor: Actor,
  { course_offering_id }: ProgressQuery,
): SQL | undefined {
  const inOffering = course_offering_id && eq(progress.course_offering_id, course_offering_id);
  return and(eq(progress.user_id, actor.id), inOffering || undefined);
}
