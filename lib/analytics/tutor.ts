import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { TutorReport, TutorReportQuery } from "../../schema/api/analytics.ts";
import { CalendarDate } from "../../schema/api/fields.ts";
import { courses } from "../../schema/db/courses.ts";
import { llmCalls } from "../../schema/db/llm-calls.ts";
import type { Actor } from "../auth/actor.ts";
import type { ReadDb } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { forbidden } from "../errors.ts";
import { can } from "../rbac/policy.ts";
import { mayAt } from "../rbac/scopes.ts";
import { ensureIn } from "../universities/universities.ts";
import { answersBehindSince, asOf, Behind, ifCounted } from "./as-of.ts";
import { daysBefore, isListedWhole, type Period } from "./period.ts";
import { totalsOf } from "./totals.ts";

/** What the report is about: a period, and perhaps one university or one course. */
type About = Period & Pick<TutorReportQuery, "university_id" | "course_id" | "skip" | "limit">;

const Sums = z.object({
  calls: z.int(),
  priced_calls: z.int(),
  hits: z.int(),
  joined: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  cost_micros: z.int(),
});
type Sums = z.output<typeof Sums>;

const OfCourse = Sums.extend({ course_id: z.int(), code: z.string(), title: z.string() });
const OfDay = Sums.extend({ date: CalendarDate });
const Row = z.object({ ...Behind, total: Sums, courses: z.array(OfCourse), days: z.array(OfDay) });

type Figures = Omit<TutorReport, keyof Period | "as_of" | "daily" | "per_course_breakdown">;

/**
 * What the tutor's answers cost, and what sharing them saved: of all universities, or of those that the actor
 * administers. 403 to who administers none, or not the one that is asked for; 404 when there is no such university.
 */
export async function tutorReport(db: ReadDb, actor: Actor, about: About): Promise<TutorReport> {
  if (about.university_id) await ensureIn(db, actor, "tutor-report:read", about.university_id);
  else if (!actor.roles.some((role) => can([role], "tutor-report:read", role))) throw forbidden();
  const [row] = await rowsOf(db, Row, statementOf(actor, about));
  if (!row) throw new Error("a sum has no row");
  const { date_from, date_to } = about;
  const { behind_since } = row;
  const figuresTo = (lastDay: string, sums: Sums) => ({
    ...figuresOf(sums, row.total),
    ...(ifCounted(behind_since, lastDay, true) === null && uncounted),
  });
  const ofDay = new Map(row.days.map(({ date, ...sums }) => [date, sums]));
  return {
    date_from,
    date_to,
    ...asOf(behind_since),
    ...figuresTo(date_to, row.total),
    daily: daysOf(about, [...ofDay.keys()]).map((date) => ({
      date,
      ...figuresTo(date, ofDay.get(date) ?? nothing),
    })),
    per_course_breakdown: row.courses.map(({ course_id, code, title, ...sums }) => ({
      course_id,
      code,
      title,
      ...figuresTo(date_to, sums),
    })),
  };
}

const nothing: Sums = {
  calls: 0,
  priced_calls: 0,
  hits: 0,
  joined: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_micros: 0,
};

/** What passages mean is no answer: it costs, and is no call of the tutor's. */
const isTalk = sql`purpose <> 'embedding'`;

/** Calls stand by themselves; answers that made none are counted by the day. */
const uncounted = { hits: null, joined: null, calls_saved: null, cost_saved_micros: null };

/** A call that was saved would have cost as much as those that were made; where none was, as those of the report. */
function figuresOf({ priced_calls, ...sums }: Sums, all: Sums): Figures {
  const mean = meanCost({ priced_calls, ...sums }) ?? meanCost(all);
  const saved = sums.hits + sums.joined;
  return {
    ...sums,
    calls_without_price: sums.calls - priced_calls,
    calls_saved: saved,
    cost_saved_micros: mean === undefined ? null : Math.round(saved * mean),
  };
}

const meanCost = ({ priced_calls, cost_micros }: Sums): number | undefined =>
  priced_calls > 0 ? cost_micros / priced_calls : undefined;

/** The days of the period; of one that is too long for that, from the first to the last with any figure. */
function daysOf(period: Period, dates: string[]): string[] {
  const sorted = dates.toSorted();
  const [first, last] = isListedWhole(period)
    ? [period.date_from, period.date_to]
    : [sorted[0], sorted.at(-1)];
  const days: string[] = [];
  if (first && last) for (let day = last; day >= first; day = daysBefore(day, 1)) days.push(day);
  return days.reverse();
}

const sums = sql`
  coalesce(sum(calls), 0)::float8 as calls, coalesce(sum(priced_calls), 0)::float8 as priced_calls,
  coalesce(sum(hits), 0)::float8 as hits, coalesce(sum(joined), 0)::float8 as joined,
  coalesce(sum(input_tokens), 0)::float8 as input_tokens, coalesce(sum(output_tokens), 0)::float8 as output_tokens,
  coalesce(sum(cache_read_tokens), 0)::float8 as cache_read_tokens,
  coalesce(sum(cache_write_tokens), 0)::float8 as cache_write_tokens,
  coalesce(sum(cost_micros), 0)::float8 as cost_micros`;

/** Calls stand by themselves; answers that made none are among the totals of the reports. */
function statementOf(actor: Actor, { university_id, course_id, skip, limit, ...period }: About): SQL {
  const within = (university: SQL, course: SQL): SQL => sql`${mayAt(actor, "tutor-report:read", university)}
    ${university_id ? sql`and ${university} = ${university_id}` : sql``}
    ${course_id ? sql`and ${course} = ${course_id}` : sql``}`;
  return sql`
    with line as materialized (
      select course_id, utc_day(started_at) as day, count(*) filter (where ${isTalk}) as calls,
             count(cost_micros) filter (where ${isTalk}) as priced_calls,
             0 as hits, 0 as joined, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
             sum(cache_read_tokens) as cache_read_tokens, sum(cache_write_tokens) as cache_write_tokens,
             sum(cost_micros) as cost_micros
      from llm_calls
      where started_at >= utc_midnight(${period.date_from}::date)
        and started_at < utc_midnight(${period.date_to}::date + 1)
        and purpose <> 'trial'
        and ${within(sql`${llmCalls.university_id}`, sql`${llmCalls.course_id}`)}
      group by 1, 2
      union all
      select courses.id, utc_day(saved.moment), 0, 0, case saved.measure when 'hits' then saved.amount else 0 end,
             case saved.measure when 'joined' then saved.amount else 0 end, 0, 0, 0, 0, 0
      from courses join ${totalsOf("answers", ["hits", "joined"], { period })} as saved on saved.course_id = courses.id
      where ${within(sql`${courses.university_id}`, sql`${courses.id}`)}
    )
    select ${answersBehindSince},
           (select row_to_json(one) from (select ${sums} from line) as one) as total,
           (select coalesce(json_agg(one), '[]') from (
              select line.course_id, courses.code, courses.title, ${sums}
              from line join courses on courses.id = line.course_id
              group by line.course_id, courses.code, courses.title
              order by line.course_id offset ${skip} limit ${limit}) as one) as courses,
           (select coalesce(json_agg(one), '[]') from (
              select day as date, ${sums} from line group by day) as one) as days`;
}
