-- What the schedule works out beforehand for the reports: activity and answers of the tutor by the day, once it is over.
-- A report reads that and what came since, and writes nothing. What counted stays when a conversation or a person goes.
--
-- Locks: the row of the schedule that says up to when is counted. Whoever counts holds it, for one step; whoever
-- deletes what is counted holds it together with others who do.

-- The midnight up to which days are counted.
create or replace function counted_until() returns timestamptz language sql stable parallel safe as $$
  select begun_at from scheduled_tasks where name = 'count'
$$;

-- What is counted of the days before, and what else was there and is gone.
create or replace view counted_facts as
  select measure, course_id, utc_midnight(day) as moment, utc_midnight(since) as since, amount from report_totals
  where is_kept or day < utc_day((select counted_until()));

create or replace view new_answers as
  select * from answer_facts where moment >= (select counted_until()) and not (select is_behind());

-- Whether more came since than can be worked out while someone waits, as after a bulk load, or when an item is added to a
-- course of many. To find that out it looks at no more than that.
create or replace function is_behind() returns boolean language sql stable parallel safe as $$
  select exists (select from activity_events where occurred_at >= (select counted_until()) offset 100000)
    or exists (select from stale_trees offset 5000) or exists (select from stale_people offset 500)
$$;

-- Counts the next week that is over, in place of what was counted of it before; answers whether more is left. A day is
-- over for three hours before it is counted: what is written as of now is committed by then.
create or replace function count_days() returns boolean language plpgsql as $$
declare
  past timestamptz := utc_midnight(utc_day(service_now() - interval '3 hours'));
  counted timestamptz;
  countable timestamptz;
begin
  select begun_at into counted from scheduled_tasks where name = 'count' for update;
  if counted >= past then return false; end if;
  countable := least(counted + interval '7 days', past);
  delete from activity_days where day >= utc_day(counted) and user_id > 0;
  delete from report_totals where day >= utc_day(counted) and not is_kept;
  insert into activity_days select * from activity_between(counted, countable);
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, utc_day(moment), count(*), false from answer_facts
  where moment >= counted and moment < countable group by 1, 2, 3;
  update scheduled_tasks set begun_at = countable where name = 'count';
  return countable < past;
end $$;

-- What is told late, which the service never does itself, is counted again with all that came after it.
create or replace function count_again() returns trigger language plpgsql as $$
begin
  update scheduled_tasks set begun_at = utc_midnight(utc_day(told))
  from (select (to_jsonb(new) ->> tg_argv[0])::timestamptz) as late (told) where name = 'count' and begun_at > told;
  return null;
end $$;

create or replace trigger count_again after insert on activity_events
  for each row when (new.occurred_at < service_now() - interval '1 hour') execute function count_again('occurred_at');
create or replace trigger count_again after insert on chat_messages
  for each row when (new.created_at < service_now() - interval '1 hour') execute function count_again('created_at');

-- Keeps what a conversation counted for when it is deleted; what its day has of it goes when that is counted again.
create or replace function keep_conversation() returns trigger language plpgsql as $$
begin
  perform from scheduled_tasks where name = 'count' for share;
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, utc_day(moment), amount, true from conversation_facts
  where session_id = old.id and amount is not null
  union all
  select measure, course_id, utc_day(moment), state.sign * count(*), state.sign > 0
  from answer_facts cross join (values (1), (-1)) as state (sign)
  where session_id = old.id and (state.sign > 0 or moment < counted_until())
  group by measure, course_id, utc_day(moment), state.sign;
  return old;
end $$;

create or replace trigger keep_conversation before delete on chat_sessions
  for each row execute function keep_conversation();

-- Keeps what a person counted for, before they are erased: their days under a number that nobody has.
create or replace function keep_statistics(person integer) returns void language plpgsql as $$
declare
  nobody integer := -nextval('users_id_seq');
  counted timestamptz;
begin
  perform from scheduled_tasks where name = 'count' for share;
  counted := counted_until();
  delete from activity_days where user_id = person and day >= utc_day(counted);
  insert into activity_days select * from activity_between(counted, 'infinity') where user_id = person;
  update activity_days set user_id = nobody where user_id = person;
  insert into report_totals (measure, course_id, day, since, amount, is_kept)
  select measure, course_id, utc_day(moment), utc_day(since), sum(amount), true
  from (select * from learning_facts union all select * from assessment_facts) as fact
  where user_id = person and moment is not null group by 1, 2, 3, 4 having sum(amount) <> 0;
end $$;
