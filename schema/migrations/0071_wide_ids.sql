set local check_function_bodies = off;
--> statement-breakpoint
drop function add_post(integer,integer,integer,text,timestamp with time zone);
--> statement-breakpoint
drop function answer_quiz_attempt(integer,integer,jsonb,boolean,timestamp with time zone,date);
--> statement-breakpoint
drop function answered_history(integer,integer);
--> statement-breakpoint
drop function answers_to_own_words(integer,integer[],integer);
--> statement-breakpoint
drop function append_piece(integer,uuid,integer,jsonb);
--> statement-breakpoint
drop function auto_grade_submission(integer,numeric,jsonb,timestamp with time zone,integer,timestamp with time zone,jsonb);
--> statement-breakpoint
drop function begin_call(integer,integer,integer,text,jsonb);
--> statement-breakpoint
drop function claim_answer(integer,uuid,boolean,integer,text,text,integer,text,text,uuid,double precision,jsonb);
--> statement-breakpoint
drop function claim_submission(integer,integer,timestamp with time zone);
--> statement-breakpoint
drop function close_quiz_attempt(integer,timestamp with time zone);
--> statement-breakpoint
drop function close_turns(integer,integer[],uuid[],integer[]);
--> statement-breakpoint
drop function delete_post(integer);
--> statement-breakpoint
drop function edit_post(integer,text,timestamp with time zone);
--> statement-breakpoint
drop function fail_generation(integer,uuid,integer,bigint,jsonb,integer,text);
--> statement-breakpoint
drop function finish_generation(integer,uuid,jsonb,jsonb,jsonb,text,bigint,jsonb);
--> statement-breakpoint
drop function grade_submission(integer,integer,numeric,text,text,timestamp with time zone,jsonb);
--> statement-breakpoint
drop function hold_path(integer);
--> statement-breakpoint
drop function hold_submission(integer);
--> statement-breakpoint
drop function hold_subtree(integer);
--> statement-breakpoint
drop function hold_thread_of(integer);
--> statement-breakpoint
drop function leave_turn(integer,uuid);
--> statement-breakpoint
drop function moderate_post(integer,boolean,timestamp with time zone);
--> statement-breakpoint
drop function moderate_review(integer,boolean,timestamp with time zone);
--> statement-breakpoint
drop function nodes_below(integer);
--> statement-breakpoint
drop function notify(integer[],text,text,timestamp with time zone,integer,integer,integer,integer,timestamp with time zone);
--> statement-breakpoint
drop function open_turn(integer,integer,integer,text,text,text,integer,uuid,text,text,integer,text,date,timestamp with time zone,integer);
--> statement-breakpoint
drop function purge_node(integer);
--> statement-breakpoint
drop function read_notifications(integer,integer[],integer,timestamp with time zone);
--> statement-breakpoint
drop function record_activity(integer,text,text,integer,integer,integer,integer,timestamp with time zone,date,date);
--> statement-breakpoint
drop function release_generation(integer,uuid,bigint,jsonb);
--> statement-breakpoint
drop function renew_leases(integer[],uuid[],integer[],uuid[]);
--> statement-breakpoint
drop function repeat_call(integer,bigint);
--> statement-breakpoint
drop function replace_answer(integer,text,jsonb,jsonb,integer,boolean);
--> statement-breakpoint
drop function return_submission(integer,integer,text,timestamp with time zone,jsonb);
--> statement-breakpoint
drop function shared_path(integer[]);
--> statement-breakpoint
drop function stop_turn(integer,integer);
--> statement-breakpoint
drop function store_answer(integer,integer,jsonb,jsonb,boolean,integer,boolean);
--> statement-breakpoint
-- The new columns take their places: nothing is read or written but the catalog. All tables are taken first, each at once
-- or else none, so that nobody waits behind a table that is not to be had.
do $$
begin
  for turn in 1..2000 loop
    begin
      set local lock_timeout = '100ms';
      execute (select 'lock table ' || string_agg(distinct format('public.%I', table_name), ', ') || ' in access exclusive mode'
               from widening.columns);
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.2 + random() / 5);
    end;
  end loop;
  raise lock_not_available using message = 'The tables whose ids are widened are held';
