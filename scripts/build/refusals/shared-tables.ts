/*
 * Where several operations share a function of the database, they share the table of what it refuses, too. What some of them
 * never are answered of it stands here, since no source says it.
 */

/** The only operations that are answered a code. */
export const onlyOf: Readonly<Record<string, readonly string[]>> = {
  already_enrolled: ["createEnrollment"],
  certificate_expired: ["issueCertificate", "reissueCertificate"],
  client_message_id_taken: ["sendChatMessage"],
  content_order_incomplete: ["reorderContent"],
  content_type_name_fixed: ["updateContentType"],
  content_type_stays: ["deleteContentType"],
  group_full: ["putGroupMember", "joinGroup"],
  group_not_open: ["joinGroup", "leaveGroup"],
  item_keeps_type: ["updateContent"],
  item_stays_anonymous: ["updateContent"],
  latest_is_automatic: ["createPrompt", "updatePromptVersionLabels"],
  mark_without_files: ["gradeSubmission"],
  marks_missing: ["agreeOnGrade"],
  member_not_staff: ["putGroupMember"],
  member_without_place: ["putGroupMember", "joinGroup"],
  module_below_itself: ["updateModule"],
  module_order_incomplete: ["reorderModules"],
  modules_too_deep: ["createModule", "updateModule"],
  no_such_move: ["sendChatMessage"],
  not_completed: ["issueCertificate", "reissueCertificate"],
  post_deleted: ["updateDiscussionPost"],
  post_gone: ["createDiscussionPost"],
  posts_too_deep: ["createDiscussionPost"],
  prompt_referenced: ["deletePrompt", "deletePromptVersion"],
  requirements_form_cycle: ["createModule", "updateModule"],
  requirements_of_another_course: ["createModule", "updateModule"],
  rescale_required: ["updateContent"],
  rollout_of_version_running: ["deletePrompt", "deletePromptVersion", "updatePromptVersionLabels"],
  score_over_points: ["updateContent"],
  subject_below_itself: ["updateSubject"],
  two_marks_given: ["gradeSubmission"],
  waiting_may_only_drop: ["updateEnrollment"],
};

const ofWhoAsks = [
  "answer_being_written",
  "aside_closed",
  "enrollment_required",
  "exam_under_way",
  "inactive_university",
  "launch_out_of_reach",
  "not_available_yet",
  "person_budget_at_once",
  "person_budget_used_up",
  "too_many_wait",
  "university_budget_used_up",
  "university_out_of_reach",
];

const ofAGrade = ["no_such_rubric_level", "over_the_points", "rubric_incomplete", "too_many_points"];

/** What an operation is never answered. */
export const neverOf: Readonly<Record<string, readonly string[]>> = {
  claimSubmission: [...ofAGrade, "grade_is_final"],
  createContentType: ["still_in_use"],
  deleteContent: ["does_not_exist"],
  deleteModule: ["does_not_exist"],
  resumeChatStream: ofWhoAsks,
  returnSubmission: ofAGrade,
  stopChatAnswer: ofWhoAsks,
  updateContentType: ["still_in_use"],
};
