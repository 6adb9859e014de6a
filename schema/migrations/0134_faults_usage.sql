set local check_function_bodies = off;
--> statement-breakpoint
-- Begins the call that makes an answer for a session's open message, if it fits into every budget: `call`, or the limit
-- that it is `refused_by`, and in how many seconds it may be worth another try. `settings` holds the limits where a
-- university has none, and in `reserve` the most tokens that the call may use.
--
-- The person is held, so that of calls at once each sees those before it; the month's row lets no more in than fit.
-- What failed before it cost anything is no turn. The call has the number that the generation was begun with; one that
-- is made anew gets another. A session whose answer is private waits for it from then on, in the same statement: whoever
-- calls it holds the session.
create or replace function begin_call(
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
  cross join lateral tutor_budget_of(item.university_id, settings) as allowed
  where s.id = the_session
  for no key update of person;

  -- Another statement, which sees what the person's calls before it came to.
  if asked.turns_at_once is not null or asked.turns_per_day is not null then
    select
      (select count(*) from llm_calls as c join generations as g on g.call_id = c.id
       where c.user_id = asked.user_id and c.university_id = asked.university_id and c.ended_at is null
         and c.started_at > service_now() - answer_limit() and g.id <> the_generation
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
    retry_after := seconds_until(today + interval '1 day');
    return;
  end if;

  if asked.former is not null then perform expire_calls(array[asked.former]); end if;
  if not reserve_tokens(asked.university_id, reserve, asked.tokens_per_month) then
    refused_by := 'tokens_per_month';
    retry_after := seconds_until(utc_midnight((tutor_month() + interval '1 month')::date));
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
--> statement-breakpoint
-- Ends a call with what it used, as a JSON object: `input`, `output`, `cache_read`, `cache_write` in tokens, `cost`
-- in micros, and `first_word` in milliseconds. Asked again it changes nothing; one that was taken for lost, and has given back what it reserved, tells its
-- end after all. Answers whether its university's month counts it now.
create or replace function end_call(the_call bigint, how text, used jsonb) returns boolean language plpgsql as $$
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
        cost_micros = (used ->> 'cost')::bigint, first_word_ms = (used ->> 'first_word')::int
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
--> statement-breakpoint
-- Ends what someone was asking for a case, once: `told` has what is to be kept of it by the names of its columns, `used`
-- what its call used (as in `end_call`), null where there was none. As `waiting` it is asked again in so many seconds
-- (`retry_in`), or asked what comes next (`next_stage`). Once there is an answer it stands, whatever comes of judging it.
-- With its last case a running trial is finished. False: it is someone else's by now, or has ended.
create or replace function end_trial_case(the_case bigint, holder uuid, how text, told jsonb, used jsonb) returns boolean
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
    perform end_call(held.call_id, coalesce(told ->> 'outcome', 'complete'), used);
  end if;
  update trials set reserved_micros = reserved_micros - held.reserved_micros,
                    spent_micros = spent_micros + coalesce((used ->> 'cost')::bigint, 0)
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
--> statement-breakpoint
set local check_function_bodies = on;
