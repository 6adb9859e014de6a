import * as z from "zod";
import { gradeSources, labSubmissionStatuses } from "../../enums.ts";
import { ofGroup } from "../courses/groups.ts";
import { FileAddress, FileSummary, fileIds } from "../files/files.ts";
import { personOnRecord } from "../identity/person-on-record.ts";
import {
  hundredths,
  Id,
  IdText,
  Instant,
  integer,
  JsonObject,
  list,
  lowerEnum,
  storedJsonObject,
  text,
  title,
  WideId,
  webAddress,
} from "../platform/fields.ts";
import { BooleanText, listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";
import { personOrCode } from "./anonymous.ts";
import { datesGranted, grantedDates } from "./quiz-attempts.ts";
import { ChosenLevels, RubricChoices } from "./rubrics.ts";

const Status = lowerEnum(labSubmissionStatuses).meta({
  example: "submitted",
  description: "`returned` was given back for another attempt",
});

const work = {
  body: text(100_000).nullish().meta({ example: "The edges grow steeper with each odd harmonic." }),
  links: list(webAddress(1024), { max: 20 })
    .default([])
    .meta({ example: ["https://files.example.edu/report.pdf"] }),
  data_json: storedJsonObject(256).nullish(),
  artifacts_url: webAddress(1024)
    .nullish()
    .meta({ example: "https://files.example.edu/lab.zip", description: "Where the files of a lab lie" }),
  file_ids: fileIds(20)
    .optional()
    .meta({ example: [], description: "Files of purpose SUBMISSION that were sent for this item" }),
  group_id: Id.nullish().meta({
    example: null,
    description:
      "Of an item with `group_submission`, the group of one's own that it is handed in for; one who is in a single one need not say it",
  }),
};

/** The other owners of a group's submission. */
export const SharedWith = z.array(
  z.object({ submission_id: WideId, user_id: Id, ...personOnRecord }).meta({ id: "SharedSubmission" }),
);

/** Work to hand in: a text, links, data, or several of these. */
export const SubmissionCreate = z
  .object(work)
  .refine(
    ({ body, links, data_json, artifacts_url, file_ids }) =>
      body || links.length || data_json || artifacts_url || file_ids?.length,
    {
      message: "One of body, links, data_json, artifacts_url and file_ids should not be empty",
      path: ["body"],
    },
  )
  .meta({ id: "SubmissionCreate" });

const score = z.number().nullable().meta({ example: 17.5 });

const handedIn = {
  id: WideId,
  ...personOrCode,
  course_offering_id: Id,
  content_item_id: Id,
  attempt_number: z.int().meta({ description: "Counts from 1" }),
  group_id: Id.nullable().meta({
    example: null,
    description: "The group that it was handed in for; null for oneself alone, and once that is deleted",
  }),
  submitted_at: Instant,
  due_at: Instant.nullable().meta({ description: "What it was due by, for this person" }),
  is_late: z.boolean().meta({ example: false }),
  late_days: z.int().meta({
    example: 0,
    description: "How many days, of which each that has begun counts; 0 where it was in time",
  }),
  status: Status.meta({ example: "graded" }),
};

const graded = {
  score_obtained: score.meta({ description: "Null to its owner until grades of the item are released" }),
  max_score: z.number().nullable().meta({ example: 20 }),
  late_deduction: z.number().nullable().meta({
    example: 0,
    description:
      "What lateness takes off the score in the gradebook, in points; null where the score is. The score is as it was given",
  }),
  grade_source: z
    .enum(gradeSources)
    .nullable()
    .meta({ description: "`hand`, or `auto` for the item's own grader, which never beats a grade by hand" }),
  graded_at: Instant.nullable(),
};

const claim = {
  claimed_by_user_id: Id.nullable().meta({ example: null, description: "Whoever looks at it now" }),
  claimed_until: Instant.nullable().meta({
    example: null,
    description: "Until then nobody else may grade it. A claim lasts 15 minutes, and may be renewed",
  }),
};

const givenMarks = {
  given: z.int().meta({ example: 1, description: "How many of the two marks are in" }),
  is_own_given: z.boolean().meta({ description: "Whether one of them is the reader's" }),
};

const SubmissionMark = z
  .object({
    grader_id: Id.nullable().meta({ description: "Null for who has erased their account since" }),
    score: z.number().meta({ example: 17.5, description: "In points of the item" }),
    rubric: ChosenLevels.nullable().meta({
      description: "The levels that were chosen, as the rubric was then",
    }),
    feedback: z.string().nullable().meta({ example: "Mind the units." }),
    marked_at: Instant.meta({ description: "When it was given, or changed last" }),
  })
  .meta({ id: "SubmissionMark" });

/** The marks of a submission with two graders, for staff. */
export const SubmissionMarks = z
  .object({
    ...givenMarks,
    shown: z
      .array(SubmissionMark)
      .meta({ description: "The reader's own, and both once both are in, the first before the second" }),
  })
  .nullable()
  .meta({ description: "Null where the item does not say `second_mark`, and to its owner" });

export const OwnSubmission = z.object({ ...handedIn, ...graded }).meta({ id: "OwnSubmission" });

export const QueuedSubmission = z
  .object({
    ...handedIn,
    ...graded,
    ...claim,
    ...personOnRecord,
    title: z.string(),
    group_name: z.string().nullable().meta({
      example: null,
      description: "Of the group that it was handed in for; null without one, and where people are hidden",
    }),
    graded_with: z.int().min(0).nullable().meta({
      example: 0,
      description: "How many others of the group get the same grade with it; null where people are hidden",
    }),
    marks: z
      .object(givenMarks)
      .nullable()
      .meta({ description: "Null where the item does not say `second_mark`" }),
  })
  .meta({ id: "QueuedSubmission" });

export const Submission = z
  .object({
    ...handedIn,
    body: z.string().nullable().meta({ example: "The edges grow steeper with each odd harmonic." }),
    links: z.array(z.string()).meta({ example: ["https://files.example.edu/report.pdf"] }),
    data_json: JsonObject.nullable(),
    artifacts_url: z.string().nullable().meta({ example: "https://files.example.edu/lab.zip" }),
    files: z.array(FileSummary).meta({ description: "What came with it" }),
    ...graded,
    instructor_feedback: z.string().nullable().meta({ example: "Well argued. Mind the units." }),
    rubric: ChosenLevels.nullable().meta({
      description:
        "The levels that were chosen, as the rubric was then; null without any, and to its owner until grades of the item are released",
    }),
    feedback_files: z.array(FileSummary).meta({ description: "What came with the feedback, as it is shown" }),
    graded_alone: z.boolean().meta({
      example: false,
      description:
        "Whether its grade was given to this one alone of a group, and stays when the others get another",
    }),
    shared_with: SharedWith.meta({
      description: "The others whose submission it is too, with the group; its owner is not told",
    }),
    marks: SubmissionMarks,
    auto_grade_json: JsonObject.nullable().meta({ description: "What the item's own grader said last" }),
    returned_at: Instant.nullable().meta({ example: null }),
    ...claim,
  })
  .meta({ id: "Submission" });

export const OwnSubmissionsQuery = listQuery({
  course_offering_id: IdText.optional(),
  content_item_id: IdText.optional(),
});

export const SubmissionQueueQuery = listQuery({
  group_id: ofGroup,
  q: searchIn("the name or the e-mail address, or by all of the code of whom it stands for"),
  content_item_id: IdText.optional(),
  user_id: IdText.optional(),
  status: Status.optional(),
  is_late: BooleanText.optional(),
  claimed: BooleanText.optional().meta({ description: "Whether another than the caller looks at it now" }),
  marked: BooleanText.optional().meta({ description: "Whether one of its two marks is the caller's" }),
  one_of_group: BooleanText.optional().meta({
    description:
      "`true`: one line for what a group handed in and is graded together, in place of one for each member; not where `q` or `user_id` looks for a person, nor of work whose people are hidden",
  }),
  newest: BooleanText.optional().meta({ description: "Whether it is its owner's last attempt" }),
  sort: sortedBy(["submitted_at", "full_name"]),
});

const Feedback = text(20_000).nullish().meta({ example: "Well argued. Mind the units." });

const FeedbackFiles = fileIds(20).nullish().meta({
  example: [],
  description: "Files of purpose FEEDBACK, in place of those that are there; absent: these stay",
});

export const SubmissionGrade = z
  .object({
    score_obtained: hundredths(0, 9999.99).nullish().meta({
      example: 17.5,
      description:
        "At most the points of the item; absent: what the chosen levels are worth, of which each criterion needs one then",
    }),
    rubric: RubricChoices.nullish().meta({
      description:
        "The levels of the item's rubric that are chosen, in place of those that were; null: none, absent: these stay",
    }),
    feedback: Feedback,
    feedback_file_ids: FeedbackFiles,
    reason: title(500).nullish().meta({ description: "Why, where it changes a grade", example: "Regraded" }),
    alone: z.boolean().default(false).meta({
      description:
        "Of what was handed in for a group, a grade for this person alone, which stays when the others get another",
    }),
  })
  .refine(({ score_obtained, rubric }) => score_obtained != null || rubric, {
    message: "Give either score_obtained or the levels of a rubric",
    path: ["score_obtained"],
  })
  .meta({
    id: "SubmissionGrade",
    example: { score_obtained: 17.5, feedback: "Well argued. Mind the units." },
  });

export const SubmissionReturn = z
  .object({
    feedback: text(20_000).meta({ example: "Please add the error bars." }),
    feedback_file_ids: FeedbackFiles,
  })
  .meta({ id: "SubmissionReturn" });

export const AutoGrade = z
  .object({
    score: hundredths(0, 9999.99).meta({ example: 15, description: "At most the points of the item" }),
    details: storedJsonObject(64)
      .default({})
      .meta({ example: { tests_passed: 3, tests_failed: 1 } }),
  })
  .meta({ id: "AutoGrade" });

export const AutoGradeResult = z
  .object({
    submission_id: WideId,
    outcome: z.enum(["GRADED", "KEPT", "SUPERSEDED"]).meta({
      description:
        "KEPT: a person has graded or returned it, and that stands. SUPERSEDED: a later word came before this one",
    }),
  })
  .meta({ id: "AutoGradeResult" });

export const GraderFiles = z.array(
  FileSummary.pick({ id: true, media_type: true, size: true, sha256: true })
    .extend({ name: z.string().meta({ example: "report.pdf" }), ...FileAddress.shape })
    .meta({ id: "GraderFile" }),
);

export const AutoGrader = z
  .object({
    secret: z.string().meta({
      example: "bm90IGEgc2VjcmV0LCBidXQgYW4gZXhhbXBsZSBvZiBvbmU",
      description: "The key of the HMAC-SHA256 as text; another one for each item in each offering",
    }),
    version: z
      .int()
      .min(1)
      .meta({ description: "Counts how often it was made: a grader signs with the newest alone" }),
    renewed_at: Instant.nullable().meta({ description: "Null while it is the first one" }),
    readers: z
      .array(
        z.object({
          user_id: Id,
          full_name: z.string().nullable(),
          read_at: Instant,
          still_allowed: z.boolean().meta({ description: "Whether they may still read it" }),
        }),
      )
      .meta({
        description:
          "Who has read this version, and when last. Someone who may not any more (`still_allowed` is false) can go on signing until it is renewed",
      }),
  })
  .meta({ id: "AutoGrader" });

export const SubmissionOverrideUpdate = z
  .object({
    max_attempts: integer(1, 1_000_000).nullish().meta({ description: "In place of the item's own" }),
    ...grantedDates,
  })
  .meta({ id: "SubmissionOverrideUpdate" });

/** A person's accommodations for a lab or assignment; null keeps the item's value. */
export const SubmissionOverride = z
  .object({
    id: Id,
    user_id: Id,
    course_offering_id: Id,
    content_item_id: Id,
    max_attempts: z.int().nullable(),
    ...datesGranted,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "SubmissionOverride" });

export type SubmissionCreate = z.output<typeof SubmissionCreate>;
export type OwnSubmission = z.input<typeof OwnSubmission>;
export type QueuedSubmission = z.input<typeof QueuedSubmission>;
export type Submission = z.input<typeof Submission>;
export type SubmissionMarks = z.input<typeof SubmissionMarks>;
export type OwnSubmissionsQuery = z.output<typeof OwnSubmissionsQuery>;
export type SubmissionQueueQuery = z.output<typeof SubmissionQueueQuery>;
export type SubmissionGrade = z.output<typeof SubmissionGrade>;
export type SubmissionReturn = z.output<typeof SubmissionReturn>;
export type AutoGrade = z.output<typeof AutoGrade>;
export type AutoGradeResult = z.input<typeof AutoGradeResult>;
export type GraderFiles = z.input<typeof GraderFiles>;
export type AutoGrader = z.input<typeof AutoGrader>;
export type SubmissionOverrideUpdate = z.output<typeof SubmissionOverrideUpdate>;
export type SubmissionOverride = z.input<typeof SubmissionOverride>;
