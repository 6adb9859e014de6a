import * as z from "zod";
import { enrollmentStatuses } from "../../enums.ts";
import { CalendarDate, Id, IdText, Instant, lowerEnum, windowOf } from "../platform/fields.ts";

/*
 * Counts are whole numbers, rates fractions from 0 to 1, durations seconds. A rate or mean without data is
 * null, as is a value not counted yet; a day without data is zero. Days are in UTC.
 */

const count = z.int().min(0);
const mean = z.number().nullable();
const rate = z.number().min(0).max(1).nullable();
const as = (description: string) => ({ description });

/** The year is bounded, because the database must be able to store the date. */
const Day = CalendarDate.refine((day) => day >= "1970-01-01", "Date should be 1970-01-01 or later");

const period = {
  date_from: Day.optional().meta(as("The first day; by default the 30 days that end with `date_to`")),
  date_to: Day.optional().meta(as("The last day; by default today")),
};
const course = { course_id: IdText.optional().meta(as("Only what belongs to this course")) };
const format = {
  format: lowerEnum(["json", "csv"])
    .default("json")
    .meta(as("`csv` gives the same figures as lines of text")),
};

export const FormatQuery = z.object(format);
export const PeriodQuery = z.object({ ...period, ...format });
export const CoursePeriodQuery = z.object({ ...period, ...course, ...format });

const ofBreakdown = windowOf({ limit: 100, max: 1000 });

/** The window applies to the breakdown; the totals cover all courses. */
export const ProgressReportQuery = z.object({ ...CoursePeriodQuery.shape, ...ofBreakdown });

export const TutorReportQuery = z.object({
  ...CoursePeriodQuery.shape,
  university_id: IdText.optional().meta(as("Only what belongs to this university")),
  ...ofBreakdown,
});

const counted = {
  as_of: Instant.optional().meta(
    as(
      "Given when more has happened than is counted yet, as after a bulk load: figures of what happened after this moment are null where they cannot be worked out at once. It is counted within half an hour, a bulk load in several",
    ),
  ),
};

const read = {
  replica_delay_seconds: z
    .int()
    .min(0)
    .optional()
    .meta(
      as(
        "Given when a replica of the database answered (`REPORT_DATABASE_URL`): for how many seconds back something may be missing",
      ),
    ),
};

/** Counted daily: null until the count is up to date (`as_of`), since uncounted does not mean zero. */
const countedByDay = count.nullable();

const daily = z.array(z.object({ date: CalendarDate, count }));
const ofPeriod = { date_from: CalendarDate, date_to: CalendarDate };

export const OverviewReport = z
  .object({
    ...ofPeriod,
    ...read,
    ...counted,
    total_registered_users: count.meta(
      as("All accounts that were registered until now, also those that are erased"),
    ),
    daily_new_signups: daily.meta(
      as(
        "Accounts made on each day of the period; of more than ten years, from the first account until today",
      ),
    ),
    daily_active_users: z
      .array(z.object({ date: CalendarDate, count: countedByDay }))
      .meta(as("People with any activity on each day of the period; null on days that are not counted yet")),
    weekly_active_users: countedByDay.meta(
      as("Distinct people active in the 7 days that end with `date_to`"),
    ),
    monthly_active_users: countedByDay.meta(
      as("Distinct people active in the 30 days that end with `date_to`"),
    ),
    streak_distribution: z
      .array(z.object({ bucket: z.string().meta({ example: "2-6" }), users: count }))
      .meta(
        as(
          "All accounts by their streak as of now, in days of their own time zones; a missed day makes it 0",
        ),
      ),
  })
  .meta({ id: "OverviewReport" });

export const EngagementReport = z
  .object({
    ...ofPeriod,
    ...read,
    ...counted,
    average_time_per_topic_seconds: mean.meta(
      as(
        "Mean over each person and topic with activity. Time is what lies between a person's consecutive activities on a topic, pauses over 30 minutes left out; it counts on the day of the later one",
      ),
    ),
    average_chat_turns_per_topic_per_user: mean.meta(
      as("Messages to the tutor, over each person and topic with any"),
    ),
    average_session_duration_seconds: mean.meta(
      as("From the first message to the last, over conversations that began in the period"),
    ),
    content_started_count: count.meta(
      as("Topics that someone began in the period, once for each person and offering"),
    ),
    content_completed_count: count.meta(as("Topics that someone completed in the period, likewise")),
    completion_rate: rate.meta(as("Of those begun in the period, how many were completed by its end")),
  })
  .meta({ id: "EngagementReport" });

