import * as z from "zod";
import { contentTypeNames, gradeChangeKinds, gradeStates, releaseModes } from "../../enums.ts";
import { EnrollmentStatus } from "../courses/enrollments.ts";
import { ofGroup } from "../courses/groups.ts";
import { ExternalId, nameThere } from "../identity/members.ts";
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
  oneOf,
  RefusalCode,
  title,
  upperEnum,
  Version,
  WideId,
  windowOf,
} from "../platform/fields.ts";
import { fileText, ReadAs } from "../platform/file-text.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";
import { anonymousCode, personOrCode } from "./anonymous.ts";

const ReleaseMode = upperEnum(releaseModes).meta({
  example: "MANUAL",
  description:
    "AUTOMATIC: learners see a grade as soon as it exists. MANUAL: when staff release the item. The result of a quiz is in its attempt at once",
});

const Letter = z.object({
  letter: title(8).meta({ example: "A" }),
  min_percent: hundredths(0, 100).meta({ example: 90, description: "The lowest percentage for this letter" }),
});

const dropLowest = integer(0, 200)
  .default(0)
  .meta({
    example: 1,
    description:
      "Number of a person's lowest items to drop, chosen for the best result. Excused items are not " +
      "dropped. Missing items can be dropped once they count as zero. At least one item counts",
  });

const Group = z.object({
  name: title(128).meta({ example: "Labs" }),
  weight: hundredths(0, 100).meta({ example: 40, description: "Weight relative to the other groups" }),
  content_item_ids: list(Id, { max: 200 }).meta({ example: [3] }),
  drop_lowest: dropLowest,
});

const latePercent = {
  example: 10,
  description:
    "Percent of the item's points deducted for each started day after the due date; null for none. An " +
    "item's `late_percent_per_day` takes precedence. Does not apply to scores set by staff",
};

const lateDays = {
  example: 3,
  description:
    "Number of days after the due date for which work is accepted; null for no limit. An item's " +
    "`max_late_days` takes precedence",
};

const exampleLetterScale = [
  { letter: "A", min_percent: 90 },
  { letter: "B", min_percent: 80 },
  { letter: "F", min_percent: 0 },
];

const fallsTo0 = (letters: { letter: string; min_percent: number }[]): boolean =>
  letters.some(({ min_percent }) => min_percent === 0);

const areDistinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

export const GradingSchemeUpdate = z
  .object({
    letter_scale: list(Letter, { min: 1, max: 30 })
      .refine(fallsTo0, "One letter should have min_percent 0")
      .refine(
        (letters) =>
          areDistinct(letters.map((one) => one.min_percent)) && areDistinct(letters.map((one) => one.letter)),
        "Letters and their min_percent should be distinct",
      )
      .meta({ example: exampleLetterScale }),
    passing_percent: hundredths(0, 100).meta({ example: 60 }),
    groups: list(Group, { max: 50 })
      .refine((groups) => areDistinct(groups.map(({ name }) => name)), "Names should be distinct")
      .refine(
        (groups) => areDistinct(groups.flatMap((group) => group.content_item_ids)),
        "An item should be in one group",
      )
      .meta({
        description:
          "Items of a group count by their points, groups by their weights, and items without a group do not " +
          "count. Without groups, all items count by their points",
      }),
    release_mode: ReleaseMode,
    drop_lowest: integer(0, 200).meta({
      example: 0,
      description: "Number of lowest items to drop if there are no groups",
    }),
    late_percent_per_day: hundredths(0, 100).nullable().meta(latePercent),
    max_late_days: integer(0, 365).nullable().meta(lateDays),
  })
  .partial()
  .meta({ id: "GradingSchemeUpdate" });

