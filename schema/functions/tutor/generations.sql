-- A generation is a pending answer, not tied to a request. The first caller to claim it becomes its producer; all
-- callers listen. The producer's token is a fencing token: without the lease it can write nothing.
--
-- A lease lasts 2.25 seconds without a heartbeat, and never beyond the producer's time limit. Then the next claim
-- restarts the generation. If nobody claimed it for 15 seconds, all listeners gave up, and the LLM may again fail twice.
--
-- Locks: see "cache-tree.sql", which has their one order.

create or replace function producer_lease_duration() returns interval language sql immutable as $$
  select interval '2250 milliseconds'
$$;

create or replace function recent_generation_failures(answer generations) returns integer language sql stable as $$
  select case when answer.lease_until > clock_timestamp() - interval '15 seconds' then answer.failures else 0 end
$$;

-- Requests the answer to a session's open message. `asked` has:
-- - `session` and `token` of its turn; `shared`: the answer is shared below `parent`, with the `message` there;
-- - `prompt`, `prompt_version`, `model`, `prompt_fingerprint`, `uses_surroundings`: the settings of the answer;
-- - `move`: the move that the message was read as; `maker`: the caller's producer token, for at most `seconds`;
--   `budget`: see `begin_llm_call_within_budget`.
--
-- Returns an object by its `kind`:
-- - 'lost': the session is no longer open with that message;
-- - 'path gone': the parent was purged or replaced, or the answer there awaits approval. The session leaves the tree,
--   unless the message answers the session's question;
-- - 'stored': the tree has the answer by now, and the exchange is stored;
-- - 'follow': the `generation` has another producer;
-- - 'make': the caller produces it, from `context` and `exchanges` (the path from the root, or the session's answered
--   history, in an aside after that of the path). The LLM `call` has begun;
-- - 'refused': the caller would produce it, but the budget `by` (llm-calls.sql) is used up, for `retry_after`
--   seconds.
create or replace function claim_answer_generation(asked jsonb) returns jsonb language plpgsql as $$
declare
  is_shared boolean := (asked ->> 'shared')::boolean;
  the_parent bigint := (asked ->> 'parent')::bigint;
  session chat_sessions;
  wanted cache_nodes;
  node cache_nodes;
  known bigint;
  path bigint[];
  mine record;
