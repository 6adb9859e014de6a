set local check_function_bodies = off;
--> statement-breakpoint
drop function texts_of_item(integer);
--> statement-breakpoint
ALTER TABLE "file_texts" ADD COLUMN "characters" integer;
--> statement-breakpoint
-- What was read before is read again: its lines stand as a tutor is told them, and their length beside them.
update file_texts set content = null, read_at = null, leased_until = null, tries = 0 where read_at is not null;
--> statement-breakpoint
-- Asks for the answer to an open message of a session: `is_shared` for everyone on the path below `the_parent`, else
-- for the session alone. Answered is one of:
-- - `answer_id`: the tree had it by now, and the exchange is stored;
-- - `path_gone`: what the message followed was purged or replaced: there is no such path, and the session leaves the
--   tree, unless the message answers what it was asked;
-- - `generation`: the answer in the making to follow. Whoever `is_maker` also has to make it, from `context` and
--   `exchanges`: the path from the root, or the session's answered history. The `call` of the LLM has begun with that;
-- - `refused_by`: it would have to make it, and the budgets (llm-calls.sql) are used up, for `retry_after` seconds.
-- No row: the session is not open with that message any more.
create or replace function claim_answer(
  the_session bigint, the_token uuid, is_shared boolean, the_parent bigint, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision, budget jsonb, uses_surroundings boolean default null
) returns table (
  generation bigint, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
  node cache_nodes;
  hash text := sha256_hex(the_message);
  key text;
  known bigint;
  alive_until timestamptz;
  limited_until timestamptz;
  stopping boolean := false;
  path bigint[];
begin
  if is_shared then
    -- Held, so that the path is neither purged nor replaced while the answer is claimed.
    path := lock_path_shared(the_parent);
    select * into session from chat_sessions where id = the_session and answering_token = the_token;
  else
    -- A row that its own transaction changes twice has its references checked, where the cursor stands among them.
    perform from cache_nodes where id = (select cache_node_id from chat_sessions where id = the_session) for key share;
    select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
  end if;
  if session.id is null then return; end if;
  path_gone := false;
  is_maker := false;
  key := answer_key(
    session.item_fingerprint, session.surroundings_fingerprint, session.content_fingerprint, coalesce(
      uses_surroundings,
      (select p.uses_surroundings from prompts as p where p.name = the_prompt and p.version = the_prompt_version), true));

  if is_shared and the_parent is not null then
    if the_parent <> all (path) or (session.cache_node_id is distinct from the_parent and not exists (
      select from cache_nodes where id = session.cache_node_id and parent_id = the_parent
    )) then
      path_gone := true;
      update chat_sessions set cache_state = 'diverged'
      where id = the_session and not was_offered(the_session, the_message);
      return next;
      return;
    end if;
  end if;

  -- Whoever ends an answer between two of these looks is seen at the next. Who finds it being made draws no id.
  for look in 1..5 loop
    alive_until := clock_timestamp() + producer_lease();
    limited_until := clock_timestamp() + make_interval(secs => limit_seconds);
    if is_shared then
      with known as materialized (
        select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
        where made.content_item_id = session.content_item_id
          and coalesce(made.parent_id, 0) = coalesce(the_parent, 0) and made.message_hash = hash
          and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version and made.model = the_model
          and made.prompt_fingerprint = the_prompt_fingerprint
          and made.content_fingerprint = key
          and made.state = 'writing' and made.question_id is null
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      ), begun as (
        insert into generations as made (
          content_item_id, parent_id, message, message_hash, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, token, lease_until, maker_until)
        select
          session.content_item_id, the_parent, the_message, hash, the_prompt_fingerprint, key,
          the_prompt, the_prompt_version, the_model, maker, least(alive_until, limited_until), limited_until
        where not exists (select from known)
        on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                     prompt_fingerprint, content_fingerprint) where state = 'writing' and question_id is null
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      )
      select mine.id, mine.attempt into generation, attempt
      from (select * from taken_over union all select * from begun) as mine;
      is_maker := found;

      select * into node from cache_nodes as n
      where n.content_item_id = session.content_item_id
        and coalesce(n.parent_id, 0) = coalesce(the_parent, 0)
        and n.message_hash = hash and n.prompt_name = the_prompt and n.prompt_version = the_prompt_version
        and n.model = the_model and n.prompt_fingerprint = the_prompt_fingerprint
        and n.content_fingerprint = key
      for share;
      if not found and is_maker then
        known := known_answer(
          session.content_item_id, the_parent, the_message, hash, the_prompt, the_prompt_version, the_model,
          the_prompt_fingerprint, key, session.content_fingerprint, true);
        select * into node from cache_nodes where id = known;
      end if;
      if found then
        if is_maker then delete from generations where id = generation; end if;
        -- Someone else who listens in this session may have closed its turn meanwhile.
        select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
        if session.id is null then return; end if;
        meta := jsonb_build_object(
          'source', 'cache', 'model', the_model, 'prompt_name', the_prompt, 'prompt_version', the_prompt_version,
          'latency_ms', milliseconds_since(session.answering_since), 'cache_node_id', node.id);
        select stored.id, stored.created_at into answer_id, answered_at
        from store_answer(session.id, session.answering_message_id, node.chunks, meta, true, node.id, true) as stored;
        chunks := node.chunks;
        generation := null;
        is_maker := false;
        return next;
        return;
      end if;
      exit when is_maker;
      select made.id into generation from generations as made
      where made.content_item_id = session.content_item_id and coalesce(made.parent_id, 0) = coalesce(the_parent, 0)
        and made.message_hash = hash and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version
        and made.model = the_model and made.prompt_fingerprint = the_prompt_fingerprint
        and made.content_fingerprint = key
        and made.state = 'writing' and made.question_id is null
      for key share;
    else
      -- One that has ended already was not stored with its question yet.
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'complete';
      exit when found;
      with known as materialized (
        select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
        where made.question_id = session.answering_message_id and made.state = 'writing'
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      ), begun as (
        insert into generations as made (
          content_item_id, session_id, question_id, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, token, lease_until, maker_until)
        select
          session.content_item_id, session.id, session.answering_message_id, the_prompt_fingerprint, key, the_prompt, the_prompt_version, the_model, maker,
          least(alive_until, limited_until), limited_until
        where not exists (select from known)
        on conflict (question_id) where state = 'writing'
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      )
      select mine.id, mine.attempt, mine.stop_requested into generation, attempt, stopping
      from (select * from taken_over union all select * from begun) as mine;
      is_maker := found;
      exit when is_maker;
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'writing';
    end if;
    exit when found;
  end loop;
  if generation is null then return; end if;
  update chat_sessions set answering_generation_id = generation
  where id = the_session and answering_token = the_token;

  if stopping then
    -- Its maker died after the learner had stopped it: what it had said is the answer.
    update llm_calls set outcome = 'lost', ended_at = service_clock()
    where id = (select call_id from generations where id = generation) and outcome = 'started';
    perform finish_generation(generation, maker, coalesce((
      select jsonb_agg(chunk order by piece.first_chunk, number)
      from generation_pieces as piece, jsonb_array_elements(piece.chunks) with ordinality as part (chunk, number)
      where piece.generation_id = generation), '[]'), null, null, 'stopped', null, null);
    is_maker := false;
  elsif is_maker then
    delete from generation_pieces where generation_id = generation;
    context := with_file_texts(session.content_context, (budget ->> 'material')::integer);
    exchanges := case when is_shared then shared_path(path)
                      else answered_history(session.id, session.answering_message_id) end;
    select begun.call, begun.refused_by, begun.retry_after into call, refused_by, retry_after
    from begin_call(generation, the_session, session.answering_message_id, the_model,
      budget || jsonb_build_object('reserve',
        (budget ->> 'reserve')::bigint + most_tokens(context, exchanges, (budget ->> 'material')::int))) as begun;
    if refused_by is not null then
      -- It is nobody's then: whoever wants it too makes it, on a budget of their own.
      if attempt = 1 then
        delete from generations where id = generation;
      else
        update generations set lease_until = clock_timestamp() - interval '1 millisecond' where id = generation;
      end if;
      update chat_sessions set answering_generation_id = null where id = the_session and answering_token = the_token;
      generation := null;
      is_maker := false;
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
create or replace function feedback_files_of(the_submission bigint) returns jsonb language plpgsql as $$
begin
  return file_summaries(array(select file_id from file_uses where graded_submission_id = the_submission order by place, id));
