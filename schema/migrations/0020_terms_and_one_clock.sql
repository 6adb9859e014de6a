set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "course_offerings" ADD COLUMN "term_id" integer;
--> statement-breakpoint
CREATE INDEX "course_offerings_term_id_id_index" ON "course_offerings" USING btree ("term_id","id");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'enrollment.created', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted'));
--> statement-breakpoint
-- Begins the call that makes an answer for a session's open message, if it fits into every budget: `call`, or the limit
-- that it is `refused_by`, and in how many seconds it may be worth another try. `settings` holds the limits where a
-- university has none, and in `reserve` the most tokens that the call may use.
--
-- The person is held, so that of calls at once each sees those before it; the month's row lets no more in than fit.
-- What failed before it cost anything is no turn.
create or replace function begin_call(
  the_generation integer, the_session integer, the_question integer, the_model text, settings jsonb,
  out call bigint, out refused_by text, out retry_after integer
) language plpgsql as $$
declare
  person integer;
  item content_items;
  allowed record;
  today timestamptz := utc_midnight(utc_day(service_now()));
  reserve bigint := (settings ->> 'reserve')::bigint;
begin
  select s.user_id into person from chat_sessions as s where s.id = the_session;
  select i.* into item from content_items as i join chat_sessions as s on s.content_item_id = i.id
  where s.id = the_session;
  select * into allowed from tutor_budget_of(item.university_id, settings);
  perform from users where id = person for no key update;

  if allowed.turns_at_once <= (
    select count(*) from llm_calls as c join generations as g on g.call_id = c.id
    where c.user_id = person and c.university_id = item.university_id and c.ended_at is null
      and c.started_at > service_now() - answer_limit() and g.id <> the_generation
      and g.state = 'writing' and g.lease_until > clock_timestamp()
  ) then
    refused_by := 'turns_at_once';
    retry_after := 5;
    return;
  end if;
  if allowed.turns_per_day <= (
    select count(*) from llm_calls
    where user_id = person and university_id = item.university_id and started_at >= today
      and not (outcome = 'failed' and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0)
  ) then
    refused_by := 'turns_per_day';
    retry_after := seconds_until(today + interval '1 day');
    return;
  end if;

  perform lose_calls(array(select call_id from generations where id = the_generation));
  if reserve <= coalesce(allowed.tokens_per_month, reserve) then
    insert into tutor_months as used (university_id, month, tokens) values (item.university_id, tutor_month(), reserve)
    on conflict (university_id, month) do update set tokens = used.tokens + excluded.tokens
      where used.tokens + excluded.tokens <= coalesce(allowed.tokens_per_month, used.tokens + excluded.tokens);
  end if;
  if reserve > allowed.tokens_per_month or not found then
    refused_by := 'tokens_per_month';
    retry_after := seconds_until(utc_midnight((tutor_month() + interval '1 month')::date));
    return;
  end if;

  insert into llm_calls (university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens)
  values (item.university_id, item.course_id, item.id, person, the_question, the_model, reserve)
  returning id into call;
  update generations set call_id = call where id = the_generation;
end;
$$;
--> statement-breakpoint
-- Asks for the answer to an open message of a session: `is_shared` for everyone on the path below `the_parent`, else
-- for the session alone. Answered is one of:
-- - `answer_id`: the tree had it by now, and the exchange is stored;
-- - `path_gone`: what the message followed was purged or replaced: there is no such path, and the session leaves the
--   tree;
-- - `generation`: the answer in the making to follow. Whoever `is_maker` also has to make it, from `context` and
--   `exchanges`: the path from the root, or the session's answered history. The `call` of the LLM has begun with that;
-- - `refused_by`: it would have to make it, and the budgets (llm-calls.sql) are used up, for `retry_after` seconds.
-- No row: the session is not open with that message any more.
create or replace function claim_answer(
  the_session integer, the_token uuid, is_shared boolean, the_parent integer, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision, budget jsonb
) returns table (
  generation integer, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id integer, answered_at timestamptz, meta jsonb, chunks jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
  node cache_nodes;
  hash text := sha256_hex(the_message);
  alive_until timestamptz;
  limited_until timestamptz;
  stopping boolean := false;
  path integer[];
begin
  if is_shared then
    -- Held, so that the path is neither purged nor replaced while the answer is claimed.
    path := hold_path(the_parent);
    select * into session from chat_sessions where id = the_session and answering_token = the_token;
  else
    select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
  end if;
  if session.id is null then return; end if;
  path_gone := false;
  is_maker := false;

  if is_shared and the_parent is not null then
    if the_parent <> all (path) or (session.cache_node_id is distinct from the_parent and not exists (
      select from cache_nodes where id = session.cache_node_id and parent_id = the_parent
    )) then
      path_gone := true;
      update chat_sessions set cache_state = 'diverged' where id = the_session;
      return next;
      return;
    end if;
  end if;

  -- Whoever ends an answer between two of these looks is seen at the next.
  for look in 1..5 loop
    alive_until := clock_timestamp() + maker_lease();
    limited_until := clock_timestamp() + make_interval(secs => limit_seconds);
    if is_shared then
      insert into generations as made (
        content_item_id, parent_id, message, message_hash, prompt_fingerprint, content_fingerprint,
        prompt_name, prompt_version, model, token, lease_until, maker_until)
      values (
        session.content_item_id, the_parent, the_message, hash, the_prompt_fingerprint, session.content_fingerprint,
        the_prompt, the_prompt_version, the_model, maker, least(alive_until, limited_until), limited_until)
      on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                   prompt_fingerprint, content_fingerprint) where state = 'writing' and question_id is null
      do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                    maker_until = excluded.maker_until
        where made.lease_until < clock_timestamp()
      returning made.id, made.attempt into generation, attempt;
      is_maker := found;

      select * into node from cache_nodes as n
      where n.content_item_id = session.content_item_id
        -- Not "is not distinct from", which uses no index.
        and (n.parent_id = the_parent or (n.parent_id is null and the_parent is null))
        and n.message_hash = hash and n.prompt_name = the_prompt and n.prompt_version = the_prompt_version
        and n.model = the_model and n.prompt_fingerprint = the_prompt_fingerprint
        and n.content_fingerprint = session.content_fingerprint
      for share;
      if found then
        if is_maker then delete from generations where id = generation; end if;
        -- Someone else who listens in this session may have closed its turn meanwhile.
        select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
        if session.id is null then return; end if;
        meta := jsonb_build_object(
          'source', 'cache', 'model', the_model, 'prompt_name', the_prompt, 'prompt_version', the_prompt_version,
          'latency_ms', milliseconds_since(session.answering_since), 'cache_node_id', node.id);
        select stored.id, stored.created_at into answer_id, answered_at
        from store_answer(session.id, session.answering_message_id, node.chunks, meta, true, node.id, true) as stored;
        chunks := node.chunks;
        generation := null;
        is_maker := false;
        return next;
        return;
      end if;
      exit when is_maker;
      select made.id into generation from generations as made
      where made.content_item_id = session.content_item_id and coalesce(made.parent_id, 0) = coalesce(the_parent, 0)
        and made.message_hash = hash and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version
        and made.model = the_model and made.prompt_fingerprint = the_prompt_fingerprint
        and made.content_fingerprint = session.content_fingerprint
        and made.state = 'writing' and made.question_id is null;
    else
      -- One that has ended already was not stored with its question yet.
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'complete';
      exit when found;
      insert into generations as made (
        content_item_id, session_id, question_id, prompt_fingerprint, content_fingerprint,
        prompt_name, prompt_version, model, token, lease_until, maker_until)
      values (
        session.content_item_id, session.id, session.answering_message_id, the_prompt_fingerprint,
        session.content_fingerprint, the_prompt, the_prompt_version, the_model, maker,
        least(alive_until, limited_until), limited_until)
      on conflict (question_id) where state = 'writing'
      do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                    maker_until = excluded.maker_until
        where made.lease_until < clock_timestamp()
      returning made.id, made.attempt, made.stop_requested into generation, attempt, stopping;
      is_maker := found;
      exit when is_maker;
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'writing';
    end if;
    exit when found;
  end loop;
  if generation is null then return; end if;
  update chat_sessions set answering_generation_id = generation
  where id = the_session and answering_token = the_token;

  if stopping then
    -- Its maker died after the learner had stopped it: what it had said is the answer.
    update llm_calls set outcome = 'lost', ended_at = service_clock()
    where id = (select call_id from generations where id = generation) and outcome = 'started';
    perform finish_generation(generation, maker, coalesce((
      select jsonb_agg(chunk order by piece.first_chunk, number)
      from generation_pieces as piece, jsonb_array_elements(piece.chunks) with ordinality as part (chunk, number)
      where piece.generation_id = generation), '[]'), null, null, 'stopped', null, null);
    is_maker := false;
  elsif is_maker then
    delete from generation_pieces where generation_id = generation;
    context := session.content_context;
    exchanges := case when is_shared then shared_path(path)
                      else answered_history(session.id, session.answering_message_id) end;
    select begun.call, begun.refused_by, begun.retry_after into call, refused_by, retry_after
    from begin_call(generation, the_session, session.answering_message_id, the_model,
      budget || jsonb_build_object('reserve',
        (budget ->> 'reserve')::bigint + most_tokens(context, exchanges, (budget ->> 'material')::int))) as begun;
    if refused_by is not null then
      -- It is nobody's then: whoever wants it too makes it, on a budget of their own.
      if attempt = 1 then
        delete from generations where id = generation;
      else
        update generations set lease_until = clock_timestamp() - interval '1 millisecond' where id = generation;
      end if;
      update chat_sessions set answering_generation_id = null where id = the_session and answering_token = the_token;
      generation := null;
      is_maker := false;
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
create or replace function clock_offset() returns interval language sql stable parallel safe as $$
  select coalesce(nullif(current_setting('service.clock_offset', true), ''), '0')::interval