begin
  if is_shared then
    -- Locked: the path cannot be purged or replaced during the claim.
    path := lock_nodes_to_root_shared(the_parent);
    select * into session from chat_sessions
    where id = (asked ->> 'session')::bigint and answering_token = (asked ->> 'token')::uuid;
  else
    -- Updated once, below: PostgreSQL checks the references of a row that is updated twice, including the cursor's
    -- node. From here on nothing waits for a node.
    select * into session from chat_sessions
    where id = (asked ->> 'session')::bigint and answering_token = (asked ->> 'token')::uuid for update;
  end if;
  if session.id is null then return '{"kind": "lost"}'; end if;
  if is_shared and the_parent is not null then
    if the_parent <> all (path) or (session.cache_node_id is distinct from the_parent and not exists (
      select from cache_nodes where id = session.cache_node_id and parent_id = the_parent
    )) then
      update chat_sessions set cache_state = 'diverged'
      where id = session.id and asked ->> 'move' is null and not exists (
        select from chat_messages as told cross join lateral answer_messages_of_options(told.question) as answer
        where told.session_id = session.id and told.role = 'assistant' and told.question is not null
          and answer = asked ->> 'message');
      return '{"kind": "path gone"}';
    end if;
  end if;
  wanted := unsaved_cache_node(
    session.content_item_id, the_parent, asked ->> 'message', asked ->> 'prompt', (asked ->> 'prompt_version')::integer,
    asked ->> 'model', asked ->> 'prompt_fingerprint',
    effective_content_fingerprint(session.item_fingerprint, session.surroundings_fingerprint, (asked ->> 'uses_surroundings')::boolean));

  -- Another transaction may end an answer between two passes; the next pass sees it.
  for look in 1..5 loop
    if is_shared then
      mine := claim_shared_generation(wanted, asked);
      select * into node from cache_nodes as n where n.node_key = wanted.node_key for share;
      if not found and mine.is_maker then
        known := find_or_copy_known_answer(wanted, true);
        select * into node from cache_nodes where id = known;
      end if;
      if found then
        if mine.is_maker then delete from generations where id = mine.generation; end if;
        return store_found_answer_in_session(asked, session.id, node);
      end if;
    else
      mine := claim_private_generation(wanted, session.id, session.answering_message_id, asked);
    end if;
    exit when mine.generation is not null;
    if is_shared then
      select made.id into mine.generation from generations as made
      where made.node_key = wanted.node_key and made.state = 'writing' for key share;
    else
      select made.id into mine.generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'writing';
    end if;
    exit when found;
  end loop;
  if mine.generation is null then return '{"kind": "lost"}'; end if;
  if is_shared or not mine.is_maker then
    update chat_sessions set answering_generation_id = mine.generation
    where id = session.id and answering_token = (asked ->> 'token')::uuid;
  end if;
  if mine.is_maker and mine.is_stopped then
    -- A stopped private answer whose producer died. The text so far is the answer.
    update llm_calls set outcome = 'lost', ended_at = service_clock()
    where id = (select call_id from generations where id = mine.generation) and outcome = 'started';
    perform finish_generation_and_store_answer(
      mine.generation, (asked ->> 'maker')::uuid, jsonb_build_object('stop', 'stopped', 'chunks', coalesce((
        select jsonb_agg(chunk order by piece.first_chunk, number)
        from generation_pieces as piece, jsonb_array_elements(piece.chunks) with ordinality as part (chunk, number)
        where piece.generation_id = mine.generation), '[]')), null, null);
  elsif mine.is_maker then
    return start_claimed_generation_within_budget(asked, session, mine.generation, mine.attempt, path);
  end if;
  return jsonb_build_object('kind', 'follow', 'generation', mine.generation);
end;
$$;

-- Takes the answer if it has no producer or the lease expired. The row starts with its call's number: PostgreSQL
-- checks all references of a row that its own transaction updates again.
create or replace function claim_shared_generation(
  wanted cache_nodes, asked jsonb, out generation bigint, out attempt integer, out is_maker boolean, out is_stopped boolean
) language plpgsql as $$
declare
  limited_until timestamptz := clock_timestamp() + make_interval(secs => (asked ->> 'seconds')::double precision);
  alive_until timestamptz := least(clock_timestamp() + producer_lease_duration(), limited_until);
  maker uuid := (asked ->> 'maker')::uuid;
begin
  with known as materialized (
    select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
    where made.node_key = wanted.node_key and made.state = 'writing'
  ), taken_over as (
    update generations as made set
      token = maker, attempt = made.attempt + 1, lease_until = alive_until, maker_until = limited_until,
      failures = recent_generation_failures(made)
    from known
    where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
    returning made.id, made.attempt
  ), begun as (
    insert into generations as made (
      content_item_id, parent_id, message, prompt_fingerprint, content_fingerprint, prompt_name, prompt_version, model,
      move, token, lease_until, maker_until, call_id)
    select
      wanted.content_item_id, wanted.parent_id, wanted.message, wanted.prompt_fingerprint, wanted.content_fingerprint,
      wanted.prompt_name, wanted.prompt_version, wanted.model, asked ->> 'move', maker, alive_until, limited_until,
      nextval('llm_calls_id_seq')
    where not exists (select from known)
    on conflict (node_key) where state = 'writing'
    do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                  maker_until = excluded.maker_until, failures = recent_generation_failures(made)
      where made.lease_until < clock_timestamp()
    returning made.id, made.attempt
  )
  select one.id, one.attempt into generation, attempt
  from (select * from taken_over union all select * from begun) as one;
  is_maker := found;
