-- An aside is a session off the path. It begins where another session of the same user is, and leaves that session on
-- its path. The LLM receives the earlier messages without copies (`start_claimed_generation_within_budget` in generations.sql).
--
-- Locks: sessions, the parent session before its asides (cache-tree.sql).

-- Closes the open aside to make room for another. Returns the last message of the path that the new aside begins
-- with; null if there is none. Concurrent calls run one after the other.
create or replace function close_open_aside_returning_path_end(the_session bigint) returns bigint language plpgsql as $$
begin
  perform from chat_sessions where id = the_session for no key update;
  update chat_sessions set closed_at = service_now() where aside_of_id = the_session and closed_at is null;
  return (select max(id) from chat_messages where session_id = the_session);
end $$;
