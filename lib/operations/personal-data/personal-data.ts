import { type SQL, sql } from "drizzle-orm";
import { anonymousAuditSubjectCondition } from "../../identity/audit/listing.ts";
import { contextForLearners } from "../../tutor/chat/content-context.ts";

/** A person's rows of a table, for the export. `one` is the row. */
export type PersonalTable = {
  name: string;
  of: (person: number) => SQL;
  /** Identifies and orders the person's rows. */
  key: string;
  /** Omitted columns: secrets and search indexes. */
  secrets?: readonly string[];
  /** Columns that are omitted until a condition is true. */
  veiled?: { columns: readonly string[]; until: SQL };
  /** A JSON object with further fields. */
  beside?: SQL;
  /** Reduces a row to the parts that the person may read. */
  shown?: (row: Record<string, unknown>) => Record<string, unknown>;
};

const byColumn =
  (column: string) =>
  (person: number): SQL =>
    sql`one.${sql.identifier(column)} = ${person}`;

const owned = (name: string, key = "id", column = "user_id"): PersonalTable => ({
  name,
  key,
  of: byColumn(column),
});

/** Grades are exported only after their release. */
const isReleased = sql`is_grade_released(one.course_offering_id, one.content_item_id)`;

/** Data found by an unverified address may be another person's. */
const isVerified = (person: number): SQL => sql`exists (
  select from users where id = ${person} and email_verified_at is not null)`;

/** Rows addressed to the person's verified address. */
const isAddressed = (person: number, column: string): SQL => sql`one.${sql.identifier(column)} = (
  select email from users where id = ${person} and email_verified_at is not null)`;

const ownSessions = (person: number): SQL => sql`(select id from chat_sessions where user_id = ${person})`;

function withoutKey(row: unknown): unknown {
  if (typeof row !== "object" || row === null) return row;
  const { question_key: _, ...rest } = row as Record<string, unknown>;
  return rest;
}

