/*
 * The rows of each table that belong to a university in an export or removal: the only list that the commands
 * use. docs/scale.md describes it, and a test compares both with the database.
 */

/** How a JSON value refers to rows: by the keys of a path, or by the column's known structure. */
export type JsonIds = "content" | "context" | "groups" | "messages" | "responses" | "keys";

export type Ownership = {
  table: string;
  /**
   * SQL condition of the university's rows; `:university` is its id, and `:taken(user_id)` is true for
   * exported people, and for everyone in a removal.
   */
  where: string;
  /** The rows that a removal deletes, if fewer. */
  removes?: string;
  /** Column of the person who owns the row; the row is exported with them. */
  person?: string;
  /** SQL that replaces a column's value. */
  instead?: Readonly<Record<string, string>>;
  /** Columns that refer to a table without a foreign key. */
  names?: Readonly<Record<string, string>>;
  /** JSON columns that refer to rows. */
  json?: Readonly<Record<string, JsonIds>>;
  /** Existing rows stay: a person may have an account in the target. */
  mayBeThere?: true;
  /** Columns that identify an existing row, which is then used instead. */
  sameBy?: readonly string[];
  /** The removal's effect; default: deletes the rows. */
  removal?: "stays" | "with the person" | "unnamed";
  /** Columns set to null before a removal, because of circular references. */
  circular?: readonly string[];
};

const own = "university_id = :university";
const within = (column: string, table: string, where: string) =>
  `${column} in (select id from ${table} where ${where})`;
const ofCourse = within("course_id", "courses", own);
const ofRun = within("course_offering_id", "course_offerings", own);
const ofItem = within("content_item_id", "content_items", own);
const ofPool = within("question_pool_id", "question_pools", own);
const ofThread = within("thread_id", "discussion_threads", ofRun);
const ofSession = within("session_id", "chat_sessions", `${ofItem} and :taken(user_id)`);
const cardOfItem = within("flashcard_id", "flashcards", ofItem);

/** Platform assets that the university's content shows. */
const shown = `university_id is null and id in (
  select (named.id #>> '{}')::numeric::int from content_items
  cross join lateral jsonb_path_query(data_json, 'lax $.asset_id ? (@.type() == "number")') as named (id)
  where content_items.university_id = :university
  union select (named.id #>> '{}')::numeric::int from content_items
  cross join lateral jsonb_path_query(data_json, 'lax $.blocks[*].asset_id ? (@.type() == "number")') as named (id)
  where content_items.university_id = :university)`;

