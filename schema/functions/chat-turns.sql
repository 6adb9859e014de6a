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

-- Like others that each message calls, not in SQL alone, whose functions take longer to begin than to run.
create or replace function joined_text(chunks jsonb) returns text language plpgsql immutable as $$
begin
  return array_to_string(array(select jsonb_array_elements_text(chunks)), '');
end $$;

-- Whether a message, as the tree keeps it, answers a question that the session was asked.
create or replace function was_offered(the_session bigint, the_message text) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from chat_messages as told cross join lateral answers_offered(told.question) as answer
    where told.session_id = the_session and told.role = 'assistant' and told.question is not null
      and answer = the_message);
end $$;

-- The questions that a session was asked, each once; null for none.
create or replace function questions_asked(the_session bigint) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_agg(distinct question) from chat_messages
    where session_id = the_session and role = 'assistant' and question is not null);
end $$;

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
-- The token reaches the whole account, or `the_reach`, a university, of which a launch reaches `the_course` alone
-- (token-reach.sql); `the_sign_in` is when it was signed in by, in seconds since 1970.
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `item_access` (outline.sql), 'under exam',
-- 'sent before' (with the message, and its answer if it has one), 'closed' (an aside to new words), 'being answered', 'answered' (by the time it was taken
-- up again), 'another time zone', when `today` is not the day in their zone, 'no such move', or 'what was asked', with the `questions`.
create or replace function open_turn(
  the_session bigint, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question bigint, the_token uuid, default_model text, allowed_models text[], tutor_prompt text,
  deepest integer, the_zone text, today date, moment timestamptz, the_reach integer, the_loose_message text,
  is_offered boolean default null, the_move text default null, the_course integer default null,
  the_sign_in bigint default null
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
  candidate record;
  hash text;
  key text;
  node bigint;
  answer text;
  question jsonb;
  reached record;
  has_asked_key boolean;
begin
  -- Many small statements, of which each turn runs those that it needs: what a statement costs here is hardly what it
  -- finds, but how much it is made of. What is read after the lock is what the message before this one left.
  select s.id, s.content_item_id, s.item_fingerprint, s.surroundings_fingerprint, s.cache_node_id,
         s.cache_state, s.prompt_id, s.rollout_id, s.rollout_arm, s.answering_message_id, s.answering_generation_id, s.answering_token, s.answering_until, s.closed_at
  into session
  from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;
  select person.is_active, person.time_zone, person.last_activity_date into active, time_zone, last_active
  from users as person
  where person.id = the_person and person.erased_at is null
    and (person.token_version = the_version or not person.is_active)
    and not (the_reach is not null and has_token_ended(the_reach, the_person, the_sign_in));
  if not found then return; end if;

  if not active then
    refusal := 'inactive person';
  elsif session.id is null then
    select case when count(*) = 0 then 'no such session' else 'not theirs' end into refusal
    from chat_sessions where id = the_session;
  else
    select item.course_id, item.university_id, university.is_active, course.cache_enabled, course.llm_model, type.name as type, item.tutor_mode,
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from, the_item => session.content_item_id) as gate,
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
      when the_reach <> topic.university_id or the_course <> topic.course_id then 'out of reach'
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
           case when again then stands.parent_id else stands.id end, stands.question_key is not null
    into message, parent_id, has_asked_key
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
    -- For as long as its rollout runs: when that has ended the conversation goes on with what teaches all others.
    if session.rollout_arm = 'candidate' then
      select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
      into candidate from prompt_rollouts as running join prompts as prompt on prompt.id = running.candidate_id
      where running.id = session.rollout_id and running.state = 'running' and running.base_id = tutor.id;
      if found then tutor := candidate; end if;
    end if;
  else
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from prompts as prompt where prompt.id = session.prompt_id;
  end if;
  model := tutor_model(topic.llm_model, tutor.config, allowed_models, default_model);

  if shared then
    hash := sha256_hex(message);
    key := answer_key(session.item_fingerprint, session.surroundings_fingerprint, tutor.uses_surroundings);
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
          tutor.plain_fingerprint, key, false);
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
    -- An assignment of what a function answers is no statement of its own, as `perform` is.
    last_active := record_activity(the_person, 'asked', jsonb_build_object('type', 'content_item', 'id', session.content_item_id),
      topic.university_id, topic.offering, moment, today, last_active);
    -- What a class shares answers the node under the cursor, whose question may have no key.
    if not shared or has_asked_key is not false then
      step := record_step(
        the_session, the_person, session.content_item_id, topic.offering, the_message, the_loose_message);
    end if;
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
  question jsonb;
begin
  select n.id, n.question into standing, question from cache_nodes as n where n.id = the_node and n.chunks = the_chunks;
  if standing is not null then insert into cache_visits (node_id, hit) values (standing, is_hit); end if;
  update chat_sessions as s
  set cache_node_id = coalesce(standing, s.cache_node_id), updated_at = service_now(), answering_message_id = null,
      answering_generation_id = null, answering_since = null, answering_token = null, answering_until = null
  where s.id = the_session;
  return query
    insert into chat_messages as m (
      session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, question)
    values (the_session, 'assistant', joined_text(the_chunks), the_meta, the_question, on_path, standing, question)
    returning m.id, m.created_at, m.content;
end;
$$;

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
  told chat_messages;
begin
  perform from cache_nodes where id = (select node_id from generations where id = the_generation) for share;
  perform from chat_sessions where id = any (the_sessions) order by id for update;
  select * into made from generations as g where g.id = the_generation and g.state = 'complete';
  if found then
    -- What waits for staff to approve it is an answer of their own to those who heard it in the making.
    select n.id, does_node_wait(n.id) into standing, waits
    from cache_nodes as n where n.id = made.node_id and n.chunks = made.chunks;
    if waits then standing := null; end if;
    told := tell_turns(
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

-- Stores an answer that has ended in the sessions that wait for it and have no answer yet, and ends their turns; `standing`
-- is the node that holds it. Whoever calls it holds the node, then the sessions. Answers the message of one of them; null:
-- none waits for it any more.
create or replace function tell_turns(
  made generations, standing bigint, is_on_path boolean, the_sessions bigint[], the_tokens uuid[], the_questions bigint[]
) returns chat_messages language plpgsql as $$
declare
  told chat_messages;
begin
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
  ), stored as (
    insert into chat_messages (
      session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, question, question_key, choices)
    select waiting.id, 'assistant',
           -- As `joined_text` has it, without another statement.
           array_to_string(array(select jsonb_array_elements_text(made.chunks)), ''),
           jsonb_strip_nulls(jsonb_build_object(
             'source', 'llm', 'model', made.model, 'prompt_name', made.prompt_name,
             'prompt_version', made.prompt_version, 'latency_ms', milliseconds_since(waiting.answering_since),
             'stop', made.stop, 'move', made.move, 'path', case when waiting.is_tracking and not is_on_path then 'lost' end,
             'input_tokens', made.input_tokens, 'output_tokens', made.output_tokens,
             'joined', case when not exists (select from llm_calls where message_id = waiting.question) then true end)),
           waiting.question, is_on_path, standing, made.question, case when standing is null then made.question_key end,
           case when standing is null and made.question_key is not null then made.choices end
    from waiting
    returning *
  )
  select * into told from stored limit 1;
  return told;
end;
$$;

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
    select session.cache_state = 'diverged' or not course.cache_enabled
           or (session.cache_node_id is null and not is_start(content))
    into is_private
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
