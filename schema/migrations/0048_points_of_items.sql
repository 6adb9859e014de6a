set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "grade_changes" DROP CONSTRAINT "grade_changes_kind_check";
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted'));
--> statement-breakpoint
ALTER TABLE "grade_changes" ADD CONSTRAINT "grade_changes_kind_check" CHECK ("grade_changes"."kind" in ('submission_graded', 'submission_returned', 'quiz_regraded', 'item_set', 'points_changed', 'course_set', 'finalized', 'reopened'));
--> statement-breakpoint
drop function auto_grade_submission(integer,numeric,jsonb,timestamp with time zone,timestamp with time zone,jsonb);
--> statement-breakpoint
-- Takes what an item's own grader says of a submission, at the moment at which it signed that. `outcome`: 'graded';
-- 'kept', where a person has graded it or it was returned; 'superseded', where a later word came before; or 'final',
-- where what is graded stays, 'too many points'. The same word again has the same outcome. No row: it is gone.
create or replace function auto_grade_submission(
  the_submission integer, points numeric, details jsonb, signed_at timestamptz, moment timestamptz, request jsonb
) returns table (outcome text, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
  graded lab_submissions;
  counted numeric;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  outcome := case
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
      counted := hold_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
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
--> statement-breakpoint
-- Keeps the scores of an item in step with it, within the statement that changes it: with its type, which stays once it
-- has results, and with its points, in all offerings of its course. Where scores stand, `rescales` says whether they are
-- scaled to the new points or stay as they are; attempts at a quiz are parts of a whole, and scale in either case. Each
-- change is noted; final grades stay. Raises for another type, without `rescales`, and for a score that would be over the
-- most points of the item.
create or replace function fit_scores_to_item(
  the_item content_items, former_type integer, former jsonb, rescales boolean, changer integer, moment timestamptz,
  request jsonb
) returns void language plpgsql as $$
declare
  was numeric := former -> 'points';
  points numeric;
  most numeric;
  work lab_submissions;
  regraded lab_submissions;
  own item_grades;
  reset item_grades;
  quizzed record;
begin
  select points_of_item(type.name, the_item.data_json), most_points_of_item(type.name, the_item.data_json)
  into points, most from content_types as type where type.id = the_item.content_type_id;
  if the_item.content_type_id = former_type and points = was and most >= (former -> 'most')::numeric then return; end if;
  if the_item.content_type_id <> former_type then
    perform lock_item_type(the_item.id);
  end if;
  perform hold_grades(run.id)
  from (select id from course_offerings where course_id = the_item.course_id order by id) as run;
  if the_item.content_type_id <> former_type then
    if exists (select from quiz_attempts where content_item_id = the_item.id)
       or exists (select from lab_submissions where content_item_id = the_item.id)
       or exists (select from item_grades where content_item_id = the_item.id) then
      raise exception 'content item % has results', the_item.id
        using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_keep_type';
    end if;
    return;
  end if;
  if points <> was then
    if rescales is null and (
      exists (select from quiz_attempts where content_item_id = the_item.id and score_obtained is not null)
      or exists (select from lab_submissions where content_item_id = the_item.id and score_obtained is not null)
      or exists (select from item_grades where content_item_id = the_item.id and score_override is not null)
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
          max_score = points
      where id = work.id returning * into regraded;
      perform note_grade_of_submission('points_changed', work, regraded, null, changer, moment, request);
    end loop;
    perform from quiz_attempts where content_item_id = the_item.id and score_obtained is not null order by id for update;
    update quiz_attempts set grade_version = grade_version + 1
    where content_item_id = the_item.id and score_obtained is not null;
    for quizzed in
      select course_offering_id, user_id, max(score_obtained / nullif(max_score, 0)) as ratio
      from quiz_attempts where content_item_id = the_item.id and score_obtained is not null
      group by 1, 2 order by 1, 2
    loop
      perform note_grade_change('points_changed', quizzed.course_offering_id, quizzed.user_id, the_item.id,
        jsonb_build_object('score', round(quizzed.ratio * was, 2), 'max_score', was),
        jsonb_build_object('score', round(quizzed.ratio * points, 2), 'max_score', points), null, changer, moment, request);
    end loop;
  end if;
  if rescales and points <> was and was > 0 then
    -- All of them before the first enrollment is completed: see completion.sql.
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
      perform note_grade_change('points_changed', own.course_offering_id, own.user_id, the_item.id, grade_of_item(own),
        grade_of_item(reset), null, changer, moment, request);
    end loop;
  end if;
  if exists (select from lab_submissions where content_item_id = the_item.id and score_obtained > most)
     or exists (select from item_grades where content_item_id = the_item.id and score_override > most) then
    raise exception 'content item % has scores over %', the_item.id, most
      using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_hold_scores';
  end if;
end $$;
--> statement-breakpoint
drop function grade_submission(integer,integer,numeric,text,text,timestamp with time zone,jsonb);
--> statement-breakpoint
-- Grades a submission by hand, over whatever grade it has; whose claim it was ends. `refusal` as for a claim, or 'too
-- many points' for more than are given in the item, which `bound` says. A final grade in which it would count is outdated
-- by it.
create or replace function grade_submission(
  the_submission integer, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
  counted numeric;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  submission := former;
  refusal := coalesce(refusal_to_grade(former, grader, moment),
    case when points > (bound -> 'most')::numeric then 'too many points' end);
  if refusal is null then
    counted := hold_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
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
--> statement-breakpoint
drop function graded_items(integer);
--> statement-breakpoint
-- The columns of an offering's gradebook, in the order of the course: its published items that take a result. `weight`
-- is that of the item's group, 1 for all where there are no groups, and null for an item that is in none of them. What
-- grade_cells asks of the planner is not for these: of an item it would read the modules of all courses.
create or replace function graded_items(offering integer)
returns table (
  item_id integer, title text, content_type text, max_points numeric, due_at timestamptz, group_name text,
  weight numeric, released boolean, place integer, most_points numeric
) language sql stable set enable_nestloop = on as $$
  with recursive counted as materialized (
    select counting.item_id, counting.module_id
    from course_offerings as run cross join lateral counting_items(run.course_id) as counting
    where run.id = offering and counting.by_result
  ), way (module_id, parent_module_id, place) as (
    select m.id, m.parent_module_id, array[m.sequence_index]
    from modules as m where m.id in (select counted.module_id from counted)
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place
    from way join modules as above on above.id = way.parent_module_id
  ), scheme as (
    select groups from grading_schemes where course_offering_id = offering
  ), grouped as (
    select one ->> 'name' as name, (one ->> 'weight')::numeric as weight, item.id::int
    from scheme, jsonb_array_elements(scheme.groups) as one, jsonb_array_elements_text(one -> 'content_item_ids') as item (id)
  )
  select item.id, item.title, type.name, points_of_item(type.name, item.data_json), item_due_at(item.id), grouped.name,
         case when coalesce((select jsonb_array_length(groups) from scheme), 0) = 0 then 1 else grouped.weight end,
         is_grade_released(offering, item.id),
         (row_number() over (order by way.place || item.sequence_index, item.id))::int,
         most_points_of_item(type.name, item.data_json)
  from counted
  join way on way.module_id = counted.module_id and way.parent_module_id is null
  join content_items as item on item.id = counted.item_id
  join content_types as type on type.id = item.content_type_id
  left join grouped on grouped.id = item.id
$$;
--> statement-breakpoint
create or replace function lock_item_type(item integer) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('type of an item', item))
$$;
--> statement-breakpoint
-- Shared by whoever begins something with an item that hangs on its type, alone for whoever gives it another one.
create or replace function lock_item_type_shared(item integer) returns void language sql as $$
  select pg_advisory_xact_lock_shared(hashtextextended('type of an item', item))
$$;
--> statement-breakpoint
-- The most points that anyone gets in an item: what it is worth, and what may be given beyond that.
create or replace function most_points_of_item(content_type text, data jsonb) returns numeric
language sql immutable as $$
  select least(9999.99, points_of_item(content_type, data) + coalesce(clamped(coalesce(
    json_number(data #> array[case content_type when 'quiz' then 'mastery' else 'grading' end, 'extra_points']),
    json_number(data -> 'extra_points')), 0, 9999), 0))
$$;
--> statement-breakpoint
-- What a score in an item is held against: `{"title", "points", "most"}`.
create or replace function score_bound(the_item integer) returns jsonb language sql stable as $$
  select jsonb_build_object('title', item.title, 'points', points_of_item(type.name, item.data_json),
    'most', most_points_of_item(type.name, item.data_json))
  from content_items as item join content_types as type on type.id = item.content_type_id
  where item.id = the_item
$$;
--> statement-breakpoint
drop function set_item_grades(integer,jsonb,boolean,integer,text,boolean,timestamp with time zone,jsonb);
--> statement-breakpoint
-- Sets scores in place of what people achieved in items, or excuses them; neither takes back what was set. `entries` are
-- `[{"user_id", "content_item_id", "score", "is_excused", "versions"}, …]`, each person and item once; where there are
-- `versions`, the cell has one of them, or is not what was looked at. With `as_shown` a score that the gradebook shows
-- already changes nothing, and with `dry` nothing is written. Answers each in its order, with what the gradebook showed,
-- what staff had set, and the version that the cell has then. `refusal`: 'no item', 'not enrolled', 'own', 'final',
-- 'changed' for another version, 'too many points', or 'too many' for what comes after as many changes as are made in a few
-- seconds. `bound` is what the score is held against.
create or replace function set_item_grades(
  offering integer, entries jsonb, as_shown boolean, grader integer, why text, dry boolean, moment timestamptz,
  request jsonb
) returns table (
  number integer, refusal text, is_changed boolean, former_score numeric, former_state text, score_override numeric,
  is_excused boolean, version integer, bound jsonb
) language plpgsql as $$
#variable_conflict use_column
begin
  perform hold_grades(offering);
  -- All of them before the first enrollment is completed: see completion.sql.
  perform pg_advisory_xact_lock(offering, person)
  from (select distinct (one ->> 'user_id')::int from jsonb_array_elements(entries) as one order by 1) as one (person);
  return query
    with entry as materialized (
      select one.number::int, given.*
      from jsonb_array_elements(entries) with ordinality as one (value, number),
           jsonb_to_record(one.value) as given (
             user_id integer, content_item_id integer, score numeric, is_excused boolean, versions integer[])
    ), item as materialized (
      select item_id, title, max_points, most_points from graded_items(offering)
    ), cell as materialized (
      select * from grade_cells(offering, array(
        select user_id from enrollments
        where course_offering_id = offering and user_id in (select user_id from entry)))
    ), judged as materialized (
      select entry.*, own as former, cell.score as shown_score, cell.state as shown_state, cell.version as shown_version,
             case when item.item_id is null then 'no item'
                  when cell.user_id is null then 'not enrolled'
                  when entry.user_id = grader then 'own'
                  when is_grade_final(offering, entry.user_id) then 'final'
                  when cell.version <> all (entry.versions) then 'changed'
                  when entry.score > item.most_points then 'too many points' end as refusal,
             jsonb_build_object('title', item.title, 'points', item.max_points, 'most', item.most_points) as bound,
             case when as_shown and cell.state <> 'excused' and not entry.is_excused
                    then cell.score is distinct from entry.score
                  else (coalesce(own.is_excused, false), own.score_override)
                    is distinct from (entry.is_excused, entry.score) end as is_changed
      from entry
      left join item on item.item_id = entry.content_item_id
      left join cell on cell.user_id = entry.user_id and cell.item_id = entry.content_item_id
      left join item_grades as own on own.course_offering_id = offering and own.user_id = entry.user_id
        and own.content_item_id = entry.content_item_id
    ), chosen as materialized (
      select judged.*,
             case when refusal is null and is_changed
                    and row_number() over (partition by refusal is null and is_changed order by judged.number) > 2000
                    then 'too many'
                  -- What is asked for is there already, whoever brought it there.
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
      select note_grade_change('item_set', offering, chosen.user_id, chosen.content_item_id, grade_of_item(chosen.former),
        grade_of_item(written), why, grader, moment, request)
      from chosen join written using (user_id, content_item_id)
    )
    select chosen.number, chosen.verdict, chosen.is_changed and chosen.verdict is null, chosen.shown_score,
           chosen.shown_state, (chosen.former).score_override, coalesce((chosen.former).is_excused, false),
           chosen.shown_version + (chosen.is_changed and chosen.verdict is null)::int, chosen.bound
    from chosen cross join (select count(*) from noted) as done order by chosen.number;
end $$;
--> statement-breakpoint
-- Starts a person's next attempt at a quiz, or answers the one that is open. Its questions are drawn once, and with
-- them the order of everything. Starts of one person at one quiz wait for each other, in whatever offerings: what one
-- took is counted by the next. `refusal` says why there is none: one of `gate_of_item` (outline.sql), 'not enrolled',
-- 'closed', 'no attempt left' or 'no questions'.
create or replace function start_quiz_attempt(
  person integer, offering integer, item integer, moment timestamptz, today date
) returns table (refusal text, is_new boolean, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  mine quiz_attempts;
begin
  is_new := false;
  perform lock_item_type_shared(item);
  perform pg_advisory_xact_lock(hashtextextended('attempts of ' || person || ' at a quiz', item));
  select * into rules from quiz_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_item(item, person, moment) is not null then gate_of_item(item, person, moment)
    when not exists (
      select from enrollments
      where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
  end;
  if refusal is null then
    select * into mine from quiz_attempts as one
    where user_id = person and course_offering_id = offering and content_item_id = item and submitted_at is null;
    if found and not is_over(mine, moment) then
      attempt := quiz_attempt_with_keys(mine, moment);
      return next;
      return;
    end if;
    perform close_quiz_attempt(mine.id, moment);
    refusal := case
      when moment >= rules.closes_at then 'closed'
      when attempts_taken(person, item, offering) >= rules.most_attempts then 'no attempt left'
      when not exists (
        select from questions where question_pool_id = rules.question_pool_id and is_active
      ) then 'no questions'
    end;
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  is_new := true;
  insert into quiz_attempts (
    user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at, due_at, passing_percent,
    correct_in_row)
  select person, offering, item, coalesce(max(attempt_number), 0) + 1, rules.is_exam, moment,
         least(moment + rules.time_limit, rules.closes_at), rules.passing_percent, rules.correct_in_row
  from quiz_attempts where user_id = person and course_offering_id = offering and content_item_id = item
  returning * into mine;
  insert into quiz_attempt_questions (quiz_attempt_id, position, question_id, version, graded_version, option_ids)
  select mine.id, row_number() over (order by place, id), id, version, version, (
      select array_agg(option.value ->> 'id' order by case when rules.is_random then random() end, option.number)
      from jsonb_array_elements(options_json) with ordinality as option (value, number))
  from (
    select id, version, options_json, case when rules.is_random then random() end as place
    from questions where question_pool_id = rules.question_pool_id and is_active
    order by random() limit rules.draws
  ) as chosen;
  update quiz_attempts set max_score = (
    select sum(points)
    from quiz_attempt_questions as drawn join question_versions as asked using (question_id, version)
    where drawn.quiz_attempt_id = mine.id
  ) where id = mine.id returning * into mine;
  perform begin_item(person, offering, item, moment, moment);
  perform record_activity(person, 'attempted', 'content_item', item, rules.university_id, item, offering, moment, today);
  attempt := quiz_attempt_with_keys(mine, moment);
  return next;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
--> statement-breakpoint
-- Settings that mean nothing, such as -5 seconds or 0 attempts, become null, and points come within their bounds, as which
-- they counted. The audit log says of which courses.
with setting (types, path) as (
  values ('{quiz}'::text[], '{time_limit_seconds}'::text[]), ('{quiz}', '{num_questions_per_attempt}'),
    ('{quiz}', '{mastery,threshold_correct_in_row}'), ('{quiz}', '{mastery,max_attempts}'),
    ('{quiz}', '{passing_percent}'), ('{quiz}', '{mastery,points}'), ('{engineering_lab,assignment}', '{max_attempts}')
), stored as (
  select item.id, item.data_json, setting.path, (item.data_json #>> setting.path)::numeric as number
  from content_items as item
  join content_types as type on type.id = item.content_type_id
  join setting on type.name = any (setting.types)
  where jsonb_typeof(item.data_json #> setting.path) = 'number'
), meaningless as (
  select id, data_json, path,
         case when path = '{mastery,points}' then to_jsonb(greatest(0, least(9999.99, number))) else 'null' end as value
  from stored
  where case when path = '{passing_percent}' then number not between 0 and 100
             when path = '{mastery,points}' then number not between 0 and 9999.99
             else number < 1 or number % 1 <> 0 end
), corrected as (
  select id, data_json, jsonb_agg(array_to_string(path, '.') order by path) as settings,
         jsonb_object_agg(path[1], value) filter (where cardinality(path) = 1) as plain,
         jsonb_object_agg(path[2], value) filter (where cardinality(path) = 2) as mastery
  from meaningless group by id, data_json
), written as (
  update content_items as item
  set data_json = corrected.data_json || coalesce(corrected.plain, '{}')
    || case when corrected.mastery is null then '{}'
            else jsonb_build_object('mastery', corrected.data_json -> 'mastery' || corrected.mastery) end
  from corrected where item.id = corrected.id
  returning item.id, item.course_id, item.university_id, corrected.settings
)
insert into audit_events (action, university_id, details, occurred_at)
select 'content.settings_removed', university_id,
       jsonb_build_object('course_id', course_id, 'content_items', jsonb_object_agg(id, settings)), service_now()
from written group by university_id, course_id;
