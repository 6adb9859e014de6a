set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "report_totals" DROP CONSTRAINT "report_totals_measure_check";
--> statement-breakpoint
DROP INDEX "lab_submissions_results_index";
--> statement-breakpoint
CREATE INDEX "lab_submissions_results_index" ON "lab_submissions" USING btree ("submitted_at","status","score_obtained","max_score","content_item_id");
--> statement-breakpoint
ALTER TABLE "report_totals" ADD CONSTRAINT "report_totals_measure_check" CHECK ("report_totals"."measure" in ('signups', 'drops', 'topics_started', 'topics_completed', 'trees_completed', 'enrollments_active', 'enrollments_completed', 'enrollments_dropped', 'enrollments_pending', 'enrollments_waitlisted', 'notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'course_reviews', 'course_ratings', 'quizzes_submitted', 'quizzes_passed', 'quizzes_failed', 'quizzes_scored', 'quiz_scores', 'labs_submitted', 'labs_graded', 'labs_scored', 'lab_scores', 'assignments_submitted', 'assignments_graded', 'assignments_scored', 'assignment_scores', 'certificates_issued', 'certificates_revoked', 'chat_sessions', 'chat_messages', 'conversations', 'conversation_milliseconds', 'divergences', 'hits', 'misses', 'joined'));
--> statement-breakpoint
-- Issues a certificate to someone who has completed an offering by more than their own word. No row: they have not, one
-- stands, or it would have expired by then. `given` may have the keys printed_name, expires_at and metadata_json.
create or replace function issue_certificate(person integer, offering integer, moment timestamptz, given jsonb)
returns setof certificates language sql as $$
  insert into certificates (user_id, course_offering_id, certificate_code, printed_name, course_title, university_name,
    completed_at, issued_at, expires_at, metadata_json)
  select person, offering, certificate_code(), coalesce(given ->> 'printed_name', users.full_name), courses.title,
         universities.name, taken.completed_at, moment, expiry.expires_at, nullif(given -> 'metadata_json', 'null')
  from enrollments as taken
  cross join certificate_expiry(offering, moment, given) as expiry (expires_at)
  join users on users.id = taken.user_id
  join course_offerings as run on run.id = taken.course_offering_id
  join courses on courses.id = run.course_id
  join universities on universities.id = run.university_id
  where taken.user_id = person and taken.course_offering_id = offering
    and taken.status = 'completed' and taken.completion_source <> 'self' and users.erased_at is null
    and not coalesce(expiry.expires_at <= moment, false)
  on conflict (user_id, course_offering_id) where replaced_at is null do nothing
  returning *
$$;
--> statement-breakpoint
-- Issues one as its staff do: `is_new` is false for one that stands already, which is answered as it is. `refusal`:
-- 'not completed', 'expired' for one that would be over already, or 'revoked' where only a new one in place of it may be
-- issued.
create or replace function issue_certificate_by_staff(
  person integer, offering integer, moment timestamptz, given jsonb
) returns table (refusal text, is_new boolean, certificate certificates) language plpgsql as $$
begin
  select * into certificate from issue_certificate(person, offering, moment, given);
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
--> statement-breakpoint
-- Whoever completes an enrollment, by a result or as staff, issues the certificate with it, unless it is over by now. One
-- that was revoked does not come back so.
create or replace function issue_on_completion() returns trigger language plpgsql as $$
declare
  moment timestamptz := coalesce(new.completed_at, service_now());
begin
  if not exists (
    select from certificate_settings
    where course_offering_id = new.course_offering_id and issuance = 'by_staff'
  ) and not coalesce(certificate_expiry(new.course_offering_id, moment, '{}') <= service_now(), false) then
    perform issue_certificate(new.user_id, new.course_offering_id, moment, '{}');
  end if;
  return null;
end $$;
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
         coalesce(given ->> 'printed_name', (select full_name from users where id = former.user_id), former.printed_name),
         courses.title, universities.name, former.completed_at, moment, certificate_expiry(run.id, moment, given),
         case when given ? 'metadata_json' then nullif(given -> 'metadata_json', 'null') else former.metadata_json end,
         former.id
  from course_offerings as run
  join courses on courses.id = run.course_id
  join universities on universities.id = run.university_id
  where run.id = former.course_offering_id
  returning certificates.* into certificate;
  return next;
end $$;
--> statement-breakpoint
-- Scores are parts of what was to be had. A certificate in place of another counts for nothing of its own.
create or replace view assessment_facts (user_id, measure, course_id, moment, since, amount) as
  select own.user_id, counted.measure, run.course_id, own.submitted_at, null::timestamptz, counted.amount
  from quiz_attempts as own left join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('quizzes_submitted', 1), ('quizzes_passed', own.passed::int), ('quizzes_failed', (not own.passed)::int),
    ('quizzes_scored', (own.score_obtained is not null and own.max_score <> 0)::int),
    ('quiz_scores', own.score_obtained / nullif(own.max_score, 0))) as counted (measure, amount)
  union all
  select own.user_id, counted.measure, run.course_id, own.submitted_at, null, counted.amount
  from lab_submissions as own left join course_offerings as run on run.id = own.course_offering_id
  join content_items as item on item.id = own.content_item_id
  join content_types as type on type.id = item.content_type_id
  cross join lateral (values
    ('engineering_lab', 'labs_submitted', 1), ('engineering_lab', 'labs_graded', (own.status = 'graded')::int),
    ('engineering_lab', 'labs_scored', (own.score_obtained is not null and own.max_score <> 0)::int),
    ('engineering_lab', 'lab_scores', own.score_obtained / nullif(own.max_score, 0)),
    ('assignment', 'assignments_submitted', 1), ('assignment', 'assignments_graded', (own.status = 'graded')::int),
    ('assignment', 'assignments_scored', (own.score_obtained is not null and own.max_score <> 0)::int),
    ('assignment', 'assignment_scores', own.score_obtained / nullif(own.max_score, 0))
  ) as counted (of_type, measure, amount)
  where counted.of_type = type.name
  union all
  select own.user_id, counted.measure, run.course_id, counted.moment, null, 1::numeric
  from certificates as own left join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('certificates_issued', case when own.replaces_id is null then own.issued_at end),
    ('certificates_revoked', own.revoked_at)) as counted (measure, moment);
--> statement-breakpoint
set local check_function_bodies = on;
