import * as z from "zod";
import { questionKinds, questionScorings } from "../../enums.ts";
import {
  hundredths,
  Id,
  Instant,
  list,
  lowerEnum,
  oneOf,
  paginationOf,
  text,
  title,
  upperEnum,
  WideId,
  windowOf,
} from "../platform/fields.ts";
import { ReadAs } from "../platform/file-text.ts";
import { writtenLength } from "../platform/json-length.ts";
import { BooleanText, listQuery, searchIn, sortedBy } from "../platform/search-and-sort.ts";

export const QuestionKind = upperEnum(questionKinds).meta({ example: "SINGLE_CHOICE" });

export const QuestionScoring = lowerEnum(questionScorings).meta({
  example: "all_or_nothing",
  description:
    "`all_or_nothing` by default. MULTIPLE_CHOICE only: `partial` gives the share of correct selections minus wrong ones, at least 0, of " +
    "the number of correct options, rounded to hundredths",
});

const OptionId = title(64).meta({ example: "A" });

export const QuestionOption = z
  .object({ id: OptionId, text: title(1000).meta({ example: "It keeps its velocity." }) })
  .meta({ id: "QuestionOption" });

/** The correct answer; the question's kind determines the keys. */
export const AnswerKey = z
  .object({
    option_id: OptionId.optional().meta({ description: "SINGLE_CHOICE: the correct option" }),
    option_ids: list(OptionId, { max: 20 }).optional().meta({
      description: "MULTIPLE_CHOICE: all correct options",
    }),
    value: z
      .union([z.boolean(), z.number()])
      .optional()
      .meta({ description: "TRUE_FALSE: whether the statement is true. NUMERIC: the correct number" }),
    tolerance: z.number().min(0).max(1_000_000_000_000).optional().meta({
      description: "NUMERIC: accepted deviation from the value, 0 by default",
    }),
    texts: list(title(200), { max: 20 }).optional().meta({
      description: "SHORT_ANSWER: accepted texts, ignoring case, spaces and compatible character forms",
    }),
  })
  .meta({ id: "AnswerKey", example: { option_id: "A" } });

const exampleOptions = [
  { id: "A", text: "It keeps its velocity." },
  { id: "B", text: "It comes to rest." },
];

const asked = {
  kind: QuestionKind,
  question_text: title(10_000).meta({
    description: "Markdown. `![words](file:12)` shows the picture file 12, as in options and the explanation",
    example: "What happens when no force acts on a body?",
  }),
  options: list(QuestionOption, { max: 20 }).nullish().meta({
    description: "SINGLE_CHOICE and MULTIPLE_CHOICE: at least two options",
    example: exampleOptions,
  }),
  answer: AnswerKey,
  explanation: text(5000).nullish().meta({ description: "Shown to learners with the correct answer" }),
  points: hundredths(0.01, 99.99).default(1),
  scoring: QuestionScoring.optional(),
};

/** The content of a question, shared by pools, versions and exports. */
export type Asked = {
  kind: z.output<typeof QuestionKind>;
  question_text: string;
  options?: z.output<typeof QuestionOption>[] | null | undefined;
  answer: z.output<typeof AnswerKey>;
  explanation?: string | null | undefined;
  points: number;
  scoring?: z.output<typeof QuestionScoring> | undefined;
};

export const QuestionCreate = z
  .object({ ...asked, is_active: z.boolean().default(true) })
  .check(isConsistent)
  .meta({ id: "QuestionCreate" });

export const QuestionUpdate = z
  .object({ ...asked, points: hundredths(0.01, 99.99), is_active: z.boolean() })
  .partial()
  .meta({ id: "QuestionUpdate" });

/** Maximum bytes of a question's JSON; a hundred fit into one response. */
const maxQuestionJsonBytes = 40 * 1024;

/** Issues across the valid fields of a question, with their locations. Pure. */
export function issuesOfQuestion({
  kind,
  options,
  answer,
  scoring,
  ...rest
}: Asked): { path: string[]; message: string }[] {
  const found: { path: string[]; message: string }[] = [];
  const say = (message: string, ...path: string[]) => found.push({ path, message });
  const ids = (options ?? []).map(({ id }) => id);
  const isChoice = kind === "SINGLE_CHOICE" || kind === "MULTIPLE_CHOICE";
  if (isChoice && ids.length < 2) say("Input should have at least 2 options", "options");
  if (!isChoice && ids.length > 0) say(`Input should have no options for ${kind}`, "options");
  if (new Set(ids).size < ids.length) say("Options should have different ids", "options");
  const chosen = kind === "MULTIPLE_CHOICE" ? (answer.option_ids ?? []) : [answer.option_id ?? ""];
  const isAnswered: Record<Asked["kind"], boolean> = {
    SINGLE_CHOICE: ids.includes(chosen[0] ?? ""),
    MULTIPLE_CHOICE: chosen.length > 0 && chosen.every((id) => ids.includes(id)),
    TRUE_FALSE: typeof answer.value === "boolean",
    NUMERIC: typeof answer.value === "number",
    SHORT_ANSWER: (answer.texts ?? []).length > 0,
  };
  if (!isAnswered[kind]) say(`Input should have ${keyOf[kind]}`, "answer");
  if (scoring === "partial" && kind !== "MULTIPLE_CHOICE")
    say(`Input should be all_or_nothing for ${kind}`, "scoring");
  if (writtenLength({ ...rest, options, answer }) > maxQuestionJsonBytes)
    say("A question should have at most 40 KiB");
  return found;
}

