-- A tutor turn: one function opens it with the learner's message, one closes it with the answer. As statements of the
-- service, planning took ten times as long as running. PostgreSQL plans a function's statements once per connection.
--
-- Each listener holds a lease on the open turn: 9 seconds without a heartbeat, and at most the time limit of an
-- answer. Several requests may listen; a second one resumes what the first one lost.
--
-- Locks: see "cache-tree.sql", which has their one order.

create or replace function listener_lease_duration() returns interval language sql immutable as $$
  select interval '9 seconds'
$$;

-- Covers failed and repeated LLM calls.
create or replace function answer_time_limit() returns interval language sql immutable as $$
  select interval '150 seconds'
$$;

create or replace function milliseconds_since(moment timestamptz) returns numeric language sql volatile as $$
  select round(extract(epoch from clock_timestamp() - moment) * 1000)
$$;

-- In plpgsql because each message calls it: SQL functions take longer to start than to run.
create or replace function joined_text(chunks jsonb) returns text language plpgsql immutable as $$
begin
  return array_to_string(array(select jsonb_array_elements_text(chunks)), '');
end $$;

-- Opens a turn: stores the learner's message, updates session and streak, and answers it if the tree has the answer.
-- Otherwise takes the session's lease and reads what the answer needs.
--
-- `asked` has:
-- - `session`, `person` with the `version` of their tokens, `sign_in` (seconds since 1970), and `reach` and `course`
--   if the token is limited to them (required-identity-provider.sql);
-- - `content`: the message; `client_id`: the client's id for it; `token`: the lease to take; `answers`: the answer
--   whose question it answers;
-- - `question`: a stored, unanswered message to resume. Nothing is stored, and the caller joins its pending
--   generation;
-- - `message`, `loose`, `move` and `offered`: see `resolve_turn_position`;
-- - `prompt`, `models`, `default_model` and `deepest`: how the tutor answers; `moment`, `zone` and `today`: the day
--   of the streak.
--
-- Returns an object by its `kind`:
-- - 'stored': the answer is stored in the session; its `chunks` are JSON text, which the service parses once for a
--   class;
-- - 'open': the turn needs an answer from the `generation`, or from one still to claim, with the `graph` of the
--   prompt;
-- - 'refused': nothing was done, for the reason `why`; with 'another question', the `current` answer asks it;
-- - 'ask': nothing was done. The caller must send the day in `time_zone`, and whether one of the `questions` offers
--   the message, which only the caller compares.
create or replace function open_turn(asked jsonb) returns jsonb
-- A generic plan per connection: otherwise PostgreSQL plans some statements again at each message.
language plpgsql set plan_cache_mode = force_generic_plan as $$
<<turn>>
declare
  topic record;
  said record;
  question bigint := (asked ->> 'question')::bigint;
  is_new boolean;
  reply jsonb;
  place record;
  tutor record;
  known record;
  named record;
  last_active date;
  step text;
