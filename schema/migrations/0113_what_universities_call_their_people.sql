set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
DROP INDEX "sourced_people_user_id_index";
--> statement-breakpoint
ALTER TABLE "university_members" ADD COLUMN "given_name" varchar(255);
--> statement-breakpoint
ALTER TABLE "university_members" ADD COLUMN "family_name" varchar(255);
--> statement-breakpoint
ALTER TABLE "university_members" ADD COLUMN "source" text;
--> statement-breakpoint
CREATE INDEX "sourced_people_user_id_university_id_id_index" ON "sourced_people" USING btree ("user_id","university_id","id");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'api_key.created', 'api_key.revoked', 'api_key.adopted', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'member.corrected', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'tutor_progress.read', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused'));
--> statement-breakpoint
ALTER TABLE "university_members" ADD CONSTRAINT "university_members_source_check" CHECK ("university_members"."source" in ('import', 'staff'));
--> statement-breakpoint
-- Corrects what a university says of one of its people, for its staff: `wanted` may have the keys is_active, external_id,
-- given_name, family_name, and source with null, which lets imports name them again. Answers how the university has them
-- then, or that the id is another's, and nothing was done; no row for who is none of its people. It is the university's
-- alone: the account stays as it is.
create or replace function correct_member(
  university integer, person integer, wanted jsonb, actor integer, request jsonb
) returns table (is_taken boolean, member university_members, external_id text) language plpgsql as $$
#variable_conflict use_column
declare
  corrected text[] := array(
    select key from jsonb_object_keys(wanted) as key where key <> 'is_active' order by key);
begin
  if not exists (select from known_at(person) as known where known.university_id = university) then return; end if;
  is_taken := wanted ? 'external_id' and not give_external_id(university, person, wanted ->> 'external_id');
  if is_taken then
    return next;
    return;
  end if;
  if wanted ?| array['given_name', 'family_name', 'source'] then
    update university_members as one set
      given_name = case when wanted ? 'given_name' then wanted ->> 'given_name' else one.given_name end,
      family_name = case when wanted ? 'family_name' then wanted ->> 'family_name' else one.family_name end,
      source = case when not wanted ? 'source' then 'staff' end
    where one.university_id = university and one.user_id = person;
  end if;
  if corrected <> '{}' then
    perform audit('member.corrected', actor, person, university, jsonb_build_object('fields', corrected), request);
  end if;
  if wanted ? 'is_active' then
    perform set_member_active(university, person, (wanted ->> 'is_active')::boolean, actor, request);
  end if;
  select one.* into member from university_members as one where one.university_id = university and one.user_id = person;
  external_id := (
    select known.sourced_id from sourced_people as known
    where known.university_id = university and known.user_id = person order by known.id desc limit 1);
  return next;
end $$;
--> statement-breakpoint
-- Has a university know a person by an id, from then on before all others that it knows them by: null takes them all.
-- False where it is another person's.
create or replace function give_external_id(university integer, person integer, wanted text) returns boolean
language plpgsql as $$
begin
  delete from sourced_people as known
  where known.university_id = university and known.user_id = person and (wanted is null or known.sourced_id = wanted);
  if wanted is null then return true; end if;
  insert into sourced_people (university_id, sourced_id, user_id) values (university, wanted, person)
  on conflict do nothing;
  return found;
end $$;
--> statement-breakpoint
-- People are made, or found; found ones get the source's id, and the role of a student where they have nothing in the
-- university, and people of elsewhere are offered that role. What the university calls them is written beside, unless its
-- staff have corrected that. The name of the account changes only as `may_rename` says, and its address, by which they sign
-- in, never. Two rows of one file never name the same person.
create or replace function import_people(import imports, batch bigint[], request jsonb)
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  made integer[];
  changed integer[];
  gone record;
  has_left boolean;
  leaving integer[];
  touched integer[];
  offered jsonb;