/** Ordered by references; a removal goes in reverse. */
export const ownerships: readonly Ownership[] = [
  { table: "universities", where: "id = :university", instead: { is_active: "false" } },
  {
    table: "users",
    where: ":taken(id)",
    instead: {
      made_by_university_id: "case when made_by_university_id = :university then :university end",
      // Pictures belong to no university and are not moved.
      avatar_token: "null",
    },
    removal: "with the person",
  },
  {
    table: "user_profiles",
    where: "true",
    person: "user_id",
    mayBeThere: true,
    removal: "with the person",
  },
  {
    table: "user_subject_preferences",
    where: "true",
    person: "user_id",
    mayBeThere: true,
    removal: "with the person",
  },
  {
    table: "notification_preferences",
    where: "true",
    person: "user_id",
    mayBeThere: true,
    removal: "with the person",
  },
  {
    table: "calendar_addresses",
    where: "true",
    person: "user_id",
    mayBeThere: true,
    removal: "with the person",
  },
  { table: "user_identities", where: "provider like :university || '.%'", person: "user_id" },
  { table: "university_domains", where: own },
  { table: "university_time_zones", where: own },
  { table: "departments", where: own },
  { table: "terms", where: own },
  { table: "university_members", where: own, person: "user_id", removal: "with the person" },
  // Platform roles are not moved.
  {
    table: "user_university_roles",
    where: `${own} and role <> 'platform_admin'`,
    person: "user_id",
    removal: "with the person",
  },
  { table: "identity_providers", where: own, instead: { secret_ciphertext: "''" } },
  // The target's operator decides which LMS addresses to trust. The browser failures recorded here are
  // irrelevant there.
  {
    table: "saml_providers",
    where: within("identity_provider_id", "identity_providers", own),
    instead: {
      ...{ seen_attributes: "null", seen_at: "null" },
      // A second key is generated again there.
      ...{ second_certificate: "null", second_secret_ciphertext: "null" },
    },
  },
  { table: "lti_platforms", where: own, instead: { trusts_email: "false" } },
  { table: "lti_deployments", where: within("platform_id", "lti_platforms", own) },
  { table: "tutor_budgets", where: own },
  { table: "tutor_months", where: own },
  {
    table: "assets",
    where: `(${own} or (${shown}))`,
    removes: own,
    instead: { university_id: ":university" },
    circular: ["file_id"],
  },
  { table: "module_templates", where: own, json: { default_data: "content" } },
  { table: "courses", where: own },
  { table: "lti_tools", where: own },
  { table: "lti_tool_deployments", where: own },
  { table: "course_subjects", where: ofCourse },
  { table: "course_prerequisites", where: ofCourse },
  { table: "course_popularity", where: ofCourse },
  { table: "course_ratings", where: ofCourse },
  {
    table: "activity_days",
    where: `${ofCourse} and day < utc_day((select daily_aggregates_counted_until()))`,
    names: { user_id: "users", content_item_id: "content_items", course_id: "courses" },
  },
  {
    table: "report_totals",
    where: ofCourse,
    names: { course_id: "courses", course_offering_id: "course_offerings" },
  },
  {
    table: "stale_outlines",
    where: ofCourse,
    names: { course_id: "courses", course_offering_id: "course_offerings" },
    instead: { course_offering_id: "null::int", done_to: "0" },
  },
  {
    table: "modules",
    where: ofCourse,
    names: { requires_module_ids: "modules" },
    instead: {
      module_template_id:
        "(select id from module_templates where id = module_template_id and university_id = :university)",
    },
  },
  { table: "content_items", where: own, json: { data_json: "content" } },
  { table: "question_pools", where: own },
  { table: "questions", where: ofPool },
  { table: "question_versions", where: within("question_id", "questions", ofPool) },
  { table: "course_offerings", where: own },
  { table: "course_offering_instructors", where: ofRun, person: "user_id" },
  { table: "sourced_offerings", where: own },
  { table: "sourced_people", where: own, person: "user_id" },
  { table: "scim_users", where: own, person: "user_id" },
  { table: "scim_groups", where: own },
  { table: "scim_group_members", where: within("group_id", "scim_groups", own) },
  { table: "certificate_settings", where: ofRun },
  { table: "grading_schemes", where: ofRun, json: { groups: "groups" } },
  { table: "auto_graders", where: ofRun },
  { table: "auto_grader_readers", where: ofRun, person: "user_id" },
  { table: "grade_releases", where: ofRun },
  { table: "due_reminders", where: ofRun },
  {
    table: "announcements",
    where: own,
    instead: { told_through: "case when told_at is null then 0 else 2147483647 end" },
  },
  {
    table: "announcement_reads",
    where: within("announcement_id", "announcements", own),
    person: "user_id",
  },
  { table: "invitations", where: own, instead: { token_hash: "null", mail_id: "null" } },
  { table: "imports", where: own },
  { table: "import_rows", where: within("import_id", "imports", own), json: { details: "keys" } },
  { table: "enrollments", where: own, person: "user_id" },
  { table: "lti_people", where: within("platform_id", "lti_platforms", own), person: "user_id" },
  { table: "lti_contexts", where: own },
  { table: "lti_links", where: within("context_id", "lti_contexts", own) },
  {
    table: "lti_enrollments",
    where: `${within("context_id", "lti_contexts", own)} and ${within("enrollment_id", "enrollments", `${own} and :taken(user_id)`)}`,
  },
  { table: "offering_staff", where: own, person: "user_id" },
  { table: "course_exemptions", where: ofCourse, person: "user_id" },
  { table: "offering_dates", where: ofRun },
  { table: "offering_groups", where: ofRun },
  { table: "offering_group_members", where: ofRun, person: "user_id" },
  { table: "offering_group_dates", where: ofRun },
  { table: "accommodations", where: own, person: "user_id" },
  { table: "university_offices", where: own, person: "user_id" },
  // Cursors are not portable.
  {
    table: "retention_policies",
    where: own,
    instead: { forgotten_change: "null::bigint", forgotten_event: "null::bigint" },
  },
  { table: "retention_periods", where: own },
  { table: "retention_holds", where: `${own} and (user_id is null or :taken(user_id))` },
  { table: "retention_runs", where: own },
  // Downloads are not moved.
  {
    table: "data_requests",
    where: own,
    person: "user_id",
    instead: { available_until: "null::timestamptz" },
  },
  { table: "quiz_overrides", where: ofRun, person: "user_id" },
  { table: "thrown_out_questions", where: ofRun },
  { table: "anonymous_codes", where: ofRun, person: "user_id" },
  {
    table: "stale_trees",
    where: ofRun,
    person: "user_id",
    names: { course_offering_id: "course_offerings", user_id: "users" },
  },
  {
    table: "course_trees",
    where: ofCourse,
    person: "user_id",
    names: { course_offering_id: "course_offerings", user_id: "users", course_id: "courses" },
  },
  { table: "enrollment_progress", where: ofRun, person: "user_id" },
  { table: "user_module_progress", where: ofRun, person: "user_id" },
  { table: "user_content_progress", where: ofRun, person: "user_id" },
  { table: "item_grades", where: ofRun, person: "user_id" },
  { table: "course_grades", where: ofRun, person: "user_id" },
  {
    table: "grade_changes",
    where: ofRun,
    person: "user_id",
    json: { former_json: "keys", current_json: "keys" },
  },
  { table: "lab_submissions", where: ofRun, person: "user_id" },
  {
    table: "submission_marks",
    where: `submission_id in (select id from lab_submissions where ${ofRun})`,
    person: "grader_id",
  },
  { table: "stored_objects", where: own },
  { table: "retention_archives", where: own },
  { table: "file_texts", where: within("object_id", "stored_objects", own) },
  { table: "files", where: own },
  { table: "quiz_attempts", where: ofRun, person: "user_id", json: { raw_response_json: "responses" } },
  {
    table: "quiz_attempt_questions",
    where: within("quiz_attempt_id", "quiz_attempts", `${ofRun} and :taken(user_id)`),
  },
  { table: "scorm_packages", where: within("file_id", "files", own) },
  { table: "scorm_attempts", where: ofRun, person: "user_id" },
  { table: "certificates", where: ofRun },
  { table: "course_reviews", where: ofRun, person: "user_id" },
  { table: "discussion_threads", where: ofRun, circular: ["answer_post_id"] },
  { table: "discussion_posts", where: ofThread },
  { table: "cartridge_imports", where: own },
  {
    table: "cartridge_parts",
    where: within("import_id", "cartridge_imports", own),
    names: { content_item_ids: "content_items" },
  },
  { table: "cartridge_files", where: within("import_id", "cartridge_imports", own) },
  // Uses by assets are recreated with the assets.
  { table: "file_uses", where: `asset_id is null and ${within("file_id", "files", own)}` },
  { table: "discussion_reports", where: ofRun, person: "user_id" },
  { table: "cache_nodes", where: ofItem, names: { origin_node_id: "cache_nodes" } },
  { table: "passages", where: ofItem },
  { table: "answer_pins", where: ofItem },
  { table: "tutor_notes", where: ofCourse },
  { table: "cache_visits", where: within("node_id", "cache_nodes", ofItem) },
  {
    table: "chat_sessions",
    where: ofItem,
    person: "user_id",
    names: { path_end_id: "chat_messages" },
    json: { content_context: "context" },
    instead: {
      // Rollouts are not moved.
      rollout_id: "null::int",
      rollout_arm: "null",
      answering_until: "null",
      answering_token: "null",
      answering_since: "null",
      answering_message_id: "null",
      answering_generation_id: "null",
    },
  },
  {
    table: "chat_messages",
    where: ofSession,
    names: { cache_node_id: "cache_nodes" },
    json: { meta: "keys" },
  },
  { table: "message_sources", where: within("question_id", "chat_messages", ofSession) },
  { table: "tutor_handovers", where: ofThread, person: "user_id", json: { excerpt: "messages" } },
  { table: "message_feedback", where: within("message_id", "chat_messages", ofSession) },
  { table: "tutor_questions", where: ofItem, names: { node_id: "cache_nodes" } },
  {
    table: "tutor_steps",
    where: ofItem,
    person: "user_id",
    names: {
      course_offering_id: "course_offerings",
      content_item_id: "content_items",
      asked_message_id: "chat_messages",
    },
  },
  { table: "tutor_step_counts", where: within("question_id", "tutor_questions", ofItem) },
  { table: "notes", where: ofItem, person: "user_id" },
  {
    table: "flashcard_decks",
    where: "true",
    person: "user_id",
    mayBeThere: true,
    sameBy: ["user_id", "title"],
    removal: "with the person",
  },
  {
    table: "flashcards",
    where: `(content_item_id is null or ${ofItem})`,
    removes: ofItem,
    person: "user_id",
    instead: {
      message_id: `(select chat_messages.id from chat_messages join chat_sessions on chat_sessions.id = session_id
        where chat_messages.id = message_id and chat_sessions.${ofItem})`,
    },
  },
  {
    table: "flashcard_reviews",
    where: within("flashcard_id", "flashcards", `(content_item_id is null or ${ofItem}) and :taken(user_id)`),
    removes: cardOfItem,
  },
  {
    table: "notifications",
    where: `(${ofRun} or ${ofItem} or ${within("announcement_id", "announcements", own)})`,
    person: "user_id",
    instead: { mail_id: "null", mail_due_at: "null", prompt_rollout_id: "null::int" },
  },
  { table: "activity_events", where: own, person: "user_id", names: { university_id: "universities" } },
  {
    table: "llm_calls",
    where: own,
    // Warmings are not moved.
    instead: { warming_id: "null::bigint" },
    names: {
      university_id: "universities",
      course_id: "courses",
      content_item_id: "content_items",
      user_id: "users",
      message_id: "chat_messages",
    },
    removal: "unnamed",
  },
  {
    table: "former_accounts",
    where: ":taken(former_user_id)",
    person: "user_id",
    mayBeThere: true,
    removal: "with the person",
  },
  {
    table: "erased_identifiers",
    where: "(university_id is null or university_id = :university)",
    person: "user_id",
    removal: "with the person",
  },
  {
    table: "audit_events",
    where: own,
    // API keys stay here, where their machines are configured.
    instead: { api_key_id: "null::int" },
    names: { actor_id: "users", subject_id: "users", university_id: "universities" },
    json: { details: "keys" },
    removal: "stays",
  },
  {
    table: "audit_people",
    where: `user_id in (select actor_id from audit_events where ${own}
      union select subject_id from audit_events where ${own})`,
    person: "user_id",
    names: { user_id: "users" },
    mayBeThere: true,
    removal: "stays",
  },
];

