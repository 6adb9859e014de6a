import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
} from "drizzle-orm/pg-core";
import {
  type FactMonthMeasure,
  factMonthMeasures,
  type MonthMeasure,
  monthMeasures,
  type ReportMeasure,
  reportMeasures,
} from "../../enums.ts";
import { calendarDate, instant, lowerEnum, oneOf } from "./columns.ts";

/*
 * Aggregates for reports, which therefore need not read all rows and survive deletions
 * (schema/functions/operations/daily-report-aggregates.sql). Days are in UTC, with a university's own days next to them
 * (schema/functions/identity/university-days.sql). No foreign keys: the counted rows may be deleted.
 */

/** Activity on a past day: a row for each person, topic and course. */
export const activityDays = pgTable(
  "activity_days",
  {
    day: calendarDate().notNull(),
    /** Negative for people erased before anonymized rows were introduced. */
    user_id: integer().notNull(),
    content_item_id: integer(),
    course_id: integer(),
    /** On the topic. */
    milliseconds: integer().notNull(),
    /** To the tutor. */
    questions: integer().notNull(),
    /**
     * The university's own day for its reports; null if equal to the UTC day. Activity around its midnight
     * has two rows.
     */
    local_day: calendarDate(),
  },
  (table) => [
    index().on(table.day),
    index().on(table.course_id, table.day),
    index().on(table.user_id, table.day),
  ],
);

/**
 * Active people of a counted month: a row for each person, topic and course, and one without topic for each
 * person and course (schema/functions/operations/monthly-report-aggregates.sql).
 */
export const activityMonths = pgTable(
  "activity_months",
  {
    /** Its first day. */
    month: calendarDate().notNull(),
    user_id: integer().notNull(),
    content_item_id: integer(),
    course_id: integer(),
    /** On the topic, and questions to the tutor about it. */
    milliseconds: bigint({ mode: "number" }).notNull(),
    questions: integer().notNull(),
  },
  (table) => [
    index("activity_months_person_index").on(
      table.user_id,
      table.content_item_id,
      table.course_id,
      table.month,
    ),
    // Whether a person was active or asked at a topic; reports of years read it for the partial months.
    index("activity_months_topic_index")
      .on(table.user_id, table.content_item_id, table.month, table.questions)
      .where(sql`${table.content_item_id} is not null`),
    // Months are counted in order, so a BRIN index suffices.
    index().using("brin", table.month).with({ autosummarize: true }),
  ],
);

/** Monthly totals, read by reports of more than a year. */
export const reportMonths = pgTable(
  "report_months",
  {
    measure: lowerEnum<MonthMeasure>().notNull(),
    course_id: integer(),
    month: calendarDate().notNull(),
    /** For people and topics the previous active month; for people by day the previous day. */
    since: calendarDate(),
    /** Rows with the same key are summed. */
    amount: bigint({ mode: "number" }).notNull(),
    /** For measures by university. */
    university_id: integer(),
  },
  (table) => [
    index().on(table.measure, table.month),
    index().on(table.course_id, table.month),
    index().on(table.university_id, table.month),
    oneOf(table.measure, monthMeasures),
  ],
);

export const countedMonths = pgTable("counted_months", {
  /** The first month that is not complete. */
  until: calendarDate().primaryKey(),
  /** The last person counted in it. */
  people_to: integer().notNull(),
});

/**
 * A course's monthly aggregates for past months (schema/functions/operations/monthly-aggregates.sql). 0 stands for no course or
 * university, because key columns cannot be null.
 */
export const factMonths = pgTable(
  "fact_months",
  {
    measure: lowerEnum<FactMonthMeasure>().notNull(),
    course_id: integer().notNull(),
    month: calendarDate().notNull(),
    /** For completed topics the month in which they were begun; else the same month. */
    since: calendarDate().notNull(),
    amount: numeric({ mode: "number" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.measure, table.course_id, table.month, table.since] }),
    oneOf(table.measure, factMonthMeasures),
  ],
);

