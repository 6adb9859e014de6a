-- Notifications of events for people.
--
-- `notify` writes each in the statement of its cause, with mail by the person's settings at that moment. A
-- schedule notifies whole classes (announcements, dates) in batches and resumes after an interruption.
--
-- Locks: the cause's locks; an announcement or a reminder; the people notified, by the foreign keys of the
-- rows that refer to them; notifications; the outbox.

-- Each person's settings by kind, with the defaults.
create or replace view notification_settings as
  select person.id as user_id, standard.kind, coalesce(own.in_app, true) as in_app,
         coalesce(own.mail, standard.mail) as mail
  from users as person
  cross join (values ('announcement', 'immediate'), ('discussion_reply', 'daily'), ('due_soon', 'daily'),
               ('grade_outdated', 'daily'), ('grade_released', 'daily'), ('place_obtained', 'immediate'),
               ('private_message', 'immediate'), ('rollout_stopped', 'immediate'),
               ('tutor_handover', 'daily')) as standard (kind, mail)
  left join notification_preferences as own on own.user_id = person.id and own.kind = standard.kind;

-- Daily mail at 7:00 local time, or UTC in an unknown time zone. Null if the address is unverified.
create or replace function notification_mail_time(reader users, wish text, moment timestamptz) returns timestamptz
language plpgsql stable as $$
declare
  zone text;
  midnight timestamp;
  today timestamptz;
begin
  if not reader.is_active or reader.email_verified_at is null then return null; end if;
  if wish = 'immediate' then return moment; end if;
  if wish is distinct from 'daily' then return null; end if;
  foreach zone in array array[reader.time_zone, 'UTC'] loop
    begin
      midnight := date_trunc('day', moment at time zone zone);
      today := (midnight + interval '7 hours') at time zone zone;
      return case when today > moment then today else (midnight + interval '31 hours') at time zone zone end;
    exception when invalid_parameter_value then null;
    end;
  end loop;
end $$;

-- Once per `the_cause`, such as `post:17`; `about` is the post or announcement. Mail that would come after the due
-- date is sent immediately.
create or replace function notify(
  people integer[], the_kind text, the_cause text, moment timestamptz, offering integer default null,
  item integer default null, about bigint default null, due timestamptz default null
) returns integer language sql as $$
  with told as (
    insert into notifications (user_id, kind, cause, course_offering_id, content_item_id, discussion_post_id,
                               announcement_id, due_at, created_at, mail_due_at)
    select reader.id, the_kind, the_cause, offering, item, case when the_kind <> 'announcement' then about end,
           case when the_kind = 'announcement' then about end, due, notify.moment,
           case when due <= mail.moment then notify.moment else mail.moment end
    from users as reader
    join notification_settings as wish on wish.user_id = reader.id and wish.kind = the_kind
    cross join lateral (select notification_mail_time(reader, wish.mail, notify.moment)) as mail (moment)
    where reader.id = any (people) and reader.is_active and not exists (
      select from notifications as known
      where known.user_id = reader.id and known.kind = the_kind and known.cause = the_cause)
    order by reader.id
    on conflict (user_id, kind, cause) do nothing
    returning id
  )
  select count(*)::integer from told
$$;

create or replace function can_read_discussion_thread(person integer, the_thread integer) returns boolean
language sql stable as $$
  select is_staff_of_offering(person, run.id) or exists (
    -- Staff by LMS (their rights are in lib/identity/rbac/policy.ts).
    select from offering_staff as staff
    where staff.user_id = person and staff.course_offering_id = run.id and staff.removed_at is null
      and not is_suspended(staff.university_id, person)
      and not exists (select from learners where user_id = person and course_offering_id = run.id)
  ) or (
    course.is_published and exists (select from participants where user_id = person and course_offering_id = run.id)
    and (thread.visible = 'class' or coalesce(person in (thread.created_by_user_id, thread.learner_user_id), false))
    and (thread.module_id is null or is_module_published_with_ancestors(thread.module_id))
    and (thread.content_item_id is null or is_item_published_with_ancestors(thread.content_item_id)))
  from discussion_threads as thread
  join course_offerings as run on run.id = thread.course_offering_id
  join courses as course on course.id = run.course_id
  where thread.id = the_thread
$$;

