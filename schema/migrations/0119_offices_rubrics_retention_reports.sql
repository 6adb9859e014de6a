set local check_function_bodies = off;
--> statement-breakpoint
drop function are_answers_behind();
--> statement-breakpoint
drop function begin_warming(integer,integer,text,text,text,text,integer,integer,integer,jsonb,boolean);
--> statement-breakpoint
drop function course_trees_of(integer);
--> statement-breakpoint
drop function grade_submission(bigint,integer,numeric,text,text,timestamp with time zone,jsonb,bigint[]);
--> statement-breakpoint
drop function passages_without_vector(text,timestamp with time zone,integer);
--> statement-breakpoint
drop function uncounted_answers();
--> statement-breakpoint
CREATE TABLE "retention_archives" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "retention_archives_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"run_id" integer NOT NULL,
	"kind" text NOT NULL,
	"rows" integer NOT NULL,
	"object_id" bigint NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "retention_archives_kind_check" CHECK ("retention_archives"."kind" in ('activity_events', 'conversations', 'llm_calls', 'audit_events', 'notifications', 'submissions', 'grades'))
);
--> statement-breakpoint
CREATE TABLE "retention_holds" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "retention_holds_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"user_id" integer,
	"course_offering_id" integer,
	"reason" text NOT NULL,
	"held_until" date,
	"placed_by_user_id" integer,
	"placed_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "retention_holds_one_check" CHECK (num_nonnulls("retention_holds"."user_id", "retention_holds"."course_offering_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "retention_periods" (
	"university_id" integer NOT NULL,
	"kind" text NOT NULL,
	"days" integer NOT NULL,
	"set_at" timestamp (3) with time zone NOT NULL,
	"counted_at" timestamp (3) with time zone,
	CONSTRAINT "retention_periods_university_id_kind_pk" PRIMARY KEY("university_id","kind"),
	CONSTRAINT "retention_periods_kind_check" CHECK ("retention_periods"."kind" in ('activity_events', 'conversations', 'llm_calls', 'audit_events', 'notifications', 'submissions', 'grades')),
	CONSTRAINT "retention_periods_days_check" CHECK ("retention_periods"."days" between 1 and 36500)
);
--> statement-breakpoint
CREATE TABLE "retention_policies" (
	"university_id" integer PRIMARY KEY NOT NULL,
	"archive_days" integer NOT NULL,
	"forgotten_change" bigint,
	"forgotten_event" bigint
);
--> statement-breakpoint
CREATE TABLE "retention_runs" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "retention_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"forgotten" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"part" varchar(64) NOT NULL,
	"reached_container" bigint DEFAULT 0 NOT NULL,
	"reached_row" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "scim_requests" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "scim_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"api_key_id" integer NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	"method" varchar(16) NOT NULL,
	"path" varchar(128) NOT NULL,
	"status" integer NOT NULL,
	"scim_type" varchar(32),
	"detail" varchar(255),
	"request_id" varchar(128) NOT NULL,
	CONSTRAINT "scim_requests_university_id_asked_at_request_id_unique" UNIQUE("university_id","asked_at","request_id")
);
--> statement-breakpoint
CREATE TABLE "tree_totals" (
	"course_id" integer NOT NULL,
	"is_month" boolean NOT NULL,
	"day" date NOT NULL,
	"completed" integer NOT NULL,
	"interrupted" integer NOT NULL,
	CONSTRAINT "tree_totals_course_id_is_month_day_pk" PRIMARY KEY("course_id","is_month","day")
);
--> statement-breakpoint
ALTER TABLE "university_offices" DROP CONSTRAINT "university_offices_office_right_check";
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "grading_schemes" ADD COLUMN "drop_lowest" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "grading_schemes" ADD COLUMN "late_percent_per_day" numeric(5, 2);
--> statement-breakpoint
ALTER TABLE "grading_schemes" ADD COLUMN "max_late_days" integer;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "group_id" integer;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "group_work" uuid;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "graded_alone" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD COLUMN "rubric" jsonb;
--> statement-breakpoint
ALTER TABLE "offering_staff" ADD COLUMN "removed_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "saml_providers" ADD COLUMN "second_certificate" text;
--> statement-breakpoint
ALTER TABLE "saml_providers" ADD COLUMN "second_secret_ciphertext" text;
--> statement-breakpoint
ALTER TABLE "warmings" ADD COLUMN "estimated_batch_input_tokens" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "warmings" ADD COLUMN "estimated_batch_output_tokens" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "retention_archives" ADD CONSTRAINT "retention_archives_run_id_retention_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."retention_runs"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "retention_archives" ADD CONSTRAINT "retention_archives_object_id_stored_objects_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."stored_objects"("id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "retention_archives" ADD CONSTRAINT "retention_archives_policy_fk" FOREIGN KEY ("university_id") REFERENCES "public"."retention_policies"("university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "retention_holds" ADD CONSTRAINT "retention_holds_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "retention_holds" ADD CONSTRAINT "retention_holds_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "retention_holds" ADD CONSTRAINT "retention_holds_placed_by_user_id_users_id_fk" FOREIGN KEY ("placed_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "retention_holds" ADD CONSTRAINT "retention_holds_policy_fk" FOREIGN KEY ("university_id") REFERENCES "public"."retention_policies"("university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "retention_periods" ADD CONSTRAINT "retention_periods_policy_fk" FOREIGN KEY ("university_id") REFERENCES "public"."retention_policies"("university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "retention_policies" ADD CONSTRAINT "retention_policies_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "retention_runs" ADD CONSTRAINT "retention_runs_policy_fk" FOREIGN KEY ("university_id") REFERENCES "public"."retention_policies"("university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "scim_requests" ADD CONSTRAINT "scim_requests_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "scim_requests" ADD CONSTRAINT "scim_requests_api_key_id_api_keys_id_fk" FOREIGN KEY ("api_key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "retention_archives_university_id_index" ON "retention_archives" USING btree ("university_id");
--> statement-breakpoint
CREATE INDEX "retention_archives_run_id_index" ON "retention_archives" USING btree ("run_id");
--> statement-breakpoint
CREATE INDEX "retention_archives_object_id_index" ON "retention_archives" USING btree ("object_id");
--> statement-breakpoint
CREATE INDEX "retention_archives_ends_at_index" ON "retention_archives" USING btree ("ends_at");
--> statement-breakpoint
CREATE INDEX "retention_holds_university_id_id_index" ON "retention_holds" USING btree ("university_id","id");
--> statement-breakpoint
CREATE INDEX "retention_holds_user_id_index" ON "retention_holds" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "retention_holds_course_offering_id_index" ON "retention_holds" USING btree ("course_offering_id");
--> statement-breakpoint
CREATE INDEX "retention_holds_placed_by_user_id_index" ON "retention_holds" USING btree ("placed_by_user_id");
--> statement-breakpoint
CREATE INDEX "retention_runs_university_id_id_index" ON "retention_runs" USING btree ("university_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "retention_runs_open_unique" ON "retention_runs" USING btree ("university_id") WHERE "retention_runs"."ended_at" is null;
--> statement-breakpoint
CREATE INDEX "scim_requests_api_key_id_index" ON "scim_requests" USING btree ("api_key_id");
--> statement-breakpoint
CREATE INDEX "scim_requests_asked_at_index" ON "scim_requests" USING btree ("asked_at");
--> statement-breakpoint
CREATE INDEX "tree_totals_is_month_day_index" ON "tree_totals" USING btree ("is_month","day");
--> statement-breakpoint
ALTER TABLE "lab_submissions" ADD CONSTRAINT "lab_submissions_group_id_offering_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."offering_groups"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "identity_providers_issuer_index" ON "identity_providers" USING btree ("issuer");
--> statement-breakpoint
CREATE INDEX "lti_links_line_item_url_index" ON "lti_links" USING btree ("line_item_url");
--> statement-breakpoint
ALTER TABLE "university_offices" ADD CONSTRAINT "university_offices_office_right_check" CHECK ("university_offices"."office_right" in ('accommodation:write', 'retention:write'));
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'api_key.created', 'api_key.revoked', 'api_key.adopted', 'scim_user.created', 'scim_user.deleted', 'scim_group.mapped', 'office.granted', 'office.revoked', 'accommodation.granted', 'accommodation.withdrawn', 'person.read', 'retention.set', 'retention.counted', 'retention.held', 'retention.released', 'retention.forgotten', 'group.created', 'group.changed', 'group.deleted', 'group.member_added', 'group.member_removed', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'lti_platform.created', 'lti_platform.changed', 'lti_platform.removed', 'lti_deployment.admitted', 'lti_deployment.removed', 'lti_context.bound', 'lti_context.unbound', 'lti_person.linked', 'lti_person.unlinked', 'offering_staff.named', 'offering_staff.removed', 'offering_staff.readmitted', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'member.corrected', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'prompt.rollout_started', 'prompt.rollout_promoted', 'prompt.rollout_stopped', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'tutor_progress.read', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused', 'lti_roster.taken'));
--> statement-breakpoint
ALTER TABLE "saml_providers" ADD CONSTRAINT "saml_providers_second_certificate_check" CHECK ((second_certificate is null) = (second_secret_ciphertext is null));
--> statement-breakpoint
-- The same of answers that are not counted yet: at one university by what was asked there, or of all without one.
create or replace function are_answers_behind(university integer) returns boolean
language sql stable parallel safe set enable_seqscan = off as $$
  select case when university is null then
    exists (select from chat_messages where created_at >= (select counted_until()) offset 100000)
  else exists (
    select from activity_events
    where university_id = university and verb = 'asked' and occurred_at >= (select counted_until()) offset 100000
  ) end
$$;
--> statement-breakpoint
-- Takes what an item's own grader says of one submission, at the moment at which it signed that. `outcome`: 'graded';
-- 'kept', where a person has graded it or it was returned; 'superseded', where a later word came before; or 'final',
-- where what is graded stays, 'too many points', 'renewed', where the secret has another version by now, or 'own'
-- for the work of someone who has read the secret and could have signed it. The same word again has the same outcome. No
-- row: it is gone.
create or replace function auto_grade_one_submission(
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
--> statement-breakpoint
-- The same, and of work that was handed in for a group all of it: what one's own grader says of one it says of all.
create or replace function auto_grade_submission(
  the_submission bigint, points numeric, details jsonb, signed_at timestamptz, signed_with integer, moment timestamptz,
  request jsonb
) returns table (outcome text, bound jsonb) language plpgsql as $$
begin
  select one.outcome, one.bound into outcome, bound
  from auto_grade_one_submission(the_submission, points, details, signed_at, signed_with, moment, request) as one;
  if outcome is null then return; end if;
  if outcome = 'graded' then
    perform auto_grade_one_submission(mate.id, points, details, signed_at, signed_with, moment, request)
    from (
      select one.id from lab_submissions as one, lab_submissions as named
      where named.id = the_submission and one.group_work = named.group_work and one.id <> named.id order by one.id
    ) as mate;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Begins a warming, audited, with what it is expected to use: `system_tokens` is what a call is told beside the path. Levels of
-- `least_of_batch` answers or more go as batches; null for none. Answers its report; null where one of the item is under way.
create or replace function begin_warming(
  the_item integer, the_prompt integer, the_model text, the_prompt_fingerprint text, the_key text, the_former_key text,
  most integer, system_tokens integer, editor integer, request jsonb, least_of_batch integer
) returns json language plpgsql as $$
declare
  begun warmings;
begin
  insert into warmings (
    content_item_id, prompt_id, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint,
    former_fingerprint, most_nodes, by_batch)
  select the_item, id, name, version, the_model, the_prompt_fingerprint, the_key, the_former_key, most,
         least_of_batch is not null
  from prompts where id = the_prompt
  on conflict (content_item_id) where state in ('waiting', 'running') do nothing
  returning * into begun;
  if begun.id is null then return null; end if;
  with planned as (
    select plan.* from plan_warming(
      the_item, begun.prompt_name, begun.prompt_version, the_model, the_prompt_fingerprint, the_key, most) as plan
  ), added as (
    insert into warming_nodes (warming_id, path, level, expected_visits)
    select begun.id, path, level, expected from planned order by level, expected desc, path
  )
  update warmings as one set
    estimated_input_tokens = sums.input, estimated_output_tokens = sums.output,
    estimated_batch_input_tokens = sums.batch_input, estimated_batch_output_tokens = sums.batch_output,
    state = case sums.calls when 0 then 'done' else one.state end,
    ended_at = case sums.calls when 0 then service_clock() end
  from (
    select count(*) as calls, coalesce(round(sum(input)), 0) as input, coalesce(round(sum(output)), 0) as output,
           coalesce(round(sum(input) filter (where is_of_batch)), 0) as batch_input,
           coalesce(round(sum(output) filter (where is_of_batch)), 0) as batch_output
    from (
      -- Each call is told the answers above it.
      select system_tokens + (level - 1) * mean.tokens as input, answer_tokens as output,
             count(*) over (partition by level) >= least_of_batch as is_of_batch
      from planned cross join (select avg(answer_tokens) + 20 as tokens from planned) as mean
    ) as calls
  ) as sums
  where one.id = begun.id;
  perform audit_tree_change('tutor_answers.warmed', the_item, null, editor, request);
  return warming_report(begun.id);
end $$;
--> statement-breakpoint
-- Whether a person can still do something at an item for a result: go on with an attempt that is open, or begin or hand
-- in another, which is not closed, while one is left and their grade is not final.
create or replace function can_be_tried(item integer, offering integer, person integer, moment timestamptz)
returns boolean language sql stable as $$
  select coalesce((
    select exists (
      select from quiz_attempts as one
      where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
        and one.submitted_at is null and not is_over(one, moment)
    ) or coalesce(moment < rules.closes_at, true)
      and coalesce(rules.most_attempts > attempts_taken(person, item, offering), true)
    from quiz_rules(item, offering, person, moment) as rules
    union all
    select not is_grade_final(offering, person) and coalesce(moment <= rules.closes_at, true)
      and coalesce(rules.most_attempts > (
        select count(*) from lab_submissions as one
        where one.user_id = any (selves_of(person)) and one.course_offering_id = offering and one.content_item_id = item
          and one.status <> 'returned'
      ), true)
    from work_rules(item, offering, person) as rules
  ), true)
$$;
--> statement-breakpoint
-- Has the totals follow trees that stood otherwise before.
create or replace function change_tree_totals(former course_trees[], present course_trees[]) returns void language sql as $$
  insert into tree_totals as kept (course_id, is_month, day, completed, interrupted)
  select course_id, is_month, day, sum(completed), sum(interrupted) from (
    select course_id, is_month, day, -completed as completed, -interrupted as interrupted from totals_of_trees(former)
    union all
    select course_id, is_month, day, completed, interrupted from totals_of_trees(present)
  ) as one
  group by 1, 2, 3 having sum(completed) <> 0 or sum(interrupted) <> 0 order by 1, 2, 3
  on conflict (course_id, is_month, day) do update
    set completed = kept.completed + excluded.completed, interrupted = kept.interrupted + excluded.interrupted
$$;
--> statement-breakpoint
-- What the totals lack of how everyone stands now, of one course or of all: trees that may have changed, as they were kept
-- (-1) and as they stand (1). None where that is too much to be worked out while someone waits.
create or replace function changed_trees(course integer) returns table (tree course_trees, sign integer)
language sql stable parallel safe as $$
  select kept, -1 from (
    select distinct course_offering_id, user_id from stale_course_progress(course) where not (select is_behind(course))
  ) as stale join course_trees as kept using (course_offering_id, user_id)
  union all
  select tree, 1 from (
    select course_offering_id, array_agg(distinct user_id) as people from stale_course_progress(course)
    where not (select is_behind(course)) group by course_offering_id
  ) as stale cross join lateral course_progress_dates(stale.course_offering_id, stale.people) as tree
$$;
--> statement-breakpoint
-- What a grade keeps of the levels that a grader chose, `[{"criterion_id", "level_id", "comment"}, …]`, in the order of the
-- item's rubric: `[{"criterion_id", "title", "level_id", "level", "description", "points", "most", "comment"}, …]`, and the
-- sum of their points. `is_whole`: each criterion has one. `missing` is the place of the first, from 0, that the rubric does
-- not have, or not any more.
create or replace function chosen_levels(
  the_item integer, chosen jsonb, out missing integer, out is_whole boolean, out points numeric, out levels jsonb
) language sql stable as $$
  with criterion as (
    select one.place, one.said, one.said ->> 'id' as id,
           (select max((level ->> 'points')::numeric) from jsonb_array_elements(one.said -> 'levels') as level) as most
    from content_items as item
    cross join lateral jsonb_array_elements(case when jsonb_typeof(item.data_json #> '{rubric,criteria}') = 'array'
      then item.data_json #> '{rubric,criteria}' else '[]' end) with ordinality as one (said, place)
    where item.id = the_item
  ), choice as (
    select one.number, one.said ->> 'comment' as comment, criterion.place, criterion.said as criterion, criterion.most,
           (select level from jsonb_array_elements(criterion.said -> 'levels') as level
            where level ->> 'id' = one.said ->> 'level_id' limit 1) as level
    from jsonb_array_elements(chosen) with ordinality as one (said, number)
    left join criterion on criterion.id = one.said ->> 'criterion_id'
  )
  select (min(number) filter (where level is null) - 1)::int,
         count(level) > 0 and count(level) = (select count(*) from criterion),
         sum((level ->> 'points')::numeric),
         jsonb_agg(jsonb_build_object(
           'criterion_id', criterion -> 'id', 'title', criterion -> 'title', 'level_id', level -> 'id',
           'level', level -> 'title', 'description', level -> 'description', 'points', level -> 'points', 'most', most,
           'comment', comment) order by place) filter (where level is not null)
  from choice
$$;
--> statement-breakpoint
-- Gives a grader a submission for themselves, for as long as `claim_length` says, or for as long again. `refusal`:
-- 'claimed' by another, who is not through, 'own' work, 'returned', or 'final'.
create or replace function claim_submission(the_submission bigint, grader integer, moment timestamptz)
returns table (refusal text, submission lab_submissions) language plpgsql as $$
begin
  submission := lock_shared_work(the_submission);
  if submission.id is null then return; end if;
  refusal := coalesce(refusal_to_grade(submission, grader, moment), (
    select 'claimed' from lab_submissions as one
    where one.group_work = submission.group_work and one.claimed_by_user_id <> grader and one.claimed_until > moment limit 1));
  if refusal is null then
    update lab_submissions as one set claimed_by_user_id = grader, claimed_until = moment + claim_length()
    where one.id = the_submission or one.group_work = submission.group_work;
    select one.* into submission from lab_submissions as one where one.id = the_submission;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Works the totals of some courses out of their trees, or of all without them, as after trees were loaded.
create or replace function count_tree_totals(courses integer[]) returns void language plpgsql as $$
begin
  lock table course_trees in share row exclusive mode;
  delete from tree_totals where courses is null or course_id = any (courses);
  insert into tree_totals (course_id, is_month, day, completed, interrupted)
  select tree.course_id, total.is_month, total.day, sum(change.completed), sum(change.interrupted)
  from course_trees as tree cross join lateral tree_changes(tree) as change
  cross join lateral (values (false, change.day), (true, date_trunc('month', change.day)::date)) as total (is_month, day)
  where courses is null or tree.course_id = any (courses)
  group by 1, 2, 3 having sum(change.completed) <> 0 or sum(change.interrupted) <> 0;
end $$;
--> statement-breakpoint
-- The cells of these people (grades.sql), with what each counts for: `dropped_so_far` is left out of what is graded so far,
-- `dropped_in_all` of what is worth nothing where it is missing. What is excused is never there to be dropped. With
-- `released_alone`, of nothing but what learners may see.
create or replace function counted_cells(offering integer, people integer[], released_alone boolean)
returns table (
  user_id integer, item_id integer, score numeric, state text, version integer, late_days integer,
  late_deduction numeric, max_points numeric, weight numeric, group_name text, dropped_so_far boolean,
  dropped_in_all boolean
) language sql stable rows 30000 set enable_nestloop = off as $$
  with cell as materialized (
    select one.*, item.max_points, item.weight, coalesce(item.group_name, '') as group_name, item.drop_lowest
    from grade_cells(offering, people) as one join graded_items(offering) as item using (item_id)
    where not released_alone or item.released
  ), dropped as materialized (
    select one.user_id,
           dropped_items(one.graded, one.graded_scores, one.graded_points, one.drop_lowest) as so_far,
           dropped_items(one.due, one.due_scores, one.due_points, one.drop_lowest) as in_all
    from (
      select cell.user_id, cell.drop_lowest,
             array_agg(cell.item_id order by cell.item_id) filter (where score is not null) as graded,
             array_agg(score order by cell.item_id) filter (where score is not null) as graded_scores,
             array_agg(cell.max_points order by cell.item_id) filter (where score is not null) as graded_points,
             array_agg(cell.item_id order by cell.item_id) filter (where state <> 'excused') as due,
             array_agg(coalesce(score, 0) order by cell.item_id) filter (where state <> 'excused') as due_scores,
             array_agg(cell.max_points order by cell.item_id) filter (where state <> 'excused') as due_points
      from cell where weight is not null and drop_lowest > 0
      group by cell.user_id, cell.group_name, cell.drop_lowest
    ) as one
  ), left_out as materialized (
    select dropped.user_id, one.item_id, true as is_left_out, 1 as kind
    from dropped cross join unnest(dropped.so_far) as one (item_id)
    union all
    select dropped.user_id, one.item_id, true, 2 from dropped cross join unnest(dropped.in_all) as one (item_id)
  )
  select cell.user_id, cell.item_id, cell.score, cell.state, cell.version, cell.late_days, cell.late_deduction,
         cell.max_points, cell.weight, cell.group_name, so_far.is_left_out is not null, in_all.is_left_out is not null
  from cell
  left join left_out as so_far
    on so_far.kind = 1 and so_far.user_id = cell.user_id and so_far.item_id = cell.item_id
  left join left_out as in_all
    on in_all.kind = 2 and in_all.user_id = cell.user_id and in_all.item_id = cell.item_id
$$;
--> statement-breakpoint
-- Which of these items are dropped, at most so many and never the last: those without which the others are worth the
-- largest part of their points. That is not always the lowest scores, where items have different points: it is found as
-- Daniel Kane and Jonathan Kane, "Dropping Lowest Grades", find it, by dropping what is least above the part that the
-- others are worth, until that grows no more.
create or replace function dropped_items(items integer[], scores numeric[], points numeric[], most integer)
returns integer[] language plpgsql immutable as $$
declare
  dropped integer[] := '{}';
  chosen integer[];
  part numeric;
  better numeric;
begin
  most := least(most, coalesce(cardinality(items), 0) - 1);
  if most <= 0 then return dropped; end if;
  select coalesce(sum(score) / nullif(sum(worth), 0), 0) into part from unnest(scores, points) as one (score, worth);
  loop
    select array_agg(item) filter (where place <= most),
           sum(score) filter (where place > most) / nullif(sum(worth) filter (where place > most), 0)
    into chosen, better
    from (
      select one.*, row_number() over (order by score - part * worth, item) as place
      from unnest(items, scores, points) as one (item, score, worth)
    ) as ranked;
    if cardinality(dropped) = 0 or better > part then dropped := chosen; end if;
    exit when better is null or better <= part;
    part := better;
  end loop;
  return dropped;
end $$;
--> statement-breakpoint
-- Ends a trial's batch. Its cases that have no answer wait to be asked at once, and those of one that never arrived
-- (`unsent`) for another batch. What they may have cost stays counted, since nobody knows what it did cost; but nothing of a
-- batch that the provider never had (`refused`, `unsent`). Once more it changes nothing.
create or replace function end_trial_batch(the_batch bigint, how text) returns void language plpgsql as $$
declare
  the_trial bigint;
  batch llm_batches;
  is_again boolean;
  left_over bigint[];
  micros bigint;
begin
  select trial_id into the_trial from llm_batches where id = the_batch;
  perform from trials where id = the_trial for no key update;
  update llm_batches set state = case how when 'unsent' then 'refused' else how end, ended_at = clock_timestamp(),
                         token = null, leased_until = null
  where id = the_batch and state in ('gathering', 'sending', 'sent') returning * into batch;
  if not found then return; end if;
  is_again := how = 'unsent' and is_sent_again(batch);
  select array_agg(call_id), coalesce(sum(reserved_micros), 0) into left_over, micros
  from trial_cases where batch_id = the_batch and state = 'running';
  perform expire_calls(left_over);
  update trials set reserved_micros = reserved_micros - micros,
                    lost_micros = lost_micros + case batch.state when 'refused' then 0 else micros end
  where id = the_trial;
  update trial_cases set state = 'waiting', token = null, batch_id = null, call_id = null, reserved_micros = 0,
                         leased_until = null, tries = case when is_again then tries - 1 else tries end
  where batch_id = the_batch and state = 'running';
end $$;
--> statement-breakpoint
-- Ends a batch of a warming. What it has not answered is asked for at once, and what was in one that never arrived (`unsent`)
-- in another. Once more it changes nothing.
create or replace function end_warm_batch(the_batch bigint, how text) returns void language plpgsql as $$
declare
  batch llm_batches;
begin
  update llm_batches set state = case how when 'unsent' then 'refused' else how end, ended_at = clock_timestamp(),
                         leased_until = null
  where id = the_batch and state in ('gathering', 'sending', 'sent') returning * into batch;
  if not found then return; end if;
  perform expire_calls(array(select call_id from warming_nodes where batch_id = the_batch and call_id is not null));
  update warming_nodes set
    call_id = null, batch_id = case when how = 'unsent' and is_sent_again(batch) then null else batch_id end
  where batch_id = the_batch and call_id is not null;
end $$;
--> statement-breakpoint
-- Takes a person's files along with their account. Of graded work what it was stays: its size and its hash. What was handed in
-- for a group stays the others'.
create or replace function erase_files(person integer, moment timestamptz) returns void language plpgsql as $$
declare
  kept bigint[];
begin
  perform leave_files_to_group(person);
  kept := array(
    select used.file_id from file_uses as used
    join lab_submissions as work on work.id in (used.submission_id, used.graded_submission_id)
    where work.user_id = person and work.status = 'graded');
  perform from files where id = any (kept) or uploaded_by_user_id = person order by id for no key update;
  update files set object_id = null, name = '', refusal = null, promised_sha256 = null, erased_at = moment,
    uploaded_by_user_id = null
  where id = any (kept) and erased_at is null;
  update files set uploaded_by_user_id = null
  where uploaded_by_user_id = person and purpose in ('asset', 'feedback') and state in ('checking', 'ready')
    and exists (select from file_uses where file_id = files.id);
  update files set uploaded_by_user_id = null
  where uploaded_by_user_id = person and purpose = 'asset' and state in ('checking', 'ready');
  delete from files where uploaded_by_user_id = person;
  delete from files where id in (select file_id from file_uses where avatar_user_id = person);
  delete from upload_days where user_id = person;
end $$;
--> statement-breakpoint
-- The same of some of those who erased their accounts; answers whether more may be left.
create or replace function erase_steps(most integer) returns boolean language sql as $$
  select fold_steps(array(
    select step.id from erasures join tutor_steps as step on step.user_id = erasures.user_id
    order by step.id limit most for update of step skip locked)) > 0
$$;
--> statement-breakpoint
create or replace function feedback_files_of(the_submission bigint) returns jsonb language plpgsql as $$
begin
  return file_summaries(array(
    select file_id from file_uses where graded_submission_id in (select shared_feedback(the_submission)) order by place, id));
end $$;
--> statement-breakpoint
create or replace function files_of_submission(the_submission bigint) returns jsonb language plpgsql as $$
begin
  return file_summaries(array(
    select file_id from file_uses where submission_id in (select shared_submissions(the_submission)) order by place, id));
end $$;
--> statement-breakpoint
-- The same of an item that says something else of lateness than its `former` data, in all offerings of its course.
create or replace function fit_lateness_to_item(the_item content_items, former jsonb) returns void language plpgsql as $$
declare
  runs integer[];
begin
  if json_number(the_item.data_json -> 'late_percent_per_day')
     is not distinct from json_number(former -> 'late_percent_per_day') then return; end if;
  runs := array(select id from course_offerings where course_id = the_item.course_id order by id);
  perform lock_grades(run) from unnest(runs) as run;
  perform regrade_late_work(runs, the_item.id);
  perform mark_lti_score(run, null, the_item.id) from unnest(runs) as run;
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
  if the_item.content_type_id <> former_type then
    perform lock_item_type(the_item.id);
  end if;
  perform fit_lateness_to_item(the_item, former);
  if the_item.content_type_id = former_type and points = was and most >= (former -> 'most')::numeric then return; end if;
  perform lock_grades(run.id)
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
    perform mark_lti_score(run.id, null, the_item.id) from course_offerings as run where run.course_id = the_item.course_id;
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
          max_score = points,
          rubric = case when rescales and was > 0 then scaled_levels(work.rubric, points / was) else work.rubric end
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
-- Erases steps, and keeps how often each choice was made; answers how many. A question that nobody else was asked goes with
-- them: it may say what they said.
create or replace function fold_steps(ids bigint[]) returns integer language plpgsql as $$
declare
  gone tutor_steps[];
  answered bigint[];
  lonely bigint[];
begin
  with taken as (
    delete from tutor_steps where id = any (ids) returning tutor_steps
  )
  select array_agg(tutor_steps) into gone from taken;
  if gone is null then return 0; end if;
  answered := array(select distinct question_id from unnest(gone) order by 1);
  lonely := array(
    select asked.id from tutor_questions as asked
    where asked.id = any (answered)
      and not exists (select from cache_nodes as node where node.id = asked.node_id)
      and not exists (select from tutor_step_counts as kept where kept.question_id = asked.id)
    for update skip locked);
  -- Who answered just before they were held is seen by another statement.
  lonely := array(
    select asked from unnest(lonely) as asked
    where not exists (select from tutor_steps as step where step.question_id = asked));
  delete from tutor_questions where id = any (lonely);
  insert into tutor_step_counts as kept (question_id, choice, try_number, with_hints, answers)
  select question_id, choice, try_number, hints > 0, count(*)
  from unnest(gone) where question_id <> all (lonely)
  group by question_id, choice, try_number, hints > 0
  order by question_id, choice, try_number, hints > 0
  on conflict (question_id, choice, try_number, with_hints) do update set answers = kept.answers + excluded.answers;
  return cardinality(gone);
end $$;
--> statement-breakpoint
-- Has the totals follow the trees that a statement wrote, whoever wrote them.
create or replace function follow_trees() returns trigger language plpgsql as $$
declare
  former course_trees[] := '{}';
  present course_trees[] := '{}';
begin
  if tg_op <> 'INSERT' then
    former := array(
      select (course_offering_id, user_id, course_id, completed_on, begun_on, fresh_on)::course_trees from overwritten);
  end if;
  if tg_op <> 'DELETE' then
    present := array(
      select (course_offering_id, user_id, course_id, completed_on, begun_on, fresh_on)::course_trees from written);
  end if;
  if former <> present then perform change_tree_totals(former, present); end if;
  return null;
end $$;
--> statement-breakpoint
-- Forgets audit events of a university, of those from before a moment; answers how many.
create or replace function forget_events_of_log(university integer, ids bigint[], before timestamptz) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  forgotten integer;
begin
  perform set_config('learning.audit_kept_from', before::text, true);
  delete from audit_events where id = any (ids) and university_id = university and occurred_at < before;
  get diagnostics forgotten = row_count;
  perform set_config('learning.audit_kept_from', '', true);
  return forgotten;
end $$;
--> statement-breakpoint
-- From before which moment a kind is forgotten now: null while nothing is.
create or replace function forgotten_before(university integer, the_kind text, moment timestamptz) returns timestamptz
language sql stable as $$
  select moment - make_interval(days => days) from retention_periods
  where university_id = university and kind = the_kind and counted_at is not null
    and set_at <= moment - interval '30 days'
$$;
--> statement-breakpoint
-- Has the files that came with what was said of a group's work hang on this one of them, so that they are kept or replaced
-- with it.
create or replace function gather_feedback_files(the_submission bigint) returns void language sql as $$
  update file_uses set graded_submission_id = the_submission
  where graded_submission_id in (
    select one.id from lab_submissions as named join lab_submissions as one on one.group_work = named.group_work
    where named.id = the_submission and one.id <> named.id and not one.graded_alone)
$$;
--> statement-breakpoint
-- Gives a person in a bound course what an LMS says that they are there, `student`, `ta` or `instructor`, and takes what it
-- gave and says no longer; null is nothing. Nothing else is taken: not what staff or offices gave, or people themselves.
-- Neither the window nor the prerequisites nor the capacity keep anyone out, which the audit log is told. The refusals:
-- `dropped` by staff, whom it neither enrolls nor makes staff any more; `inactive_person`, `inactive_university`.
create or replace function give_lti_role(
  bound lti_contexts, person integer, wanted text, the_source text, request jsonb
) returns text language plpgsql as $$
declare
  run course_offerings;
  mine enrollments;
  passed text;
  refusal text;
  moment timestamptz := sent_at(request);
begin
  perform lock_course_key_shared(bound.course_offering_id);
  select * into run from course_offerings where id = bound.course_offering_id for no key update;
  if wanted is distinct from 'student' then perform take_lti_seat(bound, person, request); end if;
  if coalesce(wanted, 'student') = 'student' then
    delete from offering_staff
    where course_offering_id = run.id and user_id = person and lti_context_id = bound.id and removed_at is null;
    if found then
      perform audit('offering_staff.removed', null, person, run.university_id,
        jsonb_build_object('course_offering_id', run.id, 'lti_context_id', bound.id), request);
    end if;
  end if;
  if wanted is null then return null; end if;
  refusal := refusal_of_inactive(run.university_id, person);
  if refusal is not null then return refusal; end if;
  if wanted in ('ta', 'instructor') then
    if exists (
      select from offering_staff where course_offering_id = run.id and user_id = person and removed_at is not null)
    then return 'dropped'; end if;
    insert into offering_staff as staff (course_offering_id, university_id, user_id, role, source, lti_context_id)
    values (run.id, run.university_id, person, wanted, the_source, bound.id)
    on conflict (course_offering_id, user_id) do update
      set (role, source, lti_context_id) = (excluded.role, excluded.source, excluded.lti_context_id)
      where (staff.role, staff.lti_context_id) is distinct from (excluded.role, excluded.lti_context_id);
    if found then
      perform audit('offering_staff.named', null, person, run.university_id, jsonb_build_object(
        'course_offering_id', run.id, 'role', wanted, 'lti_context_id', bound.id), request);
    end if;
  elsif wanted = 'student' then
    select * into mine from enrollments where course_offering_id = run.id and user_id = person;
    if mine.status = 'dropped' and mine.is_dropped_by_staff then return 'dropped'; end if;
    if mine.id is null or mine.status not in ('active', 'completed') then
      passed := concat_ws(', ', (refusal_to_enroll(run, person, moment)).refusal, case when is_full(run) then 'full' end,
        case when has_seat_elsewhere(run, person, moment) then 'enrolled_in_course' end);
      mine := take_seat(run, person, false, moment);
      insert into lti_enrollments (enrollment_id, context_id, source) values (mine.id, bound.id, the_source)
      on conflict do nothing;
      perform audit('enrollment.created', null, person, run.university_id, jsonb_strip_nulls(jsonb_build_object(
        'course_offering_id', run.id, 'override', true, 'passed', nullif(passed, ''), 'lti_context_id', bound.id)),
        request);
    elsif exists (select from lti_enrollments where enrollment_id = mine.id) then
      -- Another course of an LMS gave it: now both have to take it.
      insert into lti_enrollments (enrollment_id, context_id, source) values (mine.id, bound.id, the_source)
      on conflict do nothing;
    end if;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Whom a bound course of an LMS has given a seat or made staff, by the subjects that its platform knows them by: each is
-- looked up by their account, also where the database does not know yet how many people the platform has.
create or replace function given_by_lti(the_context integer)
returns table (person integer, subjects text[]) language sql stable as $$
  select given.user_id, array(
    select known.subject from (
      select one.platform_id, one.subject::text from lti_people as one where one.user_id = given.user_id offset 0
    ) as known where known.platform_id = (select platform_id from lti_contexts where id = the_context))
  from (
    select mine.user_id from lti_enrollments as one join enrollments as mine on mine.id = one.enrollment_id
    where one.context_id = the_context and mine.status in ('active', 'pending', 'waitlisted')
    union
    select staff.user_id from offering_staff as staff where staff.lti_context_id = the_context and staff.removed_at is null
  ) as given
  where exists (select from lti_contexts where id = the_context)
$$;
--> statement-breakpoint
drop function grade_cells(integer,integer[]);
--> statement-breakpoint
-- How these people stand in each of the columns: of a quiz the best attempt counts, of other work the newest that is
-- graded, scaled to the item's points and less what it is late (`late_deduction`, of `late_days`), unless staff have set a
-- score or excused the person. In an item of no points its extra points count as they were given. `version` counts what became
-- of the cell: each result of an attempt or of work, each deduction that becomes another by a date, and each score or excuse
-- that was set. How many there are the planner
-- cannot know: what it joins row by row for ten people takes half a minute for five hundred.
create or replace function grade_cells(offering integer, people integer[])
returns table (
  user_id integer, item_id integer, score numeric, state text, version integer, late_days integer, late_deduction numeric
)
language sql stable rows 30000 set enable_nestloop = off as $$
  with item as materialized (
    select * from graded_items(offering)
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
           (array_agg(late_days_of(one) order by one.attempt_number desc) filter (where one.status = 'graded'))[1] as late_days,
           (array_agg(one.status order by one.attempt_number desc))[1] as status,
           sum(one.grade_version) as version
    from lab_submissions as one
    where one.course_offering_id = offering and one.user_id = any (people)
    group by one.user_id, one.content_item_id
  ), earned as (
    select worked.user_id, worked.content_item_id, worked.status, worked.version,
           case when worked.max_score > 0 then round(worked.score / worked.max_score * item.max_points, 2)
                else worked.score end as score,
           worked.late_days
    from worked join item on item.item_id = worked.content_item_id
  )
  select person.id, item.item_id,
         case when own.is_excused then null
              else coalesce(own.score_override, round(quizzed.ratio * item.max_points, 2), earned.score - late.deduction) end,
         case when own.is_excused then 'excused'
              when own.score_override is not null then 'overridden'
              when coalesce(quizzed.ratio, earned.score) is not null then 'graded'
              when quizzed.waits then 'submitted'
              else coalesce(earned.status, 'none') end,
         (coalesce(own.version, 0) + coalesce(quizzed.version, earned.version, 0))::int,
         case when late.counts then earned.late_days else 0 end,
         case when late.counts then late.deduction else 0 end
  from unnest(people) as person (id)
  cross join item
  -- Theirs alone, also where all of the class's are read for a hash.
  left join item_grades as own
    on own.course_offering_id = offering and own.content_item_id = item.item_id and own.user_id = person.id
    and own.user_id = any (people)
  left join quizzed on quizzed.user_id = person.id and quizzed.content_item_id = item.item_id
  left join earned on earned.user_id = person.id and earned.content_item_id = item.item_id
  cross join lateral (
    select late_deduction(earned.score, item.max_points, item.late_percent_per_day, earned.late_days) as deduction,
           own.is_excused is not true and own.score_override is null and earned.score is not null as counts
  ) as late
$$;
--> statement-breakpoint
-- What a change of a submission's grade tells of it.
create or replace function grade_of_submission(submission lab_submissions) returns jsonb language sql immutable as $$
  select case when submission.status <> 'submitted' then jsonb_build_object(
    'submission_id', submission.id, 'status', submission.status, 'score', submission.score_obtained,
    'max_score', submission.max_score, 'source', submission.grade_source) || coalesce((
      select jsonb_build_object('rubric', jsonb_agg(jsonb_build_object(
        'criterion_id', one -> 'criterion_id', 'level_id', one -> 'level_id', 'points', one -> 'points')))
      from jsonb_array_elements(submission.rubric) as one having count(*) > 0), '{}') end
$$;
--> statement-breakpoint
-- Grades one submission by hand, over whatever grade it has; whose claim it was ends. `refusal` as for a claim, or 'too
-- many points' for more than are given in the item, which `bound` says, or 'no file' and an id. A final grade in which it
-- would count is outdated by it. With null for `file_ids` the feedback keeps the files that it has.
--
-- It keeps the levels of the item's rubric that are `chosen` (rubrics.sql), or those that it has with null, or none with
-- JSON's null; with null for `points` it is worth what they are. `refusal`: 'no level' and the place of one in `chosen` that
-- the rubric does not have, or 'not each criterion'.
create or replace function grade_one_submission(
  the_submission bigint, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb,
  file_ids bigint[], chosen jsonb
) returns table (refusal text, submission lab_submissions, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := lock_submission(the_submission);
  counted numeric;
  kept record;
  worth numeric;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  submission := former;
  select * into kept from chosen_levels(former.content_item_id, coalesce(nullif(chosen, 'null'), '[]'));
  worth := coalesce(points, kept.points);
  refusal := coalesce(refusal_to_grade(former, grader, moment),
    'no level ' || kept.missing,
    case when points is null and not kept.is_whole then 'not each criterion'
         when worth > (bound -> 'most')::numeric then 'too many points' end);
  if refusal is null then refusal := 'no file ' || put_files_with_feedback(former, grader, file_ids); end if;
  if refusal is null then
    counted := lock_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
    update lab_submissions as one
    set status = 'graded', score_obtained = worth, max_score = (bound -> 'points')::numeric,
        rubric = case when chosen is null then one.rubric else kept.levels end,
        instructor_feedback = feedback, grade_source = 'hand', graded_at = moment, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_graded', former, submission, why, grader, moment, request);
    perform outdate_final_grade(former.course_offering_id, former.user_id, former.content_item_id, counted);
  end if;
  return next;
end $$;
--> statement-breakpoint
-- The same, and of work that was handed in for a group all of it, but for whoever has a grade of their own, and what may not
-- be graded by that grader or any more. With `alone` it is a grade for this one, which stays when the others get another.
create or replace function grade_submission(
  the_submission bigint, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb,
  file_ids bigint[], chosen jsonb default null, alone boolean default false
) returns table (refusal text, submission lab_submissions, bound jsonb) language plpgsql as $$
declare
  mate bigint;
  done record;
begin
  perform lock_submission(the_submission);
  if alone then
    -- What was said of all of them stays with the others.
    perform gather_feedback_files(min(one.id))
    from lab_submissions as named join lab_submissions as one on one.group_work = named.group_work
    where named.id = the_submission and one.id <> named.id and not one.graded_alone having count(*) > 0;
    file_ids := array(
      select given.id from unnest(file_ids) with ordinality as given (id, place)
      where not exists (
        select from file_uses as used
        where used.file_id = given.id and used.graded_submission_id in (select shared_submissions(the_submission))
          and used.graded_submission_id <> the_submission)
      order by place);
  else
    perform gather_feedback_files(the_submission);
  end if;
  select * into done
  from grade_one_submission(the_submission, grader, points, feedback, why, moment, request, file_ids, chosen);
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
      perform grade_one_submission(mate, grader, points, feedback, why, moment, request, null, chosen);
    end loop;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- What follows for the course, in percent: of what is graded so far, and with nothing for what is not. A group is worth
-- the part of its points that was earned, and groups count by their weights, those in which something counts.
create or replace function grade_totals(offering integer, people integer[], released_alone boolean)
returns table (user_id integer, current_percent numeric, final_percent numeric)
language sql stable as $$
  with grouped as (
    select cell.user_id, weight,
           sum(score) filter (where not dropped_so_far)
             / nullif(sum(max_points) filter (where score is not null and not dropped_so_far), 0) as so_far,
           coalesce(sum(score) filter (where not dropped_in_all), 0)
             / nullif(sum(max_points) filter (where state <> 'excused' and not dropped_in_all), 0) as in_all
    from counted_cells(offering, people, released_alone) as cell
    where weight is not null group by cell.user_id, group_name, weight
  ), total as (
    select grouped.user_id,
           sum(weight * so_far) / nullif(sum(weight) filter (where so_far is not null), 0) as so_far,
           sum(weight * in_all) / nullif(sum(weight) filter (where in_all is not null), 0) as in_all
    from grouped group by grouped.user_id
  )
  select person.id, clamped(round(total.so_far * 100, 2), 0, 9999.99), clamped(round(total.in_all * 100, 2), 0, 9999.99)
  from unnest(people) as person (id)
  left join total on total.user_id = person.id
$$;
--> statement-breakpoint
drop function graded_items(integer);
--> statement-breakpoint
-- The columns of an offering's gradebook, in the order of the course: its published items that take a result. Each is due
-- as it is for nobody in particular. `weight`
-- is that of the item's group, 1 for all where there are no groups, and null for an item that is in none of them; so many
-- of the group's lowest are dropped. What
-- grade_cells asks of the planner is not for these: of an item it would read the modules of all courses.
create or replace function graded_items(offering integer)
returns table (
  item_id integer, title text, content_type text, max_points numeric, due_at timestamptz, group_name text,
  weight numeric, released boolean, place integer, most_points numeric, drop_lowest integer,
  late_percent_per_day numeric, max_late_days integer
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
    select groups, drop_lowest, jsonb_array_length(groups) > 0 as has_groups
    from grading_schemes where course_offering_id = offering
  ), grouped as (
    select one ->> 'name' as name, (one ->> 'weight')::numeric as weight,
           coalesce((one ->> 'drop_lowest')::int, 0) as drop_lowest, item.id::int
    from scheme, jsonb_array_elements(scheme.groups) as one, jsonb_array_elements_text(one -> 'content_item_ids') as item (id)
  )
  select item.id, item.title, type.name, points_of_item(type.name, item.data_json),
         (select due_at from item_dates(offering, null, array[item.id])), grouped.name,
         case when (select has_groups from scheme) then grouped.weight else 1 end,
         is_grade_released(offering, item.id),
         (row_number() over (order by way.place || item.sequence_index, item.id))::int,
         most_points_of_item(type.name, item.data_json),
         coalesce(case when (select has_groups from scheme) then grouped.drop_lowest
                       else (select drop_lowest from scheme) end, 0),
         case when type.name <> 'quiz' then late.percent_per_day end, case when type.name <> 'quiz' then late.most_days end
  from counted
  join way on way.module_id = counted.module_id and way.parent_module_id is null
  join content_items as item on item.id = counted.item_id
  join content_types as type on type.id = item.content_type_id
  cross join lateral late_rules(offering, item.data_json) as late
  left join grouped on grouped.id = item.id
$$;
--> statement-breakpoint
drop function grading_of(integer);
--> statement-breakpoint
-- How an offering is graded: by what it says, or else as most are, which has the version 0.
create or replace function grading_of(offering integer)
returns table (
  is_graded boolean, letter_scale jsonb, passing_percent numeric, groups jsonb, release_mode text, version integer,
  drop_lowest integer, late_percent_per_day numeric, max_late_days integer
) language sql stable as $$
  select own.course_offering_id is not null,
         coalesce(own.letter_scale, '[{"letter": "A", "min_percent": 90}, {"letter": "B", "min_percent": 80},
           {"letter": "C", "min_percent": 70}, {"letter": "D", "min_percent": 60}, {"letter": "F", "min_percent": 0}]'),
         coalesce(own.passing_percent, 60),
         coalesce((
           select jsonb_agg('{"drop_lowest": 0}' || one order by place)
           from jsonb_array_elements(own.groups) with ordinality as listed (one, place)), '[]'),
         coalesce(own.release_mode, 'manual'), coalesce(own.version, 0), coalesce(own.drop_lowest, 0),
         own.late_percent_per_day, own.max_late_days
  from (select) as one left join grading_schemes as own on own.course_offering_id = offering
$$;
--> statement-breakpoint
-- The group for which a person hands in work: the one that they are a member of, or the `wanted` one of several. Null for an
-- item that is not for groups, and for whoever is in none. `refusal`: 'no group' for one that is none of theirs, or
-- 'which group'.
create or replace function group_of_work(
  the_item integer, the_offering integer, person integer, wanted integer, out refusal text, out id integer
) language plpgsql stable as $$
declare
  mine integer[];
begin
  if exists (select from content_items as item where item.id = the_item and item.data_json -> 'group_submission' = 'true') then
    mine := array(select groups_of(the_offering, person));
  end if;
  refusal := case when wanted is not null and wanted <> all (coalesce(mine, '{}')) then 'no group'
                  when wanted is null and cardinality(mine) > 1 then 'which group' end;
  if refusal is null then id := coalesce(wanted, mine[1]); end if;
end $$;
--> statement-breakpoint
-- Whether a launch has nothing to give or take: most are by people who have been here before.
create or replace function has_lti_role(bound lti_contexts, person integer, wanted text) returns boolean
language sql stable as $$
  select refusal_of_inactive(bound.university_id, person) is null and case wanted
    when 'student' then exists (
        select from enrollments as mine
        where course_offering_id = bound.course_offering_id and user_id = person and status in ('active', 'completed')
          and (exists (select from lti_enrollments where enrollment_id = mine.id and context_id = bound.id)
            or not exists (select from lti_enrollments where enrollment_id = mine.id)))
      and not exists (
        select from offering_staff
        where course_offering_id = bound.course_offering_id and user_id = person and lti_context_id = bound.id
          and removed_at is null)
    else exists (
        select from offering_staff
        where course_offering_id = bound.course_offering_id and user_id = person and lti_context_id = bound.id
          and role = wanted and removed_at is null)
      and not exists (
        select from enrollments as mine join lti_enrollments as one on one.enrollment_id = mine.id
        where mine.course_offering_id = bound.course_offering_id and mine.user_id = person and one.context_id = bound.id)
    end
$$;
--> statement-breakpoint
-- The university's row among those that have said anything, which is made where there is none, held until the end.
create or replace function hold_policy(university integer) returns void language sql as $$
  insert into retention_policies (university_id, archive_days) values (university, 1825)
  on conflict (university_id) do update set archive_days = retention_policies.archive_days
$$;
--> statement-breakpoint
-- Whether no place is free. Without a capacity nobody is counted: a course of thousands would count them for each who comes.
create or replace function is_full(offering course_offerings) returns boolean language sql as $$
  select case when offering.capacity is null then false else offering.capacity <= seats_taken(offering.id) end
$$;
--> statement-breakpoint
-- Whether something is held: by a hold of one of these people, or of its offering; what names no offering, by one of an
-- offering of its course in which the person has a place.
create or replace function is_held(
  university integer, people integer[], offering integer, course integer, moment timestamptz
) returns boolean language sql stable as $$
  select exists (
    select from retention_holds as hold join universities as place on place.id = hold.university_id
    where hold.university_id = university
      and coalesce((moment at time zone place.time_zone)::date <= hold.held_until, true)
      and (hold.user_id = any (people) or hold.course_offering_id = offering
        or (offering = 0 and course > 0 and exists (
          select from course_offerings as run join enrollments as seat on seat.course_offering_id = run.id
          where run.id = hold.course_offering_id and run.course_id = course and seat.user_id = any (people)))))
$$;
--> statement-breakpoint
-- The same of those whom an LMS makes staff of it (lib/rbac/policy.ts says what they may do).
create or replace function is_launched_staff(person integer, offering integer) returns boolean
language sql stable as $$
  select exists (
    select from offering_staff as staff
    where staff.user_id = person and staff.course_offering_id = offering and staff.removed_at is null
      and not is_suspended(staff.university_id, person)
      and not exists (select from learners where user_id = person and course_offering_id = offering))
$$;
--> statement-breakpoint
-- Whether what was in a batch that never arrived is sent as another one: as often as not every batch is lost on its way.
create or replace function is_sent_again(the_batch llm_batches) returns boolean language sql stable as $$
  select count(*) < 3 from llm_batches as other
  where other.state = 'refused'
    and (other.trial_id, other.warming_id) is not distinct from (the_batch.trial_id, the_batch.warming_id)
$$;
--> statement-breakpoint
-- Whether a tree is begun and not complete at the end of a day, with nothing begun or completed in it for 14 days.
create or replace function is_tree_interrupted(tree course_trees, day date) returns boolean language sql immutable as $$
  select tree.begun_on <= day and (tree.completed_on is null or tree.completed_on > day) and not tree.fresh_on @> day
$$;
--> statement-breakpoint
-- Keeps what a launch says of a link, and answers where it leads: an item or a module of the bound course, the first that
-- it names; what it said before, where it names none now; or else the course. A column that a link from another course of
-- the platform has is none of this one's: grades of two offerings would take turns in it.
create or replace function keep_lti_link(bound lti_contexts, told jsonb) returns lti_links language plpgsql as $$
declare
  the_course integer := (select course_id from course_offerings where id = bound.course_offering_id);
  item integer := (
    select one.id from content_items as one
    where one.id = (told ->> 'content_item_id')::integer and one.course_id = the_course);
  module integer := (
    select one.id from modules as one
    where item is null and one.id = (told ->> 'module_id')::integer and one.course_id = the_course);
  link lti_links;
  column_url text := told ->> 'line_item_url';
begin
  select * into link from lti_links where context_id = bound.id and resource_link_id = told ->> 'id';
  if column_url is distinct from link.line_item_url and exists (
    select from lti_links as other join lti_contexts as theirs on theirs.id = other.context_id
    where other.line_item_url = column_url and theirs.id <> bound.id and theirs.platform_id = bound.platform_id)
  then column_url := null; end if;
  if link.id is not null and num_nonnulls(item, module) = 0 then
    item := link.content_item_id;
    module := link.module_id;
  end if;
  if link.id is null or (link.title, link.content_item_id, link.module_id, link.line_item_url)
      is distinct from (told ->> 'title', item, module, column_url) then
    insert into lti_links as kept (context_id, resource_link_id, title, content_item_id, module_id, line_item_url)
    values (bound.id, told ->> 'id', told ->> 'title', item, module, column_url)
    on conflict (context_id, resource_link_id) do update set
      (title, content_item_id, module_id, line_item_url, updated_at) =
      (excluded.title, excluded.content_item_id, excluded.module_id, excluded.line_item_url, service_now())
    returning kept.* into link;
  end if;
  return link;
end $$;
--> statement-breakpoint
-- When a person last did anything in a course, in whatever offering; null where nothing is known of it.
create or replace function last_act_in(person integer, course integer) returns timestamptz language sql stable as $$
  select max(moment) from (
    select done.moment from course_offerings as run cross join lateral (
      (select occurred_at as moment from activity_events
       where course_offering_id = run.id and user_id = person order by occurred_at desc limit 1)
      union all
      select max(last_interacted_at) from user_content_progress
      where user_id = person and course_offering_id = run.id
      union all
      select max(greatest(started_at, submitted_at)) from quiz_attempts
      where user_id = person and course_offering_id = run.id
      union all
      select max(submitted_at) from lab_submissions where user_id = person and course_offering_id = run.id
    ) as done where run.course_id = course
    union all
    select (select max(created_at) from chat_messages where session_id = talk.id)
    from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
    where talk.user_id = person and item.course_id = course
  ) as act
$$;
--> statement-breakpoint
-- How many days work is late, of which each that has begun counts: 0 where it is in time.
create or replace function late_days_of(work lab_submissions) returns integer language sql immutable as $$
  select case when work.is_late and work.due_at is not null
    then greatest(ceil(extract(epoch from work.submitted_at - work.due_at) / 86400), 0)::int else 0 end
$$;
--> statement-breakpoint
-- What so many days take off a score: a part of the item's points for each, and never more than there is.
create or replace function late_deduction(score numeric, points numeric, percent_per_day numeric, days integer)
returns numeric language sql immutable as $$
  select case when score > 0 and percent_per_day > 0 and days > 0
    then least(score, round(points * percent_per_day * days / 100, 2)) else 0 end
$$;
--> statement-breakpoint
-- What the gradebook takes off a submission for lateness, in the points of its own grade; null while it has none.
create or replace function late_deduction_of(work lab_submissions) returns numeric language sql stable as $$
  select case when work.score_obtained is null then null when late_days_of(work) = 0 then 0 else (
    select late_deduction(work.score_obtained, work.max_score, rules.percent_per_day, late_days_of(work))
    from content_items as item cross join lateral late_rules(work.course_offering_id, item.data_json) as rules
    where item.id = work.content_item_id) end
$$;
--> statement-breakpoint
-- What lateness costs in an item, and for how many days work is taken late; null is nothing, and without an end. The item's
-- own word comes before the offering's.
create or replace function late_rules(offering integer, data jsonb)
returns table (percent_per_day numeric, most_days integer) language sql stable as $$
  select coalesce(clamped(json_number(data -> 'late_percent_per_day'), 0, 100), own.late_percent_per_day),
         coalesce(clamped(json_number(data -> 'max_late_days'), 0, 365)::int, own.max_late_days)
  from (select) as one left join grading_schemes as own on own.course_offering_id = offering
$$;
--> statement-breakpoint
-- Leaves the files of what a person handed in for a group, and of what was said of it, to another of those who did.
create or replace function leave_files_to_group(person integer) returns void language sql as $$
  with mate as materialized (
    select mine.id as former_id, min(theirs.id) as id,
           min(theirs.id) filter (where not mine.graded_alone and not theirs.graded_alone) as alike_id
    from lab_submissions as mine
    join lab_submissions as theirs on theirs.group_work = mine.group_work and theirs.user_id <> mine.user_id
    join users as there on there.id = theirs.user_id and there.erased_at is null
    where mine.user_id = person group by mine.id
  ), work as (
    update file_uses as used set submission_id = mate.id from mate where used.submission_id = mate.former_id
  )
  update file_uses as used set graded_submission_id = mate.alike_id from mate
  where used.graded_submission_id = mate.former_id and mate.alike_id is not null;
  update files set uploaded_by_user_id = null
  where uploaded_by_user_id = person and purpose = 'submission' and exists (
    select from file_uses as used join lab_submissions as work on work.id = used.submission_id
    where used.file_id = files.id and work.user_id <> person)
$$;
--> statement-breakpoint
-- Takes a person's name off what they did as staff.
create or replace function leave_office(person integer) returns void language plpgsql as $$
begin
  update announcements set created_by_user_id = null where created_by_user_id = person;
  update answer_pins set pinned_by = null where pinned_by = person;
  update cache_nodes set edited_by = null where edited_by = person;
  update course_exemptions set granted_by_user_id = null where granted_by_user_id = person;
  update grade_changes set changed_by_user_id = null where changed_by_user_id = person;
  update imports set created_by_user_id = null where created_by_user_id = person;
  update invitations set invited_by_user_id = null where invited_by_user_id = person;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null where claimed_by_user_id = person;
  update lab_submissions set graded_by_user_id = null where graded_by_user_id = person;
  update prompts set created_by = null where created_by = person;
  update trials set created_by = null where created_by = person;
  update prompt_rollouts set author_id = null where author_id = person;
  update prompt_rollouts set approved_by = null where approved_by = person;
  update prompt_rollouts set ended_by = null where ended_by = person;
  update tree_changes set changed_by = null where changed_by = person;
  update tree_changes set undone_by = null where undone_by = person;
  update tutor_notes set updated_by = null where updated_by = person;
  update prompt_label_events set changed_by = null where changed_by = person;
  update retention_holds set placed_by_user_id = null where placed_by_user_id = person;
  update stored_credentials set updated_by = null where updated_by = person;
end $$;
--> statement-breakpoint
-- Waits for whoever else finds out whom a university's directory means by an address.
create or replace function lock_directory_address(university integer, address text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('address at a directory', hashtextextended(university || ' ' || address, 0)))
$$;
--> statement-breakpoint
-- Takes a submission, and with it what was handed in together with it for a group.
create or replace function lock_shared_work(the_submission bigint) returns lab_submissions language plpgsql as $$
declare
  held lab_submissions;
begin
  perform one.id from lab_submissions as one
  where one.id = the_submission
    or one.group_work = (select group_work from lab_submissions where id = the_submission) order by one.id for update;
  select * into held from lab_submissions where id = the_submission;
  return held;
end $$;
--> statement-breakpoint
-- The same for a change of its grade: first the grades of its offering.
create or replace function lock_submission(the_submission bigint) returns lab_submissions language plpgsql as $$
begin
  perform lock_grades_shared(course_offering_id) from lab_submissions where id = the_submission;
  return lock_shared_work(the_submission);
end $$;
--> statement-breakpoint
-- The same, or that they are staff of an offering of it as an LMS says, who read what its learners do.
create or replace function may_enter(person integer, the_course integer) returns boolean language sql stable as $$
  select has_seat(person, the_course) or exists (
    select from offering_staff as staff join course_offerings as run on run.id = staff.course_offering_id
    where staff.user_id = person and run.course_id = the_course and staff.removed_at is null
      and not is_suspended(staff.university_id, person))
$$;
--> statement-breakpoint
-- Notes that a final grade is outdated, where another score counts in an item than the one that did and something else would
-- follow for the course, which a score that is dropped changes nothing of; and tells those who
-- teach the offering and who made it final, of an offering once a day.
create or replace function outdate_final_grade(offering integer, person integer, item integer, former numeric) returns void
language plpgsql as $$
declare
  moment timestamptz := service_now();
begin
  if former is null or former = lock_counted_score(offering, person, item) then return; end if;
  update course_grades set outdated_at = moment
  where course_offering_id = offering and user_id = person and outdated_at is null and final_score is distinct from (
    select coalesce(total.final_percent, 0) from grade_totals(offering, array[person], false) as total);
  if not found then return; end if;
  perform notify(array(
      select user_id from offering_teachers where course_offering_id = offering
      union
      select made.changed_by_user_id from (
        select changed_by_user_id from grade_changes
        where course_offering_id = offering and user_id = person and kind = 'finalized' order by id desc limit 1
      ) as made
      where is_instructor_of_offering(made.changed_by_user_id, offering)),
    'grade_outdated', 'outdated:' || offering || ':' || utc_day(moment), moment, offering => offering);
end $$;
--> statement-breakpoint
-- The next passages that have no vector of the model: `{"up_to", "passages": [{"id", "university_id", "words"}]}`, null
-- where all have been looked at. Universities take turns among the next 2000, but those that are `passed_over`, whose passages
-- are left for later: all before the first that is left were looked at. `refused` are passages that were asked for in vain.
-- Once a day all are looked at again, for those that came late or were refused.
create or replace function passages_without_vector(
  the_model text, moment timestamptz, most integer, passed_over integer[], refused bigint[]
) returns jsonb language sql stable as $$
  with next as materialized (
    select passage.id from passages as passage
    where passage.id > coalesce((
      select done_to from passage_vector_sweeps where model = the_model and begun_at > moment - interval '1 day'), 0)
    order by passage.id limit 2000
  ), missing as materialized (
    select next.id, item.university_id, item.title || E'\n' || passage.body as words,
           row_number() over (partition by item.university_id order by next.id) as turn
    from next join passages as passage on passage.id = next.id
    join content_items as item on item.id = passage.content_item_id
    where not exists (select from passage_vectors as told where told.passage_id = next.id and told.model = the_model)
      and next.id <> all (refused)
  ), taken as materialized (
    select * from missing where university_id <> all (passed_over) order by turn, id limit most
  )
  select jsonb_build_object(
    'up_to', coalesce(
      (select min(missing.id) - 1 from missing left join taken on taken.id = missing.id where taken.id is null),
      (select max(id) from next)),
    'passages', (
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'university_id', university_id, 'words', words) order by id), '[]')
      from taken))
  where exists (select from next)
$$;
--> statement-breakpoint
-- What those rows of a person count for that go when they are erased, and not only those: of all that stays as much is
-- there before as after.
create or replace function personal_totals(person integer) returns setof report_totals language sql stable as $$
  select measure, course_id, utc_day(moment), utc_day(since), sum(amount), true, null::int
  from (table community_facts union all table assessment_facts) as fact
  where user_id = person and moment is not null
    and measure in ('notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'labs_submitted', 'labs_graded',
                    'labs_scored', 'lab_scores', 'assignments_submitted', 'assignments_graded', 'assignments_scored',
                    'assignment_scores')
  group by 1, 2, 3, 4
  union all
  select counted.measure, run.course_id, utc_day(counted.moment), null, count(*), true, run.id
  from certificates as own join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('certificates_issued', case when own.replaces_id is null then own.issued_at end),
    ('certificates_revoked', own.revoked_at)) as counted (measure, moment)
  where own.user_id = person and counted.moment is not null group by 1, 2, 3, 7
$$;
--> statement-breakpoint
-- Has the late work of offerings be graded by another rule: each cell is another than whoever exported it has seen.
create or replace function regrade_late_work(offerings integer[], item integer) returns void language plpgsql as $$
begin
  perform from lab_submissions as work
  where work.course_offering_id = any (offerings) and (item is null or work.content_item_id = item)
    and work.is_late and work.score_obtained is not null order by work.id for update;
  update lab_submissions as work set grade_version = grade_version + 1
  where work.course_offering_id = any (offerings) and (item is null or work.content_item_id = item)
    and work.is_late and work.score_obtained is not null;
end $$;
--> statement-breakpoint
-- Takes what LMSs made of someone in an offering, as its staff say, or gives it back: no launch and no roster gives it again
-- meanwhile. Under the lock of the offering, so that none does so at the same time. The row as it is then.
create or replace function remove_offering_staff(offering integer, staff integer, removes boolean, actor integer, request jsonb)
returns offering_staff language plpgsql as $$
declare
  changed offering_staff;
begin
  perform from course_offerings where id = offering for no key update;
  update offering_staff set removed_at = case when removes then sent_at(request) end
  where id = staff and course_offering_id = offering and (removed_at is not null) <> removes returning * into changed;
  if changed.id is null then
    select * into changed from offering_staff where id = staff and course_offering_id = offering;
    return changed;
  end if;
  perform audit(case when removes then 'offering_staff.removed' else 'offering_staff.readmitted' end, actor,
    changed.user_id, changed.university_id, jsonb_strip_nulls(jsonb_build_object(
      'course_offering_id', offering, 'role', changed.role, 'lti_context_id', changed.lti_context_id)), request);
  return changed;
end $$;
--> statement-breakpoint
-- What a university has said of how long it keeps things, as JSON; null where it has said nothing.
create or replace function retention_of(university integer) returns jsonb language sql stable as $$
  select jsonb_build_object('archive_days', policy.archive_days, 'periods', coalesce((
    select jsonb_agg(jsonb_build_object('kind', kind, 'days', days, 'set_at', set_at, 'counted_at', counted_at))
    from retention_periods as period where period.university_id = university), '[]'))
  from retention_policies as policy where policy.university_id = university
$$;
--> statement-breakpoint
-- When the time begins to run after which something of a person is forgotten: with the end of its offering; of what has none,
-- with the last end of the offerings of its course in which they have a place. Where one of them has no end, or there is
-- none, when they last acted in the course. Null for what belongs to no course: it has its own moment. 0 names nothing.
create or replace function retention_start(person integer, offering integer, course integer) returns timestamptz
language sql stable as $$
  select case
    when offering > 0 then coalesce(term_end_of(offering),
      last_act_in(person, (select course_id from course_offerings where id = offering)))
    when course > 0 then coalesce((
      select case when bool_and(ending is not null) then max(ending) end from (
        select term_end_of(run.id) as ending
        from enrollments as place join course_offerings as run on run.id = place.course_offering_id
        where place.user_id = person and run.course_id = course) as seat
    ), last_act_in(person, course)) end
$$;
--> statement-breakpoint
-- Gives one submission back for another attempt; a grade that it had is taken back. What is returned stays so. `refusal`
-- as for a grade, and 'final' of any: there is no other attempt.
create or replace function return_one_submission(
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
    set status = 'returned', graded_alone = false, returned_at = moment, instructor_feedback = feedback, rubric = null, score_obtained = null,
        max_score = null, grade_source = null, graded_at = null, graded_by_user_id = grader,
        claimed_by_user_id = null, claimed_until = null
    where one.id = the_submission returning one.* into submission;
    perform note_grade_of_submission('submission_returned', former, submission, null, grader, moment, request);
  end if;
  return next;
end $$;
--> statement-breakpoint
-- The same, and of work that was handed in for a group all that may be given back.
create or replace function return_submission(
  the_submission bigint, grader integer, feedback text, moment timestamptz, request jsonb, file_ids bigint[]
) returns table (refusal text, submission lab_submissions) language plpgsql as $$
declare
  done record;
begin
  perform lock_submission(the_submission);
  perform gather_feedback_files(the_submission);
  select * into done from return_one_submission(the_submission, grader, feedback, moment, request, file_ids);
  if not found then return; end if;
  refusal := done.refusal;
  submission := done.submission;
  if refusal is null then
    perform return_one_submission(mate.id, grader, feedback, moment, request, null)
    from (
      select one.id from lab_submissions as one
      where one.group_work = submission.group_work and one.id <> the_submission and one.status <> 'returned' order by one.id
    ) as mate;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Levels that a grade has kept, worth that many times as much.
create or replace function scaled_levels(levels jsonb, factor numeric) returns jsonb language sql immutable as $$
  select jsonb_agg(one || jsonb_build_object(
    'points', round((one ->> 'points')::numeric * factor, 2), 'most', round((one ->> 'most')::numeric * factor, 2))
    order by place)
  from jsonb_array_elements(levels) with ordinality as listed (one, place)
$$;
--> statement-breakpoint
-- Sets how an offering is graded; what `given` leaves out stays as it was, or as most are graded. Final grades stay.
-- Nothing is set, where `missing` is an item of a group that the course does not have, or `is_other`, where it has none of
-- the `expected` versions.
create or replace function set_grading_scheme(
  offering integer, given jsonb, setter integer, moment timestamptz, request jsonb, expected integer[] default null
) returns table (missing integer, is_other boolean, scheme grading_schemes) language plpgsql as $$
declare
  former_percent numeric;
begin
  select named.id::int into missing
  from jsonb_array_elements(given -> 'groups') as one, jsonb_array_elements_text(one -> 'content_item_ids') as named (id)
  where not exists (
    select from content_items as item join course_offerings as run on run.course_id = item.course_id
    join content_types as type on type.id = item.content_type_id and type.takes_result
    where run.id = offering and item.id = named.id::int)
  order by named.id::int limit 1;
  perform lock_grades(offering);
  select coalesce(usual.version <> all (expected), false) into is_other from grading_of(offering) as usual;
  if missing is null and not is_other then
    select usual.late_percent_per_day into former_percent from grading_of(offering) as usual;
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
    from grading_of(offering) as usual
    on conflict (course_offering_id) do update
      set letter_scale = excluded.letter_scale, passing_percent = excluded.passing_percent, groups = excluded.groups,
          release_mode = excluded.release_mode, drop_lowest = excluded.drop_lowest,
          late_percent_per_day = excluded.late_percent_per_day, max_late_days = excluded.max_late_days, version = default,
          updated_at = excluded.updated_at
    returning one.* into scheme;
    if scheme.late_percent_per_day is distinct from former_percent then
      perform regrade_late_work(array[offering], null);
    end if;
    perform audit('grading_scheme.changed', setter, null, run.university_id,
      jsonb_build_object('course_offering_id', offering), request)
    from course_offerings as run where run.id = offering;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Sets how many days after its term each kind is forgotten, `{"conversations": 180, "grades": null}`, and for how many an
-- archive of it is kept, where that is given; what is not named stays. What is new, or shorter than before, waits anew.
-- Refused, by the constraint `retention_grades_last`, where grades would go before the attempts that they were given for.
create or replace function set_retention(
  university integer, kinds jsonb, the_archive_days integer, actor integer, moment timestamptz, request jsonb
) returns jsonb language plpgsql as $$
begin
  perform hold_policy(university);
  update retention_policies set archive_days = the_archive_days
  where university_id = university and the_archive_days is not null;
  delete from retention_periods where university_id = university and kinds -> kind = 'null';
  insert into retention_periods as former (university_id, kind, days, set_at)
  select university, key, value::int, moment from jsonb_each_text(kinds) where value is not null
  on conflict (university_id, kind) do update set days = excluded.days,
    set_at = case when excluded.days < former.days then moment else former.set_at end,
    counted_at = case when excluded.days < former.days then null else former.counted_at end;
  if exists (
    select from retention_periods as grades
    left join retention_periods as work on work.university_id = university and work.kind = 'submissions'
    where grades.university_id = university and grades.kind = 'grades' and coalesce(work.days > grades.days, true)
  ) then
    raise exception 'grades before submissions' using errcode = 'check_violation', constraint = 'retention_grades_last';
  end if;
  perform audit('retention.set', actor, null, university,
    jsonb_build_object('kinds', kinds, 'archive_days', the_archive_days), request);
  return retention_of(university);
end $$;
--> statement-breakpoint
-- Of people of a roster those of whom nothing is new: who they are, what they are here, and what the LMS tells of them. Of
-- most that is so, and they take one look at many, and no lock.
create or replace function settled_lti_members(the_context integer, members jsonb) returns setof text
language sql stable as $$
  select told.subject
  from lti_contexts as bound
  cross join jsonb_to_recordset(members) as told (subject text, name text, email text, sourced_id text, role text)
  join lti_people as known on known.platform_id = bound.platform_id and known.subject = told.subject
  join users as account on account.id = known.user_id and account.is_active
  where bound.id = the_context
    and (known.told_name, known.told_email, known.told_sourced_id)
      is not distinct from (told.name, told.email, told.sourced_id)
    and has_lti_role(bound, account.id, told.role)
$$;
--> statement-breakpoint
-- Gives the other members of a group who have a place in the offering, and no final grade, what one has handed in: each as
-- their own next attempt, due when it is for them.
create or replace function share_work(work lab_submissions, moment timestamptz) returns void language plpgsql as $$
declare
  mate record;
  given lab_submissions;
begin
  for mate in
    select member.user_id, dates.due_at
    from offering_group_members as member
    join enrollments as taking on taking.course_offering_id = member.course_offering_id and taking.user_id = member.user_id
      and taking.is_admitted
    cross join lateral item_dates(member.course_offering_id, member.user_id, array[work.content_item_id]) as dates
    where member.group_id = work.group_id and member.group_role = 'member' and member.user_id <> work.user_id
      and not is_grade_final(member.course_offering_id, member.user_id)
    order by member.user_id
  loop
    given := null;
    while given.id is null loop
      insert into lab_submissions as one (
        user_id, course_offering_id, content_item_id, attempt_number, submitted_at, due_at, is_late, body, links,
        data_json, artifacts_url, group_id, group_work)
      select mate.user_id, work.course_offering_id, work.content_item_id, coalesce(max(former.attempt_number), 0) + 1, moment,
             mate.due_at, coalesce(moment > mate.due_at, false), work.body, work.links, work.data_json, work.artifacts_url,
             work.group_id, work.group_work
      from lab_submissions as former
      where former.user_id = mate.user_id and former.course_offering_id = work.course_offering_id
        and former.content_item_id = work.content_item_id
      on conflict do nothing returning one.* into given;
    end loop;
    perform begin_item(mate.user_id, work.course_offering_id, work.content_item_id, moment, moment);
  end loop;
end $$;
--> statement-breakpoint
-- The submissions whose feedback one has: its own where it was graded alone, else that of all that are not.
create or replace function shared_feedback(the_submission bigint) returns setof bigint language sql stable as $$
  select the_submission
  union
  select one.id from lab_submissions as named join lab_submissions as one on one.group_work = named.group_work
  where named.id = the_submission and not named.graded_alone and not one.graded_alone
$$;
--> statement-breakpoint
-- The submissions that a file of one of them is of: what was handed in together for a group.
create or replace function shared_submissions(the_submission bigint) returns setof bigint language sql stable as $$
  select the_submission
  union
  select one.id from lab_submissions as named join lab_submissions as one on one.group_work = named.group_work
  where named.id = the_submission
$$;
--> statement-breakpoint
-- Who else has what was handed in for a group: `[{"submission_id", "user_id", "full_name"}, …]`, by their ids.
create or replace function shared_with(work lab_submissions) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'submission_id', one.id, 'user_id', one.user_id,
    'full_name', case when person.erased_at is null then person.full_name end) order by one.id), '[]')
  from lab_submissions as one join users as person on person.id = one.user_id
  where one.group_work = work.group_work and one.id <> work.id
$$;
--> statement-breakpoint
-- Signs in whom a university's provider names, and makes them one of its people; the first time by their address. The
-- refusals: `domain`, an address that the provider may not vouch for (null for one that it has not verified); `taken`, as
-- `link_identity` refuses.
create or replace function sign_in_by_university(
  the_provider integer, the_subject text, address text, name text, request jsonb,
  out refusal text, out person integer, out version integer
) language plpgsql as $$
declare
  trusted identity_providers;
  provider_name text;
  is_first boolean;
begin
  select * into trusted from identity_providers where id = the_provider for key share;
  provider_name := trusted.university_id || '.' || trusted.name;
  person := (select user_id from user_identities where provider = provider_name and subject = the_subject);
  is_first := person is null;
  if is_first then
    if not coalesce(trusted.vouches, false) or not exists (
      select from university_domains
      where university_id = trusted.university_id and domain = split_part(address, '@', 2)
    ) then
      refusal := 'domain';
      return;
    end if;
    perform lock_directory_address(trusted.university_id, address);
    perform from scim_users
    where university_id = trusted.university_id and email = address and user_id is null order by id for update;
    insert into users (email, full_name, email_verified_at) values (address, name, sent_at(request))
    on conflict (email) do nothing;
    person := (select id from users where email = address);
  end if;
  perform from users where id = person for update;
  if exists (
    select from user_identities where provider = provider_name and subject = the_subject and user_id = person
  ) then
    version := (select token_version from users where id = person and is_active);
  else
    version := (
      select linked.token_version from link_identity(provider_name, the_subject, address, name, request) as linked
      where linked.id = person);
  end if;
  if refusal is null and version is null then refusal := 'taken'; end if;
  if refusal is null and not exists (
    select from user_university_roles where user_id = person and university_id = trusted.university_id
  ) then
    insert into user_university_roles (user_id, university_id, role) values (person, trusted.university_id, 'student')
    on conflict do nothing;
    perform audit('role.granted', person, person, trusted.university_id,
                  jsonb_build_object('role', 'student', 'provider', provider_name), request);
  end if;
  -- Whom the directory has suspended before it knew who they are is so from the first moment on.
  if refusal is null and is_first then
    perform link_scim_user_of(trusted.university_id, address, person, person, request);
  end if;
  if refusal is null then
    perform audit('sign_in', person, person, trusted.university_id, jsonb_build_object('provider', provider_name),
                  request);
  end if;
end $$;
--> statement-breakpoint
-- Who is on the list for one course, or for all without one, as often as they were noted.
create or replace function stale_course_progress(course integer) returns setof stale_trees
language sql stable parallel safe as $$
  select stale.* from stale_trees as stale left join course_offerings as run on run.id = stale.course_offering_id
  where course is null or run.course_id = course
$$;
--> statement-breakpoint
-- Hands in a person's next attempt. The same again, while it waits for its grade, is answered as it is. `refusal` says
-- why there is none: one of `work_access` (outline.sql), 'not enrolled', 'final', 'closed', 'no attempt left', or 'no file'
-- and the id of one that may not be handed in there (files.sql), or one of `group_of_work`. What was returned is no attempt that counts. What comes
-- before a grade is final is seen by whoever makes it so.
create or replace function submit_work(
  person integer, offering integer, item integer, given jsonb, moment timestamptz, today date
) returns table (refusal text, is_new boolean, submission lab_submissions) language plpgsql as $$
#variable_conflict use_column
declare
  rules record;
  work record;
  for_group record;
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
  from jsonb_to_record(given) as one (
    body text, links text[], data_json jsonb, artifacts_url text, file_ids bigint[], group_id integer);
  if refusal is null then
    select * into for_group from group_of_work(item, offering, person, work.group_id);
    refusal := for_group.refusal;
    if for_group.id is not null then
      perform pg_advisory_xact_lock(hashtextextended('work of groups in an item', offering::bigint << 32 | item));
    end if;
  end if;
  while refusal is null and not is_new loop
    select one.* into submission from lab_submissions as one
    where one.user_id = person and one.course_offering_id = offering and one.content_item_id = item
    order by one.attempt_number desc limit 1;
    if submission.status = 'submitted' and (submission.body, submission.links, submission.data_json, submission.artifacts_url)
         is not distinct from (work.body, work.links, work.data_json, work.artifacts_url::varchar)
       and submission.group_id is not distinct from for_group.id
       and coalesce(work.file_ids, '{}') = array(
         select file_id from file_uses where submission_id in (select shared_submissions(submission.id)) order by place) then
      return next;
      return;
    end if;
    refusal := case
      when moment > rules.closes_at then 'closed'
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
        data_json, artifacts_url, group_id, group_work)
      -- The next after the one that was looked at: where another came meanwhile, it takes this number.
      values (person, offering, item, coalesce(submission.attempt_number, 0) + 1, moment, rules.due_at,
        coalesce(moment > rules.due_at, false), work.body, work.links, work.data_json, work.artifacts_url,
        for_group.id, case when for_group.id is not null then gen_random_uuid() end)
      on conflict do nothing returning one.* into submission;
      is_new := found;
    end if;
  end loop;
  if refusal is null then
    insert into file_uses (file_id, submission_id, place)
    select id, submission.id, number from unnest(work.file_ids) with ordinality as one (id, number);
    perform begin_item(person, offering, item, moment, moment);
    if submission.group_id is not null then perform share_work(submission, moment); end if;
    perform record_activity(
      person, 'submitted', 'content_item', item, rules.university_id, item, offering, moment, today);
  else
    submission := null;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Has what is under way, or was handed in, in an offering take a date that is later than its own; an earlier one changes
-- neither. Of these items and of this person, or of all with null. An attempt that had no deadline gets one. A final grade
-- that a late score is part of is outdated, where less is taken off it then.
create or replace function take_later_dates(
  the_offering integer, items integer[], person integer, moment timestamptz
) returns void language plpgsql as $$
declare
  graded record;
  counted numeric;
begin
  update quiz_attempts as mine
  set due_at = case when mine.due_at is null then greatest(mine.started_at, later.due_at)
                    when later.due_at is not null then greatest(mine.due_at, later.due_at) end
  from (
    select one.id,
           quiz_deadline(one.content_item_id, one.course_offering_id, one.user_id, one.started_at, moment) as due_at
    from quiz_attempts as one
    where one.course_offering_id = the_offering and one.submitted_at is null and not is_over(one, moment)
      and (items is null or one.content_item_id = any (items)) and (person is null or one.user_id = person)
    order by one.id for update of one
  ) as later
  where mine.id = later.id and mine.due_at is distinct from later.due_at;
  for graded in
    select one.id, one.user_id, one.content_item_id, dates.due_at
    from lab_submissions as one
    cross join lateral item_dates(one.course_offering_id, one.user_id, array[one.content_item_id]) as dates
    where one.course_offering_id = the_offering and one.is_late and one.status = 'graded'
      and (items is null or one.content_item_id = any (items)) and (person is null or one.user_id = person)
      and (dates.due_at is null or dates.due_at > one.due_at) and is_grade_final(the_offering, one.user_id)
    order by one.id for update of one
  loop
    counted := lock_counted_score(the_offering, graded.user_id, graded.content_item_id);
    update lab_submissions as work
    set due_at = graded.due_at, is_late = coalesce(work.submitted_at > graded.due_at, false) where work.id = graded.id;
    perform outdate_final_grade(the_offering, graded.user_id, graded.content_item_id, counted);
  end loop;
  update lab_submissions as work
  set due_at = later.due_at, is_late = coalesce(work.submitted_at > later.due_at, false)
  from (
    select one.id, dates.due_at
    from lab_submissions as one
    cross join lateral item_dates(one.course_offering_id, one.user_id, array[one.content_item_id]) as dates
    where one.course_offering_id = the_offering and one.due_at is not null
      and (items is null or one.content_item_id = any (items)) and (person is null or one.user_id = person)
    order by one.id for update of one
  ) as later
  where work.id = later.id and (later.due_at is null or later.due_at > work.due_at);
end $$;
--> statement-breakpoint
-- The end of an offering: its term's last day there, else its own end; null where nothing says when it ends.
create or replace function term_end_of(offering integer) returns timestamptz language sql stable as $$
  select coalesce((term.ends_on + 1)::timestamp at time zone place.time_zone, run.ends_at)
  from course_offerings as run join universities as place on place.id = run.university_id
  left join terms as term on term.id = run.term_id
  where run.id = offering
$$;
--> statement-breakpoint
-- What trees come to, by course and day, and by course and month.
create or replace function totals_of_trees(trees course_trees[]) returns setof tree_totals language sql immutable as $$
  select tree.course_id, total.is_month, total.day, sum(change.completed)::integer, sum(change.interrupted)::integer
  from unnest(trees) as tree cross join lateral tree_changes(tree) as change
  cross join lateral (values (false, change.day), (true, date_trunc('month', change.day)::date)) as total (is_month, day)
  group by 1, 2, 3
$$;
--> statement-breakpoint
-- The days on which a tree is completed, and on which it becomes interrupted or is so no more: up to any day their sum
-- says whether it is.
create or replace function tree_changes(tree course_trees) returns table (day date, completed integer, interrupted integer)
language sql immutable as $$
  select tree.completed_on, 1, 0 where tree.completed_on is not null
  union all
  select change.day, 0, change.amount
  from unnest(datemultirange(daterange(tree.begun_on, tree.completed_on)) - tree.fresh_on) as span
  cross join lateral (values (lower(span), 1), (upper(span), -1)) as change (day, amount)
  where change.day is not null
$$;
--> statement-breakpoint
-- Answers that are not counted yet: of all, which are found by their moment, or of one university, in the conversations in which
-- something was asked there since the day before. None where that is too much.
create or replace function uncounted_answers(university integer) returns setof answer_facts
language sql stable parallel safe set enable_seqscan = off as $$
  select * from answer_facts
  where university is null and moment >= (select counted_until()) and not (select are_answers_behind(null))
  union all
  select fact.* from (
    select distinct talk.id from activity_events as event
    join chat_sessions as talk on talk.user_id = event.user_id and talk.content_item_id = event.content_item_id
    where event.university_id = university and event.verb = 'asked'
      and event.occurred_at >= (select counted_until()) - interval '1 day' and not (select are_answers_behind(university))
  ) as asked join answer_facts as fact on fact.session_id = asked.id
  where fact.moment >= (select counted_until())
$$;
--> statement-breakpoint
-- A warming as staff read it. Its calls are those that were begun for it, also by a process that was killed.
create or replace function warming_report(the_warming bigint) returns json language sql stable as $$
  select json_build_object(
    'id', one.id, 'content_item_id', one.content_item_id, 'state', one.state, 'stop_reason', one.stop_reason,
    'prompt_name', one.prompt_name, 'prompt_version', one.prompt_version, 'model', one.model,
    'most_nodes', one.most_nodes,
    'by_batch', one.by_batch,
    'estimate', json_build_object('calls', nodes.planned, 'input_tokens', one.estimated_input_tokens,
                                  'output_tokens', one.estimated_output_tokens),
    'by_batch_of_estimate', json_build_object('input_tokens', one.estimated_batch_input_tokens,
                                              'output_tokens', one.estimated_batch_output_tokens),
    'nodes', row_to_json(nodes), 'calls', made.calls, 'cost_micros', made.cost_micros,
    'created_at', one.created_at, 'started_at', one.started_at, 'ended_at', one.ended_at)
  from warmings as one
  cross join lateral (
    select count(*)::int as planned, count(*) filter (where state = 'waiting')::int as waiting,
           count(*) filter (where state = 'made')::int as made, count(*) filter (where state = 'found')::int as found,
           count(*) filter (where state = 'left_out')::int as left_out,
           count(*) filter (where state = 'failed')::int as failed
    from warming_nodes where warming_id = one.id
  ) as nodes
  cross join lateral (
    select count(*)::int as calls, sum(cost_micros)::float8 as cost_micros from llm_calls
    where content_item_id = one.content_item_id and warming_id = one.id
  ) as made
  where one.id = the_warming
$$;
--> statement-breakpoint
-- An item's data with a rubric that is in step with its points, where those alone are others than in its `former` data: a
-- rubric that was written anew stays as it was written.
create or replace function with_scaled_rubric(data jsonb, former jsonb, content_type text) returns jsonb
language sql immutable as $$
  select case when data -> 'rubric' = former -> 'rubric' and points_of_item(content_type, former) > 0
      and points_of_item(content_type, data) <> points_of_item(content_type, former)
    then jsonb_set(data, '{rubric,criteria}', (
      select jsonb_agg(criterion || jsonb_build_object('levels', (
        select jsonb_agg(level || jsonb_build_object('points', round((level ->> 'points')::numeric
          / points_of_item(content_type, former) * points_of_item(content_type, data), 2)) order by number)
        from jsonb_array_elements(criterion -> 'levels') with ordinality as part (level, number))) order by place)
      from jsonb_array_elements(data #> '{rubric,criteria}') with ordinality as listed (criterion, place)))
    else data end
$$;
--> statement-breakpoint
drop function work_rules(integer,integer,integer);
--> statement-breakpoint
-- What holds for a person in a lab or an assignment: what its item says, and in its place what they are granted. Without
-- a limit work may be handed in again and again, and late, unless the item says that it takes none, or it is said for how
-- many days (counted-grades.sql): it is taken until `closes_at`. No row: the offering's course has no such item.
create or replace function work_rules(the_item integer, the_offering integer, person integer)
returns table (
  university_id integer, due_at timestamptz, most_attempts integer, takes_late boolean, max_points numeric,
  closes_at timestamptz
) language sql stable as $$
  select offering.university_id, dates.due_at,
         coalesce(granted.max_attempts,
                  clamped(json_number(item.data_json -> 'max_attempts'), 1, 1000000)::int),
         item.data_json -> 'accepts_late' is distinct from 'false', points_of_item(type.name, item.data_json),
         case when item.data_json -> 'accepts_late' = 'false' then dates.due_at
              else dates.due_at + make_interval(hours => 24 * late.most_days) end
  from course_offerings as offering
  join content_items as item on item.id = the_item and item.course_id = offering.course_id
  join content_types as type
    on type.id = item.content_type_id and type.name in ('engineering_lab', 'assignment')
  left join quiz_overrides as granted
    on granted.course_offering_id = offering.id and granted.content_item_id = item.id and granted.user_id = person
  cross join lateral item_dates(offering.id, person, array[item.id]) as dates
  cross join lateral late_rules(offering.id, item.data_json) as late
  where offering.id = the_offering
$$;
--> statement-breakpoint
-- Makes a record, or replaces what it says. `missing` without one of that id, `stale` where it has none of the expected
-- versions, else `written` with the record. A name or an external id that another record has breaks the key of scim_users.
create or replace function write_scim_user(
  university integer, the_record integer, wanted jsonb, expected integer[], actor integer, request jsonb
) returns table (outcome text, record scim_users) language plpgsql as $$
#variable_conflict use_column
declare
  said scim_users := jsonb_populate_record(null::scim_users, wanted);
  former scim_users;
  is_linked boolean;
begin
  if the_record is null then
    if said.email is not null then perform lock_directory_address(university, said.email); end if;
    insert into scim_users (university_id, user_name, external_id, email, full_name, is_active, attributes)
    values (university, said.user_name, said.external_id, said.email, said.full_name, said.is_active, said.attributes)
    returning * into record;
    perform audit('scim_user.created', actor, null, university, jsonb_build_object('scim_user_id', record.id), request);
  else
    select * into former from scim_users as one where one.id = the_record and one.university_id = university for update;
    if former.id is null or not former.version = any (coalesce(expected, array[former.version])) then
      outcome := case when former.id is null then 'missing' else 'stale' end;
      record := former;
      return next;
      return;
    end if;
    if former.email is distinct from said.email then perform revoke_scim_offer(former, request); end if;
    update scim_users as one set user_name = said.user_name, external_id = said.external_id, email = said.email,
      full_name = said.full_name, is_active = said.is_active, attributes = said.attributes,
      version = one.version + 1, updated_at = service_now()
    where one.id = the_record returning one.* into record;
  end if;
  is_linked := former.user_id is not null;
  record := find_scim_person(record.id, actor, request);
  if record.user_id is not null then
    perform from users where id = record.user_id for no key update;
    if not is_linked then perform settle_scim_roles(university, array[record.id], actor, request); end if;
    perform settle_scim_names(record);
    if not is_linked or former.is_active <> record.is_active then
      perform settle_scim_activity(record, actor, request);
    end if;
  end if;
  outcome := 'written';
  return next;
end $$;
--> statement-breakpoint
create or replace trigger count_grade_version before update of score_obtained, max_score, due_at, is_late on lab_submissions
  for each row when (coalesce(new.score_obtained, old.score_obtained) is not null
    and (new.score_obtained, new.max_score, late_days_of(new))
      is distinct from (old.score_obtained, old.max_score, late_days_of(old)))
  execute function count_grade_version();
--> statement-breakpoint
create or replace trigger follow_changed_trees after update on course_trees
  referencing old table as overwritten new table as written for each statement execute function follow_trees();
--> statement-breakpoint
create or replace trigger follow_gone_trees after delete on course_trees
  referencing old table as overwritten for each statement execute function follow_trees();
--> statement-breakpoint
create or replace trigger follow_trees after insert on course_trees
  referencing new table as written for each statement execute function follow_trees();
--> statement-breakpoint
-- Also where it was taken back, and where a later date has it be less late.
create or replace trigger mark_graded_lti_score after update of score_obtained, max_score, status, due_at, is_late on lab_submissions
  for each row when ((new.score_obtained, new.max_score, new.status, late_days_of(new))
    is distinct from (old.score_obtained, old.max_score, old.status, late_days_of(old))) execute function mark_graded_lti_score();
--> statement-breakpoint
-- What people make and say beside the courses, as it stands.
create or replace view community_facts (user_id, measure, course_id, moment, since, amount) as
  select user_id, 'notes', null::int, created_at, null::timestamptz, 1::numeric from notes
  union all
  select user_id, 'flashcards', null, created_at, null, 1::numeric from flashcards
  union all
  select card.user_id, 'flashcard_reviews', null, own.reviewed_at, null, 1::numeric
  from flashcard_reviews as own join flashcards as card on card.id = own.flashcard_id
  union all
  select user_id, 'discussion_posts', null, created_at, null, 1::numeric from discussion_posts where not is_deleted
  union all
  select user_id, counted.measure, null, created_at, null, counted.amount from course_reviews
  cross join lateral (values ('course_reviews', 1::numeric), ('course_ratings', rating)) as counted (measure, amount);
--> statement-breakpoint
-- How enrollments stand, counted by the course: a report of all of them would name a million one by one. One that was
-- completed on its owner's word is as it was before.
create or replace view enrollment_facts (user_id, measure, course_id, moment, since, amount) as
  select null::integer, counted.measure, enrolled.course_id, null::timestamptz, null::timestamptz, counted.amount::numeric
  from (
    select run.course_id,
           count(*) filter (where mine.status = 'active' or mine.completion_source = 'self') as active,
           count(*) filter (where mine.status = 'completed' and mine.completion_source <> 'self') as completed,
           count(*) filter (where mine.status = 'dropped') as dropped,
           count(*) filter (where mine.status = 'pending') as pending,
           count(*) filter (where mine.status = 'waitlisted') as waitlisted
    from enrollments as mine left join course_offerings as run on run.id = mine.course_offering_id
    group by run.course_id
  ) as enrolled
  cross join lateral (values
    ('enrollments_active', active), ('enrollments_completed', completed), ('enrollments_dropped', dropped),
    ('enrollments_pending', pending), ('enrollments_waitlisted', waitlisted)) as counted (measure, amount)
  where counted.amount > 0;
--> statement-breakpoint
drop view standing_facts;
--> statement-breakpoint
-- Both, for the version before.
create or replace view standing_facts (user_id, measure, course_id, moment, since, amount) as
  select * from enrollment_facts
  union all
  select * from community_facts;
--> statement-breakpoint
set local check_function_bodies = on;
--> statement-breakpoint
-- From here on the triggers follow them.
select count_tree_totals(null);
