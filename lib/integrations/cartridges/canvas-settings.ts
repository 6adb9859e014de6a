import { encodeOmission } from "../../platform/results/omission-codes.ts";
import type { ImportedSettings, SettingRule, SettingRules } from "./settings.ts";

/*
 * What each setting of Canvas and Common Cartridge becomes. Settings without a line are reported by name.
 * docs/reference/cartridge-settings.md is generated from these rules.
 */

const reported = "reported";

const takes = (
  becomes: string,
  take: (value: string) => ImportedSettings | undefined,
  same?: RegExp,
): SettingRule => ({
  becomes,
  take,
  ...(same && { same }),
});

/** Not supported, unless the value is off. */
const reportedIfOn: SettingRule = { becomes: reported, same: /^(false|no|0)$/i };

const reportedUnless = (same: RegExp): SettingRule => ({ becomes: reported, same });

/** Numbers and states of the other program, without effect here. */
const noEffect: SettingRule = { becomes: "no effect here", same: /^/ };

/** Canvas writes UTC without a zone. */
function instantIn(value: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const at = new Date(/(z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`);
  return Number.isNaN(at.getTime()) || at.getUTCFullYear() < 1 ? undefined : at.toISOString();
}

const dateRule = (becomes: string, name: "available_from" | "due_at" | "lock_at"): SettingRule =>
  takes(becomes, (value) => {
    const at = instantIn(value);
    return at === undefined ? undefined : { [name]: at };
  });

export function parseCanvasPoints(value: string): number | undefined {
  const points = Number(value.trim() || Number.NaN);
  return Number.isFinite(points) && points > 0 && points <= 9999.99
    ? Math.round(points * 100) / 100
    : undefined;
}

const wholeIn = (value: string, most = 1_000_000): number | undefined => {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 && number <= most ? number : undefined;
};

const attempts = takes("attempts allowed", (value) => {
  if (/^(-1|unlimited)$/i.test(value)) return { max_attempts: null };
  const max_attempts = wholeIn(value);
  return max_attempts === undefined ? undefined : { max_attempts };
});

const timeLimit = takes("time limit", (value) => {
  const minutes = wholeIn(value);
  return minutes === undefined ? undefined : { time_limit_seconds: minutes * 60 };
});

const points = takes(
  "points",
  (value) => {
    const found = parseCanvasPoints(value);
    return found === undefined ? undefined : { points: found };
  },
  /^0(\.0+)?$/,
);

const answersHidden = (wanted: RegExp, same: RegExp): SettingRule =>
  takes(
    "answers are never shown",
    (value) => (wanted.test(value) ? { show_answers: "never" } : undefined),
    same,
  );

/** Answers stay hidden, because a date for them does not exist here. */
const answersHiddenByDate: SettingRule = {
  becomes: "answers are never shown; the date is reported",
  take: () => ({ show_answers: "never" }),
  isPartial: true,
};

/** An unpublished item stays hidden. States without a counterpart count as unpublished. */
const inactiveUnless = (same: RegExp): SettingRule =>
  takes("inactive item", () => ({ is_active: false }), same);

const dates: SettingRules = {
  due_at: dateRule("due date", "due_at"),
  unlock_at: dateRule("opening date", "available_from"),
  lock_at: dateRule("closing date of a quiz; no late work", "lock_at"),
};

const assignment: SettingRules = {
  ...dates,
  title: takes("title", (title) => ({ title })),
  points_possible: points,
  allowed_attempts: attempts,
  anonymous_grading: takes(
    "anonymous grading",
    (value) => (value === "true" ? { anonymous: true } : undefined),
    /^false$/,
  ),
  group_category: takes("group work", () => ({ group_submission: true })),
  has_group_category: takes(
    "group work",
    (value) => (value === "true" ? { group_submission: true } : undefined),
    /^false$/,
  ),
  rubric_identifierref: takes("rubric", (rubric) => ({ rubric })),
  rubric_use_for_grading: noEffect,
  rubric_hide_points: reportedIfOn,
  rubric_hide_score_total: reportedIfOn,
  rubric_hide_outcome_results: reportedIfOn,
  grading_type: reportedUnless(/^points$/),
  submission_types: reportedUnless(
    /^(online_upload,online_text_entry|online_text_entry,online_upload|online_quiz)$/,
  ),
  workflow_state: inactiveUnless(/^published$/),
  // The order is the cartridge's.
  position: noEffect,
  quiz_identifierref: noEffect,
  all_day: noEffect,
  all_day_date: noEffect,
  assignment_group_identifierref: { becomes: reported },
  allowed_extensions: { becomes: reported },
  grader_comments_visible_to_graders: reportedUnless(/^true$/),
  grader_names_visible_to_final_grader: reportedUnless(/^true$/),
  "post_policy.post_manually": reportedIfOn,
  ...Object.fromEntries(
    [
      ...["anonymous_instructor_annotations", "anonymous_peer_reviews", "automatic_peer_reviews"],
      ...["could_be_locked", "freeze_on_copy", "grade_group_students_individually", "grader_count"],
      ...["graders_anonymous_to_graders", "intra_group_peer_reviews", "moderated_grading", "module_locked"],
      ...["muted", "omit_from_final_grade", "only_visible_to_overrides", "peer_review_count"],
      ...["peer_reviews", "post_to_sis", "turnitin_enabled", "vericite_enabled"],
    ].map((name) => [name, reportedIfOn]),
  ),
};

/** `assignment_settings.xml`. */
export const canvasAssignmentRules: SettingRules = assignment;

const within = (path: string, rules: SettingRules): SettingRules =>
  Object.fromEntries(Object.entries(rules).map(([name, rule]) => [`${path}.${name}`, rule]));

/** `assessment_meta.xml`. */
export const canvasQuizRules: SettingRules = {
  ...within("assignment", assignment),
  ...dates,
  title: takes("title", (title) => ({ title })),
  description: takes("description", (description) => ({ description })),
  points_possible: points,
  allowed_attempts: attempts,
  time_limit: timeLimit,
  shuffle_answers: takes(
    "shuffled questions and options",
    (value) => (value === "true" ? { randomize_order: true } : undefined),
    /^false$/,
  ),
  shuffle_questions: takes(
    "shuffled questions and options",
    (value) => (value === "true" ? { randomize_order: true } : undefined),
    /^false$/,
  ),
  // Here the best attempt counts, and answers are hidden while another attempt is possible.
  scoring_policy: reportedUnless(/^keep_highest$/),
  hide_results: answersHidden(/^always$/, /^until_after_last_attempt$/),
  show_correct_answers: answersHidden(/^false$/, /^true$/),
  show_correct_answers_last_attempt: reportedIfOn,
  show_correct_answers_at: answersHiddenByDate,
  hide_correct_answers_at: answersHiddenByDate,
  quiz_type: reportedUnless(/^(assignment|practice_quiz)$/),
  access_code: { becomes: reported, lost: encodeOmission("left_out_access_code") },
  ip_filter: { becomes: reported },
  available: inactiveUnless(/^true$/),
  assignment_group_identifierref: { becomes: reported },
  ...Object.fromEntries(
    [
      ...["anonymous_submissions", "cant_go_back", "could_be_locked", "module_locked"],
      ...["one_question_at_a_time", "one_time_results", "only_visible_to_overrides"],
      ...["require_lockdown_browser", "require_lockdown_browser_for_results"],
      "require_lockdown_browser_monitor",
    ].map((name) => [name, reportedIfOn]),
  ),
};

/** Canvas's settings of a discussion. Threads belong to offerings here. */
export const canvasDiscussionRules: SettingRules = {
  ...Object.fromEntries(
    ["topic_id", "title", "position", "discussion_type", "sort_order"].map((name) => [name, noEffect]),
  ),
  workflow_state: inactiveUnless(/^active$/),
  type: reportedUnless(/^topic$/),
  ...Object.fromEntries(
    ["allow_rating", "has_group_category", "module_locked", "only_graders_can_rate", "pinned"]
      .concat(["require_initial_post", "sort_by_rating", "locked", "todo_date"])
      .map((name) => [name, reportedIfOn]),
  ),
};

export const cartridgeAssignmentSettingRules: SettingRules = {
  title: takes("title", (title) => ({ title })),
  text: noEffect,
  gradable: noEffect,
  attachments: noEffect,
  submission_formats: noEffect,
};

/** Metadata of a QTI 1.2 assessment, by label. */
export const qtiAssessmentMetadataRules: SettingRules = {
  cc_profile: noEffect,
  qmd_assessmenttype: noEffect,
  bank_title: noEffect,
  bank_type: noEffect,
  bank_context_uuid: noEffect,
  bank_state: noEffect,
  qmd_scoretype: reportedUnless(/^percentage$/i),
  cc_maxattempts: attempts,
  qmd_timelimit: timeLimit,
  qmd_feedbackpermitted: answersHidden(/^no$/i, /^yes$/i),
  qmd_solutionspermitted: answersHidden(/^no$/i, /^yes$/i),
  qmd_hintspermitted: reportedUnless(/^yes$/i),
  cc_allow_late_submission: reportedIfOn,
};

/** Metadata of a QTI 1.2 question, by label; read by `parseQtiQuiz`, or without effect. */
export const qtiQuestionMetadataRules: SettingRules = {
  ...Object.fromEntries(
    [
      ...["cc_profile", "question_type", "points_possible", "cc_weighting", "interaction_type"],
      "question_scoring",
      ...["original_answer_ids", "assessment_question_identifierref", "qmd_computerscored"],
      ...["qmd_weighting", "qmd_itemtype", "qmd_status"],
      // Blackboard.
      ...["bbmd_asi_object_id", "bbmd_asitype", "bbmd_assessmenttype"],
      ...["bbmd_sectiontype", "bbmd_questiontype", "bbmd_is_from_cartridge", "bbmd_orientationtype"],
      ...["bbmd_numbertype", "qmd_absolutescore_max", "qmd_absolutescore_min", "qmd_assessmenttype"],
    ].map((name) => [name, noEffect]),
  ),
  calculator_type: reportedUnless(/^none$/),
  cc_question_category: { becomes: reported },
  qmd_topic: { becomes: reported },
  bbmd_is_disabled: reportedIfOn,
  bbmd_is_extracredit: reportedIfOn,
};

/** For the reference page. */
export const settingRuleTables: readonly { title: string; rules: SettingRules }[] = [
  { title: "Quizzes of Canvas (`assessment_meta.xml`)", rules: canvasQuizRules },
  { title: "Assignments of Canvas (`assignment_settings.xml`)", rules: canvasAssignmentRules },
  { title: "Discussions of Canvas (`topicMeta`)", rules: canvasDiscussionRules },
  { title: "Metadata of a QTI 1.2 assessment", rules: qtiAssessmentMetadataRules },
];