begin
  -- Many small statements: each turn runs only those it needs. Assignments avoid the extra statement of `perform`.
  topic := lock_session_and_check_turn_access(asked);
  if topic.refusal is not null then return jsonb_build_object('kind', 'refused', 'why', topic.refusal); end if;

  if asked ->> 'client_id' is not null then
    select m.id, m.content into said
    from chat_messages as m where m.session_id = topic.id and m.client_message_id = asked ->> 'client_id';
    if said.content <> asked ->> 'content' then
      return jsonb_build_object('kind', 'refused', 'why', 'client id taken');
    end if;
    question := coalesce(said.id, question);
  end if;
  if question is null and asked ? 'answers' then
    named := match_answer_named_by_message(asked, topic.id);
    if named.again is null and not named.is_current then
      return jsonb_build_object('kind', 'refused', 'why', 'another question', 'current', named.current);
    end if;
    question := named.again;
  end if;
  is_new := question is null;
  if not is_new then
    reply := (
      select jsonb_build_object(
        'kind', 'stored', 'id', told.id, 'created_at', told.created_at, 'meta', told.meta,
        'chunks', coalesce(replayed.chunks, jsonb_build_array(told.content))::text,
        'has_key', coalesce(told.question_key, replayed.question_key) is not null,
        'carried', case when told.meta ? 'move' then told.question end, 'step', null, 'made', null)
      from chat_messages as told
      left join cache_nodes as replayed on replayed.id = told.cache_node_id and replayed.answer = told.content
      where told.in_reply_to_id = turn.question);
    if reply is not null then return reply; end if;
  end if;
  if is_new and topic.closed_at is not null then return jsonb_build_object('kind', 'refused', 'why', 'closed'); end if;
  if topic.answering_until > now() and (is_new or topic.answering_message_id is distinct from question) then
    return jsonb_build_object('kind', 'refused', 'why', 'being answered');
  end if;

  place := resolve_turn_position(asked, topic, question);
  if place.refusal is not null then return jsonb_build_object('kind', 'refused', 'why', place.refusal); end if;
  if place.questions is not null or topic.time_zone <> asked ->> 'zone' then
    return jsonb_build_object(
      'kind', 'ask', 'time_zone', topic.time_zone, 'questions', place.questions,
      'has_key', coalesce(place.has_key, false), 'is_again', not is_new);
  end if;
  tutor := prompt_version_and_model_of_turn(asked, topic);
  known := find_and_lock_stored_turn_answer(topic, place, tutor);

  if is_new then
    last_active := add_activity_event_and_update_streak(
      topic.user_id, 'asked', jsonb_build_object('type', 'content_item', 'id', topic.content_item_id), topic.university_id,
      topic.offering, (asked ->> 'moment')::timestamptz, (asked ->> 'today')::date, topic.last_activity_date);
    -- A shared message answers the node at the cursor, whose question may have no key.
    if not known.shared or place.has_key is not false then
      step := store_and_grade_tutor_step(
        topic.id, topic.user_id, topic.content_item_id, topic.offering, asked ->> 'message', asked ->> 'loose');
    end if;
    question := nextval('chat_messages_id_seq');
  end if;
  if known.node is not null then return store_message_and_replayed_answer(asked, topic.id, question, is_new, place, known, tutor, step); end if;
  return store_message_and_take_lease(asked, topic, question, is_new, place, known, tutor, step);
end;
$$;

-- Locks the session and reads it with its user and topic. `refusal`: 'ended token', 'inactive person', 'no such
-- session', 'not theirs', 'out of reach', 'own provider', 'inactive university', 'under exam', or a refusal of
-- `item_access_refusal` (outline.sql).
create or replace function lock_session_and_check_turn_access(asked jsonb) returns record language plpgsql as $$
declare
  the_session bigint := (asked ->> 'session')::bigint;
  the_person integer := (asked ->> 'person')::integer;
  the_reach integer := (asked ->> 'reach')::integer;
  topic record;
begin
  -- The next statement must see what was committed during the wait.
  perform from chat_sessions where id = the_session and user_id = the_person for update;
  select s.id, s.user_id, s.content_item_id, s.item_fingerprint, s.surroundings_fingerprint, s.cache_node_id,
         s.prompt_id, s.rollout_id, s.rollout_arm, s.answering_message_id, s.answering_generation_id, s.answering_token,
         s.answering_until, s.closed_at, item.university_id, item.tutor_mode, course.cache_enabled, course.llm_model,
         -- A session that left the tree never returns to it.
         course.cache_enabled and s.cache_state = 'tracking' as is_tracking,
         type.name as type, university.requires_own_provider and the_reach is null as needs_own_provider,
         person.time_zone, person.last_activity_date,
         (select mine.course_offering_id from current_offerings as mine
          where mine.user_id = the_person and mine.course_id = item.course_id) as offering,
         case
           when not person.is_active then 'inactive person'
           when the_reach <> item.university_id or (asked ->> 'course')::integer <> item.course_id then 'out of reach'
           when member.is_active is false then 'inactive person'
           when not university.is_active then 'inactive university'
           else coalesce(
             module_access_refusal(item.module_id, the_person, (asked ->> 'moment')::timestamptz, item.is_active,
                           item.available_from, the_item => item.id),
             case when exists (
               select from open_exams_blocking_tutor(the_person, item.course_id, (asked ->> 'moment')::timestamptz))
             then 'under exam' end)
         end as refusal
  into topic
  from chat_sessions as s
  join users as person on person.id = s.user_id
  join content_items as item on item.id = s.content_item_id
  join content_types as type on type.id = item.content_type_id
  join courses as course on course.id = item.course_id
  join universities as university on university.id = item.university_id
  left join university_members as member on member.university_id = item.university_id and member.user_id = person.id
  where s.id = the_session and s.user_id = the_person and person.erased_at is null
    and (person.token_version = (asked ->> 'version')::integer or not person.is_active)
    and not (the_reach is not null and is_university_token_revoked(the_reach, the_person, (asked ->> 'sign_in')::bigint));
  if found then
    if topic.needs_own_provider then
      select case when count(*) = 0 then 'own provider' else topic.refusal end into topic.refusal
      from user_university_roles where user_id = the_person and role = 'platform_admin';
    end if;
    return topic;
  end if;
  select case
      when not person.is_active then 'inactive person'
      when exists (select from chat_sessions where id = the_session and user_id <> the_person) then 'not theirs'
      else 'no such session'
    end as refusal
  into topic
  from users as person
  where person.id = the_person and person.erased_at is null
    and (person.token_version = (asked ->> 'version')::integer or not person.is_active)
    and not (the_reach is not null and is_university_token_revoked(the_reach, the_person, (asked ->> 'sign_in')::bigint));
  if not found then select 'ended token' as refusal into topic; end if;
  return topic;
