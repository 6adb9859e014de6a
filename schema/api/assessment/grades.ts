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
  text,
  title,
  upperEnum,
  Version,
  WideId,
  windowOf,
} from "../platform/fields.ts";
import { listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";
import { anonymousCode, personOrCode } from "./anonymous.ts";

const ReleaseMode = upperEnum(releaseModes).meta({
  example: "MANUAL",
  description: "AUTOMATIC: learners see a grade as soon as there is one. MANUAL: when staff release its item",
});

const Letter = z.object({
  letter: title(8).meta({ example: "A" }),
  min_percent: hundredths(0, 100).meta({ example: 90, description: "The least that earns it" }),
});

const dropLowest = integer(0, 200).default(0).meta({
  example: 1,
  description:
    "So many of a person's items do not count: those without which the others are worth most. Excused items are none of them, what is missing is, once it counts as nothing, and one always counts",
});

const Group = z.object({
  name: title(128).meta({ example: "Labs" }),
  weight: hundredths(0, 100).meta({ example: 40, description: "Weights count in relation to each other" }),
  content_item_ids: list(Id, { max: 200 }).meta({ example: [3] }),
  drop_lowest: dropLowest,
});

const latePercent = {
  example: 10,
  description:
    "What each day that has begun since work was due takes off it, in percent of the item's points; null for nothing. An item's own `late_percent_per_day` comes before it, and a score that staff set stands above it",
};

const lateDays = {
  example: 3,
  description:
    "For how many days work is taken after it was due; null for any number. An item's own `max_late_days` comes before it",
};

const usualLetters = [
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
      .meta({ example: usualLetters }),
    passing_percent: hundredths(0, 100).meta({ example: 60 }),
    groups: list(Group, { max: 50 })
      .refine((groups) => areDistinct(groups.map(({ name }) => name)), "Names should be distinct")
      .refine(
        (groups) => areDistinct(groups.flatMap((group) => group.content_item_ids)),
        "An item should be in one group",
      )
      .meta({
        description:
          "Items of a group count by their points, groups by their weights, and items in none for nothing. Without groups all items count by their points",
      }),
    release_mode: ReleaseMode,
    drop_lowest: integer(0, 200).meta({ example: 0, description: "The same of all items, without groups" }),
    late_percent_per_day: hundredths(0, 100).nullable().meta(latePercent),
    max_late_days: integer(0, 365).nullable().meta(lateDays),
  })
  .partial()
  .meta({ id: "GradingSchemeUpdate" });

export const GradingScheme = z
  .object({
    course_offering_id: Id,
    is_graded: z.boolean().meta({
      description: "Whether this was set: then completing the course takes a grade that is final and passed",
    }),
    letter_scale: z
      .array(z.object({ letter: z.string(), min_percent: z.number() }))
      .meta({ example: usualLetters }),
    passing_percent: z.number().meta({ example: 60 }),
    groups: z.array(
      z.object({
        name: z.string().meta({ example: "Labs" }),
        weight: z.number().meta({ example: 40 }),
        content_item_ids: z.array(Id),
        drop_lowest: z.int().meta({ example: 1, description: "How many of a person's lowest do not count" }),
      }),
    ),
    release_mode: ReleaseMode,
    drop_lowest: z.int().meta({ example: 0, description: "The same of all items, without groups" }),
    late_percent_per_day: z.number().nullable().meta(latePercent),
    max_late_days: z.int().nullable().meta(lateDays),
    version: Version.meta({ description: "Greater after each change; 0 where nothing was set" }),
  })
  .meta({ id: "GradingScheme" });

const GradeState = upperEnum([...gradeStates, "anonymous"]).meta({
  example: "GRADED",
  description:
    "NONE: nothing was done. SUBMITTED: it waits for its grade. OVERRIDDEN and EXCUSED: staff said so. ANONYMOUS: nothing is told beside the person until it is released",
});

const percent = z.number().nullable();

const column = {
  content_item_id: Id,
  title: z.string(),
  content_type: z.enum(contentTypeNames).meta({ example: "engineering_lab" }),
  max_points: z.number().meta({ example: 20 }),
  extra_points: z.number().meta({ example: 0, description: "What may be given beyond those" }),
  due_at: Instant.nullable(),
  group_name: z.string().nullable().meta({ example: "Labs" }),
  counts: z.boolean().meta({ description: "Whether it is part of the grade of the course" }),
  is_released: z.boolean().meta({ description: "Whether learners see their grades in it" }),
  is_anonymous: z.boolean().meta({
    example: false,
    description: "Whether staff are shown codes in place of people in it, until it is released",
  }),
  drop_lowest: z.int().meta({
    example: 0,
    description: "How many of the lowest do not count, of its group or without groups of all",
  }),
  late_percent_per_day: z
    .number()
    .nullable()
    .meta({
      ...{ example: null, description: "What each day late takes off, in percent of its points" },
    }),
  max_late_days: z
    .int()
    .nullable()
    .meta({
      ...{ example: null, description: "For how many days it is taken late; null for any number" },
    }),
};

