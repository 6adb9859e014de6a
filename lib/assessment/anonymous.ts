import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Submission } from "../../schema/api/assessment/submissions.ts";
import { anonymousName } from "../courses/anonymous-name.ts";

/*
 * Whoever may grade, or read what was graded, sees a code in place of a person in an item that says `anonymous`, until its
 * grades are released (schema/functions/assessment/anonymous-work.sql): administrators and keys too, as Canvas has it. The functions
 * here are what each answer about such work goes through.
 */

type Work = { offering: SQLWrapper; item: SQLWrapper; person: SQLWrapper };

/** Whether codes stand for people there. */
export const hidesPeople = ({ offering, item }: Pick<Work, "offering" | "item">): SQL =>
  sql`hides_people(${offering}, ${item})`;

/** The code of a person there; null where they have none. */
export const codeOf = ({ offering, item, person }: Work): SQL =>
  sql`anonymous_code(${offering}, ${item}, ${person})`;

/** A value that would name a person, where it may. */
export const namedAlone = (work: Pick<Work, "offering" | "item">, value: SQLWrapper): SQL =>
  sql`case when not ${hidesPeople(work)} then ${value} end`;

/** What whoever sees a code is told in place of a value; null where nobody is hidden. */
export const hiddenAlone = (work: Pick<Work, "offering" | "item">, value: SQLWrapper): SQL =>
  sql`case when ${hidesPeople(work)} then ${value} end`;

/** A moment of a piece of work: where its person is hidden its day alone, as if the class's due date were theirs. */
export const momentShown = (work: Pick<Work, "offering" | "item">, moment: SQLWrapper, lateDays?: SQL): SQL =>
  sql`case when ${moment} is not null and ${hidesPeople(work)}
    then ${hiddenMoment(work, moment, lateDays ?? sql`0`)} else ${moment} end`;

/**
 * The day of a moment of someone's work, as if what is due for the class were due for them. The moment itself is shown next
 * to names elsewhere, and a later date of one's own would be told by it.
 */
export const hiddenMoment = (
  work: Pick<Work, "offering" | "item">,
  moment: SQLWrapper,
  lateDays: SQL,
): SQL => sql`(
  select date_trunc('day', case when dates.due_at is null then ${moment}
    when ${lateDays} > 0 then dates.due_at + make_interval(days => ${lateDays}) else least(${moment}, dates.due_at) end, 'UTC')
  from item_dates(${work.offering}, null, array[${work.item}]) as dates)`;

/** A moment of what was done with work: its day alone while its person is hidden, as a group's work is graded at one moment. */
export const dayShown = (work: Pick<Work, "offering" | "item">, moment: SQLWrapper): SQL =>
  sql`case when ${hidesPeople(work)} then date_trunc('day', ${moment}, 'UTC') else ${moment} end`;

const dayOf = (moment: string | null): string | null => moment && `${moment.slice(0, 10)}T00:00:00.000Z`;

/** Rows whose person may be looked for by who they are: one who is known by a code is found by nothing else. */
export const isNamed = (work: Pick<Work, "offering" | "item">): SQL => sql`not ${hidesPeople(work)}`;

/** Rows that a search finds: by `named`, or where a code stands for the person by that. */
export const foundAs = (work: Work, named: SQL | undefined, words: string | undefined): SQL | undefined =>
  words === undefined
    ? undefined
    : sql`((${named ?? sql`true`} and ${isNamed(work)}) or ${codeOf(work)} = upper(${words.trim()}::text))`;

/**
 * A submission as whoever may grade it sees it while its person is hidden: nothing that tells people apart is left, as a date
 * of one's own, a group, or the names of files. `submitted_at` is the moment as it is shown then. Pure.
 */
export function hiddenView(submission: Submission, submitted_at: string): Submission {
  const { code, files, graded_at, returned_at } = submission;
  return {
    ...submission,
    submitted_at,
    ...{ graded_at: dayOf(graded_at), returned_at: dayOf(returned_at) },
    ...{ user_id: null, group_id: null, due_at: null, shared_with: [], graded_alone: false },
    files: files.map((file, at) => ({
      ...file,
      name: file.name && anonymousName(file.name, { code, place: at + 1 }),
    })),
  };
}
