-- The gradebook of an offering: results of quizzes, labs and assignments, staff overrides, and the course
-- grade (counted-grades.sql). It is computed on read and stored when it is finalized (final-grades.sql).
--
-- Locks: the grades of the offering, shared to hand in work, grade it or store a quiz grade, exclusively to
-- change the gradebook, finalize or reopen. Then the rows that change, then completion.sql. A change of an
-- item's points or type locks the course and the item before, then its type, then the grades of all
-- offerings: each grade is either for the old points and scaled, or for the new ones.

create or replace function lock_offering_grades_shared(offering integer) returns void language sql as $$
  select pg_advisory_xact_lock_shared(hashtextextended('grades of an offering', offering))
$$;

create or replace function lock_offering_grades(offering integer) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('grades of an offering', offering))
$$;

-- An item's points, 100 by default.
create or replace function max_points_of_item(content_type text, data jsonb) returns numeric language sql immutable as $$
  select coalesce(clamp(case content_type
    when 'quiz' then json_number(data #> '{mastery,points}')
    else coalesce(json_number(data #> '{grading,max_points}'), json_number(data -> 'max_points')) end, 0, 9999.99), 100)
$$;

create or replace function max_score_with_extra_credit(content_type text, data jsonb) returns numeric
language sql immutable as $$
  select least(9999.99, max_points_of_item(content_type, data) + coalesce(clamp(coalesce(
    json_number(data #> array[case content_type when 'quiz' then 'mastery' else 'grading' end, 'extra_points']),
    json_number(data -> 'extra_points')), 0, 9999), 0))
$$;

-- The bounds of scores in items.
create or replace view score_bounds as
  select item.id as content_item_id, jsonb_build_object('title', item.title,
    'points', max_points_of_item(type.name, item.data_json), 'most', max_score_with_extra_credit(type.name, item.data_json)) as bound
  from content_items as item join content_types as type on type.id = item.content_type_id;

-- Anonymous grades are only released by hand (anonymous-work.sql).
create or replace function are_item_grades_released(offering integer, item integer) returns boolean language sql stable as $$
  select exists (select from grade_releases where course_offering_id = offering and content_item_id = item)
    or exists (select from grading_schemes where course_offering_id = offering and release_mode = 'automatic')
      and not exists (select from content_items where id = item and data_json -> 'anonymous' = 'true')
$$;

-- Published items with a result in course order, due as without overrides. `weight` is 1 for all without groups,
-- null for an item in no group. The planner settings of gradebook_cells_of_people would read the modules of all courses.
create or replace function gradebook_items_of_offering(offering integer)
returns table (
  item_id integer, title text, content_type text, max_points numeric, due_at timestamptz, group_name text,
  weight numeric, released boolean, place integer, most_points numeric, drop_lowest integer,
  late_percent_per_day numeric, max_late_days integer
) language sql stable set enable_nestloop = on as $$
  with recursive counted as materialized (
    select counting.item_id, counting.module_id
    from course_offerings as run cross join lateral published_items_of_course(run.course_id) as counting
    where run.id = offering and counting.by_result
    union
    -- Columns that tools created for this offering. Their module is unpublished.
    select item.id, item.module_id
    from course_offerings as run
    join content_items as item on item.course_id = run.course_id and item.is_active
      and item.content_type_id = (select id from content_types where name = 'external_tool')
    where run.id = offering and json_number(item.data_json #> '{line_item,offering_id}') = offering
  ), way (module_id, parent_module_id, place) as (
    select m.id, m.parent_module_id, array[m.sequence_index]
    from modules as m where m.id in (select counted.module_id from counted)
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place
    from way join modules as above on above.id = way.parent_module_id
  ), scheme as (
    select groups, drop_lowest, jsonb_array_length(groups) > 0 as has_groups
    from grading_schemes where course_offering_id = offering
  ), grouped as (
    select one ->> 'name' as name, (one ->> 'weight')::numeric as weight,
           coalesce((one ->> 'drop_lowest')::int, 0) as drop_lowest, item.id::int
    from scheme, jsonb_array_elements(scheme.groups) as one, jsonb_array_elements_text(one -> 'content_item_ids') as item (id)
  )
  select item.id, item.title, type.name, max_points_of_item(type.name, item.data_json),
         (select due_at from effective_dates_of_items(offering, null, array[item.id])), grouped.name,
         case when (select has_groups from scheme) then grouped.weight else 1 end,
         are_item_grades_released(offering, item.id),
         (row_number() over (order by way.place || item.sequence_index, item.id))::int,
         max_score_with_extra_credit(type.name, item.data_json),
         coalesce(case when (select has_groups from scheme) then grouped.drop_lowest
                       else (select drop_lowest from scheme) end, 0),
         case when type.name <> 'quiz' then late.percent_per_day end, case when type.name <> 'quiz' then late.most_days end
  from counted
  join way on way.module_id = counted.module_id and way.parent_module_id is null
  join content_items as item on item.id = counted.item_id
  join content_types as type on type.id = item.content_type_id
  cross join lateral effective_late_penalty_rule(offering, item.data_json) as late
  left join grouped on grouped.id = item.id
$$;

-- The best quiz attempt, a package's attempt by its rule, or newest graded work counts, scaled to the item's points and less `late_deduction`. Staff
-- scores and excuses take precedence. `version` counts results, deductions changed by a date, and scores or excuses
-- set. Nested loops: the planner cannot estimate the rows, and needs half a minute for five hundred people.
create or replace function gradebook_cells_of_people(offering integer, people integer[])
returns table (
  user_id integer, item_id integer, score numeric, state text, version integer, late_days integer, late_deduction numeric
)
language sql stable rows 30000 set enable_nestloop = off as $$
  with item as materialized (
    select * from gradebook_items_of_offering(offering)
  ), quizzed as (
    select one.user_id, one.content_item_id, max(one.score_obtained / nullif(one.max_score, 0)) as ratio,
           bool_or(one.submitted_at is not null and one.score_obtained is null) as waits,
           sum(one.grade_version) as version
    from quiz_attempts as one
    where one.course_offering_id = offering and one.user_id = any (people)
    group by one.user_id, one.content_item_id
  ), worked as (
    select one.user_id, one.content_item_id,
           (array_agg(one.score_obtained order by one.attempt_number desc) filter (where one.status = 'graded'))[1] as score,
           (array_agg(one.max_score order by one.attempt_number desc) filter (where one.status = 'graded'))[1] as max_score,
           (array_agg(late_days_of_submission(one) order by one.attempt_number desc) filter (where one.status = 'graded'))[1] as late_days,
           (array_agg(one.status order by one.attempt_number desc))[1] as status,
           sum(one.grade_version) as version
    from lab_submissions as one
    where one.course_offering_id = offering and one.user_id = any (people)
    group by one.user_id, one.content_item_id
  ), played as (
    select one.user_id, one.content_item_id, sum(one.grade_version) as version,
           case rules.counted_attempt
             when 'first' then (array_agg(one.score_scaled order by one.attempt_number) filter (where one.score_scaled is not null))[1]
             when 'last' then (array_agg(one.score_scaled order by one.attempt_number desc) filter (where one.score_scaled is not null))[1]
             else max(one.score_scaled) end as ratio
    from scorm_attempts as one
    join (select id, data_json ->> 'counted_attempt' as counted_attempt from content_items) as rules on rules.id = one.content_item_id
    where one.course_offering_id = offering and one.user_id = any (people)
    group by one.user_id, one.content_item_id, rules.counted_attempt
  ), earned as (
    select worked.user_id, worked.content_item_id, worked.status, worked.version,
           case when worked.max_score > 0 then round(worked.score / worked.max_score * item.max_points, 2)
                else worked.score end as score,
           worked.late_days
    from worked join item on item.item_id = worked.content_item_id
  )
  select person.id, item.item_id,
         case when own.is_excused then null
              else coalesce(own.score_override, round(coalesce(quizzed.ratio, played.ratio) * item.max_points, 2), earned.score - late.deduction) end,
         case when own.is_excused then 'excused'
              when own.score_override is not null then 'overridden'
              when coalesce(quizzed.ratio, played.ratio, earned.score) is not null then 'graded'
              when quizzed.waits then 'submitted'
              else coalesce(earned.status, 'none') end,
         (coalesce(own.version, 0) + coalesce(quizzed.version, played.version, earned.version, 0))::int,
         case when late.counts then earned.late_days else 0 end,
         case when late.counts then late.deduction else 0 end
  from unnest(people) as person (id)
  cross join item
  -- Restricted to the person, even if a hash join reads the rows of the class.
  left join item_grades as own
    on own.course_offering_id = offering and own.content_item_id = item.item_id and own.user_id = person.id
    and own.user_id = any (people)
  left join quizzed on quizzed.user_id = person.id and quizzed.content_item_id = item.item_id
  left join played on played.user_id = person.id and played.content_item_id = item.item_id
  left join earned on earned.user_id = person.id and earned.content_item_id = item.item_id
  cross join lateral (
    select late_deduction(earned.score, item.max_points, item.late_percent_per_day, earned.late_days) as deduction,
           own.is_excused is not true and own.score_override is null and earned.score is not null as counts
  ) as late
$$;

create or replace function letter_grade(scale jsonb, percent numeric) returns text language sql immutable as $$
  select letter from jsonb_to_recordset(scale) as one (letter text, min_percent numeric)
  where min_percent <= percent order by min_percent desc limit 1
$$;

-- Without items that were deleted, or became of a type without a result: `set_grading_scheme` refuses those.
create or replace view effective_schemes (
  course_offering_id, is_graded, letter_scale, passing_percent, groups, release_mode, version, drop_lowest,
  late_percent_per_day, max_late_days
) as
  select run.id, own.course_offering_id is not null,
         coalesce(own.letter_scale, '[{"letter": "A", "min_percent": 90}, {"letter": "B", "min_percent": 80},
           {"letter": "C", "min_percent": 70}, {"letter": "D", "min_percent": 60}, {"letter": "F", "min_percent": 0}]'),
         coalesce(own.passing_percent, 60),
         coalesce((
           select jsonb_agg('{"drop_lowest": 0}' || one || jsonb_build_object('content_item_ids', (
             select coalesce(jsonb_agg(item.id order by named.place), '[]')
             from jsonb_array_elements(one -> 'content_item_ids') with ordinality as named (id, place)
             join content_items_with_type as item on item.id = named.id::int
             where item.course_id = run.course_id and item.takes_result)) order by listed.place)
           from jsonb_array_elements(own.groups) with ordinality as listed (one, place)), '[]'),
         coalesce(own.release_mode, 'manual'), coalesce(own.version, 0), coalesce(own.drop_lowest, 0),
         own.late_percent_per_day, own.max_late_days
  from course_offerings as run left join grading_schemes as own on own.course_offering_id = run.id;

-- An immutable change, `{"former", "present", "why"}`, with audit log and notification.
create or replace function record_grade_change_and_notify(
  the_kind text, offering integer, person integer, item integer, change jsonb, changer integer, moment timestamptz,
  request jsonb
) returns void language plpgsql as $$
declare
  noted bigint;
begin
  insert into grade_changes
    (kind, course_offering_id, user_id, content_item_id, former_json, current_json, reason, changed_by_user_id, changed_at)
  values (the_kind, offering, person, item, nullif(change -> 'former', 'null'), nullif(change -> 'present', 'null'),
    change ->> 'why', changer, moment) returning id into noted;
  perform audit('grade.changed', changer, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
    'kind', the_kind, 'grade_change_id', noted, 'course_offering_id', offering, 'content_item_id', item)), request)
  from course_offerings as run where run.id = offering;
  -- Notifies of the first visible grade in an item, and of the final course grade.
  if the_kind = 'finalized' or (the_kind in ('submission_graded', 'item_set') and are_item_grades_released(offering, item)) then
    perform notify(array[person], 'grade_released',
      case when item is null then 'final:' || offering else 'grade:' || offering || ':' || item end,
      moment, offering => offering, item => item);
  end if;
end $$;

-- Notes the chosen rubric levels too; nothing while the submission is submitted.
create or replace function record_submission_grade_change_and_notify(
  the_kind text, former lab_submissions, present lab_submissions, why text, changer integer, moment timestamptz,
  request jsonb
) returns void language sql as $$
  with told as (
    select one.is_former, case when (one.work).status <> 'submitted' then jsonb_build_object(
      'submission_id', (one.work).id, 'status', (one.work).status, 'score', (one.work).score_obtained,
      'max_score', (one.work).max_score, 'source', (one.work).grade_source) || coalesce((
        select jsonb_build_object('rubric', jsonb_agg(jsonb_build_object(
          'criterion_id', level -> 'criterion_id', 'level_id', level -> 'level_id', 'points', level -> 'points')))
        from jsonb_array_elements((one.work).rubric) as level having count(*) > 0), '{}') end as grade
    from (values (true, former), (false, present)) as one (is_former, work)
  )
  select record_grade_change_and_notify(the_kind, present.course_offering_id, present.user_id, present.content_item_id,
    jsonb_build_object('former', before.grade, 'present', after.grade, 'why', why), changer, moment, request)
  from told as before, told as after
  where before.is_former and not after.is_former and before.grade is distinct from after.grade
$$;

-- Increments the cell's version with each changed result.
create or replace function increment_grade_version() returns trigger language plpgsql as $$
begin
  new.grade_version := old.grade_version + 1;
  return new;
end $$;

create or replace trigger count_grade_version before update of score_obtained, max_score on quiz_attempts
  for each row when (coalesce(new.score_obtained, old.score_obtained) is not null
    and (new.score_obtained, new.max_score) is distinct from (old.score_obtained, old.max_score))
  execute function increment_grade_version();

create or replace trigger count_grade_version before update of score_obtained, max_score, due_at, is_late on lab_submissions
  for each row when (coalesce(new.score_obtained, old.score_obtained) is not null
    and (new.score_obtained, new.max_score, late_days_of_submission(new))
      is distinct from (old.score_obtained, old.max_score, late_days_of_submission(old)))
  execute function increment_grade_version();

create or replace function refuse_change_of_grade_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
     and to_jsonb(new) - '{changed_by_user_id,user_id}'::text[] = to_jsonb(old) - '{changed_by_user_id,user_id}'::text[]
     and coalesce(new.changed_by_user_id = old.changed_by_user_id, new.changed_by_user_id is null)
     -- A university erased its data of a person (data-requests.sql).
     and (new.user_id = old.user_id or exists (
       select from users where id = new.user_id and erased_at is not null)) then
    return new;
  end if;
  raise exception 'changes of grades are not changed' using errcode = 'insufficient_privilege';
end $$;

create or replace trigger refuse_change_of_grade_changes before update on grade_changes
  for each row execute function refuse_change_of_grade_changes();

-- Overrides scores or excuses people. `entries` are `[{"user_id", "content_item_id", "score", "is_excused",
-- "versions", "code"}, …]`, each person and item once. Without both keys, a cell stays. A score alone, also null,
-- ends an excuse; an excuse removes the score. The cell must have one of `versions`, if present. With `as_shown`, a
-- score equal to the displayed one changes nothing. `dry` writes nothing. Returns each entry in order, with the displayed grade,
-- the new version, and the new override, or the stored one if refused. `refusal`: 'no item', 'not enrolled',
-- 'own', 'final', 'changed', 'anonymous' for a person named where codes are used, 'no code', 'two marks' that are
-- not agreed, 'too many points' for the `bound`, or 'too many' changes.
create or replace function override_item_grades(
  offering integer, entries jsonb, as_shown boolean, grader integer, why text, dry boolean, moment timestamptz,
  request jsonb
) returns table (
  number integer, refusal text, is_changed boolean, former_score numeric, former_state text, score_override numeric,
  is_excused boolean, version integer, bound jsonb
) language plpgsql as $$
#variable_conflict use_column
begin
  perform lock_offering_grades(offering);
  -- Locks all of them before the first enrollment is completed: see completion.sql.
  perform pg_advisory_xact_lock(offering, person)
  from (select distinct (one ->> 'user_id')::int from jsonb_array_elements(entries) as one order by 1) as one (person);
  return query
    with entry as materialized (
      select one.number::int, one.value as sent, given.*
      from jsonb_array_elements(entries) with ordinality as one (value, number),
           jsonb_to_record(one.value) as given (user_id integer, content_item_id integer, versions integer[], code text)
    ), item as materialized (
      select graded.*, is_grading_anonymous(offering, graded.item_id) as hides_people,
             exists (
               select from content_items where id = graded.item_id and data_json -> 'second_mark' = 'true') as takes_two_marks
      from gradebook_items_of_offering(offering) as graded
    ), cell as materialized (
      select * from gradebook_cells_of_people(offering, array(
        select user_id from enrollments
        where course_offering_id = offering and user_id in (select user_id from entry)))
    ), judged as materialized (
      select entry.*, excuse.is_excused, given.score, own as former, cell.score as shown_score, cell.state as shown_state, cell.version as shown_version,
             item.hides_people and entry.code is null as is_hidden,
             case when item.item_id is null then 'no item'
                  when item.hides_people and entry.code is null then 'anonymous'
                  when entry.code is not null and entry.user_id is null then 'no code'
                  when cell.user_id is null then 'not enrolled'
                  when entry.user_id = grader then 'own'
                  when is_course_grade_final(offering, entry.user_id) then 'final'
                  when cell.version <> all (entry.versions) then 'changed'
                  when given.score is not null and cell.state = 'submitted' and item.takes_two_marks then 'two marks'
                  when given.score > item.most_points then 'too many points' end as refusal,
             jsonb_build_object('title', item.title, 'points', item.max_points, 'most', item.most_points) as bound,
             case when as_shown and cell.state <> 'excused' and not excuse.is_excused
                    then cell.score is distinct from given.score
                  else (coalesce(own.is_excused, false), own.score_override)
                    is distinct from (excuse.is_excused, given.score) end as is_changed
      from entry
      left join item on item.item_id = entry.content_item_id
      left join cell on cell.user_id = entry.user_id and cell.item_id = entry.content_item_id
      left join item_grades as own on own.course_offering_id = offering and own.user_id = entry.user_id
        and own.content_item_id = entry.content_item_id
      cross join lateral (select coalesce(
        (entry.sent ->> 'is_excused')::boolean, not entry.sent ? 'score' and own.is_excused, false)) as excuse (is_excused)
      cross join lateral (select case
        when excuse.is_excused then null
        when entry.sent ? 'score' then (entry.sent ->> 'score')::numeric
        else own.score_override end) as given (score)
    ), chosen as materialized (
      select judged.*,
             case when refusal is null and is_changed
                    and row_number() over (partition by refusal is null and is_changed order by judged.number) > 2000
                    then 'too many'
                  when refusal in ('changed', 'too many points') and as_shown and not is_changed then null
                  else refusal end as verdict
      from judged
    ), written as (
      insert into item_grades as one
        (user_id, course_offering_id, content_item_id, score_override, is_excused, version, updated_at)
      select user_id, offering, content_item_id, score, is_excused, 1, moment
      from chosen where verdict is null and is_changed and not dry order by user_id, content_item_id
      on conflict on constraint item_grades_person_unique do update
        set score_override = excluded.score_override, is_excused = excluded.is_excused, version = one.version + 1,
            updated_at = excluded.updated_at
      returning one.*
    ), noted as (
      select record_grade_change_and_notify('item_set', offering, chosen.user_id, chosen.content_item_id, jsonb_build_object(
        'former', case when (chosen.former).is_excused or (chosen.former).score_override is not null
          then jsonb_build_object('score', (chosen.former).score_override, 'is_excused', (chosen.former).is_excused) end,
        'present', case when written.is_excused or written.score_override is not null
          then jsonb_build_object('score', written.score_override, 'is_excused', written.is_excused) end,
        'why', why), grader, moment, request)
      from chosen join written using (user_id, content_item_id)
    )
    select chosen.number, chosen.verdict, chosen.is_changed and chosen.verdict is null,
           case when not chosen.is_hidden then chosen.shown_score end, case when not chosen.is_hidden then chosen.shown_state end,
           case when chosen.verdict is null then chosen.score else (chosen.former).score_override end,
           case when chosen.verdict is null then chosen.is_excused else coalesce((chosen.former).is_excused, false) end,
           chosen.shown_version + (chosen.is_changed and chosen.verdict is null)::int, chosen.bound
    from chosen cross join (select count(*) from noted) as done order by chosen.number;
end $$;

-- Runs after a change of the late rule: exports made before are outdated.
create or replace function increment_grade_versions_of_late_work(offerings integer[], item integer) returns void language plpgsql as $$
begin
  perform from lab_submissions as work
  where work.course_offering_id = any (offerings) and (item is null or work.content_item_id = item)
    and work.is_late and work.score_obtained is not null order by work.id for update;
  update lab_submissions as work set grade_version = grade_version + 1
  where work.course_offering_id = any (offerings) and (item is null or work.content_item_id = item)
    and work.is_late and work.score_obtained is not null;
end $$;

-- Runs in the statement that changes an item. The type is fixed once the item has results. `rescales`: scores scale
-- to the new points in all offerings; quiz attempts always do. Final grades stay. Raises for another type, without
-- `rescales`, and for a score above the maximum.
create or replace function apply_item_grading_settings_change(
  the_item content_items, former_type integer, former jsonb, rescales boolean, changer integer, moment timestamptz,
  request jsonb
) returns void language plpgsql as $$
declare
  was numeric := former -> 'points';
  runs integer[];
  points numeric;
  most numeric;
  work lab_submissions;
  regraded lab_submissions;
  own item_grades;
  reset item_grades;
  quizzed record;
begin
  select max_points_of_item(type.name, the_item.data_json), max_score_with_extra_credit(type.name, the_item.data_json)
  into points, most from content_types as type where type.id = the_item.content_type_id;
  if the_item.content_type_id <> former_type then
    -- Taken shared by writes that depend on the item's type (quiz-attempts.sql).
    perform pg_advisory_xact_lock(hashtextextended('type of an item', the_item.id));
  end if;
  if json_number(the_item.data_json -> 'late_percent_per_day')
     is distinct from json_number(former -> 'late_percent_per_day') then
    runs := array(select id from course_offerings where course_id = the_item.course_id order by id);
    perform lock_offering_grades(run) from unnest(runs) as run;
    perform increment_grade_versions_of_late_work(runs, the_item.id);
    perform enqueue_lti_score(run, null, the_item.id) from unnest(runs) as run;
  end if;
  perform draw_codes_or_refuse_anonymity_change(the_item, former);
  if the_item.content_type_id = former_type and points = was and most >= (former -> 'most')::numeric then return; end if;
  perform lock_offering_grades(run.id)
  from (select id from course_offerings where course_id = the_item.course_id order by id) as run;
  if the_item.content_type_id <> former_type then
    if exists (select from works where content_item_id = the_item.id)
       or exists (select from item_grades where content_item_id = the_item.id) then
      raise exception 'content item % has results', the_item.id
        using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_keep_type';
    end if;
    return;
  end if;
  if points <> was then
    perform enqueue_lti_score(run.id, null, the_item.id) from course_offerings as run where run.course_id = the_item.course_id;
    if rescales is null and (
      exists (select from quiz_attempts where content_item_id = the_item.id and score_obtained is not null)
      or exists (select from lab_submissions where content_item_id = the_item.id and score_obtained is not null)
      or exists (select from item_grades where content_item_id = the_item.id and score_override is not null)
      or exists (
        select from submission_marks as mark join lab_submissions as one on one.id = mark.submission_id
        where one.content_item_id = the_item.id)
    ) then
      raise exception 'content item % has scores', the_item.id
        using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_say_rescale';
    end if;
    for work in
      select * from lab_submissions
      where content_item_id = the_item.id and score_obtained is not null and max_score > 0 order by id for update
    loop
      update lab_submissions
      set score_obtained = round(work.score_obtained / work.max_score * case when rescales then points else was end, 2),
          max_score = points,
          rubric = case when rescales and was > 0 then rescaled_rubric_level_choices(work.rubric, points / was) else work.rubric end
      where id = work.id returning * into regraded;
      perform record_submission_grade_change_and_notify('points_changed', work, regraded, null, changer, moment, request);
    end loop;
    if rescales and was > 0 then
      update submission_marks as one
      set score = round(one.score * points / was, 2), rubric = rescaled_rubric_level_choices(one.rubric, points / was)
      from lab_submissions as marked where marked.id = one.submission_id and marked.content_item_id = the_item.id;
    end if;
    perform from quiz_attempts where content_item_id = the_item.id and score_obtained is not null order by id for update;
    update quiz_attempts set grade_version = grade_version + 1
    where content_item_id = the_item.id and score_obtained is not null;
    for quizzed in
      select course_offering_id, user_id, max(score_obtained / nullif(max_score, 0)) as ratio
      from quiz_attempts where content_item_id = the_item.id and score_obtained is not null
      group by 1, 2 order by 1, 2
    loop
      perform record_grade_change_and_notify('points_changed', quizzed.course_offering_id, quizzed.user_id, the_item.id,
        jsonb_build_object(
          'former', jsonb_build_object('score', round(quizzed.ratio * was, 2), 'max_score', was),
          'present', jsonb_build_object('score', round(quizzed.ratio * points, 2), 'max_score', points)),
        changer, moment, request);
    end loop;
  end if;
  if rescales and points <> was and was > 0 then
    -- Locks all of them before the first enrollment is completed: see completion.sql.
    perform pg_advisory_xact_lock(one.course_offering_id, one.user_id)
    from (
      select course_offering_id, user_id from item_grades
      where content_item_id = the_item.id and score_override is not null order by 1, 2
    ) as one;
    for own in
      select * from item_grades where content_item_id = the_item.id and score_override is not null
      order by course_offering_id, user_id for update
    loop
      update item_grades set score_override = round(own.score_override / was * points, 2), version = own.version + 1
      where id = own.id returning * into reset;
      perform record_grade_change_and_notify('points_changed', own.course_offering_id, own.user_id, the_item.id,
        jsonb_build_object('former', jsonb_build_object('score', own.score_override, 'is_excused', own.is_excused), 'present',
          jsonb_build_object('score', reset.score_override, 'is_excused', reset.is_excused)), changer, moment, request);
    end loop;
  end if;
  if exists (select from lab_submissions where content_item_id = the_item.id and score_obtained > most)
     or exists (select from item_grades where content_item_id = the_item.id and score_override > most) then
    raise exception 'content item % has scores over %', the_item.id, most
      using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_hold_scores';
  end if;
end $$;

-- Null removes the override. It must have one of the `expected` versions, if given. `refusal`: 'not enrolled',
-- 'own', 'final' or 'changed'.
create or replace function override_course_grade(
  offering integer, person integer, score numeric, grader integer, why text, moment timestamptz, request jsonb,
  expected integer[] default null
) returns table (refusal text, present numeric, version integer) language plpgsql as $$
#variable_conflict use_column
declare
  former course_grades;
begin
  perform lock_offering_grades(offering);
  select * into former from course_grades where course_offering_id = offering and user_id = person;
  present := former.score_override;
  version := coalesce(former.version, 0);
  refusal := case
    when not exists (select from enrollments where course_offering_id = offering and user_id = person) then 'not enrolled'
    when person = grader then 'own'
    when former.graded_at is not null then 'final'
    when version <> all (expected) then 'changed'
  end;
  if refusal is null and present is distinct from score then
    insert into course_grades as one (course_offering_id, user_id, score_override, version)
    values (offering, person, score, 1)
    on conflict (user_id, course_offering_id) do update
      set score_override = excluded.score_override, version = one.version + 1;
    perform record_grade_change_and_notify('course_set', offering, person, null, jsonb_build_object(
      'former', jsonb_build_object('score', present), 'present', jsonb_build_object('score', score), 'why', why),
      grader, moment, request);
    present := score;
    version := version + 1;
  end if;
  return next;
end $$;

-- Shows or hides grades of these items, or of all; returns the number changed. Raises while marks are not agreed
-- (second-marks.sql). Notifies each learner once.
create or replace function release_or_hide_item_grades(
  offering integer, items integer[], shows boolean, releaser integer, moment timestamptz, request jsonb
) returns integer language plpgsql as $$
declare
  changed integer[];
begin
  if shows then
    perform lock_offering_grades(offering);
    if exists (
      select from lab_submissions as work
      where work.course_offering_id = offering and (items is null or work.content_item_id = any (items))
        and work.status = 'submitted' and is_subject_to_double_marking(work)
        and exists (select from submission_marks where submission_id = work.id)
    ) then
      raise exception 'offering % has marks that are not agreed upon', offering
        using errcode = 'check_violation', table = 'grade_releases', constraint = 'grade_releases_after_agreement';
    end if;
    with added as (
      insert into grade_releases (course_offering_id, content_item_id, released_at)
      select offering, item_id, moment from gradebook_items_of_offering(offering) where items is null or item_id = any (items)
      on conflict do nothing returning content_item_id
    )
    select array_agg(content_item_id order by 1) into changed from added;
  else
    with removed as (
      delete from grade_releases
      where course_offering_id = offering and (items is null or content_item_id = any (items)) returning content_item_id
    )
    select array_agg(content_item_id order by 1) into changed from removed;
  end if;
  if shows and changed is not null then
    perform apply_deferred_effects_of_anonymous_release(offering, array(
      select id from content_items where id = any (changed) and data_json -> 'anonymous' = 'true'));
    perform notify(array_agg(distinct cell.user_id), 'grade_released',
      case when cardinality(changed) = 1 then 'grade:' || offering || ':' || changed[1]
           else 'grades:' || offering || ':' || md5(changed::text) end,
      moment, offering => offering, item => case when cardinality(changed) = 1 then changed[1] end)
    from gradebook_cells_of_people(offering, (
      select array_agg(user_id) from enrollments where course_offering_id = offering and is_admitted)) as cell
    where cell.item_id = any (changed) and cell.state in ('graded', 'overridden', 'excused')
    having count(*) > 0;
  end if;
  if changed is not null then
    perform audit('grades.released', releaser, null, run.university_id, jsonb_build_object(
      'course_offering_id', offering, 'content_item_ids', changed, 'released', shows), request)
    from course_offerings as run where run.id = offering;
  end if;
  return coalesce(cardinality(changed), 0);
end $$;

-- Keys absent from `given` stay. Sets nothing if `missing` names an item that is not in the course, or if the
-- version `is_other` than `expected`.
create or replace function set_grading_scheme(
  offering integer, given jsonb, setter integer, moment timestamptz, request jsonb, expected integer[] default null
) returns table (missing integer, is_other boolean, scheme grading_schemes) language plpgsql as $$
declare
  former_percent numeric;
begin
  select named.id::int into missing
  from jsonb_array_elements(given -> 'groups') as one, jsonb_array_elements_text(one -> 'content_item_ids') as named (id)
  where not exists (
    select from content_items_with_type as item join course_offerings as run on run.course_id = item.course_id
    where item.takes_result and run.id = offering and item.id = named.id::int)
  order by named.id::int limit 1;
  perform lock_offering_grades(offering);
  select coalesce(usual.version <> all (expected), false) into is_other from effective_schemes as usual
  where usual.course_offering_id = offering;
  if missing is null and not is_other then
    select usual.late_percent_per_day into former_percent from effective_schemes as usual
  where usual.course_offering_id = offering;
    insert into grading_schemes as one
      (course_offering_id, letter_scale, passing_percent, groups, release_mode, drop_lowest, late_percent_per_day,
       max_late_days, created_at, updated_at)
    select offering, coalesce(given -> 'letter_scale', usual.letter_scale),
           coalesce((given ->> 'passing_percent')::numeric, usual.passing_percent), coalesce(given -> 'groups', usual.groups),
           coalesce(given ->> 'release_mode', usual.release_mode),
           coalesce((given ->> 'drop_lowest')::int, usual.drop_lowest),
           case when given ? 'late_percent_per_day' then (given ->> 'late_percent_per_day')::numeric
                else usual.late_percent_per_day end,
           case when given ? 'max_late_days' then (given ->> 'max_late_days')::int else usual.max_late_days end,
           moment, moment
    from effective_schemes as usual where usual.course_offering_id = offering
    on conflict (course_offering_id) do update
      set letter_scale = excluded.letter_scale, passing_percent = excluded.passing_percent, groups = excluded.groups,
          release_mode = excluded.release_mode, drop_lowest = excluded.drop_lowest,
          late_percent_per_day = excluded.late_percent_per_day, max_late_days = excluded.max_late_days, version = default,
          updated_at = excluded.updated_at
    returning one.* into scheme;
    if scheme.late_percent_per_day is distinct from former_percent then
      perform increment_grade_versions_of_late_work(array[offering], null);
    end if;
    perform audit('grading_scheme.changed', setter, null, run.university_id,
      jsonb_build_object('course_offering_id', offering), request)
    from course_offerings as run where run.id = offering;
  end if;
  return next;
end $$;

-- Returns the reason if it cannot: 'none' set, 'changed' version, or 'final' grades.
create or replace function remove_grading_scheme(
  offering integer, remover integer, request jsonb, expected integer[] default null
) returns text language plpgsql as $$
begin
  perform lock_offering_grades(offering);
  if not exists (select from grading_schemes where course_offering_id = offering) then return 'none'; end if;
  if exists (select from effective_schemes as present where present.course_offering_id = offering and present.version <> all (expected)) then
    return 'changed';
  end if;
  if exists (select from course_grades where course_offering_id = offering and graded_at is not null) then
    return 'final';
  end if;
  delete from grading_schemes where course_offering_id = offering;
  perform audit('grading_scheme.changed', remover, null, run.university_id,
    jsonb_build_object('course_offering_id', offering, 'removed', true), request)
  from course_offerings as run where run.id = offering;
  return null;
end $$;

create or replace function enqueue_lti_score_and_sync_completion() returns trigger language plpgsql as $$
begin
  perform enqueue_lti_score(new.course_offering_id, new.user_id, new.content_item_id);
  perform sync_item_completion_with_result(new.course_offering_id, new.user_id, new.content_item_id);
  return null;
end $$;

create or replace trigger item_grades_after_write after insert or update of score_override, is_excused on item_grades
  for each row execute function enqueue_lti_score_and_sync_completion();