end $$;
--> statement-breakpoint
drop view conversation_facts, answer_facts;
--> statement-breakpoint
do $$
declare
  one record;
  held bigint;
  is_called boolean;
  grants text[];
  statement text;
  -- Constraints other than those of an index in which an old column stands, as they are made again.
  constraints text[] := array(
    select format('alter table %s add constraint %I %s not valid', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
    from pg_constraint as c
    where c.connamespace = 'public'::regnamespace and c.contype in ('f', 'c') and exists (
      select from widening.columns as own
      join pg_attribute as a on a.attrelid = format('public.%I', own.table_name)::regclass and a.attname = own.column_name
      where a.attrelid = c.conrelid and a.attnum = any (c.conkey) or a.attrelid = c.confrelid and a.attnum = any (c.confkey))
    order by c.contype, c.conname);
  indexes text[] := array(
    select case when c.contype is null then format('alter index public.%I rename to %I', i.new_name, i.index_name)
           else format('alter table public.%I add constraint %I %s using index %I', i.table_name, i.index_name,
             case c.contype when 'p' then 'primary key' else 'unique' end, i.new_name) end
    from widening.indexes as i
    left join pg_constraint as c on c.conrelid = i.table_id and c.conname = i.index_name and c.contype in ('p', 'u'));
begin
  for one in
    select c.conrelid::regclass as of_table, c.conname as name from pg_constraint as c
    where c.connamespace = 'public'::regnamespace and c.contype = 'f' and exists (
      select from widening.columns as own
      join pg_attribute as a on a.attrelid = format('public.%I', own.table_name)::regclass and a.attname = own.column_name
      where a.attrelid = c.conrelid and a.attnum = any (c.conkey) or a.attrelid = c.confrelid and a.attnum = any (c.confkey))
  loop
    execute format('alter table %s drop constraint %I', one.of_table, one.name);
  end loop;
  for one in select distinct table_name as name from widening.columns loop
    execute format('drop trigger zz_widen on public.%I', one.name);
  end loop;
  for one in
    select own.table_name, own.column_name, a.attnotnull as is_required, sequence.oid as sequence,
           sequence.relacl, sequence.relowner
    from widening.columns as own
    join pg_attribute as a on a.attrelid = format('public.%I', own.table_name)::regclass and a.attname = own.column_name
    left join pg_class as sequence
      on a.attidentity <> '' and sequence.oid = pg_get_serial_sequence('public.' || own.table_name, own.column_name)::regclass
    order by 1, 2
  loop
    if one.sequence is not null then
      execute format('select last_value, is_called from %s', one.sequence::regclass) into held, is_called;
      grants := array(
        select format('grant %s on sequence %s to %s', acl.privilege_type, one.sequence::regclass,
          case acl.grantee when 0 then 'public' else acl.grantee::regrole::text end)
        from aclexplode(one.relacl) as acl where acl.grantee <> one.relowner);
    end if;
    execute format('alter table public.%I drop column %I', one.table_name, one.column_name);
    execute format('alter table public.%I rename column %I to %I', one.table_name, one.column_name || '_wide', one.column_name);
    if one.is_required then
      execute format('alter table public.%I alter column %I drop default', one.table_name, one.column_name);
    end if;
    if one.sequence is not null then
      execute format('alter table public.%I alter column %I add generated always as identity', one.table_name, one.column_name);
      perform setval(pg_get_serial_sequence('public.' || one.table_name, one.column_name), held, is_called);
      foreach statement in array grants loop execute statement; end loop;
    end if;
  end loop;
  foreach statement in array indexes || constraints loop execute statement; end loop;
end $$;
--> statement-breakpoint
-- Adds a post, perhaps in answer to another, and tells whom it answers. No row: the thread is gone.
create or replace function add_post(
  the_thread integer, parent bigint, person integer, words text, moment timestamptz
) returns table (refusal text, post discussion_posts) language plpgsql as $$
declare
  thread discussion_threads;
  answered discussion_posts;
begin
  perform from users where id in (
    select person
    union select user_id from discussion_posts where id = parent and thread_id = the_thread
    union select created_by_user_id from discussion_threads where id = the_thread
  ) order by id for key share;
  select * into thread from discussion_threads where id = the_thread for no key update;
  if not found then return; end if;
  if parent is not null then
    select * into answered from discussion_posts where id = parent and thread_id = the_thread for share;
  end if;
  refusal := case
    when thread.is_locked then 'locked'
    when parent is not null and answered.id is null then 'no_parent'
    when answered.is_deleted or answered.is_hidden then 'parent_gone'
    when answered.depth >= 8 then 'too_deep'
  end;
  if refusal is null then
    insert into discussion_posts (thread_id, parent_post_id, depth, user_id, body, created_at, updated_at)
    values (the_thread, parent, coalesce(answered.depth + 1, 0), person, words, moment, moment)
    returning * into post;
    update discussion_threads
    set post_count = post_count + 1, last_post_at = greatest(last_post_at, moment) where id = the_thread;
    perform notify_of_post(post);
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Adds answers to an open attempt of the person's, by the ids of its questions, and with `ends` submits it. No row: it
-- is not theirs. `refusal` says why nothing was taken: 'submitted', 'time is up', 'not enrolled' any more, or 'no such
-- answer' with the question. Who submits again gets what the first time left. What someone leaves open who loses their
-- place is closed and graded when its time is up, and goes on when they are back before.
create or replace function answer_quiz_attempt(
  the_attempt bigint, person integer, given jsonb, ends boolean, moment timestamptz, today date
) returns table (refusal text, question_id text, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  mine quiz_attempts;
begin
  select * into mine from quiz_attempts where id = the_attempt and user_id = person for update;
  if not found then return; end if;
  select response.key into question_id
  from jsonb_each(given) as response
  left join quiz_attempt_questions as drawn
    on drawn.quiz_attempt_id = the_attempt and drawn.question_id = response.key::int
  left join question_versions as asked on asked.question_id = drawn.question_id and asked.version = drawn.version
  where not coalesce(can_answer(asked.kind, asked.options_json, response.value), false) or asked.kind is null
  order by response.key::int limit 1;
  refusal := case
    when mine.timed_out or (mine.submitted_at is null and is_over(mine, moment)) then 'time is up'
    when mine.submitted_at is not null and not ends then 'submitted'
    when mine.submitted_at is null and not exists (
      select from enrollments
      where user_id = person and course_offering_id = mine.course_offering_id and is_admitted
    ) then 'not enrolled'
    when mine.submitted_at is null and question_id is not null then 'no such answer'
  end;
  perform close_quiz_attempt(the_attempt, moment);
  if refusal is null and mine.submitted_at is null then
    update quiz_attempts
    set raw_response_json = jsonb_strip_nulls(coalesce(raw_response_json, '{}') || given), saved_at = moment,
        submitted_at = case when ends then moment end, awaits_grading = ends
    where id = the_attempt;
    -- An autosave each few seconds is one activity in each minute of the attempt.
    if ends or minute_of(mine, moment) is distinct from minute_of(mine, mine.saved_at) then
      perform record_activity(person, case when ends then 'submitted' else 'attempted' end, 'content_item',
        mine.content_item_id, offering.university_id, mine.content_item_id, offering.id, moment, today)
      from course_offerings as offering where offering.id = mine.course_offering_id;
    end if;
    select * into mine from quiz_attempts where id = the_attempt;
  end if;
  attempt := quiz_attempt_with_keys(mine, moment);
  return next;
end $$;
--> statement-breakpoint
-- The answered questions of a session before a message, oldest first. What the model refused is not told it again.
create or replace function answered_history(the_session bigint, before_message bigint) returns json
language sql stable as $$
  select coalesce(
    json_agg(json_build_object('question', question.content, 'answer', answer.content) order by question.id), '[]')
  from chat_messages as question
  join chat_messages as answer on answer.in_reply_to_id = question.id
  where question.session_id = the_session and question.id < before_message
    and answer.content <> '' and answer.meta ->> 'stop' is distinct from 'refusal'
$$;
--> statement-breakpoint
-- The class's answers in the making, and those that ended and are not stored, that may hold this person's words: made
-- from what goes, or for a message of theirs that nobody else waits for.
create or replace function answers_to_own_words(person integer, doomed bigint[], item integer default null)
returns setof bigint language sql stable as $$
  select id from generations where node_id = any (doomed) or parent_id = any (doomed)
  union
  select g.id from chat_sessions as s join generations as g on g.content_item_id = s.content_item_id
  where s.user_id = person and (item is null or s.content_item_id = item)
    and g.question_id is null and g.state <> 'writing' and g.message <> 'Start.'
    and g.node_id is null
  union
  select g.id from chat_sessions as s join generations as g on g.id = s.answering_generation_id
  left join cache_nodes as stood on stood.id = g.parent_id
  where s.user_id = person and (item is null or s.content_item_id = item)
    and g.question_id is null and g.message <> 'Start.' and not coalesce(stood.choices ? g.message, false)
    and not exists (
      select from chat_sessions as other where other.answering_generation_id = g.id and other.user_id <> person
    )
$$;
--> statement-breakpoint
-- Adds a piece to the telling of whoever holds the lease, which is a sign of life. No row: the lease is lost, and
-- nothing was written. Answers whether the learner wants it to stop.
create or replace function append_piece(
  the_generation bigint, maker uuid, first integer, the_chunks jsonb
) returns table (stop_requested boolean) language sql as $$
  with mine as (
    update generations set lease_until = least(clock_timestamp() + maker_lease(), maker_until)
    where id = the_generation and token = maker and state = 'writing' and maker_until > clock_timestamp()
    returning id, attempt, stop_requested
  ), piece as (
    insert into generation_pieces (generation_id, attempt, first_chunk, chunks)
    select id, attempt, first, the_chunks from mine
    on conflict do nothing
  )
  select stop_requested from mine
$$;
--> statement-breakpoint
-- Takes what an item's own grader says of a submission, at the moment at which it signed that. `outcome`: 'graded';
-- 'kept', where a person has graded it or it was returned; 'superseded', where a later word came before; or 'final',
-- where what is graded stays, 'too many points', 'renewed', where the secret has another version by now, or 'own'
-- for the work of someone who has read the secret and could have signed it. The same word again has the same outcome. No
-- row: it is gone.
create or replace function auto_grade_submission(
  the_submission bigint, points numeric, details jsonb, signed_at timestamptz, signed_with integer, moment timestamptz,
  request jsonb
) returns table (outcome text, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
  graded lab_submissions;
  counted numeric;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  outcome := case
    when signed_with <> grader_version(former.course_offering_id, former.content_item_id) then 'renewed'
    when exists (
      select from auto_grader_readers as reader
      where reader.course_offering_id = former.course_offering_id
        and reader.content_item_id = former.content_item_id and reader.user_id = former.user_id
        and reader.secret_version = signed_with
    ) then 'own'
    when former.auto_graded_at > signed_at then 'superseded'
    when former.grade_source = 'hand' or former.status = 'returned' then 'kept'
    when former.auto_graded_at = signed_at then 'graded'
    when former.status <> 'submitted' and is_grade_final(former.course_offering_id, former.user_id) then 'final'
    when points > (bound -> 'most')::numeric then 'too many points'
    else 'graded'
  end;
  if outcome in ('graded', 'kept') and former.auto_graded_at is distinct from signed_at then
    update lab_submissions as one set auto_grade_json = details, auto_graded_at = signed_at
    where one.id = the_submission;
    if outcome = 'graded' then
      counted := hold_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
      update lab_submissions as one
      set status = 'graded', score_obtained = points, max_score = (bound -> 'points')::numeric, grade_source = 'auto',
          graded_at = moment
      where one.id = the_submission returning one.* into graded;
      perform note_grade_of_submission('submission_graded', former, graded, null, null, moment, request);
      perform outdate_final_grade(former.course_offering_id, former.user_id, former.content_item_id, counted);
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Begins the call that makes an answer for a session's open message, if it fits into every budget: `call`, or the limit
-- that it is `refused_by`, and in how many seconds it may be worth another try. `settings` holds the limits where a
-- university has none, and in `reserve` the most tokens that the call may use.
--
-- The person is held, so that of calls at once each sees those before it; the month's row lets no more in than fit.
-- What failed before it cost anything is no turn.
create or replace function begin_call(
  the_generation bigint, the_session bigint, the_question bigint, the_model text, settings jsonb,
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
drop function cache_tree_violations();
--> statement-breakpoint
-- What must always hold of the tree of shared answers and of the answers in the making: a row for each thing that does
-- not. Tests ask it after every kind of traffic, and an operator may ask it at any time.
create or replace function cache_tree_violations() returns table (rule text, node_id bigint, session_id bigint)
language sql stable as $$
  select 'a child is of its parent''s topic', child.id, null::bigint
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where child.content_item_id <> parent.content_item_id
union all
  select 'roots answer Start., and nothing else does', id, null
  from cache_nodes where (parent_id is null) <> (message = 'Start.')
union all
  select 'a node is found by the hash of its message', id, null
  from cache_nodes where message_hash <> sha256_hex(message)
union all
  select 'a whole answer is not empty', id, null
  from cache_nodes where answer = ''
union all
  select 'a child was made from what its parent says', child.id, null
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where parent.edited_at > child.created_at and not parent.children_kept
union all
  select 'a child answers what its parent offers', child.id, null
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where parent.choices is not null and not parent.children_kept
    and not exists (select from jsonb_each_text(parent.choices) as choice where choice.value = child.message)
union all
  select 'an answer in the making has a maker while someone listens to it', null, session.id
  from chat_sessions as session
  where session.answering_until > now() and session.answering_since < now() - interval '15 seconds'
    and not exists (
      select from generations as made
      where made.id = session.answering_generation_id and made.lease_until > now() - interval '5 seconds')
union all
  select 'a lease ends with the time limit of its answer', null, made.session_id
  from generations as made where made.lease_until > made.maker_until
union all
  select 'pieces are kept only of the last telling of an answer in the making', null, made.session_id
  from generation_pieces as piece join generations as made on made.id = piece.generation_id
  where made.state <> 'writing' or piece.attempt <> made.attempt
union all
  select 'an answer in the making has no node yet', node.id, null
  from generations as made
  join cache_nodes as node
    on node.content_item_id = made.content_item_id and coalesce(node.parent_id, 0) = coalesce(made.parent_id, 0)
   and node.message_hash = made.message_hash and node.prompt_name = made.prompt_name
   and node.prompt_version = made.prompt_version and node.model = made.model
   and node.prompt_fingerprint = made.prompt_fingerprint and node.content_fingerprint = made.content_fingerprint
  where made.state = 'writing' and made.question_id is null
union all
  select 'a cursor stands on an answer of its own topic', node.id, session.id
  from chat_sessions as session join cache_nodes as node on node.id = session.cache_node_id
  where node.content_item_id <> session.content_item_id
union all
  select 'a cursor stands on an answer that was told', node.id, session.id
  from chat_sessions as session join cache_nodes as node on node.id = session.cache_node_id
  where node.edited_at is null and not exists (
    select from chat_messages as told
    where told.session_id = session.id and told.cache_node_id = node.id and told.content = node.answer)
union all
  select 'an answer answers a question of its own session', null, answer.session_id
  from chat_messages as answer left join chat_messages as question on question.id = answer.in_reply_to_id
  where answer.role = 'assistant'
    and (question.role is distinct from 'user' or question.session_id is distinct from answer.session_id);
$$;
--> statement-breakpoint
-- Changes what is named in `change`: title, is_pinned, is_locked, answer_post_id. No row: the thread is gone.
create or replace function change_thread(the_thread integer, change jsonb)
returns table (refusal text, thread discussion_threads) language plpgsql as $$
declare
  answer bigint := change ->> 'answer_post_id';
begin
  select * into thread from discussion_threads where id = the_thread for no key update;
  if not found then return; end if;
  if answer is not null and not exists (
    select from discussion_posts where id = answer and thread_id = the_thread and not is_deleted
  ) then
    refusal := 'no_answer';
  else
    update discussion_threads set
      title = case when change ? 'title' then change ->> 'title' else title end,
      is_pinned = coalesce((change ->> 'is_pinned')::boolean, is_pinned),
      is_locked = coalesce((change ->> 'is_locked')::boolean, is_locked),
      answer_post_id = case when change ? 'answer_post_id' then answer else answer_post_id end
    where id = the_thread returning * into thread;
  end if;
  return next;
end $$;
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
  the_session bigint, the_token uuid, is_shared boolean, the_parent bigint, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision, budget jsonb
) returns table (
  generation bigint, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
  node cache_nodes;
  hash text := sha256_hex(the_message);
  alive_until timestamptz;
  limited_until timestamptz;
  stopping boolean := false;
  path bigint[];
begin
  if is_shared then
    -- Held, so that the path is neither purged nor replaced while the answer is claimed.
    path := hold_path(the_parent);
    select * into session from chat_sessions where id = the_session and answering_token = the_token;
  else
    -- A row that its own transaction changes twice has its references checked, where the cursor stands among them.
    perform from cache_nodes where id = (select cache_node_id from chat_sessions where id = the_session) for key share;
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

  -- Whoever ends an answer between two of these looks is seen at the next. Who finds it being made draws no id.
  for look in 1..5 loop
    alive_until := clock_timestamp() + maker_lease();
    limited_until := clock_timestamp() + make_interval(secs => limit_seconds);
    if is_shared then
      with known as materialized (
        select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
        where made.content_item_id = session.content_item_id
          and coalesce(made.parent_id, 0) = coalesce(the_parent, 0) and made.message_hash = hash
          and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version and made.model = the_model
          and made.prompt_fingerprint = the_prompt_fingerprint
          and made.content_fingerprint = session.content_fingerprint
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
          session.content_item_id, the_parent, the_message, hash, the_prompt_fingerprint, session.content_fingerprint,
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
          session.content_item_id, session.id, session.answering_message_id, the_prompt_fingerprint,
          session.content_fingerprint, the_prompt, the_prompt_version, the_model, maker,
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
-- Gives a grader a submission for themselves, for as long as `claim_length` says, or for as long again. `refusal`:
-- 'claimed' by another, who is not through, 'own' work, 'returned', or 'final'.
create or replace function claim_submission(the_submission bigint, grader integer, moment timestamptz)
returns table (refusal text, submission lab_submissions) language plpgsql as $$
begin
  select one.* into submission from lab_submissions as one where one.id = the_submission for update;
  if not found then return; end if;
  refusal := refusal_to_grade(submission, grader, moment);
  if refusal is null then
    update lab_submissions as one set claimed_by_user_id = grader, claimed_until = moment + claim_length()
    where one.id = the_submission returning one.* into submission;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Closes an attempt that is over and still open; what was saved is graded next.
create or replace function close_quiz_attempt(attempt bigint, moment timestamptz) returns void language sql as $$
  update quiz_attempts as one set submitted_at = due_at, timed_out = true, awaits_grading = true
  where id = attempt and submitted_at is null and is_over(one, moment)
$$;
--> statement-breakpoint
-- Closes turns with an answer that has ended, those of a class that waited for it together. Whoever asks again, also
-- because nobody knows whether the first time came through, gets what is stored. No row: a turn is not the asker's any
-- more, or the answer is gone.
create or replace function close_turns(
  the_generation bigint, the_sessions bigint[], the_tokens uuid[], the_questions bigint[]
) returns table (question bigint, id bigint, created_at timestamptz, content text, meta jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  made record;
  standing bigint;
begin
  perform from cache_nodes where id = (select node_id from generations where id = the_generation) for share;
  perform from chat_sessions where id = any (the_sessions) order by id for update;
  select g.model, g.prompt_name, g.prompt_version, g.stop, g.input_tokens, g.output_tokens, g.chunks, g.node_id,
         g.question_id is null as on_path, joined_text(g.chunks) as content
  into made from generations as g where g.id = the_generation and g.state = 'complete';
  if found then
    select n.id into standing from cache_nodes as n where n.id = made.node_id and n.chunks = made.chunks;
    -- Two may listen in one session.
    with waiting as (
      select distinct s.id, turn.question, s.answering_since
      from unnest(the_sessions, the_tokens, the_questions) as turn (session, token, question)
      join chat_sessions as s on s.id = turn.session and s.answering_token = turn.token
      where not exists (select from chat_messages as m where m.in_reply_to_id = turn.question)
    ), visited as (
      insert into cache_visits (node_id, hit) select standing, false from waiting where standing is not null
    ), closed as (
      update chat_sessions as s
      set cache_node_id = coalesce(standing, s.cache_node_id), updated_at = service_now(), answering_message_id = null,
          answering_generation_id = null, answering_since = null, answering_token = null, answering_until = null
      from waiting where s.id = waiting.id
    )
    insert into chat_messages (session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id)
    select waiting.id, 'assistant', made.content, jsonb_strip_nulls(jsonb_build_object(
             'source', 'llm', 'model', made.model, 'prompt_name', made.prompt_name,
             'prompt_version', made.prompt_version, 'latency_ms', milliseconds_since(waiting.answering_since),
             'stop', made.stop, 'input_tokens', made.input_tokens, 'output_tokens', made.output_tokens,
             'joined', case when not exists (select from llm_calls where message_id = waiting.question) then true end)),
           waiting.question, made.on_path, standing
    from waiting;
  end if;
  return query
    select m.in_reply_to_id, m.id, m.created_at, m.content, m.meta
    from chat_messages as m where m.in_reply_to_id = any (the_questions) order by m.session_id;
end;
$$;
--> statement-breakpoint
-- Takes the words out of a post, which keeps its place. It answers its thread no longer.
create or replace function delete_post(the_post bigint) returns void language plpgsql as $$
begin
  perform hold_thread_of(the_post);
  update discussion_posts set body = '', is_deleted = true, updated_at = service_now() where id = the_post and not is_deleted;
  update discussion_threads set answer_post_id = null where answer_post_id = the_post;
end $$;
--> statement-breakpoint
-- Gives a post other words, unless its thread is locked or it was deleted. No row: the post is gone.
create or replace function edit_post(the_post bigint, words text, moment timestamptz)
returns table (refusal text, post discussion_posts) language plpgsql as $$
declare
  thread discussion_threads := hold_thread_of(the_post);
begin
  select * into post from discussion_posts where id = the_post for no key update;
  if not found then return; end if;
  refusal := case when post.is_deleted then 'deleted' when thread.is_locked then 'locked' end;
  if refusal is null then
    update discussion_posts set body = words, updated_at = moment where id = the_post returning * into post;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Closes the attempts of these people that are over, and stores grades of them (store_quiz_grades). All that is held is
-- held before the first is changed.
create or replace function end_attempts(offering integer, people integer[], grades jsonb, moment timestamptz) returns void
language plpgsql as $$
declare
  ended bigint[];
begin
  with held as (
    select one.id from quiz_attempts as one
    where one.course_offering_id = offering and one.user_id = any (people)
      and (one.awaits_grading or one.submitted_at is null and is_over(one, moment))
    order by one.id for update
  )
  select array_agg(id) into ended from held;
  perform from user_content_progress as mine
  join quiz_attempts as one using (user_id, course_offering_id, content_item_id)
  where one.id = any (ended) order by mine.id for no key update of mine;
  perform pg_advisory_xact_lock(offering, person) from unnest(people) as person;
  perform close_quiz_attempt(id, moment) from unnest(ended) as id;
  perform store_quiz_grades(grades);
end $$;
--> statement-breakpoint
-- Erases some conversations of those who erased their accounts, of one person about one item, with the stored answers that
-- only their words led to; answers whether more may be left. An erasure ends, and is told to the audit log, when nothing
-- is left and no request of its account can be under way any more.
create or replace function erase_conversations(moment timestamptz, most integer) returns boolean language plpgsql as $$
declare
  next chat_sessions;
  doomed bigint[];
  ended integer;
begin
  select talk.* into next from erasures join chat_sessions as talk on talk.user_id = erasures.user_id
  order by erasures.begun_at, talk.user_id, talk.content_item_id limit 1;
  if found then
    doomed := hold_own_words(next.user_id, next.content_item_id);
    delete from generations where id in (select answers_to_own_words(next.user_id, doomed, next.content_item_id));
    delete from cache_nodes where id = any (doomed);
    delete from chat_sessions where id in (
      select id from chat_sessions
      where user_id = next.user_id and content_item_id = next.content_item_id order by id limit most);
    return true;
  end if;
  for ended in
    delete from erasures where begun_at < moment - interval '1 hour' returning user_id
  loop
    perform audit('account.erasure_ended', null, null, null, jsonb_build_object('user_id', ended),
      jsonb_build_object('at', moment));
  end loop;
  return false;
end $$;
--> statement-breakpoint
-- Notes that the LLM failed at an attempt, and `how` its call ended. After the first failure its maker tells the answer anew, after the second,
-- or where its provider wants to be left alone for `seconds`, it has failed for everyone: the state then, also when
-- asked again, and the `call` that it is told anew with. No row: the lease is lost.
create or replace function fail_generation(
  the_generation bigint, maker uuid, failed_attempt integer, the_call bigint, used jsonb, seconds integer,
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
-- Ends an answer whole, or as far as it came where `the_stop` says why. An answer for a class that came to its end
-- becomes a node: the first write wins, and is then the answer. A private answer is stored with its question.
-- Asked again with the same token it answers the same. No row: the lease is lost, and nothing was written but the end
-- of the call, whose cost is `used`.
create or replace function finish_generation(
  the_generation bigint, maker uuid, the_chunks jsonb, the_question jsonb, the_choices jsonb, the_stop text,
  the_call bigint, used jsonb
) returns table (chunks jsonb, answer_id bigint, answered_at timestamptz, meta jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  made generations;
  tokens_in integer := nullif(
    coalesce((used ->> 'input')::int, 0) + coalesce((used ->> 'cache_read')::int, 0)
    + coalesce((used ->> 'cache_write')::int, 0), 0);
  tokens_out integer := nullif((used ->> 'output')::int, 0);
begin
  perform from cache_nodes where id = (select parent_id from generations where id = the_generation) for key share;
  perform from chat_sessions where id = (select session_id from generations where id = the_generation) for update;
  select * into made from generations where id = the_generation and token = maker and state <> 'failed' for update;
  if not found then
    perform end_call(the_call, 'lost', used);
    return;
  end if;

  if made.state = 'writing' then
    made.chunks := the_chunks;
    if made.question_id is null and the_stop is null then
      insert into cache_nodes as node (
        content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
        content_fingerprint, chunks, question, choices, input_tokens, output_tokens)
      values (
        made.content_item_id, made.parent_id, made.message, made.message_hash, made.prompt_name, made.prompt_version,
        made.model, made.prompt_fingerprint, made.content_fingerprint, the_chunks, the_question, the_choices,
        tokens_in, tokens_out)
      on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                   prompt_fingerprint, content_fingerprint)
      do update set last_used_at = node.last_used_at
      returning node.id, node.chunks into made.node_id, made.chunks;
    end if;
    update generations set
      state = 'complete', chunks = made.chunks, stop = the_stop, node_id = made.node_id,
      input_tokens = tokens_in, output_tokens = tokens_out
    where id = the_generation;
    delete from generation_pieces where generation_id = the_generation;
    perform drop_ended_generations(10);
  end if;

  chunks := made.chunks;
  if made.question_id is not null then
    select closed.id, closed.created_at, closed.meta into answer_id, answered_at, meta
    from chat_sessions as s
    cross join lateral close_turns(
      made.id, array[s.id], array[s.answering_token], array[made.question_id]) as closed
    where s.id = made.session_id and s.answering_message_id = made.question_id;
  end if;
  perform end_call(the_call, coalesce(the_stop, 'complete'), used);
  return next;
end;
$$;
--> statement-breakpoint
-- Grades a submission by hand, over whatever grade it has; whose claim it was ends. `refusal` as for a claim, or 'too
-- many points' for more than are given in the item, which `bound` says. A final grade in which it would count is outdated
-- by it.
create or replace function grade_submission(
  the_submission bigint, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
  counted numeric;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  submission := former;
  refusal := coalesce(refusal_to_grade(former, grader, moment),
    case when points > (bound -> 'most')::numeric then 'too many points' end);
  if refusal is null then
    counted := hold_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
    update lab_submissions as one
    set status = 'graded', score_obtained = points, max_score = (bound -> 'points')::numeric,
        instructor_feedback = feedback, grade_source = 'hand', graded_at = moment, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_graded', former, submission, why, grader, moment, request);
    perform outdate_final_grade(former.course_offering_id, former.user_id, former.content_item_id, counted);
  end if;
  return next;
end $$;
--> statement-breakpoint
drop function hold_own_words(integer,integer);
--> statement-breakpoint
-- Holds what goes of the shared answers, with all below it, and the person's sessions, of one item or of all; answers
-- those nodes.
create or replace function hold_own_words(person integer, item integer default null) returns bigint[]
language plpgsql set enable_seqscan = off as $$
declare
  doomed bigint[] := array(select nodes_of_own_words(person, item));
begin
  perform from cache_nodes
  where id = any (doomed || array(select nodes_below(one) from unnest(doomed) as one)) order by id for update;
  perform from generations where id in (select answers_to_own_words(person, doomed, item)) order by id for update;
  perform from chat_sessions
  where user_id = person and (item is null or content_item_id = item) order by id for update;
  -- Looked at anew, now that they say nothing more; what is just locked is being said by someone else too.
  return array(
    select id from cache_nodes where id = any (array(select nodes_of_own_words(person, item)))
    for update skip locked);
end $$;
--> statement-breakpoint
-- The nodes from the root down to a node, held, so that no text of the path is replaced before the answer that is made
-- from it can be seen by whoever replaces it. The node itself is missing where it is gone.
create or replace function hold_path(the_node bigint) returns bigint[] language sql as $$
  with recursive above (id, parent_id) as (
    select id, parent_id from cache_nodes where id = the_node
    union all
    select node.id, node.parent_id from above join cache_nodes as node on node.id = above.parent_id
  ), held as (
    select id from cache_nodes where id in (select id from above) order by id for share
  )
  select coalesce(array_agg(id), '{}') from held
$$;
--> statement-breakpoint
-- Takes a submission for a change of its grade: first the grades of its offering, then itself.
create or replace function hold_submission(the_submission bigint) returns lab_submissions language plpgsql as $$
declare
  held lab_submissions;
begin
  perform keep_grades(course_offering_id) from lab_submissions where id = the_submission;
  select * into held from lab_submissions where id = the_submission for update;
  return held;
end $$;
--> statement-breakpoint
-- Holds a node and all that are below it, so that none is told, answered below or stood upon from here on.
create or replace function hold_subtree(the_node bigint) returns void language plpgsql as $$
declare
  held integer;
  counted integer := 0;
begin
  -- A node that was just being stored below one of them is seen at the next look.
  loop
    held := counted;
    select count(*) into counted from (
      select from cache_nodes
      where id = the_node or id in (select nodes_below(the_node)) order by id for update) as node;
    exit when counted = held;
  end loop;
end;
$$;
--> statement-breakpoint
-- The thread of a post, held so that nobody locks it or posts in it meanwhile.
create or replace function hold_thread_of(the_post bigint) returns discussion_threads language sql as $$
  select * from discussion_threads where id = (select thread_id from discussion_posts where id = the_post)
  for no key update
$$;
--> statement-breakpoint
-- Leaves a turn without an answer; the learner's message stays, and can be sent again. Where there is no answer in the
-- making that it waits for, or that one has failed for everyone, the turn ends. Else its lease lapses (instants are kept
-- to the millisecond, and rounded), and whoever still listens renews it with their next sign of life.
create or replace function leave_turn(the_session bigint, the_token uuid) returns void language sql as $$
  with left_turn as (
    select s.id, exists (
      select from generations as g where g.id = s.answering_generation_id and g.state <> 'failed') as goes_on
    from chat_sessions as s where s.id = the_session and s.answering_token = the_token for update
  )
  update chat_sessions as s
  set answering_message_id = case when goes_on then s.answering_message_id end,
      answering_generation_id = case when goes_on then s.answering_generation_id end,
      answering_since = case when goes_on then s.answering_since end,
      answering_token = case when goes_on then s.answering_token end,
      answering_until = case when goes_on then now() - interval '1 millisecond' end
  from left_turn where s.id = left_turn.id
$$;
--> statement-breakpoint
-- Hides a post's words, or shows them again, which is what becomes of the reports of it that are open.
create or replace function moderate_post(the_post bigint, hide boolean, moment timestamptz)
returns setof discussion_posts language plpgsql as $$
begin
  perform hold_thread_of(the_post);
  update discussion_reports
  set outcome = case when hide then 'hidden' else 'kept' end, resolved_at = moment
  where post_id = the_post and outcome is null;
  return query update discussion_posts set is_hidden = hide where id = the_post returning *;
end $$;
--> statement-breakpoint
-- The same of a review's words; its rating counts on.
create or replace function moderate_review(the_review bigint, hide boolean, moment timestamptz)
returns setof course_reviews language plpgsql as $$
begin
  perform from course_reviews where id = the_review for no key update;
  update discussion_reports
  set outcome = case when hide then 'hidden' else 'kept' end, resolved_at = moment
  where review_id = the_review and outcome is null;
  return query update course_reviews set is_hidden = hide where id = the_review returning *;
end $$;
--> statement-breakpoint
-- The nodes below a node, itself left out.
create or replace function nodes_below(the_node bigint) returns setof bigint language sql stable as $$
  with recursive below (id) as (
    select id from cache_nodes where parent_id = the_node
    union all
    select node.id from below join cache_nodes as node on node.parent_id = below.id
  )
  select id from below
$$;
--> statement-breakpoint
drop function nodes_of_own_words(integer,integer);
--> statement-breakpoint
-- The stored answers that only this person's words led to: what the tutor had not offered, and nobody else has said
-- there; of one item, or of all. Each visit of a node is counted, so that a visit which is not one of theirs is another's.
-- Nodes are looked up one by one: the tree is much larger than what a person said.
create or replace function nodes_of_own_words(person integer, item integer default null) returns setof bigint
language sql stable set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  with visited as (
    select m.cache_node_id as node_id, count(*) as times
    from chat_sessions as s join chat_messages as m on m.session_id = s.id
    where s.user_id = person and (item is null or s.content_item_id = item) and m.cache_node_id is not null
    group by m.cache_node_id
  )
  select n.id
  from visited join cache_nodes as n on n.id = visited.node_id
  left join cache_nodes as stood on stood.id = n.parent_id
  where n.message <> 'Start.' and not coalesce(stood.choices ? n.message, false)
    and n.visit_count + (select count(*) from cache_visits as v where v.node_id = n.id) <= visited.times
$$;
--> statement-breakpoint
drop function notifications_of(integer,timestamp with time zone);
--> statement-breakpoint
-- A person's notifications that still tell something: what they are about is published, said and open to them.
create or replace function notifications_of(person integer, moment timestamptz)
returns table (
  id bigint, kind text, created_at timestamptz, read_at timestamptz, mail_id bigint, university_id integer,
  course_offering_id integer, content_item_id integer, announcement_id integer, thread_id integer, post_id bigint,
  due_at timestamptz, title text, by_name text
) language sql stable as $$
  select one.id, one.kind, one.created_at, one.read_at, one.mail_id, coalesce(said.university_id, run.university_id),
         one.course_offering_id, one.content_item_id, one.announcement_id, post.thread_id, post.id, one.due_at,
         coalesce(said.title, thread.title, item.title, course.title), writer.full_name
  from notifications as one
  left join course_offerings as run on run.id = one.course_offering_id
  left join courses as course on course.id = run.course_id
  left join content_items as item on item.id = one.content_item_id
  left join announcements as said on said.id = one.announcement_id
  left join discussion_posts as post on post.id = one.discussion_post_id
  left join discussion_threads as thread on thread.id = post.thread_id
  left join users as writer on writer.id = post.user_id
  where one.user_id = person and case one.kind
    when 'announcement' then said.published_at <= moment
      and (said.course_offering_id is null or takes_part(person, said.course_offering_id))
    when 'discussion_reply' then not post.is_deleted and not post.is_hidden and is_thread_open_to(person, post.thread_id)
    when 'due_soon' then is_item_public(one.content_item_id)
    else true
  end
$$;
--> statement-breakpoint
-- Tells people of what happened, each once: `the_cause` is the word for it, such as `post:17`. A mail that would come
-- after what is due goes out at once. Answers how many had not been told before.
create or replace function notify(
  people integer[], the_kind text, the_cause text, moment timestamptz, offering integer default null,
  item integer default null, post bigint default null, the_announcement integer default null,
  due timestamptz default null
) returns integer language sql as $$
  with told as (
    insert into notifications (user_id, kind, cause, course_offering_id, content_item_id, discussion_post_id,
                               announcement_id, due_at, created_at, mail_due_at)
    select reader.id, the_kind, the_cause, offering, item, post, the_announcement, due, notify.moment,
           case when due <= mail.moment then notify.moment else mail.moment end
    from users as reader
    cross join lateral (select * from notification_wishes(reader.id) as one where one.kind = the_kind) as wish
    cross join lateral (select mail_moment(reader, wish.mail, notify.moment)) as mail (moment)
    where reader.id = any (people) and reader.is_active and not exists (
      select from notifications as known
      where known.user_id = reader.id and known.kind = the_kind and known.cause = the_cause)
    order by reader.id
    on conflict (user_id, kind, cause) do nothing
    returning id
  )
  select count(*)::integer from told
$$;
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
-- The token reaches the whole account, or `the_reach`, a university (token-reach.sql).
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `gate_of_item` (outline.sql), 'under exam' (of the course),
-- 'sent before' (with the message, and its answer if it has one), 'being answered', 'answered' (by the time it was taken
-- up again), or 'another time zone', when `today` is not the day in their zone.
create or replace function open_turn(
  the_session bigint, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question bigint, the_token uuid, default_model text, tutor_prompt text, deepest integer,
  the_zone text, today date, moment timestamptz, the_reach integer
) returns table (
  refusal text, time_zone text, message_id bigint,
  -- Of an answer that is there.
  answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id bigint, message text, model text, university_id integer,
  generation bigint, graph json
)
-- Planned once for each connection: some of its statements would else be planned anew at each message.
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  session record;
  active boolean;
  last_active date;
  topic record;
  tutor record;
  hash text;
  node bigint;
  answer text;
begin
  -- Many small statements, of which each turn runs those that it needs: what a statement costs here is hardly what it
  -- finds, but how much it is made of. What is read after the lock is what the message before this one left.
  select s.id, s.content_item_id, s.content_fingerprint, s.cache_node_id, s.cache_state, s.answering_message_id,
         s.answering_generation_id, s.answering_token, s.answering_until
  into session
  from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;
  select person.is_active, person.time_zone, person.last_activity_date into active, time_zone, last_active
  from users as person
  where person.id = the_person and person.erased_at is null
    and (person.token_version = the_version or not person.is_active);
  if not found then return; end if;

  if not active then
    refusal := 'inactive person';
  elsif session.id is null then
    select case when count(*) = 0 then 'no such session' else 'not theirs' end into refusal
    from chat_sessions where id = the_session;
  else
    select item.course_id, item.university_id, campus.is_active, campus.requires_own_provider, course.cache_enabled, course.llm_model, type.name as type,
           gate_of_module(item.module_id, the_person, moment, item.is_active, item.available_from) as gate
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as campus on campus.id = item.university_id
    where item.id = session.content_item_id;
    refusal := case
      when the_reach <> topic.university_id then 'out of reach'
      when is_suspended(topic.university_id, the_person) then 'inactive person'
      when topic.requires_own_provider and the_reach is null and not exists (
        select from user_university_roles where user_id = the_person and role = 'platform_admin') then 'own provider'
      when not topic.is_active then 'inactive university'
      when topic.gate is not null then topic.gate
      when is_under_exam(the_person, topic.course_id, moment) then 'under exam'
    end;
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  if the_client_id is not null then
    select m.id, m.content, 'sent before' into message_id, content, refusal
    from chat_messages as m where m.session_id = the_session and m.client_message_id = the_client_id;
  end if;
  message_id := coalesce(message_id, the_question);
  content := coalesce(content, the_content);
  if message_id is not null then
    select reply.id, reply.created_at, reply.meta, coalesce(replayed.chunks, jsonb_build_array(reply.content))
    into answer_id, answered_at, meta, chunks
    from chat_messages as reply
    left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.edited_at is null
    where reply.in_reply_to_id = open_turn.message_id;
  end if;
  refusal := case
    when refusal is not null then refusal
    when answer_id is not null then 'answered'
    when session.answering_until > now()
      and (the_question is null or session.answering_message_id is distinct from the_question) then 'being answered'
    when time_zone <> the_zone then 'another time zone'
  end;
  if refusal is not null then
    return next;
    return;
  end if;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back.
  if the_message = 'Start.' then
    message := the_message;
  elsif the_message is not null and session.cache_node_id is not null then
    select case when again then stands.message
                when stands.choices is null then the_message
                else stands.choices ->> the_message end,
           case when again then stands.parent_id else stands.id end
    into message, parent_id
    from cache_nodes as stands
    left join cache_nodes as stood on stood.id = stands.parent_id
    cross join lateral (
      select coalesce(stands.message = coalesce(stood.choices ->> the_message, the_message)
                      and not coalesce(stands.choices ? the_message, false), false)
    ) as said (again)
    where stands.id = session.cache_node_id;
  end if;
  shared := message is not null and topic.cache_enabled and session.cache_state = 'tracking';
  model := coalesce(topic.llm_model, default_model);
  university_id := topic.university_id;
  select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint into tutor
  from tutor_prompt_of(topic.type, tutor_prompt) as prompt;

  if shared then
    hash := sha256_hex(message);
    select n.id, n.chunks, n.answer into node, chunks, answer
    from cache_nodes as n
    where n.content_item_id = session.content_item_id
      and coalesce(n.parent_id, 0) = coalesce(open_turn.parent_id, 0)
      and n.message_hash = hash and n.prompt_name = tutor.name and n.prompt_version = tutor.version
      and n.model = open_turn.model and n.prompt_fingerprint = tutor.plain_fingerprint
      and n.content_fingerprint = session.content_fingerprint
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = session.content_item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor.name and g.prompt_version = tutor.version
        and g.model = open_turn.model and g.prompt_fingerprint = tutor.plain_fingerprint
        and g.content_fingerprint = session.content_fingerprint
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
    end if;
  end if;

  if the_question is null then
    perform record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, (
        select mine.course_offering_id from current_offerings as mine
        where mine.user_id = the_person and mine.course_id = topic.course_id), moment, today, last_active);
    message_id := nextval('chat_messages_id_seq');
  end if;
  if node is not null then
    answer_id := nextval('chat_messages_id_seq');
    answered_at := service_now();
    meta := jsonb_build_object(
      'source', 'cache', 'model', model, 'prompt_name', tutor.name, 'prompt_version', tutor.version,
      'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node);
    insert into cache_visits (node_id, hit) values (node, true);
    update chat_sessions
    set cache_node_id = node, updated_at = service_now(), answering_message_id = null, answering_since = null,
        answering_token = null, answering_generation_id = null, answering_until = null
    where id = the_session;
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id)
    overriding system value
    select * from (values
      (open_turn.message_id, the_session, 'user', the_content, '{}'::jsonb, null::bigint, false, null::bigint, the_client_id),
      (answer_id, the_session, 'assistant', answer, meta, open_turn.message_id, true, node, null)
    ) as said (id) where said.id is distinct from the_question;
  else
    token := the_token;
    if session.answering_message_id = the_question and not exists (
      select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
    then token := session.answering_token; end if;
    -- What is on no path leaves the tree where answers are shared at all; free text does in any case.
    update chat_sessions as s
    set cache_state = case when the_message is null or (topic.cache_enabled and message is null) then 'diverged'
                           else s.cache_state end,
        answering_since = case when s.answering_message_id = open_turn.message_id and s.answering_until > now()
                               then s.answering_since else now() end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = open_turn.message_id then s.answering_generation_id end),
        answering_message_id = open_turn.message_id, answering_token = token,
        answering_until = now() + listener_lease()
    where s.id = the_session;
    if the_question is null then
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value values (open_turn.message_id, the_session, 'user', the_content, the_client_id);
    end if;
    if generation is null and tutor.id is not null then
      select json_build_object('root', tutor.id, 'prompts', reached.prompts, 'links', reached.links) into graph
      from reached_prompts(array[tutor.id], 0, deepest) as reached;
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- Purges a node with all that are below it, and with what is just being made from them. Sessions that stood there stand
-- before the root again.
create or replace function purge_node(the_node bigint) returns void language plpgsql as $$
begin
  perform hold_subtree(the_node);
  delete from cache_nodes where id = the_node;
end;
$$;
--> statement-breakpoint
drop function quiz_of_person(integer,integer,integer,timestamp with time zone);
--> statement-breakpoint
-- How a quiz is for a person: what holds for them there, how many attempts they have taken, which one is open, and in
-- `refusal` why they can neither start nor go on with one, in the words of `start_quiz_attempt`. No row: there is no such
-- quiz.
create or replace function quiz_of_person(person integer, offering integer, item integer, moment timestamptz)
returns table (
  refusal text, is_exam boolean, passing_percent double precision, time_limit_seconds integer, closes_at timestamptz,
  max_attempts integer, attempts_taken integer, open_attempt_id bigint
) language sql stable as $$
  select coalesce(gate_of_item(item, person, moment), case
           when not exists (
             select from enrollments
             where user_id = person and course_offering_id = offering and is_admitted
           ) then 'not enrolled'
           when open_one.id is null
           then no_attempt_because(taken.count, rules.most_attempts, rules.closes_at, rules.question_pool_id, moment)
         end),
         rules.is_exam, rules.passing_percent::float8, extract(epoch from rules.time_limit)::int, rules.closes_at,
         rules.most_attempts, taken.count, open_one.id
  from quiz_rules(item, offering, person) as rules
  cross join lateral attempts_taken(person, item, offering) as taken (count)
  left join lateral (
    select one.id from quiz_attempts as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
      and one.submitted_at is null and not is_over(one, moment)
  ) as open_one on true
$$;
--> statement-breakpoint
-- Marks some of a person's notifications as read, or all up to one of them, with the announcements that they tell of.
-- What was read goes out by mail no more. Answers how many are left.
create or replace function read_notifications(person integer, ids bigint[], up_to bigint, moment timestamptz)
returns integer language plpgsql as $$
begin
  with seen as (
    update notifications set read_at = moment, mail_due_at = null
    where user_id = person and read_at is null and (id = any (ids) or id <= up_to)
    returning announcement_id
  )
  insert into announcement_reads (announcement_id, user_id, read_at)
  select distinct announcement_id, person, moment from seen where announcement_id is not null
  on conflict do nothing;
  return unread_notifications(person, moment);
end $$;
--> statement-breakpoint
-- Records what a person did to learn, beside the thing itself, so that neither happens without the other: one event,
-- and their streak. The streak counts days in the person's own time zone, where `moment` is on the day `today`: the
-- same day keeps it, the next adds one, a gap starts again at 1. A day before the last active one (a clock set back, a
-- move west) keeps it as well. Whoever has read their last active day says so: on the same day there is nothing to look up.
--
-- Locks: the person, when the day is new to them.
create or replace function record_activity(
  person integer, verb text, object_type text, object_id bigint, university integer, content_item integer,
  offering integer, moment timestamptz, today date, last_active date default null
) returns void language plpgsql as $$
begin
  insert into activity_events
    (user_id, verb, object_type, object_id, university_id, content_item_id, course_offering_id, occurred_at)
  values (person, verb, object_type, object_id, university, content_item, offering, moment);
  if last_active is null or last_active < today then
    update users
    set current_streak_days = case when last_activity_date = today - 1 then current_streak_days + 1 else 1 end,
        last_activity_date = today
    where id = person and (last_activity_date is null or last_activity_date < today);
  end if;
end $$;
--> statement-breakpoint
-- Gives an answer up whose maker's time is up: whoever waits for it may make it at once.
create or replace function release_generation(the_generation bigint, maker uuid, the_call bigint, used jsonb)
returns void language sql as $$
  -- Instants are kept to the millisecond, and rounded.
  update generations set lease_until = clock_timestamp() - interval '1 millisecond'
  where id = the_generation and token = maker and state = 'writing';
  select end_call(the_call, 'timeout', used)
$$;
--> statement-breakpoint
-- A sign of life from a process: of the answers that it makes, and of the sessions in which someone listens. Answers
-- the makers' leases that still hold. A row that someone else is just writing gets its sign with the next.
create or replace function renew_leases(
  the_generations bigint[], makers uuid[], the_sessions bigint[], listeners uuid[]
) returns table (generation bigint, stop_requested boolean) language sql as $$
  with listening as (
    select s.id from chat_sessions as s
    join unnest(the_sessions, listeners) as mine (id, token) on mine.id = s.id and mine.token = s.answering_token
    order by s.id for no key update of s skip locked
  ), followed as (
    update chat_sessions as s set answering_until = least(now() + listener_lease(), s.answering_since + answer_limit())
    from listening where listening.id = s.id
  ), making as (
    select g.id from generations as g
    join unnest(the_generations, makers) as mine (id, token) on mine.id = g.id and mine.token = g.token
    where g.state = 'writing'
    order by g.id for no key update of g skip locked
  ), made as (
    update generations as g set lease_until = least(clock_timestamp() + maker_lease(), g.maker_until)
    from making where making.id = g.id
  )
  select g.id, g.stop_requested from generations as g
  join unnest(the_generations, makers) as mine (id, token) on mine.id = g.id and mine.token = g.token
  where g.state = 'writing' and g.maker_until > clock_timestamp()
$$;
--> statement-breakpoint
-- The same again, because the LLM failed. It is no question of budgets: a class may be waiting.
create or replace function repeat_call(the_generation bigint, former bigint) returns bigint language plpgsql as $$
declare
  made llm_calls;
begin
  insert into llm_calls (university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens)
  select university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens
  from llm_calls where id = former
  returning * into made;
  update generations set call_id = made.id where id = the_generation;
  insert into tutor_months as used (university_id, month, tokens)
  select made.university_id, tutor_month(), made.reserved_tokens where made.university_id is not null
  on conflict (university_id, month) do update set tokens = used.tokens + excluded.tokens;
  return made.id;
end;
$$;
--> statement-breakpoint
-- Replaces a node's answer. What was made from the former text goes, unless `keep_children`, and so does what is just
-- being made from it; sessions that heard the former text and stood there stand before the root again.
create or replace function replace_answer(
  the_node bigint, the_answer text, the_question jsonb, the_choices jsonb, editor integer, keep_children boolean
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
-- Gives a submission back for another attempt; a grade that it had is taken back. What is returned stays so. `refusal`
-- as for a claim, and 'final' of any: there is no other attempt.
create or replace function return_submission(
  the_submission bigint, grader integer, feedback text, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
begin
  if former.id is null then return; end if;
  submission := former;
  refusal := coalesce(
    nullif(refusal_to_grade(former, grader, moment), 'returned'),
    case when is_grade_final(former.course_offering_id, former.user_id) then 'final' end);
  if refusal is null and former.status <> 'returned' then
    update lab_submissions as one
    set status = 'returned', returned_at = moment, instructor_feedback = feedback, score_obtained = null,
        max_score = null, grade_source = null, graded_at = null, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_returned', former, submission, null, grader, moment, request);
  end if;
  return next;
end $$;
--> statement-breakpoint
-- The questions and answers of a path, as they are once it is held.
create or replace function shared_path(path bigint[]) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('question', message, 'answer', answer) order by id), '[]')
  from cache_nodes where id = any (path)
$$;
--> statement-breakpoint
-- Stops the private answer that a person's session is waiting for. Its maker is told so; before there is one, it ends
-- without a word. Answers the message, and whether its answer is private; no row: no answer is being written.
create or replace function stop_turn(the_session bigint, the_person integer)
returns table (message_id bigint, content text, is_private boolean) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
begin
  select * into session from chat_sessions
  where id = the_session and user_id = the_person and answering_since > now() - answer_limit() for update;
  if not found then return; end if;
  select m.id, m.content into message_id, content from chat_messages as m where m.id = session.answering_message_id;
  update generations set stop_requested = true
  where question_id = session.answering_message_id and state = 'writing';
  is_private := found or exists (select from generations where question_id = session.answering_message_id);
  if not is_private and session.answering_generation_id is null then
    -- Nobody has claimed it yet. What is shared is on a path of a course that shares.
    select session.cache_state = 'diverged' or not course.cache_enabled into is_private
    from content_items as item join courses as course on course.id = item.course_id
    where item.id = session.content_item_id;
    if is_private then
      perform store_answer(the_session, session.answering_message_id, '[]', jsonb_build_object(
        'source', 'llm', 'stop', 'stopped', 'latency_ms', milliseconds_since(session.answering_since)),
        false, null, false);
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- Stores the answer to a session's open message, moves the cursor to the node that holds it, and ends the turn. A node
-- that is gone by now, or says something else, leaves the cursor where it was. Whoever calls it holds the node, so that
-- it is not pruned or replaced until the cursor stands on it, and then the session, whose turn it is.
create or replace function store_answer(
  the_session bigint, the_question bigint, the_chunks jsonb, the_meta jsonb, on_path boolean, the_node bigint,
  is_hit boolean
) returns table (id bigint, created_at timestamptz, content text) language plpgsql as $$
#variable_conflict use_column
declare
  standing bigint;
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
-- Stores grades: `[{"attempt_id", "score", "passed", "questions": [{"question_id", "graded_version", "points"}]}, …]`.
-- One that was made by other keys than now count is left out, and so is what no longer waits: answers how many were
-- stored. A final grade that is made of another score is outdated by it.
create or replace function store_quiz_grades(grades jsonb) returns integer language plpgsql as $$
declare
  grade record;
  mine quiz_attempts;
  former numeric;
  stored integer := 0;
begin
  perform keep_grades(graded.offering) from (
    select distinct course_offering_id as offering from quiz_attempts
    where id in (select (one ->> 'attempt_id')::bigint from jsonb_array_elements(grades) as one) order by 1
  ) as graded;
  for grade in
    select * from jsonb_to_recordset(grades) as one (
      attempt_id bigint, score numeric, max_score numeric, passed boolean, questions jsonb)
    order by attempt_id
  loop
    select * into mine from quiz_attempts where id = grade.attempt_id and awaits_grading for update;
    if not found or exists (
      select from quiz_attempt_questions as drawn
      where quiz_attempt_id = grade.attempt_id and not exists (
        select from jsonb_to_recordset(grade.questions) as one (question_id integer, graded_version integer)
        where one.question_id = drawn.question_id and one.graded_version = drawn.graded_version)
    ) then continue; end if;
    former := hold_counted_score(mine.course_offering_id, mine.user_id, mine.content_item_id);
    update quiz_attempt_questions as drawn set points_earned = one.points
    from jsonb_to_recordset(grade.questions) as one (question_id integer, points numeric)
    where drawn.quiz_attempt_id = grade.attempt_id and drawn.question_id = one.question_id;
    update quiz_attempts
    set score_obtained = grade.score, max_score = grade.max_score, passed = grade.passed, awaits_grading = false
    where id = grade.attempt_id;
    perform outdate_final_grade(mine.course_offering_id, mine.user_id, mine.content_item_id, former);
    stored := stored + 1;
  end loop;
  return stored;
end $$;
--> statement-breakpoint
-- Answers on the shared paths that were there, those that had to be made, and any that were waited for with others.
create or replace view answer_facts (session_id, measure, course_id, moment, since, amount, message_id) as
  select answer.session_id, counted.measure, topic.course_id, answer.created_at, null::timestamptz, 1::numeric, answer.id
  from chat_messages as answer left join chat_sessions as talk on talk.id = answer.session_id
  left join content_items as topic on topic.id = talk.content_item_id
  cross join lateral (values
    (case when answer.on_shared_path then case answer.meta ->> 'source' when 'cache' then 'hits' else 'misses' end end),
    (case when answer.meta ? 'joined' then 'joined' end)) as counted (measure)
  where counted.measure is not null;
--> statement-breakpoint
-- A conversation counts on the day on which it was opened, and lasts from its first message to its last.
create or replace view conversation_facts (session_id, measure, course_id, moment, since, amount) as
  select talk.id, counted.measure, topic.course_id, talk.created_at, null::timestamptz, counted.amount
  from chat_sessions as talk left join content_items as topic on topic.id = talk.content_item_id
  cross join lateral (
    select (select created_at from chat_messages where session_id = talk.id order by id limit 1) as began_at,
           (select created_at from chat_messages where session_id = talk.id order by id desc limit 1) as ended_at offset 0
  ) as said
  cross join lateral (values
    ('conversations', case when said.began_at is not null then 1 end),
    ('conversation_milliseconds', extract(epoch from said.ended_at - said.began_at) * 1000),
    ('divergences', case when talk.cache_state = 'diverged' then 1 end)) as counted (measure, amount);
--> statement-breakpoint
-- Adds the next version of a name, with `latest` and the labels wanted. `tagged` null keeps the name's tags.
-- `referenced`, in order: `[{"child_name": "tone", "child_version": null, "child_label": "formal", "occurrences": 1,
-- "tag_characters": 43}, …]`. What no change may break is how deep references nest, at most `deepest` levels, and
-- how long a resolved text is, at most `longest` characters. What reaches a label and carries one of the `guarded` ones
-- is not the caller's to change.
create or replace function create_prompt_version(
  named text, body text, settings jsonb, wanted text[], guarded text[], tagged text[], message text,
  referenced jsonb, person integer, deepest integer, longest integer
) returns setof prompt_versions language plpgsql as $$
declare
  number integer;
  made integer;
  checked integer[];
begin
  perform lock_prompts();
  insert into prompt_names (name, tags, latest_version) values (named, coalesce(tagged, '{}'), 1)
  on conflict (name) do update set
    latest_version = prompt_names.latest_version + 1, version = prompt_names.version + 1,
    tags = coalesce(tagged, prompt_names.tags)
  returning latest_version into number;
  insert into prompts (name, version, prompt, config, commit_message, created_by)
  values (named, number, body, settings, message, person) returning id into made;
  insert into prompt_dependencies
    (prompt_id, position, child_name, child_version, child_label, occurrences, tag_characters)
  select made, position, child_name, child_version, child_label, occurrences, tag_characters
  from rows from (
    jsonb_to_recordset(referenced)
      as (child_name text, child_version integer, child_label text, occurrences integer, tag_characters integer)
  ) with ordinality
    as one (child_name, child_version, child_label, occurrences, tag_characters, position);
  wanted := array_append(wanted, 'latest');
  perform refuse_move_below_guarded(named, wanted, guarded);
  checked := made || resolvable_prompts_reaching(named, wanted, deepest, longest);
  perform place_prompt_labels(named, wanted, made, person);
  perform refuse_broken_prompts(checked, deepest, longest);
  return query select * from prompt_versions where id = made;
end $$;
--> statement-breakpoint
-- Sets a version's labels to those wanted; `latest` stays where it is. The `guarded` ones are not the caller's to
-- put on, move or take off, nor are those that a version with a guarded one reaches. No row: there is no such version.
create or replace function set_prompt_labels(
  named text, number integer, wanted text[], guarded text[], person integer, deepest integer, longest integer
) returns setof prompt_versions language plpgsql as $$
declare
  target integer;
  held text[];
  added text[];
  removed text[];
  checked integer[];
begin
  perform lock_prompts();
  select id, labels into target, held from prompt_versions where name = named and version = number;
  if not found then return; end if;
  added := array(select unnest(wanted) except select unnest(held));
  removed := array(select unnest(held) except select unnest(array_append(wanted, 'latest')));
  if 'latest' = any (added) then perform refuse_prompt_change('prompt_labels_latest'); end if;
  if (added || removed) && guarded then perform refuse_prompt_change('prompt_labels_protected'); end if;
  perform refuse_move_below_guarded(named, added || removed, guarded);
  checked := resolvable_prompts_reaching(named, added || removed, deepest, longest);
  perform place_prompt_labels(named, added, target, person);
  perform place_prompt_labels(named, removed, null, person);
  perform refuse_broken_prompts(checked, deepest, longest);
  return query select * from prompt_versions where id = target;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
--> statement-breakpoint
-- What a connection has worked out of the former types is worked out anew.
do $$
declare
  one record;
begin
  for one in
    select p.oid::regprocedure as name, p.procost as cost from pg_proc as p
    join pg_language as l on l.oid = p.prolang and l.lanname = 'plpgsql'
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
  loop
    execute format('alter function %s cost %s', one.name, one.cost);
  end loop;
end $$;
