import { getTableColumns, sql } from "drizzle-orm";
import { QuizOverride, type QuizOverrideUpdate } from "../../schema/api/assessment/quiz-attempts.ts";
import type { Pagination } from "../../schema/api/platform/fields.ts";
import { quizOverrides } from "../../schema/db/assessment/quiz-attempts.ts";
import { momentForm } from "../../schema/db/platform/columns.ts";
import { forbidden, notFound } from "../errors.ts";
import { insertAuditEventsQuery } from "../identity/audit/record.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { PolicyAction } from "../identity/rbac/policy.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { queryJsonPageOfOwner, wireColumnsSql } from "../platform/db/query/json-rows.ts";
import { ascending, createPageQuery } from "../platform/db/query/page.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import type { JsonListPage } from "../platform/results/json-list-page.ts";
import {
  explainItemRefusal,
  type ItemKind,
  type OfferingItemPath,
  permittedItemQuery,
} from "./graded-items.ts";

/* Only a quiz has a time limit. */

const { time_limit_seconds, due_at: stored, ...others } = getTableColumns(quizOverrides);
const ofWork = {
  ...others,
  due_at: momentForm(sql`nullif(${stored}, 'infinity')`),
  no_due_date: sql`coalesce(${stored} = 'infinity', false)`,
};
const columns = { ...ofWork, time_limit_seconds };
/** Kinds whose attempts have accommodations. */
type OverrideKind = Exclude<ItemKind, "package">;

const columnsOf = { quiz: columns, work: ofWork } as const;

const grading: Record<OverrideKind, PolicyAction> = { quiz: "attempt:grade", work: "submission:grade" };
const granting = { quiz: "quiz.override_granted", work: "submission.override_granted" } as const;

/** By person. 404 if the caller cannot see the item, 403 unless its staff. */
export async function listOverrides(
  db: ReadDb,
  actor: Actor,
  kind: OverrideKind,
  path: OfferingItemPath,
  window: Pagination,
): Promise<JsonListPage<QuizOverride>> {
  const { course_offering_id, content_item_id, user_id } = quizOverrides;
  const listed = await queryJsonPageOfOwner<QuizOverride>(
    db,
    sql`(${permittedItemQuery(actor, grading[kind], path, kind)}) as permitted`,
    createPageQuery(window, [ascending(user_id)]).rows(
      columnsOf[kind],
      sql`quiz_overrides`,
      sql`${course_offering_id} = permitted.offering_id and ${content_item_id} = permitted.item_id`,
    ),
  );
  return listed ?? explainItemRefusal(db, actor, path, kind);
}

/**
 * Grants a current or former learner more time, more attempts, or other or no dates. Null restores the item's
 * value; absent fields stay. An open attempt gets its new deadline. 404 for people who were never enrolled
 * and as `listOverrides`; 403 for the caller themselves.
 */
export async function grantOverride(
  db: Db,
  actor: Actor,
  kind: OverrideKind,
  { user_id, ...path }: OfferingItemPath & { user_id: number },
  change: QuizOverrideUpdate,
  now: Date,
): Promise<QuizOverride> {
  const { no_due_date, due_at, ...said } = change;
  const granted = JSON.stringify({ ...said, due_at: no_due_date ? "infinity" : due_at });
  const act = {
    action: granting[kind],
    actor: actor.id,
    subject: user_id,
    university: sql`university_id`,
    details: sql`jsonb_build_object('content_item_id', content_item_id, 'course_offering_id', course_offering_id)`,
  };
  const [row] = await rowsOf(
    db,
    QuizOverride,
    sql`
      with permitted as materialized (${permittedItemQuery(actor, grading[kind], path, kind)} and ${user_id !== actor.id}),
      quiz_overrides as materialized (
        select permitted.university_id, one.*
        from permitted cross join lateral grant_item_override_and_update_work(
          ${user_id}, permitted.offering_id, permitted.item_id, ${granted}::jsonb, ${now.toISOString()}) as one
      ), audited as (${insertAuditEventsQuery(act, sql`quiz_overrides`)})
      select ${wireColumnsSql(columns)} from quiz_overrides`,
  );
  return row ?? explainGrantRefusal(db, actor, kind, path, user_id);
}

/** 404 or 403 of the item, the caller themselves, or a person never enrolled. */
async function explainGrantRefusal(
  db: Db,
  actor: Actor,
  kind: OverrideKind,
  path: OfferingItemPath,
  userId: number,
): Promise<never> {
  const { rows } = await db.execute(permittedItemQuery(actor, grading[kind], path, kind));
  if (rows.length === 0) return explainItemRefusal(db, actor, path, kind);
  throw userId === actor.id ? forbidden() : notFound("Enrollment");
}
