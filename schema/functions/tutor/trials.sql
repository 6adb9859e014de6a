-- Trials of prompts: which case is next, for which worker, and its cost. A worker may die at any moment: its lease
-- expires, another takes the case, and no case gets two answers. The most that a call may cost is reserved before it
-- is sent, so a trial never exceeds its limit. The reservation of a dead worker's call stays counted, because its
-- cost is unknown.
--
-- Locks: the advisory lock of all cases, only to take one; the trial; its cases; LLM calls; the month of the
-- university.

-- Trials whose waiting cases go as a batch: one is under way, or enough cases wait for their first try. Cases that a
-- batch did not answer are asked immediately.
create or replace view trials_for_batches as
  select id from trials as trial
  where batch_least is not null and state = 'running' and (
    exists (select from llm_batches where trial_id = trial.id and state in ('gathering', 'sending', 'sent'))
    or batch_least <= (
      select count(*) from trial_cases where trial_id = trial.id and state = 'waiting' and tries = 0));

-- Takes a case of the running trial with the fewest cases under way. The limit `most` counts all trials, without
-- batches. `by_batch`: whether batches exist; else no case waits for one. No row: there is none to take.
create or replace function claim_next_trial_case(most integer, held_for interval, by_batch boolean) returns setof trial_cases
language plpgsql as $$
declare
  taken trial_cases;
  trial bigint;
  batched boolean;
begin
  perform pg_advisory_xact_lock('trial_cases'::regclass::oid::int, 0);
  if most <= (select count(*) from trial_cases
              where state = 'running' and batch_id is null and leased_until > clock_timestamp()) then
    return;
  end if;
  select one.id, waits into trial, batched
  from trials as one cross join lateral (
    select by_batch and exists (select from trials_for_batches where id = one.id) as waits) as batch
  where one.state in ('running', 'stopped') and exists (
    select from trial_cases where trial_id = one.id and state in ('waiting', 'running') and batch_id is null
      and coalesce(leased_until, '-infinity') <= clock_timestamp() and (tries > 0 or not waits))
  order by (select count(*) from trial_cases
            where trial_id = one.id and state = 'running' and batch_id is null and leased_until > clock_timestamp()), one.id
  limit 1;
  if trial is null then
    -- Its last case was deleted with its topic.
    update trials as one set state = 'finished', ended_at = service_clock()
    where one.state = 'running' and not exists (
      select from trial_cases where trial_id = one.id and state in ('waiting', 'running'));
    return;
  end if;
  perform from trials where id = trial for no key update;
  select * into taken from trial_cases
  where trial_id = trial and state in ('waiting', 'running') and batch_id is null
    and coalesce(leased_until, '-infinity') <= clock_timestamp() and (tries > 0 or not batched)
  order by id limit 1 for no key update;
  if not found then return; end if;
  -- Its worker died: the call's usage is unknown.
  perform mark_llm_calls_lost_releasing_tokens(array[taken.call_id]);
  update trials set reserved_micros = reserved_micros - taken.reserved_micros, lost_micros = lost_micros + taken.reserved_micros
  where id = trial;
  return query update trial_cases as one
    set state = 'running', tries = tries + 1, token = gen_random_uuid(), call_id = null, reserved_micros = 0,
        leased_until = clock_timestamp() + held_for
    where one.id = taken.id returning one.*;
end $$;

-- `call`, or the reason against it. `reserve` and `micros` are the most that it may use; `most` is the limit of
-- trials in a university's month, null for none.
create or replace function begin_trial_call_within_budget(
  the_case bigint, holder uuid, reserve bigint, micros bigint, most bigint, held_for interval,
  out call bigint, out refused_by text
) language plpgsql as $$
declare
  trial trials;
  held trial_cases;
  university integer;
begin
  select one.* into trial from trials as one join trial_cases on trial_cases.trial_id = one.id
  where trial_cases.id = the_case for no key update of one;
  select * into held from trial_cases
  where id = the_case and token = holder and state = 'running' and call_id is null for no key update;
  if not found then
    refused_by := 'lost';
    return;
  end if;
  select university_id into university from courses where id = trial.course_id;
  if trial.state <> 'running' then
    refused_by := 'stopped';
  elsif trial.spent_micros + trial.reserved_micros + trial.lost_micros + micros > trial.limit_micros then
    refused_by := 'limit';
  elsif reserve > most then
    refused_by := 'budget';
  else
    insert into tutor_months as used (university_id, month, tokens, trial_tokens)
    values (university, current_budget_month(), 0, reserve)
    on conflict (university_id, month) do update set trial_tokens = used.trial_tokens + excluded.trial_tokens
      where used.trial_tokens + excluded.trial_tokens <= coalesce(most, used.trial_tokens + excluded.trial_tokens);
    if not found then refused_by := 'budget'; end if;
  end if;
  if refused_by is not null then
    perform end_or_requeue_trial_case(the_case, holder, 'skipped', jsonb_build_object('reason', refused_by), null);
    return;
  end if;
  insert into llm_calls (university_id, course_id, content_item_id, model, reserved_tokens, purpose, is_batch)
  values (university, trial.course_id, held.content_item_id,
          case held.stage when 'answer' then trial.model else trial.judge_model end, reserve, 'trial',
          held.batch_id is not null)
  returning id into call;
  update trial_cases set call_id = call, reserved_micros = micros, leased_until = clock_timestamp() + held_for
  where id = the_case;
  update trials set reserved_micros = trials.reserved_micros + micros where id = trial.id;
