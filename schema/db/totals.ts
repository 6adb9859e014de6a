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
} from "../enums.ts";
import { calendarDate, instant, lowerEnum, oneOf } from "./columns.ts";

/*
 * What reports are drawn from beside the rows themselves, so that they need not read all that ever happened, and so that
 * it stays when people and conversations go (schema/functions/report-days.sql). Days are those of UTC, but for a
 * university's own, which stand beside them (schema/functions/university-days.sql). Nothing here
 * refers to what it counts, which may be gone by then.
 */

/** What people did on a day that is over: a row for each person, topic and course. */
export const activityDays = pgTable(
  "activity_days",
  {
    day: calendarDate().notNull(),
    /** Below zero for people who were erased before their rows stayed as numbers. */
    user_id: integer().notNull(),
    content_item_id: integer(),
    course_id: integer(),
    /** On the topic. */
    milliseconds: integer().notNull(),
    /** To the tutor. */
    questions: integer().notNull(),
    /** The university's, which its own report counts; null where it is that of UTC. What was done on both sides of its midnight is two rows. */
    local_day: calendarDate(),
  },
  (table) => [
    index().on(table.day),
    index().on(table.course_id, table.day),
    index().on(table.user_id, table.day),
  ],
);

/**
 * Who was active in a month that is counted: a row for each person, topic and course, and one without a topic for each
 * person and course, whatever they did there (schema/functions/report-months.sql).
 */
export const activityMonths = pgTable(
  "activity_months",
  {
    /** Its first day. */
    month: calendarDate().notNull(),
    user_id: integer().notNull(),
    content_item_id: integer(),
    course_id: integer(),
    /** On the topic, and to the tutor about it. */
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
    // Whether someone was at a topic, and asked there, which a report of years asks for each of its days around whole months.
    index("activity_months_topic_index")
      .on(table.user_id, table.content_item_id, table.month, table.questions)
      .where(sql`${table.content_item_id} is not null`),
    // Months are counted one after the other.
    index().using("brin", table.month).with({ autosummarize: true }),
  ],
);

/** What those come to: reports of more than a year read it. */
export const reportMonths = pgTable(
  "report_months",
  {
    measure: lowerEnum<MonthMeasure>().notNull(),
    course_id: integer(),
    month: calendarDate().notNull(),
    /** Of people and topics, the month in which they were last active before; of people by the day, that day. */
    since: calendarDate(),
    /** Several rows of the same are summed. */
    amount: bigint({ mode: "number" }).notNull(),
    /** Of what is counted of a university. */
    university_id: integer(),
  },
  (table) => [
    index().on(table.measure, table.month),
    index().on(table.course_id, table.month),
    index().on(table.university_id, table.month),
    oneOf(table.measure, monthMeasures),
  ],
);

/** How far months are counted: one row. */
export const countedMonths = pgTable("counted_months", {
  /** The first month that is not counted whole. */
  until: calendarDate().primaryKey(),
  /** The last person who is counted in it. */
  people_to: integer().notNull(),
});

/**
 * What the rows of a course count for in a month that is over (schema/functions/fact-months.sql). A course of 0 is none, and
 * so is a university below: what is none has a key like all others.
 */
export const factMonths = pgTable(
  "fact_months",
  {
    measure: lowerEnum<FactMonthMeasure>().notNull(),
    course_id: integer().notNull(),
    month: calendarDate().notNull(),
    /** Of topics that were completed, the month in which they were begun; of all else the same month. */
    since: calendarDate().notNull(),
    amount: numeric({ mode: "number" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.measure, table.course_id, table.month, table.since] }),
    oneOf(table.measure, factMonthMeasures),
  ],
);

/** What calls of the LLM come to, and answers that made none. */
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

/** Of a course in a month that is over. */
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

/** Of a university on a day of such a month. */
export const tutorReportDays = pgTable(
  "tutor_report_days",
  { university_id: integer().notNull(), day: calendarDate().notNull(), ...tutorSums() },
  (table) => [primaryKey({ columns: [table.university_id, table.day] })],
);

/** How far these months are counted: one row. */
export const countedFacts = pgTable("counted_facts", {
  /** The first month that is not counted whole. */
  until: calendarDate().primaryKey(),
  /** The moment within it up to which it is counted; null: what is there of it, and of later months, is forgotten first. */
  reached_at: instant(),
});

/** What answers of the tutor come to by the day, and what else was there and is gone. */
export const reportTotals = pgTable(
  "report_totals",
  {
    measure: lowerEnum<ReportMeasure>().notNull(),
    course_id: integer(),
    day: calendarDate().notNull(),
    /** Of topics that were completed, the day on which they were begun. */
    since: calendarDate(),
    amount: numeric({ mode: "number" }).notNull(),
    /** Whether its rows are gone, so that it is not counted again with its day. */
    is_kept: boolean().notNull(),
    /** Of what a university's report counts by the offering. */
    course_offering_id: integer(),
    /** Its own day, as above. */
    local_day: calendarDate(),
  },
  (table) => [
    index().on(table.measure, table.day),
    // Few of all.
    index("report_totals_kept_index").on(table.course_id, table.measure).where(sql`${table.is_kept}`),
    index("report_totals_offering_index")
      .on(table.course_offering_id, table.day)
      .where(sql`${table.course_offering_id} is not null`),
    index().on(table.course_id, table.day),
    oneOf(table.measure, reportMeasures),
  ],
);

/** Days, from each first up to and without the last: `{[2026-03-01,2026-03-09),[2026-04-01,)}`. */
const days = customType<{ data: string }>({ dataType: () => "datemultirange" });

/** How someone who has begun the published modules of a course stands with them, in one offering, when last looked at. */
export const courseTrees = pgTable(
  "course_trees",
  {
    course_offering_id: integer().notNull(),
    user_id: integer().notNull(),
    course_id: integer().notNull(),
    /** While every published module is completed: the day of the last. */
    completed_on: calendarDate(),
    begun_on: calendarDate().notNull(),
    /** The days on which something had been begun or completed in the 14 days before. */
    fresh_on: days().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.course_offering_id, table.user_id] }),
    index().on(table.course_id),
    index().on(table.user_id),
  ],
);

/**
 * What the trees of a course come to on a day, and in a month, which stands by its first day: how many were completed, and
 * how many more were interrupted than became so no more. Summed up to a day the latter says how many are.
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

/** Whose tree is to be looked at anew. */
export const staleTrees = pgTable("stale_trees", {
  course_offering_id: integer().notNull(),
  user_id: integer().notNull(),
});

/**
 * Courses whose outline was edited, and how far the people of their runs were looked at anew since: a row for each edit,
 * and one for each round that is under way.
 */
export const staleOutlines = pgTable(
  "stale_outlines",
  {
    course_id: integer().notNull(),
    /** Whether runs that are over are looked at too, as where nothing was kept before. */
    includes_ended: boolean().notNull().default(false),
    /** Of a round, the run at which it stands; null of what was noted alone. */
    course_offering_id: integer(),
    /** The last person of that run who was looked at. */
    done_to: integer().notNull().default(0),
    looked_at: instant(),
  },
  (table) => [index().on(table.course_id)],
);
