import * as z from "zod";
import {
  answerPolicies,
  type ContentTypeName,
  labFileRoles,
  quizModes,
  resourceKinds,
  textBlockTypes,
  tutorScopes,
  videoProviders,
} from "../enums.ts";
import { hundredths, Id, title, WideId, webAddress } from "./fields.ts";

/*
 * What is known of `data_json` for each content type. Every key may be absent, and keys that are not named here
 * are kept as they are, so that content of other tools can be; a key that is named has its type. Each is marked as the
 * learners' or the staff's. What is not named is the staff's, in objects within as well (lib/content/student-view.ts).
 */

const known = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.looseObject(shape).partial();

const audience = "x-audience";

const forLearners = <Schema extends z.ZodType>(schema: Schema): Schema =>
  schema.meta({ [audience]: "learners" });

const forStaff = <Schema extends z.ZodType>(schema: Schema): Schema => schema.meta({ [audience]: "staff" });

/** All keys of a shape as the learners' own. */
const allForLearners = <Shape extends Record<string, z.ZodType>>(shape: Shape): Shape =>
  Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, forLearners(schema)])) as Shape;

/** Whose a key is, by the mark of its schema. */
export const audienceOf = (schema: z.ZodType): unknown => schema.meta()?.[audience];

/** Learners' browsers open it. */
const webLink = webAddress(8192);

const seconds = z.number().min(0);

/** A file of purpose ASSET of the course's university. */
const file = WideId;

const video = known(
  allForLearners({
    provider: z.enum(videoProviders),
    video_id: z.string(),
    url: webLink,
    video_url: webLink,
    duration_seconds: seconds,
    /** As the API's example has it. */
    duration: seconds,
    transcript: known(
      allForLearners({
        language: z.string(),
        segments: z.array(known(allForLearners({ start: seconds, end: seconds, text: z.string() }))),
      }),
    ),
    thumbnail_url: webLink,
    asset_id: Id.nullable(),
    file_id: file.nullable(),
  }),
);

/** How many of something there may be at most; null for what counts without. */
const most = z.int().min(1).nullable();

const points = z.number().min(0).max(9999.99);

/** What may be given beyond the points of an item. */
const extraPoints = z.number().min(0).max(9999);

/** Whether who grades is shown codes in place of people, until the grades are released. */
const anonymous = z.boolean();

const quiz = known(
  allForLearners({
    question_pool_id: Id,
    quiz_mode: z.enum(quizModes),
    num_questions_per_attempt: most,
    randomize_order: z.boolean(),
    time_limit_seconds: most,
    mastery: known(
      allForLearners({
        points,
        extra_points: extraPoints,
        threshold_correct_in_row: most,
        max_attempts: most,
      }),
    ),
    extra_points: extraPoints,
    anonymous,
    passing_percent: z.number().min(0).max(100).nullable(),
    show_answers: z.enum(answerPolicies),
    tutor_scope: z.enum(tutorScopes),
  }),
);

/** Limits are written as numbers or as the container's own `512Mi` and `500m`. */
const limit = z.union([z.number(), z.string()]);

const areDistinct = (things: readonly { id: string }[]): boolean =>
  new Set(things.map(({ id }) => id)).size === things.length;

/**
 * What work is judged by: of each criterion one level is chosen. Their ids are the author's own, and what a grade refers to:
 * they stay as they are when words, points or the order change.
 */
const rubricLevel = z.looseObject(
  allForLearners({
    id: title(64),
    title: title(255),
    description: z.string().max(2000).optional(),
    points: hundredths(0, 9999.99),
  }),
);

const rubricCriterion = z.looseObject(
  allForLearners({
    id: title(64),
    title: title(255),
    description: z.string().max(2000).optional(),
    levels: z
      .array(rubricLevel)
      .min(1)
      .max(20)
      .refine(areDistinct, "Levels of a criterion should have distinct ids"),
  }),
);

