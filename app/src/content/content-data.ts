/**
 * Known keys of an item's `data_json`. The service checks their types if present. All are optional, and
 * teachers may add others.
 */
export type TextData = { blocks?: ContentBlock[] };

export type ContentBlock = {
  type: "paragraph" | "math" | "image" | "link_list";
  text?: string;
  latex?: string;
  asset_id?: number;
  file_id?: number;
  caption?: string;
  items?: ContentLink[];
};

/** `file_id` refers to an uploaded file instead of a URL. */
export type ContentLink = { label?: string; url?: string; kind?: string; file_id?: number };

export type VideoData = {
  provider?: "youtube" | "vimeo" | "internal";
  video_id?: string;
  url?: string;
  video_url?: string;
  thumbnail_url?: string;
  file_id?: number | null;
  asset_id?: number | null;
  transcript?: { language?: string; segments?: { start?: number; end?: number; text?: string }[] };
};

export type QuizData = {
  quiz_mode?: "practice" | "exam";
  num_questions_per_attempt?: number;
  time_limit_seconds?: number | null;
  passing_percent?: number;
  tutor_scope?: "course" | "university";
  mastery?: { max_attempts?: number };
};

export type GradingRubric = { criteria?: RubricCriterion[] };
export type RubricCriterion = {
  id: string;
  title: string;
  description?: string;
  levels: { id: string; title: string; description?: string; points: number }[];
};

export type LabData = {
  rubric?: GradingRubric;
  lab_type?: string;
  runtime?: string;
  cpu_limit?: string | number;
  memory_limit?: string | number;
  timeout_seconds?: number;
  files?: { path: string; role: string; file_id?: number }[];
};

export type AssignmentData = {
  rubric?: GradingRubric;
  instructions?: string;
  max_points?: number;
  criteria?: string | (string | AssignmentCriterion)[];
  blocks?: ContentBlock[];
  resources?: ContentLink[];
};

export type AssignmentCriterion = {
  title?: string;
  label?: string;
  text?: string;
  description?: string;
  points?: number;
};

export type ResourceData = { resources?: ContentLink[] };

/** An http(s) URL. Anything else, such as `javascript:`, gives undefined. */
export const safeWebUrl = (url: string | undefined): string | undefined =>
  url && /^https?:\/\//i.test(url) ? url : undefined;