begin
  leaving := array(select one.person from import_batch(import, batch) as one where one.is_deletion);
  perform lock_offerings(array(
    select course_offering_id from enrollments
    where user_id = any (leaving) and university_id = import.university_id
      and status in ('active', 'pending', 'waitlisted')));
  with fresh as (
    insert into users (email, full_name, made_by_university_id)
    select one.email, one.details ->> 'full_name', import.university_id from import_batch(import, batch) as one
    where one.person is null and not one.is_deletion order by one.email
    on conflict (email) do nothing returning users.id
  )
  select coalesce(array_agg(id), '{}') into made from fresh;
  offered := (
    select jsonb_object_agg(made_offer.row_id, made_offer.refusal) from (
      select one.row_id, coalesce(offer_by_import(
        import, one.address, given.sourced_id, 'student', null, null, false, request), '') as refusal
      from import_addressees(import, batch) as one join import_rows as given on given.id = one.row_id
      order by one.address, one.row_id) as made_offer);
  -- In one order, since whoever becomes a member is locked for it, and so is whoever is renamed.
  touched := array(
    select one.person from import_batch(import, batch) as one
    where not one.is_deletion and (
      not exists (
        select from university_members as member
        where member.university_id = import.university_id and member.user_id = one.person)
      or one.details ->> 'full_name' <> (select full_name from users where id = one.person)
        and may_rename(import.university_id, one.person)));
  perform from users where id = any (touched) order by id for no key update;
  with welcomed as (
    insert into user_university_roles (user_id, university_id, role)
    select one.person, import.university_id, 'student' from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and not is_named_otherwise(import.university_id, one.person, 'import', one.details)
      and not exists (select from known_at(one.person) as known where known.university_id = import.university_id)
    on conflict do nothing returning user_university_roles.user_id
  )
  select coalesce(array_agg(user_id), '{}') into changed from welcomed;
  -- After that, since whoever belonged nowhere belongs here alone now: the same file would find it so.
  with listed as materialized (
    select one.* from import_batch(import, batch) as one
    where one.person is not null and not one.is_deletion and not one.has_other_address
      and not is_named_otherwise(import.university_id, one.person, 'import', one.details)
  ), named as (
    update university_members as member set given_name = listed.details ->> 'given_name',
      family_name = listed.details ->> 'family_name', source = 'import'
    from listed
    where member.university_id = import.university_id and member.user_id = listed.person
      and num_nonnulls(listed.details ->> 'given_name', listed.details ->> 'family_name') > 0
      and coalesce(member.source, 'import') = 'import'
      and (member.given_name, member.family_name, member.source) is distinct from (
        listed.details ->> 'given_name', listed.details ->> 'family_name', 'import')
    returning member.user_id
  ), misnamed as materialized (
    select listed.person, listed.details ->> 'full_name' as name from listed join users on users.id = listed.person
    where users.full_name <> listed.details ->> 'full_name'
  ), renamed as (
    update users set full_name = misnamed.name, updated_at = service_now() from misnamed
    where users.id = misnamed.person and may_rename(import.university_id, misnamed.person)
    returning users.id
  ), sourced as (
    insert into sourced_people (university_id, sourced_id, user_id)
    select import.university_id, listed.sourced_id, listed.person from listed
    where listed.sourced_id is not null and not exists (
      select from sourced_people as known
      where known.university_id = import.university_id and known.sourced_id = listed.sourced_id)
    on conflict do nothing returning sourced_people.user_id
  )
  select changed || array(select id from renamed union select user_id from sourced union select user_id from named)
  into changed;
  return query
  select one.row_id,
    case when one.has_other_address or offered ->> one.row_id::text <> '' or judged.is_named then 'refused'
         when offered ? one.row_id::text then 'offered' when one.person = any (made) then 'created'
         when one.person = any (changed) then 'updated' else 'unchanged' end,
    case when one.has_other_address
         then 'The person with this sourced_id has another e-mail address, which only they can change'
         when judged.is_named then 'Staff have corrected the name of this person, and it changes once they release it'
         else nullif(offered ->> one.row_id::text, '') end,
    one.person
  from import_batch(import, batch) as one
  cross join lateral (
    select is_named_otherwise(import.university_id, one.person, 'import', one.details) as is_named) as judged
  where not one.is_deletion;
  for gone in select one.* from import_batch(import, batch) as one where one.is_deletion order by one.row_id loop
    row_id := gone.row_id;
    person := gone.person;
    outcome := 'refused';
    reason := null;
    if person is null then
      update invitations as one set revoked_at = sent_at(request)
      where one.university_id = import.university_id and one.source = 'import'
        and (one.email = gone.email or one.sourced_id = gone.sourced_id)
        and one.accepted_at is null and one.revoked_at is null;
      outcome := case when found then 'updated' else 'unchanged' end;
    elsif person = import.created_by_user_id then
      reason := 'Nobody removes themselves';
    else
      has_left := import_leaving(import, person, request);
      if has_left is null then
        reason := 'They hold a role that you may not revoke';
      else
        outcome := case when has_left then 'updated' else 'unchanged' end;
      end if;
    end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- Whether a university may not be told what one of its people is called by this source, since another one said it last,
