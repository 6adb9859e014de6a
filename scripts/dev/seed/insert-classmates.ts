import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../../lib/platform/db/client.ts";

/** Mina's and Noor's classmates: same password, but no sign-in by click. */
const names = [
  ...["Ada Okafor", "Ben Carter", "Chiara Bianchi", "Dmitri Volkov", "Elif Kaya"],
  ...["Farid Rahimi", "Grace Lin", "Hugo Martin", "Ines Castro", "Jonas Weber"],
  ...["Keiko Tanaka", "Liam Murphy", "Maya Singh", "Noah Fischer", "Olga Nowak"],
];

/** Their addresses. */
export const classmates: readonly string[] = names.map(
  (name) => `${name.toLowerCase().replace(" ", ".")}@northgate.example`,
);

const weeks = 8;

/** Texts of some reviews; others only have a rating. */
const opinions = [
  "The tutor asks before it tells: that is what made me think.",
  "Clear from the first week on. The labs take longer than they say.",
  "I would have liked more examples before the second quiz.",
  "Good pace, and the discussions helped more than I had expected.",
];

/** A reproducible pseudo-random number from 0 to 1. */
const chance = (...parts: SQL[]): SQL =>
  sql`((hashtext(concat(${sql.join(parts, sql`, '/', `)})) & 65535) / 65536.0)`;

/**
 * Several weeks of a class in the first demo university: enrollments, progress, activity and reviews. Values are
 * invented and reproducible.
 */
export async function insertClassmates(db: Db, passwordHash: string, now: Date): Promise<void> {
  const today = sql`${now.toISOString()}::timestamptz`;
  for (const statement of statements(today, passwordHash)) await db.execute(statement);
}

const students = sql`
  select person.id, held.university_id from users as person
  join user_university_roles as held on held.user_id = person.id and held.role = 'student'`;

/** Study days by learner and topic. */
const sittings = (today: SQL): SQL => sql`
  select taken.user_id, taken.course_offering_id, offering.university_id, offering.course_id, item.id as item_id,
         kind.name as kind, ${today} - day * interval '1 day' - interval '3 hours' * ${chance(sql`taken.user_id`, sql`item.id`)} as began
  from enrollments as taken
  join course_offerings as offering on offering.id = taken.course_offering_id
  join content_items as item on item.course_id = offering.course_id
  join content_types as kind on kind.id = item.content_type_id
  join users as person on person.id = taken.user_id and person.created_at < ${today} - interval '7 days'
  cross join lateral (
    select ceil(${chance(sql`taken.user_id`, sql`item.id`, sql`'day'`)} * ${weeks * 7 - 2})::integer as day) as dated
  where taken.enrolled_at < ${today} - interval '7 days'
    and ${chance(sql`taken.user_id`, sql`item.id`, sql`'studied'`)} < 0.25 + 0.7 * ${chance(sql`taken.user_id`, sql`'diligence'`)}`;

/** The classmates, without the named demo accounts. */
const isOfClass = (today: SQL): SQL =>
  sql`user_id in (select id from users where created_at < ${today} - interval '7 days')`;

/** One insert each, ordered by dependency. */
const statements = (today: SQL, passwordHash: string): SQL[] => [
  sql`
    with class as (
      insert into users (email, full_name, locale, time_zone, password_hash, created_at, email_verified_at)
      select email, name, 'en', 'Europe/London', ${passwordHash}, joined.at, joined.at
      from unnest(${sql.param(names)}::text[], ${sql.param(classmates)}::text[]) with ordinality as listed (name, email, at),
           lateral (select ${today} - interval '1 day' * (${weeks * 7} - listed.at % 9)) as joined (at)
      returning id
    )
    insert into user_university_roles (user_id, university_id, role)
    select class.id, university.id, 'student' from class, universities as university where short_code = 'NGU'`,
  sql`
    insert into enrollments (user_id, course_offering_id, enrolled_at, status)
    select student.id, offering.id, ${today} - interval '1 day' * (${weeks * 7} - student.id % 9), 'active'
    from (${students}) as student
    join course_offerings as offering on offering.university_id = student.university_id
    where not exists (select from course_prerequisites where course_id = offering.course_id)
    on conflict do nothing`,
  sql`
    insert into user_content_progress
      (user_id, course_offering_id, content_item_id, first_started_at, last_interacted_at, completed_at, progress_percent)
    select user_id, course_offering_id, item_id, began, began + interval '20 minutes',
           case when is_done then began + interval '20 minutes' end,
           case when is_done then 100 else 40 end
    from (select *, ${chance(sql`user_id`, sql`item_id`, sql`'done'`)} < 0.8 as is_done from (${sittings(today)}) as each)
         as studied
    where kind in ('text', 'video', 'resource')`,
  sql`
    insert into activity_events
      (user_id, university_id, verb, object_type, object_id, content_item_id, course_offering_id, occurred_at)
    select user_id, university_id, 'progressed', 'content_item', item_id, item_id, course_offering_id,
           began + step * interval '7 minutes'
    from (${sittings(today)}) as studied, generate_series(0, 3) as step
    where kind <> 'quiz'`,
  sql`
    insert into course_reviews (user_id, course_offering_id, rating, review_text, created_at)
    select taken.user_id, taken.course_offering_id, 3 + floor(${chance(sql`taken.id`, sql`'stars'`)} * 3)::integer,
           (${sql.param(opinions)}::text[])[1 + floor(${chance(sql`taken.id`, sql`'words'`)} * 6)::integer],
           ${today} - interval '3 days'
    from enrollments as taken
    where taken.status = 'active' and ${isOfClass(today)}
      and ${chance(sql`taken.id`, sql`'reviewed'`)} < 0.3`,
];