end;
$$;

-- For a message that names the answer whose question it answers. `current`: the answer with the session's last question,
-- in an aside before its first one with that of the path. `is_current`: the named answer asks that question; answers to
-- moves repeat a question. `again`: the earlier message with the same choice, which is answered or the newest.
create or replace function match_answer_named_by_message(
  asked jsonb, the_session bigint, out current bigint, out is_current boolean, out again bigint
) language plpgsql stable as $$
declare
  told record;
  asked_in bigint := the_session;
  next_question bigint;
begin
  select max(m.id) into current
  from chat_messages as m where m.session_id = the_session and m.role = 'assistant' and m.question is not null;
  if current is null then
    select m.session_id, m.id into asked_in, current
    from chat_sessions as aside join chat_messages as m on m.session_id = aside.aside_of_id and m.id <= aside.path_end_id
    where aside.id = the_session and m.role = 'assistant' and m.question is not null
    order by m.id desc limit 1;
  end if;
  is_current := false;
  select m.id, coalesce(node.choices, m.choices) as choices into told
  from chat_messages as m left join cache_nodes as node on node.id = m.cache_node_id
  where m.id = (asked ->> 'answers')::bigint and m.session_id in (the_session, asked_in) and m.question is not null;
  if not found then return; end if;
  select min(m.id) into next_question from chat_messages as m
  where m.session_id = the_session and m.id > told.id and m.role = 'assistant' and m.question is not null
    and not m.meta ? 'move';
  is_current := next_question is null and not exists (
    select from chat_messages as m
    where m.session_id = asked_in and m.id > told.id and m.id <= current and m.role = 'assistant'
      and m.question is not null and not m.meta ? 'move');
  select min(said.id) into again
  from chat_messages as said
  left join chat_messages as reply on reply.in_reply_to_id = said.id
  left join cache_nodes as node on node.id = reply.cache_node_id
  where said.session_id = the_session and said.role = 'user' and said.id > told.id
    and (next_question is null or said.id < next_question)
    and (said.content = asked ->> 'content'
         or node.message = coalesce(told.choices ->> (asked ->> 'message'), told.choices ->> (asked ->> 'loose')))
    and (reply.id is not null or not exists (
      select from chat_messages as later where later.session_id = the_session and later.id > said.id));
end $$;

-- `message` in `asked` is the normal form of `Start.` or of an answer to a question; null if it is on no path. If
-- the answer at the cursor asks a question, only the offered answers are on the path. `loose` is the form to
-- compare if `message` does not fit. A repeated message gets the same answer again.
--
-- Without a cursor, a message that the session was offered gets a private answer, and the session stays in the
-- tree. The caller says whether it is `offered`; before that it receives the `questions` to compare. `move` is the
-- name of a message that looks like a move (tutor-moves.sql). `refusal`: 'no such move'.
create or replace function resolve_turn_position(
  asked jsonb, topic record, the_question bigint,
  out refusal text, out message text, out parent_id bigint, out move text, out questions jsonb, out has_key boolean,
  out shared boolean
) language plpgsql stable as $$
#variable_conflict use_column
declare
  the_message text := asked ->> 'message';
  the_loose_message text := asked ->> 'loose';
  taken record;
