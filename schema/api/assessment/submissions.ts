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
  description: "`returned`: given back for another attempt",
});

const work = {
  body: text(100_000).nullish().meta({ example: "The edges grow steeper with each odd harmonic." }),
  links: list(webAddress(1024), { max: 20 })
    .default([])
    .meta({ example: ["https://files.example.edu/report.pdf"] }),
  data_json: storedJsonObject(256).nullish(),
  artifacts_url: webAddress(1024)
    .nullish()
    .meta({ example: "https://files.example.edu/lab.zip", description: "Address of a lab's files" }),
  file_ids: fileIds(20)
    .optional()
    .meta({ example: [], description: "Files of purpose SUBMISSION, uploaded for this item" }),
  group_id: Id.nullish().meta({
    example: null,
    description:
      "For an item with `group_submission`, the caller's group to submit for. Optional for members of a " +
      "single group",
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
  attempt_number: z.int().meta({ description: "Number from 1" }),
  group_id: Id.nullable().meta({
    example: null,
    description: "The group of the submission; null for an individual one, and after deletion of the group",
  }),
  submitted_at: Instant,
  due_at: Instant.nullable().meta({ description: "Due date for the person; null for none" }),
  is_late: z.boolean().meta({ example: false }),
  late_days: z.int().meta({
    example: 0,
    description: "Number of late days, including started ones; 0 if on time",
  }),
  status: Status.meta({ example: "graded" }),
};

const graded = {
  score_obtained: score.meta({ description: "For the owner, null until the item's grades are released" }),
  max_score: z.number().nullable().meta({ example: 20 }),
  late_deduction: z
    .number()
    .nullable()
    .meta({
      example: 0,
      description:
        "Points deducted for lateness in the gradebook; null if the score is null. The score is before the " +
        "deduction",
    }),
  grade_source: z
    .enum(gradeSources)
    .nullable()
    .meta({
      description:
        "`hand`, or `auto` for the item's auto-grader, which never replaces a grade by hand. Null " +
        "without a grade",
    }),
  graded_at: Instant.nullable(),
};

const claim = {
  claimed_by_user_id: Id.nullable().meta({
    example: null,
    description: "The grader who has claimed it; null without a claim",
  }),
  claimed_until: Instant.nullable().meta({
    example: null,
    description:
      "Until then, only the grader with the claim may grade it. A claim lasts 15 minutes and can be renewed",
  }),
};

const givenMarks = {
  given: z.int().meta({ example: 1, description: "Number of given marks, of two" }),
  is_own_given: z.boolean().meta({ description: "Whether the caller has given a mark" }),
};

const SubmissionMark = z
  .object({
    grader_id: Id.nullable().meta({ description: "Null if the account was erased" }),
    score: z.number().meta({ example: 17.5, description: "Points of the mark" }),
    rubric: ChosenLevels.nullable().meta({
      description: "The chosen levels, as in the rubric at grading",
    }),
    feedback: z.string().nullable().meta({ example: "Mind the units." }),
    marked_at: Instant.meta({ description: "When the mark was given or last changed" }),
  })
  .meta({ id: "SubmissionMark" });

/** The marks of a submission with two graders, for staff. */
export const SubmissionMarks = z
  .object({
    ...givenMarks,
    shown: z
      .array(SubmissionMark)
      .meta({ description: "The caller's own mark; both marks, in order, once both are given" }),
  })
  .nullable()
  .meta({ description: "Null for the owner, and if the item has no `second_mark`" });

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
      description: "The group of the submission; null without one, and if people are hidden",
    }),
    graded_with: z.int().min(0).nullable().meta({
      example: 0,
      description: "Number of other group members with the same grade; null if people are hidden",
    }),
    marks: z.object(givenMarks).nullable().meta({ description: "Null if the item has no `second_mark`" }),
  })
  .meta({ id: "QueuedSubmission" });