/** Sums of LLM calls and of answers without one. */
const tutorSums = () => {
  const sum = () => bigint({ mode: "number" }).notNull();
  return {
    calls: sum(),
    priced_calls: sum(),
    hits: sum(),
    joined: sum(),
    input_tokens: sum(),
    output_tokens: sum(),
    cache_read_tokens: sum(),
    cache_write_tokens: sum(),
    cost_micros: sum(),
  };
};

/** By course, for past months. */
export const tutorReportMonths = pgTable(
  "tutor_report_months",
  {
    university_id: integer().notNull(),
    course_id: integer().notNull(),
    month: calendarDate().notNull(),
    ...tutorSums(),
  },
  (table) => [primaryKey({ columns: [table.university_id, table.course_id, table.month] })],
);

/** By university and day, for past months. */
export const tutorReportDays = pgTable(
  "tutor_report_days",
  { university_id: integer().notNull(), day: calendarDate().notNull(), ...tutorSums() },
  (table) => [primaryKey({ columns: [table.university_id, table.day] })],
);

export const countedFacts = pgTable("counted_facts", {
  /** The first month that is not complete. */
  until: calendarDate().primaryKey(),
  /** The time in that month up to which it is counted; null: delete its and later rows first. */
  reached_at: instant(),
});

/** Daily totals of the tutor's answers, and of deleted rows. */
export const reportTotals = pgTable(
  "report_totals",
  {
    measure: lowerEnum<ReportMeasure>().notNull(),
    course_id: integer(),
    day: calendarDate().notNull(),
    /** For completed topics, the day on which they were begun. */
    since: calendarDate(),
    amount: numeric({ mode: "number" }).notNull(),
    /** Whether its source rows are deleted, so the day is not counted again from them. */
    is_kept: boolean().notNull(),
    /** For measures by offering. */
    course_offering_id: integer(),
    /** The university's own day, as above. */
    local_day: calendarDate(),
  },
  (table) => [
    index().on(table.measure, table.day),
    index("report_totals_kept_index").on(table.course_id, table.measure).where(sql`${table.is_kept}`),
    index("report_totals_offering_index")
      .on(table.course_offering_id, table.day)
      .where(sql`${table.course_offering_id} is not null`),
    index().on(table.course_id, table.day),
    oneOf(table.measure, reportMeasures),
  ],
);

/** Days as half-open ranges: `{[2026-03-01,2026-03-09),[2026-04-01,)}`. */
const days = customType<{ data: string }>({ dataType: () => "datemultirange" });

/** A person's state in a course's published modules, in one offering, when last computed. */
export const courseTrees = pgTable(
  "course_trees",
  {
    course_offering_id: integer().notNull(),
    user_id: integer().notNull(),
    course_id: integer().notNull(),
    /** Day of the last completion while all published modules are completed. */
    completed_on: calendarDate(),
    begun_on: calendarDate().notNull(),
    /** Days with any start or completion in the 14 days before. */
    fresh_on: days().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.course_offering_id, table.user_id] }),
    index().on(table.course_id),
    index().on(table.user_id),
  ],
);

/**
 * Totals of course trees by day, and by month (its first day): completions, and the change in the number of
 * interrupted ones. Summed up to a day, `interrupted` is their number.
 */
export const treeTotals = pgTable(
  "tree_totals",
  {
    course_id: integer().notNull(),
    is_month: boolean().notNull(),
    day: calendarDate().notNull(),
    completed: integer().notNull(),
    interrupted: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.course_id, table.is_month, table.day] }),
    index().on(table.is_month, table.day),
  ],
);

/** People whose tree must be recomputed. */
export const staleTrees = pgTable("stale_trees", {
  course_offering_id: integer().notNull(),
  user_id: integer().notNull(),
});

/**
 * Courses with an edited outline, and the progress of recomputing their people: a row for each edit, and one
 * for each running round.
 */
export const staleOutlines = pgTable(
  "stale_outlines",
  {
    course_id: integer().notNull(),
    /** Whether ended offerings are included, for courses without earlier results. */
    includes_ended: boolean().notNull().default(false),
    /** For rounds: the current offering; null for noted edits. */
    course_offering_id: integer(),
    /** The last person computed in that offering. */
    done_to: integer().notNull().default(0),
    looked_at: instant(),
  },
  (table) => [index().on(table.course_id)],
);
