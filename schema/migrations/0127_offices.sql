set local check_function_bodies = off;
--> statement-breakpoint
-- What the two marks of a submission say alike, with the words of both; null where one is missing or they differ.
create or replace function equal_marks(
  the_submission bigint, out score numeric, out rubric jsonb, out feedback text
) language sql stable as $$
  select min(one.score), (array_agg(one.rubric order by one.place))[1],
         string_agg(nullif(one.feedback, ''), e'\n\n' order by one.place)
  from submission_marks as one where one.submission_id = the_submission
  having count(*) = 2 and min(one.score) = max(one.score)
    and count(one.rubric) in (0, 2) and count(distinct one.rubric) <= 1
$$;
--> statement-breakpoint
-- Grants a person other rules in a quiz; an attempt that is open ends so much sooner by them, or as late as they say: what the
-- university gave it and has withdrawn since stays. `granted` has the keys
-- time_limit_seconds, max_attempts and due_at, null for what the quiz says; one that is absent stays as it was. No row:
-- they are not enrolled there.
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
      (user_id, course_offering_id, content_item_id, time_limit_seconds, max_attempts, due_at, created_at, updated_at)
    select person, the_offering, the_item, wanted.time_limit_seconds, wanted.max_attempts, wanted.due_at, moment, moment
    from jsonb_to_record(granted) as wanted (time_limit_seconds integer, max_attempts integer, due_at timestamptz)
    where exists (select from enrollments where user_id = person and course_offering_id = the_offering)
    on conflict (course_offering_id, content_item_id, user_id) do update
      set time_limit_seconds =
            case when granted ? 'time_limit_seconds' then excluded.time_limit_seconds else one.time_limit_seconds end,
          max_attempts = case when granted ? 'max_attempts' then excluded.max_attempts else one.max_attempts end,
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
-- The day of a moment of someone's work, as whoever sees a code in their place is told it: as if what is due for the class
-- were due for them. The moment itself stands beside names elsewhere, and a later date of one's own would be told by it.
create or replace function hidden_moment(offering integer, item integer, moment timestamptz, late_days integer)
returns timestamptz language sql stable as $$
  select date_trunc('day', case when due_at is null then moment
    when late_days > 0 then due_at + make_interval(days => late_days) else least(moment, due_at) end, 'UTC')
  from item_dates(offering, null, array[item])
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
-- Takes a person out of a group; a word on why not, as above, or that they are not in it. What they have handed in, and
-- what is open, keeps the later date.
create or replace function take_out_of_group(
  the_group integer, person integer, by_owner boolean, actor integer, moment timestamptz, request jsonb
) returns text language plpgsql as $$
declare
  here offering_groups := lock_group(the_group);
begin
  if here.id is null then return 'missing'; end if;
  if by_owner and not here.self_enrollment then return 'closed'; end if;
  delete from offering_group_members
  where group_id = here.id and user_id = person and (not by_owner or group_role = 'member');
  if not found then return 'not_in_it'; end if;
  perform audit('group.member_removed', actor, person,
    (select university_id from course_offerings where id = here.course_offering_id), jsonb_build_object('group_id', here.id), request);
  if not by_owner then perform take_later_dates(here.course_offering_id, null, person, moment); end if;
  return null;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