export const Submission = z
  .object({
    ...handedIn,
    body: z.string().nullable().meta({ example: "The edges grow steeper with each odd harmonic." }),
    links: z.array(z.string()).meta({ example: ["https://files.example.edu/report.pdf"] }),
    data_json: JsonObject.nullable(),
    artifacts_url: z.string().nullable().meta({ example: "https://files.example.edu/lab.zip" }),
    files: z.array(FileSummary).meta({ description: "Submitted files" }),
    ...graded,
    instructor_feedback: z.string().nullable().meta({ example: "Well argued. Mind the units." }),
    rubric: ChosenLevels.nullable().meta({
      description:
        "The chosen levels, as in the rubric at grading. Null without any, and for the owner until " +
        "the item's grades are released",
    }),
    feedback_files: z
      .array(FileSummary)
      .meta({ description: "Files of the feedback, visible like the feedback" }),
    graded_alone: z.boolean().meta({
      example: false,
      description: "Whether this member of a group was graded separately from the others",
    }),
    shared_with: SharedWith.meta({
      description: "The other members of a group submission; not shown to its owner",
    }),
    marks: SubmissionMarks,
    auto_grade_json: JsonObject.nullable().meta({ description: "Latest result of the item's auto-grader" }),
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
  q: searchIn("the name or the email address, or the whole code shown instead of the person"),
  content_item_id: IdText.optional(),
  user_id: IdText.optional(),
  status: Status.optional(),
  is_late: BooleanText.optional(),
  claimed: BooleanText.optional().meta({
    description: "`true`: only submissions claimed by another grader; `false`: only others",
  }),
  marked: BooleanText.optional().meta({
    description: "`true`: only submissions that the caller has marked; `false`: only others",
  }),
  one_of_group: BooleanText.optional().meta({
    description:
      "`true`: one entry for each group submission with a common grade, instead of one for each " +
      "member. Has no effect with `q` or `user_id`, or if people are hidden",
  }),
  newest: BooleanText.optional().meta({
    description: "`true`: only the last attempt of each person; `false`: only earlier ones",
  }),
  sort: sortedBy(["submitted_at", "full_name"]),
});

const Feedback = text(20_000).nullish().meta({
  example: "Well argued. Mind the units.",
  description: "Null for none; if absent, the present one stays",
});

const FeedbackFiles = fileIds(20).nullish().meta({
  example: [],
  description: "Files of purpose FEEDBACK, replacing the present ones; if absent, these stay",
});

export const SubmissionGrade = z
  .object({
    score_obtained: hundredths(0, 9999.99).nullish().meta({
      example: 17.5,
      description:
        "At most the item's points. Default: the sum of the chosen levels; each criterion then needs one",
    }),
    rubric: RubricChoices.nullish().meta({
      description:
        "Chosen levels of the item's rubric, replacing the former ones. Null for none; if absent, these stay",
    }),
    feedback: Feedback,
    feedback_file_ids: FeedbackFiles,
    reason: title(500).nullish().meta({ description: "Reason for changing a grade", example: "Regraded" }),
    alone: z.boolean().default(false).meta({
      description: "For a group submission: whether to grade only this person, separately from the others",
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
    score: hundredths(0, 9999.99).meta({ example: 15, description: "At most the item's points" }),
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
        "KEPT: a person has graded or returned it, which takes precedence. SUPERSEDED: a later result was " +
        "received first",
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
      description: "Key of the HMAC-SHA256, as text; different for each item in each offering",
    }),
    version: z
      .int()
      .min(1)
      .meta({ description: "Number of the secret; only signatures with the newest are valid" }),
    renewed_at: Instant.nullable().meta({ description: "Null for the first secret" }),
    readers: z
      .array(
        z.object({
          user_id: Id,
          full_name: z.string().nullable(),
          read_at: Instant,
          still_allowed: z.boolean().meta({ description: "Whether the person may still read it" }),
        }),
      )
      .meta({
        description:
          "People who have read this version, and when they last did. If `still_allowed` is false, the person " +
          "can sign until the secret is renewed",
      }),
  })
  .meta({ id: "AutoGrader" });

export const SubmissionOverrideUpdate = z
  .object({
    max_attempts: integer(1, 1_000_000)
      .nullish()
      .meta({ description: "Maximum number of attempts; null for the item's own" }),
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
    max_attempts: z.int().nullable().meta({
      description: "Maximum number of attempts; null for the item's own",
    }),
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
