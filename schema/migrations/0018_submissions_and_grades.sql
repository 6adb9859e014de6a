set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "grade_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "grade_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"content_item_id" integer,
	"kind" text NOT NULL,
	"changed_by_user_id" integer,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"former_json" jsonb,
	"current_json" jsonb,
	"reason" text,
	CONSTRAINT "grade_changes_kind_check" CHECK ("grade_changes"."kind" in ('submission_graded', 'submission_returned', 'quiz_regraded', 'item_set', 'course_set', 'finalized', 'reopened'))
);
--> statement-breakpoint
CREATE TABLE "grade_releases" (
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"released_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "grade_releases_course_offering_id_content_item_id_pk" PRIMARY KEY("course_offering_id","content_item_id")
);
--> statement-breakpoint
CREATE TABLE "grading_schemes" (
	"course_offering_id" integer PRIMARY KEY NOT NULL,
	"letter_scale" jsonb NOT NULL,
	"passing_percent" numeric(5, 2) NOT NULL,
	"groups" jsonb NOT NULL,
	"release_mode" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "grading_schemes_release_mode_check" CHECK ("grading_schemes"."release_mode" in ('automatic', 'manual'))
);
--> statement-breakpoint
CREATE TABLE "item_grades" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "item_grades_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"score_override" numeric(6, 2),
	"is_excused" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "item_grades_person_unique" UNIQUE("course_offering_id","content_item_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "lab_submissions" DROP CONSTRAINT "lab_submissions_status_check";
--> statement-breakpoint
ALTER TABLE "course_grades" ADD COLUMN "score_override" numeric(6, 2);
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "attempt_number" integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "due_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "is_late" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "body" text;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "links" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "data_json" jsonb;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "claimed_by_user_id" integer;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "claimed_until" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "grade_source" text;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "graded_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "graded_by_user_id" integer;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "returned_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "auto_graded_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "grade_changes" ADD CONSTRAINT "grade_changes_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "grade_changes" ADD CONSTRAINT "grade_changes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "grade_changes" ADD CONSTRAINT "grade_changes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "grade_changes" ADD CONSTRAINT "grade_changes_changed_by_user_id_users_id_fk" FOREIGN KEY ("changed_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "grade_releases" ADD CONSTRAINT "grade_releases_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "grade_releases" ADD CONSTRAINT "grade_releases_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "grading_schemes" ADD CONSTRAINT "grading_schemes_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "item_grades" ADD CONSTRAINT "item_grades_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "item_grades" ADD CONSTRAINT "item_grades_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "item_grades" ADD CONSTRAINT "item_grades_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "grade_changes_course_offering_id_id_index" ON "grade_changes" USING btree ("course_offering_id","id");
--> statement-breakpoint
CREATE INDEX "grade_changes_user_id_course_offering_id_id_index" ON "grade_changes" USING btree ("user_id","course_offering_id","id");
--> statement-breakpoint
CREATE INDEX "grade_changes_content_item_id_index" ON "grade_changes" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "grade_changes_changed_by_user_id_index" ON "grade_changes" USING btree ("changed_by_user_id");
--> statement-breakpoint
CREATE INDEX "grade_releases_content_item_id_index" ON "grade_releases" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "item_grades_user_id_index" ON "item_grades" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "item_grades_content_item_id_index" ON "item_grades" USING btree ("content_item_id");
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_claimed_by_user_id_users_id_fk" FOREIGN KEY ("claimed_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_graded_by_user_id_users_id_fk" FOREIGN KEY ("graded_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "lab_submissions_claimed_by_user_id_index" ON "lab_submissions" USING btree ("claimed_by_user_id");
--> statement-breakpoint
CREATE INDEX "lab_submissions_graded_by_user_id_index" ON "lab_submissions" USING btree ("graded_by_user_id");
--> statement-breakpoint
UPDATE "lab_submissions" SET "attempt_number" = "numbered"."place" FROM (
  SELECT "id", row_number() OVER (PARTITION BY "user_id", "course_offering_id", "content_item_id" ORDER BY "submitted_at", "id") AS "place"
  FROM "lab_submissions"
) AS "numbered" WHERE "numbered"."id" = "lab_submissions"."id" AND "numbered"."place" > 1;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_attempt_number_unique" UNIQUE("user_id","course_offering_id","content_item_id","attempt_number");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'enrollment.created', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'grade.changed', 'grades.released', 'grading_scheme.changed'));
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_grade_source_check" CHECK ("lab_submissions"."grade_source" in ('hand', 'auto'));
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_status_check" CHECK ("lab_submissions"."status" in ('submitted', 'graded', 'returned'));
--> statement-breakpoint
-- Takes what an item's own grader says of a submission, at the moment at which it signed that. `outcome`: 'graded';
-- 'kept', where a person has graded it or it was returned; 'superseded', where a later word came before; or 'final',
-- where nothing is taken any more, 'too many points'. The same word again has the same outcome. No row: it is gone.
create or replace function auto_grade_submission(
  the_submission integer, points numeric, details jsonb, signed_at timestamptz, moment timestamptz, request jsonb
) returns table (outcome text) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
  graded lab_submissions;
  most numeric;
begin
  if former.id is null then return; end if;
  select max_points into most from work_rules(former.content_item_id, former.course_offering_id, former.user_id);
  outcome := case
    when former.auto_graded_at > signed_at then 'superseded'
    when former.grade_source = 'hand' or former.status = 'returned' then 'kept'
    when former.auto_graded_at = signed_at then 'graded'
    when is_grade_final(former.course_offering_id, former.user_id) then 'final'
    when points > most then 'too many points'
    else 'graded'
  end;
  if outcome in ('graded', 'kept') and former.auto_graded_at is distinct from signed_at then
    update lab_submissions as one set auto_grade_json = details, auto_graded_at = signed_at
    where one.id = the_submission;
    if outcome = 'graded' then
      update lab_submissions as one
      set status = 'graded', score_obtained = points, max_score = most, grade_source = 'auto', graded_at = moment
      where one.id = the_submission returning one.* into graded;
      perform note_grade_of_submission('submission_graded', former, graded, null, null, moment, request);
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- For how long whoever claims a submission may look at it before another may.
create or replace function claim_length() returns interval language sql immutable as $$
  select interval '15 minutes'
$$;
--> statement-breakpoint
-- Gives a grader a submission for themselves, for as long as `claim_length` says, or for as long again. `refusal`:
-- 'claimed' by another, who is not through, 'own' work, 'returned', or 'final'.
create or replace function claim_submission(the_submission integer, grader integer, moment timestamptz)
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
--> statement-breakpoint
create or replace function counts_of(one lab_submissions) returns setof uncounted_changes language sql stable as $$
  select measure, o.course_id, utc_day(one.submitted_at), null::date, amount
  from course_offerings as o cross join (values
    ('labs_submitted', 1),
    ('labs_graded', (one.status = 'graded')::int),
    ('labs_scored', (one.score_obtained is not null and one.max_score <> 0)::int),
    ('lab_scores', one.score_obtained / nullif(one.max_score, 0))
  ) as counted (measure, amount)
  where o.id = one.course_offering_id and amount <> 0
$$;
--> statement-breakpoint
create or replace function counts_of(one quiz_attempts) returns setof uncounted_changes language sql stable as $$
  select measure, o.course_id, utc_day(one.submitted_at), null::date, amount
  from course_offerings as o cross join (values
    ('quizzes_submitted', 1),
    ('quizzes_passed', one.passed::int),
    ('quizzes_failed', (not one.passed)::int),
    ('quizzes_scored', (one.score_obtained is not null and one.max_score <> 0)::int),
    ('quiz_scores', one.score_obtained / nullif(one.max_score, 0))
  ) as counted (measure, amount)
  where o.id = one.course_offering_id and one.submitted_at is not null and amount <> 0
$$;
--> statement-breakpoint
-- Makes the grades of people final who have or had a place in an offering, of these or of all, at most `most` of those
-- whose grade is open; answers them. An enrollment is completed where that was all that it waited for, and one that was
-- completed by a grade that is passed no more is active again. Nobody makes a grade of their own final.
create or replace function finalize_grades(
  offering integer, people integer[], most integer, finalizer integer, why text, moment timestamptz, request jsonb
) returns table (user_id integer, passed boolean, awaiting integer) language plpgsql as $$
#variable_conflict use_column
declare
  chosen integer[];
  worth record;
  graded course_grades;
  failed integer[] := '{}';
begin
  perform hold_grades(offering);
  chosen := array(
    select one.user_id from enrollments as one
    where one.course_offering_id = offering and one.is_admitted and one.user_id <> finalizer
      and (people is null or one.user_id = any (people)) and not is_grade_final(offering, one.user_id)
    order by one.user_id limit most);
  -- All of them before the first enrollment is completed: see completion.sql.
  perform pg_advisory_xact_lock(offering, person) from unnest(chosen) as person;
  for worth in
    select total.user_id, total.awaiting, scheme.letter_scale, scheme.passing_percent,
           coalesce(former.score_override, total.final_percent, 0) as score
    from grade_totals(offering, chosen, false) as total
    cross join grading_of(offering) as scheme
    left join course_grades as former on former.course_offering_id = offering and former.user_id = total.user_id
    order by total.user_id
  loop
    insert into course_grades as one (course_offering_id, user_id, final_score, letter_grade, passed, graded_at)
    values (offering, worth.user_id, worth.score, letter_of(worth.letter_scale, worth.score),
      worth.score >= worth.passing_percent, moment)
    on conflict (user_id, course_offering_id) do update
      set final_score = excluded.final_score, letter_grade = excluded.letter_grade, passed = excluded.passed,
          graded_at = excluded.graded_at
    returning one.* into graded;
    perform note_grade_change('finalized', offering, worth.user_id, null, null, grade_of_course(graded), why, finalizer,
      moment, request);
    if not graded.passed then failed := failed || worth.user_id; end if;
    user_id := worth.user_id;
    passed := graded.passed;
    awaiting := worth.awaiting;
    return next;
  end loop;
  if exists (
    select from enrollments as one
    where one.course_offering_id = offering and one.user_id = any (failed) and one.completion_source = 'result'
  ) then
    perform keep_course(offering);
    perform from course_offerings where id = offering for no key update;
    update enrollments as one set status = 'active', completion_source = null, completed_at = null
    where one.course_offering_id = offering and one.user_id = any (failed) and one.completion_source = 'result';
  end if;
end $$;
--> statement-breakpoint
-- Whether a person's grade lets them complete an offering: where there are grades, or it is said how they are given,
-- theirs has to be final and passed.
create or replace function grade_allows(offering integer, person integer) returns boolean language sql stable as $$
  select not exists (select from course_grades where course_offering_id = offering)
      and not exists (select from grading_schemes where course_offering_id = offering)
    or exists (
      select from course_grades
      where course_offering_id = offering and user_id = person and graded_at is not null and passed
    )
$$;
--> statement-breakpoint
-- How these people stand in each of the columns: of a quiz the best attempt counts, of other work the newest that is
-- graded, scaled to the item's points, unless staff have set a score or excused the person. How many there are the
-- planner cannot know: what it joins row by row for ten people takes half a minute for five hundred.
create or replace function grade_cells(offering integer, people integer[])
returns table (user_id integer, item_id integer, score numeric, state text)
language sql stable rows 30000 set enable_nestloop = off as $$
  with item as materialized (
    select * from graded_items(offering)
  ), quizzed as (
    select one.user_id, one.content_item_id, max(one.score_obtained / nullif(one.max_score, 0)) as ratio,
           bool_or(one.submitted_at is not null and one.score_obtained is null) as waits
    from quiz_attempts as one
    where one.course_offering_id = offering and one.user_id = any (people)
    group by one.user_id, one.content_item_id
  ), worked as (
    select one.user_id, one.content_item_id,
           (array_agg(one.score_obtained / nullif(one.max_score, 0) order by one.attempt_number desc)
             filter (where one.status = 'graded'))[1] as ratio,
           (array_agg(one.status order by one.attempt_number desc))[1] as status
    from lab_submissions as one
    where one.course_offering_id = offering and one.user_id = any (people)
    group by one.user_id, one.content_item_id
  )
  select person.id, item.item_id,
         case when own.is_excused then null
              else coalesce(own.score_override, round(coalesce(quizzed.ratio, worked.ratio) * item.max_points, 2)) end,
         case when own.is_excused then 'excused'
              when own.score_override is not null then 'overridden'
              when coalesce(quizzed.ratio, worked.ratio) is not null then 'graded'
              when quizzed.waits then 'submitted'
              else coalesce(worked.status, 'none') end
  from unnest(people) as person (id)
  cross join item
  left join item_grades as own
    on own.course_offering_id = offering and own.content_item_id = item.item_id and own.user_id = person.id
  left join quizzed on quizzed.user_id = person.id and quizzed.content_item_id = item.item_id
  left join worked on worked.user_id = person.id and worked.content_item_id = item.item_id
$$;
--> statement-breakpoint
create or replace function grade_of_course(own course_grades) returns jsonb language sql immutable as $$
  select case when own.graded_at is not null then
    jsonb_build_object('score', own.final_score, 'letter', own.letter_grade, 'passed', own.passed) end
$$;
--> statement-breakpoint
-- What staff put in a cell of the gradebook, as a change tells of it.
create or replace function grade_of_item(own item_grades) returns jsonb language sql immutable as $$
  select case when own.is_excused or own.score_override is not null then
    jsonb_build_object('score', own.score_override, 'is_excused', own.is_excused) end
$$;
--> statement-breakpoint
-- What a change of a submission's grade tells of it.
create or replace function grade_of_submission(submission lab_submissions) returns jsonb language sql immutable as $$
  select case when submission.status <> 'submitted' then jsonb_build_object(
    'submission_id', submission.id, 'status', submission.status, 'score', submission.score_obtained,
    'max_score', submission.max_score, 'source', submission.grade_source) end
$$;
--> statement-breakpoint
-- Grades a submission by hand, over whatever grade it has; whose claim it was ends. `refusal` as for a claim, or 'too
-- many points' for more than the item gives.
create or replace function grade_submission(
  the_submission integer, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
  most numeric;
begin
  if former.id is null then return; end if;
  select max_points into most from work_rules(former.content_item_id, former.course_offering_id, former.user_id);
  submission := former;
  refusal := coalesce(refusal_to_grade(former, grader, moment), case when points > most then 'too many points' end);
  if refusal is null then
    update lab_submissions as one
    set status = 'graded', score_obtained = points, max_score = most, instructor_feedback = feedback,
        grade_source = 'hand', graded_at = moment, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_graded', former, submission, why, grader, moment, request);
  end if;
  return next;
end $$;
--> statement-breakpoint
-- What follows for the course, in percent: of what is graded so far, and with nothing for what is not. A group is worth
-- the part of its points that was earned, and groups count by their weights, those in which something counts. How many
-- items wait for a grade. With `released_alone`, of nothing but what learners may see.
create or replace function grade_totals(offering integer, people integer[], released_alone boolean)
returns table (user_id integer, current_percent numeric, final_percent numeric, awaiting integer)
language sql stable as $$
  with cell as (
    select one.*, item.max_points, item.weight, coalesce(item.group_name, '') as group_name
    from grade_cells(offering, people) as one join graded_items(offering) as item using (item_id)
    where not released_alone or item.released
  ), grouped as (
    select cell.user_id, weight,
           sum(score) / nullif(sum(max_points) filter (where score is not null), 0) as so_far,
           coalesce(sum(score), 0) / nullif(sum(max_points) filter (where state <> 'excused'), 0) as in_all
    from cell where weight is not null group by cell.user_id, group_name, weight
  ), total as (
    select grouped.user_id,
           sum(weight * so_far) / nullif(sum(weight) filter (where so_far is not null), 0) as so_far,
           sum(weight * in_all) / nullif(sum(weight) filter (where in_all is not null), 0) as in_all
    from grouped group by grouped.user_id
  ), waiting as (
    select cell.user_id, count(*)::int as items from cell where state = 'submitted' group by cell.user_id
  )
  select person.id, clamped(round(total.so_far * 100, 2), 0, 9999.99), clamped(round(total.in_all * 100, 2), 0, 9999.99),
         coalesce(waiting.items, 0)
  from unnest(people) as person (id)
  left join total on total.user_id = person.id
  left join waiting on waiting.user_id = person.id
$$;
--> statement-breakpoint
-- The columns of an offering's gradebook, in the order of the course: its published items that take a result. `weight`
-- is that of the item's group, 1 for all where there are no groups, and null for an item that is in none of them.
create or replace function graded_items(offering integer)
returns table (
  item_id integer, title text, content_type text, max_points numeric, due_at timestamptz, group_name text,
  weight numeric, released boolean, place integer
) language sql stable as $$
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
         (row_number() over (order by way.place || item.sequence_index, item.id))::int
  from counted
  join way on way.module_id = counted.module_id and way.parent_module_id is null
  join content_items as item on item.id = counted.item_id
  join content_types as type on type.id = item.content_type_id
  left join grouped on grouped.id = item.id
$$;
--> statement-breakpoint
-- How an offering is graded: by what it says, or else as most are.
create or replace function grading_of(offering integer)
returns table (
  is_graded boolean, letter_scale jsonb, passing_percent numeric, groups jsonb, release_mode text
) language sql stable as $$
  select own.course_offering_id is not null,
         coalesce(own.letter_scale, '[{"letter": "A", "min_percent": 90}, {"letter": "B", "min_percent": 80},
           {"letter": "C", "min_percent": 70}, {"letter": "D", "min_percent": 60}, {"letter": "F", "min_percent": 0}]'),
         coalesce(own.passing_percent, 60), coalesce(own.groups, '[]'), coalesce(own.release_mode, 'manual')
  from (select) as one left join grading_schemes as own on own.course_offering_id = offering
$$;
--> statement-breakpoint
create or replace function hold_grades(offering integer) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('grades of an offering', offering))
$$;
--> statement-breakpoint
-- Takes a submission for a change of its grade: first the grades of its offering, then itself.
create or replace function hold_submission(the_submission integer) returns lab_submissions language plpgsql as $$
declare
  held lab_submissions;
begin
  perform keep_grades(course_offering_id) from lab_submissions where id = the_submission;
  select * into held from lab_submissions where id = the_submission for update;
  return held;
end $$;
--> statement-breakpoint
create or replace function is_grade_final(offering integer, person integer) returns boolean language sql stable as $$
  select exists (
    select from course_grades where course_offering_id = offering and user_id = person and graded_at is not null)
$$;
--> statement-breakpoint
-- Whether the learners of an offering see their grades in an item.
create or replace function is_grade_released(offering integer, item integer) returns boolean language sql stable as $$
  select exists (select from grading_schemes where course_offering_id = offering and release_mode = 'automatic')
    or exists (select from grade_releases where course_offering_id = offering and content_item_id = item)
$$;
--> statement-breakpoint
-- Whether a score that staff set is a result: any of a lab or an assignment, and of a quiz one with which it is passed.
create or replace function is_set_as_passed(own item_grades) returns boolean language sql stable as $$
  select own.score_override is not null and (type.name <> 'quiz' or own.score_override * 100
    >= coalesce(clamped(json_number(item.data_json -> 'passing_percent'), 0, 100), 60) * points_of_item(type.name, item.data_json))
  from content_items as item join content_types as type on type.id = item.content_type_id
  where item.id = own.content_item_id
$$;
--> statement-breakpoint
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
--> statement-breakpoint
-- The active items that they have not completed, in modules that are published with all above them, but for those whose
-- newest work waits for its grade. `place` is an item's way through the tree, so that the first by it is the next. It is
-- due when the person is granted or else when it, or else the nearest module above it that says so, is. `is_open`: neither
-- it nor a module above it is locked at that moment. It starts from the items, so that it costs what there is to do,
-- however large the tree is.
create or replace function items_to_do(offering integer, person integer, moment timestamptz)
returns table (item_id integer, module_id integer, place integer[], due_at timestamptz, is_open boolean)
language sql stable as $$
  with recursive left_over as materialized (
    select item.id, item.module_id, item.sequence_index, item.due_at, item.available_from, item.course_id
    from course_offerings as run
    join courses as course on course.id = run.course_id and course.is_published
    join content_items as item on item.course_id = run.course_id and item.is_active
    where run.id = offering and not exists (
      select from user_content_progress as mine
      where mine.user_id = person and mine.course_offering_id = run.id and mine.content_item_id = item.id
        and mine.completed_at is not null
    ) and not exists (
      select from lab_submissions as work
      where work.user_id = person and work.course_offering_id = run.id and work.content_item_id = item.id
        and work.status = 'submitted' and not exists (
          select from lab_submissions as newer
          where newer.user_id = person and newer.course_offering_id = run.id and newer.content_item_id = item.id
            and newer.attempt_number > work.attempt_number)
    )
  ), way (module_id, parent_module_id, place, due_at, available_from, required) as (
    select m.id, m.parent_module_id, array[m.sequence_index], m.due_at, m.available_from, m.requires_module_ids
    from (select distinct left_over.module_id from left_over) as own
    cross join lateral (select one.* from modules as one where one.id = own.module_id offset 0) as m
    where m.is_published
    union all
    select way.module_id, above.parent_module_id, above.sequence_index || way.place,
           coalesce(way.due_at, above.due_at), greatest(way.available_from, above.available_from),
           way.required || above.requires_module_ids
    from way
    cross join lateral (select one.* from modules as one where one.id = way.parent_module_id offset 0) as above
    where above.is_published
  ), whole as materialized (
    select * from way where way.parent_module_id is null
  ), asked (course_id, unmet) as materialized (
    select run.course_id, case when exists (select from whole where whole.required <> '{}')
      then unmet_modules(person, run.course_id, array(select distinct unnest(whole.required) from whole)) else '{}' end
    from course_offerings as run where run.id = offering
  )
  select left_over.id, left_over.module_id, whole.place || left_over.sequence_index,
         coalesce(granted.due_at, left_over.due_at, whole.due_at),
         not coalesce(greatest(left_over.available_from, whole.available_from) > moment, false)
           and not whole.required && asked.unmet
  from left_over join whole on whole.module_id = left_over.module_id cross join asked
  left join quiz_overrides as granted on granted.course_offering_id = offering
    and granted.content_item_id = left_over.id and granted.user_id = person
$$;
--> statement-breakpoint
create or replace function keep_grade_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - 'changed_by_user_id' = to_jsonb(old) - 'changed_by_user_id'
     and new.changed_by_user_id is null then
    return new;
  end if;
  raise exception 'changes of grades are not changed' using errcode = 'insufficient_privilege';
end $$;
--> statement-breakpoint
create or replace function keep_grades(offering integer) returns void language sql as $$
  select pg_advisory_xact_lock_shared(hashtextextended('grades of an offering', offering))
$$;
--> statement-breakpoint
create or replace function letter_of(scale jsonb, percent numeric) returns text language sql immutable as $$
  select letter from jsonb_to_recordset(scale) as one (letter text, min_percent numeric)
  where min_percent <= percent order by min_percent desc limit 1
$$;
--> statement-breakpoint
-- Notes a change of a grade, which nobody changes any more, and tells the audit log.
create or replace function note_grade_change(
  the_kind text, offering integer, person integer, item integer, former jsonb, present jsonb, why text, changer integer,
  moment timestamptz, request jsonb
) returns void language plpgsql as $$
declare
  noted bigint;
begin
  insert into grade_changes
    (kind, course_offering_id, user_id, content_item_id, former_json, current_json, reason, changed_by_user_id, changed_at)
  values (the_kind, offering, person, item, former, present, why, changer, moment) returning id into noted;
  perform audit('grade.changed', changer, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
    'kind', the_kind, 'grade_change_id', noted, 'course_offering_id', offering, 'content_item_id', item)), request)
  from course_offerings as run where run.id = offering;
