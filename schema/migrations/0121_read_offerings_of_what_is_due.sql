set local check_function_bodies = off;
--> statement-breakpoint
-- What is due within that time after a moment in offerings that go on, by whoever says so, of which nobody was reminded: by
-- the course, the offering, or what someone is granted or given (accommodations.sql). Who is to do it by then the dates of each say (dates.sql).
create or replace function items_due_soon(moment timestamptz, ahead interval)
returns table (offering integer, item integer, due timestamptz)
-- Little is due at a time, which no estimate of a recursive query knows: row by row, no table is read whole for it.
language sql stable set enable_hashjoin = off set enable_mergejoin = off as $$
  with recursive looked_at (after, until) as (
    select moment, moment + ahead
    union
    -- What is due then with someone's days is due so many days before without them, by an hour more or less.
    select moment - make_interval(days => extra_days + 1), moment + ahead - make_interval(days => extra_days - 1)
    from (select distinct extra_days from accommodations where extra_days > 0) as given
  ), dated (offering, of_group, module_id, item_id, due_at) as (
    select null::integer, null::integer, one.id, null::integer, one.due_at
    from looked_at join modules as one on one.due_at > looked_at.after and one.due_at <= looked_at.until
    union
    select null, null, null, one.id, one.due_at
    from looked_at join content_items as one on one.due_at > looked_at.after and one.due_at <= looked_at.until
    union
    select one.course_offering_id, null, one.module_id, one.content_item_id, one.due_at
    from looked_at join offering_dates as one on one.due_at > looked_at.after and one.due_at <= looked_at.until
    union
    select one.course_offering_id, one.group_id, one.module_id, one.content_item_id, one.due_at
    from looked_at join offering_group_dates as one on one.due_at > looked_at.after and one.due_at <= looked_at.until
  ), inside (offering, of_group, module_id, due_at) as (
    select dated.offering, dated.of_group, dated.module_id, dated.due_at from dated where dated.module_id is not null
    union
    select inside.offering, inside.of_group, below.id, inside.due_at
    from inside join modules as below on below.parent_module_id = inside.module_id
  ), due_item (offering, of_group, item_id, due_at) as (
    select dated.offering, dated.of_group, dated.item_id, dated.due_at from dated where dated.item_id is not null
    union
    select inside.offering, inside.of_group, one.id, inside.due_at
    from inside join content_items as one on one.module_id = inside.module_id
  ), candidate (offering, item_id, due_at) as (
    select run.id, one.id, due_item.due_at
    from due_item join content_items as one on one.id = due_item.item_id
    -- Of each item by itself: what is due is guessed at far too high, and all offerings would be read to join it.
    cross join lateral (
      select here.id from course_offerings as here
      where here.course_id = one.course_id and here.id = coalesce(due_item.offering, here.id) offset 0
    ) as run
    where exists (
      select from item_dates(run.id, null, array[one.id], array[due_item.of_group]) as dates
      where dates.due_at = due_item.due_at)
    union
    select own.course_offering_id, own.content_item_id, own.due_at
    from looked_at join quiz_overrides as own on own.due_at > looked_at.after and own.due_at <= looked_at.until
  ), with_days (offering, item_id, due_at) as (
    select candidate.offering, candidate.item_id, candidate.due_at from candidate
    union
    select candidate.offering, candidate.item_id, with_extra_days(candidate.due_at, given.user_id, given.university_id)
    from candidate join course_offerings as run on run.id = candidate.offering
    join accommodations as given on given.university_id = run.university_id and given.extra_days > 0
    join enrollments as taking
      on taking.course_offering_id = run.id and taking.user_id = given.user_id and taking.status = 'active'
  )
  select run.id, one.id, candidate.due_at
  from with_days as candidate join course_offerings as run on run.id = candidate.offering
  join content_items as one on one.id = candidate.item_id and one.is_active
  where candidate.due_at > moment and candidate.due_at <= moment + ahead
    and not coalesce(run.starts_at > candidate.due_at, false)
    and not coalesce(run.ends_at <= moment, false)
    and not exists (
      select from due_reminders as known
      where known.course_offering_id = run.id and known.content_item_id = one.id and known.due_at = candidate.due_at
    ) and is_item_public(one.id)
$$;
--> statement-breakpoint
set local check_function_bodies = on;
