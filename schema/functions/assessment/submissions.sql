-- Each attempt at a lab or assignment is a row; only its grade changes. Group work is one row for each member at
-- that moment, with its own grade and due date. Grading one row grades all, unless `alone`.
--
-- Locks: the grades of the offering (grades.sql), shared, and exclusively to renew a grader's secret; the
-- groups' work for an item; the submissions of one group hand-in by id; the files that come with it
-- (files.sql); a final grade (final-grades.sql); then progress in its item (progress.sql); then the
-- enrollment that its result may complete (completion.sql); then the person (activity.sql). A concurrent
-- attempt of the same person waits at the unique index.

-- The item's rules, overridden by grants. `closes_at`: the item can refuse late work or limit its days. No row: no
-- such item.
create or replace function effective_submission_rules_of_person(the_item integer, the_offering integer, person integer)
returns table (
  university_id integer, due_at timestamptz, most_attempts integer, takes_late boolean, max_points numeric,
  closes_at timestamptz
) language sql stable as $$
  select offering.university_id, dates.due_at,
         coalesce(granted.max_attempts,
                  clamp(json_number(item.data_json -> 'max_attempts'), 1, 1000000)::int),
         item.data_json -> 'accepts_late' is distinct from 'false', max_points_of_item(type.name, item.data_json),
         case when item.data_json -> 'accepts_late' = 'false' then dates.due_at
              else dates.due_at + make_interval(hours => 24 * late.most_days) end
  from course_offerings as offering
  join content_items as item on item.id = the_item and item.course_id = offering.course_id
  join content_types as type
    on type.id = item.content_type_id and type.name in ('engineering_lab', 'assignment')
  left join quiz_overrides as granted
    on granted.course_offering_id = offering.id and granted.content_item_id = item.id and granted.user_id = person
  cross join lateral effective_dates_of_items(offering.id, person, array[item.id]) as dates
  cross join lateral effective_late_penalty_rule(offering.id, item.data_json) as late
  where offering.id = the_offering
$$;

-- The moment that decides whether an attempt is late. Work that staff returned for revision keeps the moment of its
-- first submission since the last grade if that was on time.
create or replace function submission_time_for_lateness(
  person integer, offering integer, item integer, attempt integer, moment timestamptz, due timestamptz
) returns timestamptz language sql stable as $$
  select coalesce(min(first.came_at) filter (where first.came_at <= due), moment)
  from (
    select min(one.submitted_at) as came_at from lab_submissions as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
      and one.attempt_number < attempt and one.attempt_number > coalesce((
        select max(kept.attempt_number) from lab_submissions as kept
        where kept.user_id = person and kept.course_offering_id = offering and kept.content_item_id = item
          and kept.attempt_number < attempt and kept.status = 'graded'), 0)
    having bool_or(one.status = 'returned')
  ) as first
$$;

-- Copies a submission to the other members who have a seat and no final grade, as their next attempt with their own
-- due date. A revision is not late for a member who joined after its first submission.
create or replace function copy_submission_to_group_members(work lab_submissions, moment timestamptz) returns void language plpgsql as $$
declare
  mate record;
  given lab_submissions;
begin
  for mate in
    select member.user_id, dates.due_at
    from offering_group_members as member
    join enrollments as taking on taking.course_offering_id = member.course_offering_id and taking.user_id = member.user_id
      and taking.is_admitted
    cross join lateral effective_dates_of_items(member.course_offering_id, member.user_id, array[work.content_item_id]) as dates
    where member.group_id = work.group_id and member.group_role = 'member' and member.user_id <> work.user_id
      and not is_course_grade_final(member.course_offering_id, member.user_id)
    order by member.user_id
  loop
    given := null;
    while given.id is null loop
      insert into lab_submissions as one (
        id, user_id, course_offering_id, content_item_id, attempt_number, submitted_at, due_at, is_late, body, links,
        data_json, artifacts_url, group_id, group_work)
      overriding system value
      select next_id_random_for_anonymous_work('lab_submissions', work.content_item_id), mate.user_id, work.course_offering_id, work.content_item_id, coalesce(max(former.attempt_number), 0) + 1, moment,
             mate.due_at, coalesce(least(
               submission_time_for_lateness(mate.user_id, work.course_offering_id, work.content_item_id,
                 coalesce(max(former.attempt_number), 0) + 1, moment, mate.due_at),
               submission_time_for_lateness(work.user_id, work.course_offering_id, work.content_item_id, work.attempt_number,
                 moment, mate.due_at)) > mate.due_at, false), work.body, work.links, work.data_json, work.artifacts_url,
             work.group_id, work.group_work
      from lab_submissions as former
      where former.user_id = mate.user_id and former.course_offering_id = work.course_offering_id
        and former.content_item_id = work.content_item_id
      on conflict do nothing returning one.* into given;
    end loop;
    perform upsert_item_interaction_times(mate.user_id, work.course_offering_id, work.content_item_id, moment, moment);
  end loop;
