-- Warming a topic pre-generates its answers before a class comes, level by level. Each is an ordinary generation
-- (generations.sql), so a class that begins early joins it. A worker leases a warming (lib/tutor/warming/lease.ts).
--
-- Locks: a warming, alone; for an answer those of "cache-tree.sql", in their order.

create or replace view node_visits as
  select id as node_id, visit_count + (select count(*) from cache_visits where node_id = node.id) as visits
  from cache_nodes as node;

-- `key` has the `model`, the `prompt_fingerprint` and the `content_fingerprint` of its answers; `system_tokens` is
-- the size of a call's prompt without the path. Levels with at least `least_of_batch` answers go as batches; null
-- for none. Returns its report; null if the item has a running warming.
--
-- Plans the answers with three or more expected visits, by level, most visited first, at most `most`. The forecast
-- is the item's most recently used tree under another key, else the tree that it was copied from.
create or replace function plan_and_begin_warming(
  the_item integer, the_prompt integer, key jsonb, most integer, system_tokens integer, editor integer, request jsonb,
  least_of_batch integer
) returns json language plpgsql as $$
declare
  the_model text := key ->> 'model';
  the_prompt_fingerprint text := key ->> 'prompt_fingerprint';
  the_key text := key ->> 'content_fingerprint';
  begun warmings;
begin
  insert into warmings (
    content_item_id, prompt_id, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint,
    most_nodes, by_batch)
  select the_item, id, name, version, the_model, the_prompt_fingerprint, the_key, most,
         least_of_batch is not null
  from prompts where id = the_prompt
  on conflict (content_item_id) where state in ('waiting', 'running') do nothing
  returning * into begun;
  if begun.id is null then return null; end if;
  with recursive source as (
    select root.id
    from (select the_item as id, 0 as copies union all select id, copies from origins_of_copied_item(the_item)) as item
    join cache_nodes as root on root.content_item_id = item.id and root.parent_id is null
    where (select visits from node_visits where node_id = root.id) >= 3
      and (item.copies > 0 or (root.prompt_name, root.prompt_version, root.model, root.prompt_fingerprint,
                               root.content_fingerprint)
             is distinct from (begun.prompt_name, begun.prompt_version, the_model, the_prompt_fingerprint, the_key))
    order by item.copies, root.last_used_at desc, root.id desc limit 1
  ), former (id, path, level) as (
    select id, '["Start."]'::jsonb, 1 from source
    union all
    select child.id, former.path || to_jsonb(child.message), former.level + 1
    from former join cache_nodes as child on child.parent_id = former.id
    where former.level < 100
  ), stored (id, path) as (
    select id, '["Start."]'::jsonb
    from cache_nodes where node_key = node_key(
      the_item, null, 'Start.', begun.prompt_name, begun.prompt_version, the_model, the_prompt_fingerprint, the_key)
    union all
    select child.id, stored.path || to_jsonb(child.message)
    from stored join cache_nodes as child on child.parent_id = stored.id
     and child.prompt_name = begun.prompt_name and child.prompt_version = begun.prompt_version and child.model = the_model
     and child.prompt_fingerprint = the_prompt_fingerprint and child.content_fingerprint = the_key
  ), planned as (
    select former.path, former.level, sum(counted.visits)::bigint as expected,
           avg(coalesce(node.output_tokens, ceil(length(node.answer) / 4.0))) as answer_tokens
    from former join cache_nodes as node using (id) join node_visits as counted on counted.node_id = former.id
    where not exists (select from stored where stored.path = former.path)
    group by former.path, former.level
    having sum(counted.visits) >= 3
    order by former.level, expected desc, former.path
    limit most
  ), added as (
    insert into warming_nodes (warming_id, path, level, expected_visits)
    select begun.id, path, level, expected from planned order by level, expected desc, path
  )
  update warmings as one set
    estimated_input_tokens = sums.input, estimated_output_tokens = sums.output,
    estimated_batch_input_tokens = sums.batch_input, estimated_batch_output_tokens = sums.batch_output,
    state = case sums.calls when 0 then 'done' else one.state end,
    ended_at = case sums.calls when 0 then service_clock() end
  from (
    select count(*) as calls, coalesce(round(sum(input)), 0) as input, coalesce(round(sum(output)), 0) as output,
           coalesce(round(sum(input) filter (where is_of_batch)), 0) as batch_input,
           coalesce(round(sum(output) filter (where is_of_batch)), 0) as batch_output
    from (
      -- Each call includes the answers above it.
      select system_tokens + (level - 1) * mean.tokens as input, answer_tokens as output,
             count(*) over (partition by level) >= least_of_batch as is_of_batch
      from planned cross join (select avg(answer_tokens) + 20 as tokens from planned) as mean
    ) as calls
  ) as sums
  where one.id = begun.id;
  perform audit_tree_change('tutor_answers.warmed', the_item, null, editor, request);
  return (select report from warming_reports where id = begun.id);