end $$;
--> statement-breakpoint
-- Of files in that order.
create or replace function file_summaries(ids bigint[]) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(file_summary(one) order by number), '[]')
  from unnest(ids) with ordinality as listed (id, number) join files as one on one.id = listed.id
$$;
--> statement-breakpoint
-- The files of an item that its learners are shown and that have a text, with how many characters that has.
create or replace function file_texts_of_item(item integer)
returns table (file_id bigint, name text, sha256 text, characters integer) language sql stable as $$
  select distinct on (file.id) file.id, file.name, object.sha256, told.characters
  from file_uses as used
  join files as file on file.id = used.file_id and file.state = 'ready'
  join stored_objects as object on object.id = file.object_id
  join file_texts as told on told.object_id = object.id and told.characters > 0
  where used.content_item_id = item and not used.is_for_staff
  order by file.id
$$;
--> statement-breakpoint
create or replace function files_of_post(the_post bigint) returns jsonb language plpgsql as $$
begin
  return file_summaries(array(select file_id from file_uses where post_id = the_post order by place, id));
end $$;
--> statement-breakpoint
create or replace function files_of_submission(the_submission bigint) returns jsonb language plpgsql as $$
begin
  return file_summaries(array(select file_id from file_uses where submission_id = the_submission order by place, id));