$$;
--> statement-breakpoint
-- Copies a course without its runs. `wanted` may have a `code`, without which it gets a free one, a `title`, and
-- whether it `is_published`.
create or replace function copy_course(
  source integer, wanted jsonb, moved_by integer default null, out course courses, out prerequisites course_prerequisites[]
) language plpgsql as $$
declare
  original courses;
  zone text;
  days integer;
begin
  select * into original from courses where id = source for no key update;
  select time_zone into zone from universities where id = original.university_id;
  days := coalesce(moved_by, days_to_move(first_date_of_course(source), wanted, zone));
  insert into courses (
    university_id, department_id, primary_subject_id, title, code, description, level, language_code, credit_hours,
    is_published, access, cache_enabled, llm_model)
  values (
    original.university_id, original.department_id, original.primary_subject_id,
    coalesce(wanted ->> 'title', original.title),
    coalesce(wanted ->> 'code', free_course_code(original.university_id, original.code)),
    original.description, original.level, original.language_code, original.credit_hours,
    coalesce((wanted ->> 'is_published')::boolean, original.is_published), original.access, original.cache_enabled,
    original.llm_model)
  returning * into course;
  insert into course_subjects (course_id, subject_id, is_primary)
  select course.id, subject_id, is_primary from course_subjects where course_id = source order by id;
  with added as (
    insert into course_prerequisites (course_id, prerequisite_course_id, prerequisite_type)
    select course.id, prerequisite_course_id, prerequisite_type from course_prerequisites
    where course_id = source order by id
    returning *
  )
  select coalesce(array_agg(added), '{}') into prerequisites from added;
  perform copy_outline(source, course.id, copy_question_pools(source, course.id), days, zone);
end $$;
--> statement-breakpoint
-- Copies a run of a course, with who teaches it, and unless it is to be a further run of the same course, the course
-- with it: dates of modules and items are the course's. `wanted` may have a `code`, a `title`, `is_published` and
-- `same_course`, and of the run `term_id` and `term_name`.
create or replace function copy_offering(source integer, wanted jsonb) returns course_offerings language plpgsql as $$
declare
  original course_offerings;
  copied course_offerings;
  zone text;
  days integer;
  target integer;
begin
  select run.* into original from course_offerings as run where run.id = source;
  select time_zone into zone from universities where id = original.university_id;
  days := days_to_move(coalesce(
    original.starts_at, original.ends_at, original.enrollment_start, original.enrollment_end,
    first_date_of_course(original.course_id)), wanted, zone);
  target := original.course_id;
  if not coalesce((wanted ->> 'same_course')::boolean, false) then
    target := (select (made.course).id from copy_course(original.course_id, wanted, days) as made);
  end if;
  -- Another term has its own name.
  insert into course_offerings overriding system value
  select made.*
  from jsonb_populate_record(original, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('course_offerings', 'id')), 'course_id', target,
    'starts_at', days_later(original.starts_at, days, zone), 'ends_at', days_later(original.ends_at, days, zone),
    'enrollment_start', days_later(original.enrollment_start, days, zone),
    'enrollment_end', days_later(original.enrollment_end, days, zone),
    'term_id', coalesce(wanted -> 'term_id', to_jsonb(original.term_id)),
    'term_name', case when wanted ? 'term_name' then wanted -> 'term_name'
                      when wanted ? 'term_id' then null else to_jsonb(original.term_name) end,
    'created_at', service_now(), 'updated_at', service_now())) as made
  returning * into copied;
  insert into course_offering_instructors (course_offering_id, user_id)
  select copied.id, user_id from course_offering_instructors where course_offering_id = source order by id;
  perform copy_offering_settings(original, copied);
  return copied;
end $$;
--> statement-breakpoint
-- How a run is graded and certified. Items are copied in the order of their ids: so each finds its copy.
create or replace function copy_offering_settings(source course_offerings, target course_offerings) returns void
language plpgsql as $$
declare
  own jsonb := jsonb_build_object(
    'course_offering_id', target.id, 'created_at', service_now(), 'updated_at', service_now());
