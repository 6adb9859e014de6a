import type { ContentDataFieldDefinition } from "./data-fields.tsx";

/** The fields of each content type. Lists have their own editors. */

export const videoSettingsFields: readonly ContentDataFieldDefinition[] = [
  { path: "thumbnail_url", label: "video.thumbnail", as: "address" },
  { path: "duration_seconds", label: "video.duration", as: "minutes" },
  { path: "transcript.language", label: "video.language", as: "line" },
];

export const transcriptSegmentFields: readonly ContentDataFieldDefinition[] = [
  { path: "start", label: "video.start", as: "number" },
  { path: "end", label: "video.end", as: "number" },
  { path: "text", label: "text", as: "line" },
];

const anonymous: ContentDataFieldDefinition = {
  path: "anonymous",
  label: "anonymous.graded",
  about: "anonymous.graded.about",
  as: "check",
};

export const quizFields: readonly ContentDataFieldDefinition[] = [
  {
    path: "quiz_mode",
    label: "quiz.mode",
    as: [
      ["practice", "quiz.practice"],
      ["exam", "quiz.exam"],
    ],
  },
  { path: "num_questions_per_attempt", label: "quiz.number", about: "quiz.number.about", as: "number" },
  { path: "time_limit_seconds", label: "quiz.limit", as: "minutes" },
  { path: "passing_percent", label: "quiz.pass.percent", as: "number" },
  { path: "mastery.max_attempts", label: "attempts.most", about: "attempts.most.about", as: "number" },
  { path: "mastery.points", label: "points", as: "number" },
  { path: "mastery.extra_points", label: "points.extra", about: "points.extra.about", as: "number" },
  {
    path: "show_answers",
    label: "quiz.show.answers",
    about: "quiz.show.answers.about",
    as: [
      ["after_submit", "quiz.after.submit"],
      ["after_due", "quiz.after.due"],
      ["never", "quiz.never"],
    ],
  },
  {
    path: "tutor_scope",
    label: "quiz.scope",
    about: "quiz.scope.about",
    as: [
      ["course", "quiz.scope.course"],
      ["university", "quiz.scope.university"],
    ],
  },
  { path: "randomize_order", label: "quiz.shuffle", as: "check" },
  anonymous,
];

const handedIn: readonly ContentDataFieldDefinition[] = [
  { path: "max_attempts", label: "attempts.most", about: "attempts.most.about", as: "number" },
  { path: "accepts_late", label: "late", as: "check unless false" },
  { path: "group_submission", label: "group.submission", as: "check" },
  anonymous,
  { path: "second_mark", label: "second.mark", about: "second.mark.about", as: "check" },
  { path: "late_percent_per_day", label: "scheme.late.percent", about: "late.own.about", as: "number" },
  { path: "max_late_days", label: "scheme.late.days", about: "late.own.about", as: "number" },
];

export const labFields: readonly ContentDataFieldDefinition[] = [
  { path: "lab_type", label: "lab.kind", as: "line" },
  { path: "runtime", label: "lab.runtime", as: "line" },
  { path: "container_image", label: "lab.image", as: "line" },
  { path: "entrypoint", label: "lab.entrypoint", as: "line" },
  { path: "cpu_limit", label: "lab.processors", as: "line" },
  { path: "memory_limit", label: "lab.memory", as: "line" },
  { path: "timeout_seconds", label: "lab.timeout", as: "number" },
  { path: "grading.type", label: "grading.type", as: "line" },
  { path: "grading.max_points", label: "points", as: "number" },
  { path: "grading.extra_points", label: "points.extra", about: "points.extra.about", as: "number" },
  { path: "env", label: "lab.env", as: "settings" },
  ...handedIn,
];

export const labFileFields: readonly ContentDataFieldDefinition[] = [
  { path: "path", label: "lab.path", as: "line" },
  {
    path: "role",
    label: "lab.role",
    as: [
      ["student_visible", "lab.visible"],
      ["hidden_test", "lab.hidden"],
    ],
  },
];

export const assignmentFields: readonly ContentDataFieldDefinition[] = [
  { path: "criteria", label: "assignment.criteria.each", as: "lines" },
  { path: "max_points", label: "points", as: "number" },
  { path: "extra_points", label: "points.extra", about: "points.extra.about", as: "number" },
  ...handedIn,
];

export const scormFields: readonly ContentDataFieldDefinition[] = [
  {
    path: "completion",
    label: "scorm.completion",
    about: "scorm.completion.about",
    as: [
      ["completed", "scorm.rule.completed"],
      ["passed", "scorm.rule.passed"],
      ["score", "scorm.rule.score"],
    ],
  },
  { path: "passing_percent", label: "scorm.percent", as: "number" },
  {
    path: "grade",
    label: "scorm.grade",
    as: [
      ["score", "scorm.grade.score"],
      ["completion", "scorm.grade.completion"],
    ],
  },
  {
    path: "counted_attempt",
    label: "scorm.counted",
    as: [
      ["highest", "scorm.counted.highest"],
      ["first", "scorm.counted.first"],
      ["last", "scorm.counted.last"],
    ],
  },
  { path: "max_attempts", label: "attempts.most", about: "attempts.most.about", as: "number" },
  { path: "max_points", label: "points", as: "number" },
];

export const resourceLinkFields: readonly ContentDataFieldDefinition[] = [
  { path: "label", label: "link.label", as: "line" },
  { path: "url", label: "link.url", as: "address" },
  {
    path: "kind",
    label: "module.kind",
    as: [
      ["pdf", "resource.pdf"],
      ["article", "resource.article"],
      ["video", "kind.video"],
    ],
  },
];

export const externalToolFields: readonly ContentDataFieldDefinition[] = [
  { path: "url", label: "tool.url", about: "tool.url.about", as: "address" },
  { path: "custom", label: "tool.custom", about: "tool.custom.about", as: "settings" },
  { path: "max_points", label: "points", about: "tool.points.about", as: "number" },
  { path: "extra_points", label: "points.extra", about: "points.extra.about", as: "number" },
  { path: "late_percent_per_day", label: "scheme.late.percent", about: "late.own.about", as: "number" },
];
