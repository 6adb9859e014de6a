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
  date_from: Day.optional().meta(as("First day; default: 30 days that end with `date_to`")),
  date_to: Day.optional().meta(as("Last day; default: today")),
};
const course = { course_id: IdText.optional().meta(as("Only data of this course")) };
const format = {
  format: lowerEnum(["json", "csv"]).default("json").meta(as("`csv` returns the same figures as CSV")),
};

export const FormatQuery = z.object(format);
export const PeriodQuery = z.object({ ...period, ...format });
export const CoursePeriodQuery = z.object({ ...period, ...course, ...format });

const ofBreakdown = windowOf({ limit: 100, max: 1000 });

/** The window applies to the breakdown; the totals cover all courses. */
export const ProgressReportQuery = z.object({ ...CoursePeriodQuery.shape, ...ofBreakdown });

export const TutorReportQuery = z.object({
  ...CoursePeriodQuery.shape,
  university_id: IdText.optional().meta(as("Only data of this university")),
  ...ofBreakdown,
});

const counted = {
  as_of: Instant.optional().meta(
    as(
      "Set if events are not yet counted, for example after a bulk load. Figures of later events are null " +
        "if they cannot be computed immediately. Counting takes up to half an hour, longer for a bulk load",
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
        "Set if a database replica answered (`REPORT_DATABASE_URL`): number of latest seconds that may be " +
          "missing",
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
    total_registered_users: count.meta(as("All accounts registered so far, including erased ones")),
    daily_new_signups: daily.meta(
      as(
        "Accounts created on each day of the period. For periods over ten years, from the first account " +
          "until today",
      ),
    ),
    daily_active_users: z
      .array(z.object({ date: CalendarDate, count: countedByDay }))
      .meta(as("People with any activity on each day of the period; null on days not counted yet")),
    weekly_active_users: countedByDay.meta(
      as("Distinct people active in the 7 days that end with `date_to`"),
    ),
    monthly_active_users: countedByDay.meta(
      as("Distinct people active in the 30 days that end with `date_to`"),
    ),
    streak_distribution: z
      .array(z.object({ bucket: z.string().meta({ example: "2-6" }), users: count }))
      .meta(
        as("All accounts by current streak, in days of their own time zones; a missed day resets it to 0"),
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
        "Average seconds per person and topic with activity: the time between consecutive activities " +
          "of a person on a topic, without pauses over 30 minutes. Counted on the day of the later " +
          "activity",
      ),
    ),
    average_chat_turns_per_topic_per_user: mean.meta(
      as("Average messages to the tutor, per person and topic with messages"),
    ),
    average_session_duration_seconds: mean.meta(
      as("Average seconds from the first to the last message, over conversations started in the period"),
    ),
    content_started_count: count.meta(as("Topics started in the period, once for each person and offering")),
    content_completed_count: count.meta(
      as("Topics completed in the period, once for each person and offering"),
    ),
    completion_rate: rate.meta(as("Share of topics started in the period that were completed by its end")),
  })
  .meta({ id: "EngagementReport" });

const byStatus = z
  .object(
    Object.fromEntries(enrollmentStatuses.map((status) => [status.toUpperCase(), count])) as Record<
      Uppercase<(typeof enrollmentStatuses)[number]>,
      typeof count
    >,
  )
  .meta(as("All current enrollments"));

const progressFigures = {
  average_mastered_topics_per_user: mean.meta(as("Topics completed in the period, per person active in it")),
  course_tree_completion_count: countedByDay.meta(
    as("People in an offering who completed the last published module of its course in the period"),
  ),
  course_tree_interruption_count: countedByDay.meta(
    as(
      "People in an offering who started but did not complete all published modules by the end of " +
        "the period, and were inactive in its last 14 days",
    ),
  ),
  total_enrollments: count,
  enrollment_counts_by_status: byStatus,
  drop_off_count: count.meta(as("Enrollments last dropped in the period")),
};

export const ProgressReport = z
  .object({
    ...ofPeriod,
    ...read,
    ...counted,
    ...progressFigures,
    per_course_breakdown: z
      .array(z.object({ course_id: Id, code: z.string(), title: z.string(), ...progressFigures }))
      .meta(as("The same figures for each course, by id: 100 courses, or the page of `skip` and `limit`")),
  })
  .meta({ id: "ProgressReport" });

export const UniversityReportQuery = z.strictObject({
  ...period,
  department_id: IdText.optional().meta(as("Only courses of this department")),
  offering_id: IdText.optional().meta(
    as("Only this offering, which must belong to `department_id` if given"),
  ),
  ...format,
  ...ofBreakdown,
});

const universityFigures = {
  active_users: count.meta(as("Distinct people with any activity in the period")),
  total_enrollments: count,
  enrollment_counts_by_status: byStatus,
  new_enrollment_count: count.meta(as("Enrollments created in the period, with their current status")),
  completed_enrollment_count: count.meta(as("Enrollments completed in the period by result or by staff")),
  drop_off_count: count.meta(as("Enrollments last dropped in the period")),
  content_started_count: count.meta(as("Topics started in the period, once for each person and offering")),
  content_completed_count: count.meta(
    as("Topics completed in the period, once for each person and offering"),
  ),
  tutor_question_count: count.meta(as("Messages to the tutor in the period")),
  quiz_attempt_count: count.meta(as("Quiz attempts submitted in the period")),
  quiz_pass_count: count.meta(as("Passed attempts among them")),
  certificate_issue_count: count.meta(as("Certificates issued in the period; reissued ones count once")),
};

