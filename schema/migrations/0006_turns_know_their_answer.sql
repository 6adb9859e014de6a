set local check_function_bodies = off;
--> statement-breakpoint
drop function abandon_turn(integer,uuid);
--> statement-breakpoint
drop function shared_path(integer);
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD COLUMN "answering_generation_id" integer;
--> statement-breakpoint
-- What must always hold of the tree of shared answers and of the answers in the making: a row for each thing that does
-- not. Tests ask it after every kind of traffic, and an operator may ask it at any time.
create or replace function cache_tree_violations() returns table (rule text, node_id integer, session_id integer)
language sql stable as $$
  select 'a child is of its parent''s topic', child.id, null::integer
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
  from cache_nodes where joined_text(chunks) = ''
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
    where told.session_id = session.id and told.cache_node_id = node.id and told.content = joined_text(node.chunks))
union all
  select 'an answer answers a question of its own session', null, answer.session_id
  from chat_messages as answer left join chat_messages as question on question.id = answer.in_reply_to_id
  where answer.role = 'assistant'
    and (question.role is distinct from 'user' or question.session_id is distinct from answer.session_id);
$$;
--> statement-breakpoint
-- Asks for the answer to an open message of a session: `is_shared` for everyone on the path below `the_parent`, else
-- for the session alone. Answered is one of:
-- - `answer_id`: the tree had it by now, and the exchange is stored;
-- - `path_gone`: what the message followed was purged or replaced: there is no such path, and the session leaves the
--   tree;
-- - `generation`: the answer in the making to follow. Whoever `is_maker` also has to make it, from `context` and
--   `exchanges`: the path from the root, or the session's answered history.
-- No row: the session is not open with that message any more.
create or replace function claim_answer(
  the_session integer, the_token uuid, is_shared boolean, the_parent integer, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision
) returns table (
  generation integer, is_maker boolean, attempt integer, path_gone boolean, context json, exchanges json,
  answer_id integer, answered_at timestamptz, meta jsonb, chunks jsonb
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
    'input_tokens', made.input_tokens, 'output_tokens', made.output_tokens));
  return query
    select stored.id, stored.created_at, stored.content, the_meta
    from store_answer(the_session, the_question, made.chunks, the_meta, made.question_id is null, made.node_id, false)
      as stored;