end;
$$;

-- The caller listens to an ended generation, which is not yet stored.
create or replace function claim_private_generation(
  wanted cache_nodes, the_session bigint, the_question bigint, asked jsonb,
  out generation bigint, out attempt integer, out is_maker boolean, out is_stopped boolean
) language plpgsql as $$
declare
  limited_until timestamptz := clock_timestamp() + make_interval(secs => (asked ->> 'seconds')::double precision);
  alive_until timestamptz := least(clock_timestamp() + producer_lease_duration(), limited_until);
  maker uuid := (asked ->> 'maker')::uuid;
begin
  with known as materialized (
    select made.id, made.state = 'complete' as has_ended,
           made.state = 'writing' and made.lease_until < clock_timestamp() as has_lapsed
    from generations as made
    where made.question_id = the_question and made.state in ('writing', 'complete')
  ), taken_over as (
    update generations as made set
      token = maker, attempt = made.attempt + 1, lease_until = alive_until, maker_until = limited_until,
      failures = recent_generation_failures(made)
    from known
    where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
      and not exists (select from known where has_ended)
    returning made.id, made.attempt, made.stop_requested
  ), begun as (
    insert into generations as made (
      content_item_id, session_id, question_id, prompt_fingerprint, content_fingerprint, prompt_name, prompt_version,
      model, move, token, lease_until, maker_until, call_id)
    select
      wanted.content_item_id, the_session, the_question, wanted.prompt_fingerprint, wanted.content_fingerprint,
      wanted.prompt_name, wanted.prompt_version, wanted.model, asked ->> 'move', maker, alive_until, limited_until,
      nextval('llm_calls_id_seq')
    where not exists (select from known)
    on conflict (question_id) where state = 'writing'
    do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                  maker_until = excluded.maker_until, failures = recent_generation_failures(made)
      where made.lease_until < clock_timestamp()
    returning made.id, made.attempt, made.stop_requested
  )
  select one.id, one.attempt, one.stop_requested into generation, attempt, is_stopped
  from (
    select * from taken_over union all select * from begun
    union all select id, null, null from known where has_ended
  ) as one;
  is_maker := attempt is not null;
end;
$$;

create or replace function store_found_answer_in_session(asked jsonb, the_session bigint, node cache_nodes) returns jsonb
language plpgsql as $$
declare
  session record;
  meta jsonb;
  stored record;
begin
  if is_node_awaiting_approval(node.id) then return '{"kind": "path gone"}'; end if;
  -- Another listener of this session may have closed its turn.
  select s.answering_message_id, s.answering_since into session
  from chat_sessions as s where s.id = the_session and s.answering_token = (asked ->> 'token')::uuid for update;
  if not found then return '{"kind": "lost"}'; end if;
  meta := jsonb_strip_nulls(jsonb_build_object(
    'source', 'cache', 'model', node.model, 'prompt_name', node.prompt_name, 'prompt_version', node.prompt_version,
    'latency_ms', milliseconds_since(session.answering_since), 'cache_node_id', node.id, 'move', asked ->> 'move'));
  select * into stored
  from store_answer_and_end_turn(the_session, session.answering_message_id, node.chunks, meta, true, node.id, true);
  return jsonb_build_object(
    'kind', 'stored', 'id', stored.id, 'created_at', stored.created_at, 'meta', meta, 'chunks', node.chunks,
    'has_key', node.question_key is not null, 'carried', case when asked ->> 'move' is not null then node.question end);
end;
$$;

-- Begins the call for a claimed answer. If a budget is used up, the next caller may claim it on their own budget.
create or replace function start_claimed_generation_within_budget(
  asked jsonb, session chat_sessions, the_generation bigint, attempt integer, path bigint[]
) returns jsonb language plpgsql as $$
declare
  budget jsonb := asked -> 'budget';
  material integer := (budget ->> 'material')::integer;
  context jsonb := session.content_context;
  told text;
  exchanges json;
  most bigint;
  begun record;
