import * as z from "zod";
import {
  answerPolicies,
  type ContentTypeName,
  countedAttempts,
  labFileRoles,
  quizModes,
  resourceKinds,
  scormCompletionRules,
  scormGradeRules,
  textBlockTypes,
  tutorScopes,
  videoProviders,
} from "../../enums.ts";
import { hundredths, Id, title, WideId, webAddress } from "./fields.ts";

/*
 * Schemas of `data_json` by content type. All keys are optional; unknown ones are kept, so content of other
 * tools can be stored. Each key is marked for learners or staff. Unknown keys, also nested ones, are for
 * staff (lib/courses/content/student-view.ts).
 */

const known = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.looseObject(shape).partial();

const audience = "x-audience";

const forLearners = <Schema extends z.ZodType>(schema: Schema): Schema =>
  schema.meta({ [audience]: "learners" });

const forStaff = <Schema extends z.ZodType>(schema: Schema): Schema => schema.meta({ [audience]: "staff" });

/** Marks all keys of a shape for learners. */
const allForLearners = <Shape extends Record<string, z.ZodType>>(shape: Shape): Shape =>
  Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, forLearners(schema)])) as Shape;

export const audienceOf = (schema: z.ZodType): unknown => schema.meta()?.[audience];

/** Learners' browsers open it. */
const webLink = webAddress(8192);

const seconds = z.number().min(0);

/** An ASSET file of the course's university. */
const file = WideId;

const video = known(
  allForLearners({
    provider: z.enum(videoProviders),
    video_id: z.string(),
    url: webLink,
    video_url: webLink,
    duration_seconds: seconds,
    /** Spelled as in the API's examples. */
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

/** A maximum; null for no limit. */
const positiveLimitOrNull = z.int().min(1).nullable();

const points = z.number().min(0).max(9999.99);

/** Extra credit beyond an item's points. */
const extraPoints = z.number().min(0).max(9999);

/** Whether graders see codes instead of people until the grades are released. */
const anonymous = z.boolean();

const quiz = known(
  allForLearners({
    question_pool_id: Id,
    quiz_mode: z.enum(quizModes),
    num_questions_per_attempt: positiveLimitOrNull,
    randomize_order: z.boolean(),
    time_limit_seconds: positiveLimitOrNull,
    mastery: known(
      allForLearners({
        points,
        extra_points: extraPoints,
        threshold_correct_in_row: positiveLimitOrNull,
        max_attempts: positiveLimitOrNull,
      }),
    ),
    extra_points: extraPoints,
    anonymous,
    passing_percent: z.number().min(0).max(100).nullable(),
    show_answers: z.enum(answerPolicies),
    tutor_scope: z.enum(tutorScopes),
  }),
);

/** Limits as numbers or in the container's notation, `512Mi` and `500m`. */
const limit = z.union([z.number(), z.string()]);

const areDistinct = (things: readonly { id: string }[]): boolean =>
  new Set(things.map(({ id }) => id)).size === things.length;

/**
 * A rubric: graders choose one level of each criterion. Grades refer to the author's ids, which stay when
 * text, points or order change.
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

export const rubric = z.looseObject(
  allForLearners({
    criteria: z
      .array(rubricCriterion)
      .min(1)
      .max(50)
      .refine(areDistinct, "Criteria should have distinct ids"),
  }),
);

/**
 * Without `max_attempts` unlimited; with `accepts_late: false` never after the due date. An item's late
 * policy overrides the offering's: 0 percent deducts nothing.
 */
const handedIn = allForLearners({
  // Other grading settings, such as a command, are for staff.
  grading: known(allForLearners({ type: z.string(), max_points: points, extra_points: extraPoints })),
  extra_points: extraPoints,
  max_attempts: positiveLimitOrNull,
  accepts_late: z.boolean(),
  late_percent_per_day: z.number().min(0).max(100),
  max_late_days: z.int().min(0).max(365),
  /** Whether a member hands in for their whole group. */
  group_submission: z.boolean(),
  anonymous,
  /** Whether two graders mark the work and must agree. */
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
    // Learners see only files marked for students. The role is required, as a file without one would have no
    // audience.
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

/** A criterion of an assignment, as text or with points. */
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

const scorm = known(
  allForLearners({
    /** A package that was checked (`registerScormPackage`). */
    file_id: file,
    completion: z.enum(scormCompletionRules),
    /** For the completion rule `score`. */
    passing_percent: z.number().min(0).max(100),
    grade: z.enum(scormGradeRules),
    counted_attempt: z.enum(countedAttempts),
    max_attempts: positiveLimitOrNull,
    max_points: points,
  }),
);
/** Without `max_points` it is ungraded, and learners complete it themselves. */
const externalTool = known({
  ...allForLearners({
    lti_tool_id: Id,
    max_points: points,
    extra_points: extraPoints,
    late_percent_per_day: z.number().min(0).max(100),
  }),
  /** Of this item at the tool; by default the tool's launch URL. */
  url: forStaff(webLink),
  /** Custom parameters of LTI, with variables such as `$Context.id`. */
  custom: forStaff(z.record(z.string(), z.string())),
  /** Ids that the tool gave the item in Deep Linking. */
  resource_id: forStaff(z.string().max(255)),
  tag: forStaff(z.string().max(255)),
  /** How graders open a learner's work at the tool. */
  submission_review: forStaff(
    known({
      url: forStaff(webLink),
      custom: forStaff(z.record(z.string(), z.string())),
      reviewable_status: forStaff(z.array(z.string())),
    }),
  ),
  /** Set if the tool created it: a column of one offering's gradebook. */
  line_item: forStaff(known({ offering_id: forStaff(Id), resource_link_id: forStaff(z.string().max(255)) })),
});

/** Types that administrators add have any shape. */
const anything = z.looseObject({});

const shapes: Record<ContentTypeName, z.ZodObject> = {
  video: video.meta({ id: "VideoData" }),
  quiz: quiz.meta({ id: "QuizData" }),
  engineering_lab: engineeringLab.meta({ id: "EngineeringLabData" }),
  text: text.meta({ id: "TextData" }),
  assignment: assignment.meta({ id: "AssignmentData" }),
  resource: resource.meta({ id: "ResourceData" }),
  scorm: scorm.meta({ id: "ScormData" }),
  external_tool: externalTool.meta({ id: "ExternalToolData" }),
};

/** The schemas of the built-in types, named in the API document. */
export const dataJsonShapes: readonly z.ZodObject[] = Object.values(shapes);

/** Marks a field as `data_json`: the API document describes it as one of these shapes or any object. */
export const holdsContent = { "x-content-data": true };

/** The schema of a content type; undefined for types that administrators added. */
export const dataJsonShape = (contentTypeName: string): z.ZodObject | undefined =>
  Object.hasOwn(shapes, contentTypeName) ? shapes[contentTypeName as ContentTypeName] : undefined;

/** The body field `data_json` for a content type. */
export const dataJsonField = (contentTypeName: string) =>
  z.object({ data_json: dataJsonShape(contentTypeName) ?? anything });