create or replace function visible_notifications_of_person(person integer, moment timestamptz)
returns table (
  id bigint, kind text, created_at timestamptz, read_at timestamptz, mail_id bigint, university_id integer,
  course_offering_id integer, content_item_id integer, announcement_id integer, thread_id integer, post_id bigint,
  due_at timestamptz, title text, by_name text
) language sql stable as $$
  select one.id, one.kind, one.created_at, one.read_at, one.mail_id, coalesce(said.university_id, run.university_id),
         one.course_offering_id, one.content_item_id, one.announcement_id, post.thread_id, post.id, one.due_at,
         coalesce(said.title, thread.title, item.title, course.title,
                  rollout.prompt_name || ' ' || rollout.candidate_version),
         case when one.kind = 'announcement' then coalesce(announcer.full_name, course.title, university.name)
              else writer.full_name end
  from notifications as one
  left join course_offerings as run on run.id = one.course_offering_id
  left join courses as course on course.id = run.course_id
  left join content_items as item on item.id = one.content_item_id
  left join announcements as said on said.id = one.announcement_id
  left join users as announcer on announcer.id = said.created_by_user_id and announcer.erased_at is null
  left join universities as university on university.id = said.university_id
  left join discussion_posts as post on post.id = one.discussion_post_id
  left join discussion_threads as thread on thread.id = post.thread_id
  left join users as writer on writer.id = post.user_id
  left join prompt_rollouts as rollout on rollout.id = one.prompt_rollout_id
  where one.user_id = person and case case one.kind when 'private_message' then 'discussion_reply' else one.kind end
    when 'announcement' then said.published_at <= moment
      and (said.course_offering_id is null or exists (
        select from participants where user_id = person and course_offering_id = said.course_offering_id))
    when 'discussion_reply' then not post.is_deleted and not post.is_hidden and can_read_discussion_thread(person, post.thread_id)
    when 'due_soon' then is_item_published_with_ancestors(one.content_item_id)
    when 'tutor_handover' then not post.is_deleted and is_staff_of_offering(person, one.course_offering_id)
    else true
  end
$$;

create or replace function count_unread_notifications(person integer, moment timestamptz) returns integer
language sql stable as $$
  select count(*)::integer from (
    select from visible_notifications_of_person(person, moment) as one
    where one.read_at is null and one.kind in (
      select wish.kind from notification_settings as wish where wish.user_id = person and wish.in_app)
    limit 1000
  ) as unread
$$;

-- Some of a person's, or all up to one. Read ones are not mailed. Returns the number left.
create or replace function mark_notifications_read(person integer, ids bigint[], up_to bigint, moment timestamptz)
returns integer language plpgsql as $$
begin
  with seen as (
    update notifications set read_at = moment, mail_due_at = null
    where user_id = person and read_at is null and (id = any (ids) or id <= up_to)
    returning announcement_id
  )
  insert into announcement_reads (announcement_id, user_id, read_at)
  select distinct announcement_id, person, moment from seen where announcement_id is not null
  on conflict do nothing;
  return count_unread_notifications(person, moment);
end $$;

-- `wishes` has kinds with `in_app`, `mail` or both. Queued mail follows them. Returns all settings.
create or replace function update_notification_preferences(person integer, wishes jsonb, moment timestamptz)
returns jsonb language plpgsql as $$
begin
  perform from users where id = person for no key update;
  insert into notification_preferences (user_id, kind, in_app, mail)
  select person, now.kind, coalesce((wish.value ->> 'in_app')::boolean, now.in_app), coalesce(wish.value ->> 'mail', now.mail)
  from jsonb_each(wishes) as wish join notification_settings as now on now.user_id = person and now.kind = wish.key
  on conflict (user_id, kind) do update set in_app = excluded.in_app, mail = excluded.mail;
  update notifications as waiting set mail_due_at = notification_mail_time(reader, own.mail, moment)
  from notification_preferences as own, users as reader
  where waiting.user_id = person and waiting.mail_due_at is not null
    and reader.id = person and own.user_id = person and own.kind = waiting.kind and wishes ? own.kind;
  return (select jsonb_object_agg(kind, jsonb_build_object('in_app', in_app, 'mail', mail))
          from notification_settings where user_id = person);
end $$;

-- Notifies up to `most` remaining readers of one due announcement; returns their number plus one, 0 if none is due.
-- Concurrent callers take different announcements. The author is no reader.
create or replace function notify_readers_of_next_published_announcement(moment timestamptz, most integer) returns integer language plpgsql as $$
declare
  said announcements;
  people integer[];
begin
  select * into said from announcements where told_at is null and published_at <= moment
  order by published_at limit 1 for no key update skip locked;
  if not found then return 0; end if;
  people := array(
    select reader.id from (
      select user_id from participants where course_offering_id = said.course_offering_id
      union
      select user_id from user_university_roles
      where said.course_offering_id is null and university_id = said.university_id
      union
      select user_id from enrollments where said.course_offering_id is null and university_id = said.university_id
    ) as addressed (id) join users as reader using (id)
    where reader.is_active and reader.id is distinct from said.created_by_user_id and reader.id > said.told_through
    order by reader.id limit most);
  perform notify(people, 'announcement', 'announcement:' || said.id, moment, said.course_offering_id,
                 about => said.id);
  update announcements set
    told_through = coalesce(people[cardinality(people)], told_through),
    told_at = case when cardinality(people) < most then moment end
  where id = said.id;
  return cardinality(people) + 1;
