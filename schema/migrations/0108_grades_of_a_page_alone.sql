set local check_function_bodies = off;
--> statement-breakpoint
drop function last_asked(bigint,bigint);
--> statement-breakpoint
-- What the newest answer of a conversation asks that said anything, before a message, and the node that it was told from.
-- No row: there is none.
create or replace function last_asked(the_session bigint, before_message bigint)
returns table (question jsonb, question_key jsonb, node_id bigint) language sql stable as $$
  select told.question, coalesce(told.question_key, node.question_key), told.cache_node_id
  from chat_messages as told
  left join cache_nodes as node on node.id = told.cache_node_id and is_same_question(node.question, told.question)
  where told.session_id = the_session and told.role = 'assistant' and told.content <> ''
    and (before_message is null or told.id < before_message)
  order by told.id desc limit 1
$$;
--> statement-breakpoint
-- What a message is taken as that is called like a move. On a path (`the_node`) it is what the node's question offers under
-- that name, which may be an option, unless a newer answer that no node holds has asked something else. In private it
-- follows the newest answer, and the service, which alone compares, is asked what it is there before anything is done
-- ('what was asked'). A fourth hint is an example. 'no such move': it is
-- offered nowhere here. One that was stored before (`the_said`) is answered in any case.
create or replace function take_move(
  the_session bigint, the_node bigint, the_move text, the_message text, the_loose_message text, the_said bigint,
  is_offered boolean,
  out refusal text, out message text, out parent_id bigint, out move text, out questions jsonb, out has_key boolean
) language plpgsql stable as $$
declare
  asked jsonb;
  offers jsonb;
  last record;
begin
  select * into last from last_asked(the_session, the_said);
  select node.question, node.choices into asked, offers from cache_nodes as node where node.id = the_node;
  if found and (last.question is null or last.node_id = the_node or is_same_question(last.question, asked)) then
    message := coalesce(offers ->> the_message, offers ->> the_loose_message);
    if message = '@hint' and offers ->> '@example' = '@example' and hints_above(the_node) >= 3 then
      message := '@example';
    end if;
    if message is not null then
      parent_id := the_node;
      move := case when is_move(message) then message end;
      return;
    elsif the_said is null then
      refusal := 'no such move';
      return;
    end if;
  end if;
  if is_offered is null then
    refusal := 'what was asked';
    questions := case when last.question is null then '[]' else jsonb_build_array(last.question) end;
    has_key := last.question_key is not null;
  elsif last.question_key is null and the_said is null then
    refusal := 'no such move';
  else
    move := case when the_move = '@hint' and hints_told(the_session, last.question, the_said) >= 3 then '@example'
                 else the_move end;
  end if;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