export const GradingScheme = z
  .object({
    course_offering_id: Id,
    is_graded: z.boolean().meta({
      description: "Whether a scheme was set: completing the course then requires a final passing grade",
    }),
    letter_scale: z
      .array(z.object({ letter: z.string(), min_percent: z.number() }))
      .meta({ example: exampleLetterScale }),
    passing_percent: z.number().meta({ example: 60 }),
    groups: z.array(
      z.object({
        name: z.string().meta({ example: "Labs" }),
        weight: z.number().meta({ example: 40 }),
        content_item_ids: z.array(Id),
        drop_lowest: z.int().meta({ example: 1, description: "Number of a person's lowest items to drop" }),
      }),
    ),
    release_mode: ReleaseMode,
    drop_lowest: z
      .int()
      .meta({ example: 0, description: "Number of lowest items to drop if there are no groups" }),
    late_percent_per_day: z.number().nullable().meta(latePercent),
    max_late_days: z.int().nullable().meta(lateDays),
    version: Version.meta({ description: "Grows with each change; 0 if nothing was set" }),
  })
  .meta({ id: "GradingScheme" });

const GradeState = upperEnum([...gradeStates, "anonymous"]).meta({
  example: "GRADED",
  description:
    "NONE: no work. SUBMITTED: awaits its grade. OVERRIDDEN and EXCUSED: set by staff. ANONYMOUS: " +
    "hidden until release, because the row shows the person",
});

const percent = z.number().nullable();

const column = {
  content_item_id: Id,
  title: z.string(),
  content_type: z.enum(contentTypeNames).meta({ example: "engineering_lab" }),
  max_points: z.number().meta({ example: 20 }),
  extra_points: z.number().meta({ example: 0, description: "Points that may be given above the maximum" }),
  due_at: Instant.nullable(),
  group_name: z.string().nullable().meta({ example: "Labs" }),
  counts: z.boolean().meta({ description: "Whether the item counts for the course grade" }),
  is_released: z.boolean().meta({ description: "Whether learners see their grades of the item" }),
  is_anonymous: z.boolean().meta({
    example: false,
    description: "Whether staff see codes instead of people until release",
  }),
  is_tool_column: z.boolean().meta({
    example: false,
    description: "Whether an external tool created the column, which then has no content to open",
  }),
  has_review: z.boolean().meta({
    example: false,
    description: "Whether graders can open the work at an external tool",
  }),
  drop_lowest: z.int().meta({
    example: 0,
    description: "Number of lowest items to drop in its group, or of all items without groups",
  }),
  late_percent_per_day: z
    .number()
    .nullable()
    .meta({
      ...{ example: null, description: "Percent of its points deducted for each late day; null for none" },
    }),
  max_late_days: z
    .int()
    .nullable()
    .meta({
      ...{ example: null, description: "Number of late days accepted; null for no limit" },
    }),
};

const lateDaysOf = z
  .int()
  .meta({ example: 2, description: "Number of days by which the counted work was late" });
const lateDeduction = z.number().meta({
  example: 1.5,
  description: "Points deducted for lateness; the score is after the deduction",
});
const isDropped = z.boolean().meta({
  description: "Whether it is one of the dropped lowest items, in the final or the current grade",
});

const Cell = z.object({
  score: z.number().nullable().meta({ example: 17.5 }),
  state: GradeState,
  version: Version.meta({
    description: "Grows with each result, regrade and set score; 0 before the first",
  }),
  late_days: lateDaysOf.optional(),
  late_deduction: lateDeduction.optional(),
  is_dropped: isDropped.optional().meta({
    description:
      "Whether it is one of the dropped lowest items, in the final or the current grade. This field " +
      "and those of lateness are absent if neither applies",
  }),
});

export const finalGrade = {
  final_score: z.number().nullable().meta({ example: 87.5, description: "Percentage" }),
  letter_grade: z.string().nullable().meta({ example: "B" }),
  passed: z.boolean().nullable(),
  graded_at: Instant,
  is_outdated: z.boolean().meta({
    example: false,
    description: "Whether later grading would change it: reopen and finalize it again",
  }),
};

const FinalGrade = z.object(finalGrade);

