-- Work for a lab or an assignment is handed in, claimed, graded and returned here. Each attempt is a row, which changes
-- in nothing but its grade.
--
-- Locks: the grades of the offering (grades.sql), shared, and alone where a grader's secret is renewed, the submission, the
-- files that come with it (files.sql), a final grade (final-grades.sql), then progress in its item (progress.sql), then what its result may complete
-- (completion.sql), then the person (activity.sql). Who hands in waits at the unique index for another attempt that is
-- under way.

-- For how long whoever claims a submission may look at it before another may.
create or replace function claim_length() returns interval language sql immutable as $$
  select interval '15 minutes'
$$;

-- When an item is due: when it, or else the nearest module above it that says so, is.
create or replace function item_due_at(item integer) returns timestamptz language sql stable as $$
  with recursive way (due_at, parent_module_id, step) as (
    select coalesce(one.due_at, m.due_at), m.parent_module_id, 1
    from content_items as one join modules as m on m.id = one.module_id where one.id = item
    union all
    select above.due_at, above.parent_module_id, way.step + 1
    from way join modules as above on above.id = way.parent_module_id
    where way.due_at is null
  )
  select due_at from way order by step desc limit 1
$$;

-- What holds for a person in a lab or an assignment: what its item says, and in its place what they are granted. Without
-- a limit work may be handed in again and again, and late unless the item says that it takes none. No row: the
-- offering's course has no such item.
create or replace function work_rules(the_item integer, the_offering integer, person integer)
returns table (
  university_id integer, due_at timestamptz, most_attempts integer, takes_late boolean, max_points numeric
) language sql stable as $$
  select offering.university_id, coalesce(granted.due_at, item_due_at(item.id)),
         coalesce(granted.max_attempts,
                  clamped(json_number(item.data_json -> 'max_attempts'), 1, 1000000)::int),
         item.data_json -> 'accepts_late' is distinct from 'false', points_of_item(type.name, item.data_json)
  from course_offerings as offering
  join content_items as item on item.id = the_item and item.course_id = offering.course_id
  join content_types as type
    on type.id = item.content_type_id and type.name in ('engineering_lab', 'assignment')
  left join quiz_overrides as granted
    on granted.course_offering_id = offering.id and granted.content_item_id = item.id and granted.user_id = person
  where offering.id = the_offering
$$;