begin
  insert into certificate_settings
  select copied.* from certificate_settings as one, jsonb_populate_record(one, own) as copied
  where one.course_offering_id = source.id;
  insert into grading_schemes
  with item as (
    select id, course_id, row_number() over (partition by course_id order by id) as place
    from content_items where course_id in (source.course_id, target.course_id)
  ), pair as (
    select one.id::text, copy.id as copy
    from item as one join item as copy on copy.place = one.place and copy.course_id = target.course_id
    where one.course_id = source.course_id
  )
  select copied.*
  from grading_schemes as one
  cross join lateral (
    select coalesce(jsonb_agg(weighed || jsonb_build_object('content_item_ids', (
      select coalesce(jsonb_agg(pair.copy order by named.place), '[]')
      from jsonb_array_elements_text(weighed -> 'content_item_ids') with ordinality as named (id, place)
      join pair on pair.id = named.id)) order by number), '[]') as groups
    from jsonb_array_elements(one.groups) with ordinality as part (weighed, number)
  ) as remapped
  cross join lateral jsonb_populate_record(one, own || jsonb_build_object('groups', remapped.groups)) as copied
  where one.course_offering_id = source.id;
end $$;
--> statement-breakpoint
-- The tree with its content. What a module asks for, and from what a quiz draws, are the copies too.
create or replace function copy_outline(source integer, target integer, pools jsonb, days integer, zone text)
returns void language plpgsql as $$
declare
  ids jsonb;
begin
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('modules', 'id')) order by id), '{}')
  into ids from modules where course_id = source;
  -- Parents first: a module's depth is that of the one above it.
  insert into modules overriding system value
  select copied.*
  from (select m from modules as m where m.course_id = source order by m.depth, m.id) as listed (one)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', ids -> (one).id::text, 'course_id', target, 'parent_module_id', ids -> (one).parent_module_id::text,
    'requires_module_ids', to_jsonb(array(
      select (ids ->> required.id::text)::integer
      from unnest((one).requires_module_ids) with ordinality as required (id, place) order by place)),
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'created_at', service_now(), 'updated_at', service_now()
  )) as copied;
  insert into content_items overriding system value
  select copied.*
  from (
    select item, type.name from content_items as item join content_types as type on type.id = item.content_type_id
    where item.course_id = source order by item.id
  ) as listed (one, type)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('content_items', 'id')), 'course_id', target,
    'module_id', ids -> (one).module_id::text,
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'created_at', service_now(), 'updated_at', service_now()
  ) || case when listed.type = 'quiz' and pools ? ((one).data_json ->> 'question_pool_id')
         then jsonb_build_object('data_json', jsonb_set(
           (one).data_json, '{question_pool_id}', pools -> ((one).data_json ->> 'question_pool_id')))
         else '{}' end) as copied;
end $$;
--> statement-breakpoint
-- The pools of a course with their questions, each in its present version, which is the first of the copy. Answers the
-- ids of the new pools by those of the old.
create or replace function copy_question_pools(source integer, target integer) returns jsonb language plpgsql as $$
declare
  pools jsonb;
begin
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('question_pools', 'id')) order by id), '{}')
  into pools from question_pools where course_id = source;
  if pools = '{}' then return pools; end if;
  insert into question_pools overriding system value
  select copied.*
  from question_pools as pool
  cross join lateral jsonb_populate_record(pool, jsonb_build_object(
    'id', pools -> pool.id::text, 'course_id', target, 'created_at', service_now(), 'updated_at', service_now()
  )) as copied
  where pool.course_id = source;
  insert into questions overriding system value
  select copied.*
  from (
    select question from questions as question
    where pools ? question.question_pool_id::text order by question.id
  ) as asked (one)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('questions', 'id')), 'question_pool_id', pools -> (one).question_pool_id::text,
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  )) as copied;
  return pools;
end $$;
--> statement-breakpoint
-- A moment that many calendar days later, at the same time of the day there.
create or replace function days_later(moment timestamptz, days integer, zone text) returns timestamptz
language plpgsql stable as $$
declare
  later timestamptz := (moment at time zone zone + make_interval(days => days)) at time zone zone;
begin
  if later < '0001-01-01 00:00Z' or later > '9999-12-31 23:59:59.999Z' then
    raise exception '% cannot be moved by % days', moment, days
      using errcode = 'check_violation', table = 'courses', constraint = 'copies_within_calendar';
  end if;
  return later;
end $$;
--> statement-breakpoint
-- By how many days a copy's dates are later: `{"shift_days"}`, or what brings the first one to `{"starts_on"}`.
create or replace function days_to_move(first timestamptz, wanted jsonb, zone text) returns integer
language plpgsql immutable as $$
begin
  if first is null and wanted ? 'starts_on' then
    raise exception 'no date to begin with'
      using errcode = 'check_violation', table = 'courses', constraint = 'copies_have_dates';
  end if;
  return coalesce((wanted ->> 'shift_days')::integer,
                  (wanted ->> 'starts_on')::date - (first at time zone zone)::date, 0);
end $$;
--> statement-breakpoint
-- Takes the words out of a post, which keeps its place. It answers its thread no longer.
create or replace function delete_post(the_post integer) returns void language plpgsql as $$
begin
  perform hold_thread_of(the_post);
  update discussion_posts set body = '', is_deleted = true, updated_at = service_now() where id = the_post and not is_deleted;
  update discussion_threads set answer_post_id = null where answer_post_id = the_post;
end $$;
--> statement-breakpoint
-- Ends a call with what it used, as a JSON object: `input`, `output`, `cache_read`, `cache_write` in tokens, and `cost`
-- in micros. Asked again it changes nothing; one that was taken for lost, and has given back what it reserved, tells its
-- end after all.
create or replace function end_call(the_call bigint, how text, used jsonb) returns void language sql as $$
  with before as materialized (
    select id, case outcome when 'started' then reserved_tokens else 0 end as reserved_tokens
    from llm_calls
    where id = the_call and used is not null and (
      outcome = 'started'
      or outcome = 'lost' and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0
    ) for update
  ), ended as (
    update llm_calls as call
    set ended_at = service_clock(), outcome = how,
        input_tokens = coalesce((used ->> 'input')::int, 0), output_tokens = coalesce((used ->> 'output')::int, 0),
        cache_read_tokens = coalesce((used ->> 'cache_read')::int, 0),
        cache_write_tokens = coalesce((used ->> 'cache_write')::int, 0),
        cost_micros = (used ->> 'cost')::bigint
    from before where call.id = before.id
    returning call.university_id, date_trunc('month', call.started_at at time zone 'UTC')::date as month,
              before.reserved_tokens,
              call.input_tokens + call.output_tokens + call.cache_read_tokens + call.cache_write_tokens as tokens
  )
  update tutor_months as used set tokens = used.tokens - ended.reserved_tokens + ended.tokens
  from ended where used.university_id = ended.university_id and used.month = ended.month
