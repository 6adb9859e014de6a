import { and, eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  type OwnSubmission,
  type OwnSubmissionsQuery,
  type QueuedSubmission,
  SharedWith,
  type Submission,
  SubmissionMarks,
  type SubmissionQueueQuery,
} from "../../schema/api/assessment/submissions.ts";
import { FileSummary } from "../../schema/api/files/files.ts";
import { labSubmissions } from "../../schema/db/assessment/lab-submissions.ts";
import { contentItems } from "../../schema/db/courses/content-items.ts";
import { courses } from "../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../schema/db/courses/offerings.ts";
import { nameOnRecord, searchedOnRecord, users } from "../../schema/db/identity/users.ts";
import { momentForm } from "../../schema/db/platform/columns.ts";
import { offeringPermissionCondition } from "../courses/course-permissions.ts";
import { groupMemberCondition } from "../courses/in-group.ts";
import { explainOfferingRefusal, permittedOfferingQuery } from "../courses/permitted-offering.ts";
import { forbidden, notFound } from "../errors.ts";
import type { Actor } from "../identity/auth/actor.ts";
import { offeringInTokenReachCondition, tokenReachCondition } from "../identity/auth/token-reach.ts";
import type { PolicyAction } from "../identity/rbac/policy.ts";
import type { Db, ReadDb } from "../platform/db/client.ts";
import { queryJsonPage, queryJsonPageOfOwner } from "../platform/db/query/json-rows.ts";
import { createPageQuery, createSortKey, descending } from "../platform/db/query/page.ts";
import { typedSql } from "../platform/db/query/rows.ts";
import { containsAllWordsCondition, sortKeysForParameter } from "../platform/db/query/search-and-sort.ts";
import type { JsonListPage } from "../platform/results/json-list-page.ts";
import type { EncryptionSecrets } from "../platform/secrets/encryption.ts";
import {
  anonymizedGradedAtSql,
  anonymizedSubmission,
  anonymizedSubmittedAtSql,
  anonymousCodeSql,
  anonymousGradingCondition,
  nameOrAnonymousCodeCondition,
  nonAnonymousGradingCondition,
  nullIfAnonymousSql,
  nullUnlessAnonymousSql,
} from "./anonymous-grading.ts";
import { createEncryptedCursorCodec } from "./sealed-cursor.ts";
import { otherGroupWorkMembersJsonSql } from "./stored-submission.ts";

const work = {
  offering: labSubmissions.course_offering_id,
  item: labSubmissions.content_item_id,
  person: labSubmissions.user_id,
};

const handedIn = {
  id: labSubmissions.id,
  user_id: labSubmissions.user_id,
  code: typedSql(z.string().nullable())`${anonymousCodeSql(work)}`,
  course_offering_id: labSubmissions.course_offering_id,
  content_item_id: labSubmissions.content_item_id,
  attempt_number: labSubmissions.attempt_number,
  group_id: labSubmissions.group_id,
  submitted_at: labSubmissions.submitted_at,
  due_at: labSubmissions.due_at,
  is_late: labSubmissions.is_late,
  late_days: typedSql(z.int())`late_days_of_submission(lab_submissions)`,
  status: labSubmissions.status,
};

const graded = {
  score_obtained: labSubmissions.score_obtained,
  max_score: labSubmissions.max_score,
  late_deduction: typedSql(z.number().nullable())`late_deduction_of_submission(lab_submissions)::float8`,
  grade_source: labSubmissions.grade_source,
  graded_at: labSubmissions.graded_at,
};

const claim = {
  claimed_by_user_id: labSubmissions.claimed_by_user_id,
  claimed_until: labSubmissions.claimed_until,
};

const columns = {
  ...handedIn,
  body: labSubmissions.body,
  links: labSubmissions.links,
  data_json: labSubmissions.data_json,
  artifacts_url: labSubmissions.artifacts_url,
  files: typedSql(z.array(FileSummary))`attached_files_json('submission', ${labSubmissions.id})`,
  ...graded,
  instructor_feedback: labSubmissions.instructor_feedback,
  rubric: labSubmissions.rubric,
  feedback_files: typedSql(z.array(FileSummary))`attached_files_json('feedback', ${labSubmissions.id})`,
  graded_alone: labSubmissions.graded_alone,
  shared_with: typedSql(SharedWith)`${otherGroupWorkMembersJsonSql(sql`lab_submissions`)}`,
  auto_grade_json: labSubmissions.auto_grade_json,
  returned_at: labSubmissions.returned_at,
  ...claim,
};

const isReleased = sql`are_item_grades_released(${labSubmissions.course_offering_id}, ${labSubmissions.content_item_id})`;