const worth = {
  current_percent: percent.meta({
    example: 91.25,
    description: "Percentage of the items graded so far; null without any",
  }),
  current_letter: z.string().nullable().meta({ example: "A" }),
};

const LmsGrade = z
  .object({
    content_item_id: Id.nullable(),
    module_id: Id.nullable().meta({ description: "Null, with the item, for the course column" }),
    state: upperEnum(["sent", "waits", "refused"]).meta({
      example: "SENT",
      description: "REFUSED scores are sent again after a change of the grade or on request by staff",
    }),
    reason: z.string().nullable().meta({
      example: null,
      description: "Why it waits or was rejected, such as `it answered 404`; null if sent",
    }),
    sent_at: Instant.nullable().meta({ description: "When the LMS last accepted a score" }),
  })
  .meta({ id: "LmsGrade" });

const GradebookRow = z
  .object({
    ...personOrCode,
    ...personOnRecord,
    ...nameThere,
    email: z.string().nullable().meta({ description: "Null for an erased account" }),
    is_erased: z
      .boolean()
      .meta({ description: "Whether the person has erased their account; the record stays" }),
    status: EnrollmentStatus.nullable().meta({
      description: "Null if a code is shown instead of the person",
    }),
    cells: z.array(Cell).meta({ description: "In the order of the columns" }),
    ...worth,
    final_percent: percent.meta({
      example: 87.5,
      description: "Percentage with ungraded items counted as zero",
    }),
    score_override: percent.meta({
      example: null,
      description: "Percentage set by staff instead of `final_percent`; null without one",
    }),
    version: Version.meta({ description: "Version of the percentage set by staff; 0 before the first" }),
    final: FinalGrade.nullable().meta({ description: "Null until the grade is final" }),
    lms: z.array(LmsGrade).meta({
      description: "State of the person's grades in the LMS, if the offering is bound to an LMS course",
    }),
  })
  .meta({ id: "GradebookRow" });

export const Gradebook = z
  .object({
    course_offering_id: Id,
    columns: z.array(z.object(column)).meta({
      description: "Published quizzes, labs and assignments, in course order",
    }),
    rows: z.array(GradebookRow).meta({ description: "At most 60,000 cells in one response" }),
    total: z.int().meta({ description: "Total number of people" }),
  })
  .meta({ id: "Gradebook" });

export const GradebookQuery = z.strictObject({
  content_item_id: IdText.optional().meta({
    description:
      "Only this item. While it is graded anonymously, rows show codes instead of people, sorted by code",
  }),
  group_id: ofGroup,
  q: searchIn("the name, the email address or the external id"),
  external_id: ExternalId.optional().meta({ description: "Only the person with this id in the university" }),
  format: lowerEnum(["json", "csv"]).default("json").meta({
    description: "`csv` returns one line for each person and one column for each item, and can be imported",
  }),
  sort: sortedBy(["full_name", "email", "family_name", "external_id"]),
  ...windowOf({ limit: 500, max: 1000 }),
});

export const OwnGrades = z
  .object({
    course_offering_id: Id,
    items: z.array(
      z.object({
        ...column,
        score: z.number().nullable().meta({ example: 17.5, description: "Null until released" }),
        state: GradeState.nullable().meta({ description: "Null until released" }),
        late_days: lateDaysOf.nullable().meta({ description: "Null until released" }),
        late_deduction: lateDeduction.nullable().meta({
          description: "Points deducted from the score for lateness; null until released",
        }),
        is_dropped: isDropped,
      }),
    ),
    ...worth,
    final: FinalGrade.nullable().meta({ description: "Null until final" }),
  })
  .meta({ id: "OwnGrades" });

const Reason = title(500).meta({ example: "Handed in on paper" });

