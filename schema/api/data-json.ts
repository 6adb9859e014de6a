import * as z from "zod";
import {
  answerPolicies,
  type ContentTypeName,
  labFileRoles,
  quizModes,
  resourceKinds,
  textBlockTypes,
  videoProviders,
} from "../enums.ts";
import { Id, webAddress } from "./fields.ts";

/*
 * What is known of `data_json` for each content type. Every key may be absent, and keys that are not named here
 * pass as they are, so that content of other tools can be kept; a key that is named has its type.
 */

const known = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.looseObject(shape).partial();

/** Learners' browsers open it. */
const webLink = webAddress(8192);

const seconds = z.number().min(0);

const video = known({
  provider: z.enum(videoProviders),
  video_id: z.string(),
  url: webLink,
  video_url: webLink,
  duration_seconds: seconds,
  transcript: known({
    language: z.string(),
    segments: z.array(known({ start: seconds, end: seconds, text: z.string() })),
  }),
  thumbnail_url: webLink,
  asset_id: Id.nullable(),
});

/** How many of something there may be at most; null for what counts without. */
const most = z.int().min(1).nullable();

const points = z.number().min(0).max(9999.99);

/** What may be given beyond the points of an item. */
const extraPoints = z.number().min(0).max(9999);

const quiz = known({
  question_pool_id: Id,
  quiz_mode: z.enum(quizModes),
  num_questions_per_attempt: most,
  randomize_order: z.boolean(),
  time_limit_seconds: most,
  mastery: known({
    points,
    extra_points: extraPoints,
    threshold_correct_in_row: most,
    max_attempts: most,
  }),
  extra_points: extraPoints,
  passing_percent: z.number().min(0).max(100).nullable(),
  show_answers: z.enum(answerPolicies),
});

/** Limits are written as numbers or as the container's own `512Mi` and `500m`. */
const limit = z.union([z.number(), z.string()]);

/** Without `max_attempts` as often as one likes; with `accepts_late: false` never after it is due. */
const handedIn = {
  grading: known({ type: z.string(), max_points: points, extra_points: extraPoints }),
  extra_points: extraPoints,
  max_attempts: most,
  accepts_late: z.boolean(),
};

const engineeringLab = known({
  lab_type: z.string(),
  runtime: z.string(),
  container_image: z.string(),
  cpu_limit: limit,
  memory_limit: limit,
  timeout_seconds: seconds,
  entrypoint: z.string(),
  env: z.record(z.string(), z.string()),
  // A file without a role would be nobody's to see or to hide.
  files: z.array(z.looseObject({ path: z.string(), role: z.enum(labFileRoles) })),
  ...handedIn,
});

/** What it takes is free in its shape, but for how it is handed in. */
const assignment = known({ ...handedIn, max_points: points });

const link = { label: z.string(), url: webLink };

const block = known({
  type: z.enum(textBlockTypes),
  text: z.string(),
  latex: z.string(),
  asset_id: Id,
  caption: z.string(),
  items: z.array(known(link)),
});

const text = known({
  layout: z.string(),
  title: z.string(),
  blocks: z.array(block.required({ type: true })),
});

const resource = known({ resources: z.array(known({ ...link, kind: z.enum(resourceKinds) })) });

/** The types that administrators add are free in their shape. */
const anything = z.looseObject({});

const shapes: Record<ContentTypeName, z.ZodType> = {
  video,
  quiz,
  engineering_lab: engineeringLab,
  text,
  assignment,
  resource,
};

/** The body's field `data_json` as this content type wants it. */
export const dataJsonField = (contentTypeName: string) =>
  z.object({
    data_json: Object.hasOwn(shapes, contentTypeName) ? shapes[contentTypeName as ContentTypeName] : anything,
  });