begin
  if the_message = 'Start.' then
    message := the_message;
  elsif asked ->> 'move' is not null then
    taken := resolve_tutor_move(
      topic.id, case when topic.is_tracking then topic.cache_node_id end, asked ->> 'move', the_message, the_loose_message,
      the_question, (asked ->> 'offered')::boolean);
    refusal := taken.refusal;
    message := taken.message;
    parent_id := taken.parent_id;
    move := taken.move;
    questions := taken.questions;
    has_key := taken.has_key;
  elsif the_message is not null and topic.cache_node_id is not null then
    select case when again then stands.message
                when stands.choices is null then the_message
                else coalesce(stands.choices ->> the_message, stands.choices ->> the_loose_message) end,
           case when again then stands.parent_id else stands.id end, stands.question_key is not null
    into message, parent_id, has_key
    from cache_nodes as stands
    left join cache_nodes as stood on stood.id = stands.parent_id
    cross join lateral (
      select coalesce(
        stands.message = coalesce(stood.choices ->> the_message, stood.choices ->> the_loose_message, the_message)
        and not coalesce(stands.choices ? the_message or stands.choices ? the_loose_message, false), false)
    ) as said (again)
    where stands.id = topic.cache_node_id;
  elsif the_message is not null and topic.is_tracking and asked ->> 'offered' is null then
    select jsonb_agg(distinct told.question) into questions
    from chat_messages as told
    where told.session_id = topic.id and told.role = 'assistant' and told.question is not null;
  end if;
  shared := message is not null and topic.is_tracking;
end;
$$;

-- The version with its `model`; the other fields are null if there is none.
create or replace function prompt_version_and_model_of_turn(asked jsonb, topic record) returns record language plpgsql stable as $$
declare
  tutor record;
  candidate record;
begin
  if topic.prompt_id is not null then
    select one.id, one.name, one.version, one.plain_fingerprint, one.uses_surroundings, one.config, null::text as model
    into tutor from prompts as one where one.id = topic.prompt_id;
  else
    select one.id, one.name, one.version, one.plain_fingerprint, one.uses_surroundings, one.config, null::text as model
    into tutor from tutor_prompt_of_content_type(topic.type, asked ->> 'prompt') as one;
  end if;
  -- Applies while the rollout runs. After it the conversation uses the same version as all others.
  if topic.prompt_id is null and topic.rollout_arm = 'candidate' then
    select one.id, one.name, one.version, one.plain_fingerprint, one.uses_surroundings, one.config, null::text as model
    into candidate from prompt_rollouts as running join prompts as one on one.id = running.candidate_id
    where running.id = topic.rollout_id and running.state = 'running' and running.base_id = tutor.id;
    if found then tutor := candidate; end if;
  end if;
  tutor.model := effective_tutor_model(topic.llm_model, tutor.config, asked -> 'models', asked ->> 'default_model');
  return tutor;
end;
$$;

-- Its node is locked. An answer that awaits approval is not served: the message is then not `shared`.
create or replace function find_and_lock_stored_turn_answer(
  topic record, place record, tutor record
) returns record language plpgsql as $$
declare
  content_key text;
  key bytea;
  known record;
begin
  if not place.shared then
    select null::bigint as node, null::bigint as generation, false as shared into known;
    return known;
  end if;
  content_key := effective_content_fingerprint(topic.item_fingerprint, topic.surroundings_fingerprint, tutor.uses_surroundings);
  key := node_key(
    topic.content_item_id, place.parent_id, place.message, tutor.name, tutor.version, tutor.model,
    tutor.plain_fingerprint, content_key);
  select n.id as node, n.chunks::text as chunks, n.answer, n.question, n.question_key is not null as has_key,
         null::bigint as generation, true as shared
  into known from cache_nodes as n where n.node_key = key
  -- The lock prevents pruning or replacing until the cursor is on the node. The session is locked, so a locked node
  -- counts as a cache miss; the later claim waits for it.
  for share skip locked;
  if not found then
    known.shared := true;
    select g.id into known.generation from generations as g
    where g.node_key = key and g.state = 'writing' and g.lease_until > clock_timestamp();
    if not found and tutor.plain_fingerprint is not null then
      known.node := find_or_copy_known_answer(unsaved_cache_node(
        topic.content_item_id, place.parent_id, place.message, tutor.name, tutor.version, tutor.model,
        tutor.plain_fingerprint, content_key), false);
      if known.node is not null then
        select n.id as node, n.chunks::text as chunks, n.answer, n.question, n.question_key is not null as has_key,
               null::bigint as generation, true as shared
        into known from cache_nodes as n where n.id = known.node;
      end if;
    end if;
  end if;
  if topic.tutor_mode = 'reviewed' and known.node is not null and is_node_awaiting_approval(known.node) then
    known.node := null;
    known.shared := false;
  end if;
  return known;