const rubric = z.looseObject(
  allForLearners({
    criteria: z
      .array(rubricCriterion)
      .min(1)
      .max(50)
      .refine(areDistinct, "Criteria should have distinct ids"),
  }),
);

/**
 * Without `max_attempts` as often as one likes; with `accepts_late: false` never after it is due. What it says of lateness
 * comes before what the offering says: 0 percent takes nothing off.
 */
const handedIn = allForLearners({
  // How it is graded beside these, as by which command, is the staff's.
  grading: known(allForLearners({ type: z.string(), max_points: points, extra_points: extraPoints })),
  extra_points: extraPoints,
  max_attempts: most,
  accepts_late: z.boolean(),
  late_percent_per_day: z.number().min(0).max(100),
  max_late_days: z.int().min(0).max(365),
  /** Whether one hands in for all members of their group. */
  group_submission: z.boolean(),
  anonymous,
  /** Whether two mark it, and it is graded once they agree. */
  second_mark: z.boolean(),
  rubric,
});

const engineeringLab = known({
  ...allForLearners({
    lab_type: z.string(),
    runtime: z.string(),
    container_image: z.string(),
    cpu_limit: limit,
    memory_limit: limit,
    timeout_seconds: seconds,
    // Of these only the ones for students. A file without a role would be nobody's to see or to hide.
    files: z.array(
      z.looseObject(
        allForLearners({ path: z.string(), role: z.enum(labFileRoles), file_id: file.optional() }),
      ),
    ),
  }),
  // It names the tests.
  entrypoint: forStaff(z.string()),
  // It may hold secrets.
  env: forStaff(z.record(z.string(), z.string())),
  ...handedIn,
});

const link = allForLearners({ label: z.string(), url: webLink });

const block = known(
  allForLearners({
    type: z.enum(textBlockTypes),
    text: z.string(),
    latex: z.string(),
    asset_id: Id,
    file_id: file,
    caption: z.string(),
    items: z.array(known(link)),
  }),
);

const blocks = z.array(block.required({ type: true }));

const resources = z.array(
  known({ ...link, kind: forLearners(z.enum(resourceKinds)), file_id: forLearners(file) }),
);

/** What is asked for in work, in words or with its points. */
const criterion = known(
  allForLearners({ title: z.string(), label: z.string(), text: z.string(), description: z.string(), points }),
);

const assignment = known({
  ...allForLearners({
    title: z.string(),
    instructions: z.string(),
    description: z.string(),
    criteria: z.union([z.string(), z.array(z.union([z.string(), criterion]))]),
    resources,
    blocks,
    max_points: points,
  }),
  ...handedIn,
});

const text = known(allForLearners({ layout: z.string(), title: z.string(), blocks }));

const resource = known(allForLearners({ resources }));

/** The types that administrators add are free in their shape. */
const anything = z.looseObject({});

const shapes: Record<ContentTypeName, z.ZodObject> = {
  video: video.meta({ id: "VideoData" }),
  quiz: quiz.meta({ id: "QuizData" }),
  engineering_lab: engineeringLab.meta({ id: "EngineeringLabData" }),
  text: text.meta({ id: "TextData" }),
  assignment: assignment.meta({ id: "AssignmentData" }),
  resource: resource.meta({ id: "ResourceData" }),
};

/** The shapes of the six types, which the API document names. */
export const dataJsonShapes: readonly z.ZodObject[] = Object.values(shapes);

/** Of a field that holds `data_json`: the API document describes it as one of the six shapes, or an object of another. */
export const holdsContent = { "x-content-data": true };

/** The shape of a content type's `data_json`; undefined for the types that administrators add. */
export const dataJsonShape = (contentTypeName: string): z.ZodObject | undefined =>
  Object.hasOwn(shapes, contentTypeName) ? shapes[contentTypeName as ContentTypeName] : undefined;

/** The body's field `data_json` as this content type wants it. */
export const dataJsonField = (contentTypeName: string) =>
  z.object({ data_json: dataJsonShape(contentTypeName) ?? anything });
