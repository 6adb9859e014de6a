set local check_function_bodies = off;
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
begin
  perform from cache_nodes where id = (select parent_id from generations where id = the_generation) for key share;
  perform from chat_sessions where id = (select session_id from generations where id = the_generation) for update;
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
    with told as (delete from generation_pieces where generation_id = the_generation)
    update generations set
      state = 'complete', chunks = made.chunks, question = made.question, question_key = made.question_key,
      choices = case when made.question_key is not null then the_choices end,
      stop = the_stop, node_id = made.node_id,
      input_tokens = tokens_in, output_tokens = tokens_out
    where id = the_generation;
    -- As many as end, in fewer statements.
    if the_generation % 10 = 0 then perform drop_ended_generations(20); end if;
  end if;

  chunks := made.chunks;
  if made.question_id is not null then
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
drop function open_turn(bigint,integer,integer,text,text,text,bigint,uuid,text,text[],text,integer,text,date,timestamp with time zone,integer,text,boolean,text);
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
  offering integer;
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
    select item.course_id, item.university_id, university.is_active, university.requires_own_provider, course.cache_enabled, course.llm_model, type.name as type, item.tutor_mode,
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from) as gate
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as university on university.id = item.university_id
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
    offering := (
      select mine.course_offering_id from current_offerings as mine
      where mine.user_id = the_person and mine.course_id = topic.course_id);
    perform record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, offering, moment, today, last_active);
    step := record_step(
      the_session, the_person, session.content_item_id, offering, the_message, the_loose_message);
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
    if session.answering_message_id = the_question and not exists (
      select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
    then token := session.answering_token; end if;
    -- What is on no path leaves the tree where answers are shared at all, unless it was asked before that path went; free
    -- text does in any case.
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
    if the_question is null then
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value values (open_turn.message_id, the_session, 'user', the_content, the_client_id);
    end if;
    if generation is null and tutor.id is not null then
      select json_build_object('root', tutor.id, 'config', tutor.config, 'prompts', reached.prompts, 'links', reached.links)
      into graph
      from reached_prompts(array[tutor.id], 0, deepest) as reached;
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
drop function record_step(bigint,integer,integer,integer,text,text);
--> statement-breakpoint
-- Records a message that answers the question which its session, that is held, was asked last, where that has a key:
-- `the_message` and `the_loose_message` as `open_turn` has them. What is no option is no step, and neither is the same
-- answer to the same message again. Of two at once, in two conversations, one is the later try. Answers 'right' or 'wrong',
-- by the key of now; null: no step.
create or replace function record_step(
  the_session bigint, person integer, the_item integer, the_offering integer, the_message text, the_loose_message text
) returns text language plpgsql as $$
declare
  asked record;
  chosen text;
  hash text;
  asking bigint;
begin
  if the_message is null or the_message = 'Start.' then return null; end if;
  select * into asked from question_to_answer(the_session);
  if asked.question_key is null then return null; end if;
  chosen := coalesce(asked.choices ->> the_message, asked.choices ->> the_loose_message);
  if chosen is null or not starts_with(chosen, '{') then return null; end if;
  chosen := chosen::jsonb ->> 'answer';
  hash := question_hash(asked.question);
  asking := hold_question(the_item, hash, asked.node_id, asked.question, asked.question_key);
  loop
    insert into tutor_steps (
      user_id, course_offering_id, content_item_id, question_id, question_hash, asked_message_id, choice, try_number, hints)
    select person, the_offering, the_item, asking, hash, asked.message_id, chosen, coalesce(max(try_number), 0) + 1, asked.hints
    from tutor_steps where content_item_id = the_item and user_id = person and question_hash = hash
    on conflict do nothing;
    if found then return case when chosen = asked.question_key ->> 'answer' then 'right' else 'wrong' end; end if;
    if exists (select from tutor_steps where asked_message_id = asked.message_id and choice = chosen) then return null; end if;
  end loop;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