/** Tables whose rows are matched by name, or encrypted again. */
export const byName: readonly string[] = [
  "countries",
  "content_types",
  "domains",
  "subjects",
  "prompt_names",
  "prompts",
  "prompt_labels",
  "prompt_label_events",
  "prompt_dependencies",
  "stored_credentials",
  "account_hash_keys",
];

/**
 * Tables that are not exported: keys and links valid only here, temporary answers, history, derived data, and
 * the platform's own.
 */
export const leftOut: readonly string[] = [
  "api_keys",
  "one_time_tokens",
  "saml_refusals",
  "scim_requests",
  "feature_requests",
  "feature_request_totals",
  "erasures",
  "mail_outbox",
  "lti_launch_codes",
  "lti_refused_launches",
  "generations",
  "generation_pieces",
  "warmings",
  "warming_nodes",
  "tree_changes",
  "failed_answers",
  "trials",
  "trial_cases",
  "trial_votes",
  "llm_batches",
  "prompt_rollouts",
  "activity_months",
  "report_months",
  "counted_months",
  "fact_months",
  "tutor_report_months",
  "tutor_report_days",
  "counted_facts",
  "tree_totals",
  "passage_measures",
  "passage_vectors",
  "passage_vector_sweeps",
  "scheduled_tasks",
  "signing_keys",
  "lti_keys",
  "lti_score_marks",
  "lti_scores",
  "lti_service_pauses",
  "lti_rosters",
  "one_roster_sources",
  "login_failures",
  "rate_limits",
  "upload_days",
  "file_usage",
  "metric_instances",
  "metric_samples",
];