const byStatus = z
  .object(
    Object.fromEntries(enrollmentStatuses.map((status) => [status.toUpperCase(), count])) as Record<
      Uppercase<(typeof enrollmentStatuses)[number]>,
      typeof count
    >,
  )
  .meta(as("All enrollments as of now"));

const progressFigures = {
  average_mastered_topics_per_user: mean.meta(
    as("Topics completed in the period, over the people who were active in it"),
  ),
  course_tree_completion_count: countedByDay.meta(
    as("People in an offering who completed the last published module of its course in the period"),
  ),
  course_tree_interruption_count: countedByDay.meta(
    as(
      "People in an offering who began a published module but had not completed all at the end of the period, without activity in the offering in its last 14 days",
    ),
  ),
  total_enrollments: count,
  enrollment_counts_by_status: byStatus,
  drop_off_count: count.meta(as("Enrollments that were dropped in the period, the last time each")),
};

export const ProgressReport = z
  .object({
    ...ofPeriod,
    ...read,
    ...counted,
    ...progressFigures,
    per_course_breakdown: z
      .array(z.object({ course_id: Id, code: z.string(), title: z.string(), ...progressFigures }))
      .meta(
        as(
          "The same figures for each course by id: 100 courses, or the window that `skip` and `limit` ask for",
        ),
      ),
  })
  .meta({ id: "ProgressReport" });

export const UniversityReportQuery = z.strictObject({
  ...period,
  department_id: IdText.optional().meta(as("Only what belongs to the courses of this department")),
  offering_id: IdText.optional().meta(
    as("Only what belongs to this offering, which is one of `department_id` where that is given"),
  ),
  ...format,
  ...ofBreakdown,
});

const universityFigures = {
  active_users: count.meta(as("Distinct people with any activity in the period")),
  total_enrollments: count,
  enrollment_counts_by_status: byStatus,
  new_enrollment_count: count.meta(as("Enrollments since a day of the period, as they stand")),
  completed_enrollment_count: count.meta(
    as("Enrollments completed in the period by their result or by staff"),
  ),
  drop_off_count: count.meta(as("Enrollments that were dropped in the period, the last time each")),
  content_started_count: count.meta(
    as("Topics that someone began in the period, once for each person and offering"),
  ),
  content_completed_count: count.meta(as("Topics that someone completed in the period, likewise")),
  tutor_question_count: count.meta(as("Messages to the tutor in the period")),
  quiz_attempt_count: count.meta(as("Attempts at quizzes submitted in the period")),
  quiz_pass_count: count.meta(as("Of those, how many were passed")),
  certificate_issue_count: count.meta(as("Certificates issued in the period, each once however often anew")),
};

export const UniversityReport = z
  .object({
    university_id: Id,
    department_id: Id.nullable(),
    offering_id: Id.nullable(),
    ...ofPeriod,
    time_zone_from: CalendarDate.nullable().meta(
      as(
        "The first day that is the university's own: from it on days are those of its time zone, earlier ones of UTC; null where all are",
      ),
    ),
    ...read,
    ...universityFigures,
    completion_rate: rate.meta(as("Of the topics begun in the period, how many are completed")),
    weekly_active_users: count.meta(as("Distinct people active in the 7 days that end with `date_to`")),
    monthly_active_users: count.meta(as("Distinct people active in the 30 days that end with `date_to`")),
    daily_active_users: daily.meta(as("People with any activity on each day of the period")),
    per_course_breakdown: z
      .array(z.object({ course_id: Id, code: z.string(), title: z.string(), ...universityFigures }))
      .meta(
        as(
          "The same figures for each course by id: 100 courses, or the window that `skip` and `limit` ask for",
        ),
      ),
  })
  .meta({ id: "UniversityReport" });

