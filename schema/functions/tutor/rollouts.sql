-- Rollouts of tutor prompts: which conversations get a new version first, and how the two arms compare. A name has
-- one running rollout. An ended row no longer changes, except for the topics that a promotion has to warm.
--
-- Locks: the advisory lock of all prompts, to begin or promote one; the notified users, because an erasure locks its
-- user before it removes their name; the rollout; notifications.

-- Against the version labeled production. `settings` has the `share` and the `unit`, the `universities` (null for
-- all), and the limits at which to `stop`. `refusal`: 'changed' if a label has moved since `seen`, the last change
-- that the caller read; 'running' if the name has one already. The caller may not change what reaches `production`
-- and carries one of the `guarded` labels.
create or replace function begin_rollout(
  candidate integer, base integer, seen integer, settings jsonb, guarded text[], person integer, request jsonb
) returns table (refusal text, rollout prompt_rollouts) language plpgsql as $$
begin
  perform lock_all_prompts();
  perform refuse_label_move_affecting_guarded_prompts((select name from prompts where id = candidate), '{production}', guarded);
  -- A text with inlined references stays the same until the next move of a label.
  if seen <> (select coalesce(max(id), 0) from prompt_label_events) then
    refusal := 'changed';
    return next;
    return;
  end if;
  insert into prompt_rollouts as begun (prompt_name, candidate_id, candidate_version, base_id, base_version, share, unit,
    universities, stop, author_id, approved_by)
  select new.name, new.id, new.version, old.id, old.version, (settings ->> 'share')::integer, settings ->> 'unit',
         case when jsonb_typeof(settings -> 'universities') = 'array'
              then array(select one::integer from jsonb_array_elements_text(settings -> 'universities') as one) end,
         settings -> 'stop', new.created_by, person
  from prompts as new, prompts as old where new.id = candidate and old.id = base
  on conflict (prompt_name) where state = 'running' do nothing
  returning begun.* into rollout;
  if rollout.id is null then
    refusal := 'running';
  else
    perform audit('prompt.rollout_started', person, null, null, jsonb_build_object(
      'name', rollout.prompt_name, 'version', rollout.candidate_version, 'rollout_id', rollout.id,
      'share', rollout.share), request);
  end if;
  return next;
end $$;

-- `how` is the new state. The first of concurrent calls wins. No row: it has ended.
create or replace function end_rollout(the_rollout integer, how text, why text, person integer, request jsonb)
returns setof prompt_rollouts language plpgsql as $$
declare
  ended prompt_rollouts;
begin
  update prompt_rollouts set state = how, stop_reason = why, ended_by = person, ended_at = service_clock(),
                             warmed_to = case how when 'promoted' then 0 end
  where id = the_rollout and state = 'running' returning * into ended;
  if not found then return; end if;
  perform audit('prompt.rollout_' || how, person, null, null, jsonb_strip_nulls(jsonb_build_object(
    'name', ended.prompt_name, 'version', ended.candidate_version, 'rollout_id', ended.id, 'share', ended.share,
    'stop_reason', ended.stop_reason)), request);
  return next ended;
end $$;

-- Notifies the candidate's author and approver, except the caller. No row: it has ended.
create or replace function stop_rollout_and_notify(the_rollout integer, why text, person integer, request jsonb)
returns setof prompt_rollouts language plpgsql as $$
declare
  ended prompt_rollouts;
begin
  perform from users where id in (
    select unnest(array[author_id, approved_by]) from prompt_rollouts where id = the_rollout) order by id for key share;
  select * into ended from end_rollout(the_rollout, 'stopped', why, person, request);
  if not found then return; end if;
  perform notify(
    array(select one from unnest(array[ended.author_id, ended.approved_by]) as one where one is distinct from person),
    'rollout_stopped', 'rollout:' || ended.id, service_now());
  update notifications set prompt_rollout_id = ended.id
  where user_id in (ended.author_id, ended.approved_by) and kind = 'rollout_stopped' and cause = 'rollout:' || ended.id;
  return next ended;
end $$;

-- As `set_prompt_labels` does. No row: it has ended.
create or replace function promote_rollout(
  the_rollout integer, guarded text[], person integer, deepest integer, longest integer, request jsonb
) returns setof prompt_rollouts language plpgsql as $$
declare
  ended prompt_rollouts;
begin
  perform lock_all_prompts();
  select * into ended from end_rollout(the_rollout, 'promoted', null, person, request);
  if not found then return; end if;
  perform set_prompt_labels(
    ended.prompt_name, ended.candidate_version,
    array(select label::text from prompt_labels where prompt_id = ended.candidate_id and label <> 'latest') || '{production}',
    guarded, person, deepest, longest);
  return next ended;
end $$;

-- Where the former version was visited enough to warm. The next call continues after them. Null: all were checked,
-- or another worker has it.
create or replace function take_next_topics_to_warm(the_rollout integer, most integer) returns integer[] language plpgsql as $$
declare
  job prompt_rollouts;
  looked integer[];
begin
  select * into job from prompt_rollouts
  where id = the_rollout and warmed_to is not null for no key update skip locked;
  if not found then return null; end if;
  looked := array(select id from content_items where id > job.warmed_to order by id limit most);
  update prompt_rollouts set warmed_to = looked[cardinality(looked)] where id = the_rollout;
  if looked = '{}' then return null; end if;
  return array(
    select item.id from unnest(looked) as item (id) where exists (
      select from cache_nodes as root
      where root.content_item_id = item.id and root.parent_id is null
        and root.prompt_name = job.prompt_name and root.prompt_version = job.base_version
        and (select visits from node_visits where node_id = root.id) >= 3));
end $$;