export const ItemGradeUpdate = z
  .object({
    score: hundredths(0, 9999.99).nullish().meta({
      example: 18,
      description: "Points that replace the achieved score; null restores it. Both end an excuse",
    }),
    is_excused: z
      .boolean()
      .optional()
      .meta({ description: "Whether the item does not count for the person. True removes a set score" }),
    reason: Reason,
  })
  .refine(({ score, is_excused }) => !is_excused || score == null, {
    message: "An excused person has no score",
    path: ["score"],
  })
  .meta({ id: "ItemGradeUpdate", example: { score: 18, reason: "Handed in on paper" } });

export const ItemGrade = z
  .object({
    user_id: Id,
    content_item_id: Id,
    score: z.number().nullable(),
    is_excused: z.boolean(),
    version: Version.meta({ description: "Version of the gradebook cell" }),
  })
  .meta({ id: "ItemGrade" });

export const CourseGradeUpdate = z
  .object({
    score: hundredths(0, 100).nullable().meta({
      example: 90,
      description: "Percentage that replaces the computed one; null restores it",
    }),
    reason: Reason,
  })
  .meta({ id: "CourseGradeUpdate" });

export const CourseGradeOverride = z
  .object({ user_id: Id, course_offering_id: Id, score: z.number().nullable(), version: Version })
  .meta({ id: "CourseGradeOverride" });

