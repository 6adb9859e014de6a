set local check_function_bodies = off;
--> statement-breakpoint
-- Begins the call that makes an answer for a session's open message, if it fits into every budget: `call`, or the limit
-- that it is `refused_by`, and in how many seconds it may be worth another try. `settings` holds the limits where a
-- university has none, and in `reserve` the most tokens that the call may use.
--
-- The person is held, so that of calls at once each sees those before it; the month's row lets no more in than fit.
-- What failed before it cost anything is no turn. The call has the number that the generation was begun with; one that
-- is made anew gets another. A session whose answer is private waits for it from then on, in the same statement: whoever
-- calls it holds the session.
create or replace function begin_call(
  the_generation bigint, the_session bigint, the_question bigint, the_model text, settings jsonb,
  out call bigint, out refused_by text, out retry_after integer
) language plpgsql as $$
declare
  asked record;
  at_once bigint;
  in_day bigint;
  today timestamptz := utc_midnight(utc_day(service_now()));
  reserve bigint := (settings ->> 'reserve')::bigint;
begin
  select s.user_id, item.id as item_id, item.university_id, item.course_id, former.id as former,
         case when former.id is null then made.call_id end as drawn, made.question_id is not null as is_private, allowed.*
  into asked
  from chat_sessions as s
  join content_items as item on item.id = s.content_item_id
  join users as person on person.id = s.user_id
  join generations as made on made.id = the_generation
  left join llm_calls as former on former.id = made.call_id
  cross join lateral tutor_budget_of(item.university_id, settings) as allowed
  where s.id = the_session
  for no key update of person;

  -- Another statement, which sees what the person's calls before it came to.
  if asked.turns_at_once is not null or asked.turns_per_day is not null then
    select
      (select count(*) from llm_calls as c join generations as g on g.call_id = c.id
       where c.user_id = asked.user_id and c.university_id = asked.university_id and c.ended_at is null
         and c.started_at > service_now() - answer_limit() and g.id <> the_generation
         and g.state = 'writing' and g.lease_until > clock_timestamp()),
      (select count(*) from llm_calls
       where user_id = asked.user_id and university_id = asked.university_id and started_at >= today and not is_repair
         and not (outcome in ('failed', 'timeout')
                  and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0))
    into at_once, in_day;
  end if;
  if asked.turns_at_once <= at_once then
    refused_by := 'turns_at_once';
    retry_after := 5;
    return;
  end if;
  if asked.turns_per_day <= in_day then
    refused_by := 'turns_per_day';
    retry_after := seconds_until(today + interval '1 day');
    return;
  end if;

  if asked.former is not null then perform expire_calls(array[asked.former]); end if;
  if not reserve_tokens(asked.university_id, reserve, asked.tokens_per_month) then
    refused_by := 'tokens_per_month';
    retry_after := seconds_until(utc_midnight((tutor_month() + interval '1 month')::date));
    return;
  end if;

  call := coalesce(asked.drawn, nextval('llm_calls_id_seq'));
  with begun as (
    insert into llm_calls (id, university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens)
    overriding system value
    values (call, asked.university_id, asked.course_id, asked.item_id, asked.user_id, the_question, the_model, reserve)
  ), waiting as (
    update chat_sessions set answering_generation_id = the_generation where id = the_session and asked.is_private
  )
  update generations set call_id = call where id = the_generation and asked.drawn is null;