export const UniversityReport = z
  .object({
    university_id: Id,
    department_id: Id.nullable(),
    offering_id: Id.nullable(),
    ...ofPeriod,
    time_zone_from: CalendarDate.nullable().meta(
      as(
        "First day in the university's time zone; earlier days are in UTC. Null if all days are in the time " +
          "zone",
      ),
    ),
    ...read,
    ...universityFigures,
    completion_rate: rate.meta(
      as("Completed share of the topics started in the period; null if none was started"),
    ),
    weekly_active_users: count.meta(as("Distinct people active in the 7 days that end with `date_to`")),
    monthly_active_users: count.meta(as("Distinct people active in the 30 days that end with `date_to`")),
    daily_active_users: daily.meta(as("People with any activity on each day of the period")),
    per_course_breakdown: z
      .array(z.object({ course_id: Id, code: z.string(), title: z.string(), ...universityFigures }))
      .meta(as("The same figures for each course, by id: 100 courses, or the page of `skip` and `limit`")),
  })
  .meta({ id: "UniversityReport" });

export const AssessmentsReport = z
  .object({
    ...ofPeriod,
    ...read,
    quiz_attempt_count: count.meta(as("Attempts submitted in the period")),
    quiz_pass_count: count,
    quiz_fail_count: count,
    quiz_pass_rate: rate.meta(as("Share of graded attempts; null without any")),
    quiz_fail_rate: rate.meta(as("Share of graded attempts; null without any")),
    average_quiz_score: rate.meta(
      as("Average share of the maximum, over attempts with a score; null without any"),
    ),
    lab_submission_count: count.meta(as("Lab submissions in the period")),
    lab_graded_count: count.meta(as("Graded submissions among them")),
    average_lab_score: rate.meta(
      as("Average share of the maximum, over submissions with a score; null without any"),
    ),
    assignment_submission_count: count.meta(as("Assignment submissions in the period")),
    assignment_graded_count: count.meta(as("Graded submissions among them")),
    average_assignment_score: rate.meta(
      as("Average share of the maximum, over submissions with a score; null without any"),
    ),
    certificate_issue_count: count.meta(as("Certificates issued in the period; reissued ones count once")),
    certificate_revocation_count: count.meta(as("Certificates revoked in the period")),
  })
  .meta({ id: "AssessmentsReport" });

export const CacheReport = z
  .object({
    ...counted,
    ...read,
    cache_hit_count: countedByDay.meta(as("Cacheable messages answered from the cache")),
    cache_miss_count: countedByDay.meta(as("Cacheable messages answered by an LLM call")),
    hit_rate: rate.meta(as("Share of stored answers among all answers to cacheable messages")),
    cache_hit_rate: rate.meta(as("Same as `hit_rate`")),
    session_divergence_rate: rate.meta(
      as("Share of conversations with a message that left the shared paths"),
    ),
    total_cached_nodes: count.meta(as("Current number of answers in the tree")),
    total_hits_served: countedByDay.meta(
      as(
        "All answers without an LLM call so far: stored answers and those of another learner's running " +
          "call. Pruning the tree does not reduce it",
      ),
    ),
  })
  .meta({ id: "CacheReport" });

const tutorFigures = {
  calls: count.meta(as("LLM calls, including failed ones")),
  hits: countedByDay.meta(as("Answers from the cache")),
  joined: countedByDay.meta(as("Answers from another learner's running call")),
  calls_saved: countedByDay.meta(as("Answers without a call: `hits` and `joined`")),
  input_tokens: count.meta(as("Excluding tokens of the provider's cache")),
  output_tokens: count,
  cache_read_tokens: count.meta(as("Tokens read from the provider's cache")),
  cache_write_tokens: count.meta(as("Tokens written to the provider's cache")),
  cost_micros: count.meta(
    as(
      "Cost in millionths of the currency of `LLM_PRICES`, at the prices of the day. Includes embeddings, " +
        "which are not counted as calls",
    ),
  ),
  calls_without_price: count.meta(
    as("Running calls, and calls of models without a price; their cost is not included"),
  ),
  cost_saved_micros: count
    .nullable()
    .meta(as("Estimated cost of the saved calls at the average cost of a call; null without calls")),
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
      .meta(as("Courses with any answer, by id: 100, or the page of `skip` and `limit`")),
  })
  .meta({ id: "TutorReport" });

export const CommunityReport = z
  .object({
    ...read,
    total_notes: count,
    total_flashcards: count,
    total_flashcard_reviews: count,
    total_discussion_threads: count,
    total_discussion_posts: count.meta(as("Excluding deleted posts")),
    average_course_rating: mean.meta(as("From 1 to 5; null without reviews")),
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
