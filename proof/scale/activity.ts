import type pg from "pg";
import { requestRollUpRebuild, rollUpReportData } from "../../lib/operations/analytics/roll-up.ts";
import { connectDatabase, openConnectionWithoutTimeouts } from "../../lib/platform/db/driver/connect.ts";
import type { OnProgress } from "../../scripts/ops/progress-bar.ts";
import type { MaxIdByTable } from "./generated-inserts.ts";
import { loadScaleData } from "./load.ts";
import type { ScaleSize } from "./size.ts";

/** 2 000 000 activity events and 500 000 messages: 40 and 10 per user. */
export const highActivitySize: ScaleSize = {
  universities: 1,
  people: 50_000,
  courses: 2_000,
  subjects: 1_000,
  coursesEach: 4,
  modulesInFirst: 1,
};

/** A hundredth of it. */
export const lowActivitySize: ScaleSize = { ...highActivitySize, people: 500, courses: 20, subjects: 10 };

/**
 * Loads a platform of that size with activity over the last 430 days. Rolls it up for reports once instead of
 * per row.
 */
export async function loadPlatformWithActivity(
  url: string,
  size: ScaleSize,
  onProgress: OnProgress,
): Promise<MaxIdByTable> {
  const client = await openConnectionWithoutTimeouts(url);
  try {
    await client.query("set time zone 'UTC'");
    const triggers = await countingTriggers(client);
    for (const { table, name } of triggers)
      await client.query(`alter table ${table} disable trigger ${name}`);
    const base = await loadScaleData(url, size, onProgress);
    for (const [done, [what, statement]] of statements.entries()) {
      onProgress(what, done, statements.length);
      await client.query(statement);
    }
    onProgress("statistics and totals", statements.length, statements.length);
    await client.query("vacuum analyze");
    for (const { table, name } of triggers) await client.query(`alter table ${table} enable trigger ${name}`);
    const database = await connectDatabase({ url });
    await requestRollUpRebuild(database.db);
    await rollUpReportData(database.db);
    await database.close();
    await client.query("vacuum analyze");
    return base;
  } finally {
    await client.end();
  }
}

/**
 * Triggers that mark report data for recounting or follow progress and results.
 */
async function countingTriggers(client: pg.Client): Promise<{ table: string; name: string }[]> {
  const { rows } = await client.query<{ table: string; name: string }>(`
    select tgrelid::regclass::text as table, tgname as name from pg_trigger
    where tgname ~ '^(note_(new|changed|gone)_outlines|count_again|(quiz_attempts|lab_submissions)_after_write|user_content_progress_(before|after)_write)$'`);
  return rows;
}

const day = "interval '1 day'";

