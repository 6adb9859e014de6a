-- Steps: learners' answers to the tutor's questions with a key (cache-node-keys.sql), written in the statement that opens
-- the turn. Whether one is right is not stored: the question's current key decides, so a wrong key grades no learner
-- after its correction.
--
-- Locks: a question, by being written, and a step, by its number; a key changes last, under the locks of the node and
-- the sessions (cache-tree.sql).

-- Hashes text and options, regardless of the id.
create or replace function question_hash(question jsonb) returns text language sql immutable as $$
  select question_identity_hash(question - 'questionId')
$$;

-- For an aside without one, that of its path. Has the asking answer, its node, and the question with the node's
-- current key and choices, else its own. Also counts the help since: all moves except `@my_words`. Null: no question.
create or replace function open_session_question_with_hint_count(
  the_session bigint, out message_id bigint, out question jsonb, out question_key jsonb, out choices jsonb,
  out node_id bigint, out hints integer
) language plpgsql stable as $$
declare
  told record;
  told_in bigint := the_session;
  before bigint;
begin
  hints := 0;
  -- One at a time: usually the last answer asked it, and starting a query of many rows costs more than this.
  loop
    select m.id, m.question, m.question_key, m.choices, m.cache_node_id, m.meta ->> 'move' as move,
           node.question as node_question, node.question_key as node_key, node.choices as node_choices
    into told
    from chat_messages as m left join cache_nodes as node on node.id = m.cache_node_id
    where m.session_id = told_in and m.role = 'assistant' and m.question is not null
      and (before is null or m.id < before)
    order by m.id desc limit 1;
    if not found and message_id is null and told_in = the_session then
      select aside_of_id, path_end_id + 1 into told_in, before from chat_sessions
      where id = the_session and aside_of_id is not null;
      exit when not found;
      continue;
    end if;
    exit when told.id is null or message_id is not null and told.question is distinct from open_session_question_with_hint_count.question;
    message_id := told.id;
    question := told.question;
    question_key := told.question_key;
    choices := told.choices;
    node_id := told.cache_node_id;
    if told.node_question = question or is_same_question(told.node_question, question) then
      question_key := told.node_key;
      choices := told.node_choices;
    end if;
    exit when told.move is null;
    if told.move <> '@my_words' then hints := hints + 1; end if;
    before := told.id;
  end loop;
end $$;

-- Records a step if the last question of a locked session has a key. `the_message` and `the_loose_message` are as
-- in `open_turn`. A message that is no option is no step; neither is a repeated answer to the same message. Of two
-- concurrent answers one is the later try: it finds its number taken and retries. Returns 'right' or 'wrong' by the
-- current key; null: no step.
create or replace function store_and_grade_tutor_step(
  the_session bigint, person integer, the_item integer, the_offering integer, the_message text, the_loose_message text
) returns text language plpgsql as $$
declare
  asked record;
  chosen text;
  private_key text;
  the_question bigint;
  hash text;
  tried record;
begin
  if the_message is null or the_message = 'Start.' then return null; end if;
  asked := open_session_question_with_hint_count(the_session);
  if asked.question_key is null then return null; end if;
  chosen := coalesce(asked.choices ->> the_message, asked.choices ->> the_loose_message);
  if chosen is null or not starts_with(chosen, '{') then return null; end if;
  chosen := chosen::jsonb ->> 'answer';

  -- A node's earlier row with the same text has the hash. Locked against deletion by an erasure.
  select held.id, held.question_hash into the_question, hash from tutor_questions as held
  where held.node_id = asked.node_id and held.question = asked.question
  for key share;
  if not found then
    hash := question_hash(asked.question);
    private_key := case when asked.node_id is null then asked.question_key ->> 'answer' else '' end;
    loop
      select held.id into the_question from tutor_questions as held
      where held.content_item_id = the_item and held.question_hash = hash
        and coalesce(held.node_id, 0) = coalesce(asked.node_id, 0)
        and (case when held.node_id is null then held.question_key ->> 'answer' else '' end) = private_key
      for key share;
      exit when found;
      insert into tutor_questions as held (content_item_id, question_hash, node_id, question, question_key)
      values (the_item, hash, asked.node_id, asked.question, asked.question_key)
      on conflict do nothing returning held.id into the_question;
      exit when the_question is not null;
    end loop;
  end if;

  loop
    select coalesce(max(try_number), 0) as times, bool_or(asked_message_id = asked.message_id and choice = chosen) as again
    into tried
    from tutor_steps where user_id = person and content_item_id = the_item and question_hash = hash;
    if tried.again then return null; end if;
    insert into tutor_steps (
      user_id, course_offering_id, content_item_id, question_id, question_hash, asked_message_id, choice, try_number, hints)
    values (
      person, the_offering, the_item, the_question, hash, asked.message_id, chosen, tried.times + 1, asked.hints)
    on conflict (user_id, content_item_id, question_hash, try_number) do nothing;
    exit when found;
  end loop;
  return case when chosen = asked.question_key ->> 'answer' then 'right' else 'wrong' end;
end $$;

-- Grades by the question's current key. Creates the row even without answers: a concurrent answer then uses the
-- current key.
create or replace function regrade_tutor_steps_of_node(the_node bigint) returns void language sql as $$
  insert into tutor_questions as asked (content_item_id, question_hash, node_id, question, question_key)
  select content_item_id, question_hash(question), id, question, question_key
  from cache_nodes where id = the_node and question_key is not null
  on conflict (content_item_id, question_hash, coalesce(node_id, 0),
               (case when node_id is null then question_key ->> 'answer' else '' end))
  do update set question_key = excluded.question_key where asked.question_key <> excluded.question_key
$$;

-- Keeps the count of each choice. A question that only these users were asked is deleted too: it may contain their
-- words.
create or replace function delete_tutor_steps_keeping_counts(ids bigint[]) returns integer language plpgsql as $$
declare
  gone tutor_steps[];
  answered bigint[];
  lonely bigint[];
begin
  with taken as (
    delete from tutor_steps where id = any (ids) returning tutor_steps
  )
  select array_agg(tutor_steps) into gone from taken;
  if gone is null then return 0; end if;
  answered := array(select distinct question_id from unnest(gone) order by 1);
  lonely := array(
    select asked.id from tutor_questions as asked
    where asked.id = any (answered)
      and not exists (select from cache_nodes as node where node.id = asked.node_id)
      and not exists (select from tutor_step_counts as kept where kept.question_id = asked.id)
    for update skip locked);
  -- A separate statement, to see answers that committed before the lock was taken.
  lonely := array(
    select asked from unnest(lonely) as asked
    where not exists (select from tutor_steps as step where step.question_id = asked));
  delete from tutor_questions where id = any (lonely);
  insert into tutor_step_counts as kept (question_id, choice, try_number, with_hints, answers)
  select question_id, choice, try_number, hints > 0, count(*)
  from unnest(gone) where question_id <> all (lonely)
  group by question_id, choice, try_number, hints > 0
  order by question_id, choice, try_number, hints > 0
  on conflict (question_id, choice, try_number, with_hints) do update set answers = kept.answers + excluded.answers;
  return cardinality(gone);
end $$;