const lateDaysOf = z.int().meta({ example: 2, description: "How many days late the work is that counts" });
const lateDeduction = z.number().meta({
  example: 1.5,
  description: "What they have taken off, in points: the score is without it, and was given with it",
});
const isDropped = z.boolean().meta({
  description: "Whether it is one of the lowest that do not count, in the final grade or so far",
});

const Cell = z.object({
  score: z.number().nullable().meta({ example: 17.5 }),
  state: GradeState,
  version: Version.meta({
    description: "Greater after each result, regrade and score that was set; 0 before the first",
  }),
  late_days: lateDaysOf.optional(),
  late_deduction: lateDeduction.optional(),
  is_dropped: isDropped.optional().meta({
    description:
      "Whether it is one of the lowest that do not count, in the final grade or so far; the three are absent where it is not, and nothing is late",
  }),
});

export const finalGrade = {
  final_score: z.number().nullable().meta({ example: 87.5, description: "A percentage" }),
  letter_grade: z.string().nullable().meta({ example: "B" }),
  passed: z.boolean().nullable(),
  graded_at: Instant,
  is_outdated: z.boolean().meta({
    example: false,
    description:
      "Whether something was graded after it that would change it: reopen it and make it final again",
  }),
};

const FinalGrade = z.object(finalGrade);

const worth = {
  current_percent: percent.meta({
    example: 91.25,
    description: "Of what is graded so far; null for nothing",
  }),
  current_letter: z.string().nullable().meta({ example: "A" }),
};

const LmsGrade = z
  .object({
    content_item_id: Id.nullable(),
    module_id: Id.nullable().meta({ description: "Null with the item for the column of the course" }),
    state: upperEnum(["sent", "waits", "refused"]).meta({
      example: "SENT",
      description: "REFUSED is sent again when the grade changes, or when staff say so",
    }),
    reason: z.string().nullable().meta({
      example: null,
      description: "Why it waits or was refused, such as `it answered 404`",
    }),
    sent_at: Instant.nullable().meta({ description: "When the LMS took the last one" }),
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
      .meta({ description: "Whether the person has erased their account: the record stays" }),
    status: EnrollmentStatus.nullable().meta({ description: "Null where a code stands for the person" }),
    cells: z.array(Cell).meta({ description: "In the order of the columns" }),
    ...worth,
    final_percent: percent.meta({ example: 87.5, description: "With nothing for what is not graded" }),
    score_override: percent.meta({ example: null, description: "What staff set in place of the latter" }),
    version: Version.meta({ description: "That of what staff set; 0 before they do" }),
    final: FinalGrade.nullable().meta({ description: "Null while the grade is open" }),
    lms: z.array(LmsGrade).meta({
      description: "How the columns of an LMS stand with them, where the offering is bound to a course of it",
    }),
  })
  .meta({ id: "GradebookRow" });

export const Gradebook = z
  .object({
    course_offering_id: Id,
    columns: z.array(z.object(column)).meta({
      description: "The published quizzes, labs and assignments, in the order of the course",
    }),
    rows: z.array(GradebookRow).meta({ description: "At most 60 000 cells in one answer" }),
    total: z.int().meta({ description: "How many people there are in all" }),
  })
  .meta({ id: "Gradebook" });

export const GradebookQuery = z.strictObject({
  content_item_id: IdText.optional().meta({
    description:
      "That item alone. While it is graded anonymously its lines are those of codes, in the order of these, and say nothing else",
  }),
  group_id: ofGroup,
  q: searchIn("the name, the e-mail address or the external id"),
  external_id: ExternalId.optional().meta({ description: "Only whom the university knows by this id" }),
  format: lowerEnum(["json", "csv"]).default("json").meta({
    description: "`csv` is a line for each person and a column for each item, which an import takes",
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
        score: z.number().nullable().meta({ example: 17.5, description: "Null until it is released" }),
        state: GradeState.nullable().meta({ description: "Null until it is released" }),
        late_days: lateDaysOf.nullable().meta({ description: "Null until it is released" }),
        late_deduction: lateDeduction.nullable().meta({
          description: "What they have taken off the score, in points; null until it is released",
        }),
        is_dropped: isDropped,
      }),
    ),
    ...worth,
    final: FinalGrade.nullable().meta({ description: "Null until it is final" }),
  })
  .meta({ id: "OwnGrades" });

const Reason = title(500).meta({ example: "Handed in on paper" });

export const ItemGradeUpdate = z
  .object({
    score: hundredths(0, 9999.99).nullish().meta({
      example: 18,
      description: "In points, in place of what was achieved; null for that",
    }),
    is_excused: z.boolean().default(false).meta({ description: "The item does not count for this person" }),
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
    version: Version.meta({ description: "That of the cell of the gradebook" }),
  })
  .meta({ id: "ItemGrade" });