-- Hands in a person's next attempt. The same again, while it waits for its grade, is answered as it is. `refusal` says
-- why there is none: one of `work_access` (outline.sql), 'not enrolled', 'final', 'closed', 'no attempt left', or 'no file'
-- and the id of one that may not be handed in there (files.sql). What was returned is no attempt that counts. What comes
-- before a grade is final is seen by whoever makes it so.
create or replace function submit_work(
  person integer, offering integer, item integer, given jsonb, moment timestamptz, today date
) returns table (refusal text, is_new boolean, submission lab_submissions) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  work record;
begin
  is_new := false;
  perform lock_grades_shared(offering);
  select * into rules from work_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when work_access(item, person, offering, moment) is not null then work_access(item, person, offering, moment)
    when not exists (
      select from enrollments where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
    when is_grade_final(offering, person) then 'final'
  end;
  select * into work
  from jsonb_to_record(given) as one (body text, links text[], data_json jsonb, artifacts_url text, file_ids bigint[]);
  while refusal is null and not is_new loop
    select one.* into submission from lab_submissions as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
    order by one.attempt_number desc limit 1;
    if submission.status = 'submitted' and (submission.body, submission.links, submission.data_json, submission.artifacts_url)
         is not distinct from (work.body, work.links, work.data_json, work.artifacts_url::varchar)
       and coalesce(work.file_ids, '{}') = array(
         select file_id from file_uses where submission_id = submission.id order by place) then
      return next;
      return;
    end if;
    refusal := case
      when not rules.takes_late and moment > rules.due_at then 'closed'
      when (
        select count(*) from lab_submissions
        where user_id = any (selves_of(person)) and course_offering_id = offering and content_item_id = item and status <> 'returned'
      ) >= rules.most_attempts then 'no attempt left'
      else 'no file ' || first_misplaced_file(work.file_ids, person, 'submission', jsonb_build_object(
        'course_offering_id', offering, 'content_item_id', item))
    end;
    if refusal is null then
      insert into lab_submissions as one (
        user_id, course_offering_id, content_item_id, attempt_number, submitted_at, due_at, is_late, body, links,
        data_json, artifacts_url)
      -- The next after the one that was looked at: where another came meanwhile, it takes this number.
      values (person, offering, item, coalesce(submission.attempt_number, 0) + 1, moment, rules.due_at,
        coalesce(moment > rules.due_at, false), work.body, work.links, work.data_json, work.artifacts_url)
      on conflict do nothing returning one.* into submission;
      is_new := found;
    end if;
  end loop;
  if refusal is null then
    insert into file_uses (file_id, submission_id, place)
    select id, submission.id, number from unnest(work.file_ids) with ordinality as one (id, number);
    perform begin_item(person, offering, item, moment, moment);
    perform record_activity(
      person, 'submitted', 'content_item', item, rules.university_id, item, offering, moment, today);
  else
    submission := null;
  end if;
  return next;
end $$;

-- Gives a grader a submission for themselves, for as long as `claim_length` says, or for as long again. `refusal`:
-- 'claimed' by another, who is not through, 'own' work, 'returned', or 'final'.
create or replace function claim_submission(the_submission bigint, grader integer, moment timestamptz)
returns table (refusal text, submission lab_submissions) language plpgsql as $$
begin
  select one.* into submission from lab_submissions as one where one.id = the_submission for update;
  if not found then return; end if;
  refusal := refusal_to_grade(submission, grader, moment);
  if refusal is null then
    update lab_submissions as one set claimed_by_user_id = grader, claimed_until = moment + claim_length()
    where one.id = the_submission returning one.* into submission;
  end if;
  return next;
end $$;

-- Why a grader may not grade a submission at that moment; null when they may. Once the grade of the course is final, what
-- it was made of stays, and what was left ungraded then may be graded still.
create or replace function refusal_to_grade(submission lab_submissions, grader integer, moment timestamptz)
returns text language sql stable as $$
  select case
    when submission.user_id = grader then 'own'
    when submission.status <> 'submitted' and is_grade_final(submission.course_offering_id, submission.user_id) then 'final'
    when submission.status = 'returned' then 'returned'
    when submission.claimed_by_user_id <> grader and submission.claimed_until > moment then 'claimed'
  end
$$;

-- What a change of a submission's grade tells of it.
create or replace function grade_of_submission(submission lab_submissions) returns jsonb language sql immutable as $$
  select case when submission.status <> 'submitted' then jsonb_build_object(
    'submission_id', submission.id, 'status', submission.status, 'score', submission.score_obtained,
    'max_score', submission.max_score, 'source', submission.grade_source) end
$$;

-- Takes a submission for a change of its grade: first the grades of its offering, then itself.
create or replace function lock_submission(the_submission bigint) returns lab_submissions language plpgsql as $$
declare
  held lab_submissions;
begin
  perform lock_grades_shared(course_offering_id) from lab_submissions where id = the_submission;
  select * into held from lab_submissions where id = the_submission for update;
  return held;
end $$;

-- Grades a submission by hand, over whatever grade it has; whose claim it was ends. `refusal` as for a claim, or 'too
-- many points' for more than are given in the item, which `bound` says, or 'no file' and an id. A final grade in which it
-- would count is outdated by it. With null for `file_ids` the feedback keeps the files that it has.
create or replace function grade_submission(
  the_submission bigint, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb,
  file_ids bigint[]
) returns table (refusal text, submission lab_submissions, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := lock_submission(the_submission);
  counted numeric;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  submission := former;
  refusal := coalesce(refusal_to_grade(former, grader, moment),
    case when points > (bound -> 'most')::numeric then 'too many points' end);
  if refusal is null then refusal := 'no file ' || put_files_with_feedback(former, grader, file_ids); end if;
  if refusal is null then
    counted := lock_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
    update lab_submissions as one
    set status = 'graded', score_obtained = points, max_score = (bound -> 'points')::numeric,
        instructor_feedback = feedback, grade_source = 'hand', graded_at = moment, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_graded', former, submission, why, grader, moment, request);
    perform outdate_final_grade(former.course_offering_id, former.user_id, former.content_item_id, counted);
  end if;
  return next;
end $$;

-- Gives a submission back for another attempt; a grade that it had is taken back. What is returned stays so. `refusal`
-- as for a grade, and 'final' of any: there is no other attempt.
create or replace function return_submission(
  the_submission bigint, grader integer, feedback text, moment timestamptz, request jsonb, file_ids bigint[]
) returns table (refusal text, submission lab_submissions) language plpgsql as $$
declare
  former lab_submissions := lock_submission(the_submission);
begin
  if former.id is null then return; end if;
  submission := former;
  refusal := coalesce(
    nullif(refusal_to_grade(former, grader, moment), 'returned'),
    case when is_grade_final(former.course_offering_id, former.user_id) then 'final' end);
  if refusal is null and former.status <> 'returned' then
    refusal := 'no file ' || put_files_with_feedback(former, grader, file_ids);
  end if;
  if refusal is null and former.status <> 'returned' then
    update lab_submissions as one
    set status = 'returned', returned_at = moment, instructor_feedback = feedback, score_obtained = null,
        max_score = null, grade_source = null, graded_at = null, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_returned', former, submission, null, grader, moment, request);
  end if;
  return next;
end $$;

-- The version of the secret with which an item's own grader signs.
create or replace function grader_version(offering integer, item integer) returns integer language sql stable as $$
  select coalesce((
    select secret_version from auto_graders where course_offering_id = offering and content_item_id = item), 1)
$$;

-- Gives an item's own grader another secret, and answers its version: it waits for what was signed with the former one
-- and is being taken, and nothing is from then on. Of those who read the former one nothing is kept.
create or replace function renew_auto_grader(
  offering integer, item integer, renewer integer, moment timestamptz, request jsonb
) returns integer language plpgsql as $$
declare
  present integer;
begin
  perform lock_grades(offering);
  insert into auto_graders as one (course_offering_id, content_item_id, secret_version, renewed_at)
  values (offering, item, 2, moment)
  on conflict (course_offering_id, content_item_id) do update
    set secret_version = one.secret_version + 1, renewed_at = excluded.renewed_at
  returning one.secret_version into present;
  delete from auto_grader_readers where course_offering_id = offering and content_item_id = item;
  insert into auto_grader_readers (course_offering_id, content_item_id, user_id, secret_version, read_at, request_id)
  values (offering, item, renewer, present, moment, request ->> 'id')
  on conflict on constraint auto_grader_readers_person_unique do update
    set secret_version = excluded.secret_version, read_at = excluded.read_at, request_id = excluded.request_id;
  perform audit('auto_grader.renewed', renewer, null, run.university_id, jsonb_build_object(
    'course_offering_id', offering, 'content_item_id', item, 'version', present), request)
  from course_offerings as run where run.id = offering;
  return present;
end $$;

-- Takes what an item's own grader says of a submission, at the moment at which it signed that. `outcome`: 'graded';
-- 'kept', where a person has graded it or it was returned; 'superseded', where a later word came before; or 'final',
-- where what is graded stays, 'too many points', 'renewed', where the secret has another version by now, or 'own'
-- for the work of someone who has read the secret and could have signed it. The same word again has the same outcome. No
-- row: it is gone.
create or replace function auto_grade_submission(
  the_submission bigint, points numeric, details jsonb, signed_at timestamptz, signed_with integer, moment timestamptz,
  request jsonb
) returns table (outcome text, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := lock_submission(the_submission);
  graded lab_submissions;
  counted numeric;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  outcome := case
    when signed_with <> grader_version(former.course_offering_id, former.content_item_id) then 'renewed'
    when exists (
      select from auto_grader_readers as reader
      where reader.course_offering_id = former.course_offering_id
        and reader.content_item_id = former.content_item_id and reader.user_id = former.user_id
        and reader.secret_version = signed_with
    ) then 'own'
    when former.auto_graded_at > signed_at then 'superseded'
    when former.grade_source = 'hand' or former.status = 'returned' then 'kept'
    when former.auto_graded_at = signed_at then 'graded'
    when former.status <> 'submitted' and is_grade_final(former.course_offering_id, former.user_id) then 'final'
    when points > (bound -> 'most')::numeric then 'too many points'
    else 'graded'
  end;
  if outcome in ('graded', 'kept') and former.auto_graded_at is distinct from signed_at then
    update lab_submissions as one set auto_grade_json = details, auto_graded_at = signed_at
    where one.id = the_submission;
    if outcome = 'graded' then
      counted := lock_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
      update lab_submissions as one
      set status = 'graded', score_obtained = points, max_score = (bound -> 'points')::numeric, grade_source = 'auto',
          graded_at = moment
      where one.id = the_submission returning one.* into graded;
      perform note_grade_of_submission('submission_graded', former, graded, null, null, moment, request);
      perform outdate_final_grade(former.course_offering_id, former.user_id, former.content_item_id, counted);
    end if;
  end if;
  return next;
end $$;