$$;
--> statement-breakpoint
-- Gives a place, or one on the waiting list, and the student role to whoever has no role in the university.
-- A dropped enrollment is taken up again. No row: the offering is gone.
--
-- With `staff` it is they who enroll the person, which the audit log is told with `request`: no key is asked for, and
-- where they override it, neither the window nor the prerequisites nor the capacity keep anyone out.
create or replace function enroll(
  offering integer, person integer, moment timestamptz, the_key text default null, staff integer default null,
  overrides boolean default false, request jsonb default null
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  passed text;
  waits boolean;
begin
  perform keep_course(offering);
  select * into run from course_offerings where id = offering for no key update;
  if not found then return; end if;
  select * into refusal, missing from refusal_to_enroll(run, person, moment);
  if staff is null and refusal is distinct from 'not_open' then
    refusal := coalesce(refusal_of_mode(run, the_key), refusal);
  end if;
  waits := is_full(run);
  if refusal is null and waits and is_list_closed(run, moment) then refusal := 'full'; end if;
  if overrides then
    passed := coalesce(refusal, case when waits then 'full' end);
    refusal := null;
    waits := false;
  end if;
  if refusal is distinct from 'not_open' and exists (
    select from enrollments
    where course_offering_id = offering and user_id = person and status <> 'dropped'
  ) then
    refusal := 'already_enrolled';
  end if;
  -- Which nobody overrides.
  refusal := coalesce(refusal_of_inactive(run.university_id, person), refusal);
  if refusal is null then
    insert into enrollments as placed (user_id, course_offering_id, status, enrolled_at)
    values (person, offering, case when waits then 'waitlisted' else 'active' end,
            case when waits then end_of_waiting_list(offering, moment) else moment end)
    on conflict (user_id, course_offering_id) do update
      set status = excluded.status, enrolled_at = excluded.enrolled_at
    returning placed.* into enrollment;
    insert into user_university_roles (user_id, university_id, role)
    select person, run.university_id, 'student' where not exists (
      select from user_university_roles
      where user_id = person and university_id = run.university_id
    ) on conflict do nothing;
    waits_at := place_in_line(enrollment);
    if staff is not null then
      perform audit('enrollment.created', staff, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
        'course_offering_id', offering, 'override', overrides, 'passed', passed)), request);
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Free places go to those who have waited longest, all of them where there is no capacity, and they are told;
-- `passed_over` is who has just gone back to waiting. Whoever is inactive keeps waiting.
create or replace function fill_places(offering integer, moment timestamptz, passed_over integer default null)
returns void language sql as $$
  with placed as (
    update enrollments set status = 'active' where id in (
      select id from enrollments
      where course_offering_id = offering and status = 'waitlisted' and id is distinct from passed_over
        and not (select is_list_closed(run, moment) from course_offerings as run where run.id = offering)
        and refusal_of_inactive(university_id, user_id) is null
      order by enrolled_at, id
      limit (
        select capacity - least(capacity, (
          select count(*) from enrollments where course_offering_id = offering and status = 'active'
        )) from course_offerings where id = offering
      )
    )
    returning user_id
  )
  select notify(array_agg(user_id), 'place_obtained', 'place:' || offering || ':' || extract(epoch from moment), moment,
                offering)
  from placed having count(*) > 0
$$;
--> statement-breakpoint
-- Places that came free while a university or a person was inactive go to those who wait when it is active again.
create or replace function fill_places_again() returns trigger language plpgsql as $$
declare
  offering integer;
begin
  for offering in
    select distinct course_offering_id from enrollments
    where status = 'waitlisted' and case tg_table_name
      when 'universities' then university_id = new.id else user_id = new.id end
    order by 1
  loop
    perform keep_course(offering);
    perform from course_offerings where id = offering for no key update;
    perform fill_places(offering, service_now());
  end loop;
  return null;
end $$;
--> statement-breakpoint
create or replace function first_date_of_course(the_course integer) returns timestamptz language sql stable as $$
  select min(least(one.available_from, one.due_at)) from (
    select available_from, due_at from modules where course_id = the_course
    union all
    select available_from, due_at from content_items where course_id = the_course
  ) as one
$$;
--> statement-breakpoint
-- The code, with the first number from 2 behind it where it is taken.
create or replace function free_course_code(university integer, taken text) returns text language plpgsql stable as $$
declare
  number integer := 1;
  free text := taken;
begin
  while exists (select from courses where university_id = university and code = free) loop
    number := number + 1;
    free := left(taken, 127 - length(number::text)) || '-' || number;
  end loop;
  return free;
end $$;
--> statement-breakpoint
-- Offerings are found by the source's id, else by the code of the course and the term, as far as no other class has
-- them; else they are made, with their course where the university has none of that code. A course that is there stays
-- as it is, and nothing is deleted.
create or replace function import_offerings(import imports, batch bigint[])
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  one import_rows;
  offering integer;
  course integer;
begin
  for one in select * from import_rows where id = any (batch) order by id loop
    row_id := one.id;
    outcome := 'unchanged';
    reason := null;
    offering := (
      select course_offering_id from sourced_offerings
      where university_id = import.university_id and sourced_offerings.sourced_id = one.sourced_id);
    if one.is_deletion then
      if offering is not null then
        outcome := 'refused';
        reason := 'An import deletes no offering';
      end if;
      return next;
      continue;
    end if;
    if offering is null then
      offering := (
        select run.id from course_offerings as run join courses on courses.id = run.course_id
        where run.university_id = import.university_id and courses.code = one.details ->> 'course_code'
          and run.term_name is not distinct from one.details ->> 'term_name'
          and not exists (select from sourced_offerings where course_offering_id = run.id)
        order by run.id limit 1);
      if offering is null then
        insert into courses (university_id, code, title)
        values (import.university_id, one.details ->> 'course_code', one.details ->> 'course_title')
        on conflict (university_id, code) do nothing;
        course := (
          select id from courses where university_id = import.university_id and code = one.details ->> 'course_code');
        insert into course_offerings (course_id, university_id, term_name, starts_at, ends_at)
        values (course, import.university_id, one.details ->> 'term_name',
                (one.details ->> 'starts_at')::timestamptz, (one.details ->> 'ends_at')::timestamptz)
        returning id into offering;
        outcome := 'created';
      end if;
      insert into sourced_offerings (university_id, sourced_id, course_offering_id)
      values (import.university_id, one.sourced_id, offering) on conflict do nothing;
      if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    end if;
    update course_offerings set
      term_name = coalesce(one.details ->> 'term_name', term_name),
      starts_at = coalesce((one.details ->> 'starts_at')::timestamptz, starts_at),
      ends_at = coalesce((one.details ->> 'ends_at')::timestamptz, ends_at),
      updated_at = service_now()
    where id = offering and (
      term_name is distinct from coalesce(one.details ->> 'term_name', term_name)
      or starts_at is distinct from coalesce((one.details ->> 'starts_at')::timestamptz, starts_at)
      or ends_at is distinct from coalesce((one.details ->> 'ends_at')::timestamptz, ends_at));
    if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- People are made, or found; found ones get the source's id, and the role of a student where they have nothing in the
