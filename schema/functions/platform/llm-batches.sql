-- Batches of LLM calls, sent together and answered within a day. Any process can do the next step of a batch:
-- collect, send, poll or read. The row, its calls and their maximum cost are stored before sending. Each
-- request has its call's id, so a call ends once however often its batch is sent or read.
--
-- Locks: of a trial's batch the advisory lock of all cases, to take one; the batch; the trial; its cases; LLM
-- calls; the university's month.

-- Claims a due batch, or starts one if a running trial has enough waiting cases. The batch's marker holds its
-- cases. No row: no batch is due.
create or replace function claim_or_create_trial_batch(most integer, held_for interval) returns setof llm_batches
language plpgsql as $$
declare
  taken llm_batches;
  trial bigint;
begin
  perform pg_advisory_xact_lock('trial_cases'::regclass::oid::int, 0);
  select * into taken from llm_batches
  where trial_id is not null and state in ('gathering', 'sending', 'sent')
    and coalesce(leased_until, '-infinity') <= clock_timestamp()
  order by leased_until, id limit 1 for no key update skip locked;
  if found then
    return query update llm_batches as one
      set token = gen_random_uuid(), leased_until = clock_timestamp() + held_for where one.id = taken.id returning one.*;
    return;
  end if;
  select one.id into trial from trials_for_batches as one
  where not exists (select from llm_batches where trial_id = one.id and state in ('gathering', 'sending', 'sent'))
  order by one.id limit 1;
  if trial is null then return; end if;
  insert into llm_batches (trial_id, token, leased_until)
  values (trial, gen_random_uuid(), clock_timestamp() + held_for) returning * into taken;
  update trial_cases set state = 'running', tries = tries + 1, token = taken.marker, batch_id = taken.id, leased_until = null
  where id = any (array(
    select id from trial_cases where trial_id = trial and state = 'waiting' and tries = 0
    order by id limit most for no key update));
  return next taken;
end $$;

-- `calls` has each case's `id` and maximum `tokens` and `micros`; `most` is the university's monthly tokens. Cases
-- that fit get a call to send; others end with the reason. No row: another process took the step.
create or replace function begin_trial_batch_calls_within_budget(the_batch bigint, holder uuid, calls jsonb, most bigint)
returns table (one bigint, call bigint) language plpgsql as $$
#variable_conflict use_column
declare
  batch llm_batches;
  asked record;
begin
  select * into batch from llm_batches where id = the_batch and token = holder and state = 'gathering' for no key update;
  if not found then return; end if;
  for asked in
    select told.* from jsonb_to_recordset(calls) as told (id bigint, tokens bigint, micros bigint) order by told.id
  loop
    select begun.call into call from begin_trial_call_within_budget(
      asked.id, batch.marker, asked.tokens, asked.micros, most, null) as begun;
    one := asked.id;
    if call is not null then return next; end if;
  end loop;
  update llm_batches set
    requests = sums.calls, state = case sums.calls when 0 then 'ended' else 'sending' end,
    sent_at = case when sums.calls > 0 then clock_timestamp() end, ended_at = case sums.calls when 0 then clock_timestamp() end
  from (select count(*) as calls from trial_cases where batch_id = the_batch and call_id is not null) as sums
  where id = the_batch;
end $$;

-- While fewer than three of its trial or warming were refused: a fault that loses every batch would repeat forever.
create or replace function may_resend_batch(the_batch llm_batches) returns boolean language sql stable as $$
  select count(*) < 3 from llm_batches as other
  where other.state = 'refused'
    and (other.trial_id, other.warming_id) is not distinct from (the_batch.trial_id, the_batch.warming_id)
$$;

-- Unanswered cases wait for a direct call, those of an `unsent` batch for another batch. Their maximum cost stays
-- counted, since the real cost is unknown. Batches the provider never had (`refused`, `unsent`) cost nothing.
-- Idempotent.
create or replace function end_trial_batch_requeuing_unanswered(the_batch bigint, how text) returns void language plpgsql as $$
declare
  the_trial bigint;
  batch llm_batches;
  is_again boolean;
  left_over bigint[];
  micros bigint;
begin
  select trial_id into the_trial from llm_batches where id = the_batch;
  perform from trials where id = the_trial for no key update;
  update llm_batches set state = case how when 'unsent' then 'refused' else how end, ended_at = clock_timestamp(),
                         token = null, leased_until = null
  where id = the_batch and state in ('gathering', 'sending', 'sent') returning * into batch;
  if not found then return; end if;
  is_again := how = 'unsent' and may_resend_batch(batch);
  select array_agg(call_id), coalesce(sum(reserved_micros), 0) into left_over, micros
  from trial_cases where batch_id = the_batch and state = 'running';
  perform mark_llm_calls_lost_releasing_tokens(left_over);
  update trials set reserved_micros = reserved_micros - micros,
                    lost_micros = lost_micros + case batch.state when 'refused' then 0 else micros end
  where id = the_trial;
  update trial_cases set state = 'waiting', token = null, batch_id = null, call_id = null, reserved_micros = 0,
                         leased_until = null, tries = case when is_again then tries - 1 else tries end
  where batch_id = the_batch and state = 'running';
end $$;
