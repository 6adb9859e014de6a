set local check_function_bodies = off;
--> statement-breakpoint
drop function delete_belongings(integer);
--> statement-breakpoint
drop function keep_statistics(integer);
--> statement-breakpoint
drop function split_results(integer,integer,integer,integer,integer);
--> statement-breakpoint
ALTER TABLE "quiz_overrides" ADD COLUMN "available_from" timestamp (3) with time zone;
--> statement-breakpoint
CREATE INDEX "quiz_overrides_openings_index" ON "quiz_overrides" USING btree ("content_item_id","user_id") WHERE "quiz_overrides"."available_from" is not null;
--> statement-breakpoint
-- Who has a place again has nothing there of what is put onto a number: what is left of it is put there before. Where that is
-- more than a statement takes, the place is given in a minute, when the steps of the erasure are through.
create or replace function begin_anew() returns trigger language plpgsql as $$
declare
  run integer := (select university_id from course_offerings where id = new.course_offering_id);
  number integer;
begin
  select erased_user_id into number from data_requests
  where user_id = new.user_id and university_id = run and erased_user_id is not null;
  if found and move_results(run, new.user_id, number, new.course_offering_id, rows_of_a_place()) = rows_of_a_place() then
    raise exception 'person % is being erased from offering %', new.user_id, new.course_offering_id
      using errcode = 'lock_not_available';
  end if;
  return new;
end $$;
--> statement-breakpoint
-- Does a step of an erasure that was begun; answers whether there was anything to do. What came later than the first step by more
-- than a minute is not of before: no request that began before it takes so long to write.
create or replace function continue_erasure(asked data_requests, moment timestamptz, most integer) returns boolean
language plpgsql as $$
declare
  number integer := asked.erased_user_id;
  begun_at timestamptz := (select erased_at from users where id = asked.erased_user_id);
  until timestamptz := (select created_at + interval '1 minute' from users where id = asked.erased_user_id);
begin
  if split_results(asked.university_id, asked.user_id, number, most)
    or split_belongings(asked.university_id, asked.user_id, number, until, most)
    or split_rows(asked.university_id, asked.user_id, number, until, most)
    or split_days(asked.university_id, asked.user_id, number, until, most) then return true; end if;
  if moment < begun_at + interval '1 hour' then return false; end if;
  perform keep_statistics(number, most);
  perform end_open_attempts(number, moment);
  -- Conversations go as those of any account that was erased.
  insert into erasures (user_id, begun_at) values (number, moment);
  update data_requests set state = 'done', done_at = moment, erased_user_id = null where id = asked.id;
  perform audit('data_request.done', null, asked.user_id, asked.university_id,
    jsonb_build_object('request_id', asked.id, 'kind', asked.kind), jsonb_build_object('at', moment));
  return true;
end $$;
--> statement-breakpoint
-- Deletes what is a person's own but their conversations, of work that is not graded at most so much, and empties what stays
-- for its figures.
create or replace function delete_belongings(person integer, most integer) returns void language plpgsql as $$
begin
  perform erase_files(person, service_now());
  delete from lab_submissions where user_id = person and id = any (array(
    select id from lab_submissions where user_id = person and status <> 'graded' limit most));
  delete from certificates where user_id = person;
  update course_reviews set review_text = null where user_id = person and review_text is not null;
  update llm_calls set user_id = null where user_id = person;
  -- With their roles.
  delete from university_members where user_id = person;
  delete from course_offering_instructors where user_id = person;
  delete from offering_staff where user_id = person;
  delete from lti_people where user_id = person;
  delete from lti_score_marks where user_id = person;
  update lti_rosters set asked_by_user_id = null where asked_by_user_id = person;
  delete from lti_launch_codes where user_id = person;
  update lti_contexts set bound_by_user_id = null where bound_by_user_id = person;
  delete from course_exemptions where user_id = person;
  delete from quiz_overrides where user_id = person;
  -- Graded work keeps the code that it was graded by.
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
end $$;
--> statement-breakpoint
create or replace function enrollments_key(person integer, university integer) returns bigint language sql immutable as $$
  select hashtextextended('enrollments of ' || person || ' at a university', university)