/** A test compares the list with the database's columns. */
export const personalTables: readonly PersonalTable[] = [
  { ...owned("users", "id", "id"), secrets: ["password_hash"] },
  owned("user_profiles", "user_id"),
  owned("user_subject_preferences", "subject_id"),
  owned("user_identities"),
  owned("user_university_roles"),
  { ...owned("university_members", "university_id"), secrets: ["search_text"] },
  owned("course_offering_instructors"),
  owned("offering_staff"),
  owned("lti_people"),
  {
    name: "lti_enrollments",
    key: "enrollment_id",
    of: (person) => sql`one.enrollment_id in (select id from enrollments where user_id = ${person})`,
  },
  {
    name: "invitations",
    key: "id",
    of: (person) =>
      sql`(${person} in (one.invited_by_user_id, one.accepted_by_user_id) or ${isAddressed(person, "email")})`,
    secrets: ["token_hash", "search_text"],
  },
  { ...owned("sourced_people"), of: (person) => sql`(one.user_id = ${person} and ${isVerified(person)})` },
  { ...owned("scim_users"), of: (person) => sql`(one.user_id = ${person} and ${isVerified(person)})` },
  {
    name: "scim_group_members",
    key: "group_id",
    of: (person) =>
      sql`(one.scim_user_id in (select id from scim_users where user_id = ${person}) and ${isVerified(person)})`,
  },
  owned("imports", "id", "created_by_user_id"),
  owned("cartridge_imports", "id", "created_by_user_id"),
  {
    name: "import_rows",
    key: "id",
    of: (person) =>
      sql`((one.user_id = ${person} or ${isAddressed(person, "email")}) and ${isVerified(person)})`,
  },
  owned("enrollments"),
  owned("enrollment_progress", "course_offering_id"),
  owned("lti_score_marks"),
  {
    name: "lti_scores",
    key: "link_id",
    of: (person) => sql`one.person_id in (select id from lti_people where user_id = ${person})`,
    // The grade that was sent may have been withdrawn.
    secrets: ["sent_score"],
  },
  { ...owned("lti_rosters", "context_id", "asked_by_user_id") },
  { ...owned("one_roster_sources", "id", "created_by_user_id"), secrets: ["secret_ciphertext"] },
  {
    name: "course_exemptions",
    key: "id",
    of: (person) => sql`${person} in (one.user_id, one.granted_by_user_id)`,
  },
  owned("user_module_progress"),
  owned("user_content_progress"),
  owned("course_trees", "course_offering_id"),
  owned("quiz_attempts"),
  {
    name: "quiz_attempt_questions",
    key: "id",
    of: (person) => sql`one.quiz_attempt_id in (select id from quiz_attempts where user_id = ${person})`,
    // Correct answers are shown by the quiz's own rule.
    secrets: ["points_earned"],
  },
  { ...owned("scorm_attempts"), secrets: ["session_id"] },
  owned("quiz_overrides"),
  owned("anonymous_codes"),
  owned("offering_group_members"),
  owned("accommodations"),
  owned("university_offices"),
  // The reason for a hold is the university's and may be about others.
  {
    ...owned("retention_holds"),
    of: (person) => sql`${person} in (one.user_id, one.placed_by_user_id)`,
    secrets: ["reason"],
  },
  // The university communicates rejections and further handling itself.
  { ...owned("data_requests"), secrets: ["made_by_user_id", "decided_by_user_id", "reason"] },
  {
    ...owned("files", "id", "uploaded_by_user_id"),
    secrets: ["upload_key", "multipart_id", "part_size", "object_id", "leased_until", "tries"],
  },
  {
    name: "file_uses",
    key: "id",
    of: (person) => sql`one.file_id in (select id from files where uploaded_by_user_id = ${person})`,
  },
  { ...owned("upload_days", "day") },
  {
    ...owned("lab_submissions"),
    veiled: {
      columns: [
        ...["score_obtained", "max_score", "grade_source", "graded_at", "graded_by_user_id", "graded_alone"],
        ...["instructor_feedback", "rubric", "auto_grade_json", "auto_graded_at"],
      ],
      until: sql`(one.status = 'returned' or ${isReleased})`,
    },
  },
  {
    name: "submission_marks",
    key: "id",
    of: (person) => sql`(one.grader_id = ${person} or one.submission_id = any(array(
      select work.id from lab_submissions as work where work.user_id = ${person}
        and are_item_grades_released(work.course_offering_id, work.content_item_id) and work.status = 'graded')))`,
  },
  owned("auto_grader_readers"),
  { ...owned("item_grades"), of: (person) => sql`one.user_id = ${person} and ${isReleased}` },
  {
    ...owned("course_grades"),
    veiled: { columns: ["score_override"], until: sql`one.graded_at is not null` },
  },
  {
    ...owned("grade_changes"),
    of: (person) => sql`(one.user_id = ${person} and case when one.content_item_id is null
      then is_course_grade_final(one.course_offering_id, one.user_id) else ${isReleased} end)`,
  },
  owned("certificates"),
  owned("activity_events"),
  {
    ...owned("chat_sessions"),
    secrets: ["tutor_context"],
    shown: ({ content_context, ...row }) => ({
      ...row,
      content_context: contextForLearners(Object(content_context)),
    }),
  },
  owned("llm_calls"),
  {
    name: "chat_messages",
    key: "id",
    secrets: ["question_key", "choices"],
    of: (person) => sql`one.session_id in ${ownSessions(person)}`,
  },
  {
    ...owned("tutor_steps"),
    // Correctness is not a column. It follows from the question's key.
    beside: sql`(
      select jsonb_build_object('question', question, 'is_right', question_key ->> 'answer' = one.choice)
      from tutor_questions where id = one.question_id)`,
  },
  {
    name: "message_feedback",
    key: "message_id",
    of: (person) =>
      sql`one.message_id in (select id from chat_messages where session_id in ${ownSessions(person)})`,
  },
  {
    name: "message_sources",
    key: "id",
    of: (person) =>
      sql`one.question_id in (select id from chat_messages where session_id in ${ownSessions(person)})`,
  },
  { ...owned("notes"), secrets: ["search"] },
  owned("flashcard_decks"),
  owned("flashcards"),
  {
    name: "flashcard_reviews",
    key: "id",
    of: (person) => sql`one.flashcard_id in (select id from flashcards where user_id = ${person})`,
  },
  {
    name: "discussion_threads",
    key: "id",
    of: (person) => sql`${person} in (one.created_by_user_id, one.learner_user_id)`,
  },
  {
    name: "discussion_posts",
    key: "id",
    secrets: ["search"],
    // Includes private messages from staff.
    of: (
      person,
    ) => sql`(one.user_id = ${person} or not one.is_hidden and not one.is_deleted and one.thread_id = any(array(
      select id from discussion_threads where learner_user_id = ${person})))`,
  },
  owned("tutor_handovers"),
  owned("discussion_reports"),
  owned("course_reviews"),
  owned("announcements", "id", "created_by_user_id"),
  owned("announcement_reads", "announcement_id"),
  owned("notifications"),
  owned("notification_preferences", "kind"),
  { ...owned("calendar_addresses", "user_id"), secrets: ["token_hash"] },
  owned("feature_requests"),
  owned("prompts", "id", "created_by"),
  // Tutor notes stay with the course. Their author may have become a learner there.
  {
    ...owned("tutor_notes", "id", "updated_by"),
    secrets: ["notes", "key_facts", "common_errors", "never_say"],
  },
  owned("prompt_label_events", "id", "changed_by"),
  { ...owned("cache_nodes", "id", "edited_by"), secrets: ["question_key"] },
  { ...owned("answer_pins", "id", "pinned_by"), secrets: ["question_key"] },
  {
    ...owned("tree_changes", "id", "changed_by"),
    shown: ({ former, former_pin, removed, ...row }) => ({
      ...row,
      former: withoutKey(former),
      former_pin: withoutKey(former_pin),
      removed: Array.isArray(removed) ? removed.map(withoutKey) : removed,
    }),
  },
  { ...owned("stored_credentials", "name", "updated_by"), secrets: ["ciphertext"] },
  { ...owned("one_time_tokens"), secrets: ["token_hash"] },
  owned("trial_votes", "case_id"),
  {
    name: "mail_outbox",
    key: "id",
    // The requester may be another person.
    secrets: ["from_network", "from_person"],
    of: (person) => sql`(one.user_id = ${person} or ${isAddressed(person, "address")})`,
  },
  {
    name: "audit_events",
    key: "id",
    of: (person) => sql`(one.actor_id = ${person} or one.subject_id = ${person})`,
    // Also applies to the grader.
    veiled: {
      columns: ["subject_id"],
      until: sql`not ${anonymousAuditSubjectCondition(sql`one.action`, sql`one.details`)}`,
    },
  },
];

/** Tables that refer to people but are not exported. */
export const exportExclusionReasonsByTable: Record<string, string> = {
  lti_contexts: "LMS courses, with the name of the person who connected them",
  lti_launch_codes: "of launches in progress, for a minute",
  scim_requests: "of a university's directory, by its key",
  api_keys: "of a university, in the name of their creator",
  trials: "of a prompt, with the name of the person who started them",
  prompt_rollouts: "of a prompt, with the names of the people who wrote, approved and ended them",
  audit_people: "of erased accounts only, which have no export",
  activity_days: "daily sums of activity_events",
  activity_months: "monthly sums of activity_events",
  erasures: "of erased accounts only, until their conversations are deleted",
  erased_identifiers: "identifies erased accounts, which have no export",
  former_accounts: "former erased accounts of a person, which are never shown",
  stale_trees: "people whose course_trees must be computed again, for minutes",
};