export const AssessmentsReport = z
  .object({
    ...ofPeriod,
    ...read,
    quiz_attempt_count: count.meta(as("Attempts submitted in the period")),
    quiz_pass_count: count,
    quiz_fail_count: count,
    quiz_pass_rate: rate.meta(as("Of the attempts that were graded")),
    quiz_fail_rate: rate.meta(as("Of the attempts that were graded")),
    average_quiz_score: rate.meta(as("Mean share of the maximum, over attempts with a score")),
    lab_submission_count: count.meta(as("Submissions for labs made in the period")),
    lab_graded_count: count.meta(as("Of those, how many are graded")),
    average_lab_score: rate.meta(as("Mean share of the maximum, over submissions with a score")),
    assignment_submission_count: count.meta(as("Submissions for assignments made in the period")),
    assignment_graded_count: count.meta(as("Of those, how many are graded")),
    average_assignment_score: rate.meta(as("Mean share of the maximum, over submissions with a score")),
    certificate_issue_count: count.meta(
      as("Certificates issued in the period, each once however often anew"),
    ),
    certificate_revocation_count: count.meta(as("Certificates revoked in the period")),
  })
  .meta({ id: "AssessmentsReport" });

export const CacheReport = z
  .object({
    ...counted,
    ...read,
    cache_hit_count: countedByDay.meta(as("Answers to cacheable messages that were stored before")),
    cache_miss_count: countedByDay.meta(as("Answers to cacheable messages that the LLM had to write")),
    hit_rate: rate.meta(as("Stored answers, of all answers to cacheable messages")),
    cache_hit_rate: rate.meta(as("The same as `hit_rate`")),
    session_divergence_rate: rate.meta(
      as("Of all conversations with a message, those that left the shared paths"),
    ),
    total_cached_nodes: count.meta(as("Answers in the tree as of now")),
    total_hits_served: countedByDay.meta(
      as(
        "Answers since the beginning that made no LLM call: stored ones, and those that someone else's call was just making; pruning the tree does not lower it",
      ),
    ),
  })
  .meta({ id: "CacheReport" });

const tutorFigures = {
  calls: count.meta(as("Calls of the LLM, failed ones included")),
  hits: countedByDay.meta(as("Answers that were stored before")),
  joined: countedByDay.meta(as("Answers that another learner's call was just making")),
  calls_saved: countedByDay.meta(as("Answers that made no call: `hits` and `joined`")),
  input_tokens: count.meta(as("Without those of the provider's cache")),
  output_tokens: count,
  cache_read_tokens: count.meta(as("Read from the provider's cache")),
  cache_write_tokens: count.meta(as("Written to the provider's cache")),
  cost_micros: count.meta(
    as(
      "In millionths of the currency of `LLM_PRICES`, at the prices of the day; with what the model of embeddings cost, which makes no call here",
    ),
  ),
  calls_without_price: count.meta(
    as("Calls that still run, or whose model has no price: they cost nothing here"),
  ),
  cost_saved_micros: count
    .nullable()
    .meta(as("What the saved calls would have cost at the mean of those that were made; null without any")),
};

export const TutorReport = z
  .object({
    ...ofPeriod,
    ...read,
    ...counted,
    ...tutorFigures,
    calls_estimated: count.meta(
      as(
        "Of the calls, those with tokens and costs that are estimated from the length of the texts: the provider did not report them, or the answer broke off",
      ),
    ),
    daily: z.array(z.object({ date: CalendarDate, ...tutorFigures })),
    per_course_breakdown: z
      .array(z.object({ course_id: Id, code: z.string(), title: z.string(), ...tutorFigures }))
      .meta(as("Courses with any answer by id: 100, or the window that `skip` and `limit` ask for")),
  })
  .meta({ id: "TutorReport" });

export const CommunityReport = z
  .object({
    ...read,
    total_notes: count,
    total_flashcards: count,
    total_flashcard_reviews: count,
    total_discussion_threads: count,
    total_discussion_posts: count.meta(as("Without those that were deleted")),
    average_course_rating: mean.meta(as("From 1 to 5")),
    total_reviews: count,
  })
  .meta({ id: "CommunityReport" });

export type PeriodQuery = z.output<typeof PeriodQuery>;
export type CoursePeriodQuery = z.output<typeof CoursePeriodQuery>;
export type OverviewReport = z.input<typeof OverviewReport>;
export type EngagementReport = z.input<typeof EngagementReport>;
export type ProgressReport = z.input<typeof ProgressReport>;
export type UniversityReportQuery = z.output<typeof UniversityReportQuery>;
export type UniversityReport = z.input<typeof UniversityReport>;
export type AssessmentsReport = z.input<typeof AssessmentsReport>;
export type CacheReport = z.input<typeof CacheReport>;
export type TutorReport = z.input<typeof TutorReport>;
export type TutorReportQuery = z.output<typeof TutorReportQuery>;
export type CommunityReport = z.input<typeof CommunityReport>;
