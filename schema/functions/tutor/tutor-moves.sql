-- Moves: commands that a learner sends instead of an option to a question with a key, such as `@hint`
-- (lib/tutor/dialogue/moves.ts). The tree stores their answers under the move's name; no other message begins with
-- its sign. The answer to a move carries the question of the answer before it, with choices and key, and so offers
-- moves too.
--
-- Locks: writers of a question hold its node, then write the moves below it, a parent before its children
-- (cache-tree.sql). Everything else here only reads.

create or replace function is_tutor_move_message(message text) returns boolean language sql immutable as $$
  select starts_with(message, '@')
$$;

-- Regardless of the answer's writer and text.
create or replace function copy_parent_question_to_move() returns trigger language plpgsql as $$
begin
  select node.question, node.choices, node.question_key into new.question, new.choices, new.question_key
  from cache_nodes as node where node.id = new.parent_id;
  return new;
end $$;

create or replace trigger cache_nodes_carry_question
  before insert or update of question, choices, question_key on cache_nodes
  for each row when (is_tutor_move_message(new.message)) execute function copy_parent_question_to_move();

-- A corrected key or new choices also reach the answers of moves.
create or replace function copy_changed_question_to_moves() returns trigger language plpgsql as $$
begin
  update cache_nodes set question = new.question where parent_id = new.id and is_tutor_move_message(message);
  return null;
end $$;

create or replace trigger cache_nodes_hand_question_on after update of question, choices, question_key on cache_nodes
  for each row
  when ((old.question, old.choices, old.question_key) is distinct from (new.question, new.choices, new.question_key))
  execute function copy_changed_question_to_moves();

-- Counts hints since the node's question was first asked, including the node.
create or replace function count_hints_for_question_of_node(the_node bigint) returns integer language sql stable as $$
  with recursive above (parent_id, message, question) as (
    select parent_id, message, question from cache_nodes where id = the_node
    union all
    select node.parent_id, node.message, node.question from above join cache_nodes as node on node.id = above.parent_id
  )
  select count(*)::integer from above
  where message = '@hint'
    and is_same_question(question, (select node.question from cache_nodes as node where node.id = the_node))
$$;

-- Returns the node that served the answer too. No row: there is none.
create or replace function question_of_last_answer_before(the_session bigint, before_message bigint)
returns table (question jsonb, question_key jsonb, node_id bigint) language sql stable as $$
  select told.question, coalesce(told.question_key, node.question_key), told.cache_node_id
  from chat_messages as told
  left join cache_nodes as node on node.id = told.cache_node_id and is_same_question(node.question, told.question)
  where told.session_id = the_session and told.role = 'assistant' and told.content <> ''
    and (before_message is null or told.id < before_message)
  order by told.id desc limit 1
$$;

-- On a path (`the_node`) the node's question decides, unless a newer answer without a node asked something else. In
-- private the newest answer decides: the service, which alone compares, receives its `questions`. A fourth hint
-- since the greeting becomes an example. 'no such move': nothing offers it here. A message that was stored before
-- (`the_said`) is always answered.
create or replace function resolve_tutor_move(
  the_session bigint, the_node bigint, the_move text, the_message text, the_loose_message text, the_said bigint,
  is_offered boolean,
  out refusal text, out message text, out parent_id bigint, out move text, out questions jsonb, out has_key boolean
) language plpgsql stable as $$
declare
  asked jsonb;
  offers jsonb;
  last record;
begin
  select * into last from question_of_last_answer_before(the_session, the_said);
  select node.question, node.choices into asked, offers from cache_nodes as node where node.id = the_node;
  if found and (last.question is null or last.node_id = the_node or is_same_question(last.question, asked)) then
    message := coalesce(
      offers ->> the_message, offers ->> the_loose_message,
      -- Answers of the release before offer all other moves.
      case when the_move = '@my_words' and '@simpler' in (
        offers ->> replace(the_message, the_move, '@simpler'), offers ->> replace(the_loose_message, the_move, '@simpler'))
      then the_move end);
    if message = '@hint' and offers ->> '@example' = '@example' and count_hints_for_question_of_node(the_node) >= 3 then
      message := '@example';
    end if;
    if message is not null then
      parent_id := the_node;
      move := case when is_tutor_move_message(message) then message end;
      return;
    elsif the_said is null then
      refusal := 'no such move';
      return;
    end if;
  end if;
  if is_offered is null then
    questions := case when last.question is null then '[]' else jsonb_build_array(last.question) end;
    has_key := last.question_key is not null;
  elsif last.question_key is null and the_said is null then
    refusal := 'no such move';
  else
    move := case when the_move = '@hint' and 3 <= (
        select count(*) from chat_messages as told
        where told.session_id = the_session and told.meta ->> 'move' = '@hint'
          and (the_said is null or told.id < the_said) and is_same_question(told.question, last.question)
          and told.id > coalesce((
            select max(start.id) from chat_messages as start
            where start.session_id = the_session and start.role = 'user' and is_start_message(start.content)), 0)
      ) then '@example' else the_move end;
  end if;
end $$;
