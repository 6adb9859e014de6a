set local check_function_bodies = off;
--> statement-breakpoint
drop function current_offering(integer,integer);
--> statement-breakpoint
drop function record_activity(integer,text,text,integer,integer,integer,integer,timestamp with time zone,date);
--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "answer" text GENERATED ALWAYS AS (joined_text(chunks)) STORED NOT NULL;
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
create or replace function clock_offset() returns interval language sql stable parallel safe as $$
  select case when current_setting('service.clock_offset', true) <> ''
    then current_setting('service.clock_offset')::interval else interval '0' end
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
  above integer := the_module;
  required integer[] := '{}';
  starts timestamptz := item_available_from;
  is_shown boolean := is_active;
begin
  if the_module is null then return null; end if;
  -- A step at a time: most modules are below none, and a recursive query costs more to begin than this does to do.
  while above is not null loop
    select m.course_id, m.parent_module_id, m.is_published, m.available_from, m.requires_module_ids
    into step from modules as m where m.id = above;
    above := step.parent_module_id;
    is_shown := is_shown and step.is_published;
    starts := greatest(starts, step.available_from);
    required := required || step.requires_module_ids;
  end loop;
  select c.id, c.access, c.is_published into course from courses as c where c.id = step.course_id;
  is_shown := is_shown and course.is_published;
  return case
    -- Most is there for everyone, and nothing else is looked at.
    when is_shown and lock_reason(course.access <> 'open', starts, required, required, moment) is null then null
    when is_staff_of_course(person, course.id) then null
    when not is_shown then 'hidden'
    else case lock_reason(course.access <> 'open' and not has_place(person, course.id), starts, required,
        unmet_modules(person, course.id, required), moment)
      when 'enrollment_required' then 'enrollment required'
      when 'not_available_yet' then 'not available yet'
      when 'modules_incomplete' then 'not available yet' end
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
  node integer;
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
  where person.id = the_person and (person.token_version = the_version or not person.is_active);
  if not found then return; end if;

  if not active then
    refusal := 'inactive person';
  elsif session.id is null then
    select case when count(*) = 0 then 'no such session' else 'not theirs' end into refusal
    from chat_sessions where id = the_session;
  else
    select item.course_id, item.university_id, campus.is_active, course.cache_enabled, course.llm_model, type.name as type,
           gate_of_module(item.module_id, the_person, moment, item.is_active, item.available_from) as gate
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as campus on campus.id = item.university_id
    where item.id = session.content_item_id;
    refusal := case
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
      (open_turn.message_id, the_session, 'user', the_content, '{}'::jsonb, null::int, false, null::int, the_client_id),
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
-- Records what a person did to learn, beside the thing itself, so that neither happens without the other: one event,
-- and their streak. The streak counts days in the person's own time zone, where `moment` is on the day `today`: the
-- same day keeps it, the next adds one, a gap starts again at 1. A day before the last active one (a clock set back, a
-- move west) keeps it as well. Whoever has read their last active day says so: on the same day there is nothing to look up.
--
-- Locks: the person, when the day is new to them.
create or replace function record_activity(
  person integer, verb text, object_type text, object_id integer, university integer, content_item integer,
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
-- The questions and answers of a path, as they are once it is held.
create or replace function shared_path(path integer[]) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('question', message, 'answer', answer) order by id), '[]')
  from cache_nodes where id = any (path)
$$;
--> statement-breakpoint
-- The offering in which a person takes a course: the one that they enrolled in last and did not drop.
create or replace view current_offerings as
  select distinct on (mine.user_id, run.course_id) mine.user_id, run.course_id, run.id as course_offering_id
  from enrollments as mine join course_offerings as run on run.id = mine.course_offering_id
  where mine.status <> 'dropped' order by mine.user_id, run.course_id, mine.enrolled_at desc, mine.id desc;
--> statement-breakpoint
set local check_function_bodies = on;