/** Newest first; optionally of one offering or item. */
export async function listOwnSubmissions(
  db: ReadDb,
  actor: Actor,
  { course_offering_id, content_item_id, ...window }: OwnSubmissionsQuery,
): Promise<JsonListPage<OwnSubmission>> {
  const mine = and(
    eq(labSubmissions.user_id, actor.id),
    offeringInTokenReachCondition(actor, labSubmissions.course_offering_id),
    course_offering_id ? eq(labSubmissions.course_offering_id, course_offering_id) : undefined,
    content_item_id ? eq(labSubmissions.content_item_id, content_item_id) : undefined,
  );
  const page = createPageQuery(window, [
    descending(labSubmissions.submitted_at),
    descending(labSubmissions.id),
  ]);
  return queryJsonPage(db, page.rows(columnsForOwner, sql`lab_submissions`, mine));
}

const whenReleased = (value: SQL | (typeof graded)[keyof typeof graded]): SQL =>
  sql`case when ${isReleased} then ${value} end`;

const columnsForOwner = {
  ...handedIn,
  score_obtained: whenReleased(sql`${graded.score_obtained}::float8`),
  max_score: whenReleased(sql`${graded.max_score}::float8`),
  late_deduction: whenReleased(graded.late_deduction),
  grade_source: whenReleased(graded.grade_source),
  graded_at: whenReleased(momentForm(graded.graded_at)),
};

const submittedShown = momentForm(
  anonymizedSubmittedAtSql(work, labSubmissions.submitted_at, handedIn.late_days),
);

/** Hidden people are sorted by their codes. */
const named = {
  submitted_at: submittedShown,
  user_id: nullIfAnonymousSql(work, labSubmissions.user_id),
  group_id: nullIfAnonymousSql(work, labSubmissions.group_id),
  due_at: nullIfAnonymousSql(work, momentForm(labSubmissions.due_at)),
  graded_at: momentForm(anonymizedGradedAtSql(work, labSubmissions.graded_at)),
  full_name: nullIfAnonymousSql(work, nameOnRecord),
  group_name: nullIfAnonymousSql(
    work,
    sql`(select name from offering_groups where offering_groups.id = lab_submissions.group_id)`,
  ),
  graded_with: nullIfAnonymousSql(
    work,
    sql`(
      select count(*)::int from lab_submissions as mate
      where mate.group_work = lab_submissions.group_work and mate.id <> lab_submissions.id
        and mate.status = lab_submissions.status and not mate.graded_alone and not lab_submissions.graded_alone)`,
  ),
};

const sorts = {
  submitted_at: [labSubmissions.submitted_at],
  full_name: [
    createSortKey(
      sql`case when ${anonymousGradingCondition(work)} then ${anonymousCodeSql(work)} else ${searchedOnRecord} end`,
      "text",
    ),
    labSubmissions.submitted_at,
  ],
};

/** By default oldest first, as a queue. 404 if the caller cannot see the offering, 403 unless its staff. */
export async function listSubmissions(
  db: ReadDb,
  actor: Actor,
  offeringId: number,
  { skip, limit, after, sort, ...wanted }: SubmissionQueueQuery,
  { now, secrets }: { now: Date; secrets: EncryptionSecrets },
): Promise<JsonListPage<QueuedSubmission>> {
  const order = sortKeysForParameter(sort, sorts, labSubmissions.id);
  // Cursors contain the exact moments, which the index is sorted by.
  const { open, seal } = createEncryptedCursorCodec(secrets, `submissions of offering ${offeringId}`);
  const listed = await queryJsonPageOfOwner<QueuedSubmission>(
    db,
    sql`(${permittedOfferingQuery(actor, "submission:read", offeringId)}) as permitted`,
    {
      ...createPageQuery({ skip, limit, after: open(after) }, order).rows(
        {
          ...{ ...handedIn, ...graded, ...claim, ...named, title: contentItems.title },
          marks: sql`visible_marks_of_submission(lab_submissions, ${actor.id}) - 'shown'`,
        },
        sql`
          lab_submissions
          join users on ${users.id} = ${labSubmissions.user_id}
          join content_items on ${contentItems.id} = ${labSubmissions.content_item_id}`,
        and(sql`${labSubmissions.course_offering_id} = permitted.offering_id`, asked(wanted, actor, now)),
      ),
      seal,
    },
  );
  return listed ?? explainOfferingRefusal(db, actor, offeringId);
}

type Wanted = Omit<SubmissionQueueQuery, "skip" | "limit" | "after" | "sort">;

function asked(wanted: Wanted, actor: Actor, now: Date): SQL | undefined {
  const { q, user_id, group_id, one_of_group } = wanted;
  const meets = (work: SQL) => whatIsAsked(work, wanted, actor, now);
  // A search for a person returns all their rows.
  const isOneOfGroup = one_of_group && q === undefined && user_id === undefined;
  return and(
    nameOrAnonymousCodeCondition(work, containsAllWordsCondition(searchedOnRecord, q), q),
    user_id || group_id ? nonAnonymousGradingCondition(work) : undefined,
    user_id ? eq(labSubmissions.user_id, user_id) : undefined,
    meets(sql`lab_submissions`),
    isOneOfGroup ? standsForGroup(meets(sql`mate`)) : undefined,
  );
}

