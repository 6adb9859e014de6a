-- Monthly sums of progress, conversations and LLM calls, for reports of more than a year. A month is counted after
-- its days (daily-report-aggregates.sql), in steps of so many rows, and read once it is complete. Late rows and deletions change
-- the sums of their month immediately.
--
-- Locks: the schedule's row with the moment up to which days are counted (daily-report-aggregates.sql): a counting step takes it
-- exclusively, a change of a row in a month that may be counted takes it shared.

create or replace function utc_month(moment timestamptz) returns date language sql immutable as $$
  select date_trunc('month', moment at time zone 'UTC')::date
$$;

-- Without trials of prompts. Embeddings cost but are no calls of the tutor.
create or replace view tutor_call_facts as
  select id, started_at, university_id, course_id, (purpose <> 'embedding')::int as calls,
         (purpose <> 'embedding' and cost_micros is not null)::int as priced_calls,
         input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros
  from llm_calls where purpose <> 'trial';

-- Counts by opening time: conversations with their first message, and added duration.
create or replace function conversation_counts_and_durations_between(first timestamptz, past timestamptz)
returns table (measure text, course_id integer, opened_at timestamptz, amount numeric)
language sql stable parallel safe set enable_seqscan = off as $$
  select counted.measure, topic.course_id, talk.created_at, counted.amount
  from (
    select session_id, min(id) as first_id, max(id) as last_id from chat_messages
    where created_at >= first and created_at < past group by session_id offset 0
  ) as said
  join chat_sessions as talk on talk.id = said.session_id and talk.aside_of_id is null
  left join content_items as topic on topic.id = talk.content_item_id
  cross join lateral (
    select (select created_at from chat_messages where id = said.first_id) as began_at,
           (select created_at from chat_messages where id = said.last_id) as ended_at,
           (select former.created_at from chat_messages as former
            where former.session_id = said.session_id and former.id < said.first_id and former.created_at < first
            order by former.id desc limit 1) as former_end offset 0
  ) as span
  cross join lateral (values
    ('conversations', case when span.former_end is null then 1 end),
    ('conversation_milliseconds', extract(epoch from span.ended_at - coalesce(span.former_end, span.began_at)) * 1000)
  ) as counted (measure, amount)
  where counted.amount is not null
$$;

-- Stops slightly above `most` of each kind.
create or replace function capped_count_of_monthly_source_rows(first timestamptz, last timestamptz, most integer) returns integer
language sql stable set enable_seqscan = off as $$
  select (select count(*) from (
            select from user_content_progress where first_started_at >= first and first_started_at < last limit most + 1) as begun)::int
       + (select count(*) from (
            select from user_content_progress where completed_at >= first and completed_at < last limit most + 1) as done)::int
       + (select count(*) from (
            select from chat_messages where created_at >= first and created_at < last limit most + 1) as message)::int
       + (select count(*) from (
            select from llm_calls where started_at >= first and started_at < last limit most + 1) as call)::int
$$;

create or replace function add_to_monthly_measure_sum(
  the_measure text, course integer, the_month date, the_since date, the_amount numeric
) returns void language sql as $$
  insert into fact_months as kept (measure, course_id, month, since, amount)
  values (the_measure, coalesce(course, 0), the_month, the_since, the_amount)
  on conflict (measure, course_id, month, since) do update set amount = kept.amount + excluded.amount
$$;

-- Sums by university, course and day. Answers without a call are already counted by day, even deleted ones:
-- includes the days that begin in the period.
create or replace function daily_tutor_usage_between(first timestamptz, past timestamptz)
returns table (
  university_id integer, course_id integer, day date, calls bigint, priced_calls bigint, hits bigint, joined bigint,
  input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, cost_micros bigint
) language sql stable as $$
  select call.university_id, call.course_id, utc_day(call.started_at), sum(call.calls), sum(call.priced_calls), 0, 0,
         sum(call.input_tokens), sum(call.output_tokens), sum(call.cache_read_tokens), sum(call.cache_write_tokens),
         coalesce(sum(call.cost_micros), 0)
  from tutor_call_facts as call where call.started_at >= first and call.started_at < past group by 1, 2, 3
  union all
  select courses.university_id, courses.id, saved.day, 0, 0, coalesce(sum(saved.amount) filter (where saved.measure = 'hits'), 0),
         coalesce(sum(saved.amount) filter (where saved.measure = 'joined'), 0), 0, 0, 0, 0, 0
  from report_totals as saved join courses on courses.id = saved.course_id
  where saved.measure in ('hits', 'joined')
    and saved.day >= utc_day(first + interval '1 day' - interval '1 microsecond')
    and saved.day < utc_day(past + interval '1 day' - interval '1 microsecond')
  group by 1, 2, 3
