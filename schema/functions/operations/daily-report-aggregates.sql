-- Daily sums for reports: activity, and answers of the tutor. The schedule counts complete days; later rows are read
-- from events and messages. Counts survive deletions, and reading a report writes nothing.
--
-- A day is counted in steps of so many events and messages, and read once it is complete.
--
-- Locks: the schedule's row with the moment up to which is counted. A counting step takes it exclusively; deletes of
-- counted rows and late inserts take it shared. A late insert also locks the counts of its user.

-- The clock may be set back.
create or replace function daily_aggregates_counted_until() returns timestamptz language sql stable parallel safe as $$
  select least(begun_at, utc_midnight(utc_day(service_now()))) from scheduled_tasks where name = 'count'
$$;

-- Inside a day that is not read yet, or the midnight from which days are recounted.
create or replace function moment_reached_by_counting_task(counting scheduled_tasks) returns timestamptz language sql stable as $$
  select case when utc_midnight(utc_day(counting.reached_at)) = counting.begun_at
    then counting.reached_at else counting.begun_at end
$$;

-- True if too much is uncounted to compute within a request, as after a bulk load: in one course, or anywhere
-- without one. The plan must use the index for uncounted rows: a plan without the known moment would scan
-- everything.
create or replace function has_too_much_uncounted_activity(course integer) returns boolean
language sql stable parallel safe set enable_seqscan = off as $$
  select case when course is null then
    exists (select from activity_events where occurred_at >= (select daily_aggregates_counted_until()) offset 100000)
    or exists (select from stale_trees offset 5000)
    or exists (select distinct course_offering_id, user_id from stale_trees offset 500)
  else exists (
    select from activity_events
    where university_id = (select university_id from courses where id = course) and occurred_at >= (select daily_aggregates_counted_until())
    offset 100000
  ) or exists (select from stale_course_trees where course_id = course offset 5000)
    or exists (
      select distinct course_offering_id, user_id from stale_course_trees where course_id = course offset 500) end
$$;

create or replace function has_too_many_uncounted_answers(university integer) returns boolean
language sql stable parallel safe set enable_seqscan = off as $$
  select case when university is null then
    exists (select from chat_messages where created_at >= (select daily_aggregates_counted_until()) offset 100000)
  else exists (
    select from activity_events
    where university_id = university and verb = 'asked' and occurred_at >= (select daily_aggregates_counted_until()) offset 100000
  ) end
$$;

-- All, found by their moment, or those of one university, in the conversations with a question there since the day
-- before. Empty if there are too many.
create or replace function uncounted_answers_unless_too_many(university integer) returns setof answer_facts
language sql stable parallel safe set enable_seqscan = off as $$
  select * from answer_facts
  where university is null and moment >= (select daily_aggregates_counted_until()) and not (select has_too_many_uncounted_answers(null))
  union all
  select fact.* from (
    select distinct talk.id from activity_events as event
    join chat_sessions as talk on talk.user_id = event.user_id and talk.content_item_id = event.content_item_id
    where event.university_id = university and event.verb = 'asked'
      and event.occurred_at >= (select daily_aggregates_counted_until()) - interval '1 day' and not (select has_too_many_uncounted_answers(university))
  ) as asked join answer_facts as fact on fact.session_id = asked.id
  where fact.moment >= (select daily_aggregates_counted_until())
$$;