-- and says otherwise.
create or replace function is_named_otherwise(university integer, person integer, the_source text, names jsonb)
returns boolean language sql stable as $$
  select exists (
    select from university_members as member
    where member.university_id = university and member.user_id = person and member.source <> the_source
      and num_nonnulls(names ->> 'given_name', names ->> 'family_name') > 0
      and (member.given_name, member.family_name) is distinct from (names ->> 'given_name', names ->> 'family_name'))
$$;
--> statement-breakpoint
-- Issues a certificate to someone who has completed an offering by more than their own word. No row: they have not, one
-- stands, or it would have expired by then. `given` may have the keys printed_name, expires_at and metadata_json.
create or replace function issue_certificate(person integer, offering integer, moment timestamptz, given jsonb)
returns setof certificates language sql as $$
  insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name,
    completed_at, issued_at, expires_at, metadata_json)
  select person, offering, certificate_code(), coalesce(given ->> 'printed_name', name_there(member), users.full_name), courses.title,
         universities.name, taken.completed_at, moment, expiry.expires_at, nullif(given -> 'metadata_json', 'null')
  from enrollments as taken
  cross join certificate_expiry(offering, moment, given) as expiry (expires_at)
  join users on users.id = taken.user_id
  join course_offerings as run on run.id = taken.course_offering_id
  join courses on courses.id = run.course_id
  join universities on universities.id = run.university_id
  left join university_members as member on member.university_id = run.university_id and member.user_id = person
  where taken.user_id = person and taken.course_offering_id = offering
    and taken.status = 'completed' and taken.completion_source <> 'self' and users.erased_at is null
    and not coalesce(expiry.expires_at <= moment, false)
  on conflict (user_id, course_offering_id) where replaced_at is null do nothing
  returning *
$$;
--> statement-breakpoint
-- The name that a university has of one of its people, and what its lists then find them by; null where it has none.
create or replace function name_there(member university_members) returns text language sql stable as $$
  select nullif(concat_ws(' ', member.given_name, member.family_name), '')
$$;
--> statement-breakpoint
-- Issues a certificate anew, under a code of its own, in place of one that is wrong, lost or over, or that was revoked
-- by mistake. `given` as for issue_certificate; what it leaves out is as it is called today. `refusal`: 'replaced', or
-- 'expired' for one that would be over already.
create or replace function reissue_certificate(which integer, moment timestamptz, given jsonb)
returns table (refusal text, is_new boolean, certificate certificates) language plpgsql as $$
declare
  former certificates;
begin
  select * into former from certificates where id = which for no key update;
  refusal := case
    when former.replaced_at is not null then 'replaced'
    when certificate_expiry(former.course_offering_id, moment, given) <= moment then 'expired'
  end;
  is_new := refusal is null;
  if not is_new then
    return next;
    return;
  end if;
  update certificates set replaced_at = moment where id = which;
  insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name,
    completed_at, issued_at, expires_at, metadata_json, replaces_id)
  select former.user_id, run.id, certificate_code(),
         coalesce(given ->> 'printed_name', name_there(member), (select full_name from users where id = former.user_id),
                  former.printed_name),
         courses.title, universities.name, former.completed_at, moment, certificate_expiry(run.id, moment, given),
         case when given ? 'metadata_json' then nullif(given -> 'metadata_json', 'null') else former.metadata_json end,
         former.id
  from course_offerings as run
  join courses on courses.id = run.course_id
  join universities on universities.id = run.university_id
  left join university_members as member on member.university_id = run.university_id and member.user_id = former.user_id
  where run.id = former.course_offering_id
  returning certificates.* into certificate;
  return next;
end $$;
--> statement-breakpoint
create or replace function search_text_there(member university_members) returns text language sql stable as $$
  select case when num_nonnulls(member.given_name, member.family_name) > 0
    then searched(concat_ws(' ', member.given_name, member.family_name, member.email)) end
$$;
--> statement-breakpoint
set local check_function_bodies = on;