begin
  if attempt > 1 then delete from generation_pieces where generation_id = the_generation; end if;
  if context ? 'file_texts' then context := tutor_context_with_file_texts(context, material); end if;
  if (asked ->> 'shared')::boolean then
    exchanges := questions_and_answers_of_path(path);
  else
    -- Oldest first. An aside begins with those of its parent session from the last greeting up to the point where
    -- it left. Messages that the model refused are left out.
    select coalesce(
      json_agg(json_strip_nulls(json_build_object(
        'question', question.content, 'answer', answer.content,
        'key', coalesce(answer.question_key, node.question_key), 'move', answer.meta ->> 'move',
        'before_aside', question.before_aside)) order by question.id), '[]')
    into exchanges
    from (
      select id, content, null::boolean as before_aside
      from chat_messages where session_id = session.id and id < session.answering_message_id
      union all
      select said.id, said.content, true from chat_sessions as aside
      join chat_messages as said on said.session_id = aside.aside_of_id and said.id <= aside.path_end_id
      where aside.id = session.id and said.id >= coalesce((
        select max(start.id) from chat_messages as start
        where start.session_id = aside.aside_of_id and start.id <= aside.path_end_id
          and start.role = 'user' and is_start_message(start.content)), 0)
    ) as question
    join chat_messages as answer on answer.in_reply_to_id = question.id
    left join cache_nodes as node on node.id = answer.cache_node_id and node.answer = answer.content
    where answer.content <> '' and answer.meta ->> 'stop' is distinct from 'refusal';
  end if;
  told := context::text;
  -- Upper bound of the prompt's tokens: three bytes per token (one character in the scripts that tokenizers handle
  -- worst). At most `material` characters of the context are sent.
  most := (budget ->> 'reserve')::bigint
    + (octet_length(left(told, least(length(told), material))) + octet_length(exchanges::text)) / 3
    + coalesce(octet_length(session.tutor_context::text), 0) / 3;
  -- The instruction for a move is longer than the move. Most conversations have none.
  if position('"move"' in exchanges::text) > 0 then
    most := most + 150 * (select count(*) from json_array_elements(exchanges) as exchange where exchange::jsonb ? 'move');
  end if;
  begun := begin_llm_call_within_budget(the_generation, session.id, session.answering_message_id, asked ->> 'model',
    budget || jsonb_build_object('reserve', most));
  if begun.refused_by is not null then
    if attempt = 1 then
      delete from generations where id = the_generation;
    else
      update generations set lease_until = clock_timestamp() - interval '1 millisecond' where id = the_generation;
    end if;
    update chat_sessions set answering_generation_id = null
    where id = session.id and answering_token = (asked ->> 'token')::uuid;
    return jsonb_build_object('kind', 'refused', 'by', begun.refused_by, 'retry_after', begun.retry_after);
  end if;
  if session.tutor_context is not null then context := context || jsonb_build_object('tutor', session.tutor_context); end if;
  return jsonb_build_object(
    'kind', 'make', 'generation', the_generation, 'attempt', attempt, 'call', begun.call, 'context', context,
    'exchanges', exchanges, 'is_aside', session.aside_of_id is not null);
end;
$$;

-- The questions and answers of a locked path.
create or replace function questions_and_answers_of_path(path bigint[]) returns json language sql stable as $$
  select coalesce(json_agg(json_strip_nulls(
           json_build_object('question', message, 'answer', answer, 'key', question_key,
                             'move', case when is_tutor_move_message(message) then message end)) order by id), '[]')
  from cache_nodes where id = any (path)
$$;