end $$;

-- Includes the calls of killed workers.
create or replace view warming_reports as
  select one.id, json_build_object(
    'id', one.id, 'content_item_id', one.content_item_id, 'state', one.state, 'stop_reason', one.stop_reason,
    'prompt_name', one.prompt_name, 'prompt_version', one.prompt_version, 'model', one.model,
    'most_nodes', one.most_nodes,
    'by_batch', one.by_batch,
    'estimate', json_build_object('calls', nodes.planned, 'input_tokens', one.estimated_input_tokens,
                                  'output_tokens', one.estimated_output_tokens),
    'by_batch_of_estimate', json_build_object('input_tokens', one.estimated_batch_input_tokens,
                                              'output_tokens', one.estimated_batch_output_tokens),
    'nodes', row_to_json(nodes), 'calls', made.calls,
    'calls_estimated', made.calls_estimated, 'cost_micros', made.cost_micros,
    'created_at', one.created_at, 'started_at', one.started_at, 'ended_at', one.ended_at) as report
  from warmings as one
  cross join lateral (
    select count(*)::int as planned, count(*) filter (where state = 'waiting')::int as waiting,
           count(*) filter (where state = 'made')::int as made, count(*) filter (where state = 'found')::int as found,
           count(*) filter (where state = 'left_out')::int as left_out,
           count(*) filter (where state = 'failed')::int as failed
    from warming_nodes where warming_id = one.id
  ) as nodes
  cross join lateral (
    select count(*)::int as calls, count(*) filter (where usage_estimated)::int as calls_estimated,
           sum(cost_micros)::float8 as cost_micros
    from llm_calls
    where content_item_id = one.content_item_id and warming_id = one.id
  ) as made;

-- Null: there is none.
create or replace function cache_node_id_at_path(job warmings, the_path jsonb) returns bigint language plpgsql stable as $$
declare
  node bigint;
  part text;
begin
  for part in select value from jsonb_array_elements_text(the_path) with ordinality as said (value, number) order by number loop
    select id into node from cache_nodes where node_key = node_key(
      job.content_item_id, node, part, job.prompt_name, job.prompt_version, job.model, job.prompt_fingerprint,
      job.content_fingerprint);
    if not found then return null; end if;
  end loop;
  return node;
end $$;

-- Requests an answer of a warming, for its lease holder. The `outcome` is one of:
-- - 'found': it is stored by now, under its key or as a known answer (known-answers.sql);
-- - 'left out': the answer above is missing or does not offer its message;
-- - 'being made': it has another producer, such as a class that has begun;
-- - 'budget': the university's month has no room for the call, whose most tokens are in `budget` as for `begin_llm_call_within_budget`;
-- - 'to make': with the `generation`, its `attempt`, the `call` that has begun, and the `exchanges` on its path.
-- No row: the warming is another worker's by now, or the answer was requested before.
create or replace function claim_generation_of_warming_node(
  the_node bigint, the_token uuid, maker uuid, limit_seconds double precision, budget jsonb
) returns table (outcome text, generation bigint, attempt integer, call bigint, exchanges json) language plpgsql as $$
#variable_conflict use_column
declare
  step warming_nodes;
  job warmings;
  parent bigint;
  path bigint[] := '{}';
  said text;
  wanted cache_nodes;
  node cache_nodes;
  known bigint;
  limited_until timestamptz := clock_timestamp() + make_interval(secs => limit_seconds);