end;
$$;

create or replace function store_message_and_replayed_answer(
  asked jsonb, the_session bigint, the_question bigint, is_new boolean, place record, known record, tutor record, step text
) returns jsonb language plpgsql as $$
declare
  answer_id bigint := nextval('chat_messages_id_seq');
  answered_at timestamptz := service_now();
  meta jsonb := jsonb_build_object(
    'source', 'cache', 'model', tutor.model, 'prompt_name', tutor.name, 'prompt_version', tutor.version,
    'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', known.node);
begin
  if place.move is not null then meta := meta || jsonb_build_object('move', place.move); end if;
  with visited as (
    insert into cache_visits (node_id, hit) values (known.node, true)
  ), moved as (
    update chat_sessions
    set cache_node_id = known.node, updated_at = answered_at, answering_message_id = null, answering_since = null,
        answering_token = null, answering_generation_id = null, answering_until = null
    where id = the_session
  )
  insert into chat_messages (
    id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id, question)
  overriding system value
  select * from (values
    (the_question, the_session, 'user', asked ->> 'content', '{}'::jsonb, null::bigint, false, null::bigint,
     asked ->> 'client_id', null::jsonb),
    (answer_id, the_session, 'assistant', known.answer, meta, the_question, true, known.node, null, known.question)
  ) as said (id) where is_new or said.id = answer_id;
  return jsonb_build_object(
    'kind', 'stored', 'id', answer_id, 'created_at', answered_at, 'meta', meta, 'chunks', known.chunks,
    'has_key', known.has_key, 'carried', case when place.move is not null then known.question end, 'step', step,
    'made', case when is_new then place.move end);
end;
$$;

-- Takes the session's lease. The caller joins the listeners of a generation that has not failed.
create or replace function store_message_and_take_lease(
  asked jsonb, topic record, the_question bigint, is_new boolean, place record, known record, tutor record, step text
) returns jsonb language plpgsql as $$
declare
  lease uuid := (asked ->> 'token')::uuid;
  is_open_already boolean := topic.answering_message_id = the_question;
  -- A message off the path leaves the tree if the course shares answers, unless it was asked before that path was
  -- deleted. Free text always leaves it.
  leaves boolean := asked ->> 'message' is null
    or topic.cache_enabled and place.message is null and (asked ->> 'offered')::boolean is not true;
  reached record;
  graph text;
begin
  if is_open_already then
    select topic.answering_token into lease where not exists (
      select from generations as g where g.id = topic.answering_generation_id and g.state = 'failed');
    lease := coalesce(lease, (asked ->> 'token')::uuid);
  end if;
  with said as (
    insert into chat_messages (id, session_id, role, content, client_message_id)
    overriding system value
    select the_question, topic.id, 'user', asked ->> 'content', asked ->> 'client_id' where is_new
  )
  update chat_sessions as s
  set cache_state = case when leaves then 'diverged' else s.cache_state end,
      answering_since = case when is_open_already and s.answering_until > now() then s.answering_since else now() end,
      answering_generation_id = coalesce(known.generation, case when is_open_already then s.answering_generation_id end),
      answering_message_id = the_question, answering_token = lease, answering_until = now() + listener_lease_duration()
  where s.id = topic.id;
  if known.generation is null and tutor.id is not null then
    reached := referenced_prompts_with_links(array[tutor.id], 0, (asked ->> 'deepest')::integer);
    graph := json_build_object(
      'root', tutor.id, 'config', tutor.config, 'prompts', reached.prompts, 'links', reached.links);
  end if;
  return jsonb_build_object(
    'kind', 'open', 'message_id', the_question, 'token', lease, 'shared', known.shared, 'parent_id', place.parent_id,
    'message', place.message, 'move', place.move, 'model', tutor.model, 'university_id', topic.university_id,
    'generation', known.generation, 'graph', graph, 'step', step, 'made', case when is_new then place.move end);
