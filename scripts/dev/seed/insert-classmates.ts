import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../../lib/platform/db/client.ts";

/** Mina's and Noor's classmates: same password, but no sign-in by click. */
const classmates = [
  ...[
    "Ada Okafor",
    "Ben Carter",
    "Chiara Bianchi",
    "Dmitri Volkov",
    "Elif Kaya",
    "Farid Rahimi",
    "Grace Lin",
  ],
  ...[
    "Hugo Martin",
    "Ines Castro",
    "Jonas Weber",
    "Keiko Tanaka",
    "Liam Murphy",
    "Maya Singh",
    "Noah Fischer",
  ],
  ...[
    "Olga Nowak",
    "Pedro Alves",
    "Quinn Taylor",
    "Rosa Jimenez",
    "Samir Aziz",
    "Tara Johansson",
    "Uma Patel",
  ],
  ...["Viktor Horvat", "Wendy Chen", "Xavier Dubois", "Yara Mansour", "Zoe Thompson"],
];

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
 * Several weeks of a class in the first demo university, so every report has data: enrollments, activity,
 * tutor use and costs. Values are invented and reproducible.
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
      select lower(replace(name, ' ', '.')) || '@northgate.example', name, 'en', 'Europe/London', ${passwordHash},
             joined.at, joined.at
      from unnest(${sql.param(classmates)}::text[]) with ordinality as listed (name, at),
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
      and ${chance(sql`student.id`, sql`offering.id`)} < 0.8
    on conflict do nothing`,
  sql`
    insert into user_content_progress
      (user_id, course_offering_id, content_item_id, first_started_at, last_interacted_at, completed_at, progress_percent)
    select user_id, course_offering_id, item_id, began, began + interval '20 minutes',
           case when is_done then began + interval '20 minutes' end,
           case when kind = 'quiz' then 0 when is_done then 100 else 40 end
    from (select *, ${chance(sql`user_id`, sql`item_id`, sql`'done'`)} < 0.8 as is_done from (${sittings(today)}) as each)
         as studied
    where kind in ('text', 'video', 'resource', 'quiz')`,
  sql`
    insert into activity_events
      (user_id, university_id, verb, object_type, object_id, content_item_id, course_offering_id, occurred_at)
    select user_id, university_id, case when kind = 'quiz' then 'attempted' when step = 2 then 'asked' else 'progressed' end,
           'content_item', item_id, item_id, course_offering_id, began + step * interval '7 minutes'
    from (${sittings(today)}) as studied, generate_series(0, 3) as step`,
  sql`
    insert into quiz_attempts
      (user_id, course_offering_id, content_item_id, started_at, submitted_at, score_obtained, max_score, passed)
    select user_id, course_offering_id, item_id, began, began + interval '6 minutes', score, 3, score >= 2
    from (select *, least(3, floor(${chance(sql`user_id`, sql`item_id`, sql`'score'`)} * 5)) as score
          from (${sittings(today)}) as each) as studied
    where kind = 'quiz'`,
  sql`
    with talked as (
      insert into chat_sessions
        (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, cache_state, created_at, updated_at)
      select user_id, item_id, '{}', '', '',
             case when ${chance(sql`user_id`, sql`item_id`, sql`'left'`)} < 0.25 then 'diverged' else 'tracking' end,
             began, began + interval '12 minutes'
      from (${sittings(today)}) as studied
      where kind <> 'quiz' and ${chance(sql`user_id`, sql`item_id`, sql`'asked'`)} < 0.6
      returning id, user_id, content_item_id, cache_state, created_at
    )
    insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at)
    select talked.id, said.role, said.content,
           case when said.role = 'user' then '{}'
                when talked.cache_state = 'tracking' and ${chance(sql`talked.id`)} < 0.85
                  then '{"source": "cache", "model": "practice-tutor", "latency_ms": 9}'
                else '{"source": "llm", "model": "practice-tutor", "latency_ms": 1400}' end::jsonb,
           said.role = 'assistant' and talked.cache_state = 'tracking', talked.created_at + said.after
    from talked cross join (values
      ('user', 'Start.', interval '1 minute'), ('assistant', 'Welcome. Shall we begin?', interval '1 minute 2 seconds'))
      as said (role, content, after)`,
  sql`
    insert into llm_calls
      (started_at, ended_at, university_id, course_id, content_item_id, user_id, message_id, model, input_tokens,
       output_tokens, reserved_tokens, cost_micros, outcome)
    select message.created_at - interval '2 seconds', message.created_at, item.university_id, item.course_id, item.id,
           session.user_id, message.id, 'practice-tutor', 900 + item.id * 10, 240, 0,
           4000 + (message.id % 7) * 500, 'complete'
    from chat_messages as message
    join chat_sessions as session on session.id = message.session_id
    join content_items as item on item.id = session.content_item_id
    where message.meta ->> 'source' = 'llm'`,
  sql`
    update enrollments set status = 'dropped'
    where ${isOfClass(today)} and ${chance(sql`user_id`, sql`'diligence'`)} < 0.12`,
  sql`
    insert into course_reviews (user_id, course_offering_id, rating, review_text, created_at)
    select taken.user_id, taken.course_offering_id, 3 + floor(${chance(sql`taken.id`, sql`'stars'`)} * 3)::integer,
           (${sql.param(opinions)}::text[])[1 + floor(${chance(sql`taken.id`, sql`'words'`)} * 6)::integer],
           ${today} - interval '3 days'
    from enrollments as taken
    where taken.status = 'active' and ${isOfClass(today)}
      and ${chance(sql`taken.id`, sql`'reviewed'`)} < 0.3`,
];