begin
  select * into step from warming_nodes where id = the_node and state = 'waiting';
  select * into job from warmings
  where id = step.warming_id and lease_token = the_token and state = 'running' and lease_until > clock_timestamp();
  if job.id is null then return; end if;
  said := step.path ->> -1;
  if step.level > 1 then
    parent := cache_node_id_at_path(job, step.path - -1);
    path := lock_nodes_to_root_shared(parent);
    -- Answers to moves are generated when a learner asks.
    if parent is null or parent <> all (path) or said like '@%' or not exists (
      select from cache_nodes as above, jsonb_each_text(above.choices) as choice
      where above.id = parent and choice.value = said
    ) then
      update warming_nodes set state = 'left_out' where id = the_node;
      outcome := 'left out';
      return next;
      return;
    end if;
  end if;

  wanted := unsaved_cache_node(
    job.content_item_id, parent, said, job.prompt_name, job.prompt_version, job.model, job.prompt_fingerprint,
    job.content_fingerprint);
  insert into generations as made (
    content_item_id, parent_id, message, prompt_fingerprint, content_fingerprint, prompt_name,
    prompt_version, model, token, lease_until, maker_until)
  values (
    job.content_item_id, parent, said, job.prompt_fingerprint, job.content_fingerprint,
    job.prompt_name, job.prompt_version, job.model, maker,
    least(clock_timestamp() + producer_lease_duration(), limited_until), limited_until)
  on conflict (node_key) where state = 'writing'
  do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                maker_until = excluded.maker_until, failures = recent_generation_failures(made)
    where made.lease_until < clock_timestamp()
  returning made.id, made.attempt into generation, attempt;
  -- The next pass sees an answer that ended before.
  select * into node from cache_nodes where node_key = wanted.node_key;
  if node.id is null and generation is not null then
    known := find_or_copy_known_answer(wanted, true);
    select * into node from cache_nodes where id = known;
  end if;
  if node.id is not null then
    delete from generations where id = generation;
    -- The producer of this warming's answer may have died before it reported it.
    update warming_nodes set state = case when node.warmed and node.created_at >= job.created_at then 'made' else 'found' end
    where id = the_node;
    outcome := 'found';
  elsif generation is null then
    outcome := 'being made';
  else
    delete from generation_pieces where generation_id = generation;
    exchanges := questions_and_answers_of_path(path);
    call := begin_warming_call_within_budget(generation, job, budget || jsonb_build_object(
      'reserve', (budget ->> 'reserve')::bigint + octet_length(exchanges::text) / 3));
    outcome := case when call is null then 'budget' else 'to make' end;
  end if;
  if outcome = 'budget' then
    -- It is then unclaimed, as if a learner's budget was used up.
    if attempt = 1 then
      delete from generations where id = generation;
    else
      update generations set lease_until = clock_timestamp() - interval '1 millisecond' where id = generation;
    end if;
  end if;
  return next;
end $$;

-- Without a user, if it fits the university's month; else null. An answer from a batch already has one: `call` in
-- the settings. `is_batch`: it is to be sent in a batch.
create or replace function begin_warming_call_within_budget(the_generation bigint, job warmings, settings jsonb) returns bigint
language plpgsql as $$
declare
  item content_items;
  reserve bigint := (settings ->> 'reserve')::bigint;
  budget tutor_budgets;
  most bigint;
  begun bigint;
