-- A person who completed an offering has at most one valid certificate, however often it is issued.
--
-- Locks: concurrent issues to one person wait for each other; revoking or replacing locks the certificate.

-- 128 random bits in hexadecimal digits. Two UUIDs are hashed, since some bits of a UUID are fixed.
create or replace function generate_certificate_code() returns text language sql volatile as $$
  select left(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'), 32)
$$;

-- Null `given` means never; without one, the offering's setting applies.
create or replace function certificate_expiry(offering integer, moment timestamptz, given jsonb) returns timestamptz
language sql stable as $$
  select case when given ? 'expires_at' then (given ->> 'expires_at')::timestamptz
              else moment + make_interval(days => (
                select valid_for_days from certificate_settings where course_offering_id = offering)) end
$$;

-- Returns no row without a completion (self-reports do not count), if a valid certificate exists, or if it would
-- have expired already. Keys of `given`: printed_name, expires_at, metadata_json.
create or replace function issue_missing_certificate_of_completion(person integer, offering integer, moment timestamptz, given jsonb)
returns setof certificates language sql as $$
  insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name,
    completed_at, issued_at, expires_at, metadata_json)
  select person, offering, generate_certificate_code(), coalesce(given ->> 'printed_name', name_at_university(member), users.full_name), courses.title,
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

-- Returns an existing one unchanged with `is_new` false. `refusal`: 'not completed'; 'expired' if it would have
-- expired already; 'revoked' if only a replacement can be issued.
create or replace function issue_certificate_by_staff(
  person integer, offering integer, moment timestamptz, given jsonb
) returns table (refusal text, is_new boolean, certificate certificates) language plpgsql as $$
begin
  select * into certificate from issue_missing_certificate_of_completion(person, offering, moment, given);
  is_new := found;
  if not is_new then
    select * into certificate from certificates
    where user_id = person and course_offering_id = offering and replaced_at is null;
    refusal := case
      when not found and certificate_expiry(offering, moment, given) <= moment then 'expired'
      when not found then 'not completed'
      when certificate.revoked_at is not null then 'revoked'
    end;
  end if;
  return next;
end $$;

-- An already revoked one is unchanged. `refusal`: 'replaced'.
create or replace function revoke_certificate(which integer, reason text, moment timestamptz)
returns table (refusal text, is_new boolean, certificate certificates) language plpgsql as $$
begin
  select * into certificate from certificates where id = which for no key update;
  is_new := certificate.revoked_at is null and certificate.replaced_at is null;
  if is_new then
    update certificates set revoked_at = moment, revocation_reason = reason where id = which
    returning certificates.* into certificate;
  elsif certificate.revoked_at is null then
    refusal := 'replaced';
  end if;
  return next;
end $$;

-- Replaces a certificate with one under a new code. Absent keys of `given` take today's values. `refusal`:
-- 'replaced', or 'expired' if it would have expired already.
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
  select former.user_id, run.id, generate_certificate_code(),
         coalesce(given ->> 'printed_name', name_at_university(member), (select full_name from users where id = former.user_id),
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
