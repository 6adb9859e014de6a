set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "tutor_notes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tutor_notes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"content_item_id" integer,
	"notes" text DEFAULT '' NOT NULL,
	"key_facts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"common_errors" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"never_say" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"updated_by" integer,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD COLUMN "tutor_context" jsonb;
--> statement-breakpoint
ALTER TABLE "content_items" ADD COLUMN "tutor_line" text;
--> statement-breakpoint
ALTER TABLE "courses" ADD COLUMN "tutor_line" text;
--> statement-breakpoint
ALTER TABLE "tutor_notes" ADD CONSTRAINT "tutor_notes_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tutor_notes" ADD CONSTRAINT "tutor_notes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tutor_notes" ADD CONSTRAINT "tutor_notes_updated_by_users_id_fk" FOREIGN KEY ("updated_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "tutor_notes_key" ON "tutor_notes" USING btree ("course_id",coalesce(content_item_id, 0));
--> statement-breakpoint
CREATE INDEX "tutor_notes_content_item_id_index" ON "tutor_notes" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "tutor_notes_updated_by_index" ON "tutor_notes" USING btree ("updated_by");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused'));
--> statement-breakpoint
-- Asks for the answer to an open message of a session: `is_shared` for everyone on the path below `the_parent`, else
-- for the session alone. Answered is one of:
-- - `answer_id`: the tree had it by now, and the exchange is stored;
-- - `path_gone`: what the message followed was purged or replaced: there is no such path, and the session leaves the
--   tree, unless the message answers what it was asked;
-- - `generation`: the answer in the making to follow. Whoever `is_maker` also has to make it, from `context` and
--   `exchanges`: the path from the root, or the session's answered history. The `call` of the LLM has begun with that;
-- - `refused_by`: it would have to make it, and the budgets (llm-calls.sql) are used up, for `retry_after` seconds.
-- No row: the session is not open with that message any more.
create or replace function claim_answer(
  the_session bigint, the_token uuid, is_shared boolean, the_parent bigint, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision, budget jsonb, uses_surroundings boolean default null
) returns table (
  generation bigint, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
  node cache_nodes;
  hash text := sha256_hex(the_message);
  key text;
  known bigint;
  alive_until timestamptz;
  limited_until timestamptz;
  stopping boolean := false;
  path bigint[];
begin
  if is_shared then
    -- Held, so that the path is neither purged nor replaced while the answer is claimed.
    path := lock_path_shared(the_parent);
    select * into session from chat_sessions where id = the_session and answering_token = the_token;
  else
    -- A row that its own transaction changes twice has its references checked, where the cursor stands among them.
    perform from cache_nodes where id = (select cache_node_id from chat_sessions where id = the_session) for key share;
    select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
  end if;
  if session.id is null then return; end if;
  path_gone := false;
  is_maker := false;
  key := answer_key(
    session.item_fingerprint, session.surroundings_fingerprint, session.content_fingerprint, coalesce(
      uses_surroundings,
      (select p.uses_surroundings from prompts as p where p.name = the_prompt and p.version = the_prompt_version), true));

  if is_shared and the_parent is not null then
    if the_parent <> all (path) or (session.cache_node_id is distinct from the_parent and not exists (
      select from cache_nodes where id = session.cache_node_id and parent_id = the_parent
    )) then
      path_gone := true;
      update chat_sessions set cache_state = 'diverged'
      where id = the_session and not was_offered(the_session, the_message);
      return next;
      return;
    end if;
  end if;

  -- Whoever ends an answer between two of these looks is seen at the next. Who finds it being made draws no id.
  for look in 1..5 loop
    alive_until := clock_timestamp() + producer_lease();
    limited_until := clock_timestamp() + make_interval(secs => limit_seconds);
    if is_shared then
      with known as materialized (
        select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
        where made.content_item_id = session.content_item_id
          and coalesce(made.parent_id, 0) = coalesce(the_parent, 0) and made.message_hash = hash
          and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version and made.model = the_model
          and made.prompt_fingerprint = the_prompt_fingerprint
          and made.content_fingerprint = key
          and made.state = 'writing' and made.question_id is null
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      ), begun as (
        insert into generations as made (
          content_item_id, parent_id, message, message_hash, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, token, lease_until, maker_until)
        select
          session.content_item_id, the_parent, the_message, hash, the_prompt_fingerprint, key,
          the_prompt, the_prompt_version, the_model, maker, least(alive_until, limited_until), limited_until
        where not exists (select from known)
        on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                     prompt_fingerprint, content_fingerprint) where state = 'writing' and question_id is null
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      )
      select mine.id, mine.attempt into generation, attempt
      from (select * from taken_over union all select * from begun) as mine;
      is_maker := found;

      select * into node from cache_nodes as n
      where n.content_item_id = session.content_item_id
        and coalesce(n.parent_id, 0) = coalesce(the_parent, 0)
        and n.message_hash = hash and n.prompt_name = the_prompt and n.prompt_version = the_prompt_version
        and n.model = the_model and n.prompt_fingerprint = the_prompt_fingerprint
        and n.content_fingerprint = key
      for share;
      if not found and is_maker then
        known := known_answer(
          session.content_item_id, the_parent, the_message, hash, the_prompt, the_prompt_version, the_model,
          the_prompt_fingerprint, key, session.content_fingerprint, true);
        select * into node from cache_nodes where id = known;
      end if;
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
        and made.content_fingerprint = key
        and made.state = 'writing' and made.question_id is null
      for key share;
    else
      -- One that has ended already was not stored with its question yet.
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'complete';
      exit when found;
      with known as materialized (
        select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
        where made.question_id = session.answering_message_id and made.state = 'writing'
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      ), begun as (
        insert into generations as made (
          content_item_id, session_id, question_id, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, token, lease_until, maker_until)
        select
          session.content_item_id, session.id, session.answering_message_id, the_prompt_fingerprint, key, the_prompt, the_prompt_version, the_model, maker,
          least(alive_until, limited_until), limited_until
        where not exists (select from known)
        on conflict (question_id) where state = 'writing'
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      )
      select mine.id, mine.attempt, mine.stop_requested into generation, attempt, stopping
      from (select * from taken_over union all select * from begun) as mine;
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
    context := with_file_texts(session.content_context, (budget ->> 'material')::integer);
    exchanges := case when is_shared then shared_path(path)
                      else answered_history(session.id, session.answering_message_id) end;
    select begun.call, begun.refused_by, begun.retry_after into call, refused_by, retry_after
    from begin_call(generation, the_session, session.answering_message_id, the_model,
      budget || jsonb_build_object('reserve',
        (budget ->> 'reserve')::bigint + most_tokens(context, exchanges, (budget ->> 'material')::int)
        + coalesce(octet_length(session.tutor_context::text), 0) / 3)) as begun;
    if session.tutor_context is not null then
      context := context::jsonb || jsonb_build_object('tutor', session.tutor_context);
    end if;
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
    is_published, access, cache_enabled, llm_model, tutor_line)
  values (
    original.university_id, original.department_id, original.primary_subject_id,
    coalesce(wanted ->> 'title', original.title),
    coalesce(wanted ->> 'code', free_course_code(original.university_id, original.code)),
    original.description, original.level, original.language_code, original.credit_hours,
    coalesce((wanted ->> 'is_published')::boolean, original.is_published), original.access, original.cache_enabled,
    original.llm_model, original.tutor_line)
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
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  )) as copied;
  insert into content_items overriding system value
  select copied.*
  from (
    select item, type.name from content_items as item join content_types as type on type.id = item.content_type_id
    where item.course_id = source order by item.id
  ) as listed (one, type)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('content_items', 'id')), 'course_id', target, 'origin_item_id', (one).id,
    'module_id', ids -> (one).module_id::text,
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || case when listed.type = 'quiz' and pools ? ((one).data_json ->> 'question_pool_id')
         then jsonb_build_object('data_json', jsonb_set(
           (one).data_json, '{question_pool_id}', pools -> ((one).data_json ->> 'question_pool_id')))
         else '{}' end) as copied;
  perform copy_pins(origin_item_id, id) from content_items
  where course_id = target and origin_item_id is not null order by id;
  perform copy_tutor_notes(source, target);
  perform copy_file_uses(source, target);
