set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "llm_calls" DROP CONSTRAINT "llm_calls_outcome_check";
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_outcome_check" CHECK ("llm_calls"."outcome" in ('started', 'complete', 'length', 'refusal', 'empty', 'stopped', 'failed', 'timeout', 'lost'));
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
      and not (outcome in ('failed', 'timeout')
               and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0)
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
-- Copies a course without its runs. `wanted` may have a `code`, without which it gets a free one, a `title`, and
-- whether it `is_published`.
create or replace function copy_course(
  source integer, wanted jsonb, moved_by integer default null, out course courses, out prerequisites course_prerequisites[]
) language plpgsql set lock_timeout = '25s' as $$
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
create or replace function copy_offering(source integer, wanted jsonb) returns course_offerings
language plpgsql set lock_timeout = '25s' as $$
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
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql, `key` that of former-accounts.sql.
create or replace function erase_account(
  person integer, version integer, keep_certificates boolean, request jsonb, key bytea default null
) returns boolean language plpgsql set lock_timeout = '25s' as $$
declare
  own users;
  doomed integer[];
  moment timestamptz := (request ->> 'at')::timestamptz;
  -- Where they wait they may be given a place just now, which is free then.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  -- Before the places and the person, as whoever grades or revokes them has it; and nobody does while they are counted.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  perform from certificates where user_id = person order by id for update;
  perform hold_offerings(held_offerings);
  doomed := hold_own_words(person);
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  if keep_certificates then perform leave_certificates(person); end if;

  perform note_identifiers(person, key);
  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  perform keep_statistics(person);
  perform leave_office(person);
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where actor_id = person or subject_id = person;
  -- The streak runs out by itself: until then the people who have one stay as many.
  update users set email = null, full_name = '', password_hash = null, email_verified_at = null, is_active = false,
    locale = default, time_zone = default, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_places(offering, moment) from unnest(held_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Notes that the LLM failed at an attempt, and `how` its call ended. After the first failure its maker tells the answer anew, after the second,
-- or where its provider wants to be left alone for `seconds`, it has failed for everyone: the state then, also when
-- asked again, and the `call` that it is told anew with. No row: the lease is lost.
create or replace function fail_generation(
  the_generation integer, maker uuid, failed_attempt integer, the_call bigint, used jsonb, seconds integer,
  how text
) returns table (state text, call bigint) language plpgsql as $$
#variable_conflict use_column
declare
  is_failing boolean;
begin
  update generations set
    failures = failures + 1, attempt = attempt + 1,
    state = case when failures > 0 or seconds is not null then 'failed' else 'writing' end,
    retry_after = seconds,
    lease_until = least(clock_timestamp() + maker_lease(), maker_until)
  where id = the_generation and token = maker and state = 'writing' and attempt = failed_attempt;
  is_failing := found;
  if is_failing then
    delete from generation_pieces where generation_id = the_generation;
    perform drop_ended_generations(10);
  end if;
  perform end_call(the_call, how, used);
  if is_failing and exists (select from generations as g where g.id = the_generation and g.state = 'writing') then
    perform repeat_call(the_generation, the_call);
  end if;
  return query
    select g.state, g.call_id from generations as g
    where g.id = the_generation and g.token = maker and g.attempt = failed_attempt + 1;
end;
$$;
--> statement-breakpoint
-- Gives an answer up whose maker's time is up: whoever waits for it may make it at once.
create or replace function release_generation(the_generation integer, maker uuid, the_call bigint, used jsonb)
returns void language sql as $$
  -- Instants are kept to the millisecond, and rounded.
  update generations set lease_until = clock_timestamp() - interval '1 millisecond'
  where id = the_generation and token = maker and state = 'writing';
  select end_call(the_call, 'timeout', used)
$$;
--> statement-breakpoint
-- Works the next rows of an import, as many of one kind as `most`; answers how many are left, null while someone else
-- works an import of the same university. Of a dry run what was done is undone, and what came of it stays.
create or replace function work_import(the_import integer, most integer, request jsonb) returns integer
language plpgsql set lock_timeout = '25s' as $$
declare
  import imports;
  batch bigint[];
  the_kind text;
  results jsonb;
  waiting integer;
begin
  if not pg_try_advisory_xact_lock(
    hashtext('imports'), (select university_id from imports where id = the_import)
  ) then
    return null;
  end if;
  select * into import from imports where id = the_import for no key update;
  the_kind := (select kind from import_rows where import_id = the_import and outcome is null order by id limit 1);
  batch := array(
    select id from import_rows
    where import_id = the_import and outcome is null and kind = the_kind order by id limit most);
  begin
    if the_kind is null then
      results := '[]';
    elsif not may_grant(import.created_by_user_id, 'university_admin', import.university_id, null) then
      results := (
        select jsonb_agg(jsonb_build_object(
          'row_id', id, 'outcome', 'refused', 'reason', 'Who started the import may not import any more'))
        from unnest(batch) as id);
    elsif the_kind = 'offering' then
      results := (select jsonb_agg(to_jsonb(done)) from import_offerings(import, batch) as done);
    elsif the_kind = 'person' then
      results := (select jsonb_agg(to_jsonb(done)) from import_people(import, batch, request) as done);
    elsif the_kind = 'role' then
      results := (select jsonb_agg(to_jsonb(done)) from import_roles(import, batch, request) as done);
    else
      results := (select jsonb_agg(to_jsonb(done)) from import_enrollments(import, batch, request) as done);
    end if;
    if import.is_dry_run then raise exception 'a dry run' using errcode = 'ROLBK'; end if;
  exception when sqlstate 'ROLBK' then
    null;
  end;
  with done as (
    update import_rows set outcome = one.outcome, reason = one.reason,
      user_id = (select id from users where id = one.person)
    from jsonb_to_recordset(results) as one (row_id bigint, outcome text, reason text, person integer)
    where import_rows.id = one.row_id
    returning import_rows.outcome
  ), counted as (
    select count(*) filter (where outcome = 'created') as created,
      count(*) filter (where outcome = 'updated') as updated,
      count(*) filter (where outcome = 'unchanged') as unchanged, count(*) filter (where outcome = 'refused') as refused
    from done
  )
  update imports set created = imports.created + counted.created, updated = imports.updated + counted.updated,
    unchanged = imports.unchanged + counted.unchanged, refused = imports.refused + counted.refused
  from counted where imports.id = the_import;
  -- Rows may be fewer than they were: who erases their account takes theirs along.
  waiting := (select count(*) from import_rows where import_id = the_import and outcome is null);
  if waiting = 0 then
    update imports set ended_at = sent_at(request) where id = the_import and ended_at is null;
  end if;
  return waiting;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
