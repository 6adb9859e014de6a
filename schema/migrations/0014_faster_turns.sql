set local check_function_bodies = off;
--> statement-breakpoint
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
--> statement-breakpoint
-- Why a person may not work with what is in a module at that moment: 'hidden', 'enrollment required', 'not available
-- yet'. Null when they may, as staff of the course always do. The person is null for whoever is not signed in. An item
-- may be inactive, or available later than its module.
create or replace function gate_of_module(
  the_module integer, person integer, moment timestamptz, is_active boolean default true,
  item_available_from timestamptz default null
) returns text language plpgsql stable as $$
declare
  course record;
  step record;
  required integer[] := '{}';
  starts timestamptz := item_available_from;
  is_shown boolean := is_active;
begin
  if the_module is null then return null; end if;
  -- A step at a time: most modules are below none, and a recursive query costs more to begin than this does to do.
  select the_module as above_id into step;
  while step.above_id is not null loop
    select m.course_id, m.parent_module_id as above_id, m.is_published, m.available_from, m.requires_module_ids
    into step from modules as m where m.id = step.above_id;
    is_shown := is_shown and step.is_published;
    starts := greatest(starts, step.available_from);
    required := required || step.requires_module_ids;
  end loop;
  select c.id, c.access, c.is_published into course from courses as c where c.id = step.course_id;
  is_shown := is_shown and course.is_published;
  return case
    -- Most is there for everyone, and nothing else is looked at.
    when is_shown and course.access = 'open' and required = '{}' and coalesce(starts <= moment, true) then null
    when is_staff_of_course(person, course.id) then null
    when not is_shown then 'hidden'
    when course.access <> 'open' and not has_place(person, course.id) then 'enrollment required'
    when starts > moment or unmet_modules(person, course.id, required) <> '{}' then 'not available yet'
  end;
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
-- such session', 'not theirs', one of `gate_of_item` (outline.sql), 'under exam' (of the course), 'sent before' (with the
-- message, and its answer if it has one), 'being answered', 'answered' (by the time it was taken up again), or 'another
-- time zone', when `today` is not the day in their zone.
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
-- Which prompt the tutor of a content type follows: the type's own (`tutor-quiz`), where a version of it is labelled
-- production, else the one for all (`tutor`). No row: there is neither. With `moved`, as it would be if that name's
-- label stood on the version `target`.
create or replace function tutor_prompt_of(
  content_type text, common text, moved text default null, target integer default null
) returns setof prompts language sql stable as $$
  select prompts.* from prompts where id = coalesce(
    case when moved = common || '-' || content_type then target
    else (select prompt_id from prompt_labels where name = common || '-' || content_type and label = 'production') end,
    case when moved = common then target
    else (select prompt_id from prompt_labels where name = common and label = 'production') end
  )
$$;
--> statement-breakpoint
set local check_function_bodies = on;