begin
  if settings ? 'call' then
    begun := (settings ->> 'call')::bigint;
    update generations set call_id = begun where id = the_generation;
    return begun;
  end if;
  select * into item from content_items where id = job.content_item_id;
  select * into budget from tutor_budgets where university_id = item.university_id;
  most := (effective_tutor_limits(budget, settings)).tokens_per_month;
  perform mark_llm_calls_lost_releasing_tokens(array(select call_id from generations where id = the_generation));
  if not reserve_monthly_tokens_if_left(item.university_id, reserve, most) then return null; end if;
  insert into llm_calls (university_id, course_id, content_item_id, model, reserved_tokens, purpose, warming_id, is_batch)
  values (item.university_id, item.course_id, item.id, job.model, reserve, 'warm', job.id,
          coalesce((settings ->> 'is_batch')::boolean, false))
  returning id into begun;
  update generations set call_id = begun where id = the_generation;
  return begun;
end $$;

-- One call for each node that is offered above and not stored, as far as the month has room. No learner waits for
-- it: a class that comes early generates its own answer. No row: nothing to send.
create or replace function begin_warming_batch_within_budget(the_warming bigint, the_token uuid, the_nodes bigint[], budget jsonb)
returns table (batch bigint, node bigint, call bigint, exchanges json) language plpgsql as $$
#variable_conflict use_column
declare
  job warmings;
  step warming_nodes;
  parent bigint;
  way bigint[];
  said text;
  wanted cache_nodes;
  begun integer := 0;
begin
  select * into job from warmings
  where id = the_warming and lease_token = the_token and state = 'running' and lease_until > clock_timestamp();
  if not found then return; end if;
  insert into llm_batches (warming_id, state, sent_at) values (job.id, 'sending', clock_timestamp()) returning id into batch;
  for step in
    select * from warming_nodes where id = any (the_nodes) and state = 'waiting' and batch_id is null order by id
  loop
    said := step.path ->> -1;
    parent := null;
    way := '{}';
    if step.level > 1 then
      parent := cache_node_id_at_path(job, step.path - -1);
      way := lock_nodes_to_root_shared(parent);
      continue when parent is null or parent <> all (way) or said like '@%' or not exists (
        select from cache_nodes as above, jsonb_each_text(above.choices) as choice
        where above.id = parent and choice.value = said);
    end if;
    wanted := unsaved_cache_node(
      job.content_item_id, parent, said, job.prompt_name, job.prompt_version, job.model, job.prompt_fingerprint,
      job.content_fingerprint);
    continue when exists (select from cache_nodes where node_key = wanted.node_key)
      or find_or_copy_known_answer(wanted, true) is not null;
    exchanges := questions_and_answers_of_path(way);
    call := begin_warming_call_within_budget(null, job, budget || jsonb_build_object(
      'is_batch', true, 'reserve', (budget ->> 'reserve')::bigint + octet_length(exchanges::text) / 3));
    exit when call is null;
    update warming_nodes set batch_id = batch, call_id = call where id = step.id;
    node := step.id;
    begun := begun + 1;
    return next;
  end loop;
  update llm_batches set requests = begun, state = case begun when 0 then 'ended' else state end,
                         ended_at = case begun when 0 then clock_timestamp() end
  where id = batch;
end $$;

-- Unanswered nodes are requested immediately; nodes of a batch that never arrived (`unsent`) go into another.
-- Idempotent.
create or replace function end_warming_batch_requeuing_unanswered(the_batch bigint, how text) returns void language plpgsql as $$
declare
  batch llm_batches;
begin
  update llm_batches set state = case how when 'unsent' then 'refused' else how end, ended_at = clock_timestamp(),
                         leased_until = null
  where id = the_batch and state in ('gathering', 'sending', 'sent') returning * into batch;
  if not found then return; end if;
  perform mark_llm_calls_lost_releasing_tokens(array(select call_id from warming_nodes where batch_id = the_batch and call_id is not null));
  update warming_nodes set
    call_id = null, batch_id = case when how = 'unsent' and may_resend_batch(batch) then null else batch_id end
  where batch_id = the_batch and call_id is not null;
end $$;