/**
 * The first requested row of group work: grading it grades the others. Rows graded alone are separate. So are
 * rows with codes: omitting one would reveal its group.
 */
const standsForGroup = (isAsked: SQL | undefined): SQL => sql`not exists (
  select from lab_submissions as mate
  where ${and(
    nonAnonymousGradingCondition(work),
    sql`mate.group_work = lab_submissions.group_work and mate.id < lab_submissions.id
      and mate.status = lab_submissions.status and not mate.graded_alone and not lab_submissions.graded_alone`,
    isAsked,
  )})`;

/** On rows of `lab_submissions` or an alias of it. */
function whatIsAsked(work: SQL, wanted: Wanted, actor: Actor, now: Date): SQL | undefined {
  const { content_item_id, group_id, status, is_late, claimed, marked, newest } = wanted;
  const isClaimed = sql`coalesce(${work}.claimed_by_user_id <> ${actor.id}
    and ${work}.claimed_until > ${now.toISOString()}, false)`;
  const isNewest = sql`not exists (
    select from lab_submissions as newer
    where newer.user_id = ${work}.user_id and newer.content_item_id = ${work}.content_item_id
      and newer.course_offering_id = ${work}.course_offering_id
      and newer.attempt_number > ${work}.attempt_number)`;
  return and(
    groupMemberCondition(group_id, sql`${work}.course_offering_id`, sql`${work}.user_id`),
    content_item_id ? sql`${work}.content_item_id = ${content_item_id}` : undefined,
    status ? sql`${work}.status = ${status}` : undefined,
    is_late === undefined ? undefined : sql`${work}.is_late = ${is_late}::boolean`,
    claimed === undefined ? undefined : sql`${isClaimed} = ${claimed}::boolean`,
    marked === undefined
      ? undefined
      : sql`exists (
          select from submission_marks as mark
          where mark.submission_id = ${work}.id and mark.grader_id = ${actor.id}) = ${marked}::boolean`,
    newest === undefined ? undefined : sql`(${isNewest}) = ${newest}::boolean`,
  );
}

/** For its owner without unreleased grades, for other staff of its course in full; else 404. */
export async function getSubmission(db: ReadDb, actor: Actor, submissionId: number): Promise<Submission> {
  const isStaff = offeringPermissionCondition(actor, "submission:read");
  const isOwn = and(
    eq(labSubmissions.user_id, actor.id),
    tokenReachCondition(actor, courses.university_id, { offering: courseOfferings.id }),
  );
  const [row] = await db
    .select({
      ...columns,
      is_staff: typedSql(z.boolean())`(${isStaff})`,
      is_released: typedSql(z.boolean())`${isReleased}`,
      hidden_at: typedSql(z.string().nullable())`${nullUnlessAnonymousSql(work, submittedShown)}`,
      marks: typedSql(SubmissionMarks)`visible_marks_of_submission(lab_submissions, ${actor.id})`,
    })
    .from(labSubmissions)
    .innerJoin(courseOfferings, eq(courseOfferings.id, labSubmissions.course_offering_id))
    .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
    .where(and(eq(labSubmissions.id, submissionId), sql`(${isOwn} or ${isStaff})`));
  if (!row) throw notFound("Submission");
  const { is_staff, is_released, hidden_at, ...submission } = row;
  if (!is_staff || submission.user_id === actor.id) return toSubmissionForOwner(submission, is_released);
  return hidden_at === null ? submission : anonymizedSubmission(submission, hidden_at);
}

/** With the grade if released, and a return's feedback. */
export function toSubmissionForOwner(submission: Submission, isReleased: boolean): Submission {
  const view = { ...submission, claimed_by_user_id: null, claimed_until: null, shared_with: [], marks: null };
  if (isReleased) return view;
  return {
    ...view,
    ...{ score_obtained: null, max_score: null, late_deduction: null, grade_source: null, graded_at: null },
    ...{ auto_grade_json: null, rubric: null, graded_alone: false },
    ...(submission.status !== "returned" && { instructor_feedback: null, feedback_files: [] }),
  };
}

/** One row (id, decides) if permitted; `decides`: the caller may finalize its grades. */
export const permittedSubmissionQuery = (
  actor: Actor,
  action: PolicyAction,
  submissionId: number,
): SQL => sql`
  select lab_submissions.id, ${offeringPermissionCondition(actor, "grade:finalize")} as decides from lab_submissions
  join course_offerings on course_offerings.id = lab_submissions.course_offering_id
  join courses on courses.id = course_offerings.course_id
  where lab_submissions.id = ${submissionId} and ${offeringPermissionCondition(actor, action)}`;

/** 404 if the caller cannot see the submission, else 403. */
export async function explainSubmissionRefusal(db: Db, actor: Actor, submissionId: number): Promise<never> {
  await getSubmission(db, actor, submissionId);
  throw forbidden();
}
