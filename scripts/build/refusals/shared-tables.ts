/*
 * Operations that share a database function share its table of refusals. Exceptions, which no source states,
 * are listed here.
 */

/** Codes that only these operations return. */
export const onlyOf: Readonly<Record<string, readonly string[]>> = {
  address_registered: ["acceptInvitationAnew"],
  already_enrolled: ["createEnrollment"],
  another_question_asked: ["sendChatMessage"],
  assignment_not_found: [
    ...["createSubmission", "getAutoGrader", "renewAutoGrader"],
    ...["listSubmissionOverrides", "grantSubmissionOverride"],
  ],
  certificate_expired: ["issueCertificate", "reissueCertificate"],
  certificate_replaced: ["revokeCertificate", "reissueCertificate"],
  certificate_revoked: ["issueCertificate"],
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
  marks_of_others: ["agreeOnGrade"],
  member_not_staff: ["putGroupMember"],
  member_without_place: ["putGroupMember", "joinGroup"],
  module_below_itself: ["updateModule"],
  module_order_incomplete: ["reorderModules"],
  modules_too_deep: ["createModule", "updateModule"],
  no_such_move: ["sendChatMessage"],
  not_completed: ["issueCertificate"],
  post_deleted: ["updateDiscussionPost"],
  post_gone: ["createDiscussionPost"],
  posts_too_deep: ["createDiscussionPost"],
  prompt_referenced: ["deletePrompt", "deletePromptVersion"],
  protected_labels_follow: [
    ...["createPrompt", "updatePromptVersionLabels"],
    ...["createPromptRollout", "promotePromptRollout"],
  ],
  quiz_not_found: [
    ...["getMyQuiz", "startQuizAttempt", "listQuizAttempts", "regradeQuiz"],
    ...["listQuizOverrides", "grantQuizOverride"],
    ...["previewQuizRegrade", "listQuizQuestions", "throwOutQuestion"],
  ],
  requirements_form_cycle: ["createModule", "updateModule"],
  requirements_of_another_course: ["createModule", "updateModule"],
  rescale_required: ["updateContent"],
  rollout_of_version_running: ["deletePrompt", "deletePromptVersion"],
  score_over_points: ["updateContent"],
  subject_below_itself: ["updateSubject"],
  two_marks_given: ["gradeSubmission"],
  unknown_variables: ["createPrompt"],
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
  "university_budget_used_up",
  "university_out_of_reach",
];

const ofAGrade = ["no_such_rubric_level", "over_the_points", "rubric_incomplete", "too_many_points"];

/** Codes that an operation never returns. */
export const neverOf: Readonly<Record<string, readonly string[]>> = {
  claimSubmission: [...ofAGrade, "does_not_exist"],
  createContentType: ["still_in_use"],
  deleteContent: ["does_not_exist"],
  deleteModule: ["does_not_exist"],
  deletePrompt: ["prompt_reference_broken", "prompt_version_not_found"],
  getContentTutorNotes: ["course_not_found"],
  getCourseTutorNotes: ["content_item_not_found"],
  joinGroup: ["member_not_found"],
  leaveGroup: ["member_not_found"],
  moderateDiscussionPost: ["not_your_post"],
  putGroupMember: ["member_not_found"],
  resumeChatStream: ofWhoAsks,
  returnSubmission: ofAGrade,
  setContentTutorNotes: ["course_not_found"],
  setCourseGrade: [
    ...ofAGrade,
    ...["graded_anonymously", "graded_item_not_found", "marks_not_agreed", "too_many_changes"],
  ],
  setCourseTutorNotes: ["content_item_not_found"],
  startImport: ["import_not_found"],
  stopChatAnswer: ofWhoAsks,
  stopPromptRollout: ["another_approves", "prompt_reference_broken"],
  updateContentType: ["still_in_use"],
};
