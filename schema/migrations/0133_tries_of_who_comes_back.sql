set local check_function_bodies = off;
--> statement-breakpoint
-- Puts up to so many of each of a person's further rows of until then onto the number; answers whether there were any.
create or replace function split_rows(
  university integer, person integer, number integer, until timestamptz, most integer
) returns boolean language plpgsql as $$
declare
  talks bigint[] := array(
    select talk.id from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
    where talk.user_id = person and item.university_id = university and talk.created_at < until order by talk.id limit most);
  moved integer;
  done integer := cardinality(talks);
begin
  update chat_sessions set user_id = number, share_enabled = false, share_token = null where id = any (talks);
  delete from message_feedback where message_id in (select id from chat_messages where session_id = any (talks));
  -- Who came back within that minute counts their tries from one again: they are put behind those that the number has.
  update tutor_steps as late set user_id = number, try_number = late.try_number + greatest(0, (
      select max(kept.try_number) from tutor_steps as kept
      where kept.user_id = number and kept.content_item_id = late.content_item_id and kept.question_hash = late.question_hash
    ) + 1 - (
      select min(own.try_number) from tutor_steps as own
      where own.user_id = person and own.content_item_id = late.content_item_id and own.question_hash = late.question_hash))
  where late.id in (
    select step.id from tutor_steps as step join content_items as item on item.id = step.content_item_id
    where step.user_id = person and item.university_id = university and step.created_at < until order by step.id limit most);
  get diagnostics moved = row_count;
  done := done + moved;
  update activity_events set user_id = number where id in (
    select id from activity_events
    where user_id = person and university_id = university and occurred_at < until order by id limit most);
  get diagnostics moved = row_count;
  done := done + moved;
  update llm_calls set user_id = null where id in (
    select id from llm_calls
    where user_id = person and university_id = university and started_at < until order by id limit most);
  get diagnostics moved = row_count;
  done := done + moved;
  return done > 0;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