$$;

create or replace function add_tutor_usage_to_days_and_months(counted tutor_report_days[], courses integer[]) returns void language plpgsql as $$
begin
  insert into tutor_report_months as kept
  select coalesce(one.university_id, 0), coalesce(one.course_id, 0), date_trunc('month', one.day)::date,
         sum(calls), sum(priced_calls), sum(hits), sum(joined), sum(input_tokens), sum(output_tokens),
         sum(cache_read_tokens), sum(cache_write_tokens), sum(cost_micros)
  from unnest(counted, courses) as one (
    university_id, day, calls, priced_calls, hits, joined, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, cost_micros, course_id)
  group by 1, 2, 3
  on conflict (university_id, course_id, month) do update
  set calls = kept.calls + excluded.calls, priced_calls = kept.priced_calls + excluded.priced_calls,
      hits = kept.hits + excluded.hits, joined = kept.joined + excluded.joined,
      input_tokens = kept.input_tokens + excluded.input_tokens, output_tokens = kept.output_tokens + excluded.output_tokens,
      cache_read_tokens = kept.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = kept.cache_write_tokens + excluded.cache_write_tokens,
      cost_micros = kept.cost_micros + excluded.cost_micros;

  insert into tutor_report_days as kept
  select coalesce(one.university_id, 0), one.day,
         sum(calls), sum(priced_calls), sum(hits), sum(joined), sum(input_tokens), sum(output_tokens),
         sum(cache_read_tokens), sum(cache_write_tokens), sum(cost_micros)
  from unnest(counted) as one group by 1, 2
  on conflict (university_id, day) do update
  set calls = kept.calls + excluded.calls, priced_calls = kept.priced_calls + excluded.priced_calls,
      hits = kept.hits + excluded.hits, joined = kept.joined + excluded.joined,
      input_tokens = kept.input_tokens + excluded.input_tokens, output_tokens = kept.output_tokens + excluded.output_tokens,
      cache_read_tokens = kept.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = kept.cache_write_tokens + excluded.cache_write_tokens,
      cost_micros = kept.cost_micros + excluded.cost_micros;
end $$;

-- Counts `most` more rows of complete months. Returns whether more is left.
create or replace function aggregate_monthly_progress_and_tutor_use(most integer) returns boolean
language plpgsql set enable_seqscan = off as $$
declare
  state counted_facts;
  days_until date;
  past timestamptz;
  reached timestamptz;
  facts integer;
  months integer;
  days integer;
  counted tutor_report_days[];
  courses integer[];