-- For the lease holder; counts as a heartbeat. Returns whether the learner wants it to stop; no row, and no write,
-- if the lease is lost.
create or replace function append_chunks_and_renew_lease(
  the_generation bigint, maker uuid, first integer, the_chunks jsonb
) returns table (stop_requested boolean) language sql as $$
  with mine as (
    update generations set lease_until = least(clock_timestamp() + producer_lease_duration(), maker_until)
    where id = the_generation and token = maker and state = 'writing' and maker_until > clock_timestamp()
    returning id, attempt, stop_requested
  ), piece as (
    insert into generation_pieces (generation_id, attempt, first_chunk, chunks)
    select id, attempt, first, the_chunks from mine
    on conflict do nothing
  )
  select stop_requested from mine
$$;

-- For the answers a process produces and the sessions it listens in. Returns the producer leases that still hold. A
-- locked row is renewed with the next heartbeat.
create or replace function renew_producer_and_listener_leases(
  the_generations bigint[], makers uuid[], the_sessions bigint[], listeners uuid[]
) returns table (generation bigint, stop_requested boolean) language sql as $$
  with listening as (
    select s.id from chat_sessions as s
    join unnest(the_sessions, listeners) as mine (id, token) on mine.id = s.id and mine.token = s.answering_token
    order by s.id for no key update of s skip locked
  ), followed as (
    update chat_sessions as s set answering_until = least(now() + listener_lease_duration(), s.answering_since + answer_time_limit())
    from listening where listening.id = s.id
  ), making as (
    select g.id from generations as g
    join unnest(the_generations, makers) as mine (id, token) on mine.id = g.id and mine.token = g.token
    where g.state = 'writing'
    order by g.id for no key update of g skip locked
  ), made as (
    update generations as g set lease_until = least(clock_timestamp() + producer_lease_duration(), g.maker_until)
    from making where making.id = g.id
  )
  select g.id, g.stop_requested from generations as g
  join unnest(the_generations, makers) as mine (id, token) on mine.id = g.id and mine.token = g.token
  where g.state = 'writing' and g.maker_until > clock_timestamp()
$$;

-- `answer` has the `chunks`, the `question` with its `choices` and `key`, the `stop` of a partial answer, and the
-- `checks` that it failed. A complete answer of a class that failed none becomes a node: the first write wins.
-- Idempotent per token.
--
-- No row: the lease is lost, and only the call ends with its usage. `answer_input` and `answer_output` in `used`
-- are the totals of several calls.
create or replace function finish_generation_and_store_answer(
  the_generation bigint, maker uuid, answer jsonb, the_call bigint, used jsonb
) returns table (
  chunks jsonb, answer_id bigint, answered_at timestamptz, meta jsonb, has_key boolean, carried jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  the_chunks jsonb := answer -> 'chunks';
  the_question jsonb := nullif(answer -> 'question', 'null');
  the_choices jsonb := nullif(answer -> 'choices', 'null');
  the_key jsonb := nullif(answer -> 'key', 'null');
  the_stop text := answer ->> 'stop';
  the_checks jsonb := nullif(answer -> 'checks', 'null');
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
  -- A class's answer has no session and may have a parent node.
  if not found then
    perform from cache_nodes where id = (select parent_id from generations where id = the_generation) for key share;
  end if;
  select * into made from generations where id = the_generation and token = maker and state <> 'failed' for update;
  if not found then
    perform end_llm_call_and_count_usage(the_call, 'lost', used);
    return;
  end if;

  if made.state = 'writing' then
    made.chunks := the_chunks;
    made.question := the_question;
    made.question_key := the_key;
    if made.move is not null then
      if made.question_id is null then
        select node.question, node.question_key into made.question, made.question_key
        from cache_nodes as node where node.id = made.parent_id;
      else
        select last.question, last.question_key into made.question, made.question_key
        from question_of_last_answer_before(made.session_id, made.question_id) as last;
      end if;
    end if;
    if made.question_id is null and the_stop is null and the_checks is null then
      -- If staff pinned an answer there during generation, the pin is the answer.
      perform lock_or_try_lock_answer_pins_shared(made.content_item_id, true);
      select * into pin from answer_pin_of_message_below_node(made.content_item_id, made.parent_id, made.message);
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
        pin.id is null and exists (
          select from content_items where id = made.content_item_id and tutor_mode = 'reviewed'),
        exists (select from llm_calls where id = the_call and purpose = 'warm'))
      on conflict (node_key) do update set last_used_at = node.last_used_at
      returning node.id, node.chunks, node.question into made.node_id, made.chunks, made.question;
    end if;
    with dropped as (delete from generation_pieces where generation_id = the_generation)
    update generations as ended set
      state = 'complete', chunks = made.chunks, question = made.question, question_key = made.question_key,
      choices = case when made.question_key is not null then the_choices end,
      stop = the_stop, checks = the_checks, node_id = made.node_id,
      input_tokens = tokens_in, output_tokens = tokens_out
    where id = the_generation
    returning ended.* into made;
    if session.answering_message_id = made.question_id then
      told := store_answer_in_waiting_sessions(
        made, null, false, array[session.id], array[session.answering_token], array[made.question_id]);
    end if;
    -- Prunes as many as end, in fewer statements.
    if the_generation % 10 = 0 then perform delete_ended_generations(20); end if;
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
    cross join lateral end_waiting_turns_of_generation(
      made.id, array[s.id], array[s.answering_token], array[made.question_id]) as closed
    where s.id = made.session_id and s.answering_message_id = made.question_id;
  end if;
  is_counted := end_llm_call_and_count_usage(
    the_call, case the_stop when 'malformed' then 'complete' else coalesce(the_stop, 'complete') end, used);
  return next;