-- university. Their name changes only as `may_rename` says, and their address, by which they sign in, never. Two rows of
-- one file never name the same person.
create or replace function import_people(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  made integer[];
  changed integer[];
  gone record;
  has_left boolean;
begin
  with fresh as (
    insert into users (email, full_name)
    select one.email, one.details ->> 'full_name' from import_batch(import, batch) as one
    where one.person is null and not one.is_deletion order by one.email
    on conflict (email) do nothing returning users.id
  )
  select coalesce(array_agg(id), '{}') into made from fresh;
  with welcomed as (
    insert into user_university_roles (user_id, university_id, role)
    select one.person, import.university_id, 'student' from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and not exists (select from known_at(one.person) as known where known.university_id = import.university_id)
    on conflict do nothing returning user_university_roles.user_id
  )
  select coalesce(array_agg(user_id), '{}') into changed from welcomed;
  -- After that, since whoever belonged nowhere belongs here alone now: the same file would find it so.
  with listed as materialized (
    select one.* from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
  ), misnamed as materialized (
    select listed.person, listed.details ->> 'full_name' as name from listed join users on users.id = listed.person
    where users.full_name <> listed.details ->> 'full_name'
  ), renamed as (
    update users set full_name = misnamed.name, updated_at = service_now() from misnamed
    where users.id = misnamed.person and may_rename(import.university_id, misnamed.person)
    returning users.id
  ), sourced as (
    insert into sourced_people (university_id, sourced_id, user_id)
    select import.university_id, listed.sourced_id, listed.person from listed
    where listed.sourced_id is not null
    on conflict do nothing returning sourced_people.user_id
  )
  select changed || array(select id from renamed union select user_id from sourced) into changed;
  return query
  select one.row_id,
    case when one.has_other_address then 'refused' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'The person with this sourced_id has another e-mail address, which only they can change' end,
    one.person
  from import_batch(import, batch) as one where not one.is_deletion;
  for gone in select one.* from import_batch(import, batch) as one where one.is_deletion order by one.row_id loop
    row_id := gone.row_id;
    person := gone.person;
    outcome := 'refused';
    reason := null;
    if person is null then
      outcome := 'unchanged';
    elsif person = import.created_by_user_id then
      reason := 'Nobody removes themselves';
    else
      has_left := import_leaving(import, person, request);
      if has_left is null then
        reason := 'They hold a role that you may not revoke';
      else
        outcome := case when has_left then 'updated' else 'unchanged' end;
      end if;
    end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- Whether a person may not sign in for the universities that they belong to: none of them is active, and they are staff
-- of none, to read what its people have.
create or replace function is_shut_out(person integer) returns boolean language sql stable as $$
  select coalesce(bool_and(not campus.is_active and coalesce(known.role, 'student') = 'student'), false)
  from known_at(person) as known join universities as campus on campus.id = known.university_id
$$;
--> statement-breakpoint
-- Whoever completes an enrollment, by a result or as staff, issues the certificate with it. One that was revoked does
-- not come back so.
create or replace function issue_on_completion() returns trigger language plpgsql as $$
begin
  if not exists (
    select from certificate_settings
    where course_offering_id = new.course_offering_id and issuance = 'by_staff'
  ) then
    perform issue_certificate(new.user_id, new.course_offering_id, coalesce(new.completed_at, service_now()), '{}');
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Takes calls for lost whose maker told no end, and gives back to their universities' months what they reserved; answers
-- how many. One that tells its end after all is counted then.
create or replace function lose_calls(the_calls bigint[]) returns integer language plpgsql as $$
declare
  counted integer;
begin
  with lost as (
    update llm_calls set outcome = 'lost', ended_at = service_clock()
    where id = any (the_calls) and outcome = 'started'
    returning university_id, date_trunc('month', started_at at time zone 'UTC')::date as month, reserved_tokens
  ), reserved as (
    select university_id, month, sum(reserved_tokens) as tokens from lost group by university_id, month
  ), given_back as (
    update tutor_months as used set tokens = used.tokens - reserved.tokens
    from reserved where used.university_id = reserved.university_id and used.month = reserved.month
  )
  select count(*) into counted from lost;
  return counted;
end $$;
--> statement-breakpoint
-- The same of up to `most` calls that are open for longer than any answer is made: their makers were killed.
create or replace function lose_forgotten_calls(most integer) returns integer language sql as $$
  select lose_calls(array(
    select id from llm_calls where outcome = 'started' and started_at < service_now() - 2 * answer_limit()
    order by id limit most for update skip locked))
$$;
--> statement-breakpoint
-- Enrollments are dropped in many ways, and each is noted; one that is taken up again keeps the moment.
create or replace function note_drop() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.dropped_at := coalesce(new.dropped_at, service_now());
  elsif old.status <> 'dropped' and new.dropped_at is not distinct from old.dropped_at then
    new.dropped_at := service_now();
  end if;
  return new;
end $$;
--> statement-breakpoint
-- A quiz that is graded anew may change a grade without anyone's word on it: the regrade is in the audit log.
create or replace function note_quiz_regrade() returns trigger language plpgsql as $$
begin
  insert into grade_changes
    (kind, course_offering_id, user_id, content_item_id, former_json, current_json, changed_at)
  values ('quiz_regraded', new.course_offering_id, new.user_id, new.content_item_id,
    jsonb_build_object('quiz_attempt_id', old.id, 'score', old.score_obtained, 'max_score', old.max_score),
    jsonb_build_object('quiz_attempt_id', new.id, 'score', new.score_obtained, 'max_score', new.max_score), service_now());
  return null;
end $$;
--> statement-breakpoint
create or replace function offerings_take_term_name() returns trigger language plpgsql as $$
begin
  if new.term_name is null or (tg_op = 'UPDATE' and new.term_name = old.term_name and exists (
    select from terms where id = old.term_id and name = old.term_name
  )) then
    new.term_name := coalesce((select name from terms where id = new.term_id), new.term_name);
  end if;
  return new;
end $$;
--> statement-breakpoint
-- Opens a turn of the person whom a valid token names, with the version of their tokens: stores their message with what
-- it does to the session and to their streak, and answers it where the tree holds the answer. Else it takes the
-- session's lease, and reads what answering takes. With `the_question` it takes up a message again that was stored
-- before and not answered: nothing is stored, and who listens to it already is joined, unless the answer that they wait
-- for has failed.
--
-- `the_message` is the normal form of `Start.` or of an answer to a question; null for what is on no path. Where the
-- answer under the cursor asks a question, only what it offers is on the path, and under the name that the tree keeps
-- it by. What was just answered and is said again is answered again.
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'inactive university', one of `gate_of_item` (outline.sql), 'under exam' (of the course),
-- 'sent before' (with the message, and its answer if it has one), 'being answered', 'answered' (by the time it was taken
-- up again), or 'another time zone', when `today` is not the day in their zone.
create or replace function open_turn(
  the_session integer, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question integer, the_token uuid, default_model text, tutor_prompt text, deepest integer,
  the_zone text, today date, moment timestamptz
) returns table (
  refusal text, time_zone text, message_id integer,
  -- Of an answer that is there.
  answer_id integer, answered_at timestamptz, meta jsonb, chunks jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id integer, message text, model text, university_id integer,
  generation integer, graph json
) language plpgsql as $$
#variable_conflict use_column
declare
  is_start boolean := the_message = 'Start.';
  hash text;
  fingerprint text;
  content_print text;
  tutor_id integer;
  tutor_name text;
  tutor_version integer;
  node integer;
  item_id integer;
  leaves_tree boolean;
begin
  -- What is read after the lock is what the message before this one left.
  perform from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back. What is on no path
  -- leaves it where answers are shared at all; free text does in any case.
  select case
           when not person.is_active then 'inactive person'
           when s.id is null then 'no such session'
           when s.user_id <> the_person then 'not theirs'
           when not campus.is_active then 'inactive university'
           when gate.refusal is not null then gate.refusal
           when is_under_exam(the_person, item.course_id, moment) then 'under exam'
           when sent.id is not null then 'sent before'
           when reply.id is not null then 'answered'
           when s.answering_until > now()
             and (the_question is null or s.answering_message_id is distinct from the_question) then 'being answered'
           when person.time_zone <> the_zone then 'another time zone'
         end,
         person.time_zone, coalesce(sent.id, the_question), reply.id, reply.created_at,
         reply.meta,
         case when reply.id is not null then coalesce(replayed.chunks, jsonb_build_array(reply.content)) end,
         case when s.answering_message_id = the_question and not exists (
           select from generations as g where g.id = s.answering_generation_id and g.state = 'failed')
         then s.answering_token else the_token end,
         coalesce(sent.content, the_content), s.content_item_id, item.university_id,
         place.shared, place.parent_id, place.message, place.model,
         the_message is null or (course.cache_enabled and place.message is null),
         tutor.id, tutor.name, tutor.version, tutor.plain_fingerprint, s.content_fingerprint
  into refusal, time_zone, message_id, answer_id, answered_at, meta, chunks, token, content, item_id,
       university_id, shared, parent_id, message, model, leaves_tree, tutor_id, tutor_name, tutor_version, fingerprint,
       content_print
  from users as person
  left join (
    chat_sessions as s
    join content_items as item on item.id = s.content_item_id
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as campus on campus.id = item.university_id
  ) on s.id = the_session
  left join chat_messages as sent on sent.session_id = s.id and sent.client_message_id = the_client_id
  left join chat_messages as reply on reply.in_reply_to_id = coalesce(sent.id, the_question)
  left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.edited_at is null
  left join cache_nodes as stands on stands.id = s.cache_node_id and not is_start
  left join cache_nodes as stood on stood.id = stands.parent_id
  left join lateral (
    select path.message, path.parent_id,
           path.message is not null and course.cache_enabled and s.cache_state = 'tracking' as shared,
           coalesce(course.llm_model, default_model) as model
    from (
      select case when is_start or (stands.id is not null and stands.choices is null and not again) then the_message
                  when again then stands.message
                  else stands.choices ->> the_message end as message,
             case when again then stands.parent_id else stands.id end as parent_id
      from (
        select coalesce(stands.message = coalesce(stood.choices ->> the_message, the_message)
                        and not coalesce(stands.choices ? the_message, false), false)
      ) as said (again)
    ) as path
  ) as place on true
  left join lateral tutor_prompt_of(type.name, tutor_prompt) as tutor on true
  left join lateral (
    select gate_of_module(item.module_id, the_person, moment, item.is_active, item.available_from) as refusal
  ) as gate on s.user_id = the_person
  where person.id = the_person and (person.token_version = the_version or not person.is_active);
  if not found then return; end if;
  if refusal is not null then
    return next;
    return;
  end if;

  if shared then
    hash := sha256_hex(message);
    select n.id, n.chunks into node, chunks
    from cache_nodes as n
    where n.content_item_id = item_id
      -- Not "is not distinct from", which uses no index.
      and (n.parent_id = open_turn.parent_id or (n.parent_id is null and open_turn.parent_id is null))
      and n.message_hash = hash and n.prompt_name = tutor_name and n.prompt_version = tutor_version
      and n.model = open_turn.model and n.prompt_fingerprint = fingerprint and n.content_fingerprint = content_print
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor_name and g.prompt_version = tutor_version
        and g.model = open_turn.model and g.prompt_fingerprint = fingerprint and g.content_fingerprint = content_print
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
    end if;
  end if;

  if the_question is null then
    perform record_activity(the_person, 'asked', 'content_item', item_id, open_turn.university_id, item_id,
      current_offering(the_person, (select course_id from content_items where id = item_id)), moment, today);
  end if;
  with visit as (
    insert into cache_visits (node_id, hit) select node, true where node is not null
  ), said as (
    select coalesce(the_question, nextval('chat_messages_id_seq')::int) as question,
           case when node is not null then nextval('chat_messages_id_seq')::int end as answer,
           case when node is not null then jsonb_build_object(
             'source', 'cache', 'model', open_turn.model, 'prompt_name', tutor_name, 'prompt_version', tutor_version,
             'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node) end as meta
  ), turned as (
    update chat_sessions as s
    set cache_node_id = coalesce(node, s.cache_node_id),
        cache_state = case when leaves_tree then 'diverged' else s.cache_state end,
        answering_message_id = case when node is null then said.question end,
        answering_since = case when node is null then
          case when s.answering_message_id = said.question and s.answering_until > now() then s.answering_since
               else now() end end,
        answering_token = case when node is null then open_turn.token end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = said.question then s.answering_generation_id end),
        answering_until = case when node is null then now() + listener_lease() end,
        updated_at = case when node is null then s.updated_at else service_now() end
    from said
    where s.id = the_session
  ), exchange as (
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id)
    overriding system value
    select question, the_session, 'user', the_content, '{}'::jsonb, null::int, false, null::int, the_client_id
    from said where the_question is null
    union all
    select answer, the_session, 'assistant', joined_text(open_turn.chunks), said.meta, question, true, node, null
    from said where answer is not null
  )
  select question, answer, service_now(), said.meta into message_id, answer_id, answered_at, meta from said;

  if node is null and generation is null and tutor_id is not null then
    select json_build_object('root', tutor_id, 'prompts', reached.prompts, 'links', reached.links) into graph
    from reached_prompts(array[tutor_id], 0, deepest) as reached;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- Puts labels on a version, whence they leave the others of the name, or takes them off where the version is null.
