import { type SQL, sql } from "drizzle-orm";
import ical, { ICalCalendarMethod, ICalEventTransparency } from "ical-generator";
import * as z from "zod";
import { notFound } from "../../errors.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import { productName } from "../../platform/product.ts";
import { hashCalendarSecret } from "./calendar-feed-secrets.ts";

/** To keep the feed small. */
const [daysBack, daysAhead, maxEvents, maxOfferings] = [60, 400, 1000, 100];

const CalendarEvent = z.object({
  key: z.string(),
  kind: z.enum(["due", "window", "starts", "ends"]),
  title: z.string(),
  course: z.string(),
  begins: StoredInstant,
  ends: StoredInstant,
});
type CalendarEvent = z.output<typeof CalendarEvent>;

const Feed = z.object({ person: z.int(), events: z.array(CalendarEvent) });

/**
 * Deadlines and quiz dates of offerings that the person takes or teaches, and their start and end. 404 for
 * unknown secrets and inactive people.
 */
export async function getCalendarBySecret(
  db: ReadDb,
  secret: string,
  { name, now }: { name: string; now: Date },
) {
  const [feed] = await rowsOf(db, Feed, statement(hashCalendarSecret(secret), now.toISOString()));
  if (!feed) throw notFound("Calendar");
  const calendar = ical({
    name,
    method: ICalCalendarMethod.PUBLISH,
    prodId: `-//${productName}//Dates//EN`,
  });
  // Refresh interval for calendar programs.
  calendar.ttl(60 * 60);
  for (const event of feed.events) {
    calendar.createEvent({
      id: `${event.key}@learning-platform`,
      start: new Date(event.begins),
      end: new Date(event.ends),
      stamp: now,
      summary: `${words[event.kind]}${event.title}`,
      description: event.course,
      transparency: ICalEventTransparency.TRANSPARENT,
    });
  }
  return calendar.toString();
}

const words: Record<CalendarEvent["kind"], string> = {
  due: "Due: ",
  window: "Open: ",
  starts: "Begins: ",
  ends: "Ends: ",
};

const statement = (hash: string, at: string): SQL => sql`
  with reader as (
    select users.id from calendar_addresses as address join users on users.id = address.user_id
    where address.token_hash = ${hash} and users.is_active
  ), run as materialized (
    select one.id, one.starts_at, one.ends_at, course.title, course.code || ' ' || course.title as course
    from reader cross join lateral (
      select course_offering_id from enrollments where user_id = reader.id and status = 'active'
      union
      select course_offering_id from offering_teachers where user_id = reader.id
      order by course_offering_id desc limit ${maxOfferings}
    ) as mine
    join course_offerings as one on one.id = mine.course_offering_id
    join courses as course on course.id = one.course_id
  ), item as materialized (
    select run.id as run_id, run.course, one.id, one.title, type.name as type,
           case when type.name = 'quiz' then (
             select opens_at from effective_dates_of_items(run.id, reader.id, array[one.id])) end as opens_at,
           to_do.due_at
    from reader cross join run
    cross join lateral items_to_do(run.id, reader.id, ${at}) as to_do
    join content_items as one on one.id = to_do.item_id
    join content_types as type on type.id = one.content_type_id
  ), event as (
    select 'item-' || run_id || '-' || id as key, case when opens_at < due_at then 'window' else 'due' end as kind,
           title, course, case when opens_at < due_at then opens_at else due_at end as begins, due_at as ends
    from item where due_at is not null
    union all
    select 'starts-' || id, 'starts', title, course, starts_at, starts_at from run where starts_at is not null
    union all
    select 'ends-' || id, 'ends', title, course, ends_at, ends_at from run where ends_at is not null
  ), shown as (
    select * from event
    where ends between ${at}::timestamptz - make_interval(days => ${daysBack})
                   and ${at}::timestamptz + make_interval(days => ${daysAhead})
    order by begins, key limit ${maxEvents}
  )
  select reader.id as person,
         coalesce((select json_agg(shown order by begins, key) from shown), '[]') as events
  from reader`;
