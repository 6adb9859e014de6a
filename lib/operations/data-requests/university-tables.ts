import { type SQL, sql } from "drizzle-orm";
import { type PersonalTable, personalTables } from "../personal-data/personal-data.ts";

/** A row `one` belongs to a university. */
type AtUniversity = (university: number) => SQL;

const own: AtUniversity = (university) => sql`one.university_id = ${university}`;

/** By a column that refers to a table with a university column. */
const by =
  (column: string, table: string): AtUniversity =>
  (university) =>
    sql`exists (
    select from ${sql.identifier(table)} as its
    where its.id = one.${sql.identifier(column)} and its.university_id = ${university})`;

/** By a column that refers to a table which refers to one with a university column. */
const through =
  (column: string, table: string, next: string, last: string): AtUniversity =>
  (university) =>
    sql`exists (
    select from ${sql.identifier(table)} as its join ${sql.identifier(last)} as held on held.id = its.${sql.identifier(next)}
    where its.id = one.${sql.identifier(column)} and held.university_id = ${university})`;

const ofRun = by("course_offering_id", "course_offerings");
const ofCourse = by("course_id", "courses");
const ofItem = by("content_item_id", "content_items");

const either =
  (...ways: AtUniversity[]): AtUniversity =>
  (university) =>
    sql`(${sql.join(
      ways.map((way) => way(university)),
      sql` or `,
    )})`;

/** Said in a conversation about an item of the university. */
const inTalk = (column: string): AtUniversity =>
  through(column, "chat_sessions", "content_item_id", "content_items");
const ofMessage =
  (column: string): AtUniversity =>
  (university) =>
    sql`exists (
    select from chat_messages as said join chat_sessions as talk on talk.id = said.session_id
    join content_items as item on item.id = talk.content_item_id
    where said.id = one.${sql.identifier(column)} and item.university_id = ${university})`;

/** Tables of the personal export. A test compares both lists. */
export const universityConditionsByPersonalTable: Record<string, AtUniversity> = {
  user_university_roles: own,
  university_members: own,
  course_offering_instructors: ofRun,
  offering_staff: own,
  lti_people: by("platform_id", "lti_platforms"),
  lti_enrollments: by("context_id", "lti_contexts"),
  invitations: own,
  sourced_people: own,
  scim_users: own,
  scim_group_members: by("group_id", "scim_groups"),
  imports: own,
  cartridge_imports: own,
  import_rows: by("import_id", "imports"),
  enrollments: own,
  enrollment_progress: ofRun,
  lti_score_marks: ofRun,
  lti_scores: through("person_id", "lti_people", "platform_id", "lti_platforms"),
  lti_rosters: by("context_id", "lti_contexts"),
  one_roster_sources: own,
  course_exemptions: ofCourse,
  user_module_progress: ofRun,
  user_content_progress: ofRun,
  course_trees: ofCourse,
  quiz_attempts: ofRun,
  quiz_attempt_questions: through(
    "quiz_attempt_id",
    "quiz_attempts",
    "course_offering_id",
    "course_offerings",
  ),
  scorm_attempts: ofRun,
  quiz_overrides: ofRun,
  anonymous_codes: ofRun,
  offering_group_members: ofRun,
  accommodations: own,
  university_offices: own,
  retention_holds: own,
  data_requests: own,
  files: own,
  file_uses: by("file_id", "files"),
  lab_submissions: ofRun,
  submission_marks: through("submission_id", "lab_submissions", "course_offering_id", "course_offerings"),
  auto_grader_readers: ofRun,
  item_grades: ofRun,
  course_grades: ofRun,
  grade_changes: ofRun,
  certificates: ofRun,
  activity_events: own,
  chat_sessions: ofItem,
  llm_calls: own,
  chat_messages: inTalk("session_id"),
  tutor_steps: ofItem,
  message_feedback: ofMessage("message_id"),
  message_sources: ofMessage("question_id"),
  notes: ofItem,
  flashcards: ofItem,
  flashcard_reviews: through("flashcard_id", "flashcards", "content_item_id", "content_items"),
  discussion_threads: ofRun,
  discussion_posts: through("thread_id", "discussion_threads", "course_offering_id", "course_offerings"),
  tutor_handovers: through("thread_id", "discussion_threads", "course_offering_id", "course_offerings"),
  discussion_reports: ofRun,
  course_reviews: ofRun,
  announcements: own,
  announcement_reads: by("announcement_id", "announcements"),
  notifications: either(ofRun, ofItem, by("announcement_id", "announcements")),
  tutor_notes: ofCourse,
  cache_nodes: ofItem,
  answer_pins: ofItem,
  tree_changes: ofItem,
  audit_events: own,
};

/** Tables of the account or the platform, which a university may not disclose. */
export const tablesExcludedFromUniversityExport: readonly string[] = [
  "users",
  "user_profiles",
  "user_subject_preferences",
  "user_identities",
  "upload_days",
  "flashcard_decks",
  "notification_preferences",
  "calendar_addresses",
  "feature_requests",
  "prompts",
  "prompt_label_events",
  "stored_credentials",
  "one_time_tokens",
  "trial_votes",
  "mail_outbox",
];

export const personalTablesAtUniversity = (university: number): PersonalTable[] =>
  personalTables.flatMap((table) => {
    const isThere = universityConditionsByPersonalTable[table.name];
    if (!isThere) return [];
    return { ...table, of: (person: number) => sql`(${table.of(person)} and ${isThere(university)})` };
  });