end $$;
--> statement-breakpoint
-- A copy is taught as its original is.
create or replace function copy_tutor_notes(source integer, target integer) returns void language sql as $$
  insert into tutor_notes (course_id, content_item_id, notes, key_facts, common_errors, never_say, updated_by)
  select target, copy.id, one.notes, one.key_facts, one.common_errors, one.never_say, one.updated_by
  from tutor_notes as one
  left join content_items as copy on copy.course_id = target and copy.origin_item_id = one.content_item_id
  where one.course_id = source and (one.content_item_id is null or copy.id is not null)
  order by one.id
$$;
--> statement-breakpoint
-- Takes a person's name off what they did as staff.
create or replace function leave_office(person integer) returns void language plpgsql as $$
begin
  update announcements set created_by_user_id = null where created_by_user_id = person;
  update answer_pins set pinned_by = null where pinned_by = person;
  update cache_nodes set edited_by = null where edited_by = person;
  update course_exemptions set granted_by_user_id = null where granted_by_user_id = person;
  update grade_changes set changed_by_user_id = null where changed_by_user_id = person;
  update imports set created_by_user_id = null where created_by_user_id = person;
  update invitations set invited_by_user_id = null where invited_by_user_id = person;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null where claimed_by_user_id = person;
  update lab_submissions set graded_by_user_id = null where graded_by_user_id = person;
  update prompts set created_by = null where created_by = person;
  update tree_changes set changed_by = null where changed_by = person;
  update tree_changes set undone_by = null where undone_by = person;
  update tutor_notes set updated_by = null where updated_by = person;
  update prompt_label_events set changed_by = null where changed_by = person;
  update stored_credentials set updated_by = null where updated_by = person;