export const CourseGradeUpdate = z
  .object({
    score: hundredths(0, 100).nullable().meta({
      example: 90,
      description: "The percentage in place of what follows from the items; null for that",
    }),
    reason: Reason,
  })
  .meta({ id: "CourseGradeUpdate" });

export const CourseGradeOverride = z
  .object({ user_id: Id, course_offering_id: Id, score: z.number().nullable(), version: Version })
  .meta({ id: "CourseGradeOverride" });

export const GradeImport = z
  .object({
    csv: text(1_000_000).optional().meta({
      example: "user_id,12 Spectra of instruments\r\n7,18\r\n8,EX\r\n",
      description:
        "As the gradebook is exported: the column `user_id`, or `code` for an item that is graded anonymously, and columns that begin with the id of an item. A number sets a score, EX excuses, an empty field changes nothing. With the column `version`, a cell that has changed since the export is refused; without it, or where it is empty, it is set. Other columns are not looked at. Fields may be separated by semicolons or tabs too, and decimals by a comma. A line with values behind the columns is refused. At most 1000 lines and 300 columns, of which 2000 fields are changed: import the file again for the rest",
    }),
    file_id: WideId.optional().meta({
      description:
        "In its place: a file of one's own of purpose IMPORT for the course or its university, READY, which is such a text",
    }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Says what would be changed, and changes nothing" }),
    overwrite: z
      .boolean()
      .default(false)
      .meta({ description: "Sets cells that have changed since the file was exported, too" }),
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
          description: "What stands between fields: a comma, a semicolon or a tab",
        }),
        decimal: z.enum([".", ","]).meta({ description: "What stands before decimals" }),
      })
      .meta({ description: "How the file was understood" }),
    changed: z.int().meta({ description: "Cells" }),
    unchanged: z.int(),
    refused: z.int(),
    results: z
      .array(
        z.object({
          line: z.int().meta({ description: "Of the file, from 1", example: 2 }),
          user_id: z.int().nullable().meta({ example: 7 }),
          anonymous_code: anonymousCode,
          content_item_id: z.int().nullable().meta({ example: 12 }),
          outcome: z.enum(outcomes),
          former_score: z.number().nullable().meta({
            example: 15,
            description: "What the gradebook shows, or showed before",
          }),
          score: z.number().nullable().meta({
            example: 18,
            description: "What the file says; null for EX and where it says no grade",
          }),
          detail: z
            .string()
            .nullable()
            .meta({ example: "Not enrolled in this offering", description: "Why it is refused" }),
          code: RefusalCode,
        }),
      )
      .meta({ description: "What is changed or refused; at most the first 5000" }),
  })
  .meta({ id: "GradeImportResult" });

export const GradeRelease = z
  .object({
    content_item_ids: list(Id, { min: 1, max: 200 }).nullish().meta({ description: "By default all items" }),
    released: z.boolean().default(true).meta({ description: "False takes it back" }),
  })
  .meta({ id: "GradeRelease" });

const people = list(Id, { min: 1, max: 1000 })
  .nullish()
  .meta({ description: "By default everyone in the offering" });

export const GradeSending = z.object({ user_ids: people }).meta({ id: "GradeSending" });

export const GradeReleaseResult = z
  .object({ changed: z.int().meta({ description: "In how many items that is new" }) })
  .meta({ id: "GradeReleaseResult" });

export const GradeFinalization = z
  .object({
    user_ids: people,
    reason: Reason.nullish(),
    include_awaiting: z.boolean().default(false).meta({
      description: "Also of those who await a grade, with nothing for it. An attempt that is open goes on",
    }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Says what would become of it, and writes nothing" }),
  })
  .meta({ id: "GradeFinalization" });

const Awaiting = z
  .object({
    user_id: Id,
    items: z.array(Id).meta({ description: "The items that they await a grade in", example: [12] }),
  })
  .meta({ id: "AwaitingGrades" });

export const GradeFinalizationResult = z
  .object({
    finalized: z.int().meta({ description: "Grades that were open until now" }),
    passed: z.int(),
    awaiting: z.int().meta({
      description:
        "People who have an attempt open, or work that is not graded, in an item that counts: they are left out unless `include_awaiting` says otherwise",
    }),
    people: z.array(Awaiting).meta({ description: "Those who await a grade, by their ids; at most 1000" }),
  })
  .meta({ id: "GradeFinalizationResult" });

export const GradeReopening = z.object({ user_ids: people, reason: Reason }).meta({ id: "GradeReopening" });

export const GradeReopeningResult = z.object({ reopened: z.int() }).meta({ id: "GradeReopeningResult" });

export const GradeChange = z
  .object({
    id: Id,
    ...personOrCode,
    content_item_id: Id.nullable().meta({ description: "Null for the grade of the course" }),
    kind: lowerEnum(gradeChangeKinds).meta({ example: "item_set" }),
    changed_by_user_id: Id.nullable().meta({ description: "Null for an item's own grader" }),
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
