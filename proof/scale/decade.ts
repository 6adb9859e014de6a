/** Number of rows after ten years. */
export type DecadeSize = {
  people: number;
  courses: number;
  /** Offerings per course, two a year. */
  runs: number;
  enrollments: number;
  events: number;
  messages: number;
  /** Learners of an offering of everyone's course. */
  classSize: number;
};

/** One large university, with half of all activity, and a hundred small ones. */
export const decadeUniversityCount = 101;

/** Ten years, or a share of them. */
export const decadeSizeForShare = (share: number): DecadeSize => {
  const of = (whole: number, least: number) => Math.max(least, Math.round(whole * share));
  return {
    people: of(100_000, 2_000),
    courses: of(2_000, 202),
    runs: 20,
    enrollments: of(1_000_000, 20_000),
    events: of(20_000_000, 200_000),
    messages: of(5_000_000, 50_000),
    classSize: of(10_000, 500),
  };
};

const asUniversity = (n: string) =>
  `case when ${n} % 2 = 0 then 1 else 2 + ${n} / 2 % ${decadeUniversityCount - 1} end`;

export type DecadeTableInsert = { what: string; table: string; count: number; columns: string; rows: string };

/** Statements over `n` from 0. Ids are explicit, from 1: the database is empty. */
export function buildDecadeTableInserts(size: DecadeSize): DecadeTableInsert[] {
  const { people, courses, runs, enrollments, events, messages, classSize } = size;
  const offerings = courses * runs;
  const items = courses * 10;
  const everyone = classSize * runs;
  const others = enrollments - everyone;
  // Term `t` of twenty; the last is current.
  const begin = (t: string) =>
    `(date_trunc('day', now()) - interval '10 years' + interval '6 months' * (${t}))`;
  // Run `r` of course `c` has the id c * runs + r + 1; enrollment `n` beyond the first course is of run n %
  // (offerings - runs).
  const run = `${runs} + n % ${offerings - runs}`;
  const isDone = `(${run}) % ${runs} < ${runs - 1} and n % 3 > 0`;
  const taker = `1 + (n / ${offerings - runs} * 7919 + n % ${offerings - runs} * 31) % ${people}`;
  const moment = (seed: string) =>
    `${begin(`(${seed}) % ${runs}`)} + interval '1 second' * (hashint8(${seed})::bigint & 15000000)`;
  const ofTenYears = (count: number) =>
    `date_trunc('day', now()) - interval '10 years' + interval '10 years' * (n::float8 / ${count})`;
  const questions = Math.max(1, Math.round(messages / 50));
  return [
    {
      what: "universities",
      table: "universities",
      count: decadeUniversityCount,
      columns: "id, name, short_code, country_id",
      rows: `n + 1, 'University ' || n, 'U' || n, (select min(id) from countries)`,
    },
    {
      what: "people",
      table: "users",
      count: people,
      columns: "id, email, full_name, created_at",
      rows: `n + 1, 'person-' || n || '@decade.example.edu', 'Person ' || n, now() - interval '10 years'`,
    },
    {
      what: "members",
      table: "university_members",
      count: people,
      columns: "university_id, user_id, full_name, email, search_text, created_at",
      rows: `${asUniversity("n")}, n + 1, 'Person ' || n, 'person-' || n || '@decade.example.edu', 'person ' || n, now()`,
    },
    {
      what: "roles",
      table: "user_university_roles",
      count: people,
      columns: "user_id, university_id, role",
      rows: `n + 1, ${asUniversity("n")}, case n when 0 then 'platform_admin' when 1 then 'university_admin' else 'student' end`,
    },
    {
      what: "courses",
      table: "courses",
      count: courses,
      columns: "id, university_id, title, code, is_published",
      rows: `n + 1, ${asUniversity("n")}, 'Course ' || n, 'C' || n, true`,
    },
    {
      what: "modules",
      table: "modules",
      count: courses * 2,
      columns: "id, course_id, module_type, title, sequence_index, is_published",
      rows: `n + 1, n / 2 + 1, 'unit', 'Module', n % 2 + 1, true`,
    },
    {
      what: "items",
      table: "content_items",
      count: items,
      columns: "id, module_id, course_id, university_id, content_type_id, title, data_json, sequence_index",
      rows: `n + 1, n / 5 + 1, n / 10 + 1, ${asUniversity("n / 10")},
             (select id from content_types where name = 'text'), 'Topic', '{}', n % 5 + 1`,
    },
    {
      what: "runs",
      table: "course_offerings",
      count: offerings,
      columns: "id, course_id, university_id, term_name, visibility, starts_at, ends_at",
      rows: `n + 1, n / ${runs} + 1, ${asUniversity(`(n / ${runs})`)}, 'Term ' || n % ${runs}, 'public',
             ${begin(`n % ${runs}`)}, ${begin(`n % ${runs} + 1`)} + interval '1 day'`,
    },
    {
      what: "everyone's course",
      table: "enrollments",
      count: everyone,
      columns:
        "id, user_id, course_offering_id, university_id, status, is_admitted, completion_source, completed_at, enrolled_at",
      rows: `n + 1, 1 + n % ${classSize} + n / ${classSize} * 37 % ${Math.max(1, people - classSize)}, 1 + n / ${classSize}, 1, 'active', true, null, null,
             ${begin(`n / ${classSize}`)}`,
    },
    {
      what: "enrollments",
      table: "enrollments",
      count: others,
      columns:
        "id, user_id, course_offering_id, university_id, status, is_admitted, completion_source, completed_at, enrolled_at",
      rows: `${everyone} + n + 1, ${taker}, 1 + ${run}, ${asUniversity(`((${run}) / ${runs})`)},
             case when ${isDone} then 'completed' else 'active' end, true, case when ${isDone} then 'result' end,
             case when ${isDone} then ${begin(`(${run}) % ${runs}`)} + interval '100 days' end,
             ${begin(`(${run}) % ${runs}`)}`,
    },
    {
      what: "kept progress",
      table: "enrollment_progress",
      count: enrollments,
      columns: "user_id, course_offering_id, progress_percent, completed_items",
      rows: `taken.user_id, taken.course_offering_id, n % 11 * 10, n % 11`,
    },
    {
      what: "progress in modules",
      table: "user_module_progress",
      count: enrollments,
      columns: "user_id, course_offering_id, module_id, started_at, progress_percent",
      rows: `taken.user_id, taken.course_offering_id, (taken.course_offering_id - 1) / ${runs} * 2 + 1, taken.enrolled_at, 50`,
    },
    {
      what: "progress in items",
      table: "user_content_progress",
      count: enrollments * 4,
      columns:
        "user_id, course_offering_id, content_item_id, first_started_at, completed_at, progress_percent",
      rows: `taken.user_id, taken.course_offering_id, (taken.course_offering_id - 1) / ${runs} * 10 + n % 4 + 1,
             taken.enrolled_at + interval '1 day' * (n % 90), case when n % 5 > 0 then taken.enrolled_at + interval '1 day' * (n % 90) end,
             case when n % 5 > 0 then 100 else 40 end`,
    },
    {
      what: "trees",
      table: "course_trees",
      count: enrollments,
      columns: "course_offering_id, user_id, course_id, begun_on, completed_on, fresh_on",
      rows: `taken.course_offering_id, taken.user_id, (taken.course_offering_id - 1) / ${runs} + 1,
             taken.enrolled_at::date + n % 7, case when n % 11 = 10 then taken.enrolled_at::date + 90 + n % 13 end,
             datemultirange(daterange(taken.enrolled_at::date + n % 7, taken.enrolled_at::date + 104 + n % 13))`,
    },
    {
      what: "stored answers",
      table: "cache_nodes",
      count: Math.round(messages / 5),
      columns: `id, content_item_id, message, prompt_name, prompt_version, model, prompt_fingerprint,
                content_fingerprint, chunks, visit_count, last_used_at`,
      rows: `n + 1, 1 + n % ${items}, 'Message ' || n, 'tutor', 1, 'model', 'p', 'c',
             '["What is answered, in some two hundred characters, ", "as an explanation of a topic that was asked about would be: ", "first what it is, then why, and then what to do with it."]',
             5, now()`,
    },
    {
      what: "conversations",
      table: "chat_sessions",
      count: Math.round(messages / 10),
      columns:
        "id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, created_at",
      rows: `n + 1, 1 + n % ${people}, 1 + n * 7 % ${items}, '{}', 'c', 'c', ${moment("n")}`,
    },
    {
      what: "messages",
      table: "chat_messages",
      count: messages,
      columns: "id, session_id, role, content, meta, on_shared_path, created_at, cache_node_id",
      rows: `n + 1, 1 + n / 10, case when n % 2 = 0 then 'user' else 'assistant' end,
             'What is said of a topic by someone, and answered by the tutor, in some eighty characters',
             case when n % 2 = 0 then '{}' else '{"source": "cache"}'::jsonb end, true,
             ${moment("n / 10")} + interval '1 minute' * (n % 10),
             case when n % 2 = 1 then 1 + n % ${Math.round(messages / 5)} end`,
    },
    {
      what: "calls of the LLM",
      table: "llm_calls",
      count: Math.round(messages / 5),
      columns: `id, started_at, ended_at, university_id, course_id, content_item_id, user_id, model, input_tokens, output_tokens,
                reserved_tokens, cost_micros, outcome`,
      // In order of time, as in reality; every tenth has no price.
      rows: `n + 1, ${ofTenYears(Math.round(messages / 5))}, ${ofTenYears(Math.round(messages / 5))} + interval '5 seconds',
             ${asUniversity(`(n * 7919::bigint % ${courses})`)}, 1 + n * 7919::bigint % ${courses}, 1 + n * 7919::bigint % ${courses} * 10,
             1 + n % ${people}, 'model', 1000, 200, 4000, case when n % 10 > 0 then 500 + n % 100 end, 'complete'`,
    },
    {
      what: "questions of the tutor",
      table: "tutor_questions",
      count: questions,
      columns: "id, content_item_id, question_hash, node_id, question, question_key",
      rows: `n + 1, 1 + n % ${items}, md5(n::text) || md5(n::text), n + 1,
             '{"questionId": "q1", "question": "Which of these holds?", "options": [{"id": "A", "text": "The first"}, {"id": "B", "text": "The second"}]}',
             '{"answer": "A", "misconceptions": [{"id": "B", "text": "Takes the second for the first"}], "skill": null}'`,
    },
    {
      what: "answers to them",
      table: "tutor_steps",
      count: Math.round(messages / 5),
      columns:
        "id, user_id, content_item_id, question_id, question_hash, asked_message_id, choice, try_number, hints, created_at",
      // One answer per user and question.
      rows: `n + 1, 1 + n % ${people}, 1 + n / ${people} % ${questions} % ${items}, 1 + n / ${people} % ${questions},
             md5((n / ${people} % ${questions})::text) || md5((n / ${people} % ${questions})::text), n * 2 + 1,
             case when n % 3 = 0 then 'B' else 'A' end, 1 + n / ${people} / ${questions}, 0, ${moment("n")}`,
    },
    {
      what: "events",
      table: "activity_events",
      count: events,
      columns: `id, user_id, university_id, verb, object_type, object_id, content_item_id, course_offering_id, occurred_at`,
      // In order of time, as in reality.
      rows: `n + 1, taken.user_id, taken.university_id, case when n % 4 = 0 then 'asked' else 'progressed' end, 'content_item',
             (taken.course_offering_id - 1) / ${runs} * 10 + n % 10 + 1, (taken.course_offering_id - 1) / ${runs} * 10 + n % 10 + 1,
             taken.course_offering_id,
             ${ofTenYears(events)}`,
    },
  ];
}

/** The enrollment of row `n` of a table. */
export const enrollmentJoinSql = ({ table }: DecadeTableInsert, { enrollments }: DecadeSize): string => {
  const ordinal =
    table === "user_content_progress"
      ? "n / 4 + 1"
      : table === "activity_events"
        ? `n::bigint * 48271 % ${enrollments} + 1`
        : "n + 1";
  return [
    "enrollment_progress",
    "user_module_progress",
    "user_content_progress",
    "course_trees",
    "activity_events",
  ].includes(table)
    ? ` join enrollments as taken on taken.id = ${ordinal}`
    : "";
};