end $$;

-- Once. `told` has the columns to store, `used` the usage of its call (as in `end_llm_call_and_count_usage`), null without one. A
-- `waiting` case is asked again after `retry_in` seconds, or goes on to `next_stage`. An answer stays even if
-- judging it fails. The last case finishes a running trial. False: the case has ended or another holder.
create or replace function end_or_requeue_trial_case(the_case bigint, holder uuid, how text, told jsonb, used jsonb) returns boolean
language plpgsql as $$
declare
  held trial_cases;
  judging boolean;
begin
  perform from trials where id = (select trial_id from trial_cases where id = the_case) for no key update;
  select * into held from trial_cases where id = the_case and token = holder and state = 'running' for no key update;
  if not found then return false; end if;
  judging := held.stage <> 'answer';
  if held.call_id is not null then
    perform end_llm_call_and_count_usage(held.call_id, coalesce(told ->> 'outcome', 'complete'), used);
  end if;
  update trials set reserved_micros = reserved_micros - held.reserved_micros,
                    spent_micros = spent_micros + coalesce((used ->> 'cost')::bigint, 0),
                    calls_estimated = calls_estimated + coalesce((used ->> 'estimated')::boolean, false)::int
  where id = held.trial_id;
  update trial_cases set
    state = case when judging and how <> 'waiting' then 'answered' else how end,
    reason = case when not judging then told ->> 'reason' end,
    unjudged_reason = coalesce(told ->> 'unjudged_reason', case when judging then told ->> 'reason' end),
    stage = coalesce(told ->> 'next_stage', stage), tries = case when told ? 'next_stage' then 0 else tries end,
    token = null, batch_id = null, call_id = case when how = 'waiting' then null else call_id end, reserved_micros = 0,
    leased_until = clock_timestamp() + make_interval(secs => (told ->> 'retry_in')::float8),
    message = coalesce(told ->> 'message', message), exchanges = coalesce(told -> 'exchanges', exchanges),
    prompt_fingerprint = coalesce(told ->> 'prompt_fingerprint', prompt_fingerprint),
    answer = coalesce(told ->> 'answer', answer),
    question = case when told ? 'answer' then nullif(told -> 'question', 'null') else question end,
    key = case when told ? 'answer' then nullif(told -> 'key', 'null') else key end,
    stop = case when told ? 'answer' then told ->> 'stop' else stop end,
    checks = coalesce(nullif(told -> 'checks', 'null'), checks),
    recorded_checks = coalesce(nullif(told -> 'recorded_checks', 'null'), recorded_checks),
    judged = coalesce(nullif(told -> 'judged', 'null'), judged), verdict = coalesce(told ->> 'verdict', verdict)
  where id = the_case;
  if used is not null and judging then
    update trial_cases set judge_micros = coalesce(judge_micros, 0) + (used ->> 'cost')::bigint where id = the_case;
  elsif used is not null then
    update trial_cases set
      input_tokens = least(coalesce(input_tokens, 0)::bigint
        + (used ->> 'input')::int + (used ->> 'cache_read')::int + (used ->> 'cache_write')::int, 2147483647),
      output_tokens = least(coalesce(output_tokens, 0)::bigint + (used ->> 'output')::int, 2147483647),
      cost_micros = coalesce(cost_micros, 0) + (used ->> 'cost')::bigint
    where id = the_case;
  end if;
  update trials set state = 'finished', ended_at = service_clock()
  where id = held.trial_id and state = 'running' and not exists (
    select from trial_cases where trial_id = held.trial_id and state in ('waiting', 'running'));
  return true;
end $$;

-- Its waiting cases are not asked. No row: it has ended.
create or replace function stop_trial(the_trial bigint) returns setof trials language plpgsql as $$
declare
  stopped trials;
begin
  update trials set state = 'stopped', ended_at = service_now() where id = the_trial and state in ('ready', 'running')
  returning * into stopped;
  if not found then return; end if;
  update trial_cases set
    state = case stage when 'answer' then 'skipped' else 'answered' end,
    reason = case stage when 'answer' then 'stopped' end,
    unjudged_reason = case when stage <> 'answer' then 'stopped' end
  where trial_id = the_trial and state = 'waiting';
  -- Cancels its batch immediately.
  update llm_batches set leased_until = clock_timestamp()
  where trial_id = the_trial and state in ('gathering', 'sending', 'sent') and token is null;
  return next stopped;
end $$;
