-- A turn of a conversation with the tutor: opened with the learner's message, closed with the answer, by one function
-- each. What they do could stand in statements of the service: with its many parts such a statement took ten times as
-- long to plan as to run, at each message. PostgreSQL plans the statements of a function once for each connection.
--
-- An open turn is held by whoever listens to its answer, for 9 seconds without a sign of life and for as long as an
-- answer may take at most; several requests may listen, the second one to resume what the first one lost.
--
-- Locks: see "cache-tree.sql", where their one order stands.

create or replace function listener_lease() returns interval language sql immutable as $$
  select interval '9 seconds'
$$;

-- How long one answer may take: LLM calls that failed and were repeated included.
create or replace function answer_limit() returns interval language sql immutable as $$
  select interval '150 seconds'
$$;

create or replace function milliseconds_since(moment timestamptz) returns numeric language sql volatile as $$
  select round(extract(epoch from clock_timestamp() - moment) * 1000)
$$;

create or replace function joined_text(chunks jsonb) returns text language sql immutable as $$
  select coalesce(string_agg(chunk, '' order by number), '')
  from jsonb_array_elements_text(chunks) with ordinality as part (chunk, number)
$$;

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

-- The same of many turns that waited for one answer, as a class does: one after the other, by session.
create or replace function close_turns(
  the_generation integer, the_sessions integer[], the_tokens uuid[], the_questions integer[]
) returns table (question integer, id integer, created_at timestamptz, content text, meta jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  turn record;
begin
  for turn in
    select * from unnest(the_sessions, the_tokens, the_questions) as waiting (session, token, question) order by session
  loop
    return query select turn.question, closed.*
      from close_turn(turn.session, turn.token, turn.question, the_generation) as closed;
  end loop;
end;
$$;

-- Leaves a turn without an answer; the learner's message stays, and can be sent again. Where there is no answer in the
-- making that it waits for, or that one has failed for everyone, the turn ends. Else its lease lapses (instants are kept
-- to the millisecond, and rounded), and whoever still listens renews it with their next sign of life.
create or replace function leave_turn(the_session integer, the_token uuid) returns void language sql as $$
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

-- Stops the private answer that a person's session is waiting for. Its maker is told so; before there is one, it ends
-- without a word. Answers the message, and whether its answer is private; no row: no answer is being written.
create or replace function stop_turn(the_session integer, the_person integer)
returns table (message_id integer, content text, is_private boolean) language plpgsql as $$
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
