set local check_function_bodies = off;
--> statement-breakpoint
-- Those messages on the way to a pin, or to a change of the tree, that only this person said of an item, in words of their
-- own: the tutor has not offered them. Their nodes may be gone, and copies have the same ways.
create or replace function own_words_on_paths(person integer, items integer[]) returns text[]
language plpgsql stable as $$
begin
  if not exists (select from answer_pins where content_item_id = any (items))
    and not exists (select from tree_changes where content_item_id = any (items)) then return '{}'; end if;
  return array(
    with held (message) as materialized (
      select message from (
        select jsonb_array_elements_text(path) from answer_pins where content_item_id = any (items)
        union
        select jsonb_array_elements_text(path) from tree_changes where content_item_id = any (items)
        union
        select gone ->> 'message' from tree_changes, jsonb_array_elements(removed) as gone
        where content_item_id = any (items)
      ) as said (message)
      where message <> 'Start.'
    ), mine as materialized (
      select m.role, m.content, m.question from chat_sessions as s join chat_messages as m on m.session_id = s.id
      where s.user_id = person and s.content_item_id = any (items) and exists (select from held)
    ), offered as materialized (
      select distinct answers_offered(question) as message from mine where question is not null
    ), own as materialized (
      select message, path_words(message) as words from held
      where path_words(message) in (select path_words(content) from mine where role = 'user' and content like '%{%')
        and not exists (select from offered where offered.message = held.message)
        and not exists (
          select from cache_nodes as node where node.content_item_id = any (items) and node.choices ? held.message)
    ), of_others as materialized (
      select path_words(m.content) as words from chat_sessions as s join chat_messages as m on m.session_id = s.id
      where s.user_id <> person and s.content_item_id = any (items) and m.role = 'user' and m.content like '%{%'
        and exists (select from own)
    )
    select message from own where not exists (select from of_others where of_others.words = own.words));
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
