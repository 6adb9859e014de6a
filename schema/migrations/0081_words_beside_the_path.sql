-- in steps
-- Conversations have names and asides. Indexes and the reference are made while requests go on.
set statement_timeout = 0;
--> statement-breakpoint
set lock_timeout = '500ms';
--> statement-breakpoint
set check_function_bodies = off;
--> statement-breakpoint
alter table chat_sessions
  add column if not exists title varchar(255),
  add column if not exists aside_of_id bigint,
  add column if not exists path_end_id bigint,
  add column if not exists closed_at timestamp (3) with time zone;
--> statement-breakpoint
-- each
select format('drop index concurrently if exists %s', indexrelid::regclass) from pg_index
where not indisvalid and indrelid = 'chat_sessions'::regclass;
--> statement-breakpoint
create index concurrently if not exists chat_sessions_aside_of_id_index on chat_sessions using btree (aside_of_id)
where aside_of_id is not null;
--> statement-breakpoint
create unique index concurrently if not exists chat_sessions_open_aside_key on chat_sessions using btree (aside_of_id)
where aside_of_id is not null and closed_at is null;
--> statement-breakpoint
-- each
select 'alter table chat_sessions add constraint chat_sessions_aside_of_id_chat_sessions_id_fk
  foreign key (aside_of_id) references chat_sessions (id) on delete cascade not valid'
where not exists (select from pg_constraint where conname = 'chat_sessions_aside_of_id_chat_sessions_id_fk');
--> statement-breakpoint
alter table chat_sessions validate constraint chat_sessions_aside_of_id_chat_sessions_id_fk;
--> statement-breakpoint
-- The answered questions of a session before a message, oldest first, of an aside those on the path before it too. What
-- the model refused is not told it again.
create or replace function answered_history(the_session bigint, before_message bigint) returns json
language sql stable as $$
  select coalesce(
    json_agg(json_build_object('question', question.content, 'answer', answer.content) order by question.id), '[]')
  from (
    select id, content from chat_messages where session_id = the_session and id < before_message
    union all
    select id, content from path_before_aside(the_session)
  ) as question
  join chat_messages as answer on answer.in_reply_to_id = question.id
  where answer.content <> '' and answer.meta ->> 'stop' is distinct from 'refusal'
$$;
--> statement-breakpoint
-- Makes room for another aside of a session: closes the one that is open. Answers the last message of the path that the
-- new one begins with; null where nothing was said yet, or the session is gone. Two at once go one after the other.
create or replace function begin_aside(the_session bigint) returns bigint language plpgsql as $$
begin
  perform from chat_sessions where id = the_session for no key update;
  update chat_sessions set closed_at = service_now() where aside_of_id = the_session and closed_at is null;
  return (select max(id) from chat_messages where session_id = the_session);
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
    doomed := lock_own_words(next.user_id, next.content_item_id);
    delete from generations where id in (select answers_to_own_words(next.user_id, doomed, next.content_item_id));
    delete from cache_nodes where id = any (doomed);
    delete from chat_sessions where id in (
      select id from chat_sessions
      where user_id = next.user_id and content_item_id = next.content_item_id
      -- A conversation takes its asides along, however many they are: they go first.
      order by aside_of_id is null, id limit most);
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
-- Whether the tutor of a course says nothing to a person: while they have an exam of the course open, and while they have
-- one open whose `tutor_scope` is the whole university.
create or replace function is_tutor_silenced(person integer, course integer, moment timestamptz) returns boolean
language sql stable as $$
  select exists (
    select from quiz_attempts as one
    join content_items as exam on exam.id = one.content_item_id
    where one.user_id = person and one.is_exam and one.submitted_at is null and not is_over(one, moment)
      and (exam.course_id = course or exam.data_json ->> 'tutor_scope' = 'university'
        and exam.university_id = (select university_id from courses where id = course))
  )
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
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `item_access` (outline.sql), 'under exam',
-- 'sent before' (with the message, and its answer if it has one), 'closed' (an aside to new words), 'being answered', 'answered' (by the time it was taken
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
         s.answering_generation_id, s.answering_token, s.answering_until, s.closed_at
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
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from) as gate
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
      when is_tutor_silenced(the_person, topic.course_id, moment) then 'under exam'
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
-- The messages with which an aside begins: of the session whose aside it is those from the last greeting on, which is
-- where a path begins, up to where the aside left it. None for any other session.
create or replace function path_before_aside(the_session bigint) returns setof chat_messages language sql stable as $$
  select said.* from chat_sessions as aside
  join chat_messages as said on said.session_id = aside.aside_of_id and said.id <= aside.path_end_id
  where aside.id = the_session and said.id >= coalesce((
    select max(start.id) from chat_messages as start
    where start.session_id = aside.aside_of_id and start.id <= aside.path_end_id
      and start.role = 'user' and btrim(start.content) = 'Start.'), 0)
$$;
--> statement-breakpoint
-- A conversation counts on the day on which it was opened, and lasts from its first message to its last. An aside is none
-- of its own: it left the conversation that it is beside on its path.
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
    ('divergences', case when talk.cache_state = 'diverged' then 1 end)) as counted (measure, amount)
  where talk.aside_of_id is null;
--> statement-breakpoint
reset check_function_bodies;
