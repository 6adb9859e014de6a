-- Discussions stay consistent under concurrent posts, locks, deletions and marks.
--
-- Locks: the author and the people being answered, the thread, then the post that is answered, edited,
-- deleted or hidden, its files (files.sql), the reports, and last notifications. All writes in a thread wait
-- for its lock; later queries of the function see the commits made during the wait.

-- Notifies the people it answers. `refusal` may be 'no file' with its id. No row: the thread is gone.
create or replace function add_discussion_post_and_notify(
  the_thread integer, parent bigint, person integer, words text, moment timestamptz, file_ids bigint[]
) returns table (refusal text, post discussion_posts) language plpgsql as $$
declare
  thread discussion_threads;
  answered discussion_posts;
begin
  perform from users where id in (
    select person
    union select user_id from discussion_posts where id = parent and thread_id = the_thread
    union select created_by_user_id from discussion_threads where id = the_thread
    union select learner_user_id from discussion_threads where id = the_thread
  ) order by id for key share;
  select * into thread from discussion_threads where id = the_thread for no key update;
  if not found then return; end if;
  if parent is not null then
    select * into answered from discussion_posts where id = parent and thread_id = the_thread for share;
  end if;
  refusal := case
    when thread.is_locked then 'locked'
    when parent is not null and answered.id is null then 'no_parent'
    when answered.is_deleted or answered.is_hidden then 'parent_gone'
    when answered.depth >= 8 then 'too_deep'
    else 'no file ' || lock_files_and_find_unusable(file_ids, person, 'post', jsonb_build_object(
      'course_offering_id', thread.course_offering_id))
  end;
  if refusal is null then
    insert into discussion_posts (thread_id, parent_post_id, depth, user_id, body, created_at, updated_at)
    values (the_thread, parent, coalesce(answered.depth + 1, 0), person, words, moment, moment)
    returning * into post;
    insert into file_uses (file_id, post_id, place)
    select id, post.id, number from unnest(file_ids) with ordinality as one (id, number);
    update discussion_threads
    set post_count = post_count + 1, last_post_at = greatest(last_post_at, moment) where id = the_thread;
    -- The author of the parent post, the thread's creator and the learner of a private thread.
    perform notify(array_agg(reader.id), 'discussion_reply', 'post:' || post.id, post.created_at,
                   offering => thread.course_offering_id, about => post.id)
    from (select unnest(array[answered.user_id, thread.created_by_user_id, thread.learner_user_id])) as reader (id)
    where reader.id <> post.user_id and can_read_discussion_thread(reader.id, the_thread)
    having count(*) > 0;
  end if;
  return next;
end $$;

-- Blocks concurrent posts and locks.
create or replace function lock_thread_of_post(the_post bigint) returns discussion_threads language sql as $$
  select * from discussion_threads where id = (select thread_id from discussion_posts where id = the_post)
  for no key update
$$;

-- Null `file_ids` keep the files. Refuses in a locked thread. No row: the post is gone.
create or replace function edit_discussion_post(the_post bigint, words text, moment timestamptz, file_ids bigint[])
returns table (refusal text, post discussion_posts) language plpgsql as $$
declare
  thread discussion_threads := lock_thread_of_post(the_post);
begin
  select * into post from discussion_posts where id = the_post for no key update;
  if not found then return; end if;
  refusal := case
    when post.is_deleted then 'deleted'
    when thread.is_locked then 'locked'
    when file_ids is not null then
      'no file ' || replace_attached_files('post', the_post, post.user_id, file_ids)
  end;
  if refusal is null then
    update discussion_posts set body = words, updated_at = moment where id = the_post returning * into post;
  end if;
  return next;
end $$;

-- Deletes a post's text but keeps its position; it is no longer its thread's answer.
create or replace function delete_discussion_post_keeping_row(the_post bigint) returns void language plpgsql as $$
begin
  perform lock_thread_of_post(the_post);
  update discussion_posts set body = '', is_deleted = true, updated_at = service_now() where id = the_post and not is_deleted;
  delete from files where id in (select file_id from file_uses where post_id = the_post);
  update discussion_threads set answer_post_id = null where answer_post_id = the_post;
end $$;

-- Keys of `change`: title, is_pinned, is_locked, answer_post_id. No row: the thread is gone.
create or replace function update_discussion_thread(the_thread integer, change jsonb)
returns table (refusal text, thread discussion_threads) language plpgsql as $$
declare
  answer bigint := change ->> 'answer_post_id';
begin
  select * into thread from discussion_threads where id = the_thread for no key update;
  if not found then return; end if;
  if answer is not null and not exists (
    select from discussion_posts where id = answer and thread_id = the_thread and not is_deleted and not is_hidden
  ) then
    refusal := 'no_answer';
  else
    update discussion_threads set
      title = case when change ? 'title' then change ->> 'title' else title end,
      is_pinned = coalesce((change ->> 'is_pinned')::boolean, is_pinned),
      is_locked = coalesce((change ->> 'is_locked')::boolean, is_locked),
      answer_post_id = case when change ? 'answer_post_id' then answer else answer_post_id end
    where id = the_thread returning * into thread;
  end if;
  return next;
end $$;

-- A hidden post is no longer its thread's answer.
create or replace function hide_or_show_post_resolving_reports(the_post bigint, hide boolean, moment timestamptz)
returns setof discussion_posts language plpgsql as $$
begin
  perform lock_thread_of_post(the_post);
  update discussion_reports
  set outcome = case when hide then 'hidden' else 'kept' end, resolved_at = moment
  where post_id = the_post and outcome is null;
  if hide then update discussion_threads set answer_post_id = null where answer_post_id = the_post; end if;
  return query update discussion_posts set is_hidden = hide where id = the_post returning *;
end $$;