begin
  perform from scheduled_tasks where name = 'count' for update;
  insert into counted_facts select '1970-01-01', null where not exists (select from counted_facts);
  select * into state from counted_facts;
  days_until := utc_day(daily_aggregates_counted_until());
  -- Days are recounted, and with them everything since.
  if days_until < state.until then
    update counted_facts set until = '1970-01-01', reached_at = null;
    return true;
  end if;
  if state.reached_at is null then
    delete from fact_months where ctid = any (array(select ctid from fact_months limit most));
    get diagnostics facts = row_count;
    delete from tutor_report_months where ctid = any (array(select ctid from tutor_report_months limit most));
    get diagnostics months = row_count;
    delete from tutor_report_days where ctid = any (array(select ctid from tutor_report_days limit most));
    get diagnostics days = row_count;
    if greatest(facts, months, days) = most then return true; end if;
    -- There are no rows before the first of these.
    update counted_facts set (until, reached_at) = (
      select month, utc_midnight(month) from (select utc_month(least(
        utc_midnight(days_until),
        (select min(first_started_at) from user_content_progress), (select min(completed_at) from user_content_progress),
        (select min(started_at) from llm_calls), (select created_at from chat_messages order by id limit 1),
        (select utc_midnight(min(day)) from report_totals where measure = 'hits'),
        (select utc_midnight(min(day)) from report_totals where measure = 'joined'))) as month) as earliest);
    return true;
  end if;
  past := utc_midnight((state.until + interval '1 month')::date);
  if past > utc_midnight(days_until) then return false; end if;
  reached := end_of_next_counting_step(state.reached_at, past, most, true);
  insert into fact_months as kept (measure, course_id, month, since, amount)
  select measure, coalesce(course_id, 0), month, since, sum(amount) from (
    select 'topics_started' as measure, run.course_id, utc_month(state.reached_at) as month, utc_month(state.reached_at) as since, 1::numeric as amount
    from user_content_progress as mine join course_offerings as run on run.id = mine.course_offering_id
    where mine.first_started_at >= state.reached_at and mine.first_started_at < reached
    union all
    select 'topics_completed', run.course_id, utc_month(state.reached_at), utc_month(mine.first_started_at), 1
    from user_content_progress as mine join course_offerings as run on run.id = mine.course_offering_id
    where mine.completed_at >= state.reached_at and mine.completed_at < reached
    union all
    select measure, course_id, utc_month(opened_at), utc_month(opened_at), amount from conversation_counts_and_durations_between(state.reached_at, reached)
  ) as fact
  group by 1, 2, 3, 4
  on conflict (measure, course_id, month, since) do update set amount = kept.amount + excluded.amount;
  select array_agg((coalesce(one.university_id, 0), one.day, one.calls, one.priced_calls, one.hits, one.joined,
                    one.input_tokens, one.output_tokens, one.cache_read_tokens, one.cache_write_tokens,
                    one.cost_micros)::tutor_report_days),
         array_agg(one.course_id)
  into counted, courses from daily_tutor_usage_between(state.reached_at, reached) as one;
  perform add_tutor_usage_to_days_and_months(counted, courses);
  update counted_facts set until = utc_month(reached), reached_at = reached;
  return true;
end $$;

-- Locks the row until the end of the transaction; null if no facts are counted.
create or replace function lock_counting_and_read_counted_until() returns timestamptz language plpgsql as $$
begin
  perform from scheduled_tasks where name = 'count' for share;
  return (select reached_at from counted_facts);
end $$;

-- Adds or subtracts messages up to `last_id`, or all.
create or replace function add_or_subtract_conversation_in_months(talk chat_sessions, sign integer, last_id bigint) returns void
language plpgsql as $$
declare
  reached timestamptz := lock_counting_and_read_counted_until();
  began_at timestamptz;
  ended_at timestamptz;
  month date := utc_month(talk.created_at);
  course integer := (select course_id from content_items where id = talk.content_item_id);
begin
  if talk.aside_of_id is not null or reached is null then return; end if;
  select created_at into began_at from chat_messages
  where session_id = talk.id and created_at < reached and (last_id is null or id <= last_id) order by id limit 1;
  if began_at is null then return; end if;
  select created_at into ended_at from chat_messages
  where session_id = talk.id and created_at < reached and (last_id is null or id <= last_id) order by id desc limit 1;
  perform add_to_monthly_measure_sum('conversations', course, month, month, sign);
  perform add_to_monthly_measure_sum('conversation_milliseconds', course, month, month,
                       sign * extract(epoch from ended_at - began_at) * 1000);
end $$;

create or replace function add_late_call_to_monthly_sums() returns trigger language plpgsql as $$
declare
  reached timestamptz := lock_counting_and_read_counted_until();
begin
  if reached is null or new.started_at >= reached then return null; end if;
  perform add_tutor_usage_to_days_and_months(array[(
            coalesce(new.university_id, 0), utc_day(new.started_at),
            case tg_op when 'INSERT' then fact.calls else 0 end,
            fact.priced_calls - case when tg_op = 'UPDATE' and old.cost_micros is not null then fact.calls else 0 end,
            0, 0, new.input_tokens - coalesce(old.input_tokens, 0), new.output_tokens - coalesce(old.output_tokens, 0),
            new.cache_read_tokens - coalesce(old.cache_read_tokens, 0),
            new.cache_write_tokens - coalesce(old.cache_write_tokens, 0),
            coalesce(new.cost_micros, 0) - coalesce(old.cost_micros, 0))::tutor_report_days], array[new.course_id])
  from tutor_call_facts as fact where fact.id = new.id;
  return null;
end $$;

create or replace trigger count_day_of_late_row_again
  after insert or update of input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros on llm_calls
  for each row when (new.started_at < now() - interval '1 hour') execute function add_late_call_to_monthly_sums();
