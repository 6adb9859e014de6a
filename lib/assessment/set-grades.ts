import { sql } from "drizzle-orm";
import * as z from "zod";
import type {
  CourseGradeOverride,
  CourseGradeUpdate,
  ItemGrade,
  ItemGradeUpdate,
} from "../../schema/api/assessment/grades.ts";
import { gradeStates } from "../../schema/enums.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../courses/permitted-offering.ts";
import { badRequest, forbidden, type HttpError, notFound, PreconditionFailed } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { requestAuditJson } from "../platform/async/request-context.ts";
import type { Db } from "../platform/db/client.ts";
import { rowsOf } from "../platform/db/query/rows.ts";
import { type ExpectedVersions, expectedVersionsSql } from "../platform/db/query/versions.ts";
import { retryWhileBusy } from "../platform/db/retry-window.ts";
import type { OfferingItemPath } from "./graded-items.ts";
import { ItemScoreLimit, scoreAboveLimitError } from "./score-bound.ts";

/** A cell's new value, and the versions that it may replace. */
export type GradeEntry = {
  user_id: number;
  content_item_id: number;
  score: number | null;
  is_excused: boolean;
  versions?: ExpectedVersions;
};

export const SetGradeResult = z.object({
  number: z.int(),
  refusal: z
    .enum([
      "no item",
      "anonymous",
      "no code",
      "two marks",
      "not enrolled",
      "own",
      "final",
      "changed",
      "too many points",
      "too many",
    ])
    .nullable(),
  is_changed: z.boolean(),
  former_score: z.number().nullable(),
  former_state: z.enum(gradeStates).nullable(),
  score_override: z.number().nullable(),
  is_excused: z.boolean(),
  /** Before the change or unchanged; null if there is no such cell. */
  version: z.int().nullable(),
  /** Null if there is no such item. */
  bound: ItemScoreLimit.nullable(),
});

export type SetGradeResult = z.output<typeof SetGradeResult>;

const refusals: Record<
  Exclude<SetGradeResult["refusal"], "changed" | null>,
  (bound: ItemScoreLimit | null) => HttpError
> = {
  "no item": () => notFound("Graded item"),
  anonymous: () => badRequest("graded_anonymously"),
  "two marks": () => badRequest("marks_not_agreed"),
  "no code": () => notFound("Enrollment"),
  "not enrolled": () => notFound("Enrollment"),
  own: () => forbidden("own_work"),
  final: () => badRequest("grade_is_final"),
  "too many points": scoreAboveLimitError,
  "too many": () => badRequest("too_many_changes"),
};

/**
 * Overrides a person's score in an item, or excuses them; null restores the achieved score. An absent one
 * stays; a score, also null, ends an excuse. 404 if the caller cannot see the offering, the item is not in the
 * gradebook or the person was never enrolled. 403 without the right to grade, 400 once the grade is final or
 * for too many points, 412 on a version conflict.
 */
export async function setItemGrade(
  db: Db,
  actor: Actor,
  { offering_id, ...cell }: OfferingItemPath & { user_id: number },
  { score, is_excused, reason }: ItemGradeUpdate,
  now: Date,
  expected?: ExpectedVersions,
): Promise<ItemGrade> {
  const entry = { ...cell, score, is_excused, versions: expected };
  const [done] = await retryWhileBusy(() =>
    rowsOf(
      db,
      SetGradeResult,
      sql`
        with permitted as materialized (${permittedOfferingQuery(actor, "grade:write", offering_id)})
        select done.number, done.refusal, done.is_changed, done.former_score::float8, done.former_state,
               done.score_override::float8, done.is_excused, done.version,
               case when done.refusal is distinct from 'no item' then done.bound end as bound
        from permitted cross join lateral override_item_grades(
          permitted.offering_id, ${JSON.stringify([entry])}::jsonb, false, ${actor.id}, ${reason},
          false, ${now.toISOString()}, ${requestAuditJson()}::jsonb) as done`,
    ),
  );
  if (!done) return explainOfferingRefusal(db, actor, offering_id);
  const present = {
    ...{ ...cell, score: done.score_override, is_excused: done.is_excused, version: done.version ?? 0 },
  };
  if (done.refusal === "changed") throw new PreconditionFailed(present);
  if (done.refusal) throw refusals[done.refusal](done.bound);
  return present;
}

const SetCourse = z.object({
  refusal: SetGradeResult.shape.refusal,
  score: z.number().nullable(),
  version: z.int(),
});

/** In percent. */
export async function setCourseGrade(
  db: Db,
  actor: Actor,
  { offering_id, user_id }: { offering_id: number; user_id: number },
  { score, reason }: CourseGradeUpdate,
  now: Date,
  expected?: ExpectedVersions,
): Promise<CourseGradeOverride> {
  const [done] = await retryWhileBusy(() =>
    rowsOf(
      db,
      SetCourse,
      sql`
        with permitted as materialized (${permittedOfferingQuery(actor, "grade:finalize", offering_id)})
        select done.refusal, done.present::float8 as score, done.version from permitted cross join lateral override_course_grade(
          permitted.offering_id, ${user_id}, ${score}::numeric, ${actor.id}, ${reason}, ${now.toISOString()},
          ${requestAuditJson()}::jsonb, ${expectedVersionsSql(expected)}) as done`,
    ),
  );
  if (!done) return explainOfferingRefusal(db, actor, offering_id);
  const present = { user_id, course_offering_id: offering_id, score: done.score, version: done.version };
  if (done.refusal === "changed") throw new PreconditionFailed(present);
  if (done.refusal) throw refusals[done.refusal](null);
  return present;
}
