-- The cost of the tutor's answers: one row per LLM call, and the budgets that a call must fit into. The statement
-- that makes a producer begins the call, and the one that ends the answer ends it.
--
-- Locks: see "cache-tree.sql", which has their one order: the user, their calls, the month of the university.

-- The lower of the platform's grant (by default its settings) and the university's own limit. Null means no limit.
create or replace function effective_tutor_limits(budget tutor_budgets, settings jsonb)
returns table (turns_per_day bigint, turns_at_once bigint, tokens_per_month bigint) language sql immutable as $$
  select least(coalesce(budget.granted_turns_per_day, (settings ->> 'turns_per_day')::bigint),
               budget.own_turns_per_day),
         least(coalesce(budget.granted_turns_at_once, (settings ->> 'turns_at_once')::bigint),
               budget.own_turns_at_once),
         least(coalesce(budget.granted_tokens_per_month, (settings ->> 'tokens_per_month')::bigint),
               budget.own_tokens_per_month)
$$;

create or replace function current_budget_month() returns date language sql stable as $$
  select date_trunc('month', service_now() at time zone 'UTC')::date
$$;

-- Reserves only if at most `most` are counted in the month then; null means no limit.
create or replace function reserve_monthly_tokens_if_left(the_university integer, reserve bigint, most bigint) returns boolean
language plpgsql as $$
begin
  if reserve > most then return false; end if;
  insert into tutor_months as used (university_id, month, tokens) values (the_university, current_budget_month(), reserve)
  on conflict (university_id, month) do update set tokens = used.tokens + excluded.tokens
    where used.tokens + excluded.tokens <= coalesce(most, used.tokens + excluded.tokens);
  return found;
end;
$$;

-- Begins the call if it fits every budget. Returns `call`, or the limit that it is `refused_by` and after how many
-- seconds to retry. `settings` has the default limits, and in `reserve` the most tokens that the call may use.
--
-- Locks the user's row, so concurrent calls see each other's usage; the month's row admits only what fits. Calls
-- that failed at no cost are no turns. The same statement makes a session with a private answer wait for it: the
-- caller must hold the session.
create or replace function begin_llm_call_within_budget(
  the_generation bigint, the_session bigint, the_question bigint, the_model text, settings jsonb,
  out call bigint, out refused_by text, out retry_after integer
) language plpgsql as $$
declare
  asked record;
  at_once bigint;
  in_day bigint;
  today timestamptz := utc_midnight(utc_day(service_now()));
  reserve bigint := (settings ->> 'reserve')::bigint;
begin
  select s.user_id, item.id as item_id, item.university_id, item.course_id, former.id as former,
         case when former.id is null then made.call_id end as drawn, made.question_id is not null as is_private, allowed.*
  into asked
  from chat_sessions as s
  join content_items as item on item.id = s.content_item_id
  join users as person on person.id = s.user_id
  join generations as made on made.id = the_generation
  left join llm_calls as former on former.id = made.call_id
  left join tutor_budgets as budget on budget.university_id = item.university_id
  cross join lateral effective_tutor_limits(budget, settings) as allowed
  where s.id = the_session
  for no key update of person;

  -- A separate statement, to see what earlier calls of the user used.
  if asked.turns_at_once is not null or asked.turns_per_day is not null then
    select
      (select count(*) from llm_calls as c join generations as g on g.call_id = c.id
       where c.user_id = asked.user_id and c.university_id = asked.university_id and c.ended_at is null
         and c.started_at > service_now() - answer_time_limit() and g.id <> the_generation
         and g.state = 'writing' and g.lease_until > clock_timestamp()),
      (select count(*) from llm_calls
       where user_id = asked.user_id and university_id = asked.university_id and started_at >= today and not is_repair
         and not (outcome in ('failed', 'timeout')
                  and greatest(input_tokens, output_tokens, cache_read_tokens, cache_write_tokens) = 0))
    into at_once, in_day;
  end if;
  if asked.turns_at_once <= at_once then
    refused_by := 'turns_at_once';
    retry_after := 5;
    return;
  end if;
  if asked.turns_per_day <= in_day then
    refused_by := 'turns_per_day';
    retry_after := greatest(1, ceil(extract(epoch from today + interval '1 day' - service_clock())));
    return;
  end if;

  if asked.former is not null then perform mark_llm_calls_lost_releasing_tokens(array[asked.former]); end if;
  if not reserve_monthly_tokens_if_left(asked.university_id, reserve, asked.tokens_per_month) then
    refused_by := 'tokens_per_month';
    retry_after := greatest(1, ceil(extract(epoch from
      utc_midnight((current_budget_month() + interval '1 month')::date) - service_clock())));
    return;
  end if;

  call := coalesce(asked.drawn, nextval('llm_calls_id_seq'));
  with begun as (
    insert into llm_calls (id, university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens)
    overriding system value
    values (call, asked.university_id, asked.course_id, asked.item_id, asked.user_id, the_question, the_model, reserve)
  ), waiting as (
    update chat_sessions set answering_generation_id = the_generation where id = the_session and asked.is_private
  )
  update generations set call_id = call where id = the_generation and asked.drawn is null;