end;
$$;

-- The cursor moves to the answer's node, unless that is gone or has other text. The caller must hold the node, then
-- the session: the node cannot be pruned or replaced before the cursor is on it.
create or replace function store_answer_and_end_turn(
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

-- Closes turns of a class that waited too. Idempotent: a repeated call returns the stored answer. Returns no row if
-- the caller no longer owns the turn or the answer is gone.
create or replace function end_waiting_turns_of_generation(
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
    -- An answer that awaits approval, or failed a check, is a private answer of those who received it during generation.
    select n.id, is_node_awaiting_approval(n.id) into standing, waits
    from cache_nodes as n where n.id = made.node_id and n.chunks = made.chunks;
    if waits then standing := null; end if;
    told := store_answer_in_waiting_sessions(
      made, standing, made.question_id is null and made.checks is null and waits is not true, the_sessions, the_tokens, the_questions);
  end if;
  return query
    select m.in_reply_to_id, m.id, m.created_at, m.content, m.meta,
           m.question_key is not null
           or exists (select from cache_nodes as n where n.id = m.cache_node_id and n.question_key is not null),
           case when m.meta ? 'move' then m.question end
    from chat_messages as m where m.in_reply_to_id = any (the_questions) order by m.session_id;
end;
$$;

-- Stores the answer in the waiting sessions without one, and ends their turns; `standing` is its node. The caller
-- must hold the node, then the sessions. Returns the message of one session; null if none is waiting.
create or replace function store_answer_in_waiting_sessions(
  made generations, standing bigint, is_on_path boolean, the_sessions bigint[], the_tokens uuid[], the_questions bigint[]
) returns chat_messages language plpgsql as $$
declare
  told chat_messages;
begin
  -- A session may have two listeners.
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
           -- As in `joined_text`, without another statement.
           array_to_string(array(select jsonb_array_elements_text(made.chunks)), ''),
           jsonb_strip_nulls(jsonb_build_object(
             'source', 'llm', 'model', made.model, 'prompt_name', made.prompt_name,
             'prompt_version', made.prompt_version, 'latency_ms', milliseconds_since(waiting.answering_since),
             'stop', made.stop, 'checks', made.checks, 'move', made.move, 'path', case when waiting.is_tracking and not is_on_path then 'lost' end,
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

-- The learner's message stays and can be sent again. The turn ends if its generation is missing or failed for
-- everyone. Otherwise its lease expires, and other listeners renew it. Instants are rounded to the millisecond.
create or replace function release_unanswered_turn(the_session bigint, the_token uuid) returns void language sql as $$
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

-- Notifies the producer; without one the answer ends empty. Returns the message, and whether its answer is private;
-- no row if no answer is pending.
create or replace function request_turn_stop(the_session bigint, the_person integer)
returns table (message_id bigint, content text, is_private boolean) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
begin
  select * into session from chat_sessions
  where id = the_session and user_id = the_person and answering_since > now() - answer_time_limit() for update;
  if not found then return; end if;
  select m.id, m.content into message_id, content from chat_messages as m where m.id = session.answering_message_id;
  update generations set stop_requested = true
  where question_id = session.answering_message_id and state = 'writing';
  is_private := found or exists (select from generations where question_id = session.answering_message_id);
  if not is_private and session.answering_generation_id is null then
    -- Not claimed yet. A shared message is on a path of a course that shares answers.
    select session.cache_state = 'diverged' or not course.cache_enabled
           or (session.cache_node_id is null and not is_start_message(content))
    into is_private
    from content_items as item join courses as course on course.id = item.course_id
    where item.id = session.content_item_id;
    if is_private then
      perform store_answer_and_end_turn(the_session, session.answering_message_id, '[]', jsonb_build_object(
        'source', 'llm', 'stop', 'stopped', 'latency_ms', milliseconds_since(session.answering_since)),
        false, null, false);
    end if;
  end if;
  return next;
end;
$$;
