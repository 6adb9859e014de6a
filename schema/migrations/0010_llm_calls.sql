set local check_function_bodies = off;
--> statement-breakpoint
drop function claim_answer(integer,uuid,boolean,integer,text,text,integer,text,text,uuid,double precision);
--> statement-breakpoint
drop function fail_generation(integer,uuid,integer);
--> statement-breakpoint
drop function finish_generation(integer,uuid,jsonb,jsonb,jsonb,text,integer,integer);
--> statement-breakpoint
drop function release_generation(integer,uuid);
--> statement-breakpoint
CREATE TABLE "llm_calls" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "llm_calls_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"university_id" integer,
	"course_id" integer,
	"content_item_id" integer,
	"user_id" integer,
	"message_id" integer,
	"model" varchar(255) NOT NULL,
	"input_tokens" integer DEFAULT 0 NOT NULL,
	"output_tokens" integer DEFAULT 0 NOT NULL,
	"cache_read_tokens" integer DEFAULT 0 NOT NULL,
	"cache_write_tokens" integer DEFAULT 0 NOT NULL,
	"reserved_tokens" integer NOT NULL,
	"cost_micros" bigint,
	"outcome" text DEFAULT 'started' NOT NULL,
	CONSTRAINT "llm_calls_outcome_check" CHECK ("llm_calls"."outcome" in ('started', 'complete', 'length', 'refusal', 'empty', 'stopped', 'failed', 'lost'))
);
--> statement-breakpoint
CREATE TABLE "tutor_budgets" (
	"university_id" integer PRIMARY KEY NOT NULL,
	"granted_turns_per_day" integer,
	"granted_turns_at_once" integer,
	"granted_tokens_per_month" bigint,
	"own_turns_per_day" integer,
	"own_turns_at_once" integer,
	"own_tokens_per_month" bigint
);
--> statement-breakpoint
CREATE TABLE "tutor_months" (
	"university_id" integer NOT NULL,
	"month" date NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "tutor_months_university_id_month_pk" PRIMARY KEY("university_id","month")
);
--> statement-breakpoint
ALTER TABLE "report_totals" DROP CONSTRAINT "report_totals_measure_check";
--> statement-breakpoint
ALTER TABLE "generations" ADD COLUMN "call_id" bigint;
--> statement-breakpoint
ALTER TABLE "generations" ADD COLUMN "retry_after" integer;
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tutor_budgets" ADD CONSTRAINT "tutor_budgets_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tutor_months" ADD CONSTRAINT "tutor_months_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "llm_calls_user_id_started_at_index" ON "llm_calls" USING btree ("user_id","started_at");
--> statement-breakpoint
CREATE INDEX "llm_calls_university_id_started_at_index" ON "llm_calls" USING btree ("university_id","started_at");
--> statement-breakpoint
CREATE INDEX "llm_calls_course_id_index" ON "llm_calls" USING btree ("course_id");
--> statement-breakpoint
CREATE INDEX "llm_calls_content_item_id_index" ON "llm_calls" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "llm_calls_message_id_index" ON "llm_calls" USING btree ("message_id");
--> statement-breakpoint
CREATE INDEX "llm_calls_started_at_index" ON "llm_calls" USING btree ("started_at");
--> statement-breakpoint
ALTER TABLE "report_totals" ADD CONSTRAINT "report_totals_measure_check" CHECK ("report_totals"."measure" in ('signups', 'people', 'course_people', 'topic_people', 'topic_milliseconds', 'tutor_people', 'tutor_questions', 'conversations', 'conversation_milliseconds', 'divergences', 'hits', 'misses', 'joined', 'topics_started', 'topics_completed', 'trees_completed', 'trees_interrupted', 'enrollments_active', 'enrollments_completed', 'enrollments_dropped', 'enrollments_pending', 'enrollments_waitlisted', 'drops', 'quizzes_submitted', 'quizzes_passed', 'quizzes_failed', 'quizzes_scored', 'quiz_scores', 'labs_submitted', 'labs_graded', 'labs_scored', 'lab_scores', 'notes', 'flashcards', 'flashcard_reviews', 'discussion_threads', 'discussion_posts', 'course_reviews', 'course_ratings'));
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
  today timestamptz := utc_midnight(utc_day(now()));
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
      and c.started_at > now() - answer_limit() and g.id <> the_generation
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

  update llm_calls set outcome = 'lost', ended_at = clock_timestamp()
  where id = (select call_id from generations where id = the_generation) and outcome = 'started';
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
    update llm_calls set outcome = 'lost', ended_at = clock_timestamp()
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
-- Closes a turn with an answer that has ended. Whoever asks again, also because nobody knows whether the first time
-- came through, gets what is stored. No row: the turn is not the asker's any more, or the answer is gone.
create or replace function close_turn(the_session integer, the_token uuid, the_question integer, the_generation integer)
returns table (id integer, created_at timestamptz, content text, meta jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  session record;
  made record;
  the_meta jsonb;
begin
  perform from cache_nodes where id = (select node_id from generations where id = the_generation) for share;
  select s.answering_token, s.answering_since into session
  from chat_sessions as s where s.id = the_session for update;
  return query
    select m.id, m.created_at, m.content, m.meta from chat_messages as m where m.in_reply_to_id = the_question;
  if found or session.answering_token is distinct from the_token then return; end if;
  select g.model, g.prompt_name, g.prompt_version, g.stop, g.input_tokens, g.output_tokens, g.chunks, g.question_id,
         g.node_id
  into made from generations as g where g.id = the_generation and g.state = 'complete';
  if not found then return; end if;
  the_meta := jsonb_strip_nulls(jsonb_build_object(
    'source', 'llm', 'model', made.model, 'prompt_name', made.prompt_name, 'prompt_version', made.prompt_version,
    'latency_ms', milliseconds_since(session.answering_since), 'stop', made.stop,
    'input_tokens', made.input_tokens, 'output_tokens', made.output_tokens,
    'joined', case when not exists (select from llm_calls where message_id = the_question) then true end));
  return query
    select stored.id, stored.created_at, stored.content, the_meta
    from store_answer(the_session, the_question, made.chunks, the_meta, made.question_id is null, made.node_id, false)
      as stored;
end;
$$;
--> statement-breakpoint
-- Counts the first of the uncounted messages in the same way: answers on shared paths, and how long each conversation
-- is, on the day on which it began.
create or replace function count_messages(most integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  newest integer := (
    select max(message_id) from (select message_id from uncounted_messages order by message_id limit most) as first
  );
  counted integer;
begin
  if newest is null then return 0; end if;
  with new as (
    delete from uncounted_messages where message_id <= newest returning message_id
  ), added as materialized (
    select m.* from new join chat_messages as m on m.id = new.message_id
  ), change (session_id, measure, day, amount) as (
    select session_id, case meta ->> 'source' when 'cache' then 'hits' else 'misses' end, utc_day(created_at), 1
    from added where on_shared_path
    union all
    select session_id, 'joined', utc_day(created_at), 1 from added where meta ? 'joined'
    union all
    select spoken.session_id, one.measure, utc_day(first), sign * one.amount
    from (select distinct session_id from added) as spoken
    cross join (values (1, newest), (-1, 0)) as state (sign, seen)
    cross join lateral (
      select min(m.created_at) as first, max(m.created_at) as last from chat_messages as m
      where m.session_id = spoken.session_id
        and not exists (select from uncounted_messages as u where u.message_id = m.id and u.message_id > seen)
    ) as span
    cross join lateral (values
      ('conversations', 1), ('conversation_milliseconds', extract(epoch from span.last - first) * 1000)
    ) as one (measure, amount)
    where first is not null
  ), noted as (
    insert into uncounted_changes
    select measure, i.course_id, day, null, sum(amount)
    from change join chat_sessions as s on s.id = session_id join content_items as i on i.id = s.content_item_id
    group by measure, i.course_id, day having sum(amount) <> 0
  )
  select count(*) into counted from new;
  return counted;
end $$;
--> statement-breakpoint
-- Ends a call with what it used, as a JSON object: `input`, `output`, `cache_read`, `cache_write` in tokens, and `cost`
-- in micros. Asked again it changes nothing; one that was taken for lost tells its end after all.
create or replace function end_call(the_call bigint, how text, used jsonb) returns void language sql as $$
  with ended as (
    update llm_calls
    set ended_at = clock_timestamp(), outcome = how,
        input_tokens = coalesce((used ->> 'input')::int, 0), output_tokens = coalesce((used ->> 'output')::int, 0),
        cache_read_tokens = coalesce((used ->> 'cache_read')::int, 0),
        cache_write_tokens = coalesce((used ->> 'cache_write')::int, 0),
        cost_micros = (used ->> 'cost')::bigint
    where id = the_call and outcome in ('started', 'lost') and used is not null
    returning university_id, date_trunc('month', started_at at time zone 'UTC')::date as month, reserved_tokens,
              input_tokens + output_tokens + cache_read_tokens + cache_write_tokens as tokens
  )
  update tutor_months as used set tokens = used.tokens - ended.reserved_tokens + ended.tokens
  from ended where used.university_id = ended.university_id and used.month = ended.month
$$;
--> statement-breakpoint
-- Notes that the LLM failed at an attempt. After the first failure its maker tells the answer anew, after the second,
-- or where its provider wants to be left alone for `seconds`, it has failed for everyone: the state then, also when
-- asked again, and the `call` that it is told anew with. No row: the lease is lost.
create or replace function fail_generation(
  the_generation integer, maker uuid, failed_attempt integer, the_call bigint, used jsonb, seconds integer
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
  perform end_call(the_call, 'failed', used);
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
  the_generation integer, maker uuid, the_chunks jsonb, the_question jsonb, the_choices jsonb, the_stop text,
  the_call bigint, used jsonb
) returns table (chunks jsonb, answer_id integer, answered_at timestamptz, meta jsonb) language plpgsql as $$
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
      on conflict on constraint cache_nodes_key do update set last_used_at = node.last_used_at
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
    cross join lateral close_turn(s.id, s.answering_token, made.question_id, made.id) as closed
    where s.id = made.session_id and s.answering_message_id = made.question_id;
  end if;
  perform end_call(the_call, coalesce(the_stop, 'complete'), used);
  return next;
end;
$$;
--> statement-breakpoint
-- Everything that is counted as what happened, from the events and messages that are there.
create or replace function happened_counts() returns setof uncounted_changes language sql stable as $$
  with spoken as (
    select session_id, utc_day(min(created_at)) as day,
           extract(epoch from max(created_at) - min(created_at)) * 1000 as milliseconds
    from chat_messages group by session_id
  ), said (session_id, measure, day, amount) as (
    select session_id, case meta ->> 'source' when 'cache' then 'hits' else 'misses' end, utc_day(created_at), 1
    from chat_messages where on_shared_path
    union all
    select session_id, 'joined', utc_day(created_at), 1 from chat_messages where meta ? 'joined'
    union all
    select session_id, 'conversations', day, 1 from spoken
    union all
    select session_id, 'conversation_milliseconds', day, milliseconds from spoken
    union all
    select id, 'divergences', utc_day(created_at), 1 from chat_sessions where cache_state = 'diverged'
  )
  select * from activity_counts(null, false)
  union all
  select measure, i.course_id, day, null, amount
  from said join chat_sessions as s on s.id = session_id join content_items as i on i.id = s.content_item_id
$$;
--> statement-breakpoint
-- The limits that a budget comes to: the lower of what the platform grants, by its settings where it granted nothing
-- else, and of what the university wants. Null is no limit.
create or replace function limits_in_force(budget tutor_budgets, settings jsonb)
returns table (turns_per_day bigint, turns_at_once bigint, tokens_per_month bigint) language sql immutable as $$
  select least(coalesce(budget.granted_turns_per_day, (settings ->> 'turns_per_day')::bigint),
               budget.own_turns_per_day),
         least(coalesce(budget.granted_turns_at_once, (settings ->> 'turns_at_once')::bigint),
               budget.own_turns_at_once),
         least(coalesce(budget.granted_tokens_per_month, (settings ->> 'tokens_per_month')::bigint),
               budget.own_tokens_per_month)
$$;
--> statement-breakpoint
-- As many tokens as what an answer is made from may have, taken high: three bytes make one, which is a character of the
-- scripts that models know worst. Of the context no more than so many characters of material are sent.
create or replace function most_tokens(context json, exchanges json, material integer) returns integer
language sql immutable as $$
  select (octet_length(left(context::text, least(length(context::text), material))) + octet_length(exchanges::text)) / 3
$$;
--> statement-breakpoint
-- Gives an answer up whose maker's time is up: whoever waits for it may make it at once.
create or replace function release_generation(the_generation integer, maker uuid, the_call bigint, used jsonb)
returns void language sql as $$
  -- Instants are kept to the millisecond, and rounded.
  update generations set lease_until = clock_timestamp() - interval '1 millisecond'
  where id = the_generation and token = maker and state = 'writing';
  select end_call(the_call, 'failed', used)
$$;
--> statement-breakpoint
-- The same again, because the LLM failed. It is no question of budgets: a class may be waiting.
create or replace function repeat_call(the_generation integer, former bigint) returns bigint language plpgsql as $$
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
create or replace function seconds_until(moment timestamptz) returns integer language sql volatile as $$
  select greatest(1, ceil(extract(epoch from moment - clock_timestamp())))::integer
$$;
--> statement-breakpoint
-- The same of a university, which may have no budget of its own.
create or replace function tutor_budget_of(the_university integer, settings jsonb)
returns table (turns_per_day bigint, turns_at_once bigint, tokens_per_month bigint) language sql stable as $$
  select limits.*
  from (values (the_university)) as one (id) left join tutor_budgets as budget on budget.university_id = one.id
  cross join lateral limits_in_force(budget, settings) as limits
$$;
--> statement-breakpoint
create or replace function tutor_month() returns date language sql stable as $$
  select date_trunc('month', now() at time zone 'UTC')::date
$$;
--> statement-breakpoint
set local check_function_bodies = on;