end;
$$;
--> statement-breakpoint
-- Asks for the answer to an open message of a session: `is_shared` for everyone on the path below `the_parent`, else
-- for the session alone. Answered is one of:
-- - `answer_id`: the tree had it by now, and the exchange is stored;
-- - `path_gone`: what the message followed was purged or replaced: there is no such path, and the session leaves the
--   tree, unless the message answers what it was asked; or the answer there waits for staff to approve it;
-- - `generation`: the answer in the making to follow. Whoever `is_maker` also has to make it, from `context` and
--   `exchanges`: the path from the root, or the session's answered history. The `call` of the LLM has begun with that;
-- - `refused_by`: it would have to make it, and the budgets (llm-calls.sql) are used up, for `retry_after` seconds.
-- `the_move` is what the message was taken as, where it is one; `has_key` and `carried` are those of `open_turn`.
-- No row: the session is not open with that message any more.
create or replace function claim_answer(
  the_session bigint, the_token uuid, is_shared boolean, the_parent bigint, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision, budget jsonb, uses_surroundings boolean default null,
  the_move text default null
) returns table (
  generation bigint, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb,
  has_key boolean, carried jsonb
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
  begun record;
begin
  if is_shared then
    -- Held, so that the path is neither purged nor replaced while the answer is claimed.
    path := lock_path_shared(the_parent);
    select * into session from chat_sessions where id = the_session and answering_token = the_token;
  else
    -- It is changed once below: what a transaction changes twice has its references checked, where the cursor stands
    -- among them, and no node is waited for from here on.
    select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
  end if;
  if session.id is null then return; end if;
  path_gone := false;
  is_maker := false;
  if uses_surroundings is null then
    select p.uses_surroundings into uses_surroundings
    from prompts as p where p.name = the_prompt and p.version = the_prompt_version;
  end if;
  key := answer_key(session.item_fingerprint, session.surroundings_fingerprint, session.content_fingerprint,
                    coalesce(uses_surroundings, true));

  if is_shared and the_parent is not null then
    if the_parent <> all (path) or (session.cache_node_id is distinct from the_parent and not exists (
      select from cache_nodes where id = session.cache_node_id and parent_id = the_parent
    )) then
      path_gone := true;
      update chat_sessions set cache_state = 'diverged'
      where id = the_session and the_move is null and not was_offered(the_session, the_message);
      return next;
      return;
    end if;
  end if;

  -- Whoever ends an answer between two of these looks is seen at the next. Who finds it being made draws no id. One is
  -- begun with the number of its call: a row that its own transaction changes again has all its references checked again.
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
          prompt_name, prompt_version, model, move, token, lease_until, maker_until,
          call_id)
        select
          session.content_item_id, the_parent, the_message, hash, the_prompt_fingerprint, key,
          the_prompt, the_prompt_version, the_model, the_move, maker, least(alive_until, limited_until), limited_until,
          nextval('llm_calls_id_seq')
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
        if does_node_wait(node.id) then
          path_gone := true;
          generation := null;
          is_maker := false;
          return next;
          return;
        end if;
        -- Someone else who listens in this session may have closed its turn meanwhile.
        select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
        if session.id is null then return; end if;
        meta := jsonb_build_object(
          'source', 'cache', 'model', the_model, 'prompt_name', the_prompt, 'prompt_version', the_prompt_version,
          'latency_ms', milliseconds_since(session.answering_since), 'cache_node_id', node.id);
        if the_move is not null then
          meta := meta || jsonb_build_object('move', the_move);
          carried := node.question;
        end if;
        select stored.id, stored.created_at into answer_id, answered_at
        from store_answer(session.id, session.answering_message_id, node.chunks, meta, true, node.id, true) as stored;
        chunks := node.chunks;
        has_key := node.question_key is not null;
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
      -- One that has ended already was not stored with its question yet, and is listened to.
      with known as materialized (
        select made.id, made.state = 'complete' as has_ended,
               made.state = 'writing' and made.lease_until < clock_timestamp() as has_lapsed
        from generations as made
        where made.question_id = session.answering_message_id and made.state in ('writing', 'complete')
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
          and not exists (select from known where has_ended)
        returning made.id, made.attempt, made.stop_requested
      ), begun as (
        insert into generations as made (
          content_item_id, session_id, question_id, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, move, token, lease_until, maker_until,
          call_id)
        select
          session.content_item_id, session.id, session.answering_message_id, the_prompt_fingerprint, key, the_prompt,
          the_prompt_version, the_model, the_move, maker,
          least(alive_until, limited_until), limited_until,
          nextval('llm_calls_id_seq')
        where not exists (select from known)
        on conflict (question_id) where state = 'writing'
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      )
      select mine.id, mine.attempt, mine.stop_requested into generation, attempt, stopping
      from (
        select * from taken_over union all select * from begun
        union all select id, null, null from known where has_ended
      ) as mine;
      is_maker := attempt is not null;
      exit when found;
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'writing';
    end if;
    exit when found;
  end loop;
  if generation is null then return; end if;
  if is_shared or not is_maker then
    update chat_sessions set answering_generation_id = generation
    where id = the_session and answering_token = the_token;
  end if;

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
    if attempt > 1 then delete from generation_pieces where generation_id = generation; end if;
    context := case when session.content_context ? 'file_texts'
                    then with_file_texts(session.content_context, (budget ->> 'material')::integer)
                    else session.content_context end;
    exchanges := case when is_shared then shared_path(path)
                      else answered_history(session.id, session.answering_message_id) end;
    begun := begin_call(generation, the_session, session.answering_message_id, the_model,
      budget || jsonb_build_object('reserve',
        (budget ->> 'reserve')::bigint + most_tokens(context, exchanges, (budget ->> 'material')::int)
        + coalesce(octet_length(session.tutor_context::text), 0) / 3));
    call := begun.call;
    refused_by := begun.refused_by;
    retry_after := begun.retry_after;
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
-- Closes turns with an answer that has ended, those of a class that waited for it together. Whoever asks again, also
-- because nobody knows whether the first time came through, gets what is stored. No row: a turn is not the asker's any
-- more, or the answer is gone.
create or replace function close_turns(
  the_generation bigint, the_sessions bigint[], the_tokens uuid[], the_questions bigint[]
) returns table (
  question bigint, id bigint, created_at timestamptz, content text, meta jsonb, has_key boolean, carried jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  made generations;
  standing bigint;
  waits boolean;
begin
  perform from cache_nodes where id = (select node_id from generations where id = the_generation) for share;
  perform from chat_sessions where id = any (the_sessions) order by id for update;
  select * into made from generations as g where g.id = the_generation and g.state = 'complete';
  if found then
    -- What waits for staff to approve it is an answer of their own to those who heard it in the making.
    select n.id, does_node_wait(n.id) into standing, waits
    from cache_nodes as n where n.id = made.node_id and n.chunks = made.chunks;
    if waits then standing := null; end if;
    perform tell_turns(
      made, standing, made.question_id is null and waits is not true, the_sessions, the_tokens, the_questions);
  end if;
  return query
    select m.in_reply_to_id, m.id, m.created_at, m.content, m.meta,
           m.question_key is not null
           or exists (select from cache_nodes as n where n.id = m.cache_node_id and n.question_key is not null),
           case when m.meta ? 'move' then m.question end
    from chat_messages as m where m.in_reply_to_id = any (the_questions) order by m.session_id;
end;
$$;
--> statement-breakpoint
-- The exams that do. A query that asks for them has this in its own plan.
create or replace function exams_that_silence(person integer, course integer, moment timestamptz)
returns table (content_item_id integer) language sql stable as $$
  select one.content_item_id
  from quiz_attempts as one
  join content_items as exam on exam.id = one.content_item_id
  where one.user_id = person and one.is_exam and one.submitted_at is null and not is_over(one, moment)
    and (exam.course_id = course or exam.data_json ->> 'tutor_scope' = 'university'
      and exam.university_id = (select university_id from courses where id = course))
$$;
--> statement-breakpoint
-- Ends an answer whole, or as far as it came where `the_stop` says why. An answer for a class that came to its end
-- becomes a node: the first write wins, and is then the answer. A private answer is stored with its question.
-- Asked again with the same token it answers the same. No row: the lease is lost, and nothing was written but the end
-- of the call, whose cost is `used`; of an answer of several calls `answer_input` and `answer_output` in it are all of them.
create or replace function finish_generation(
  the_generation bigint, maker uuid, the_chunks jsonb, the_question jsonb, the_choices jsonb, the_stop text,
  the_call bigint, used jsonb, the_key jsonb default null
) returns table (
  chunks jsonb, answer_id bigint, answered_at timestamptz, meta jsonb, has_key boolean, carried jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  made generations;
  tokens_in integer := nullif(coalesce(
    (used ->> 'answer_input')::int,
    coalesce((used ->> 'input')::int, 0) + coalesce((used ->> 'cache_read')::int, 0)
    + coalesce((used ->> 'cache_write')::int, 0)), 0);
  tokens_out integer := nullif(coalesce((used ->> 'answer_output')::int, (used ->> 'output')::int), 0);
  pin answer_pins;
  session record;
  told chat_messages;
begin
  select s.id, s.answering_token, s.answering_message_id into session
  from generations as g join chat_sessions as s on s.id = g.session_id where g.id = the_generation for update of s;
  -- An answer for a class, which has no session, and may have a node before it.
  if not found then
    perform from cache_nodes where id = (select parent_id from generations where id = the_generation) for key share;
  end if;
  select * into made from generations where id = the_generation and token = maker and state <> 'failed' for update;
  if not found then
    perform end_call(the_call, 'lost', used);
    return;
  end if;

  if made.state = 'writing' then
    made.chunks := the_chunks;
    made.question := the_question;
    made.question_key := the_key;
    if made.move is not null then
      select asked.question, asked.question_key into made.question, made.question_key from carried_question(made) as asked;
    end if;
    if made.question_id is null and the_stop is null then
      -- What staff pinned there while it was made is the answer.
      perform lock_pins_shared(made.content_item_id);
      select * into pin from pin_below(made.content_item_id, made.parent_id, made.message);
      insert into cache_nodes as node (
        content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
        content_fingerprint, chunks, question, choices, question_key, input_tokens, output_tokens, edited_by, edited_at,
        is_waiting, warmed)
      values (
        made.content_item_id, made.parent_id, made.message, made.message_hash, made.prompt_name, made.prompt_version,
        made.model, made.prompt_fingerprint, made.content_fingerprint,
        case when pin.id is null then the_chunks else jsonb_build_array(pin.answer) end,
        case when pin.id is null then the_question else pin.question end,
        case when pin.id is null then the_choices else pin.choices end,
        case when pin.id is null then the_key else pin.question_key end,
        tokens_in, tokens_out, pin.pinned_by, pin.pinned_at,
        pin.id is null and is_tutor_reviewed(made.content_item_id),
        exists (select from llm_calls where id = the_call and purpose = 'warm'))
      on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                   prompt_fingerprint, content_fingerprint)
      do update set last_used_at = node.last_used_at
      returning node.id, node.chunks, node.question into made.node_id, made.chunks, made.question;
    end if;
    with dropped as (delete from generation_pieces where generation_id = the_generation)
    update generations as ended set
      state = 'complete', chunks = made.chunks, question = made.question, question_key = made.question_key,
      choices = case when made.question_key is not null then the_choices end,
      stop = the_stop, node_id = made.node_id,
      input_tokens = tokens_in, output_tokens = tokens_out
    where id = the_generation
    returning ended.* into made;
    if session.answering_message_id = made.question_id then
      select * into told from tell_turns(
        made, null, false, array[session.id], array[session.answering_token], array[made.question_id]);
    end if;
    -- As many as end, in fewer statements.
    if the_generation % 10 = 0 then perform drop_ended_generations(20); end if;
  end if;

  chunks := made.chunks;
  if told.id is not null then
    answer_id := told.id;
    answered_at := told.created_at;
    meta := told.meta;
    has_key := told.question_key is not null;
    if meta ? 'move' then carried := told.question; end if;
  elsif made.question_id is not null then
    select closed.id, closed.created_at, closed.meta, closed.has_key, closed.carried
    into answer_id, answered_at, meta, has_key, carried
    from chat_sessions as s
    cross join lateral close_turns(
      made.id, array[s.id], array[s.answering_token], array[made.question_id]) as closed
    where s.id = made.session_id and s.answering_message_id = made.question_id;
  end if;
  perform end_call(the_call, case the_stop when 'malformed' then 'complete' else coalesce(the_stop, 'complete') end, used);
  return next;
end;
$$;
--> statement-breakpoint
-- Whether the tutor of a course says nothing to a person: while they have an exam of the course open, and while they have
-- one open whose `tutor_scope` is the whole university.
create or replace function is_tutor_silenced(person integer, course integer, moment timestamptz) returns boolean
language sql stable as $$
  select exists (select from exams_that_silence(person, course, moment))
$$;
--> statement-breakpoint
-- Why a person may not work with what is in a module at that moment: 'hidden', 'enrollment required', 'not available
-- yet'. Null when they may, as staff of the course always do, unless it is asked what stands before a learner. The person
-- is null for whoever is not signed in. An item may be inactive, or available later than its module.
create or replace function module_access(
  the_module integer, person integer, moment timestamptz, is_active boolean default true,
  item_available_from timestamptz default null, as_learner boolean default false
) returns text language plpgsql stable as $$
declare
  step record;
  above integer := the_module;
  required integer[] := '{}';
  starts timestamptz := item_available_from;
  is_shown boolean := is_active;
begin
  if the_module is null then return null; end if;
  -- A step at a time: most modules are below none, and a recursive query costs more to begin than this does to do.
  while above is not null loop
    select m.parent_module_id, m.is_published, m.available_from, m.requires_module_ids,
           c.id as course_id, c.access, c.is_published as is_course_published
    into step from modules as m join courses as c on c.id = m.course_id where m.id = above;
    above := step.parent_module_id;
    is_shown := is_shown and step.is_published;
    starts := greatest(starts, step.available_from);
    required := required || step.requires_module_ids;
  end loop;
  is_shown := is_shown and step.is_course_published;
  return case
    -- Most is there for everyone, and nothing else is looked at.
    when is_shown and lock_reason(step.access <> 'open', starts, required, required, moment) is null then null
    when not as_learner and is_staff_of_course(person, step.course_id) then null
    when not is_shown then 'hidden'
    else case lock_reason(step.access <> 'open' and not has_seat(person, step.course_id), starts, required,
        unmet_modules(person, step.course_id, required), moment)
      when 'enrollment_required' then 'enrollment required'
      when 'not_available_yet' then 'not available yet'
      when 'modules_incomplete' then 'not available yet' end
  end;
end $$;
--> statement-breakpoint
-- As many tokens as what an answer is made from may have, taken high: three bytes make one, which is a character of the
-- scripts that models know worst. Of the context no more than so many characters of material are sent; what the model is
-- told for a move is longer than the move.
create or replace function most_tokens(context json, exchanges json, material integer) returns integer
language plpgsql immutable as $$
declare
  moves integer := 0;
begin
  -- Most conversations have no move, and are spared the look at each exchange.
  if position('"move"' in exchanges::text) > 0 then
    moves := (select count(*) from json_array_elements(exchanges) as exchange where exchange::jsonb ? 'move');
  end if;
  return (octet_length(left(context::text, least(length(context::text), material))) + octet_length(exchanges::text)) / 3
         + 150 * moves;
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
-- it by: `the_loose_message` is the same answer as it is compared where none fits. What was just answered and is said
-- again is answered again. Where the cursor is gone, what a message of the session offered is answered
-- in private, and the session stays in the tree: the service says whether one `is_offered`, as it alone compares. While it
-- is null and there is something to compare with, nothing is done, for 'what was asked'.
--
-- `the_move` is the name of a message that is called like a move (tutor-moves.sql), which `move` says what it was taken as.
-- `has_key` says whether the answer's question has a key, and `carried` is the question of one that answers a move.
--
-- The token reaches the whole account, or `the_reach`, a university (token-reach.sql).
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `item_access` (outline.sql), 'under exam',
-- 'sent before' (with the message, and its answer if it has one), 'closed' (an aside to new words), 'being answered', 'answered' (by the time it was taken
-- up again), 'another time zone', when `today` is not the day in their zone, 'no such move', or 'what was asked', with the `questions`.
create or replace function open_turn(
  the_session bigint, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question bigint, the_token uuid, default_model text, allowed_models text[], tutor_prompt text,
  deepest integer, the_zone text, today date, moment timestamptz, the_reach integer, the_loose_message text,
  is_offered boolean default null, the_move text default null
) returns table (
  refusal text, time_zone text, message_id bigint,
  -- Of an answer that is there.
  answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb, has_key boolean, carried jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id bigint, message text, model text, university_id integer,
  generation bigint, graph json, questions jsonb, move text,
  -- Whether the message was a step, and `right` or `wrong` (tutor-steps.sql).
  step text
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
  key text;
  node bigint;
  answer text;
  question jsonb;
  reached record;
begin
  -- Many small statements, of which each turn runs those that it needs: what a statement costs here is hardly what it
  -- finds, but how much it is made of. What is read after the lock is what the message before this one left.
  select s.id, s.content_item_id, s.item_fingerprint, s.surroundings_fingerprint, s.content_fingerprint, s.cache_node_id,
         s.cache_state, s.prompt_id, s.answering_message_id, s.answering_generation_id, s.answering_token, s.answering_until, s.closed_at
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
    select item.course_id, item.university_id, university.is_active, course.cache_enabled, course.llm_model, type.name as type, item.tutor_mode,
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from) as gate,
           member.is_active is false as is_suspended,
           university.requires_own_provider and the_reach is null and not exists (
             select from user_university_roles where user_id = the_person and role = 'platform_admin'
           ) as needs_own_provider,
           exists (select from exams_that_silence(the_person, item.course_id, moment)) as is_silenced,
           (select mine.course_offering_id from current_offerings as mine
            where mine.user_id = the_person and mine.course_id = item.course_id) as offering
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as university on university.id = item.university_id
    left join university_members as member on member.university_id = item.university_id and member.user_id = the_person
    where item.id = session.content_item_id;
    refusal := case
      when the_reach <> topic.university_id then 'out of reach'
      when topic.is_suspended then 'inactive person'
      when topic.needs_own_provider then 'own provider'
      when not topic.is_active then 'inactive university'
      when topic.gate is not null then topic.gate
      when topic.is_silenced then 'under exam'
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
    select reply.id, reply.created_at, reply.meta, coalesce(replayed.chunks, jsonb_build_array(reply.content)),
           coalesce(reply.question_key, replayed.question_key) is not null,
           case when reply.meta ? 'move' then reply.question end
    into answer_id, answered_at, meta, chunks, has_key, carried
    from chat_messages as reply
    left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.answer = reply.content
    where reply.in_reply_to_id = open_turn.message_id;
  end if;
  refusal := case
    when refusal is not null then refusal
    when answer_id is not null then 'answered'
    when message_id is null and session.closed_at is not null then 'closed'
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
  elsif the_move is not null then
    select taken.refusal, taken.message, taken.parent_id, taken.move, taken.questions, taken.has_key
    into refusal, message, parent_id, move, questions, has_key
    from take_move(
      the_session, case when topic.cache_enabled and session.cache_state = 'tracking' then session.cache_node_id end,
      the_move, the_message, the_loose_message, the_question, is_offered) as taken;
    if refusal is not null then
      return next;
      return;
    end if;
  elsif the_message is not null and session.cache_node_id is not null then
    select case when again then stands.message
                when stands.choices is null then the_message
                else coalesce(stands.choices ->> the_message, stands.choices ->> the_loose_message) end,
           case when again then stands.parent_id else stands.id end
    into message, parent_id
    from cache_nodes as stands
    left join cache_nodes as stood on stood.id = stands.parent_id
    cross join lateral (
      select coalesce(
        stands.message = coalesce(stood.choices ->> the_message, stood.choices ->> the_loose_message, the_message)
        and not coalesce(stands.choices ? the_message or stands.choices ? the_loose_message, false), false)
    ) as said (again)
    where stands.id = session.cache_node_id;
  elsif the_message is not null and topic.cache_enabled and session.cache_state = 'tracking' and is_offered is null then
    questions := questions_asked(the_session);
    if questions is not null then
      refusal := 'what was asked';
      return next;
      return;
    end if;
  end if;
  shared := message is not null and topic.cache_enabled and session.cache_state = 'tracking';
  university_id := topic.university_id;
  if session.prompt_id is null then
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from tutor_prompt_of(topic.type, tutor_prompt) as prompt;
  else
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from prompts as prompt where prompt.id = session.prompt_id;
  end if;
  model := tutor_model(topic.llm_model, tutor.config, allowed_models, default_model);

  if shared then
    hash := sha256_hex(message);
    key := answer_key(session.item_fingerprint, session.surroundings_fingerprint, session.content_fingerprint,
                      tutor.uses_surroundings);
    select n.id, n.chunks, n.answer, n.question, n.question_key is not null into node, chunks, answer, question, has_key
    from cache_nodes as n
    where n.content_item_id = session.content_item_id
      and coalesce(n.parent_id, 0) = coalesce(open_turn.parent_id, 0)
      and n.message_hash = hash and n.prompt_name = tutor.name and n.prompt_version = tutor.version
      and n.model = open_turn.model and n.prompt_fingerprint = tutor.plain_fingerprint
      and n.content_fingerprint = key
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = session.content_item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor.name and g.prompt_version = tutor.version
        and g.model = open_turn.model and g.prompt_fingerprint = tutor.plain_fingerprint
        and g.content_fingerprint = key
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
      if generation is null and tutor.plain_fingerprint is not null then
        node := known_answer(
          session.content_item_id, open_turn.parent_id, message, hash, tutor.name, tutor.version, open_turn.model,
          tutor.plain_fingerprint, key, session.content_fingerprint, false);
        if node is not null then
          select n.chunks, n.answer, n.question, n.question_key is not null into chunks, answer, question, has_key
          from cache_nodes as n where n.id = node;
        end if;
      end if;
    end if;
    -- What waits for staff to approve it is told to nobody: who comes there meanwhile is answered in private.
    if node is not null and topic.tutor_mode = 'reviewed' and does_node_wait(node) then
      node := null;
      chunks := null;
      shared := false;
    end if;
  end if;

  if the_question is null then
    perform record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, topic.offering, moment, today, last_active);
    step := record_step(
      the_session, the_person, session.content_item_id, topic.offering, the_message, the_loose_message);
    message_id := nextval('chat_messages_id_seq');
  end if;
  if node is not null then
    answer_id := nextval('chat_messages_id_seq');
    answered_at := service_now();
    meta := jsonb_build_object(
      'source', 'cache', 'model', model, 'prompt_name', tutor.name, 'prompt_version', tutor.version,
      'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node);
    if move is not null then
      meta := meta || jsonb_build_object('move', move);
      carried := question;
    end if;
    insert into cache_visits (node_id, hit) values (node, true);
    update chat_sessions
    set cache_node_id = node, updated_at = service_now(), answering_message_id = null, answering_since = null,
        answering_token = null, answering_generation_id = null, answering_until = null
    where id = the_session;
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id, question)
    overriding system value
    select * from (values
      (open_turn.message_id, the_session, 'user', the_content, '{}'::jsonb, null::bigint, false, null::bigint,
       the_client_id, null::jsonb),
      (answer_id, the_session, 'assistant', answer, meta, open_turn.message_id, true, node, null, question)
    ) as said (id) where said.id is distinct from the_question;
  else
    token := the_token;
    if session.answering_message_id = the_question then
      token := (
        select case when not exists (
          select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
          then session.answering_token else the_token end);
    end if;
    -- What is on no path leaves the tree where answers are shared at all, unless it was asked before that path went; free
    -- text does in any case.
    with asked as (
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value
      select open_turn.message_id, the_session, 'user', the_content, the_client_id where the_question is null
    )
    update chat_sessions as s
    set cache_state = case when the_message is null or (topic.cache_enabled and message is null and is_offered is not true)
                           then 'diverged'
                           else s.cache_state end,
        answering_since = case when s.answering_message_id = open_turn.message_id and s.answering_until > now()
                               then s.answering_since else now() end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = open_turn.message_id then s.answering_generation_id end),
        answering_message_id = open_turn.message_id, answering_token = token,
        answering_until = now() + listener_lease()
    where s.id = the_session;
    if generation is null and tutor.id is not null then
      reached := reached_prompts(array[tutor.id], 0, deepest);
      graph := json_build_object(
        'root', tutor.id, 'config', tutor.config, 'prompts', reached.prompts, 'links', reached.links);
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- The prompts that `roots` reach by their references, themselves included, and where each reference leads. `depth` is
-- how deep the roots stand; one level more than `deepest` is fetched, so that "too deep" is told from "missing".
create or replace function reached_prompts(
  roots integer[], depth integer, deepest integer, out prompts json, out links json
) language plpgsql stable as $$
begin
  -- Most prompts reference no other, and are spared the recursion.
  select coalesce(
           json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
  into prompts from prompts as p where p.id = any (roots)
  having not exists (select from prompt_dependencies where prompt_id = any (roots));
  if prompts is not null then
    links := '[]';
    return;
  end if;
  with recursive reached (id, level) as (
      select root, depth from unnest(roots) as root
    union
      select link.child_id, reached.level + 1
      from reached join prompt_links as link on link.prompt_id = reached.id
      where link.child_id is not null and reached.level <= deepest
  )
  select
    (select coalesce(
              json_agg(json_build_object('id', p.id, 'name', p.name, 'version', p.version, 'prompt', p.prompt)), '[]')
     from prompts as p where p.id in (select id from reached)),
    (select coalesce(json_agg(link), '[]') from (
       select distinct child_name, child_version, child_label, child_id
       from prompt_links where prompt_id in (select id from reached)) as link)
  into prompts, links;
end $$;
--> statement-breakpoint
-- Stores an answer that has ended in the sessions that wait for it and have no answer yet, and ends their turns; `standing`
-- is the node that holds it. Whoever calls it holds the node, then the sessions.
create or replace function tell_turns(
  made generations, standing bigint, is_on_path boolean, the_sessions bigint[], the_tokens uuid[], the_questions bigint[]
) returns setof chat_messages language plpgsql as $$
declare
  told text := joined_text(made.chunks);
begin
  return query
    -- Two may listen in one session.
    with waiting as (
      select distinct s.id, turn.question, s.answering_since, s.cache_state = 'tracking' and exists (
        select from content_items as item join courses as course on course.id = item.course_id
        where item.id = s.content_item_id and course.cache_enabled) as is_tracking
      from unnest(the_sessions, the_tokens, the_questions) as turn (session, token, question)
      join chat_sessions as s on s.id = turn.session and s.answering_token = turn.token
      where not exists (select from chat_messages as m where m.in_reply_to_id = turn.question)
    ), visited as (
      insert into cache_visits (node_id, hit) select standing, false from waiting where standing is not null
    ), closed as (
      update chat_sessions as s
      -- A question that no node asks is answered off the tree.
      set cache_node_id = case when waiting.is_tracking and not is_on_path and made.question is not null then null
                               else coalesce(standing, s.cache_node_id) end,
          updated_at = service_now(), answering_message_id = null,
          answering_generation_id = null, answering_since = null, answering_token = null, answering_until = null
      from waiting where s.id = waiting.id
    )
    insert into chat_messages (
      session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, question, question_key, choices)
    select waiting.id, 'assistant', told, jsonb_strip_nulls(jsonb_build_object(
             'source', 'llm', 'model', made.model, 'prompt_name', made.prompt_name,
             'prompt_version', made.prompt_version, 'latency_ms', milliseconds_since(waiting.answering_since),
             'stop', made.stop, 'move', made.move, 'path', case when waiting.is_tracking and not is_on_path then 'lost' end, 'input_tokens', made.input_tokens, 'output_tokens', made.output_tokens,
             'joined', case when not exists (select from llm_calls where message_id = waiting.question) then true end)),
           waiting.question, is_on_path, standing, made.question, case when standing is null then made.question_key end,
           case when standing is null and made.question_key is not null then made.choices end
    from waiting
    returning *;
end;
$$;
--> statement-breakpoint
set local check_function_bodies = on;
