-- Asides: words beside a path. An aside is a session that begins where another of the same person stands, and leaves that
-- one on its path. What it begins with is told to the LLM and not copied (`answered_history` in generations.sql).
--
-- Locks: sessions, the one whose aside it is before its asides (cache-tree.sql).

-- Makes room for another aside of a session: closes the one that is open. Answers the last message of the path that the
-- new one begins with; null where nothing was said yet, or the session is gone. Two at once go one after the other.
create or replace function begin_aside(the_session bigint) returns bigint language plpgsql as $$
begin
  perform from chat_sessions where id = the_session for no key update;
  update chat_sessions set closed_at = service_now() where aside_of_id = the_session and closed_at is null;
  return (select max(id) from chat_messages where session_id = the_session);
end $$;

-- The messages with which an aside begins: of the session whose aside it is those from the last greeting on, which is
-- where a path begins, up to where the aside left it. None for any other session.
create or replace function path_before_aside(the_session bigint) returns setof chat_messages language sql stable as $$
  select said.* from chat_sessions as aside
  join chat_messages as said on said.session_id = aside.aside_of_id and said.id <= aside.path_end_id
  where aside.id = the_session and said.id >= coalesce((
    select max(start.id) from chat_messages as start
    where start.session_id = aside.aside_of_id and start.id <= aside.path_end_id
      and start.role = 'user' and is_start(start.content)), 0)
$$;