end $$;
--> statement-breakpoint
-- The same of a submission, where its grade is another one.
create or replace function note_grade_of_submission(
  the_kind text, former lab_submissions, present lab_submissions, why text, changer integer, moment timestamptz,
  request jsonb
) returns void language sql as $$
  select note_grade_change(the_kind, present.course_offering_id, present.user_id, present.content_item_id,
    grade_of_submission(former), grade_of_submission(present), why, changer, moment, request)
  where grade_of_submission(former) is distinct from grade_of_submission(present)
$$;
--> statement-breakpoint
-- A quiz that is graded anew may change a grade without anyone's word on it: the regrade is in the audit log.
create or replace function note_quiz_regrade() returns trigger language plpgsql as $$
begin
  insert into grade_changes
    (kind, course_offering_id, user_id, content_item_id, former_json, current_json, changed_at)
  values ('quiz_regraded', new.course_offering_id, new.user_id, new.content_item_id,
    jsonb_build_object('quiz_attempt_id', old.id, 'score', old.score_obtained, 'max_score', old.max_score),
    jsonb_build_object('quiz_attempt_id', new.id, 'score', new.score_obtained, 'max_score', new.max_score), now());
  return null;
end $$;
--> statement-breakpoint
-- What an item is worth: the points that it gives, or 100.
create or replace function points_of_item(content_type text, data jsonb) returns numeric language sql immutable as $$
  select coalesce(clamped(case content_type
    when 'quiz' then json_number(data #> '{mastery,points}')
    else coalesce(json_number(data #> '{grading,max_points}'), json_number(data -> 'max_points')) end, 0, 9999.99), 100)
$$;
--> statement-breakpoint
-- Why a grader may not grade a submission at that moment; null when they may.
create or replace function refusal_to_grade(submission lab_submissions, grader integer, moment timestamptz)
returns text language sql stable as $$
  select case
    when submission.user_id = grader then 'own'
    when is_grade_final(submission.course_offering_id, submission.user_id) then 'final'
    when submission.status = 'returned' then 'returned'
    when submission.claimed_by_user_id <> grader and submission.claimed_until > moment then 'claimed'
  end
$$;
--> statement-breakpoint
-- Lets the learners of an offering see their grades in these items or in all, or no more; answers in how many that is new.
create or replace function release_grades(
  offering integer, items integer[], shows boolean, releaser integer, moment timestamptz, request jsonb
) returns integer language plpgsql as $$
declare
  changed integer[];
begin
  if shows then
    with added as (
      insert into grade_releases (course_offering_id, content_item_id, released_at)
      select offering, item_id, moment from graded_items(offering) where items is null or item_id = any (items)
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
  if changed is not null then
    perform audit('grades.released', releaser, null, run.university_id, jsonb_build_object(
      'course_offering_id', offering, 'content_item_ids', changed, 'released', shows), request)
    from course_offerings as run where run.id = offering;
  end if;
  return coalesce(cardinality(changed), 0);
end $$;
--> statement-breakpoint
-- Takes back how an offering is graded: it is graded as most are, and completed without a grade, by the next thing that
-- is done in it. Answers why not: 'none', where nothing was set, or 'final', while a grade is.
create or replace function remove_grading_scheme(offering integer, remover integer, request jsonb) returns text
language plpgsql as $$
begin
  perform hold_grades(offering);
  if exists (select from course_grades where course_offering_id = offering and graded_at is not null) then
    return 'final';
  end if;
  delete from grading_schemes where course_offering_id = offering;
  if not found then return 'none'; end if;
  perform audit('grading_scheme.changed', remover, null, run.university_id,
    jsonb_build_object('course_offering_id', offering, 'removed', true), request)
  from course_offerings as run where run.id = offering;
  return null;
end $$;
--> statement-breakpoint
-- Opens final grades again, of these people or of all; answers whose. What was completed stays so until the grade is
-- final again.
create or replace function reopen_grades(
  offering integer, people integer[], reopener integer, why text, moment timestamptz, request jsonb
) returns setof integer language plpgsql as $$
declare
  former course_grades;
begin
  perform hold_grades(offering);
  for former in
    select * from course_grades
    where course_offering_id = offering and graded_at is not null and user_id <> reopener
      and (people is null or user_id = any (people))
    order by user_id for update
  loop
    update course_grades set final_score = null, letter_grade = null, passed = null, graded_at = null
    where id = former.id;
    perform note_grade_change('reopened', offering, former.user_id, null, grade_of_course(former), null, why, reopener,
      moment, request);
    return next former.user_id;
  end loop;
end $$;
--> statement-breakpoint
-- When a result completed an item, of a type that takes one: the first quiz that was passed, the first graded work, or
-- when staff set a score that passes, or excused the person. Null without. Here, and in the triggers `take_result`, is all
-- that completion knows of assessments.
create or replace function result_moment(offering integer, person integer, item integer) returns timestamptz
language sql stable as $$
  select min(submitted_at) from (
    select submitted_at from quiz_attempts
    where user_id = person and course_offering_id = offering and content_item_id = item and passed
    union all
    select submitted_at from lab_submissions
    where user_id = person and course_offering_id = offering and content_item_id = item and status = 'graded'
    union all
    select updated_at from item_grades as own
    where own.user_id = person and own.course_offering_id = offering and own.content_item_id = item
      and (own.is_excused or is_set_as_passed(own))
  ) as result
$$;
--> statement-breakpoint
-- Gives a submission back for another attempt; a grade that it had is taken back. What is returned stays so. `refusal`
-- as for a claim.
create or replace function return_submission(
  the_submission integer, grader integer, feedback text, moment timestamptz, request jsonb
) returns table (refusal text, submission lab_submissions) language plpgsql as $$
declare
  former lab_submissions := hold_submission(the_submission);
begin
  if former.id is null then return; end if;
  submission := former;
  refusal := nullif(refusal_to_grade(former, grader, moment), 'returned');
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
--> statement-breakpoint
-- Sets the percentage of the course in place of what follows from the items; null takes it back. `refusal`: 'not
-- enrolled', 'own' or 'final'.
create or replace function set_course_grade(
  offering integer, person integer, score numeric, grader integer, why text, moment timestamptz, request jsonb
) returns table (refusal text) language plpgsql as $$
declare
  former numeric;
begin
  perform hold_grades(offering);
  refusal := case
    when not exists (select from enrollments where course_offering_id = offering and user_id = person) then 'not enrolled'
    when person = grader then 'own'
    when is_grade_final(offering, person) then 'final'
  end;
  if refusal is null then
    select score_override into former from course_grades where course_offering_id = offering and user_id = person;
    if former is distinct from score then
      insert into course_grades as one (course_offering_id, user_id, score_override) values (offering, person, score)
      on conflict (user_id, course_offering_id) do update set score_override = excluded.score_override;
      perform note_grade_change('course_set', offering, person, null, jsonb_build_object('score', former),
        jsonb_build_object('score', score), why, grader, moment, request);
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Sets how an offering is graded, and answers it; what `given` leaves out stays as it was, or as most are graded. Final
-- grades stay. `missing` is an item of a group that the course does not have, and then nothing is set.
create or replace function set_grading_scheme(
  offering integer, given jsonb, setter integer, moment timestamptz, request jsonb
) returns table (missing integer, scheme grading_schemes) language plpgsql as $$
begin
  select named.id::int into missing
  from jsonb_array_elements(given -> 'groups') as one, jsonb_array_elements_text(one -> 'content_item_ids') as named (id)
  where not exists (
    select from content_items as item join course_offerings as run on run.course_id = item.course_id
    join content_types as type on type.id = item.content_type_id and completes_by_result(type.name)
    where run.id = offering and item.id = named.id::int)
  order by named.id::int limit 1;
  if missing is null then
    perform hold_grades(offering);
    insert into grading_schemes as one
      (course_offering_id, letter_scale, passing_percent, groups, release_mode, created_at, updated_at)
    select offering, coalesce(given -> 'letter_scale', usual.letter_scale),
           coalesce((given ->> 'passing_percent')::numeric, usual.passing_percent), coalesce(given -> 'groups', usual.groups),
           coalesce(given ->> 'release_mode', usual.release_mode), moment, moment
    from grading_of(offering) as usual
    on conflict (course_offering_id) do update
      set letter_scale = excluded.letter_scale, passing_percent = excluded.passing_percent, groups = excluded.groups,
          release_mode = excluded.release_mode, updated_at = excluded.updated_at
    returning one.* into scheme;
    perform audit('grading_scheme.changed', setter, null, run.university_id,
      jsonb_build_object('course_offering_id', offering), request)
    from course_offerings as run where run.id = offering;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Sets scores in place of what people achieved in items, or excuses them; neither takes back what was set. `entries` are
-- `[{"user_id", "content_item_id", "score", "is_excused"}, …]`, each person and item once. With `as_shown` a score that
-- the gradebook shows already changes nothing, and with `dry` nothing is written. Answers each in its order, with what
-- the gradebook showed. `refusal`: 'no item', 'not enrolled', 'own', 'final', or 'too many' for what comes after as many
-- changes as are made in a few seconds.
create or replace function set_item_grades(
  offering integer, entries jsonb, as_shown boolean, grader integer, why text, dry boolean, moment timestamptz,
  request jsonb
) returns table (
  number integer, refusal text, is_changed boolean, former_score numeric, former_state text
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
           jsonb_to_record(one.value) as given (user_id integer, content_item_id integer, score numeric, is_excused boolean)
    ), item as materialized (
      select item_id from graded_items(offering)
    ), cell as materialized (
      select * from grade_cells(offering, array(
        select user_id from enrollments
        where course_offering_id = offering and user_id in (select user_id from entry)))
    ), judged as materialized (
      select entry.*, own as former, cell.score as shown_score, cell.state as shown_state,
             case when item.item_id is null then 'no item'
                  when cell.user_id is null then 'not enrolled'
                  when entry.user_id = grader then 'own'
                  when is_grade_final(offering, entry.user_id) then 'final' end as refusal,
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
      select judged.number, user_id, content_item_id, score, judged.is_excused, former, shown_score, shown_state,
             is_changed, case when refusal is null and is_changed
               and row_number() over (partition by refusal is null and is_changed order by judged.number) > 2000
               then 'too many' else refusal end as refusal
      from judged
    ), written as (
      insert into item_grades as one
        (user_id, course_offering_id, content_item_id, score_override, is_excused, updated_at)
      select user_id, offering, content_item_id, score, is_excused, moment
      from chosen where refusal is null and is_changed and not dry order by user_id, content_item_id
      on conflict on constraint item_grades_person_unique do update
        set score_override = excluded.score_override, is_excused = excluded.is_excused, updated_at = excluded.updated_at
      returning one.*
    ), noted as (
      select note_grade_change('item_set', offering, chosen.user_id, chosen.content_item_id, grade_of_item(chosen.former),
        grade_of_item(written), why, grader, moment, request)
      from chosen join written using (user_id, content_item_id)
    )
    select chosen.number, chosen.refusal, chosen.is_changed and chosen.refusal is null, chosen.shown_score,
           chosen.shown_state
    from chosen cross join (select count(*) from noted) as done order by chosen.number;
end $$;
--> statement-breakpoint
-- Starts a person's next attempt at a quiz, or answers the one that is open. Its questions are drawn once, and with
-- them the order of everything. `refusal` says why there is none: one of `gate_of_item` (outline.sql),
-- 'not enrolled', 'closed', 'no attempt left' or 'no questions'.
create or replace function start_quiz_attempt(
  person integer, offering integer, item integer, moment timestamptz, today date
) returns table (refusal text, is_new boolean, attempt jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  mine quiz_attempts;
begin
  is_new := false;
  select * into rules from quiz_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_item(item, person, moment) is not null then gate_of_item(item, person, moment)
    when not exists (
      select from enrollments
      where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
  end;
  while refusal is null and not is_new loop
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
      when (
        -- One that is open by now is met by the insert.
        select count(*) from quiz_attempts
        where user_id = person and course_offering_id = offering and content_item_id = item
          and submitted_at is not null
      ) >= rules.most_attempts then 'no attempt left'
      when not exists (
        select from questions where question_pool_id = rules.question_pool_id and is_active
      ) then 'no questions'
    end;
    if refusal is null then
      insert into quiz_attempts (
        user_id, course_offering_id, content_item_id, attempt_number, is_exam, started_at, due_at, passing_percent,
        correct_in_row)
      select person, offering, item, coalesce(max(attempt_number), 0) + 1, rules.is_exam, moment,
             least(moment + rules.time_limit, rules.closes_at), rules.passing_percent, rules.correct_in_row
      from quiz_attempts where user_id = person and course_offering_id = offering and content_item_id = item
      -- As many as were counted above, or another has been taken since.
      having coalesce(count(*) < rules.most_attempts, true)
      -- Another start came first: what it left is looked at.
      on conflict do nothing returning * into mine;
      is_new := found;
    end if;
  end loop;
  if refusal is not null then
    return next;
    return;
  end if;

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
  perform record_activity(person, 'attempted', 'content_item', item, rules.university_id, item, offering, moment, today);
  attempt := quiz_attempt_with_keys(mine, moment);
  return next;
end $$;
--> statement-breakpoint
-- Hands in a person's next attempt. The same again, while it waits for its grade, is answered as it is. `refusal` says
-- why there is none: one of `gate_of_item` (outline.sql), 'not enrolled', 'final', 'closed' or 'no attempt left'. What
-- was returned is no attempt that counts.
create or replace function submit_work(
  person integer, offering integer, item integer, given jsonb, moment timestamptz, today date
) returns table (refusal text, is_new boolean, submission lab_submissions) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  work record;
begin
  is_new := false;
  select * into rules from work_rules(item, offering, person);
  refusal := case
    when not found then 'hidden'
    when gate_of_item(item, person, moment) is not null then gate_of_item(item, person, moment)
    when not exists (
      select from enrollments where user_id = person and course_offering_id = offering and is_admitted
    ) then 'not enrolled'
    when is_grade_final(offering, person) then 'final'
  end;
  select * into work from jsonb_to_record(given) as one (body text, links text[], data_json jsonb, artifacts_url text);
  while refusal is null and not is_new loop
    select one.* into submission from lab_submissions as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
    order by one.attempt_number desc limit 1;
    if submission.status = 'submitted' and (submission.body, submission.links, submission.data_json, submission.artifacts_url)
         is not distinct from (work.body, work.links, work.data_json, work.artifacts_url::varchar) then
      return next;
      return;
    end if;
    refusal := case
      when not rules.takes_late and moment > rules.due_at then 'closed'
      when (
        select count(*) from lab_submissions
        where user_id = person and course_offering_id = offering and content_item_id = item and status <> 'returned'
      ) >= rules.most_attempts then 'no attempt left'
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
    perform record_activity(
      person, 'submitted', 'content_item', item, rules.university_id, item, offering, moment, today);
  else
    submission := null;
  end if;
  return next;
end $$;
--> statement-breakpoint
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
--> statement-breakpoint
create or replace trigger keep_grade_changes before update on grade_changes
  for each row execute function keep_grade_changes();
--> statement-breakpoint
create or replace trigger note_quiz_regrade after update of score_obtained, max_score on quiz_attempts
  for each row when (old.score_obtained is not null and (old.score_obtained, old.max_score)
    is distinct from (new.score_obtained, new.max_score)) execute function note_quiz_regrade();
--> statement-breakpoint
create or replace trigger take_result after insert or update of score_override, is_excused on item_grades
  for each row execute function take_result();
--> statement-breakpoint
set local check_function_bodies = on;
--> statement-breakpoint
-- What was counted of no course counts for its own too.
INSERT INTO "uncounted_changes"
SELECT "counted".* FROM "quiz_attempts" AS "one", counts_of("one") AS "counted"
UNION ALL
SELECT "counted".* FROM "lab_submissions" AS "one", counts_of("one") AS "counted";
--> statement-breakpoint
INSERT INTO "uncounted_changes"
SELECT "measure", NULL::integer, "day", "since", -"amount" FROM "quiz_attempts" AS "one", counts_of("one")
UNION ALL
SELECT "measure", NULL::integer, "day", "since", -"amount" FROM "lab_submissions" AS "one", counts_of("one");