-- Groups by day, user, topic and course, at one university or anywhere. Time on a topic is the gap between two
-- actions there, up to half an hour; over midnight it counts on the later day. The last action before the period is
-- looked up. The university's day is included where it differs from that of UTC.
create or replace function daily_activity_between(first timestamptz, last timestamptz, university integer)
returns setof activity_days language sql stable parallel safe as $$
  select utc_day(occurred_at), user_id, content_item_id, course_id,
         coalesce(sum(extract(epoch from occurred_at - before) * 1000)
           filter (where occurred_at - before <= interval '30 minutes'), 0)::int,
         count(*) filter (where verb = 'asked')::int,
         nullif(day_in_zone(occurred_at, time_zone, past_day), utc_day(occurred_at))
  from (
    select e.user_id, e.content_item_id, e.verb, e.occurred_at, e.course_id, e.university_id,
           case when e.content_item_id is not null then coalesce(e.before,
             case when e.occurred_at < first + interval '30 minutes' then (
               select max(earlier.occurred_at) from activity_events as earlier
               where earlier.content_item_id = e.content_item_id and earlier.user_id = e.user_id
                 and earlier.occurred_at >= first - interval '30 minutes' and earlier.occurred_at < first
             ) end) end as before
    from (
      select done.user_id, done.content_item_id, done.verb, done.occurred_at, done.university_id,
             coalesce(topic.course_id, run.course_id) as course_id,
             lag(done.occurred_at) over (
               partition by done.user_id, done.content_item_id order by done.occurred_at) as before
      from (
        select * from activity_events where university is null and occurred_at >= first and occurred_at < last
        union all
        select * from activity_events
        where university_id = university and occurred_at >= first and occurred_at < last
      ) as done
      left join content_items as topic on topic.id = done.content_item_id
      left join course_offerings as run on run.id = done.course_offering_id
    ) as e
  ) as event left join university_zones as zone
    on zone.university_id = event.university_id and event.occurred_at >= zone.starts_at and event.occurred_at < zone.ends_at
  group by 1, 2, 3, 4, 7
$$;

-- Reads one course, or all without one. Empty if there is too much.
create or replace function uncounted_daily_activity_unless_too_much(course integer) returns setof activity_days
language sql stable parallel safe as $$
  select * from daily_activity_between(
    (select daily_aggregates_counted_until()), 'infinity', (select university_id from courses where id = course))
  where (course is null or course_id = course) and not (select has_too_much_uncounted_activity(course))
$$;

-- All activity. User ids below zero are erased accounts.
create or replace view activity as
  select * from activity_days where day < utc_day((select daily_aggregates_counted_until())) or user_id < 0
  union all
  select * from uncounted_daily_activity_unless_too_much(null);

-- Stops slightly above `most` of each. Uses the BRIN indexes: no other index is in the order of moments.
create or replace function capped_count_of_events_and_messages(first timestamptz, last timestamptz, most integer) returns integer
language sql stable set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off as $$
  select (select count(*) from (
            select from activity_events where occurred_at >= first and occurred_at < last limit most + 1) as event)::int
       + (select count(*) from (
            select from chat_messages where created_at >= first and created_at < last limit most + 1) as message)::int
$$;

-- The latest moment with at most `most` rows, of monthly facts (monthly-aggregates.sql) or of events and messages. One
-- moment is never divided.
create or replace function end_of_next_counting_step(first timestamptz, past timestamptz, most integer, of_facts boolean) returns timestamptz
language plpgsql stable as $$
declare
  span interval := '1 minute';
  is_growing boolean := true;
  counted integer;
begin
  loop
    counted := case when of_facts then capped_count_of_monthly_source_rows(first, least(first + span, past), most)
                    else capped_count_of_events_and_messages(first, least(first + span, past), most) end;
    if is_growing and first + span < past and counted <= most / 2 then
      span := span * 2;
    else
      is_growing := false;
      exit when counted <= most or span <= interval '1 millisecond';
      span := greatest(span / 2, interval '1 millisecond');
    end if;
  end loop;
  return least(first + span, past);
end $$;

-- Returns whether more is left. A day is counted three hours after its end: all its rows are committed by then.
-- Only the first day of a step may be partly counted.
create or replace function aggregate_daily_activity_and_answers(most integer) returns boolean language plpgsql set enable_seqscan = off as $$
declare
  past timestamptz := utc_midnight(utc_day(service_now() - interval '3 hours'));
  counting scheduled_tasks;
  first timestamptz;
  last timestamptz;
  days integer;
  sums integer;
