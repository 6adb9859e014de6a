import { and, asc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { ContentProgress, ModuleProgress, ProgressQuery } from "../../../schema/api/courses/progress.ts";
import { userContentProgress, userModuleProgress } from "../../../schema/db/courses/progress.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { offeringInTokenReachCondition } from "../../identity/auth/token-reach.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { ascending, createPageQuery } from "../../platform/db/query/page.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";

/** By offering and module; optionally in one offering. Computes progress from items once per offering. */
export async function listModuleProgress(
  db: ReadDb,
  actor: Actor,
  query: ProgressQuery,
): Promise<ListPage<ModuleProgress>> {
  const { course_offering_id, module_id } = userModuleProgress;
  const { part, ...asked } = createPageQuery(query, [ascending(course_offering_id), ascending(module_id)]);
  const page = db.$with("page").as(
    db
      .select({ ...getTableColumns(userModuleProgress), page_key: asked.key })
      .from(userModuleProgress)
      .where(asked.where(ownIn(userModuleProgress, actor, query)))
      .orderBy(asked.order)
      .offset(asked.skip)
      .limit(asked.limit),
  );
  const computed = db
    .$with("computed", {
      offering_id: typedSql(z.int())`offering_id`.as("offering_id"),
      computed_module_id: typedSql(z.int())`computed_module_id`.as("computed_module_id"),
      computed_percent: typedSql(z.number().nullable())`computed_percent`.as("computed_percent"),
    })
    .as(sql`
      select run.course_offering_id as offering_id, own.module_id as computed_module_id,
             own.computed_percent::float8 as computed_percent
      from (select distinct course_offering_id from page) as run
      cross join lateral module_progress_of_person(run.course_offering_id, ${actor.id}) as own`);
  const rows = await db
    .with(page, computed)
    .select({ ...page._.selectedFields, computed_percent: computed.computed_percent })
    .from(page)
    .leftJoin(
      computed,
      and(eq(computed.offering_id, page.course_offering_id), eq(computed.computed_module_id, page.module_id)),
    )
    .orderBy(asc(page.course_offering_id), asc(page.module_id));
  return part(rows);
}

/** By offering and item; optionally in one offering. */
export async function listContentProgress(
  db: ReadDb,
  actor: Actor,
  query: ProgressQuery,
): Promise<ListPage<ContentProgress>> {
  const { course_offering_id, content_item_id } = userContentProgress;
  const page = createPageQuery(query, [ascending(course_offering_id), ascending(content_item_id)]);
  const rows = await db
    .select({ ...getTableColumns(userContentProgress), page_key: page.key })
    .from(userContentProgress)
    .where(page.where(ownIn(userContentProgress, actor, query)))
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  return page.part(rows);
}

function ownIn(
  progress: typeof userModuleProgress | typeof userContentProgress,
  actor: Actor,
  { course_offering_id }: ProgressQuery,
): SQL | undefined {
  const inOffering = course_offering_id && eq(progress.course_offering_id, course_offering_id);
  return and(
    eq(progress.user_id, actor.id),
    offeringInTokenReachCondition(actor, progress.course_offering_id),
    inOffering || undefined,
  );
}
