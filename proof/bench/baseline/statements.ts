/*
 * The baseline's statements: one per request, which checks the caller ($1) and returns the response's JSON. A
 * row without `body` means 404. They call none of the service's functions and insert into tables without
 * triggers (tables-without-triggers.ts).
 */

const instant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column.split(".").at(-1)}`;

const caller = "select * from users where id = $1 and is_active";

/** True if the caller may see unpublished content. */
const isStaff = `exists (
  select from user_university_roles as held where held.user_id = $1 and held.role <> 'student'
    and (held.role = 'platform_admin' or held.university_id = courses.university_id))`;

const listOf = (rows: string): string =>
  `select '[' || coalesce((select string_agg(row_to_json(item)::text, ',') from (${rows}) as item), '') || ']' as body
   from caller`;

const me = `
  with caller as (${caller})
  select row_to_json(item)::text as body from (
    select id, email, full_name, ${instant("email_verified_at")}, is_active, locale, time_zone, tutor_sees_results,
           case when last_activity_date >= (now() at time zone time_zone)::date - 1 then current_streak_days else 0 end
             as current_streak_days,
           last_activity_date, ${instant("created_at")},
           case when avatar_token is not null then '/api/v1/avatars/' || avatar_token end as avatar_url,
           '{"university_id":null,"course_offering_id":null,"reaches_account":true,"withheld":[]}'::json as sign_in
    from caller) as item`;

const listCourses = `
  with caller as (${caller})
  ${listOf(`
    select id, title, code, description, upper(level) as level, language_code, credit_hours::float8,
           primary_subject_id, (select file_id from file_uses where course_id = courses.id) as picture_file_id,
           is_published, university_id, department_id, version
    from courses where is_published or ${isStaff} order by id limit $2`)}`;

const listModules = `
  with recursive caller as (${caller}), course as (
    select courses.id, ${isStaff} as is_staff from courses
    where courses.id = $2 and (is_published or ${isStaff})
  ), shown as (
    select modules.* from modules join course on course.id = course_id where is_published or is_staff
  ), tree as (
      select shown.*, array[sequence_index] as place from shown where parent_module_id is null
    union all
      select shown.*, place || shown.sequence_index from tree join shown on shown.parent_module_id = tree.id
  )
  ${listOf(`
    select id, course_id, parent_module_id, upper(module_type) as module_type, module_template_id, title, description,
           sequence_index, depth, is_published, ${instant("available_from")}, ${instant("due_at")},
           requires_module_ids, ${instant("created_at")}, ${instant("updated_at")}, version
    from tree order by place`)}
  where exists (select from course)`;

const listMyEnrollments = `
  with caller as (${caller})
  ${listOf(`
    select enrollments.id, user_id, course_offering_id, upper(status) as status, ${instant("enrolled_at")},
           ${instant("enrollments.completed_at")}, upper(completion_source) as completion_source,
           enrollments.university_id, course_offerings.course_id, ${instant("course_offerings.starts_at")},
           ${instant("course_offerings.ends_at")},
           coalesce(kept.progress_percent, 0)::float8 as progress_percent, null::integer as position,
           json_build_object('term_name', term_name, 'course', json_build_object('title', title, 'code', code))
             as course_offering
    from enrollments
    join course_offerings on course_offerings.id = course_offering_id
    join courses on courses.id = course_offerings.course_id
    left join enrollment_progress as kept using (user_id, course_offering_id)
    where user_id = $1 order by enrollments.enrolled_at desc, enrollments.id limit $2`)}`;

/** Updates the user's streak, once per day. */
const streak = `
  update users
  set current_streak_days = case when last_activity_date = $3::date - 1 then current_streak_days + 1 else 1 end,
      last_activity_date = $3::date
  where id = $1 and (last_activity_date is null or last_activity_date < $3::date)`;

const recordProgress = `
  with caller as (${caller}), object as (
    select item.id, offering.university_id
    from caller
    join enrollments on user_id = caller.id and course_offering_id = $2 and status <> 'dropped'
    join course_offerings as offering on offering.id = course_offering_id
    join courses on courses.id = offering.course_id and (courses.is_published or ${isStaff})
    join content_items as item on item.id = $4 and item.course_id = courses.id and item.is_active
    join modules on modules.id = item.module_id and (modules.is_published or ${isStaff})
  ), before as (
    select completed_at from plain.user_content_progress
    where user_id = $1 and course_offering_id = $2 and content_item_id = $4
  ), saved as (
    insert into plain.user_content_progress as p
      (user_id, course_offering_id, content_item_id, progress_percent, completed_at, attempts_count)
    select $1, $2, id, $5::numeric, case when $5::numeric = 100 then now() end, 1 from object
    on conflict (user_id, course_offering_id, content_item_id) do update
    set progress_percent = excluded.progress_percent, last_interacted_at = now(),
        completed_at = coalesce(p.completed_at, excluded.completed_at),
        attempts_count = p.attempts_count + (p.progress_percent < 100)::int
    returning *
  ), event as (
    insert into plain.activity_events
      (user_id, verb, object_type, object_id, university_id, content_item_id, course_offering_id)
    select $1, case when completed_at is not null and not exists (select from before where completed_at is not null)
                    then 'completed' else 'progressed' end,
           'content_item', object.id, university_id, object.id, $2
    from saved, object
  ), active as (${streak})
  select row_to_json(item)::text as body from (
    select id, user_id, course_offering_id, content_item_id, ${instant("first_started_at")},
           ${instant("last_interacted_at")}, ${instant("completed_at")}, progress_percent::float8, attempts_count
    from saved) as item`;

/** The prompt with all reachable references; the client assembles the text. */
const getPrompt = `
  with recursive caller as (
    select from users where id = $1 and is_active and exists (
      select from user_university_roles as held
      where held.user_id = $1 and held.role in ('instructor', 'department_admin', 'university_admin', 'platform_admin'))
  ), root as (
    select prompts.* from prompts join prompt_labels on prompt_labels.prompt_id = prompts.id, caller
    where prompt_labels.name = $2 and label = $3
  ), reached (id, level) as (
      select id, 0 from root
    union
      select coalesce(numbered.id, labelled.prompt_id), level + 1
      from reached
      join prompt_dependencies as link on link.prompt_id = reached.id
      left join prompts as numbered on numbered.name = child_name and numbered.version = child_version
      left join prompt_labels as labelled on labelled.name = child_name and labelled.label = child_label
      where level < 6
  )
  select row_to_json(item) as prompt,
         json_build_object(
           'root', item.id,
           'prompts', (select json_agg(json_build_object('id', id, 'name', name, 'version', version, 'prompt', prompt))
                       from prompts where id in (select id from reached)),
           'links', (select coalesce(json_agg(json_build_object(
                              'child_name', child_name, 'child_version', child_version, 'child_label', child_label,
                              'child_id', coalesce(numbered.id, labelled.prompt_id))), '[]')
                     from prompt_dependencies as link
                     left join prompts as numbered on numbered.name = child_name and numbered.version = child_version
                     left join prompt_labels as labelled
                       on labelled.name = child_name and labelled.label = child_label
                     where link.prompt_id in (select id from reached))) as graph
  from (
    select root.id, root.name, root.version, type, prompt, config, prompt_names.version as name_version,
           array(select label::text from prompt_labels where prompt_id = root.id order by label) as labels,
           tags, commit_message, created_by::text, ${instant("root.created_at")}, ${instant("root.updated_at")}
    from root join prompt_names on prompt_names.name = root.name) as item`;

const replayAnswer = `
  with caller as (${caller}), session as (
    select s.id, s.content_item_id, item.university_id
    from chat_sessions as s join content_items as item on item.id = s.content_item_id, caller
    where s.id = $2 and s.user_id = caller.id
    for update of s
  ), node as (
    select n.id, n.chunks, n.model
    from cache_nodes as n join session on n.content_item_id = session.content_item_id
    where n.parent_id is null and n.message = $4
    limit 1
  ), visit as (
    insert into plain.cache_visits (node_id, hit) select id, true from node
  ), question as (
    insert into plain.chat_messages (session_id, role, content) select session.id, 'user', $4 from session, node returning id
  ), answer as (
    insert into plain.chat_messages (session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id)
    select session.id, 'assistant', (select string_agg(chunk, '') from jsonb_array_elements_text(node.chunks) as chunk),
           jsonb_build_object('source', 'cache', 'model', node.model, 'cache_node_id', node.id), question.id, true, node.id
    from session, node, question
    returning id
  ), moved as (
    update chat_sessions set cache_node_id = node.id, updated_at = now() from node where chat_sessions.id = $2
  ), event as (
    insert into plain.activity_events (user_id, verb, object_type, object_id, university_id, content_item_id)
    select $1, 'asked', 'content_item', content_item_id, university_id, content_item_id from session, node
  ), active as (${streak})
  select node.chunks, answer.id from node, answer`;

const findAccount = "select id, password_hash, is_active from users where lower(email) = lower($1)";

/** Named as they are prepared. */
export const baselineStatements = {
  me,
  listCourses,
  listModules,
  listMyEnrollments,
  recordProgress,
  getPrompt,
  replayAnswer,
  findAccount,
};

export type StatementName = keyof typeof baselineStatements;
