import { and, eq, sql } from "drizzle-orm";
import type { GradeChange, GradeChangesQuery } from "../../schema/api/assessment/grades.ts";
import { gradeChanges } from "../../schema/db/assessment/grades.ts";
import { momentForm } from "../../schema/db/platform/columns.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../courses/permitted-offering.ts";
import type { Actor } from "../identity/auth/actor.ts";
import type { ReadDb } from "../platform/db/client.ts";
import { queryJsonPageOfOwner } from "../platform/db/query/json-rows.ts";
import { createPageQuery, descending } from "../platform/db/query/page.ts";
import type { JsonListPage } from "../platform/results/json-list-page.ts";
import {
  anonymizedGradedAtSql,
  anonymousCodeSql,
  nonAnonymousGradingCondition,
  nullIfAnonymousSql,
} from "./anonymous-grading.ts";

const work = {
  offering: gradeChanges.course_offering_id,
  item: gradeChanges.content_item_id,
  person: gradeChanges.user_id,
};

const columns = {
  id: gradeChanges.id,
  user_id: nullIfAnonymousSql(work, gradeChanges.user_id),
  code: anonymousCodeSql(work),
  content_item_id: gradeChanges.content_item_id,
  kind: gradeChanges.kind,
  changed_by_user_id: gradeChanges.changed_by_user_id,
  changed_at: momentForm(anonymizedGradedAtSql(work, gradeChanges.changed_at)),
  former: gradeChanges.former_json,
  current: gradeChanges.current_json,
  reason: gradeChanges.reason,
};

/** Newest first, optionally of one person or item. */
export async function listGradeChanges(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  { user_id, content_item_id, ...window }: GradeChangesQuery,
): Promise<JsonListPage<GradeChange>> {
  const asked = and(
    sql`${gradeChanges.course_offering_id} = permitted.offering_id`,
    user_id ? and(eq(gradeChanges.user_id, user_id), nonAnonymousGradingCondition(work)) : undefined,
    content_item_id ? eq(gradeChanges.content_item_id, content_item_id) : undefined,
  );
  const listed = await queryJsonPageOfOwner<GradeChange>(
    db,
    sql`(${permittedOfferingQuery(actor, "grade:read", offeringId)}) as permitted`,
    createPageQuery(window, [descending(gradeChanges.id)]).rows(columns, sql`grade_changes`, asked),
  );
  return listed ?? explainOfferingRefusal(db, actor, offeringId);
}