begin
  select * into counting from scheduled_tasks where name = 'count' for update;
  first := moment_reached_by_counting_task(counting);
  if first > past then
    update scheduled_tasks set begun_at = past, reached_at = null where name = 'count';
    return true;
  end if;
  -- Recounts days from here, as after an upgrade or when the clock was set back: deletes some of their counts first.
  if first is distinct from counting.reached_at then
    update counted_months set until = date_trunc('month', utc_day(first) - 1), people_to = -2147483648
    where (until, people_to) > (date_trunc('month', utc_day(first) - 1)::date, -2147483648);
    update counted_facts set until = '1970-01-01', reached_at = null where reached_at > utc_midnight(utc_day(first));
    delete from activity_days where ctid = any (array(
      select ctid from activity_days where day >= utc_day(first) and user_id > 0 order by day limit most));
    get diagnostics days = row_count;
    delete from report_totals where ctid = any (array(
      select ctid from report_totals
      where measure in ('hits', 'misses', 'joined') and day >= utc_day(first) and not is_kept limit most));
    get diagnostics sums = row_count;
    if greatest(days, sums) < most then
      update scheduled_tasks set reached_at = first where name = 'count';
    end if;
    return true;
  end if;
  if first = past then return false; end if;
  last := end_of_next_counting_step(first, past, most, false);
  update scheduled_tasks set begun_at = utc_midnight(utc_day(last)), reached_at = last where name = 'count';
  with fresh as materialized (
    select done.*, case when done.day = utc_day(first) then (
             select former.ctid from activity_days as former
             where former.user_id = done.user_id and former.day = done.day
               and former.content_item_id is not distinct from done.content_item_id
               and former.course_id is not distinct from done.course_id
               and former.local_day is not distinct from done.local_day limit 1
           ) end as former
    from daily_activity_between(first, last, null) as done
  ), added as (
    update activity_days as day
    set milliseconds = day.milliseconds + fresh.milliseconds, questions = day.questions + fresh.questions
    from fresh where day.ctid = fresh.former
  )
  insert into activity_days
  select day, user_id, content_item_id, course_id, milliseconds, questions, local_day from fresh where former is null;

  with fresh as materialized (
    select answers.*, case when answers.day = utc_day(first) then (
             select former.ctid from report_totals as former
             where former.measure = answers.measure and former.day = answers.day
               and former.course_id is not distinct from answers.course_id and not former.is_kept limit 1
           ) end as former
    from (
      select measure, course_id, utc_day(moment) as day, count(*) as amount
      from answer_facts where moment >= first and moment < last group by 1, 2, 3
    ) as answers
  ), added as (
    update report_totals as total set amount = total.amount + fresh.amount from fresh where total.ctid = fresh.former
  )
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, day, amount, false from fresh where former is null;
  return last < past;
end $$;

-- Applies if their moment is already counted: the user's whole day, and the effect on an answer. Each insert
-- prepares the condition, so it calls no function.
create or replace function count_day_of_late_row_again() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  counting scheduled_tasks;
  counted timestamptz;
  told timestamptz := (to_jsonb(new) ->> tg_argv[0])::timestamptz;
  following date := utc_day(told + interval '30 minutes');
  -- A university's day may begin a day earlier or end a day later.
  first_month date := date_trunc('month', utc_day(told) - 1);
  months_past date;
  former report_months[];
  changed_to date;
  reached timestamptz;
  talk chat_sessions;
begin
  select * into counting from scheduled_tasks where name = 'count' for share;
  counted := moment_reached_by_counting_task(counting);
  if told >= counted then return null; end if;
  if tg_table_name = 'chat_messages' then
    insert into report_totals (measure, course_id, day, amount, is_kept)
    select measure, course_id, utc_day(moment), amount, false from answer_facts where message_id = new.id;
    reached := lock_counting_and_read_counted_until();
    if told < reached then
      select * into talk from chat_sessions where id = new.session_id;
      -- Later rows of the same statement are already visible.
      perform add_or_subtract_conversation_in_months(talk, -1, new.id - 1);
      perform add_or_subtract_conversation_in_months(talk, 1, new.id);
      perform add_tutor_usage_to_days_and_months(array[(
                courses.university_id, utc_day(told), 0, 0, (fact.measure = 'hits')::int,
                (fact.measure = 'joined')::int, 0, 0, 0, 0, 0)::tutor_report_days], array[courses.id])
      from answer_facts as fact join courses on courses.id = fact.course_id
      where fact.message_id = new.id and fact.measure in ('hits', 'joined');
    end if;
  else
    perform pg_advisory_xact_lock(hashtextextended('activity of person ' || new.user_id, 0));
    months_past := (
      select (until + case when new.user_id <= people_to then interval '1 month' else interval '0' end)::date
      from counted_months);
    if first_month < months_past then
      former := array(select monthly_activity_sums(array[new.user_id], first_month, months_past));
    end if;
    delete from activity_days where user_id = new.user_id and day in (utc_day(told), following);
    insert into activity_days
    select * from daily_activity_between(utc_midnight(utc_day(told)), least(counted, utc_midnight(following + 1)), null)
    where user_id = new.user_id;
    if first_month < months_past then
      changed_to := date_trunc('month', following);
      delete from activity_months as one where one.user_id = new.user_id and one.month between first_month and changed_to;
      perform insert_monthly_activity_of_people(
        array[new.user_id], first_month, least(months_past, (changed_to + interval '1 month')::date));
      insert into report_months (measure, course_id, month, since, amount, university_id)
      select one.measure, one.course_id, one.month, one.since, sum(one.amount), one.university_id from (
        select measure, course_id, month, since, -amount as amount, university_id from unnest(former)
        union all
        select measure, course_id, month, since, amount, university_id
        from monthly_activity_sums(array[new.user_id], first_month, months_past)
      ) as one
      group by 1, 2, 3, 4, 6 having sum(one.amount) <> 0;
    end if;
  end if;
  return null;