end;
$$;
--> statement-breakpoint
-- Ends an answer whole, or as far as it came where `the_stop` says why. An answer for a class that came to its end
-- becomes a node: the first write wins, and is then the answer. A private answer is stored with its question.
-- Asked again with the same token it answers the same. No row: the lease is lost, and nothing was written.
create or replace function finish_generation(
  the_generation integer, maker uuid, the_chunks jsonb, the_question jsonb, the_choices jsonb, the_stop text,
  tokens_in integer, tokens_out integer
) returns table (chunks jsonb, answer_id integer, answered_at timestamptz, meta jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  made generations;
begin
  perform from cache_nodes where id = (select parent_id from generations where id = the_generation) for key share;
  perform from chat_sessions where id = (select session_id from generations where id = the_generation) for update;
  select * into made from generations where id = the_generation and token = maker and state <> 'failed' for update;
  if not found then return; end if;

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
  return next;
end;
$$;
--> statement-breakpoint
-- The nodes from the root down to a node, held, so that no text of the path is replaced before the answer that is made
-- from it can be seen by whoever replaces it. The node itself is missing where it is gone.
create or replace function hold_path(the_node integer) returns integer[] language sql as $$
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
-- Holds a node and all that are below it, so that none is told, answered below or stood upon from here on.
create or replace function hold_subtree(the_node integer) returns void language plpgsql as $$
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
--> statement-breakpoint
-- Opens a turn of the person whom a valid token names: stores their message with what it does to the session and to
-- their streak, and answers it where the tree holds the answer. Else it takes the session's lease, and reads what
-- answering takes. With `the_question` it takes up a message again that was stored before and not answered: nothing
-- is stored, and who listens to it already is joined, unless the answer that they wait for has failed.
--
-- `the_message` is the normal form of `Start.` or of an answer to a question; null for what is on no path. Where the
-- answer under the cursor asks a question, only what it offers is on the path, and under the name that the tree keeps
-- it by. What was just answered and is said again is answered again.
--
-- No row: there is no such person. `refusal` says why nothing was done: 'inactive person', 'no such session', 'not
-- theirs', 'sent before' (with the message, and its answer if it has one), 'being answered', 'answered' (by the time it
-- was taken up again), or 'another time zone', when `today` is not the day in their zone.
create or replace function open_turn(
  the_session integer, the_person integer, the_content text, the_message text, the_client_id text,
  the_question integer, the_token uuid, default_model text, tutor_prompt text, deepest integer, the_zone text,
  today date, moment timestamptz
) returns table (
  refusal text, time_zone text, message_id integer,
  -- Of an answer that is there.
  answer_id integer, answered_at timestamptz, meta jsonb, chunks jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id integer, message text, model text, generation integer, graph json
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
  university integer;
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
       university, shared, parent_id, message, model, leaves_tree, tutor_id, tutor_name, tutor_version, fingerprint,
       content_print
  from users as person
  left join (
    chat_sessions as s
    join content_items as item on item.id = s.content_item_id
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
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
  where person.id = the_person;
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
    perform record_activity(the_person, 'asked', 'content_item', item_id, university, item_id, null, moment, today);
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
        updated_at = case when node is null then s.updated_at else now() end
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
  select question, answer, now(), said.meta into message_id, answer_id, answered_at, meta from said;

  if node is null and generation is null and tutor_id is not null then
    select json_build_object('root', tutor_id, 'prompts', reached.prompts, 'links', reached.links) into graph
    from reached_prompts(array[tutor_id], 0, deepest) as reached;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- Purges a node with all that are below it, and with what is just being made from them. Sessions that stood there stand
-- before the root again.
create or replace function purge_node(the_node integer) returns void language plpgsql as $$
begin
  perform hold_subtree(the_node);
  delete from cache_nodes where id = the_node;
end;
$$;
--> statement-breakpoint
-- Gives an answer up whose maker's time is up: whoever waits for it may make it at once.
create or replace function release_generation(the_generation integer, maker uuid) returns void language sql as $$
  -- Instants are kept to the millisecond, and rounded.
  update generations set lease_until = clock_timestamp() - interval '1 millisecond'
  where id = the_generation and token = maker and state = 'writing'
$$;
--> statement-breakpoint
-- A sign of life from a process: of the answers that it makes, and of the sessions in which someone listens. Answers
-- the makers' leases that still hold. A row that someone else is just writing gets its sign with the next.
create or replace function renew_leases(
  the_generations integer[], makers uuid[], the_sessions integer[], listeners uuid[]
) returns table (generation integer, stop_requested boolean) language sql as $$
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
-- Replaces a node's answer. What was made from the former text goes, unless `keep_children`, and so does what is just
-- being made from it; sessions that heard the former text and stood there stand before the root again.
create or replace function replace_answer(
  the_node integer, the_answer text, the_question jsonb, the_choices jsonb, editor integer, keep_children boolean
) returns void language plpgsql as $$
begin
  if not keep_children then perform hold_subtree(the_node); end if;
  update cache_nodes
  set chunks = jsonb_build_array(the_answer), question = the_question, choices = the_choices,
      edited_by = editor, edited_at = clock_timestamp(), children_kept = keep_children
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
-- The questions and answers of a path, as they are once it is held.
create or replace function shared_path(path integer[]) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('question', message, 'answer', joined_text(chunks)) order by id), '[]')
  from cache_nodes where id = any (path)
$$;
--> statement-breakpoint
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
  set cache_node_id = coalesce(standing, s.cache_node_id), updated_at = now(), answering_message_id = null,
      answering_generation_id = null, answering_since = null, answering_token = null, answering_until = null
  where s.id = the_session;
  return query
    insert into chat_messages as m (session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id)
    values (the_session, 'assistant', joined_text(the_chunks), the_meta, the_question, on_path, standing)
    returning m.id, m.created_at, m.content;
end;
$$;
--> statement-breakpoint
set local check_function_bodies = on;
