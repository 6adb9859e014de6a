set local check_function_bodies = off;
--> statement-breakpoint
-- Erases some conversations of those who erased their accounts, of one person about one item, with the stored answers that
-- only their words led to, and then some of their steps (tutor-steps.sql); answers whether more may be left. An erasure ends, and is told to the audit log, when nothing
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
    if erase_own_paths(next.user_id, next.content_item_id) then return true; end if;
    doomed := lock_own_words(next.user_id, next.content_item_id);
    -- What someone is just being told was passed over, and once it is told it is theirs or this person's: so once more.
    if exists (
      select from nodes_of_own_words(next.user_id, next.content_item_id) as own (id) where id <> all (doomed)
    ) then return true; end if;
    -- Someone pinned them just before: pins are held before sessions, so once more.
    if own_words_on_paths(next.user_id, array(select copies_of(next.content_item_id))) <> '{}' then return true; end if;
    delete from generations where id in (select answers_to_own_words(next.user_id, doomed, next.content_item_id));
    delete from cache_nodes where id = any (doomed);
    delete from chat_sessions where id in (
      select id from chat_sessions
      where user_id = next.user_id and content_item_id = next.content_item_id
      -- A conversation takes its asides along, however many they are: they go first.
      order by aside_of_id is null, id limit most);
    return true;
  end if;
  if erase_steps(most) then return true; end if;
  for ended in
    delete from erasures where begun_at < moment - interval '1 hour' returning user_id
  loop
    perform audit('account.erasure_ended', null, null, null, jsonb_build_object('user_id', ended),
      jsonb_build_object('at', moment));
  end loop;
  return false;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