end $$;

create or replace trigger count_again after insert on activity_events
  for each row when (new.occurred_at < now() - interval '1 hour') execute function count_day_of_late_row_again('occurred_at');
create or replace trigger count_again after insert on chat_messages
  for each row when (new.created_at < now() - interval '1 hour') execute function count_day_of_late_row_again('created_at');

-- Keeps the counts. The conversation's part of a day goes when that day is recounted.
create or replace function add_deleted_conversation_to_totals() returns trigger language plpgsql as $$
declare
  counting scheduled_tasks;
begin
  select * into counting from scheduled_tasks where name = 'count' for share;
  perform add_or_subtract_conversation_in_months(old, -1, null);
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, utc_day(moment), amount, true from conversation_facts
  where session_id = old.id and amount is not null
  union all
  select said.measure, topic.course_id, utc_day(old.created_at), said.amount, true
  from content_items as topic cross join lateral (values
    ('chat_sessions', 1), ('chat_messages', (select count(*) from chat_messages where session_id = old.id))
  ) as said (measure, amount)
  where topic.id = old.content_item_id and said.amount > 0
  union all
  select measure, course_id, utc_day(moment), state.sign * count(*), state.sign > 0
  from answer_facts cross join (values (1), (-1)) as state (sign)
  where session_id = old.id and (state.sign > 0 or moment < moment_reached_by_counting_task(counting))
  group by measure, course_id, utc_day(moment), state.sign;
  return old;
end $$;

create or replace trigger add_deleted_conversation_to_totals before delete on chat_sessions for each row execute function add_deleted_conversation_to_totals();

-- The totals of each user's rows that an erasure deletes, and of others: rows that stay cancel out before and after.
create or replace view personal_totals as
  select user_id, measure, course_id, utc_day(moment) as day, utc_day(since) as since, sum(amount) as amount,
         null::int as course_offering_id, null::date as local_day
  from (table community_facts union all table assessment_facts) as fact
  where moment is not null
    and measure in ('notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'labs_submitted', 'labs_graded',
                    'labs_scored', 'lab_scores', 'assignments_submitted', 'assignments_graded', 'assignments_scored',
                    'assignment_scores')
  group by 1, 2, 3, 4, 5
  union all
  select own.user_id, counted.measure, run.course_id, utc_day(counted.moment), null, count(*), run.id,
         nullif(university_day(run.university_id, counted.moment), utc_day(counted.moment))
  from certificates as own join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('certificates_issued', case when own.replaces_id is null then own.issued_at end),
    ('certificates_revoked', own.revoked_at)) as counted (measure, moment)
  where counted.moment is not null group by 1, 2, 3, 4, 7, 8;

-- Except conversations, with at most `most` ungraded submissions. Empties rows that stay for statistics; posts and
-- threads keep their positions.
create or replace function erase_personal_data_keeping_statistics(person integer, most integer default 1000) returns void language plpgsql as $$
declare
  former report_totals[] := array(
    select (measure, course_id, day, since, amount, true, course_offering_id, local_day)::report_totals
    from personal_totals where user_id = person);
  touched integer[] := array(
    select thread_id from discussion_posts where user_id = person
    union select id from discussion_threads where person in (created_by_user_id, learner_user_id));
