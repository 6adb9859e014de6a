/** A table's rows: `rows` selects its columns for each `n` from 0. */
export type GeneratedTableInsert = {
  what: string;
  table: string;
  columns: string;
  count: number;
  rows: string;
};

/** Tables whose ids continue after the largest existing one. */
export const tablesWithSequentialIds = [
  "universities",
  "departments",
  "terms",
  "domains",
  "subjects",
  "users",
  "courses",
  "course_offerings",
  "modules",
  "module_templates",
  "content_items",
  "assets",
  "stored_objects",
  "files",
  "enrollments",
  "cache_nodes",
  "chat_sessions",
  "chat_messages",
  "discussion_threads",
  "notes",
  "flashcard_decks",
  "flashcards",
  "question_pools",
  "questions",
  "quiz_attempts",
  "lab_submissions",
  "certificates",
  "announcements",
  "offering_groups",
  "imports",
  "trials",
  "prompt_rollouts",
  "trial_cases",
  "lti_platforms",
  "cartridge_imports",
  "data_requests",
] as const;

/** Each table's largest id before the load. */
export type MaxIdByTable = Record<(typeof tablesWithSequentialIds)[number], number>;
