import type { normalCourseParameterValues } from "../../../proof/bench/scale-reads.ts";

/**
 * Copies the first matching row of a table with changed columns; `n` is the copy's number. Generated values
 * are new.
 */
const copying = `
  create function pg_temp.copies(place text, which text, changes jsonb) returns void language plpgsql as $$
  declare
    columns text[];
    chosen text[];
  begin
    select array_agg(quote_ident(attname) order by attnum),
           array_agg(coalesce(changes ->> attname, 'one.' || quote_ident(attname)) order by attnum)
      into columns, chosen
    from pg_attribute
    where attrelid = place::regclass and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = '';
    execute format('insert into %I (%s) select %s from (select * from %I where %s limit 1) as one, generate_series(1, 3) as n',
      place, array_to_string(columns, ', '), array_to_string(chosen, ', '), place, which);
  end $$`;

/** Statements that multiply rows that a loaded platform has at most once. */
export function manyOfEach(values: ReturnType<typeof normalCourseParameterValues>): string {
  const { university_id, user_id, course_id, course_offering_id, offering_id } = values;
  const { content_item_id, assignment_id, question_id, import_id, lti_platform_id, group_id } = values;
  const copy = (table: string, which: string, changes: Record<string, string> = {}) =>
    `select pg_temp.copies('${table}', '${which}', '${JSON.stringify(changes).replaceAll("'", "''")}')`;
  const outsider = `(select id from users where id not in (
    select user_id from enrollments where course_offering_id = ${offering_id}) order by id desc offset n limit 1)`;
  const several = "generate_series(1, 3) as n";
  return [
    copying,
    `insert into module_templates (university_id, template_type, title) select ${university_id}, 'unit', 'T' from ${several}`,
    `insert into course_prerequisites (course_id, prerequisite_course_id)
     select ${course_id}, id from courses where university_id = ${university_id} and id < ${course_id} on conflict do nothing`,
    `insert into course_exemptions (course_id, prerequisite_course_id, user_id)
     select course_id, prerequisite_course_id, ${user_id} from course_prerequisites where course_id = ${course_id}`,
    copy("course_offerings", `course_id = ${course_id}`),
    copy("enrollments", `course_offering_id = ${offering_id}`, { user_id: outsider }),
    copy("course_offering_instructors", `course_offering_id = ${offering_id}`, { user_id: outsider }),
    copy("question_versions", `question_id = ${question_id}`, { version: "one.version + n" }),
    copy("quiz_attempts", `course_offering_id = ${offering_id}`, {
      attempt_number: "one.attempt_number + n",
    }),
    copy("lab_submissions", `course_offering_id = ${offering_id}`, {
      attempt_number: "one.attempt_number + n",
    }),
    copy("certificates", `course_offering_id = ${offering_id}`, {
      user_id: outsider,
      certificate_code: "'copy-' || n",
    }),
    copy("chat_sessions", `user_id = ${user_id}`, { share_token: "null", share_enabled: "false" }),
    copy("cache_nodes", `content_item_id = ${content_item_id}`, { model: "'model ' || n" }),
    `insert into answer_pins (content_item_id, path, path_hash, asked_hash, answer)
     select ${content_item_id}, '["Start."]', n, n, 'Hello' from ${several}`,
    `insert into tree_changes (content_item_id, action, node_id, path, asked_hash, former)
     select ${content_item_id}, 'replaced', 1, '["Start."]', n, '{}' from ${several}`,
    `insert into tutor_questions (content_item_id, question_hash, node_id, question, question_key)
     select ${content_item_id}, n, n, '{"questionId": "q", "question": "Which?", "options": []}',
            '{"answer": "A", "misconceptions": [], "skill": null}' from ${several}`,
    "insert into tutor_step_counts select id, 'A', 1, false, 5 from tutor_questions",
    copy("discussion_threads", `course_offering_id = ${offering_id}`, { answer_post_id: "null" }),
    copy("announcements", `course_offering_id = ${course_offering_id}`),
    copy("announcements", `course_offering_id = ${course_offering_id}`, {
      course_offering_id: String(offering_id),
    }),
    copy("announcements", `course_offering_id = ${course_offering_id}`, { course_offering_id: "null" }),
    "update announcements set published_at = '2026-01-01'",
    copy("notes", `user_id = ${user_id}`),
    copy("flashcard_decks", `user_id = ${user_id}`, { title: "'deck ' || n" }),
    copy("flashcards", `user_id = ${user_id}`),
    copy("imports", `university_id = ${university_id}`),
    copy("feature_requests", "true", { user_id: String(user_id) }),
    `insert into invitations (university_id, email, role, created_at, expires_at)
     select ${university_id}, n || '@example.edu', 'student', now(), now() from ${several}`,
    `update users set email_verified_at = now() where id = ${user_id}`,
    `insert into invitations (university_id, email, role, created_at, expires_at)
     select ${university_id}, email, role, now(), now() + interval '7 days'
     from users, unnest(array['student', 'ta', 'instructor']) as role where users.id = ${user_id}`,
    `insert into university_domains (university_id, domain)
     select ${university_id}, n || '.example.edu' from ${several}`,
    `insert into lti_platforms (university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url)
     select ${university_id}, 'LMS ' || n, 'https://lms.example.edu', n::text, 'https://lms.example.edu/auth',
       'https://lms.example.edu/token', 'https://lms.example.edu/keys' from ${several}`,
    `insert into lti_deployments (platform_id, deployment_id) select ${lti_platform_id}, 'd' || n from ${several}`,
    `insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id)
     select ${lti_platform_id}, id, 'c' || n, 'Course', ${offering_id}, ${university_id}
     from (select max(id) as id from lti_deployments where platform_id = ${lti_platform_id}) as one, ${several}`,
    `insert into lti_people (platform_id, subject) select ${lti_platform_id}, 's' || n from ${several}`,
    `insert into lti_refused_launches (platform_id, day, reason, launches, last_at)
     select ${lti_platform_id}, '2026-01-01', 'reason ' || n, 1, now() from ${several}`,
    `insert into lti_tools (university_id, name, client_id, login_url, launch_url, redirect_uris, jwks_url, subject_key, in_navigation)
     select owner.id, 'Tool ' || n, 'tool-' || n || owner.kind, 'https://tool.example.com/login', 'https://tool.example.com/launch',
       '{https://tool.example.com/launch}', 'https://tool.example.com/keys', 'key', true
     from ${several} cross join (values (${university_id}, ''), (null, '-of-platform')) as owner (id, kind)`,
    `insert into one_roster_sources (university_id, name, service_url, token_url, client_id, secret_ciphertext, mode, state, due_at)
     select ${university_id}, 'Source ' || n, 'https://sis.example.edu/' || n, 'https://sis.example.edu/token', 'client', 'sealed',
       'full', 'imported', now() from ${several}`,
    `insert into lti_tool_deployments (tool_id, university_id)
     select id, university_id from lti_tools where university_id = ${university_id}`,
    `insert into api_keys (university_id, name, scopes, key_hash, maker_id, expires_at)
     select ${university_id}, 'Key ' || n, '{people:read}', n::text, ${user_id}, now() + interval '1 year' from ${several}`,
    `insert into scim_groups (university_id, display_name) select ${university_id}, 'Group ' || n from ${several}`,
    `insert into scim_requests (university_id, api_key_id, asked_at, method, path, status, request_id)
     select ${university_id}, (select min(id) from api_keys where university_id = ${university_id}),
       timestamptz '2026-03-01' + n * interval '1 second', 'GET', '/Users', 200, 'request-' || n from ${several}`,
    `insert into import_rows (import_id, kind, file, line, is_deletion, details)
     select ${import_id}, 'person', 'people.csv', n, false, '{}' from ${several}`,
    `insert into grade_changes (course_offering_id, user_id, kind, changed_at)
     select ${offering_id}, ${user_id}, 'finalized', now() from ${several}`,
    `insert into offering_staff (course_offering_id, university_id, user_id, role, source)
     select course_offering_id, university_id, user_id, 'ta', 'roster' from enrollments
     where course_offering_id = ${offering_id} on conflict do nothing`,
    `insert into course_reviews (user_id, course_offering_id, rating)
     select user_id, course_offering_id, 4 from enrollments where course_offering_id = ${offering_id}`,
    `insert into discussion_reports (review_id, course_offering_id, user_id, reason)
     select id, course_offering_id, ${user_id}, 'unkind' from course_reviews`,
    `insert into quiz_overrides (user_id, course_offering_id, content_item_id)
     select user_id, course_offering_id, item
     from enrollments, unnest(array[${content_item_id}, ${assignment_id}]) as item
     where course_offering_id = ${offering_id} on conflict do nothing`,
    `insert into university_offices (university_id, user_id, office_right)
     select university_id, user_id, office
     from university_members, unnest(array['accommodation:write', 'retention:write', 'data-request:write']) as office
     where university_id = ${university_id} on conflict do nothing`,
    `insert into accommodations (university_id, user_id, time_factor, extra_days)
     select university_id, user_id, 1.5, 2 from enrollments where course_offering_id = ${offering_id}
     on conflict do nothing`,
    `insert into retention_policies (university_id, archive_days) values (${university_id}, 1825) on conflict do nothing`,
    `insert into retention_holds (university_id, user_id, reason)
     select university_id, user_id, 'Appeal' from enrollments where course_offering_id = ${offering_id}`,
    `insert into data_requests (university_id, user_id, kind, received_on, made_at)
     select university_id, user_id, 'export', '2026-03-01', now() from enrollments where course_offering_id = ${offering_id}`,
    `insert into retention_runs (university_id, begun_at, ended_at, part)
     select ${university_id}, now(), now(), '' from ${several}`,
    `insert into offering_groups (course_offering_id, name) select ${offering_id}, 'Group ' || n from ${several}`,
    `insert into offering_group_members (group_id, course_offering_id, user_id, group_role)
     select ${group_id}, course_offering_id, user_id, 'member' from enrollments
     where course_offering_id = ${offering_id} on conflict do nothing`,
    `insert into cartridge_imports (university_id, course_id, is_dry_run, title, created_at, listed_at, ended_at)
     select ${university_id}, ${course_id}, true, 'Cartridge ' || n, now(), now(), now() from ${several}`,
    `insert into cartridge_parts (import_id, number, kind, identifier, title, details, is_last, outcome)
     select (select min(id) from cartridge_imports), n, 'page', 'p' || n, 'Page ' || n, '{}', false, 'created' from ${several}
     on conflict do nothing`,
    `insert into signing_keys (id, secret_mark, public_jwk, private_key)
     select 'key-' || n, n, '{}', '' from ${several}`,
  ].join(";\n");
}