end $$;
--> statement-breakpoint
-- Where `ids` is null they stay as they are.
create or replace function put_files_with_feedback(work lab_submissions, grader integer, ids bigint[]) returns bigint
language plpgsql as $$
begin
  if ids is null then return null; end if;
  return replace_files(
    jsonb_populate_record(null::file_uses, jsonb_build_object('graded_submission_id', work.id)), ids, grader, 'feedback',
    jsonb_build_object('submission_id', work.id));
end $$;
--> statement-breakpoint
create or replace function put_files_with_post(the_post bigint, offering integer, person integer, ids bigint[]) returns bigint
language plpgsql as $$
begin
  return replace_files(
    jsonb_populate_record(null::file_uses, jsonb_build_object('post_id', the_post)), ids, person, 'post',
    jsonb_build_object('course_offering_id', offering));
end $$;
--> statement-breakpoint
-- Hangs a person's files with the post or the feedback that `target` names, in this order, in place of those that hung there;
-- answers the first that may not.
create or replace function replace_files(target file_uses, ids bigint[], person integer, the_purpose text, place jsonb)
returns bigint language plpgsql as $$
declare
  former file_uses[] := array(
    select used from file_uses as used
    where used.graded_submission_id = target.graded_submission_id or used.post_id = target.post_id);
  kept bigint[] := array(select file_id from unnest(former) where file_id = any (ids));
  misplaced bigint := first_misplaced_file(
    array(select id from unnest(ids) with ordinality as given (id, number) where id <> all (kept) order by number),
    person, the_purpose, place);
begin
  if misplaced is not null then return misplaced; end if;
  delete from file_uses where id in (select id from unnest(former) where file_id <> all (kept));
  update file_uses as used set place = array_position(ids, used.file_id)
  where used.id in (select id from unnest(former) where file_id = any (kept))
    and used.place <> array_position(ids, used.file_id);
  insert into file_uses (file_id, graded_submission_id, post_id, place)
  select id, target.graded_submission_id, target.post_id, number from unnest(ids) with ordinality as given (id, number)
  where id <> all (kept);
  return null;
end $$;
--> statement-breakpoint
-- The snapshot of an item with the first characters of its files' texts, as its tutor is told them: they are found by the
-- bytes that they were read from, and null where those have gone.
create or replace function with_file_texts(context jsonb, most integer) returns jsonb language sql stable as $$
  select case when jsonb_typeof(context -> 'file_texts') = 'array' then
    context || jsonb_build_object('file_texts', (
      select jsonb_agg(one || jsonb_build_object('content', (
        select left(told.content, most)
        from stored_objects as object join file_texts as told on told.object_id = object.id
        where object.university_id = (context ->> 'university_id')::integer and object.sha256 = one ->> 'sha256'
          and told.content is not null
        order by object.going_at nulls first limit 1)) order by number)
      from jsonb_array_elements(context -> 'file_texts') with ordinality as listed (one, number)))
  else context end
$$;
--> statement-breakpoint
set local check_function_bodies = on;