-- The clock is read after the wait for the lock, so that the recorded moments are in the order of the changes.
create or replace function place_prompt_labels(named text, placed text[], target integer, person integer)
returns void language plpgsql as $$
declare
  moved text[] := array(
    select unnest(placed) except select label from prompt_labels where prompt_id = target order by 1);
begin
  if moved = '{}' then return; end if;
  insert into prompt_label_events (name, label, from_version, to_version, changed_by, changed_at)
  select named, one.label, former.version,
         (select version from prompts where id = target), person, service_clock()
  from unnest(moved) as one (label)
  left join prompt_labels as held on held.name = named and held.label = one.label
  left join prompts as former on former.id = held.prompt_id;
  update prompts set updated_at = service_now() where id = target or id in (
    select prompt_id from prompt_labels where name = named and label = any (moved));
  delete from prompt_labels where name = named and label = any (moved);
  insert into prompt_labels (name, label, prompt_id)
  select named, label, target from unnest(moved) as one (label) where target is not null;
end $$;
--> statement-breakpoint
-- Why nobody gets a place there, or this person none: the university or they are inactive. Null where both are not.
create or replace function refusal_of_inactive(university integer, person integer) returns text language sql stable as $$
  select case when not (select is_active from universities where id = university) then 'inactive_university'
              when not (select is_active from users where id = person) then 'inactive_person' end
