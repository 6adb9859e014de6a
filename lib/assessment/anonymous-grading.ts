import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Submission } from "../../schema/api/assessment/submissions.ts";
import { anonymousFileName, truncateToUtcDay } from "../courses/anonymous-file-name.ts";

/*
 * Graders and readers of grades see codes instead of people in an `anonymous` item until its grades are
 * released (schema/functions/assessment/anonymous-work.sql). So do administrators and API keys, as in Canvas.
 * All answers about such work use these functions.
 */

type Work = { offering: SQLWrapper; item: SQLWrapper; person: SQLWrapper };

export const anonymousGradingCondition = ({ offering, item }: Pick<Work, "offering" | "item">): SQL =>
  sql`is_grading_anonymous(${offering}, ${item})`;

/** Null if the person has no code. */
export const anonymousCodeSql = ({ offering, item, person }: Work): SQL =>
  sql`anonymous_code(${offering}, ${item}, ${person})`;

/** Null while the person is hidden. */
export const nullIfAnonymousSql = (work: Pick<Work, "offering" | "item">, value: SQLWrapper): SQL =>
  sql`case when not ${anonymousGradingCondition(work)} then ${value} end`;

/** Null unless the person is hidden. */
export const nullUnlessAnonymousSql = (work: Pick<Work, "offering" | "item">, value: SQLWrapper): SQL =>
  sql`case when ${anonymousGradingCondition(work)} then ${value} end`;

/** Only the day while the person is hidden, shifted to the class's due date. */
export const anonymizedSubmittedAtSql = (
  work: Pick<Work, "offering" | "item">,
  moment: SQLWrapper,
  lateDays?: SQL,
): SQL =>
  sql`case when ${moment} is not null and ${anonymousGradingCondition(work)}
    then ${anonymousSubmissionDaySql(work, moment, lateDays ?? sql`0`)} else ${moment} end`;

/**
 * A submission's day, shifted as if the class's due date applied. The exact moment appears next to names
 * elsewhere, and a later personal date would identify the person.
 */
export const anonymousSubmissionDaySql = (
  work: Pick<Work, "offering" | "item">,
  moment: SQLWrapper,
  lateDays: SQL,
): SQL => sql`(
  select date_trunc('day', case when dates.due_at is null then ${moment}
    when ${lateDays} > 0 then dates.due_at + make_interval(days => ${lateDays}) else least(${moment}, dates.due_at) end, 'UTC')
  from effective_dates_of_items(${work.offering}, null, array[${work.item}]) as dates)`;

/** Only the day while the person is hidden: group work is graded at one moment. */
export const anonymizedGradedAtSql = (work: Pick<Work, "offering" | "item">, moment: SQLWrapper): SQL =>
  sql`case when ${anonymousGradingCondition(work)} then date_trunc('day', ${moment}, 'UTC') else ${moment} end`;

/** Hidden people are found only by code. */
export const nonAnonymousGradingCondition = (work: Pick<Work, "offering" | "item">): SQL =>
  sql`not ${anonymousGradingCondition(work)}`;

/** By `named`, or by code while the person is hidden. */
export const nameOrAnonymousCodeCondition = (
  work: Work,
  named: SQL | undefined,
  words: string | undefined,
): SQL | undefined =>
  words === undefined
    ? undefined
    : sql`((${named ?? sql`true`} and ${nonAnonymousGradingCondition(work)}) or ${anonymousCodeSql(work)} = upper(${words.trim()}::text))`;

/**
 * For graders while the person is hidden, without personal dates, groups or file names. `submitted_at` is the
 * moment to show.
 */
export function anonymizedSubmission(submission: Submission, submitted_at: string): Submission {
  const { code, files, graded_at, returned_at } = submission;
  return {
    ...submission,
    submitted_at,
    ...{
      graded_at: graded_at && truncateToUtcDay(graded_at),
      returned_at: returned_at && truncateToUtcDay(returned_at),
    },
    ...{ user_id: null, group_id: null, due_at: null, shared_with: [], graded_alone: false },
    files: files.map((file, at) => ({
      ...file,
      name: file.name && anonymousFileName(file.name, { code, place: at + 1 }),
    })),
  };
}