begin
  perform from discussion_threads where id = any (touched) order by id for no key update;
  update discussion_threads set answer_post_id = null
  where id = any (touched)
    and answer_post_id in (select id from discussion_posts where user_id = person and not is_deleted);
  update discussion_posts set body = '', is_deleted = true, user_id = null where user_id = person;
  update discussion_threads set title = null, created_by_user_id = null where created_by_user_id = person;
  -- Private posts from staff concern the person: text and files are deleted, and the posts still count.
  delete from files where id in (
    select used.file_id from file_uses as used join discussion_posts as post on post.id = used.post_id
    join discussion_threads as thread on thread.id = post.thread_id where thread.learner_user_id = person);
  update discussion_posts set body = '', is_hidden = true
  where thread_id in (select id from discussion_threads where learner_user_id = person);
  update discussion_threads set title = null, learner_user_id = null where learner_user_id = person;
  delete from tutor_handovers where user_id = person;
  perform erase_files_of_person(person, service_now());
  delete from lab_submissions where user_id = person and id = any (array(
    select id from lab_submissions where user_id = person and status <> 'graded' limit most));
  delete from certificates where user_id = person;
  -- Results stay. Nobody can resume, so comments, answers and suspend data of the person go.
  update scorm_attempts
  set scos = (select jsonb_object_agg(key, value - 'cmi') from jsonb_each(scos)), sequencing = null
  where user_id = person and scos <> '{}' and (sequencing is not null or jsonb_path_exists(scos, '$.*.cmi'));
  update course_reviews set review_text = null where user_id = person and review_text is not null;
  update llm_calls set user_id = null where user_id = person;
  -- With their roles.
  delete from university_members where user_id = person;
  delete from course_offering_instructors where user_id = person;
  delete from offering_staff where user_id = person;
  delete from lti_people where user_id = person;
  delete from lti_score_marks where user_id = person;
  update lti_rosters set asked_by_user_id = null where asked_by_user_id = person;
  update one_roster_sources set created_by_user_id = null where created_by_user_id = person;
  delete from lti_launch_codes where user_id = person;
  update lti_contexts set bound_by_user_id = null where bound_by_user_id = person;
  delete from course_exemptions where user_id = person;
  delete from quiz_overrides where user_id = person;
  -- Graded work keeps its anonymous code.
  delete from anonymous_codes as one where one.user_id = person
    and not exists (select from lab_submissions as work where work.user_id = person
      and work.course_offering_id = one.course_offering_id and work.content_item_id = one.content_item_id)
    and not exists (select from quiz_attempts as work where work.user_id = person
      and work.course_offering_id = one.course_offering_id and work.content_item_id = one.content_item_id);
  delete from offering_group_members where user_id = person;
  delete from invitations where accepted_by_user_id = person;
  delete from import_rows where user_id = person;
  delete from sourced_people where user_id = person;
  delete from scim_users where user_id = person;
  update data_requests set correction = null where user_id = person and correction is not null;
  delete from user_identities where user_id = person;
  delete from user_profiles where user_id = person;
  delete from user_subject_preferences where user_id = person;
  delete from one_time_tokens where user_id = person;
  delete from mail_outbox where user_id = person;
  delete from calendar_addresses where user_id = person;
  delete from notifications where user_id = person;
  delete from notification_preferences where user_id = person;
  delete from announcement_reads where user_id = person;
  delete from trial_votes where user_id = person;
  delete from discussion_reports where user_id = person;
  delete from feature_requests where user_id = person;
  delete from notes where user_id = person;
  delete from flashcards where user_id = person;
  delete from flashcard_decks where user_id = person;
  insert into report_totals (measure, course_id, day, since, amount, is_kept, course_offering_id, local_day)
  select measure, course_id, day, since, sum(amount), true, course_offering_id, local_day
  from (
    select measure, course_id, day, since, amount, course_offering_id, local_day from unnest(former)
    union all
    select measure, course_id, day, since, -amount, course_offering_id, local_day
    from personal_totals where user_id = person
  ) as counted
  group by measure, course_id, day, since, course_offering_id, local_day having sum(amount) <> 0;
end $$;