$$;
--> statement-breakpoint
-- The same for the content of one module.
create or replace function reorder_content_items(course integer, named integer[]) returns setof content_items
language plpgsql strict as $$
declare
  module integer;
begin
  perform from courses where id = course for no key update;
  select module_id into module from content_items where id = named[1];
  if cardinality(named) <> (
    select count(*) from content_items where module_id = module and id = any (named)
  ) then
    raise exception 'content items % are not of one module, or not each named once', named
      using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_reorder_siblings';
  end if;
  update content_items set sequence_index = place.rank, updated_at = service_now()
  from (
    select id, row_number() over (order by array_position(named, id), sequence_index) as rank
    from content_items where module_id = module
  ) as place
  where content_items.id = place.id and content_items.sequence_index <> place.rank;
  return query select * from content_items where module_id = module;
end $$;
--> statement-breakpoint
-- Numbers the siblings from 1: the named ones in the order given, then the others in their old order. Answers all.
create or replace function reorder_modules(course integer, named integer[]) returns setof modules
language plpgsql strict as $$
declare
  parent integer;
begin
  perform from courses where id = course for no key update;
  select parent_module_id into parent from modules where id = named[1];
  if cardinality(named) <> (
    select count(*) from modules
    where course_id = course and parent_module_id is not distinct from parent and id = any (named)
  ) then
    raise exception 'modules % are not siblings, or not each named once', named
      using errcode = 'check_violation', table = 'modules', constraint = 'modules_reorder_siblings';
  end if;
  update modules set sequence_index = place.rank, updated_at = service_now()
  from (
    select id, row_number() over (order by array_position(named, id), sequence_index) as rank
    from modules where course_id = course and parent_module_id is not distinct from parent
  ) as place
  where modules.id = place.id and modules.sequence_index <> place.rank;
  return query select * from modules
    where course_id = course and parent_module_id is not distinct from parent;
end $$;
--> statement-breakpoint
-- Replaces a node's answer. What was made from the former text goes, unless `keep_children`, and so does what is just
-- being made from it; sessions that heard the former text and stood there stand before the root again.
create or replace function replace_answer(
  the_node integer, the_answer text, the_question jsonb, the_choices jsonb, editor integer, keep_children boolean
) returns void language plpgsql as $$
begin
  if not keep_children then perform hold_subtree(the_node); end if;
  update cache_nodes
  set chunks = jsonb_build_array(the_answer), question = the_question, choices = the_choices,
      edited_by = editor, edited_at = service_clock(), children_kept = keep_children
  where id = the_node;
  -- Who makes an answer from this path holds it until it can be seen here.
  delete from generations where parent_id = the_node or parent_id in (select nodes_below(the_node));
  if not keep_children then
    delete from cache_nodes where parent_id = the_node;
    update chat_sessions set cache_node_id = null where cache_node_id = the_node;
  end if;
end;
$$;
--> statement-breakpoint
-- The set of a course's subjects, in place of the one before: `[{"subject_id": 1, "is_primary": true}, …]`.
-- The subject that is marked, or none, is the course's primary subject from now on. Answers the set.
create or replace function replace_course_subjects(course integer, wanted jsonb) returns setof course_subjects
language plpgsql as $$
begin
  perform from courses where id = course for no key update;
  delete from course_subjects where course_id = course;
  insert into course_subjects (course_id, subject_id, is_primary)
  select course, subject_id, is_primary
  from jsonb_to_recordset(wanted) as one (subject_id integer, is_primary boolean);
  update courses set updated_at = service_now(), primary_subject_id = (
    select subject_id from course_subjects where course_id = course and is_primary
  ) where id = course;
  return query select * from course_subjects where course_id = course;
end $$;
--> statement-breakpoint
create or replace function seconds_until(moment timestamptz) returns integer language sql volatile as $$
  select greatest(1, ceil(extract(epoch from moment - service_clock())))::integer
$$;
--> statement-breakpoint
-- This very moment, where others that were waited for may have come between.
create or replace function service_clock() returns timestamptz language sql volatile parallel safe as $$
  select clock_timestamp() + clock_offset()
$$;
--> statement-breakpoint
-- When the transaction began.
create or replace function service_now() returns timestamptz language sql stable parallel safe as $$
  select now() + clock_offset()
$$;
--> statement-breakpoint
-- Switches an account off or on, and answers it; switching it off ends its tokens.
create or replace function set_account_active(person integer, wanted boolean, actor integer, request jsonb)
returns setof users language plpgsql as $$
begin
  update users set is_active = wanted, updated_at = service_now() where id = person and is_active <> wanted;
  if found then
    if not wanted then perform end_tokens(person); end if;
    perform audit(case when wanted then 'account.reactivated' else 'account.deactivated' end, actor, person, null, '{}',
                  request);
  end if;
  return query select * from users where id = person;
end $$;
--> statement-breakpoint
-- Moves an enrollment to another status, `wanted` null for none. The owner takes a place up only as if enrolling
-- anew, leaves the waiting list for nothing but `dropped`, and completes it on their own word alone; staff may overfill
-- an offering, and confirm such a word. Whoever goes to the waiting list stands at its end, and a place that is left
-- goes to the next in line.
create or replace function set_enrollment_status(
  moved integer, wanted text, by_owner boolean, moment timestamptz
) returns table (refusal text, missing text, enrollment enrollments, waits_at integer) language plpgsql as $$
declare
  run course_offerings;
  former text;
  confirms boolean;