end $$;

-- Repeating ungraded work returns it unchanged. `refusal`: one of `item_access_refusal` (outline.sql), 'not enrolled',
-- 'final', 'closed', 'no attempt left', or 'no file' with an id (files.sql). Group items use the only or the named
-- group: else 'no group' or 'which group'. Returned work is not a counted attempt, and its revision is not closed if it
-- is not late.
create or replace function submit_work(
  person integer, offering integer, item integer, given jsonb, moment timestamptz, today date
) returns table (refusal text, is_new boolean, submission lab_submissions) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  work record;
  gate text;
  own_groups integer[];
  for_group integer;
  counted timestamptz;
begin
  is_new := false;
  perform lock_offering_grades_shared(offering);
  gate := item_access_refusal(item, person, moment, offering => offering);
  select * into rules from effective_submission_rules_of_person(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate is not null then gate
    when not exists (
      select from enrollments where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
    when is_course_grade_final(offering, person) then 'final'
  end;
  select * into work
  from jsonb_to_record(given) as one (
    body text, links text[], data_json jsonb, artifacts_url text, file_ids bigint[], group_id integer);
  if refusal is null then
    if exists (select from content_items as one where one.id = item and one.data_json -> 'group_submission' = 'true') then
      own_groups := array(select given_or_own_group_ids(offering, person));
    end if;
    refusal := case when work.group_id is not null and work.group_id <> all (coalesce(own_groups, '{}')) then 'no group'
                    when work.group_id is null and cardinality(own_groups) > 1 then 'which group' end;
    for_group := case when refusal is null then coalesce(work.group_id, own_groups[1]) end;
    if for_group is not null then
      perform pg_advisory_xact_lock(hashtextextended('work of groups in an item', offering::bigint << 32 | item));
    end if;
  end if;
  while refusal is null and not is_new loop
    select one.* into submission from lab_submissions as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
    order by one.attempt_number desc limit 1;
    if submission.status = 'submitted' and (submission.body, submission.links, submission.data_json, submission.artifacts_url)
         is not distinct from (work.body, work.links, work.data_json, work.artifacts_url::varchar)
       and submission.group_id is not distinct from for_group
       and coalesce(work.file_ids, '{}') = array(
         select file_id from file_uses where submission_id in (select submissions_sharing_files(submission.id)) order by place) then
      return next;
      return;
    end if;
    counted := submission_time_for_lateness(
      person, offering, item, coalesce(submission.attempt_number, 0) + 1, moment, rules.due_at);
    refusal := case
      when counted > rules.closes_at then 'closed'
      when (
        select count(*) from lab_submissions
        where user_id = any (current_and_former_account_ids(person)) and course_offering_id = offering and content_item_id = item and status <> 'returned'
      ) >= rules.most_attempts then 'no attempt left'
      else 'no file ' || lock_files_and_find_unusable(work.file_ids, person, 'submission', jsonb_build_object(
        'course_offering_id', offering, 'content_item_id', item))
    end;
    if refusal is null then
      insert into lab_submissions as one (
        id, user_id, course_offering_id, content_item_id, attempt_number, submitted_at, due_at, is_late, body, links,
        data_json, artifacts_url, group_id, group_work)
      overriding system value
      -- If a concurrent attempt took the number, nothing is inserted.
      values (next_id_random_for_anonymous_work('lab_submissions', item), person, offering, item, coalesce(submission.attempt_number, 0) + 1, moment, rules.due_at,
        coalesce(counted > rules.due_at, false), work.body, work.links, work.data_json, work.artifacts_url,
        for_group, case when for_group is not null then gen_random_uuid() end)
      on conflict do nothing returning one.* into submission;
      is_new := found;
    end if;
  end loop;
  if refusal is null then
    insert into file_uses (file_id, submission_id, place)
    select id, submission.id, number from unnest(work.file_ids) with ordinality as one (id, number);
    perform upsert_item_interaction_times(person, offering, item, moment, moment);
    if submission.group_id is not null then perform copy_submission_to_group_members(submission, moment); end if;
    perform add_activity_event_and_update_streak(
      person, 'submitted', jsonb_build_object('type', 'content_item', 'id', item), rules.university_id, offering, moment, today);
  else
    submission := null;
  end if;
  return next;
end $$;

-- For 15 minutes. `refusal`: 'claimed' by another, 'own' work, 'returned', or 'final'.
create or replace function claim_submission_for_grading(the_submission bigint, grader integer, moment timestamptz)
returns table (refusal text, submission lab_submissions) language plpgsql as $$
begin
  submission := lock_submission_with_group_and_grades(the_submission, with_grades => false);
  if submission.id is null then return; end if;
  refusal := coalesce(refusal_to_grade_submission(submission, grader, moment), (
    select 'claimed' from lab_submissions as one
    where one.group_work = submission.group_work and one.claimed_by_user_id <> grader and one.claimed_until > moment limit 1));
  if refusal is null then
    update lab_submissions as one set claimed_by_user_id = grader, claimed_until = moment + interval '15 minutes'
    where one.id = the_submission or one.group_work = submission.group_work;
    select one.* into submission from lab_submissions as one where one.id = the_submission;
  end if;
  return next;
end $$;

-- A final course grade fixes the grades it used; work left ungraded then can still be graded.
create or replace function refusal_to_grade_submission(submission lab_submissions, grader integer, moment timestamptz)
returns text language sql stable as $$
  select case
    when submission.user_id = grader then 'own'
    when submission.status <> 'submitted' and is_course_grade_final(submission.course_offering_id, submission.user_id) then 'final'
    when submission.status = 'returned' then 'returned'
    when submission.claimed_by_user_id <> grader and submission.claimed_until > moment then 'claimed'
  end
$$;

-- To change a grade, locks the offering's grades first.
create or replace function lock_submission_with_group_and_grades(the_submission bigint, with_grades boolean default true) returns lab_submissions
language plpgsql as $$
declare
  held lab_submissions;
begin
  if with_grades then
    perform lock_offering_grades_shared(course_offering_id) from lab_submissions where id = the_submission;
  end if;
  perform one.id from lab_submissions as one
  where one.id = the_submission
    or one.group_work = (select group_work from lab_submissions where id = the_submission) order by one.id for update;
  select * into held from lab_submissions where id = the_submission;
  return held;
end $$;

-- So they are kept or replaced with this row.
create or replace function move_group_feedback_files_to_submission(the_submission bigint) returns void language sql as $$
  update file_uses set graded_submission_id = the_submission
  where graded_submission_id in (
    select one.id from lab_submissions as named join lab_submissions as one on one.group_work = named.group_work
    where named.id = the_submission and one.id <> named.id and not one.graded_alone)
$$;

-- Grades one submission and ends any claim. Keys of `given`: points, feedback, why, file_ids, chosen, alone and
-- agrees. Absent keys keep feedback, files and levels. `refusal` as for a claim; 'too many points' with the `bound`; 'no
-- file' with an id.
--
-- Rubric levels `chosen`: `[{"criterion_id", "level_id", "comment"}, …]`; JSON null removes them. Null `points`
-- means their sum. `refusal`: 'no level' with the index in `chosen`, or 'not each criterion'.
--
-- With two marks, it is one mark; equal marks become the grade. `agrees` enters the agreed grade, true for graders
-- allowed to without a mark. `refusal`: 'marks missing', 'not theirs', 'two marks' or 'files of mark'.
create or replace function grade_submission_without_group(
  the_submission bigint, grader integer, given jsonb, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := lock_submission_with_group_and_grades(the_submission);
  points numeric := (given ->> 'points')::numeric;
  feedback text := case when given ? 'feedback' then given ->> 'feedback' else former.instructor_feedback end;
  agrees boolean := (given ->> 'agrees')::boolean;
  chosen jsonb := given -> 'chosen';
  file_ids bigint[] := case when jsonb_typeof(given -> 'file_ids') = 'array' then array(
    select one::bigint from jsonb_array_elements_text(given -> 'file_ids') with ordinality as listed (one, place)
    order by place) end;
  counted numeric;
  kept record;
  worth numeric;
  levels jsonb;
  same record;
  marks integer;
begin
  if former.id is null then return; end if;
  bound := (select one.bound from score_bounds as one where one.content_item_id = former.content_item_id);
  submission := former;
  with criterion as (
    select one.place, one.said, one.said ->> 'id' as id,
           (select max((level ->> 'points')::numeric) from jsonb_array_elements(one.said -> 'levels') as level) as most
    from content_items as item
    cross join lateral jsonb_array_elements(case when jsonb_typeof(item.data_json #> '{rubric,criteria}') = 'array'
      then item.data_json #> '{rubric,criteria}' else '[]' end) with ordinality as one (said, place)
    where item.id = former.content_item_id
  ), choice as (
    select one.number, one.said ->> 'comment' as comment, criterion.place, criterion.said as criterion, criterion.most,
           (select level from jsonb_array_elements(criterion.said -> 'levels') as level
            where level ->> 'id' = one.said ->> 'level_id' limit 1) as level
    from jsonb_array_elements(coalesce(nullif(chosen, 'null'), '[]')) with ordinality as one (said, number)
    left join criterion on criterion.id = one.said ->> 'criterion_id'
  )
  select (min(number) filter (where level is null) - 1)::int as missing,
         count(level) > 0 and count(level) = (select count(*) from criterion) as is_whole,
         sum((level ->> 'points')::numeric) as points,
         jsonb_agg(jsonb_build_object(
           'criterion_id', criterion -> 'id', 'title', criterion -> 'title', 'level_id', level -> 'id',
           'level', level -> 'title', 'description', level -> 'description', 'points', level -> 'points', 'most', most,
           'comment', comment) order by place) filter (where level is not null) as levels
  into kept from choice;
  worth := coalesce(points, kept.points);
  levels := case when chosen is null then former.rubric else kept.levels end;
  refusal := coalesce(refusal_to_grade_submission(former, grader, moment),
    'no level ' || kept.missing,
    case when points is null and not kept.is_whole then 'not each criterion'
         when worth > (bound -> 'most')::numeric then 'too many points'
         when agrees is not null then (
           select case when count(*) < 2 then 'marks missing'
                       when not agrees and bool_or(mark.grader_id = grader) is not true then 'not theirs' end
           from submission_marks as mark where mark.submission_id = the_submission) end);
  if refusal is null and agrees is null and is_subject_to_double_marking(former) then
    marks := (select count(*) from submission_marks where submission_id = the_submission);
    refusal := case when cardinality(file_ids) > 0 then 'files of mark' when marks = 2 then 'two marks' end;
    if refusal is null then
      -- Replaces the grader's own mark while it is the only one.
      insert into submission_marks (submission_id, place, grader_id, score, rubric, feedback, marked_at)
      values (the_submission, marks + 1, grader, worth, kept.levels, feedback, moment)
      on conflict on constraint submission_marks_grader_unique do update
        set score = excluded.score, marked_at = excluded.marked_at,
            rubric = case when given ? 'chosen' then excluded.rubric else submission_marks.rubric end,
            feedback = case when given ? 'feedback' then excluded.feedback else submission_marks.feedback end;
    end if;
    select min(one.score) as score, (array_agg(one.rubric order by one.place))[1] as rubric,
           string_agg(nullif(one.feedback, ''), e'\n\n' order by one.place) as feedback into same
    from submission_marks as one where one.submission_id = the_submission
    having count(*) = 2 and min(one.score) = max(one.score)
      and count(one.rubric) in (0, 2) and count(distinct one.rubric) <= 1;
    if refusal is null and same.score is null then
      update lab_submissions as one set claimed_by_user_id = null, claimed_until = null
      where one.id = the_submission returning one.* into submission;
    end if;
    if refusal is not null or same.score is null then
      return next;
      return;
    end if;
    levels := same.rubric;
    feedback := same.feedback;
  end if;
  if refusal is null then refusal := 'no file ' || replace_attached_files('feedback', former.id, grader, file_ids); end if;
  if refusal is null then
    counted := lock_final_grade_and_read_item_score(former.course_offering_id, former.user_id, former.content_item_id);
    update lab_submissions as one
    set status = 'graded', score_obtained = worth, max_score = (bound -> 'points')::numeric,
        rubric = levels,
        instructor_feedback = feedback, grade_source = 'hand', graded_at = moment, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform record_submission_grade_change_and_notify('submission_graded', former, submission, given ->> 'why', grader, moment, request);
    perform mark_final_grade_outdated_and_notify(former.course_offering_id, former.user_id, former.content_item_id, counted);
  end if;
  return next;
end $$;

-- Grades the group's other rows too, except those with a grade of their own or that this grader may not grade.
-- `alone`: this row only, and later group grades do not replace it.
create or replace function grade_submission_with_group(
  the_submission bigint, grader integer, given jsonb, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions, bound jsonb) language plpgsql as $$
declare
  alone boolean := coalesce((given ->> 'alone')::boolean, false);
  mate bigint;
  done record;
begin
  perform lock_submission_with_group_and_grades(the_submission);
  if alone then
    perform move_group_feedback_files_to_submission(min(one.id))
    from lab_submissions as named join lab_submissions as one on one.group_work = named.group_work
    where named.id = the_submission and one.id <> named.id and not one.graded_alone having count(*) > 0;
    if jsonb_typeof(given -> 'file_ids') = 'array' then
      given := given || jsonb_build_object('file_ids', array(
        select listed.id::bigint
        from jsonb_array_elements_text(given -> 'file_ids') with ordinality as listed (id, place)
        where not exists (
          select from file_uses as used
          where used.file_id = listed.id::bigint and used.graded_submission_id in (select submissions_sharing_files(the_submission))
            and used.graded_submission_id <> the_submission)
        order by place));
    end if;
  else
    perform move_group_feedback_files_to_submission(the_submission);
  end if;
  select * into done
  from grade_submission_without_group(the_submission, grader, given, moment, request);
  if not found then return; end if;
  refusal := done.refusal;
  submission := done.submission;
  bound := done.bound;
  if refusal is null and submission.group_work is not null then
    update lab_submissions as one set graded_alone = alone where one.id = the_submission returning one.* into submission;
    for mate in
      select one.id from lab_submissions as one
      where one.group_work = submission.group_work and one.id <> the_submission and not one.graded_alone and not alone
      order by one.id
    loop
      perform grade_submission_without_group(mate, grader, given - 'file_ids', moment, request);
    end loop;
  end if;
  return next;
end $$;

-- For another attempt, with its group's returnable rows; removes the grade. `refusal` as for a grade, and 'final'
-- for any.
create or replace function return_submission_for_revision(
  the_submission bigint, grader integer, feedback text, moment timestamptz, request jsonb, file_ids bigint[]
) returns table (refusal text, submission lab_submissions) language plpgsql as $$
declare
  former lab_submissions := lock_submission_with_group_and_grades(the_submission);
  returned lab_submissions;
  why text;
begin
  if former.id is null then return; end if;
  perform move_group_feedback_files_to_submission(the_submission);
  for former in
    select one.* from lab_submissions as one
    where one.id = the_submission or one.group_work = former.group_work and one.status <> 'returned'
    order by one.id <> the_submission, one.id
  loop
    returned := former;
    why := coalesce(
      nullif(refusal_to_grade_submission(former, grader, moment), 'returned'),
      case when is_course_grade_final(former.course_offering_id, former.user_id) then 'final' end);
    if why is null and former.status <> 'returned' then
      why := 'no file ' || replace_attached_files('feedback', former.id, grader, case when former.id = the_submission then file_ids end);
    end if;
    if why is null and former.status <> 'returned' then
      update lab_submissions as one
      set status = 'returned', graded_alone = false, returned_at = moment, instructor_feedback = feedback, rubric = null,
          score_obtained = null, max_score = null, grade_source = null, graded_at = null, graded_by_user_id = grader,
          claimed_by_user_id = null, claimed_until = null
      where one.id = former.id returning one.* into returned;
      perform record_submission_grade_change_and_notify('submission_returned', former, returned, null, grader, moment, request);
    end if;
    if former.id = the_submission then
      refusal := why;
      submission := returned;
    end if;
    exit when refusal is not null;
  end loop;
  return next;
end $$;

-- Waits for results being stored with the former secret; later ones are rejected. Deletes the list of its readers.
create or replace function renew_auto_grader_secret(
  offering integer, item integer, renewer integer, moment timestamptz, request jsonb
) returns integer language plpgsql as $$
declare
  present integer;
begin
  perform lock_offering_grades(offering);
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

-- Stores a result as of its signing, also for the group. `outcome`: 'graded'; 'kept' if people grade it or it was
-- returned; 'superseded' by a later result; 'final'; 'too many points'; 'renewed' if the secret has another
-- version; 'own' for the work of a reader of the secret. Idempotent. No row: it is gone.
create or replace function grade_submissions_by_auto_grader_result(
  the_submission bigint, points numeric, details jsonb, signed_at timestamptz, signed_with integer, moment timestamptz,
  request jsonb
) returns table (outcome text, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := lock_submission_with_group_and_grades(the_submission);
  graded lab_submissions;
  counted numeric;
  verdict text;
begin
  if former.id is null then return; end if;
  bound := (select one.bound from score_bounds as one where one.content_item_id = former.content_item_id);
  for former in
    select one.* from lab_submissions as one where one.id = the_submission or one.group_work = former.group_work
    order by one.id <> the_submission, one.id
  loop
    verdict := case
      when signed_with <> coalesce((
        select secret_version from auto_graders
        where course_offering_id = former.course_offering_id and content_item_id = former.content_item_id), 1) then 'renewed'
      when exists (
        select from auto_grader_readers as reader
        where reader.course_offering_id = former.course_offering_id
          and reader.content_item_id = former.content_item_id and reader.user_id = former.user_id
          and reader.secret_version = signed_with
      ) then 'own'
      when former.auto_graded_at > signed_at then 'superseded'
      when former.grade_source = 'hand' or former.status = 'returned' or is_subject_to_double_marking(former) then 'kept'
      when former.auto_graded_at = signed_at then 'graded'
      when former.status <> 'submitted' and is_course_grade_final(former.course_offering_id, former.user_id) then 'final'
      when points > (bound -> 'most')::numeric then 'too many points'
      else 'graded'
    end;
    if verdict in ('graded', 'kept') and former.auto_graded_at is distinct from signed_at then
      update lab_submissions as one set auto_grade_json = details, auto_graded_at = signed_at
      where one.id = former.id;
      if verdict = 'graded' then
        counted := lock_final_grade_and_read_item_score(former.course_offering_id, former.user_id, former.content_item_id);
        update lab_submissions as one
        set status = 'graded', score_obtained = points, max_score = (bound -> 'points')::numeric, grade_source = 'auto',
            graded_at = moment
        where one.id = former.id returning one.* into graded;
        perform record_submission_grade_change_and_notify('submission_graded', former, graded, null, null, moment, request);
        perform mark_final_grade_outdated_and_notify(former.course_offering_id, former.user_id, former.content_item_id, counted);
      end if;
    end if;
    if former.id = the_submission then outcome := verdict; end if;
    exit when outcome <> 'graded';
  end loop;
  return next;
end $$;

-- Includes a grade removed, or less late after a date change.
create or replace function lab_submissions_after_write() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if exists (select from content_items where id = new.content_item_id and data_json -> 'anonymous' = 'true') then
      perform ensure_anonymous_code(new.course_offering_id, new.content_item_id, new.user_id);
    end if;
  elsif (new.score_obtained, new.max_score, new.status, late_days_of_submission(new))
     is distinct from (old.score_obtained, old.max_score, old.status, late_days_of_submission(old)) then
    perform enqueue_lti_score(new.course_offering_id, new.user_id, new.content_item_id);
  end if;
  if tg_op = 'INSERT' or (new.status, new.graded_at) is distinct from (old.status, old.graded_at) then
    perform sync_item_completion_with_result(new.course_offering_id, new.user_id, new.content_item_id);
  end if;
  return null;
end $$;

create or replace trigger lab_submissions_after_write
  after insert or update of score_obtained, max_score, status, due_at, is_late on lab_submissions
  for each row execute function lab_submissions_after_write();