/** Labels and statements; `study` is a user's study period in a course. */
const statements: readonly (readonly [string, string])[] = [
  [
    "room",
    "truncate user_module_progress, user_content_progress, chat_sessions, cache_nodes, feature_requests cascade",
  ],
  [
    "modules",
    `insert into modules (course_id, parent_module_id, module_type, title, sequence_index, is_published)
     select id, null, 'unit', 'Module', ordinal, true from courses, generate_series(2, 5) as ordinal`,
  ],
  [
    "topics",
    `insert into content_items
       (module_id, course_id, university_id, content_type_id, title, data_json, sequence_index)
     select modules.id, course_id, university_id, (select id from content_types where name = 'text'), 'Topic', '{}',
            ordinal
     from modules join courses on courses.id = course_id, generate_series(3, 4) as ordinal`,
  ],
  [
    "courses of people",
    `create temp table taken as
     select enrollments.id as enrollment_id, user_id, course_offering_id, course_id, modules, topics,
            (row_number() over (partition by user_id order by enrollments.id))::int as ordinal,
            date_trunc('day', now()) - ${day} * (user_id::bigint * 7919 % 430) as joined_at
     from enrollments
     join course_offerings on course_offerings.id = course_offering_id
     join (select course_id, array_agg(id order by id) as modules from modules group by 1) as outline using (course_id)
     join (select course_id, array_agg(id order by id) as topics from content_items where title <> 'Lab' group by 1) as content
       using (course_id)`,
  ],
  [
    "studies",
    `create temp table study as
     select user_id, course_offering_id, course_id, modules, topics, number,
            least(joined_at + ${day} * (number * (1 + user_id % 11) + user_id * number % 4),
                  date_trunc('day', now()) - ${day} * (user_id % 3))
              + interval '1 minute' * (360 + user_id::bigint * 31 * number % 900) as began_at
     from taken, generate_series(0, 9) as number
     where ordinal = number % 4 + 1`,
  ],
  ["statistics", "analyze modules, content_items, taken, study"],
  [
    "accounts",
    `update users set created_at = joined_at, last_activity_date = last_day, current_streak_days = 1 + id % 120,
       time_zone = (array['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Africa/Lagos'])[1 + id % 5]
     from (select user_id, min(joined_at) as joined_at from taken group by 1) as arrived
     join (select user_id, max(began_at)::date as last_day from study group by 1) as left_again using (user_id)
     where users.id = arrived.user_id`,
  ],
  [
    "enrollments as they stand",
    `update enrollments set enrolled_at = joined_at,
       status = (array['active', 'active', 'completed', 'dropped'])[1 + (enrollments.user_id + ordinal) % 4],
       completed_at = case when (enrollments.user_id + ordinal) % 4 = 2 then joined_at + ${day} * 20 end,
       dropped_at = case when (enrollments.user_id + ordinal) % 4 = 3 then joined_at + ${day} * 10 end
     from taken where enrollment_id = enrollments.id`,
  ],
  [
    "progress in modules",
    `insert into user_module_progress (user_id, course_offering_id, module_id, started_at, completed_at)
     select user_id, course_offering_id, modules[number], least(joined_at + ${day} * number, now()),
            case when number <= (user_id + ordinal) % 6 then least(joined_at + ${day} * (number + 2), now()) end
     from taken, generate_series(1, 5) as number where number <= (user_id + ordinal) % 6 + 1`,
  ],
  [
    "progress in topics",
    `insert into user_content_progress
       (user_id, course_offering_id, content_item_id, first_started_at, completed_at)
     select user_id, course_offering_id, topics[number], least(joined_at + ${day} * number, now()),
            case when (user_id + number) % 3 > 0 then least(joined_at + ${day} * (number + user_id % 5), now()) end
     from taken, generate_series(1, 3) as number`,
  ],
  [
    "activity",
    `insert into activity_events
       (user_id, university_id, verb, object_type, object_id, content_item_id, course_offering_id, occurred_at)
     select user_id, 1, verb, 'content_item', topic, topic,
            case when verb <> 'asked' then course_offering_id end,
            began_at + interval '1 minute' * (array[0, 7, 12, 50])[step + 1]
     from study, generate_series(0, 3) as step,
          lateral (select topics[1 + (number + step / 2) % 10] as topic,
                          case when step = 3 and number % 2 = 0 then 'asked' else 'progressed' end as verb) as what
     order by began_at`,
  ],
  [
    "conversations",
    `insert into chat_sessions
       (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, cache_state, created_at)
     select user_id, topics[1], '{}', '', '', case when user_id % 2 = 0 then 'diverged' else 'tracking' end, began_at
     from study where number = 1 order by began_at`,
  ],
  [
    "messages",
    `insert into chat_messages (session_id, role, content, meta, on_shared_path, created_at)
     select id, case when number % 2 = 0 then 'user' else 'assistant' end, 'What is said',
            case when number % 2 = 0 then '{}'
                 else jsonb_build_object('source', case when user_id % 3 > 0 then 'cache' else 'llm' end) end,
            number in (1, 3), created_at + interval '1 minute' * number
     from chat_sessions, generate_series(0, 9) as number`,
  ],
  [
    "stored answers",
    `insert into cache_nodes (content_item_id, message, prompt_name, prompt_version, model,
                              prompt_fingerprint, content_fingerprint, chunks)
     select topics[1], 'Start.', 'tutor', 1, 'model', '', md5(user_id::text), '["What is answered"]'
     from taken where ordinal = 2 and user_id % 100 > 0`,
  ],
  [
    "quizzes",
    `insert into quiz_attempts (user_id, course_offering_id, content_item_id, started_at, submitted_at,
                                score_obtained, max_score, passed)
     select user_id, course_offering_id, topics[2], began_at,
            case when user_id % 10 > 0 then began_at + interval '20 minutes' end,
            user_id % 11, 10, case when user_id % 10 > 1 then user_id % 11 > 4 end
     from study where number < 4`,
  ],
  [
    "labs",
    `insert into lab_submissions (user_id, course_offering_id, content_item_id, submitted_at, status,
                                  score_obtained, max_score)
     select user_id, course_offering_id, topics[3], began_at,
            case when user_id % 3 > 0 then 'graded' else 'submitted' end,
            case when user_id % 3 > 0 then user_id % 21 end, 20
     from study where number = 5`,
  ],
  [
    "notes",
    `insert into notes (user_id, content_item_id, body)
     select user_id, topics[1], 'A note' from study where number in (2, 6)`,
  ],
  [
    "flashcards",
    `insert into flashcards (user_id, content_item_id, front, back)
     select user_id, topics[1], 'What?', 'That' from study where number in (3, 7)`,
  ],
  [
    "reviews of flashcards",
    `insert into flashcard_reviews (flashcard_id, rating)
     select id, 'good' from flashcards, generate_series(1, 3)`,
  ],
  [
    "threads",
    `insert into discussion_threads (course_offering_id, created_by_user_id)
     select course_offering_id, user_id from taken where ordinal = 1 and user_id % 5 = 0`,
  ],
  [
    "posts",
    `insert into discussion_posts (thread_id, user_id, body, is_deleted)
     select id, created_by_user_id, 'A thought', number = 1 from discussion_threads, generate_series(1, 10) as number`,
  ],
  [
    "reviews of courses",
    `insert into course_reviews (user_id, course_offering_id, rating)
     select user_id, course_offering_id, 1 + user_id % 5 from taken where ordinal = 1`,
  ],
  [
    "feature requests",
    `insert into feature_requests (user_id, title, description)
     select user_id, 'A wish', 'That it may be so' from taken where ordinal = 1 and user_id % 25 = 0`,
  ],
];
