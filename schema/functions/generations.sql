-- An answer in the making. It belongs to no request: whoever wants it claims it, the first becomes its maker, and all
-- listen to it. The maker's token fences what it writes: who lost the lease writes nothing more.
--
-- A lease lasts 2.25 seconds without a sign of life and never beyond the maker's own time limit. An answer whose lease
-- has lapsed is nobody's: the next who claims it makes it anew. Nothing here waits for a maker. Whoever listens claims
-- it within seconds: one that has been nobody's for longer was given up by all, and the LLM may fail at it twice again.
--
-- Locks: see "cache-tree.sql", where their one order stands.

create or replace function producer_lease() returns interval language sql immutable as $$
  select interval '2250 milliseconds'
$$;

create or replace function failures_to_count(answer generations) returns integer language sql stable as $$
  select case when answer.lease_until > clock_timestamp() - interval '15 seconds' then answer.failures else 0 end
$$;

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
  limit_seconds double precision, budget jsonb, uses_surroundings boolean, the_move text default null
) returns table (
  generation bigint, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb,
  has_key boolean, carried jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
  node cache_nodes;
  wanted cache_nodes;
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
  key := answer_key(session.item_fingerprint, session.surroundings_fingerprint, uses_surroundings);
  if is_shared then
    wanted := answer_at(
      session.content_item_id, the_parent, the_message, the_prompt, the_prompt_version, the_model,
      the_prompt_fingerprint, key);
  end if;

  if is_shared and the_parent is not null then
    if the_parent <> all (path) or (session.cache_node_id is distinct from the_parent and not exists (
      select from cache_nodes where id = session.cache_node_id and parent_id = the_parent
    )) then
      path_gone := true;
      update chat_sessions set cache_state = 'diverged'
      where id = the_session and the_move is null and not exists (
        select from chat_messages as told cross join lateral answers_offered(told.question) as answer
        where told.session_id = the_session and told.role = 'assistant' and told.question is not null
          and answer = the_message);
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
        where made.node_key = wanted.node_key and made.state = 'writing'
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      ), begun as (
        insert into generations as made (
          content_item_id, parent_id, message, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, move, token, lease_until, maker_until,
          call_id)
        select
          session.content_item_id, the_parent, the_message, the_prompt_fingerprint, key,
          the_prompt, the_prompt_version, the_model, the_move, maker, least(alive_until, limited_until), limited_until,
          nextval('llm_calls_id_seq')
        where not exists (select from known)
        on conflict (node_key) where state = 'writing'
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      )
      select mine.id, mine.attempt into generation, attempt
      from (select * from taken_over union all select * from begun) as mine;
      is_maker := found;

      select * into node from cache_nodes as n where n.node_key = wanted.node_key for share;
      if not found and is_maker then
        known := known_answer(wanted, true);
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
      where made.node_key = wanted.node_key and made.state = 'writing' for key share;
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

-- The questions and answers of a path, as they are once it is held.
create or replace function shared_path(path bigint[]) returns json language sql stable as $$
  select coalesce(json_agg(json_strip_nulls(
           json_build_object('question', message, 'answer', answer, 'key', question_key,
                             'move', case when is_move(message) then message end)) order by id), '[]')
  from cache_nodes where id = any (path)
$$;

-- The answered questions of a session before a message, oldest first, of an aside those on the path before it too. What
-- the model refused is not told it again.
create or replace function answered_history(the_session bigint, before_message bigint) returns json
language sql stable as $$
  select coalesce(
    json_agg(json_strip_nulls(json_build_object(
      'question', question.content, 'answer', answer.content,
      'key', coalesce(answer.question_key, node.question_key), 'move', answer.meta ->> 'move')) order by question.id), '[]')
  from (
    select id, content from chat_messages where session_id = the_session and id < before_message
    union all
    select id, content from path_before_aside(the_session)
  ) as question
  join chat_messages as answer on answer.in_reply_to_id = question.id
  left join cache_nodes as node on node.id = answer.cache_node_id and node.answer = answer.content
  where answer.content <> '' and answer.meta ->> 'stop' is distinct from 'refusal'
$$;

-- Adds a piece to the telling of whoever holds the lease, which is a sign of life. No row: the lease is lost, and
-- nothing was written. Answers whether the learner wants it to stop.
create or replace function append_chunks(
  the_generation bigint, maker uuid, first integer, the_chunks jsonb
) returns table (stop_requested boolean) language sql as $$
  with mine as (
    update generations set lease_until = least(clock_timestamp() + producer_lease(), maker_until)
    where id = the_generation and token = maker and state = 'writing' and maker_until > clock_timestamp()
    returning id, attempt, stop_requested
  ), piece as (
    insert into generation_pieces (generation_id, attempt, first_chunk, chunks)
    select id, attempt, first, the_chunks from mine
    on conflict do nothing
  )
  select stop_requested from mine
$$;

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
    update generations as g set lease_until = least(clock_timestamp() + producer_lease(), g.maker_until)
    from making where making.id = g.id
  )
  select g.id, g.stop_requested from generations as g
  join unnest(the_generations, makers) as mine (id, token) on mine.id = g.id and mine.token = g.token
  where g.state = 'writing' and g.maker_until > clock_timestamp()
$$;

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
  is_counted boolean;
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
        content_item_id, parent_id, message, prompt_name, prompt_version, model, prompt_fingerprint,
        content_fingerprint, chunks, question, choices, question_key, input_tokens, output_tokens, edited_by, edited_at,
        is_waiting, warmed)
      values (
        made.content_item_id, made.parent_id, made.message, made.prompt_name, made.prompt_version, made.model,
        made.prompt_fingerprint, made.content_fingerprint,
        case when pin.id is null then the_chunks else jsonb_build_array(pin.answer) end,
        case when pin.id is null then the_question else pin.question end,
        case when pin.id is null then the_choices else pin.choices end,
        case when pin.id is null then the_key else pin.question_key end,
        tokens_in, tokens_out, pin.pinned_by, pin.pinned_at,
        pin.id is null and is_tutor_reviewed(made.content_item_id),
        exists (select from llm_calls where id = the_call and purpose = 'warm'))
      on conflict (node_key) do update set last_used_at = node.last_used_at
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
      told := tell_turns(
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
  is_counted := end_call(
    the_call, case the_stop when 'malformed' then 'complete' else coalesce(the_stop, 'complete') end, used);
  return next;
end;
$$;

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
    lease_until = least(clock_timestamp() + producer_lease(), maker_until)
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

-- Gives an answer up whose maker's time is up: whoever waits for it may make it at once.
create or replace function release_generation(the_generation bigint, maker uuid, the_call bigint, used jsonb)
returns void language sql as $$
  -- Instants are kept to the millisecond, and rounded.
  update generations set lease_until = clock_timestamp() - interval '1 millisecond'
  where id = the_generation and token = maker and state = 'writing';
  select end_call(the_call, 'timeout', used)
$$;

-- Removes answers that ended, or lost their maker, ten minutes ago and more: nobody listens to them any more.
create or replace function drop_ended_generations(most integer) returns integer language sql as $$
  with dropped as (
    delete from generations where id in (
      select id from generations
      where created_at < now() - interval '10 minutes'
        and (state <> 'writing' or lease_until < now() - interval '1 minute')
      order by created_at limit most for update skip locked)
    returning id
  )
  select count(*)::integer from dropped
$$;
