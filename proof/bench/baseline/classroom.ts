import pg from "pg";
import { copyTableDefinitionsWithoutTriggers } from "./tables-without-triggers.ts";

/** A class under load: its learners and their targets. */
export type ClassroomIds = {
  learners: { id: number; session_id: number }[];
  course_id: number;
  offering_id: number;
  content_item_id: number;
};

/** Maximum of concurrent learners. */
const classSize = 64;

export const measuredSignInAccount = { email: "signs-in@bench.example", password: "a password of the bench" };

export const referencingPromptName = "bench/with-references";

/** The prompts, the referenced ones first. */
export const classroomPrompts = [
  ...["tone", "format", "limits"].map((name) => ({
    name: `bench/${name}`,
    prompt: `Of ${name}: ${"be brief, and kind. ".repeat(20)}`,
    labels: ["production"],
  })),
  {
    name: referencingPromptName,
    prompt: ["tone", "format", "limits"]
      .map((name) => `Mind @@@refPrompt:name=bench/${name}|label=production@@@`)
      .join("\n"),
    labels: ["production"],
  },
];

/**
 * Creates the class in a seeded database: 100 courses, 50 with an offering that everyone is enrolled in, one
 * with 200 modules, and a session for each learner. `hash` is the account's password hash.
 */
export async function makeClassroom(url: string, hash: string): Promise<ClassroomIds> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(
      "insert into users (email, full_name, password_hash) values ($1, 'Who signs in', $2)",
      [measuredSignInAccount.email, hash],
    );
    const { rows } = await client.query(statement, [classSize]);
    await client.query(formerTerms, [rows[0].classroom.content_item_id, rows[0].classroom.offering_id]);
    await copyTableDefinitionsWithoutTriggers(client);
    await client.query("analyze");
    return rows[0].classroom;
  } finally {
    await client.end();
  }
}

/** One statement; rows refer to each other by id. */
const statement = `
  with home as (select id from universities order by id limit 1), made_courses as (
    insert into courses (university_id, title, code, description, credit_hours, is_published)
    select home.id, 'Course ' || n, 'BENCH-' || n, 'What course ' || n || ' is about, in a sentence or two.', 7.5, true
    from home, generate_series(1, 100) as n returning id, university_id
  ), offered as (
    insert into course_offerings (course_id, university_id, term_name, visibility)
    select id, university_id, 'Autumn', 'public' from made_courses order by id limit 50
    returning id, course_id, university_id
  ), people as (
    insert into users (email, full_name, time_zone)
    select 'learner' || n || '@bench.example', 'Learner ' || n, 'Europe/Madrid' from generate_series(1, $1::int) as n
    returning id
  ), enrolled as (
    insert into enrollments (user_id, course_offering_id, university_id, status, enrolled_at)
    select people.id, offered.id, offered.university_id, 'active', now() - offered.id * interval '1 hour'
    from people, offered
  ), course as (select * from offered order by id limit 1), top as (
    insert into modules (course_id, module_type, title, description, sequence_index, is_published)
    select course_id, 'unit', 'Unit ' || n, 'What unit ' || n || ' is about', n, true
    from course, generate_series(1, 20) as n returning id, course_id
  ), below as (
    insert into modules (course_id, parent_module_id, module_type, title, description, sequence_index, depth, is_published)
    select course_id, id, 'lesson', 'Lesson ' || n, 'What lesson ' || n || ' is about', n, 1, true
    from top, generate_series(1, 9) as n
  ), item as (
    insert into content_items (module_id, course_id, university_id, content_type_id, title, data_json)
    select (select min(id) from top), course.course_id, course.university_id, type.id, 'Sampling', sample.data_json
    from course, (select content_type_id as id, data_json from content_items order by id limit 1) as sample (id, data_json),
         content_types as type
    where type.id = sample.id
    returning id
  ), opened as (
    insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
    select people.id, item.id, '{"title": "Sampling"}', md5('Sampling'), md5('Sampling') from people, item returning id, user_id
  )
  select json_build_object(
    'learners', (select json_agg(json_build_object('id', user_id, 'session_id', id)) from opened),
    'course_id', course.course_id, 'offering_id', course.id, 'content_item_id', item.id) as classroom
  from course, item`;

/**
 * Earlier data: empty tables would get sequential scans, which connections keep as plans until statistics
 * change.
 */
const formerTerms = `
  with people as (
    insert into users (email, full_name)
    select 'former' || n || '@bench.example', 'Former learner ' || n from generate_series(1, 400) as n returning id
  ), opened as (
    insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
    select id, $1::int, '{"title": "Sampling"}', md5('Sampling'), md5('Sampling') from people returning id, user_id
  ), said as (
    insert into chat_messages (session_id, role, content)
    select opened.id, role, 'What was said there in a sentence or two, as people say it.'
    from opened, generate_series(1, 5), unnest(array['user', 'assistant']) as role
  )
  insert into activity_events (user_id, verb, object_type, object_id, university_id, content_item_id, course_offering_id)
  select opened.user_id, 'interacted', 'content_item', $1, run.university_id, $1, run.id
  from opened, generate_series(1, 10), course_offerings as run where run.id = $2::int`;

/** Makes stored answers on the class's item 40 chunks long. */
export async function replaceStoredAnswersWith40Chunks(
  url: string,
  { content_item_id }: ClassroomIds,
): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `update cache_nodes
     set chunks = (select jsonb_agg('Chunk ' || n || ' of the answer. ') from generate_series(1, 40) as n)
     where content_item_id = $1`,
    [content_item_id],
  );
  await client.end();
}