end;
$$;

-- A separate call, but no turn of the user. The call before it ends with what it `used`. `call` is null if the
-- university's month is full (`settings` as in `begin_llm_call_within_budget`). `restarts`: the call writes the answer from the
-- beginning, as another attempt. No row: the lease is lost.
create or replace function end_call_and_begin_repair_call(
  the_generation bigint, maker uuid, former bigint, used jsonb, settings jsonb, restarts boolean
) returns table (call bigint, attempt integer) language plpgsql as $$
#variable_conflict use_column
declare
  made llm_calls;
  budget tutor_budgets;
  most bigint;
begin
  update generations as made set lease_until = least(clock_timestamp() + producer_lease_duration(), maker_until)
  where id = the_generation and token = maker and state = 'writing'
  returning made.attempt into attempt;
  if not found then return; end if;
  perform end_llm_call_and_count_usage(former, 'complete', used);
  select * into made from llm_calls where id = former;
  if made.university_id is not null then
    select * into budget from tutor_budgets where university_id = made.university_id;
    most := (effective_tutor_limits(budget, settings)).tokens_per_month;
    if not reserve_monthly_tokens_if_left(made.university_id, made.reserved_tokens, most) then
      return next;
      return;
    end if;
  end if;
  insert into llm_calls (
    university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens, is_repair, purpose, warming_id)
  values (
    made.university_id, made.course_id, made.content_item_id, made.user_id, made.message_id, made.model,
    made.reserved_tokens, true, made.purpose, made.warming_id)
  returning id into call;
  if restarts then delete from generation_pieces where generation_id = the_generation; end if;
  attempt := attempt + restarts::integer;
  update generations set call_id = call, attempt = end_call_and_begin_repair_call.attempt where id = the_generation;
  return next;
end;
$$;

-- Releases their reservations. A later report of the end is counted.
create or replace function mark_llm_calls_lost_releasing_tokens(the_calls bigint[]) returns integer language plpgsql as $$
declare
  counted integer;
begin
  with lost as (
    update llm_calls set outcome = 'lost', ended_at = service_clock()
    where id = any (the_calls) and outcome = 'started'
    returning university_id, date_trunc('month', started_at at time zone 'UTC')::date as month, reserved_tokens, purpose
  ), reserved as (
    select university_id, month, coalesce(sum(reserved_tokens) filter (where purpose <> 'trial'), 0) as tokens,
           coalesce(sum(reserved_tokens) filter (where purpose = 'trial'), 0) as trial_tokens
    from lost group by university_id, month
  ), given_back as (
    update tutor_months as used
    set tokens = used.tokens - reserved.tokens, trial_tokens = used.trial_tokens - reserved.trial_tokens
    from reserved where used.university_id = reserved.university_id and used.month = reserved.month
  )
  select count(*) into counted from lost;
  return counted;
end $$;

-- `used` is `input`, `output`, `cache_read`, `cache_write` in tokens, `cost` in micros, `first_word` in
-- milliseconds, and whether the usage is `estimated`. Idempotent; a lost call may still report its end. Returns
-- whether its university's month counts it now.
create or replace function end_llm_call_and_count_usage(the_call bigint, how text, used jsonb) returns boolean language plpgsql as $$
begin
  with before as materialized (
    select id, case outcome when 'started' then reserved_tokens else 0 end as reserved_tokens
    from llm_calls
    where id = the_call and used is not null and (
      outcome = 'started'
      or outcome = 'lost' and greatest(input_tokens, output_tokens, cache_read_tokens, cache_write_tokens) = 0
    ) for update
  ), ended as (
    update llm_calls as call
    set ended_at = service_clock(), outcome = how,
        input_tokens = coalesce((used ->> 'input')::int, 0), output_tokens = coalesce((used ->> 'output')::int, 0),
        cache_read_tokens = coalesce((used ->> 'cache_read')::int, 0),
        cache_write_tokens = coalesce((used ->> 'cache_write')::int, 0),
        cost_micros = (used ->> 'cost')::bigint, first_word_ms = (used ->> 'first_word')::int,
        usage_estimated = coalesce((used ->> 'estimated')::boolean, false)
    from before where call.id = before.id
    returning call.university_id, date_trunc('month', call.started_at at time zone 'UTC')::date as month, call.purpose,
              call.input_tokens::bigint + call.output_tokens + call.cache_read_tokens + call.cache_write_tokens
                - before.reserved_tokens as tokens
  )
  update tutor_months as used
  set tokens = used.tokens + case ended.purpose when 'trial' then 0 else ended.tokens end,
      trial_tokens = used.trial_tokens + case ended.purpose when 'trial' then ended.tokens else 0 end
  from ended where used.university_id = ended.university_id and used.month = ended.month;
  return found;
end $$;