end $$;

-- Due within `ahead` in current offerings, without a reminder: by the course, offering, grant or accommodation.
-- dates.sql decides which people each applies to.
create or replace function items_due_soon_without_reminder(moment timestamptz, ahead interval)
returns table (offering integer, item integer, due timestamptz)
-- Few items are due at a time, but the planner overestimates recursive queries. Nested loops avoid full
-- scans.
language sql stable set enable_hashjoin = off set enable_mergejoin = off as $$
  with recursive looked_at (after, until) as (
    select moment, moment + ahead
    union
    -- A due date with extra days is that many days earlier without them, give or take an hour.
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
    cross join lateral (
      select here.id from course_offerings as here
      where here.course_id = one.course_id and here.id = coalesce(due_item.offering, here.id) offset 0
    ) as run
    where exists (
      select from effective_dates_of_items(run.id, null, array[one.id], array[due_item.of_group]) as dates
      where dates.due_at = due_item.due_at)
    union
    select own.course_offering_id, own.content_item_id, own.due_at
    from looked_at join quiz_overrides as own on own.due_at > looked_at.after and own.due_at <= looked_at.until
  ), with_days (offering, item_id, due_at) as (
    select candidate.offering, candidate.item_id, candidate.due_at from candidate
    union
    select candidate.offering, candidate.item_id, moment_plus_accommodation_days(candidate.due_at, given.user_id, given.university_id)
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
    ) and is_item_published_with_ancestors(one.id)
$$;

-- People who have not done up to `most` such items, by `items_to_do`; returns the number of items.
create or replace function remind_people_of_items_due_soon(moment timestamptz, ahead interval, most integer) returns integer
language plpgsql as $$
declare
  soon record;
  reminded integer := 0;
begin
  for soon in select * from items_due_soon_without_reminder(moment, ahead) order by offering, item limit most loop
    insert into due_reminders (course_offering_id, content_item_id, due_at)
    values (soon.offering, soon.item, soon.due) on conflict do nothing;
    if found then
      perform notify(array(
        select taking.user_id from enrollments as taking
        where taking.course_offering_id = soon.offering and taking.status = 'active' and not exists (
          select from user_content_progress as done
          where done.user_id = taking.user_id and done.course_offering_id = soon.offering
            and done.content_item_id = soon.item and done.completed_at is not null
        ) and not (
          is_grading_anonymous(soon.offering, soon.item)
          and item_completed_by_result_at(soon.offering, taking.user_id, soon.item) is not null
        ) and exists (
          select from effective_dates_of_items(soon.offering, taking.user_id, array[soon.item]) where due_at = soon.due
        ) and has_attempt_left_before_closing(soon.item, soon.offering, taking.user_id, moment) and coalesce((
          select work.status <> 'submitted' from lab_submissions as work
          where work.user_id = taking.user_id and work.course_offering_id = soon.offering
            and work.content_item_id = soon.item
          order by work.attempt_number desc limit 1
        ), true)
      ), 'due_soon', 'item:' || soon.item || ':' || extract(epoch from soon.due), moment, soon.offering, soon.item,
         due => soon.due);
    end if;
    reminded := reminded + 1;
  end loop;
  return reminded;
end $$;

-- One mail each for up to `most` people. While a mail is queued, and five minutes after it was sent, later ones
-- wait: other people's activity cannot flood a mailbox. Concurrent callers make one mail.
create or replace function queue_due_notification_mail(moment timestamptz, most integer) returns integer
language plpgsql as $$
declare
  people integer[] := array(
    select distinct user_id from notifications as one
    where mail_due_at <= moment and not exists (
      select from mail_outbox as waiting
      where waiting.user_id = one.user_id and waiting.kind = 'notifications' and (
        waiting.ended_at is null or waiting.failure is null and waiting.ended_at > moment - interval '5 minutes')
    ) order by user_id limit most);
  settled integer;
begin
  with reader as (
    select id, email from users
    where id = any (people) and is_active and email_verified_at is not null
  ), queued as (
    insert into mail_outbox (kind, address, user_id, created_at, due_at)
    select 'notifications', email, id, moment, moment from reader order by id
    on conflict (kind, address) where ended_at is null do nothing
    returning id, user_id
  ), waiting as (
    select one.id, queued.id as mail_id
    from notifications as one
    left join reader on reader.id = one.user_id left join queued on queued.user_id = one.user_id
    where one.user_id = any (people) and one.mail_due_at <= moment and (reader.id is null or queued.id is not null)
    order by one.id for no key update of one
  )
  update notifications as one set mail_due_at = null, mail_id = waiting.mail_id
  from waiting where waiting.id = one.id;
  get diagnostics settled = row_count;
  return settled;
end $$;
