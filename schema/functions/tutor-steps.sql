-- Steps: what learners answer to the tutor's questions that have a key (answer-keys.sql), written in the statement that
-- opens the turn. Whether one is right is nowhere kept: it is what the key of its question says now, so that a key that
-- was wrong grades nobody once it is corrected.
--
-- Locks: a question, by being written, and a step, by its number; whoever changes a key does so last, holding the node
-- and the sessions (cache-tree.sql).

-- What two questions have in common that are the same to whoever answers them: text and options, under whatever id.
create or replace function question_hash(question jsonb) returns text language sql immutable as $$
  select question_identity(question - 'questionId')
$$;

-- What a session was asked last, up to a message: the answer that asked, its question with key and choices, the node that
-- held it, and how often the learner asked for help since (moves, whose answers carry the question on). Null: nothing.
create or replace function asked_last(
  the_session bigint, last_message bigint, out message_id bigint, out question jsonb, out question_key jsonb,
  out choices jsonb, out node_id bigint, out hints integer
) language plpgsql stable as $$
declare
  told record;
begin
  hints := 0;
  for told in
    select m.id, m.question, m.question_key, m.choices, m.cache_node_id, m.meta ? 'move' as is_help
    from chat_messages as m
    where m.session_id = the_session and m.role = 'assistant' and m.question is not null
      and (last_message is null or m.id <= last_message)
    order by m.id desc
  loop
    exit when message_id is not null and told.question is distinct from asked_last.question;
    message_id := told.id;
    question := told.question;
    question_key := told.question_key;
    choices := told.choices;
    node_id := told.cache_node_id;
    exit when not told.is_help;
    hints := hints + 1;
  end loop;
end $$;

-- The same with the key and choices that the node has now, also for an aside that was asked nothing itself yet.
create or replace function question_to_answer(
  the_session bigint, out message_id bigint, out question jsonb, out question_key jsonb, out choices jsonb,
  out node_id bigint, out hints integer
) language plpgsql stable as $$
declare
  aside record;
  node record;
begin
  select last.* into message_id, question, question_key, choices, node_id, hints from asked_last(the_session, null) as last;
  if message_id is null then
    select aside_of_id, path_end_id into aside from chat_sessions where id = the_session and aside_of_id is not null;
    if not found then return; end if;
    select last.* into message_id, question, question_key, choices, node_id, hints
    from asked_last(aside.aside_of_id, aside.path_end_id) as last;
  end if;
  if node_id is null then return; end if;
  select n.question, n.question_key, n.choices into node from cache_nodes as n where n.id = node_id;
  if found and (node.question = question_to_answer.question or is_same_question(node.question, question_to_answer.question)) then
    question_key := node.question_key;
    choices := node.choices;
  end if;
end $$;

-- The row of a question that is answered, made where there is none; a node's has the key that it had first, or was
-- corrected to.
create or replace function hold_question(
  the_item integer, the_hash text, the_node bigint, the_question jsonb, the_key jsonb
) returns bigint language plpgsql as $$
declare
  asked bigint;
  private_key text := case when the_node is null then the_key ->> 'answer' else '' end;
begin
  loop
    select id into asked from tutor_questions
    where content_item_id = the_item and question_hash = the_hash and coalesce(node_id, 0) = coalesce(the_node, 0)
      and (case when node_id is null then question_key ->> 'answer' else '' end) = private_key
    -- So that no erasure takes it.
    for key share;
    exit when found;
    insert into tutor_questions (content_item_id, question_hash, node_id, question, question_key)
    values (the_item, the_hash, the_node, the_question, the_key)
    on conflict do nothing returning id into asked;
    exit when asked is not null;
  end loop;
  return asked;
end $$;

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

-- Marks what was answered to a node's question by the key that it has now. There is a row for it from then on, also where
-- nobody has answered it: who answers just now finds that, whatever key they saw.
create or replace function mark_steps(the_node bigint) returns void language sql as $$
  insert into tutor_questions as asked (content_item_id, question_hash, node_id, question, question_key)
  select content_item_id, question_hash(question), id, question, question_key
  from cache_nodes where id = the_node and question_key is not null
  on conflict (content_item_id, question_hash, coalesce(node_id, 0),
               (case when node_id is null then question_key ->> 'answer' else '' end))
  do update set question_key = excluded.question_key where asked.question_key <> excluded.question_key
$$;

-- The same of answers below a node that asked its question anew, and said of it what its key said, which is another now.
-- They are about to go.
create or replace function mark_steps_below(node cache_nodes, the_key jsonb) returns void language sql as $$
  with recursive again (id) as (
    select id from cache_nodes
    where parent_id = node.id and is_same_question(question, node.question)
      and question_key ->> 'answer' = node.question_key ->> 'answer'
    union all
    select below.id from again join cache_nodes as below on below.parent_id = again.id
    where is_same_question(below.question, node.question)
      and below.question_key ->> 'answer' = node.question_key ->> 'answer'
  )
  update tutor_questions set question_key = the_key
  where node_id in (select id from again) and question_hash = question_hash(node.question)
$$;

-- The same of answers that were brought back with the keys that they had.
create or replace function mark_restored_steps(the_rows jsonb) returns void language sql as $$
  update tutor_questions as asked set question_key = node.question_key
  from cache_nodes as node
  where node.id in (select (one ->> 'id')::bigint from jsonb_array_elements(the_rows) as one)
    and asked.node_id = node.id and asked.question_hash = question_hash(node.question)
    and node.question_key is not null and asked.question_key <> node.question_key
$$;

-- Erases some steps of those who erased their accounts, and keeps how often each choice was made; answers whether more
-- may be left. A question that nobody else was asked goes with them: it may say what they said.
create or replace function erase_steps(most integer) returns boolean language plpgsql as $$
declare
  gone tutor_steps[];
  answered bigint[];
  lonely bigint[];
begin
  with taken as (
    delete from tutor_steps where id in (
      select step.id from erasures join tutor_steps as step on step.user_id = erasures.user_id
      order by step.id limit most for update of step skip locked)
    returning tutor_steps
  )
  select array_agg(tutor_steps) into gone from taken;
  if gone is null then return false; end if;
  answered := array(select distinct question_id from unnest(gone) order by 1);
  lonely := array(
    select asked.id from tutor_questions as asked
    where asked.id = any (answered)
      and not exists (select from cache_nodes as node where node.id = asked.node_id)
      and not exists (select from tutor_step_counts as kept where kept.question_id = asked.id)
      and not exists (select from tutor_steps as step where step.question_id = asked.id)
    for update skip locked);
  delete from tutor_questions where id = any (lonely);
  insert into tutor_step_counts as kept (question_id, choice, try_number, with_hints, answers)
  select question_id, choice, try_number, hints > 0, count(*)
  from unnest(gone) where question_id <> all (lonely)
  group by question_id, choice, try_number, hints > 0
  order by question_id, choice, try_number, hints > 0
  on conflict (question_id, choice, try_number, with_hints) do update set answers = kept.answers + excluded.answers;
  return true;
end $$;
