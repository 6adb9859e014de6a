/**
 * Functions that stand in no file of this folder any more, or not with these parameters, and that the version which is
 * being replaced still calls: `npm run migrations:generate` leaves them alone until the version of package.json is
 * another than `retiredIn`, and drops them then. What no release has called has "never released", and is dropped at once.
 *
 * Signatures are spelled as PostgreSQL does: `select 'open_turn'::regproc::regprocedure`.
 */
export type Retired = { signature: string; retiredIn: string };

export const retired: readonly Retired[] = [
  { signature: "active_before(text,integer,integer,timestamp with time zone)", retiredIn: "never released" },
  { signature: "activity_changes(integer[])", retiredIn: "never released" },
  { signature: "activity_scopes(text,integer,integer)", retiredIn: "never released" },
  { signature: "behind_since()", retiredIn: "never released" },
  { signature: "count_activity(integer[])", retiredIn: "never released" },
  { signature: "count_changes(integer)", retiredIn: "never released" },
  { signature: "count_courses()", retiredIn: "never released" },
  { signature: "count_new_totals()", retiredIn: "never released" },
  { signature: "count_person(integer)", retiredIn: "never released" },
  { signature: "counted_pause(interval)", retiredIn: "never released" },
  { signature: "counts_of(anyelement)", retiredIn: "never released" },
  { signature: "counts_of(certificates)", retiredIn: "never released" },
  { signature: "counts_of(chat_messages)", retiredIn: "never released" },
  { signature: "counts_of(chat_sessions)", retiredIn: "never released" },
  { signature: "counts_of(conversations)", retiredIn: "never released" },
  { signature: "counts_of(course_reviews)", retiredIn: "never released" },
  { signature: "counts_of(course_trees)", retiredIn: "never released" },
  { signature: "counts_of(discussion_posts)", retiredIn: "never released" },
  { signature: "counts_of(enrollments)", retiredIn: "never released" },
  { signature: "counts_of(lab_submissions)", retiredIn: "never released" },
  { signature: "counts_of(quiz_attempts)", retiredIn: "never released" },
  { signature: "counts_of(user_content_progress)", retiredIn: "never released" },
  { signature: "counts_of(users)", retiredIn: "never released" },
  { signature: "is_erasing()", retiredIn: "never released" },
  { signature: "leave_certificates(integer,boolean)", retiredIn: "never released" },
  { signature: "lock_totals()", retiredIn: "never released" },
  { signature: "noted_progress()", retiredIn: "never released" },
  { signature: "noted_trees()", retiredIn: "never released" },
  { signature: "recount_totals()", retiredIn: "never released" },
  { signature: "tree_changes()", retiredIn: "never released" },
  { signature: "uncounted_people()", retiredIn: "never released" },
  { signature: "uncounted_totals()", retiredIn: "never released" },
];
