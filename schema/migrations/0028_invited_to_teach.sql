set local check_function_bodies = off;
--> statement-breakpoint
drop function invite(integer,text,text,integer,integer,integer,jsonb);
--> statement-breakpoint
DROP INDEX "invitations_open_key";
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "teaches" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_open_key" ON "invitations" USING btree ("university_id","email",coalesce("role", ''),coalesce("department_id", 0),coalesce("course_offering_id", 0),"teaches") WHERE accepted_at is null and revoked_at is null;
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_teaches_check" CHECK (not "invitations"."teaches" or "invitations"."course_offering_id" is not null);
--> statement-breakpoint
-- Gives a person who has its address what an invitation offers, as far as who made it may still give it. Answers why
-- not, and then gives nothing of it: `void` when it is none any more, or not theirs.
create or replace function accept_invitation(
  the_invitation integer, person integer, request jsonb, out refusal text, out missing text
) language plpgsql as $$
declare
  offer invitations;
begin
  perform hold_invited_places(array[the_invitation]);
  select * into offer from invitations
  where id = the_invitation and accepted_at is null and revoked_at is null and expires_at > sent_at(request)
  for update;
  if offer.id is null or not exists (
    select from users where id = person and is_active and email = offer.email
  ) then
    refusal := 'void';
  elsif not exists (select from users where id = offer.invited_by_user_id and is_active)
      or offer.role is not null
        and not may_grant(offer.invited_by_user_id, offer.role, offer.university_id, offer.department_id)
      or offer.course_offering_id is not null and not exists (
        select from course_offerings as run
        where run.id = offer.course_offering_id and case when offer.teaches
          then is_instructor_of_course(offer.invited_by_user_id, run.course_id)
          else is_staff_of_course(offer.invited_by_user_id, run.course_id) end) then
    refusal := 'withdrawn';
  elsif offer.course_offering_id is not null and not offer.teaches and not exists (
    select from enrollments
    where course_offering_id = offer.course_offering_id and user_id = person and status <> 'dropped'
  ) then
    select placed.refusal, placed.missing into refusal, missing
    from enroll(offer.course_offering_id, person, sent_at(request), null, offer.invited_by_user_id, false, request)
      as placed;
  end if;
  if refusal is not null then return; end if;
  if offer.role is not null then
    insert into user_university_roles (user_id, university_id, role, department_id)
    values (person, offer.university_id, offer.role, offer.department_id) on conflict do nothing;
    if found then
      perform audit('role.granted', offer.invited_by_user_id, person, offer.university_id, jsonb_strip_nulls(
        jsonb_build_object('role', offer.role, 'department_id', offer.department_id, 'invitation_id', offer.id)),
        request);
    end if;
  end if;
  if offer.teaches then
    insert into course_offering_instructors (course_offering_id, user_id) values (offer.course_offering_id, person)
    on conflict do nothing;
  end if;
  update invitations set accepted_at = sent_at(request), accepted_by_user_id = person where id = offer.id;
end $$;
--> statement-breakpoint
-- Invites, or renews the same open offer in the name of who asks now. `is_new` says which.
create or replace function invite(
  university integer, to_address text, the_role text, department integer, offering integer, as_instructor boolean,
  inviter integer, request jsonb, out invitation invitations, out is_new boolean
) language plpgsql as $$
declare
  moment timestamptz := sent_at(request);
  offered record;
begin
  insert into invitations as one
    (university_id, email, role, department_id, course_offering_id, teaches, invited_by_user_id, created_at,
     expires_at)
  values (university, to_address, the_role, department, offering, as_instructor, inviter, moment,
          moment + interval '7 days')
  on conflict (university_id, email, coalesce(role, ''), coalesce(department_id, 0), coalesce(course_offering_id, 0),
               teaches)
    where accepted_at is null and revoked_at is null
  do update set invited_by_user_id = inviter, expires_at = excluded.expires_at, mail_id = null
  returning one, one.xmax = 0 as is_new into offered;
  invitation := offered.one;
  is_new := offered.is_new;
  perform mail_invitations(to_address, moment);
  perform audit('invitation.sent', inviter, null, university, jsonb_strip_nulls(jsonb_build_object(
    'invitation_id', invitation.id, 'role', the_role, 'department_id', department, 'course_offering_id', offering,
    'teaches', nullif(as_instructor, false))), request);
end $$;
--> statement-breakpoint
-- The same of instructor or above, which the service knows as the action `offering:write`.
create or replace function is_instructor_of_course(person integer, the_course integer) returns boolean
language sql stable as $$
  select exists (select from roles_at_course(person, the_course) as held where held not in ('student', 'ta'))
$$;
--> statement-breakpoint
-- Whether a person is staff of a course: of ta or above for its university or department, or its instructor. What the
-- service knows of a caller as the action `course:read-unpublished`, where the database alone knows who asks.
create or replace function is_staff_of_course(person integer, the_course integer) returns boolean
language sql stable as $$
  select exists (select from roles_at_course(person, the_course) as held where held <> 'student')
$$;
--> statement-breakpoint
-- The roles that count for a person in a course: the university's, its department's, and that of its instructor.
create or replace function roles_at_course(person integer, the_course integer) returns setof text
language sql stable as $$
  select held.role from held_roles as held
  join courses as course on course.id = the_course
  where held.user_id = person and (held.role = 'platform_admin'
    or held.university_id = course.university_id
    and coalesce(held.course_id, course.id) = course.id
    and (held.department_id is null or held.department_id = course.department_id))
$$;
--> statement-breakpoint
set local check_function_bodies = on;