const keyOf: Record<Asked["kind"], string> = {
  SINGLE_CHOICE: "the id of an option as option_id",
  MULTIPLE_CHOICE: "ids of options as option_ids",
  TRUE_FALSE: "true or false as value",
  NUMERIC: "a number as value",
  SHORT_ANSWER: "at least one text as texts",
};

function isConsistent({ value, issues }: z.core.ParsePayload<Asked>): void {
  for (const issue of issuesOfQuestion(value)) issues.push({ code: "custom", ...issue, input: value });
}

export const Question = z
  .object({
    id: Id,
    question_pool_id: Id,
    version: z.int().meta({
      description: "Grows when the question's content changes; attempts keep the version they drew",
    }),
    kind: QuestionKind,
    question_text: z.string(),
    options: z.array(QuestionOption).nullable(),
    answer: AnswerKey,
    explanation: z.string().nullable(),
    points: z.number(),
    scoring: QuestionScoring,
    is_active: z.boolean().meta({ description: "Whether quizzes draw the question" }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Question" });

export const QuestionVersion = Question.pick({
  version: true,
  kind: true,
  question_text: true,
  options: true,
  answer: true,
  explanation: true,
  points: true,
  scoring: true,
  created_at: true,
}).meta({ id: "QuestionVersion" });

/** A response holds at most a hundred questions. */
const questionPageLimits = { limit: 50, max: 100 };

export const QuestionQuery = listQuery(
  {
    q: searchIn("the question text"),
    kind: QuestionKind.optional(),
    is_active: BooleanText.optional(),
    sort: sortedBy(["id", "points", "updated_at"]),
  },
  paginationOf(questionPageLimits),
);

export const QuestionVersionQuery = z.object(paginationOf(questionPageLimits));

/** For a pool's export, with numbered questions, and its statistics. */
export const QuestionWindow = z.object(windowOf(questionPageLimits));

export const QuestionExport = z
  .object({
    title: z.string(),
    description: z.string().nullable(),
    questions: z.array(
      Question.omit({ id: true, question_pool_id: true, version: true, created_at: true, updated_at: true }),
    ),
    total: z.int().meta({ description: "Number of questions in the pool; page with `skip` and `limit`" }),
  })
  .meta({ id: "QuestionExport" });

/** The maximum of one import. */
export const ImportedQuestions = list(QuestionCreate, { min: 1, max: 200 });

export const QuestionImport = z
  .object({
    questions: ImportedQuestions.optional(),
    file_id: WideId.optional().meta({
      description:
        "Alternatively, the caller's READY file of purpose IMPORT for the pool's university or course: such " +
        "a list as JSON, or an export",
    }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to return the outcome without writing" }),
  })
  .check(oneOf("questions", "file_id"))
  .meta({ id: "QuestionImport" });

export const QuestionImportResult = z
  .object({
    dry_run: z.boolean(),
    read_as: ReadAs.nullable(),
    created: z.int(),
    skipped: z.int().meta({ description: "Number of questions that the pool already has" }),
    results: z.array(
      z.object({
        outcome: z.enum(["created", "skipped"]),
        question_id: Id.nullable().meta({ description: "Null in a dry run for questions to be created" }),
      }),
    ),
  })
  .meta({ id: "QuestionImportResult" });

export const QuestionStatistics = z
  .object({
    question_id: Id,
    version: z.int(),
    kind: QuestionKind,
    question_text: z.string(),
    drawn: z.int().meta({ description: "Number of graded attempts with the question" }),
    unanswered: z.int(),
    facility: z.number().nullable().meta({
      description: "Average share of the points earned, 0 to 1; null without attempts",
      example: 0.75,
    }),
    discrimination: z.number().nullable().meta({
      description: "Correlation with the score of the rest of the attempt, -1 to 1; null if undefined",
      example: 0.4,
    }),
    choices: z
      .array(z.object({ choice: z.string(), chosen: z.int() }))
      .meta({ description: "Selections of each option; TRUE_FALSE has `true` and `false`" }),
  })
  .meta({ id: "QuestionStatistics" });

export type QuestionCreate = z.output<typeof QuestionCreate>;
export type QuestionUpdate = z.output<typeof QuestionUpdate>;
export type Question = z.output<typeof Question>;
export type QuestionQuery = z.output<typeof QuestionQuery>;
export type QuestionVersion = z.input<typeof QuestionVersion>;
export type QuestionExport = z.input<typeof QuestionExport>;
export type QuestionImport = z.output<typeof QuestionImport>;
export type QuestionImportResult = z.input<typeof QuestionImportResult>;
export type QuestionStatistics = z.input<typeof QuestionStatistics>;