end $$;
--> statement-breakpoint
create or replace function notes_as_told(the_course integer, the_item integer) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'notes', notes, 'key_facts', key_facts, 'common_errors', common_errors, 'never_say', never_say)
  from tutor_notes
  where course_id = the_course and coalesce(content_item_id, 0) = coalesce(the_item, 0)
    and (notes <> '' or key_facts <> '[]' or common_errors <> '[]' or never_say <> '[]')
$$;
--> statement-breakpoint
-- The questions of a practice quiz, the first 200 of them; with their keys where whoever has taken it sees those at once
-- and nothing that counts could be the better for it. A pool from which an exam draws is not told at all.
create or replace function pool_as_told(the_item integer) returns jsonb language sql stable as $$
  with quiz as (
    select item.id, item.course_id, pool_of_quiz(item.data_json) as pool,
           coalesce(item.data_json ->> 'show_answers', 'after_submit') = 'after_submit' and not exists (
             select from course_offerings as run
             where run.course_id = item.course_id and does_quiz_count(item.id, run.id)) as shows_keys
    from content_items as item join content_types as type on type.id = item.content_type_id and type.name = 'quiz'
    where item.id = the_item and item.data_json ->> 'quiz_mode' is distinct from 'exam'
      and pool_of_quiz(item.data_json) is not null
  )
  select jsonb_agg(told.question order by told.id)
  from quiz cross join lateral (
    select asked.id, jsonb_strip_nulls(jsonb_build_object(
      'kind', asked.kind, 'question', asked.question_text, 'options', asked.options_json,
      'answer', case when quiz.shows_keys then asked.answer_json end,
      'explanation', case when quiz.shows_keys then asked.explanation end)) as question
    from questions as asked where asked.question_pool_id = quiz.pool and asked.is_active
    order by asked.id limit 200
  ) as told
  where not exists (
    select from content_items as exam
    where pool_of_quiz(exam.data_json) = quiz.pool and exam.data_json ->> 'quiz_mode' = 'exam')
$$;
--> statement-breakpoint
-- Null where there is nothing of it.
create or replace function tutor_context_of(the_item integer) returns jsonb language sql stable as $$
  select nullif(jsonb_strip_nulls(jsonb_build_object(
    'item_notes', notes_as_told(course.id, item.id), 'course_notes', notes_as_told(course.id, null),
    'item_line', nullif(btrim(item.tutor_line), ''), 'course_line', nullif(btrim(course.tutor_line), ''),
    'pool', pool_as_told(item.id))), '{}')
  from content_items as item join courses as course on course.id = item.course_id where item.id = the_item
$$;
--> statement-breakpoint
set local check_function_bodies = on;