$$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql, `key` that of former-accounts.sql. It acts with its owner's rights as a whole, so that nobody is taken
-- out of the audit log but by the end of their account.
create or replace function erase_account(
  person integer, version integer, keep_certificates boolean, request jsonb, key bytea default null
) returns boolean language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '25s' as $$
declare
  own users;
  moment timestamptz := (request ->> 'at')::timestamptz;
  -- Whether they have done anything to others or to a university, for which someone may have to answer.
  held_office boolean;
  -- Where they wait they may be given a place just now, which is free then.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  perform refuse_last_administrator(person);
  -- Before all that an import gives, as whoever works it has them.
  perform from imports where created_by_user_id = person order by id for no key update;
  perform from import_rows where email = (select email from users where id = person) order by id for update;
  -- Before the person, as whoever writes what a directory says of them has it.
  perform from scim_users where user_id = person order by id for update;
  -- Before the places and the person, as whoever grades or revokes them has it; and nobody does while they are counted.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  perform from certificates where user_id = person order by id for update;
  perform lock_offerings(held_offerings);
  -- Nobody follows a link to them any more.
  update chat_sessions set share_enabled = false, share_token = null where user_id = person and share_token is not null;
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  if keep_certificates then perform leave_certificates(person); end if;

  perform note_identifiers(person, key);
  insert into erasures (user_id, begun_at) values (person, moment);
  delete from message_feedback where message_id in (
    select said.id from chat_sessions as talk join chat_messages as said on said.session_id = talk.id
    where talk.user_id = person);
  perform keep_statistics(person, work_at_once());
  perform leave_office(person);
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  held_office := exists (select from audit_events where actor_id = person and subject_id is distinct from person);
  if held_office then
    insert into audit_people (user_id, full_name, email, erased_at) values (person, own.full_name, own.email, moment)
    on conflict do nothing;
  end if;
  -- What they did to others stays theirs, and what others did to an office's holder.
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where (actor_id = person or subject_id = person)
    and not (held_office and actor_id is not null and subject_id is distinct from actor_id);
  -- The streak runs out by itself: until then the people who have one stay as many.
  update users set email = null, full_name = '', password_hash = null, email_verified_at = null, is_active = false,
    locale = default, time_zone = default, tutor_sees_results = default, avatar_token = null, made_by_university_id = null, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_seats(offering, moment) from unnest(held_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Erases some conversations of those who erased their accounts, of one person about one item, with the stored answers that
-- only their words led to, and then some of their steps (tutor-steps.sql) and of their work; answers whether more may be left. An erasure ends, and is told to the audit log, when nothing
-- is left and no request of its account can be under way any more.
create or replace function erase_conversations(moment timestamptz, most integer) returns boolean language plpgsql as $$
declare
  next chat_sessions;
  doomed bigint[];
  ended integer;
begin
  select talk.* into next from erasures join chat_sessions as talk on talk.user_id = erasures.user_id
  order by erasures.begun_at, talk.user_id, talk.content_item_id limit 1;
  if found then
    if erase_own_paths(next.user_id, next.content_item_id) then return true; end if;
    doomed := lock_own_words(next.user_id, next.content_item_id);
    -- What someone is just being told was passed over, and once it is told it is theirs or this person's: so once more.
    if exists (
      select from nodes_of_own_words(next.user_id, next.content_item_id) as own (id) where id <> all (doomed)
    ) then return true; end if;
    -- Someone pinned them just before: pins are held before sessions, so once more.
    if own_words_on_paths(next.user_id, array(select copies_of(next.content_item_id))) <> '{}' then return true; end if;
    delete from generations where id in (select answers_to_own_words(next.user_id, doomed, next.content_item_id));
    delete from cache_nodes where id = any (doomed);
    delete from chat_sessions where id in (
      select id from chat_sessions
      where user_id = next.user_id and content_item_id = next.content_item_id
      -- A conversation takes its asides along, however many they are: they go first.
      order by aside_of_id is null, id limit most);
    return true;
  end if;
  if erase_steps(most) or erase_work(most) then return true; end if;
  for ended in
    delete from erasures where begun_at < moment - interval '1 hour' returning user_id
  loop
    perform audit('account.erasure_ended', null, null, null, jsonb_build_object('user_id', ended),
      jsonb_build_object('at', moment));
  end loop;
  return false;
end $$;
--> statement-breakpoint
-- Erases once more of an erased account: what a request was just writing in its name, or to it, came after.
create or replace function erase_leftovers(person integer, moment timestamptz) returns void language plpgsql as $$
begin
  perform keep_statistics(person, work_at_once());
  perform leave_office(person);
  perform end_open_attempts(person, moment);
end $$;
--> statement-breakpoint
-- Erases up to so much work that is not graded of one of those whose account is being erased; answers whether there was any.
create or replace function erase_work(most integer) returns boolean language plpgsql as $$
declare
  next integer := (select user_id from erasures where has_ungraded_work(user_id) order by begun_at, user_id limit 1);
begin
  if next is null then return false; end if;
  perform keep_statistics(next, most);
  return true;
end $$;
--> statement-breakpoint
-- Gives a person more time: `{"time_factor", "extra_days", "valid_until"}`. What is under way, and what was handed in, takes
-- the later dates. No row: they are none of the university's people.
create or replace function grant_accommodation(
  university integer, person integer, granted jsonb, actor integer, moment timestamptz, request jsonb
) returns setof accommodations language plpgsql as $$
begin
  perform lock_grades_of(person, university);
  perform pg_advisory_xact_lock(enrollments_key(person, university));
  perform lock_grades_of(person, university);
  return query
    insert into accommodations as one (university_id, user_id, time_factor, extra_days, valid_until, updated_at)
    select member.university_id, member.user_id, wanted.time_factor, wanted.extra_days, wanted.valid_until, moment
    from university_members as member,
         jsonb_to_record(granted) as wanted (time_factor numeric, extra_days integer, valid_until date)
    where member.university_id = university and member.user_id = person
    on conflict on constraint accommodations_unique do update
      set time_factor = excluded.time_factor, extra_days = excluded.extra_days, valid_until = excluded.valid_until,
          updated_at = excluded.updated_at
    returning one.*;
  if not found then return; end if;
  perform audit('accommodation.granted', actor, person, university, granted, request);
  perform take_later_dates(course_offering_id, null, person, moment) from (
    select course_offering_id from enrollments where user_id = person and university_id = university order by 1 offset 0
  ) as held;
end $$;
--> statement-breakpoint
-- Grants a person other rules in a quiz; an attempt that is open ends so much sooner by them, or as late as they say: what the
-- university gave it and has withdrawn since stays. `granted` has the keys
-- time_limit_seconds, max_attempts, available_from and due_at, null for what the quiz says, and infinity for nothing that is due;
-- one that is absent stays as it was. No row: they are not enrolled there.
create or replace function grant_quiz_override(
  person integer, the_offering integer, the_item integer, granted jsonb, moment timestamptz
) returns setof quiz_overrides language plpgsql as $$
declare
  attempt quiz_attempts;
  former timestamptz;
  latter timestamptz;
begin
  perform lock_grades(the_offering);
  select mine.* into attempt from quiz_attempts as mine
  where mine.user_id = person and mine.course_offering_id = the_offering and mine.content_item_id = the_item
    and mine.submitted_at is null and not is_over(mine, moment);
  former := quiz_deadline(the_item, the_offering, person, attempt.started_at, moment);
  return query
    insert into quiz_overrides as one
      (user_id, course_offering_id, content_item_id, time_limit_seconds, max_attempts, available_from, due_at, created_at,
       updated_at)
    select person, the_offering, the_item, wanted.time_limit_seconds, wanted.max_attempts, wanted.available_from, wanted.due_at,
           moment, moment
    from jsonb_to_record(granted) as wanted (
      time_limit_seconds integer, max_attempts integer, available_from timestamptz, due_at timestamptz)
    where exists (select from enrollments where user_id = person and course_offering_id = the_offering)
    on conflict (course_offering_id, content_item_id, user_id) do update
      set time_limit_seconds =
            case when granted ? 'time_limit_seconds' then excluded.time_limit_seconds else one.time_limit_seconds end,
          max_attempts = case when granted ? 'max_attempts' then excluded.max_attempts else one.max_attempts end,
          available_from =
            case when granted ? 'available_from' then excluded.available_from else one.available_from end,
          due_at = case when granted ? 'due_at' then excluded.due_at else one.due_at end,
          updated_at = moment
    returning one.*;
  latter := quiz_deadline(the_item, the_offering, person, attempt.started_at, moment);
  update quiz_attempts as mine
  set due_at = case when latter is null or former is null then latter
    when latter < former then mine.due_at - (former - latter) else greatest(mine.due_at, latter) end
  where mine.id = attempt.id and latter is distinct from former;
  perform take_later_dates(the_offering, array[the_item], person, moment);
end $$;
--> statement-breakpoint
-- How many members of a group have a place in its offering; `but` is left out, and so is whoever erased their account.
create or replace function group_members_count(the_group integer, but integer default null) returns integer
language sql stable as $$
  select count(*)::integer
  from offering_group_members as one
  join enrollments as taking on taking.course_offering_id = one.course_offering_id and taking.user_id = one.user_id
  join users on users.id = one.user_id and users.erased_at is null
  where one.group_id = the_group and one.group_role = 'member' and taking.is_admitted and one.user_id is distinct from but
$$;
--> statement-breakpoint
-- Whether a person has work that goes when they are erased.
create or replace function has_ungraded_work(person integer) returns boolean language sql stable as $$
  select exists (select from lab_submissions where user_id = person and status <> 'graded')
$$;
--> statement-breakpoint
-- Whether learners of an offering can be taking a quiz by its dates at that moment: those of the offering, and those of
-- anyone who is granted another, or is in a group that has one.
create or replace function is_quiz_closed_to_all(the_item integer, the_offering integer, moment timestamptz)
returns boolean language sql stable as $$
  select coalesce(moment > (
      select coalesce(dates.closes_at, run.ends_at) + quiz_grace()
      from course_offerings as run cross join lateral item_dates(run.id, null, array[the_item]) as dates
      where run.id = the_offering), false)
    and not exists (
      select from quiz_overrides as granted
      cross join lateral quiz_rules(the_item, the_offering, granted.user_id, moment) as rules
      where granted.course_offering_id = the_offering and granted.content_item_id = the_item and granted.due_at is not null
        and coalesce(moment <= rules.closes_at + quiz_grace(), true))
    and not exists (
      select from course_offerings as run
      join enrollments as taking on taking.course_offering_id = run.id and taking.is_admitted
      join accommodations as given on given.university_id = run.university_id and given.user_id = taking.user_id
      cross join lateral quiz_rules(the_item, run.id, taking.user_id, moment) as rules
      where run.id = the_offering and given.extra_days > 0 and moment <= rules.closes_at + quiz_grace())
    and not exists (
      select from offering_group_members as taking
      cross join lateral quiz_rules(the_item, the_offering, taking.user_id, moment) as rules
      where taking.course_offering_id = the_offering and taking.group_role = 'member'
        and exists (select from offering_group_dates as own where own.group_id = taking.group_id and own.due_at is not null)
        and coalesce(moment <= rules.closes_at + quiz_grace(), true))
$$;
--> statement-breakpoint
-- Of these items when they open, are due and close for a person in an offering; the person is null for what holds for
-- nobody in particular. With `the_groups` it is for members of these, whoever they are. Null is at any time, and at no time.
-- What has no date of its own, wherever it is said, is due with a module and closes never: `closes_at` is null for it.
-- Planned once for all calls, as what else is read beside an outline: to plan it takes ten times what it does.
create or replace function item_dates(offering integer, person integer, items integer[], the_groups integer[] default null)
returns table (item_id integer, opens_at timestamptz, due_at timestamptz, closes_at timestamptz)
language sql stable set plan_cache_mode = force_generic_plan as $$
  with recursive node (item_id, step, in_item, in_module, above_id, available_from, due_at) as (
    select one.id, 0, one.id, null::integer, one.module_id, one.available_from, one.due_at
    from unnest(items) as wanted (id) join content_items as one on one.id = wanted.id
    union all
    select node.item_id, node.step + 1, null, above.id, above.parent_module_id, above.available_from, above.due_at
    from node
    cross join lateral (select one.* from modules as one where one.id = node.above_id offset 0) as above
  ), said (item_id, step, layer, group_id, available_from, due_at) as materialized (
    select node.item_id, node.step, 3, null::integer, node.available_from, node.due_at from node
    where node.available_from is not null or node.due_at is not null
    union all
    select node.item_id, node.step, 1, own.group_id, own.available_from, own.due_at
    from groups_of(offering, person, the_groups) as mine (id)
    join offering_group_dates as own on own.group_id = mine.id
    join node on own.content_item_id = node.in_item or own.module_id = node.in_module
    union all
    select node.item_id, node.step, 2, null, own.available_from, own.due_at
    from node join offering_dates as own on own.course_offering_id = offering
      and (own.content_item_id = node.in_item or own.module_id = node.in_module)
    union all
    select granted.content_item_id, 0, 0, null, granted.available_from, granted.due_at from quiz_overrides as granted
    where granted.course_offering_id = offering and granted.user_id = person
      and granted.content_item_id = any (items) and num_nonnulls(granted.available_from, granted.due_at) > 0
  ), opening as (
    select first.item_id, max(first.available_from) as moment from (
      select distinct on (said.item_id, said.step) said.item_id, said.available_from from said
      where said.available_from is not null order by said.item_id, said.step, said.layer, said.available_from
    ) as first group by first.item_id
  ), nearest as (
    -- Of the course, of the offering and of each group.
    select distinct on (said.item_id, said.layer, said.group_id) said.item_id, said.layer, said.due_at,
           bool_or(said.step = 0) over (partition by said.item_id) as is_own
    from said where said.due_at is not null order by said.item_id, said.layer, said.group_id, said.step
  ), due as (
    select distinct on (nearest.item_id) nearest.item_id, nearest.due_at as moment, nearest.is_own
    from nearest order by nearest.item_id, nearest.layer, nearest.due_at desc
  ), given as materialized (
    select run.university_id
    from course_offerings as run
    join accommodations as one on one.university_id = run.university_id and one.user_id = person
    where run.id = offering
  ), late as (
    select due.item_id, due.is_own, nullif(case when exists (select from given)
      then with_extra_days(due.moment, person, (select university_id from given)) else due.moment end, 'infinity') as moment
    from due
  )
  select wanted.id, nullif(opening.moment, '-infinity'), late.moment, case when late.is_own then late.moment end
  from unnest(items) as wanted (id)
  left join opening on opening.item_id = wanted.id left join late on late.item_id = wanted.id
$$;
--> statement-breakpoint
-- Deletes what is a person's own, of work that is not graded at most so much, and keeps what it counted for.
create or replace function keep_statistics(person integer, most integer) returns void language plpgsql as $$
declare
  former report_totals[] := array(select personal_totals(person));
begin
  perform leave_discussions(person);
  perform delete_belongings(person, most);
  insert into report_totals (measure, course_id, day, since, amount, is_kept, course_offering_id, local_day)
  select measure, course_id, day, since, sum(amount), true, course_offering_id, local_day
  from (
    select * from unnest(former)
    union all
    select measure, course_id, day, since, -amount, is_kept, course_offering_id, local_day from personal_totals(person)
  ) as counted
  group by measure, course_id, day, since, course_offering_id, local_day having sum(amount) <> 0;
end $$;
--> statement-breakpoint
-- Whoever gives up their place in an offering is a member of none of its groups; and whoever takes one up was of none.
create or replace function leave_groups() returns trigger language plpgsql as $$
begin
  delete from offering_group_members
  where course_offering_id = new.course_offering_id and user_id = new.user_id and group_role = 'member';
  return null;
end $$;
--> statement-breakpoint
-- Keeps what is granted to a person from being worked out beside an enrollment that it does not see.
create or replace function lock_enrollments_shared() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(enrollments_key(
    new.user_id, (select university_id from course_offerings where id = new.course_offering_id)));
  return new;
end $$;
--> statement-breakpoint
-- Holds the grades of each offering of a university in which a person is enrolled.
create or replace function lock_grades_of(person integer, university integer) returns void language plpgsql as $$
begin
  perform lock_grades(held.course_offering_id) from (
    select course_offering_id from enrollments where user_id = person and university_id = university order by 1 offset 0
  ) as held;
end $$;
--> statement-breakpoint
-- Why a person may not work with what is in a module at that moment: 'hidden', 'enrollment required', 'not available
-- yet'. Null when they may, as staff of the course always do, unless it is asked what stands before a learner. The person
-- is null for whoever is not signed in. An item may be inactive, or available later than its module; with `the_item` it is
-- asked what their offerings say of it, or `offering` does (dates.sql).
create or replace function module_access(
  the_module integer, person integer, moment timestamptz, is_active boolean default true,
  item_available_from timestamptz default null, as_learner boolean default false, the_item integer default null,
  offering integer default null
) returns text language plpgsql stable as $$
declare
  step record;
  above integer := the_module;
  required integer[] := '{}';
  starts timestamptz := item_available_from;
  is_shown boolean := is_active;
begin
  if the_module is null then return null; end if;
  -- A step at a time: most modules are below none, and a recursive query costs more to begin than this does to do.
  while above is not null loop
    select m.parent_module_id, m.is_published, m.available_from, m.requires_module_ids,
           c.id as course_id, c.access, c.is_published as is_course_published,
           -- Looked at beside the rest, since most courses say all of it themselves, and then nothing else is asked.
           exists (
             select from offering_dates as own where own.course_id = c.id and own.available_from is not null
             union all
             select from offering_group_dates as own where own.course_id = c.id and own.available_from is not null
             union all
             select from quiz_overrides as own
             where own.content_item_id = the_item and own.user_id = person and own.available_from is not null
           ) as has_own_openings
    into step from modules as m join courses as c on c.id = m.course_id where m.id = above;
    above := step.parent_module_id;
    is_shown := is_shown and step.is_published;
    starts := greatest(starts, step.available_from);
    required := required || step.requires_module_ids;
  end loop;
  if step.has_own_openings then
    starts := opens_for(person, step.course_id, offering, the_module, the_item, starts);
  end if;
  is_shown := is_shown and step.is_course_published;
  return case
    -- Most is there for everyone, and nothing else is looked at.
    when is_shown and lock_reason(step.access <> 'open', starts, required, required, moment) is null then null
    when not as_learner and is_staff_of_course(person, step.course_id) then null
    when not is_shown then 'hidden'
    else case lock_reason(step.access <> 'open' and not may_enter(person, step.course_id), starts, required,
        unmet_modules(person, step.course_id, required), moment)
      when 'enrollment_required' then 'enrollment required'
      when 'not_available_yet' then 'not available yet'
      when 'modules_incomplete' then 'not available yet' end
  end;
end $$;
--> statement-breakpoint
-- Puts up to so many rows that a person has in an offering, or in all of a university's that they have left, onto the number;
-- answers how many. The codes stand before the work that has them.
create or replace function move_results(university integer, person integer, number integer, offering integer, most integer)
returns integer language plpgsql as $$
declare
  moved integer;
  done integer := 0;
begin
  update anonymous_codes set user_id = number where id = any (array(
    select one.id from anonymous_codes as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update quiz_attempts set user_id = number where id = any (array(
    select one.id from quiz_attempts as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lab_submissions set user_id = number where id = any (array(
    select one.id from lab_submissions as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update certificates set user_id = number where id = any (array(
    select one.id from certificates as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update quiz_overrides set user_id = number where id = any (array(
    select one.id from quiz_overrides as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update offering_group_members set user_id = number where id = any (array(
    select one.id from offering_group_members as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update item_grades set user_id = number where id = any (array(
    select one.id from item_grades as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_grades set user_id = number where id = any (array(
    select one.id from course_grades as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update grade_changes set user_id = number where id = any (array(
    select one.id from grade_changes as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update user_module_progress set user_id = number where id = any (array(
    select one.id from user_module_progress as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update user_content_progress set user_id = number where id = any (array(
    select one.id from user_content_progress as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_reviews set user_id = number where id = any (array(
    select one.id from course_reviews as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update auto_grader_readers set user_id = number where id = any (array(
    select one.id from auto_grader_readers as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lti_score_marks set user_id = number where id = any (array(
    select one.id from lti_score_marks as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update stale_trees set user_id = number where ctid = any (array(
    select one.ctid from stale_trees as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_trees set user_id = number where ctid = any (array(
    select one.ctid from course_trees as one where one.user_id = person and (one.course_offering_id = offering or offering is null and has_left(person, university, one.course_offering_id)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  return done;
end $$;
--> statement-breakpoint
-- When something in a course opens for a person who comes to it by no offering: in the one of those in which they have a
-- seat where it opens first; with `offering`, in that one. `stated` is when it opens by the course, which holds for whoever
-- has no seat. Of an item, or of a module with null for the item; null is at any time.
create or replace function opens_for(
  person integer, the_course integer, offering integer, the_module integer, the_item integer, stated timestamptz
) returns timestamptz language sql stable as $$
  with recursive seat as (
    select run.id from course_offerings as run
    where run.course_id = the_course and case when offering is not null then run.id = offering else exists (
      select from enrollments as mine
      where mine.course_offering_id = run.id and mine.user_id = person and mine.is_admitted) end
  ), node (in_item, in_module, above_id, available_from) as (
    select the_item, null::integer, the_module, one.available_from from (select) as start
    left join content_items as one on one.id = the_item
    union all
    select null, above.id, above.parent_module_id, above.available_from
    from node join modules as above on above.id = node.above_id
  )
  select case when not exists (
      select from offering_dates as own where own.course_id = the_course and own.available_from is not null
      union all
      select from offering_group_dates as own where own.course_id = the_course and own.available_from is not null
      union all
      select from quiz_overrides as own
      where own.content_item_id = the_item and own.user_id = person and own.available_from is not null
    ) then stated else (
  select case when count(*) = 0 then stated else nullif(min(opening.moment), '-infinity') end
  from seat cross join lateral (
    select coalesce(max(coalesce((
        select granted.available_from from quiz_overrides as granted
        where granted.course_offering_id = seat.id and granted.content_item_id = node.in_item and granted.user_id = person
      ), (
        select min(dated.available_from) from groups_of(seat.id, person) as mine (id)
        join offering_group_dates as dated on dated.group_id = mine.id
        where dated.content_item_id = node.in_item or dated.module_id = node.in_module
      ), own.available_from, node.available_from)), '-infinity') as moment
    from node left join offering_dates as own on own.course_offering_id = seat.id
      and (own.content_item_id = node.in_item or own.module_id = node.in_module)
      and own.available_from is not null
  ) as opening) end
$$;
--> statement-breakpoint
-- Puts a person into a group as a `member` or as its `staff`, or has who is in it be the other. A word on why not: there is
-- no such group, it is not open to those who come by themselves, they have no place in the offering or are not staff there,
-- or it is full. Null where they are in it then. The last seat is taken once. Who comes or goes by themselves fetches no later
-- date for what they have handed in or have open, as staff may give it.
create or replace function put_into_group(
  the_group integer, person integer, wanted text, by_owner boolean, actor integer, moment timestamptz, request jsonb
) returns text language plpgsql as $$
declare
  here offering_groups := lock_group(the_group);
  refusal text;
begin
  if wanted = 'member' then
    perform from enrollments where user_id = person and course_offering_id = here.course_offering_id for share;
  end if;
  refusal := case
    when here.id is null then 'missing'
    when by_owner and not here.self_enrollment then 'closed'
    when wanted = 'staff' and not is_staff_of_offering(person, here.course_offering_id) then 'not_staff'
    when wanted = 'member' and not exists (
      select from enrollments
      where user_id = person and course_offering_id = here.course_offering_id and is_admitted) then 'not_enrolled'
    when wanted = 'member' and here.capacity <= group_members_count(here.id, person) then 'full' end;
  if refusal is not null then return refusal; end if;
  insert into offering_group_members as one (group_id, course_offering_id, user_id, group_role, joined_at)
  values (here.id, here.course_offering_id, person, wanted, moment)
  on conflict on constraint offering_group_members_unique do update set group_role = excluded.group_role
    where one.group_role <> excluded.group_role and not by_owner;
  if not found then return null; end if;
  perform audit('group.member_added', actor, person, (select university_id from course_offerings where id = here.course_offering_id),
    jsonb_build_object('group_id', here.id, 'role', upper(wanted)), request);
  if not by_owner then perform take_later_dates(here.course_offering_id, null, person, moment); end if;
  return null;
end $$;
--> statement-breakpoint
-- How many rows are put onto a number in the statement that gives a place: more than nearly anyone has in an offering.
create or replace function rows_of_a_place() returns integer language sql immutable as $$
  select 5000
$$;
--> statement-breakpoint
-- Puts up to so many of a person's other rows of until then onto the number, and erases there what goes; answers whether there were any.
create or replace function split_belongings(university integer, person integer, number integer, until timestamptz, most integer)
returns boolean language plpgsql as $$
declare
  moved integer;
  done integer := 0;
  deck integer;
begin
  -- What they did there as staff stays, without a name.
  update imports set created_by_user_id = null where id = any (array(
    select one.id from imports as one where one.created_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update cartridge_imports set created_by_user_id = null, title = null where id = any (array(
    select one.id from cartridge_imports as one where one.created_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update invitations set invited_by_user_id = null where id = any (array(
    select one.id from invitations as one where one.invited_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update announcements set created_by_user_id = null where id = any (array(
    select one.id from announcements as one where one.created_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null where id = any (array(
    select one.id from lab_submissions as one where one.claimed_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lab_submissions set graded_by_user_id = null where id = any (array(
    select one.id from lab_submissions as one where one.graded_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update submission_marks set grader_id = null where id = any (array(
    select one.id from submission_marks as one where one.grader_id = person and exists (select from lab_submissions as work join course_offerings as run on run.id = work.course_offering_id
      where work.id = one.submission_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update grade_changes set changed_by_user_id = null where id = any (array(
    select one.id from grade_changes as one where one.changed_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_exemptions set granted_by_user_id = null where id = any (array(
    select one.id from course_exemptions as one where one.granted_by_user_id = person and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tutor_notes set updated_by = null where id = any (array(
    select one.id from tutor_notes as one where one.updated_by = person and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update retention_holds set placed_by_user_id = null where id = any (array(
    select one.id from retention_holds as one where one.placed_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update answer_pins set pinned_by = null where id = any (array(
    select one.id from answer_pins as one where one.pinned_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update cache_nodes set edited_by = null where id = any (array(
    select one.id from cache_nodes as one where one.edited_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tree_changes set changed_by = null where id = any (array(
    select one.id from tree_changes as one where one.changed_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tree_changes set undone_by = null where id = any (array(
    select one.id from tree_changes as one where one.undone_by = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lti_rosters set asked_by_user_id = null where context_id = any (array(
    select one.context_id from lti_rosters as one where one.asked_by_user_id = person and one.context_id in (select id from lti_contexts where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update lti_contexts set bound_by_user_id = null where id = any (array(
    select one.id from lti_contexts as one where one.bound_by_user_id = person and one.university_id = university limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  delete from import_rows where id = any (array(
    select one.id from import_rows as one join imports as its on its.id = one.import_id
    where its.university_id = university
      and (one.user_id = person or one.email = (select email from users where id = person)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update course_exemptions set user_id = number where id = any (array(
    select one.id from course_exemptions as one where one.user_id = person and one.course_id in (select id from courses where university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  if done > 0 then return true; end if;
  update files set uploaded_by_user_id = number where id = any (array(
    select one.id from files as one where one.uploaded_by_user_id = person and one.university_id = university and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_threads set created_by_user_id = number where id = any (array(
    select one.id from discussion_threads as one where one.created_by_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_threads set learner_user_id = number where id = any (array(
    select one.id from discussion_threads as one where one.learner_user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update tutor_handovers set user_id = number where id = any (array(
    select one.id from tutor_handovers as one where one.user_id = person and exists (select from discussion_threads as thread join course_offerings as run on run.id = thread.course_offering_id
      where thread.id = one.thread_id and run.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_posts set user_id = number where id = any (array(
    select one.id from discussion_posts as one where one.user_id = person and exists (select from discussion_threads as thread join course_offerings as run on run.id = thread.course_offering_id
      where thread.id = one.thread_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update discussion_reports set user_id = number where id = any (array(
    select one.id from discussion_reports as one where one.user_id = person and exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update announcement_reads set user_id = number where ctid = any (array(
    select one.ctid from announcement_reads as one where one.user_id = person and one.read_at < until and exists (
      select from announcements as its where its.id = one.announcement_id and its.university_id = university) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update notifications set user_id = number where id = any (array(
    select one.id from notifications as one where one.user_id = person and one.created_at < until and (exists (select from course_offerings as run where run.id = one.course_offering_id and run.university_id = university)
      or exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university)) limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  update notes set user_id = number where id = any (array(
    select one.id from notes as one where one.user_id = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) and one.created_at < until limit most - done));
  get diagnostics moved = row_count;
  done := done + moved;
  if done < most and exists (select from flashcards as one where one.user_id = person and one.created_at < until
    and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university)) then
    insert into flashcard_decks (user_id, title) values (number, 'Erased') returning id into deck;
    update flashcards set user_id = number, deck_id = deck where id = any (array(
      select one.id from flashcards as one where one.user_id = person and exists (select from content_items as item where item.id = one.content_item_id and item.university_id = university) and one.created_at < until limit most - done));
    get diagnostics moved = row_count;
    done := done + moved;
  end if;
  if done > 0 then perform keep_statistics(number, most); end if;
  return done > 0;
end $$;
--> statement-breakpoint
-- Does that in all that a person has left, and erases there, once all is on the number, up to so much of what is no record of
-- examinations; answers whether there was anything to do.
create or replace function split_results(university integer, person integer, number integer, most integer) returns boolean
language plpgsql as $$
declare
  moved integer := move_results(university, person, number, null, most);
begin
  if moved < most and (
    moved > 0 or has_ungraded_work(number)
    or exists (select from quiz_overrides where user_id = number)
    or exists (select from offering_group_members where user_id = number)
    or exists (select from lti_score_marks where user_id = number)
    or exists (select from certificates where user_id = number)
  ) then
    perform keep_statistics(number, most);
    return true;
  end if;
  return moved > 0;
end $$;
--> statement-breakpoint
-- How much work that is not graded the statement that closes an account deletes: more than nearly anyone has.
create or replace function work_at_once() returns integer language sql immutable as $$
  select 1000
$$;
--> statement-breakpoint
create or replace trigger leave_groups after update of status, completion_source on enrollments
  for each row when (new.is_admitted <> old.is_admitted) execute function leave_groups();
--> statement-breakpoint
create or replace trigger lock_enrollments_shared before insert on enrollments
  for each row execute function lock_enrollments_shared();
--> statement-breakpoint
set local check_function_bodies = on;
