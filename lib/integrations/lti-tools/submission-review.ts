import { sql } from "drizzle-orm";
import * as z from "zod";
import type { LtiToolLaunch } from "../../../schema/api/integrations/lti-tools.ts";
import { webAddress } from "../../../schema/api/platform/fields.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../../courses/permitted-offering.ts";
import type { Deps } from "../../deps.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { toolAvailableToUniversityCondition } from "./deployments.ts";
import { createToolLaunch, launcherColumnsSql, launcherShape, toolColumnsSql, toolShape } from "./launch.ts";

/* Submission review of LTI: a grader opens a learner's work at the tool. */

export const activityProgress = ["Initialized", "Started", "InProgress", "Submitted", "Completed"] as const;

/** Of a line item, as tools send it. */
export const SubmissionReview = z.object({
  url: webAddress(2000).nullish(),
  custom: z.record(z.string().max(100), z.string().max(1000)).nullish(),
  reviewableStatus: z.array(z.enum(activityProgress)).max(10).nullish(),
});
export type SubmissionReview = z.output<typeof SubmissionReview>;

/** As an external tool item stores it. */
export const toStoredSubmissionReview = (review: SubmissionReview | null | undefined): object =>
  review
    ? {
        submission_review: {
          ...(review.url && { url: review.url }),
          ...(review.custom && { custom: review.custom }),
          ...(review.reviewableStatus && { reviewable_status: review.reviewableStatus }),
        },
      }
    : {};

const Reviewable = z.object({
  ...toolShape,
  ...launcherShape,
  university_id: z.int(),
  course_id: z.int(),
  url: z.string().nullable(),
});

/**
 * Starts the review of a learner's graded work in an item of a tool. 404 without such work, or if the tool offers no
 * review of it; 403 unless the caller reads submissions.
 */
export async function startSubmissionReviewLaunch(
  parts: Pick<Deps, "config" | "now"> & { db: ReadDb },
  actor: Actor,
  path: { offering_id: number; external_tool_id: number; user_id: number },
  service: string,
): Promise<LtiToolLaunch> {
  const { offering_id, external_tool_id, user_id } = path;
  const [found] = await rowsOf(
    parts.db,
    Reviewable,
    sql`
      select ${toolColumnsSql}, courses.university_id,
             courses.id as course_id, item.data_json #>> '{submission_review,url}' as url,
             ${launcherColumnsSql(actor, offering_id)}
      from (${permittedOfferingQuery(actor, "submission:read", offering_id)}) as permitted
      join course_offerings on course_offerings.id = permitted.offering_id
      join courses on courses.id = course_offerings.course_id
      join content_items as item on item.course_id = courses.id and item.is_active and item.data_json ? 'submission_review'
      join lti_tools as tool
        on tool.id = json_number(item.data_json -> 'lti_tool_id') and ${toolAvailableToUniversityCondition(sql`courses.university_id`)}
      join lab_submissions as work on work.course_offering_id = course_offerings.id
        and work.content_item_id = item.id and work.user_id = ${user_id} and work.attempt_number = 1
      where item.id = ${external_tool_id} and not is_grading_anonymous(course_offerings.id, item.id)
        and coalesce(item.data_json #> '{submission_review,reviewable_status}' ? (work.auto_grade_json ->> 'activityProgress'), true)`,
  );
  if (!found) {
    const { rows } = await parts.db.execute(permittedOfferingQuery(actor, "submission:read", offering_id));
    if (rows.length === 0) await explainOfferingRefusal(parts.db, actor, offering_id);
    throw notFound("Submission");
  }
  return createToolLaunch(parts, actor, found, service, {
    target: found.url ?? found.launch_url ?? "",
    role: found.is_teacher ? "instructor" : "ta",
    ...{ offering_id, content_item_id: external_tool_id, reviewed_person_id: user_id },
  });
}