begin
  perform keep_course(course_offering_id) from enrollments where id = moved;
  select course_offerings.* into run
  from enrollments join course_offerings on course_offerings.id = course_offering_id
  where enrollments.id = moved for no key update of course_offerings;
  select * into enrollment from enrollments where id = moved for no key update;
  former := enrollment.status;
  confirms := wanted = 'completed' and not by_owner and enrollment.completion_source = 'self';
  if wanted <> former and by_owner and former = 'waitlisted' and wanted <> 'dropped' then
    refusal := 'waiting';
  elsif wanted <> former and wanted = 'active' and by_owner then
    select * into refusal, missing from refusal_to_enroll(run, enrollment.user_id, moment);
    if refusal is distinct from 'not_open' then
      refusal := coalesce(refusal_of_mode(run, null), refusal);
    end if;
    if refusal is null and is_full(run) then refusal := 'full'; end if;
  end if;
  if wanted <> former and wanted in ('active', 'pending', 'waitlisted') then
    refusal := coalesce(refusal_of_inactive(run.university_id, enrollment.user_id), refusal);
  end if;
  if (wanted <> former or confirms) and refusal is null then
    update enrollments set
      status = wanted,
      completed_at = case when wanted = 'completed' then coalesce(completed_at, moment) end,
      completion_source = case when wanted = 'completed' then case when by_owner then 'self' else 'staff' end end,
      enrolled_at = case when wanted = 'waitlisted' then end_of_waiting_list(run.id, moment)
                           else enrolled_at end
    where id = moved returning enrollments.* into enrollment;
    if former = 'active' then perform fill_places(run.id, moment, moved); end if;
  end if;
  waits_at := place_in_line(enrollment);
  return next;
end $$;
--> statement-breakpoint
-- Sets the tags of all versions of a name; false when there is none.
create or replace function set_prompt_tags(named text, tagged text[]) returns boolean language plpgsql as $$
begin
  perform lock_prompts();
  update prompt_names set tags = tagged where name = named and tags <> tagged;
  if found then update prompts set updated_at = service_now() where name = named; end if;
  return exists (select from prompt_names where name = named);
end $$;
--> statement-breakpoint
-- Stores the answer to a session's open message, moves the cursor to the node that holds it, and ends the turn. A node
-- that is gone by now, or says something else, leaves the cursor where it was. Whoever calls it holds the node, so that
-- it is not pruned or replaced until the cursor stands on it, and then the session, whose turn it is.
create or replace function store_answer(
  the_session integer, the_question integer, the_chunks jsonb, the_meta jsonb, on_path boolean, the_node integer,
  is_hit boolean
) returns table (id integer, created_at timestamptz, content text) language plpgsql as $$
#variable_conflict use_column
declare
  standing integer;
begin
  select n.id into standing from cache_nodes as n where n.id = the_node and n.chunks = the_chunks;
  if standing is not null then insert into cache_visits (node_id, hit) values (standing, is_hit); end if;
  update chat_sessions as s
  set cache_node_id = coalesce(standing, s.cache_node_id), updated_at = service_now(), answering_message_id = null,
      answering_generation_id = null, answering_since = null, answering_token = null, answering_until = null
  where s.id = the_session;
  return query
    insert into chat_messages as m (session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id)
    values (the_session, 'assistant', joined_text(the_chunks), the_meta, the_question, on_path, standing)
    returning m.id, m.created_at, m.content;
end;
$$;
--> statement-breakpoint
create or replace function terms_rename_offerings() returns trigger language plpgsql as $$
begin
  update course_offerings set term_name = new.name where term_id = new.id and term_name = old.name;
  return null;
end $$;
--> statement-breakpoint
create or replace function tutor_month() returns date language sql stable as $$
  select date_trunc('month', service_now() at time zone 'UTC')::date
$$;
--> statement-breakpoint
create or replace trigger fill_places_again after update of is_active on universities
  for each row when (new.is_active and not old.is_active) execute function fill_places_again();
--> statement-breakpoint
create or replace trigger fill_places_again after update of is_active on users
  for each row when (new.is_active and not old.is_active) execute function fill_places_again();
--> statement-breakpoint
create or replace trigger offerings_take_term_name before insert or update of term_id on course_offerings
  for each row when (new.term_id is not null) execute function offerings_take_term_name();
--> statement-breakpoint
CREATE TABLE "terms" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "terms_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"starts_on" date NOT NULL,
	"ends_on" date NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "terms_university_id_name_unique" UNIQUE("university_id","name"),
	CONSTRAINT "terms_id_university_id_unique" UNIQUE("id","university_id"),
	CONSTRAINT "terms_ends_on_check" CHECK ("terms"."ends_on" >= "terms"."starts_on")
);
--> statement-breakpoint
ALTER TABLE "activity_events" ALTER COLUMN "occurred_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "announcements" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "announcements" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "assets" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "assets" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "cache_nodes" ALTER COLUMN "last_used_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "cache_nodes" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "cache_visits" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "certificate_settings" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "certificate_settings" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "chat_messages" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "chat_sessions" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "chat_sessions" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "message_feedback" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "message_feedback" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "content_items" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "content_items" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "content_types" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "content_types" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "course_prerequisites" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "courses" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "courses" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "stored_credentials" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "departments" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "departments" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "discussion_posts" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "discussion_posts" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "discussion_reports" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "discussion_threads" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "discussion_threads" ALTER COLUMN "last_post_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "domains" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "domains" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "enrollments" ALTER COLUMN "enrolled_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "course_exemptions" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "feature_requests" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "feature_requests" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "flashcard_decks" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "flashcard_decks" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "flashcard_reviews" ALTER COLUMN "due" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "flashcard_reviews" ALTER COLUMN "reviewed_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "flashcards" ALTER COLUMN "due" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "flashcards" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "flashcards" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "grading_schemes" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "grading_schemes" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "item_grades" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "user_identities" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "identity_providers" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "identity_providers" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "lab_submissions" ALTER COLUMN "submitted_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "llm_calls" ALTER COLUMN "started_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "module_templates" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "module_templates" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "modules" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "modules" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "notes" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "notes" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "course_offerings" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "course_offerings" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "one_time_tokens" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "user_profiles" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "user_profiles" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "user_content_progress" ALTER COLUMN "first_started_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "user_content_progress" ALTER COLUMN "last_interacted_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "user_module_progress" ALTER COLUMN "started_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "prompt_label_events" ALTER COLUMN "changed_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "prompt_names" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "prompts" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "prompts" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "question_pools" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "question_pools" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "question_versions" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "questions" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "questions" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "quiz_attempts" ALTER COLUMN "started_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "quiz_overrides" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "quiz_overrides" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "course_reviews" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "course_reviews" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "user_university_roles" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "signing_keys" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "subjects" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "subjects" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "universities" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "universities" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "users" ALTER COLUMN "created_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "users" ALTER COLUMN "updated_at" SET DEFAULT service_now();
--> statement-breakpoint
ALTER TABLE "terms" ADD CONSTRAINT "terms_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "terms_university_id_starts_on_id_index" ON "terms" USING btree ("university_id","starts_on","id");
--> statement-breakpoint
ALTER TABLE "course_offerings" ADD CONSTRAINT "course_offerings_term_id_terms_id_fk" FOREIGN KEY ("term_id","university_id") REFERENCES "public"."terms"("id","university_id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
create or replace trigger terms_rename_offerings after update of name on terms
  for each row when (old.name <> new.name) execute function terms_rename_offerings();
--> statement-breakpoint
set local check_function_bodies = on;