export const GradeImport = z
  .object({
    csv: fileText(1_000_000)
      .optional()
      .meta({
        example: "user_id,12 Spectra of instruments\r\n7,18\r\n8,EX\r\n",
        description:
          "A file in the format of the gradebook export. Needs the column `user_id`, or `code` for an item " +
          "that is graded anonymously, and columns that begin with an item's id. A number sets a score, EX " +
          "excuses, an empty field changes nothing. With the column `version`, cells changed since the export " +
          "are rejected; without it, or if it is empty, they are set. Other columns are ignored. Separators " +
          "may be commas, semicolons or tabs, and decimals may have a comma. Lines with more values than " +
          "columns are rejected. At most 1000 lines, 300 columns and 2000 changed fields: import the file " +
          "again for the rest",
      }),
    file_id: WideId.optional().meta({
      description:
        "Instead of `csv`: the caller's READY file of purpose IMPORT for the course or its university, with " +
        "such a text",
    }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to return the changes without writing" }),
    overwrite: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to set cells that changed since the export, too" }),
    reason: Reason,
  })
  .check(oneOf("csv", "file_id"))
  .meta({ id: "GradeImport" });

const outcomes = ["CHANGED", "UNCHANGED", "REFUSED"] as const;

export const GradeImportResult = z
  .object({
    dry_run: z.boolean(),
    read_as: z
      .object({
        separator: z.string().meta({
          example: ",",
          description: "Field separator: a comma, a semicolon or a tab",
        }),
        decimal: z.enum([".", ","]).meta({ description: "Decimal separator" }),
        encoding: ReadAs,
      })
      .meta({ description: "How the file was parsed" }),
    changed: z.int().meta({ description: "Number of changed cells" }),
    unchanged: z.int(),
    refused: z.int(),
    results: z
      .array(
        z.object({
          line: z.int().meta({ description: "Line of the file, from 1", example: 2 }),
          user_id: z.int().nullable().meta({ example: 7 }),
          anonymous_code: anonymousCode,
          content_item_id: z.int().nullable().meta({ example: 12 }),
          outcome: z.enum(outcomes),
          former_score: z.number().nullable().meta({
            example: 15,
            description: "Score in the gradebook before the change",
          }),
          score: z.number().nullable().meta({
            example: 18,
            description: "Score in the file; null for EX and invalid grades",
          }),
          detail: z
            .string()
            .nullable()
            .meta({ example: "Not enrolled in this offering", description: "Reason of the rejection" }),
          code: RefusalCode,
        }),
      )
      .meta({ description: "Changed and rejected fields, at most the first 5000" }),
  })
  .meta({ id: "GradeImportResult" });

export const GradeRelease = z
  .object({
    content_item_ids: list(Id, { min: 1, max: 200 }).nullish().meta({ description: "Default: all items" }),
    released: z.boolean().default(true).meta({ description: "False withdraws the release" }),
  })
  .meta({ id: "GradeRelease" });

const people = list(Id, { min: 1, max: 1000 })
  .nullish()
  .meta({ description: "Default: everyone in the offering" });

export const GradeSending = z.object({ user_ids: people }).meta({ id: "GradeSending" });

export const GradeReleaseResult = z
  .object({ changed: z.int().meta({ description: "Number of items whose state changed" }) })
  .meta({ id: "GradeReleaseResult" });

export const GradeFinalization = z
  .object({
    user_ids: people,
    reason: Reason.nullish(),
    include_awaiting: z
      .boolean()
      .default(false)
      .meta({
        description:
          "Whether to finalize grades of people who await one, with missing grades counted as zero. Open " +
          "attempts continue",
      }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to return the outcome without writing" }),
  })
  .meta({ id: "GradeFinalization" });

const Awaiting = z
  .object({
    user_id: Id,
    items: z.array(Id).meta({ description: "Items that await a grade", example: [12] }),
  })
  .meta({ id: "AwaitingGrades" });

export const GradeFinalizationResult = z
  .object({
    finalized: z.int().meta({ description: "Number of grades finalized now" }),
    passed: z.int(),
    awaiting: z.int().meta({
      description:
        "Number of people with an open attempt or ungraded work in an item that counts, or with all of them " +
        "excused. They are left out unless `include_awaiting` is set",
    }),
    people: z.array(Awaiting).meta({ description: "People who await a grade, by id; at most 1000" }),
  })
  .meta({ id: "GradeFinalizationResult" });

export const GradeReopening = z.object({ user_ids: people, reason: Reason }).meta({ id: "GradeReopening" });

export const GradeReopeningResult = z.object({ reopened: z.int() }).meta({ id: "GradeReopeningResult" });

export const GradeChange = z
  .object({
    id: Id,
    ...personOrCode,
    content_item_id: Id.nullable().meta({ description: "Null for the course grade" }),
    kind: lowerEnum(gradeChangeKinds).meta({ example: "item_set" }),
    changed_by_user_id: Id.nullable().meta({ description: "Null for an auto-grader" }),
    changed_at: Instant,
    former: JsonObject.nullable().meta({ example: { score: null, is_excused: true } }),
    current: JsonObject.nullable().meta({ example: { score: 18, is_excused: false } }),
    reason: z.string().nullable().meta({ example: "Handed in on paper" }),
  })
  .meta({ id: "GradeChange" });

export const GradeChangesQuery = listQuery({
  user_id: IdText.optional(),
  content_item_id: IdText.optional(),
});

export type GradingSchemeUpdate = z.output<typeof GradingSchemeUpdate>;
export type GradingScheme = z.input<typeof GradingScheme>;
export type Gradebook = z.input<typeof Gradebook>;
export type GradebookQuery = z.output<typeof GradebookQuery>;
export type OwnGrades = z.input<typeof OwnGrades>;
export type ItemGradeUpdate = z.output<typeof ItemGradeUpdate>;
export type ItemGrade = z.input<typeof ItemGrade>;
export type CourseGradeUpdate = z.output<typeof CourseGradeUpdate>;
export type CourseGradeOverride = z.input<typeof CourseGradeOverride>;
export type GradeImport = z.output<typeof GradeImport>;
export type GradeImportResult = z.input<typeof GradeImportResult>;
export type GradeRelease = z.output<typeof GradeRelease>;
export type GradeReleaseResult = z.input<typeof GradeReleaseResult>;
export type GradeFinalization = z.output<typeof GradeFinalization>;
export type GradeFinalizationResult = z.input<typeof GradeFinalizationResult>;
export type GradeReopening = z.output<typeof GradeReopening>;
export type GradeReopeningResult = z.input<typeof GradeReopeningResult>;
export type GradeChange = z.input<typeof GradeChange>;
export type GradeChangesQuery = z.output<typeof GradeChangesQuery>;
export type GradeSending = z.output<typeof GradeSending>;