end;
$$;

-- After the first failure the producer starts over with another `call`. It fails for everyone after the second
-- failure, or if the provider asks for a pause of `seconds`; 0 means that no retry can succeed. Returns the state;
-- idempotent. No row: the lease is lost.
create or replace function retry_or_fail_generation(
  the_generation bigint, maker uuid, failed_attempt integer, the_call bigint, used jsonb, seconds integer,
  how text
) returns table (state text, call bigint) language plpgsql as $$
#variable_conflict use_column
declare
  is_failing boolean;
  again llm_calls;
begin
  update generations set
    failures = failures + 1, attempt = attempt + 1,
    state = case when failures > 0 or seconds is not null then 'failed' else 'writing' end,
    retry_after = seconds,
    lease_until = least(clock_timestamp() + producer_lease_duration(), maker_until)
  where id = the_generation and token = maker and state = 'writing' and attempt = failed_attempt;
  is_failing := found;
  if is_failing then
    delete from generation_pieces where generation_id = the_generation;
    perform delete_ended_generations(10);
  end if;
  perform end_llm_call_and_count_usage(the_call, how, used);
  if is_failing and exists (select from generations as g where g.id = the_generation and g.state = 'writing') then
    -- The repeated call skips the budgets: a class may be waiting.
    insert into llm_calls (
      university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens, purpose, warming_id)
    select university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens, purpose, warming_id
    from llm_calls where id = the_call
    returning * into again;
    update generations set call_id = again.id where id = the_generation;
    insert into tutor_months as used (university_id, month, tokens)
    select again.university_id, current_budget_month(), again.reserved_tokens where again.university_id is not null
    on conflict (university_id, month) do update set tokens = used.tokens + excluded.tokens;
  end if;
  return query
    select g.state, g.call_id from generations as g
    where g.id = the_generation and g.token = maker and g.attempt = failed_attempt + 1;
end;
$$;

-- Ten minutes after: they have no listeners.
create or replace function delete_ended_generations(most integer) returns integer language sql as $$
  with dropped as (
    delete from generations where id = any (array(
      select id from generations
      where created_at < now() - interval '10 minutes'
        and (state <> 'writing' or lease_until < now() - interval '1 minute')
      order by created_at limit most for update skip locked))
    returning id
  )
  select count(*)::integer from dropped
$$;
