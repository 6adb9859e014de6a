set local check_function_bodies = off;
--> statement-breakpoint
drop function counted_cells(integer,integer[],boolean);
--> statement-breakpoint
drop function grade_one_submission(bigint,integer,numeric,text,text,timestamp with time zone,jsonb,bigint[],jsonb);
--> statement-breakpoint
drop function grade_submission(bigint,integer,numeric,text,text,timestamp with time zone,jsonb,bigint[],jsonb,boolean);
--> statement-breakpoint
drop function open_turn(bigint,integer,integer,text,text,text,bigint,uuid,text,text[],text,integer,text,date,timestamp with time zone,integer,text,boolean,text,integer);
--> statement-breakpoint
CREATE TABLE "anonymous_codes" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "anonymous_codes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"code" varchar(8) NOT NULL,
	CONSTRAINT "anonymous_codes_person_unique" UNIQUE("course_offering_id","content_item_id","user_id"),
	CONSTRAINT "anonymous_codes_unique" UNIQUE("course_offering_id","content_item_id","code")
);
--> statement-breakpoint
CREATE TABLE "data_requests" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "data_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"received_on" date NOT NULL,
	"correction" jsonb,
	"made_by_user_id" integer,
	"made_at" timestamp (3) with time zone NOT NULL,
	"decided_by_user_id" integer,
	"decided_at" timestamp (3) with time zone,
	"reason" text,
	"erased_user_id" integer,
	"done_at" timestamp (3) with time zone,
	"available_until" timestamp (3) with time zone,
	CONSTRAINT "data_requests_kind_check" CHECK ("data_requests"."kind" in ('export', 'rectify', 'erase')),
	CONSTRAINT "data_requests_state_check" CHECK ("data_requests"."state" in ('open', 'approved', 'rejected', 'done')),
	CONSTRAINT "data_requests_four_eyes_check" CHECK ("data_requests"."state" in ('open', 'rejected') or "data_requests"."made_by_user_id" <> "data_requests"."decided_by_user_id"),
	CONSTRAINT "data_requests_own_check" CHECK ("data_requests"."user_id" <> "data_requests"."made_by_user_id" and "data_requests"."user_id" <> "data_requests"."decided_by_user_id"),
	CONSTRAINT "data_requests_decided_check" CHECK (("data_requests"."state" = 'open') = ("data_requests"."decided_at" is null) and ("data_requests"."state" = 'done') = ("data_requests"."done_at" is not null)),
	CONSTRAINT "data_requests_erased_check" CHECK ("data_requests"."erased_user_id" is null or ("data_requests"."kind" = 'erase' and "data_requests"."state" = 'approved')),
	CONSTRAINT "data_requests_correction_check" CHECK ("data_requests"."correction" is null or ("data_requests"."kind" = 'rectify' and "data_requests"."state" = 'open'))
);
--> statement-breakpoint
CREATE TABLE "submission_marks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "submission_marks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"submission_id" bigint NOT NULL,
	"place" integer NOT NULL,
	"grader_id" integer,
	"score" numeric(6, 2) NOT NULL,
	"rubric" jsonb,
	"feedback" text,
	"marked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "submission_marks_grader_unique" UNIQUE("submission_id","grader_id"),
	CONSTRAINT "submission_marks_place_unique" UNIQUE("submission_id","place"),
	CONSTRAINT "submission_marks_place_check" CHECK ("submission_marks"."place" in (1, 2))
);
--> statement-breakpoint
ALTER TABLE "university_offices" DROP CONSTRAINT "university_offices_office_right_check";
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "invitations" DROP CONSTRAINT "invitations_source_check";
--> statement-breakpoint
ALTER TABLE "mail_outbox" DROP CONSTRAINT "mail_outbox_kind_check";
--> statement-breakpoint
ALTER TABLE "notification_preferences" DROP CONSTRAINT "notification_preferences_kind_check";
--> statement-breakpoint
ALTER TABLE "notifications" DROP CONSTRAINT "notifications_kind_check";
--> statement-breakpoint
DROP INDEX "university_members_suspended_index";
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD COLUMN "learner_user_id" integer;
--> statement-breakpoint
ALTER TABLE "university_members" ADD COLUMN "tokens_ended_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "anonymous_codes" ADD CONSTRAINT "anonymous_codes_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "anonymous_codes" ADD CONSTRAINT "anonymous_codes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "anonymous_codes" ADD CONSTRAINT "anonymous_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "data_requests" ADD CONSTRAINT "data_requests_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "data_requests" ADD CONSTRAINT "data_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "data_requests" ADD CONSTRAINT "data_requests_made_by_user_id_users_id_fk" FOREIGN KEY ("made_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "data_requests" ADD CONSTRAINT "data_requests_decided_by_user_id_users_id_fk" FOREIGN KEY ("decided_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "data_requests" ADD CONSTRAINT "data_requests_erased_user_id_users_id_fk" FOREIGN KEY ("erased_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "submission_marks" ADD CONSTRAINT "submission_marks_submission_id_lab_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."lab_submissions"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "submission_marks" ADD CONSTRAINT "submission_marks_grader_id_users_id_fk" FOREIGN KEY ("grader_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "anonymous_codes_user_id_index" ON "anonymous_codes" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "anonymous_codes_content_item_id_index" ON "anonymous_codes" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "data_requests_university_id_id_index" ON "data_requests" USING btree ("university_id","id");
--> statement-breakpoint
CREATE INDEX "data_requests_user_id_index" ON "data_requests" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "data_requests_made_by_user_id_index" ON "data_requests" USING btree ("made_by_user_id");
--> statement-breakpoint
CREATE INDEX "data_requests_decided_by_user_id_index" ON "data_requests" USING btree ("decided_by_user_id");
--> statement-breakpoint
CREATE INDEX "data_requests_erased_user_id_index" ON "data_requests" USING btree ("erased_user_id");
--> statement-breakpoint
CREATE INDEX "data_requests_approved_index" ON "data_requests" USING btree ("id") WHERE "data_requests"."state" = 'approved';
--> statement-breakpoint
CREATE UNIQUE INDEX "data_requests_open_unique" ON "data_requests" USING btree ("university_id","user_id","kind") WHERE "data_requests"."state" in ('open', 'approved');
--> statement-breakpoint
CREATE INDEX "submission_marks_grader_id_index" ON "submission_marks" USING btree ("grader_id");
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_learner_user_id_users_id_fk" FOREIGN KEY ("learner_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "discussion_threads_learner_user_id_index" ON "discussion_threads" USING btree ("learner_user_id") WHERE "discussion_threads"."learner_user_id" is not null;
--> statement-breakpoint
CREATE INDEX "university_members_family_name_index" ON "university_members" USING btree ("university_id",coalesce(searched(family_name), ''),"search_text","user_id");
--> statement-breakpoint
CREATE INDEX "university_members_tokens_ended_index" ON "university_members" USING btree ("user_id") WHERE tokens_ended_at is not null;
--> statement-breakpoint
ALTER TABLE "university_offices" ADD CONSTRAINT "university_offices_office_right_check" CHECK ("university_offices"."office_right" in ('accommodation:write', 'retention:write', 'data-request:write'));
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'api_key.created', 'api_key.revoked', 'api_key.adopted', 'scim_user.created', 'scim_user.deleted', 'scim_group.mapped', 'office.granted', 'office.revoked', 'accommodation.granted', 'accommodation.withdrawn', 'person.read', 'retention.set', 'retention.counted', 'retention.held', 'retention.released', 'retention.forgotten', 'data_request.made', 'data_request.approved', 'data_request.rejected', 'data_request.exported', 'data_request.done', 'group.created', 'group.changed', 'group.deleted', 'group.member_added', 'group.member_removed', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'lti_platform.created', 'lti_platform.changed', 'lti_platform.removed', 'lti_deployment.admitted', 'lti_deployment.removed', 'lti_context.bound', 'lti_context.unbound', 'lti_person.linked', 'lti_person.unlinked', 'offering_staff.named', 'offering_staff.removed', 'offering_staff.readmitted', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'member.corrected', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'prompt.rollout_started', 'prompt.rollout_promoted', 'prompt.rollout_stopped', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'tutor_progress.read', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused', 'lti_roster.taken'));
--> statement-breakpoint
ALTER TABLE "discussion_threads" ADD CONSTRAINT "discussion_threads_learner_check" CHECK ("discussion_threads"."learner_user_id" is null or ("discussion_threads"."visible" = 'staff' and "discussion_threads"."learner_user_id" <> "discussion_threads"."created_by_user_id"));
--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_source_check" CHECK ("invitations"."source" in ('operation', 'import', 'directory', 'installation'));
--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD CONSTRAINT "mail_outbox_kind_check" CHECK ("mail_outbox"."kind" in ('password_reset', 'password_changed', 'verify_email', 'change_email', 'email_changed', 'invitation', 'notifications', 'api_keys', 'data_request'));
--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_kind_check" CHECK ("notification_preferences"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained', 'private_message', 'rollout_stopped', 'tutor_handover'));
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_kind_check" CHECK ("notifications"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_outdated', 'grade_released', 'place_obtained', 'private_message', 'rollout_stopped', 'tutor_handover'));
--> statement-breakpoint
-- Gives a person who has its address what an invitation offers, as far as who made it may still give it. Answers why
-- not, and then gives nothing of it: `void` when it is none any more, or not theirs.
create or replace function accept_invitation(
  the_invitation integer, person integer, request jsonb, out refusal text, out missing text
) language plpgsql as $$
declare
  offer invitations;
begin
  perform lock_invited_scopes(array[the_invitation]);
  select * into offer from invitations
  where id = the_invitation and accepted_at is null and revoked_at is null and expires_at > sent_at(request)
  for update;
  if offer.id is null or not exists (
    select from users where id = person and is_active and email = offer.email
  ) then
    refusal := 'void';
  elsif offer.source = 'directory' then
    -- It is the directory's, whoever made the key: who may do without the key is asked of each request.
    if not exists (
      select from scim_users where university_id = offer.university_id and email = offer.email and is_active
    ) then
      refusal := 'withdrawn';
    end if;
  elsif offer.source <> 'installation' and (
      not exists (select from users where id = offer.invited_by_user_id and is_active)
      or offer.role is not null
        and not may_grant(offer.invited_by_user_id, offer.role, offer.university_id, offer.department_id)
      or offer.course_offering_id is not null and not exists (
        select from course_offerings as run
        where run.id = offer.course_offering_id and case when offer.teaches
          then is_instructor_of_offering(offer.invited_by_user_id, run.id)
          else is_staff_of_offering(offer.invited_by_user_id, run.id) end)) then
    refusal := 'withdrawn';
  elsif offer.course_offering_id is not null and not offer.teaches and not exists (
    select from enrollments
    where course_offering_id = offer.course_offering_id and user_id = person and status <> 'dropped'
  ) then
    -- Who is in two offerings of a course by the university's own records is so here.
    select placed.refusal, placed.missing into refusal, missing
    from enroll(offer.course_offering_id, person, sent_at(request), null, offer.invited_by_user_id, offer.overrides,
                request, offer.source = 'import') as placed;
  end if;
  if refusal is not null then return; end if;
  if offer.role is not null then
    insert into user_university_roles (user_id, university_id, role, department_id, by_directory)
    values (person, offer.university_id, offer.role, offer.department_id, offer.source = 'directory')
    on conflict do nothing;
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
  insert into sourced_people (university_id, sourced_id, user_id)
  select offer.university_id, offer.sourced_id, person where offer.sourced_id is not null on conflict do nothing;
  update invitations set accepted_at = sent_at(request), accepted_by_user_id = person where id = offer.id;
  perform link_scim_user_of(offer.university_id, offer.email, person, offer.invited_by_user_id, request);
end $$;
--> statement-breakpoint
-- Adds a post, perhaps in answer to another, and tells whom it answers. `refusal` may be 'no file' and the id of one that
-- may not be posted there. No row: the thread is gone.
create or replace function add_post(
  the_thread integer, parent bigint, person integer, words text, moment timestamptz, file_ids bigint[]
) returns table (refusal text, post discussion_posts) language plpgsql as $$
declare
  thread discussion_threads;
  answered discussion_posts;
begin
  perform from users where id in (
    select person
    union select user_id from discussion_posts where id = parent and thread_id = the_thread
    union select created_by_user_id from discussion_threads where id = the_thread
    union select learner_user_id from discussion_threads where id = the_thread
  ) order by id for key share;
  select * into thread from discussion_threads where id = the_thread for no key update;
  if not found then return; end if;
  if parent is not null then
    select * into answered from discussion_posts where id = parent and thread_id = the_thread for share;
  end if;
  refusal := case
    when thread.is_locked then 'locked'
    when parent is not null and answered.id is null then 'no_parent'
    when answered.is_deleted or answered.is_hidden then 'parent_gone'
    when answered.depth >= 8 then 'too_deep'
    else 'no file ' || first_misplaced_file(file_ids, person, 'post', jsonb_build_object(
      'course_offering_id', thread.course_offering_id))
  end;
  if refusal is null then
    insert into discussion_posts (thread_id, parent_post_id, depth, user_id, body, created_at, updated_at)
    values (the_thread, parent, coalesce(answered.depth + 1, 0), person, words, moment, moment)
    returning * into post;
    insert into file_uses (file_id, post_id, place)
    select id, post.id, number from unnest(file_ids) with ordinality as one (id, number);
    update discussion_threads
    set post_count = post_count + 1, last_post_at = greatest(last_post_at, moment) where id = the_thread;
    perform notify_of_post(post);
  end if;
  return next;
end $$;
--> statement-breakpoint
-- A person's code in an item; null where they have none. Not stable: who hands in is answered the code that the same
-- statement has drawn.
create or replace function anonymous_code(offering integer, item integer, person integer) returns text
language plpgsql as $$
begin
  return (
    select code from anonymous_codes
    where course_offering_id = offering and content_item_id = item and user_id = person);
end $$;
--> statement-breakpoint
-- Takes what an item's own grader says of one submission, at the moment at which it signed that. `outcome`: 'graded';
-- 'kept', where a person has graded it, or two will, or it was returned; 'superseded', where a later word came before; or
-- 'final', where what is graded stays, 'too many points', 'renewed', where the secret has another version by now, or 'own'
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
    when former.grade_source = 'hand' or former.status = 'returned' or is_marked_twice(former) then 'kept'
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
-- The cells of these people (grades.sql), with what each counts for: `dropped_so_far` is left out of what is graded so far,
-- `dropped_in_all` of what is worth nothing where it is missing. What is excused is never there to be dropped. With
-- `released_alone`, of nothing but what learners may see; with
-- `named_alone`, of nothing that is graded anonymously and not released.
create or replace function counted_cells(
  offering integer, people integer[], released_alone boolean, named_alone boolean
)
returns table (
  user_id integer, item_id integer, score numeric, state text, version integer, late_days integer,
  late_deduction numeric, max_points numeric, weight numeric, group_name text, dropped_so_far boolean,
  dropped_in_all boolean
) language sql stable rows 30000 set enable_nestloop = off as $$
  with cell as materialized (
    select one.*, item.max_points, item.weight, coalesce(item.group_name, '') as group_name, item.drop_lowest
    from grade_cells(offering, people) as one join graded_items(offering) as item using (item_id)
    where (not released_alone or item.released) and not (named_alone and hides_people(offering, item.item_id))
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
-- Decides a request that is open. An export can be downloaded for a week then, and a correction is written. No row: the
-- university has no such request; `refusal` says why nothing was done.
create or replace function decide_data_request(
  university integer, the_request integer, actor integer, approve boolean, why text, moment timestamptz, request jsonb
) returns table (refusal text, decided data_requests, member university_members) language plpgsql as $$
declare
  corrected record;
begin
  select * into decided from data_requests where id = the_request and university_id = university for no key update;
  if not found then return; end if;
  refusal := case
    when decided.user_id = actor then 'own_data_request'
    when decided.state <> 'open' then 'data_request_decided'
    when approve and decided.made_by_user_id = actor then 'data_request_four_eyes' end;
  if refusal is null and approve and decided.kind = 'erase' then
    perform hold_policy(university);
    refusal := case
      when is_person_held(university, decided.user_id, moment) then 'data_request_held'
      when exists (
        select from user_university_roles
        where user_id = decided.user_id and university_id = university and role like '%admin')
        then 'data_request_administrator' end;
  end if;
  if refusal is null and approve and decided.kind = 'rectify' then
    select * into corrected from correct_member(university, decided.user_id, decided.correction, actor, request);
    refusal := case when corrected is null then 'data_request_no_member'
                    when corrected.is_taken then 'data_request_external_id_taken' end;
  end if;
  if refusal is not null then
    return next;
    return;
  end if;
  update data_requests as one set
    state = case when not approve then 'rejected' when one.kind = 'erase' then 'approved' else 'done' end,
    decided_by_user_id = actor, decided_at = moment, reason = why, correction = null,
    done_at = case when approve and one.kind <> 'erase' then moment end,
    available_until = case when approve and one.kind = 'export' then moment + interval '7 days' end
  where one.id = the_request returning one.* into decided;
  perform audit(case when approve then 'data_request.approved' else 'data_request.rejected' end, actor, decided.user_id,
    university, jsonb_build_object('request_id', the_request, 'kind', decided.kind), request);
  perform send_mail('data_request', email, id, request) from users
  where id = decided.user_id and email is not null;
  select one.* into member from university_members as one
  where one.university_id = university and one.user_id = decided.user_id;
  return next;
end $$;
--> statement-breakpoint
-- Deletes what is a person's own but their conversations, and empties what stays for its figures.
create or replace function delete_belongings(person integer) returns void language plpgsql as $$
begin
  perform erase_files(person, service_now());
  delete from lab_submissions where user_id = person and status <> 'graded';
  delete from certificates where user_id = person;
  update course_reviews set review_text = null where user_id = person and review_text is not null;
  update llm_calls set user_id = null where user_id = person;
  -- With their roles.
  delete from university_members where user_id = person;
  delete from course_offering_instructors where user_id = person;
  delete from offering_staff where user_id = person;
  delete from lti_people where user_id = person;
  delete from lti_score_marks where user_id = person;
  update lti_rosters set asked_by_user_id = null where asked_by_user_id = person;
  delete from lti_launch_codes where user_id = person;
  update lti_contexts set bound_by_user_id = null where bound_by_user_id = person;
  delete from course_exemptions where user_id = person;
  delete from quiz_overrides where user_id = person;
  -- Graded work keeps the code that it was graded by.
  delete from anonymous_codes as one where one.user_id = person
    and not exists (select from lab_submissions as work where work.user_id = person
      and work.course_offering_id = one.course_offering_id and work.content_item_id = one.content_item_id)
    and not exists (select from quiz_attempts as work where work.user_id = person
      and work.course_offering_id = one.course_offering_id and work.content_item_id = one.content_item_id);
  delete from offering_group_members where user_id = person;
  delete from invitations where accepted_by_user_id = person;
  delete from import_rows where user_id = person;
  delete from sourced_people where user_id = person;
  delete from scim_users where user_id = person;
  update data_requests set correction = null where user_id = person and correction is not null;
  delete from user_identities where user_id = person;
  delete from user_profiles where user_id = person;
  delete from user_subject_preferences where user_id = person;
  delete from one_time_tokens where user_id = person;
  delete from mail_outbox where user_id = person;
  delete from calendar_addresses where user_id = person;
  delete from notifications where user_id = person;
  delete from notification_preferences where user_id = person;
  delete from announcement_reads where user_id = person;
  delete from trial_votes where user_id = person;
  delete from discussion_reports where user_id = person;
  delete from feature_requests where user_id = person;
  delete from notes where user_id = person;
  delete from flashcards where user_id = person;
  delete from flashcard_decks where user_id = person;
end $$;
--> statement-breakpoint
-- Suspending ends the person's sign-ins that reach this university alone: restoring gives back rights, and no token.
create or replace function end_tokens_there() returns trigger language plpgsql as $$
begin
  new.tokens_ended_at := service_now();
  return new;
end $$;
--> statement-breakpoint
-- What the two marks of a submission say alike, with the words of both; null where one is missing or they differ.
create or replace function equal_marks(
  the_submission bigint, out score numeric, out rubric jsonb, out feedback text
) language sql stable as $$
  select min(one.score), (array_agg(one.rubric order by one.place))[1],
         string_agg(nullif(one.feedback, ''), e'\n\n' order by one.place)
  from submission_marks as one where one.submission_id = the_submission
  having count(*) = 2 and min(one.score) = max(one.score)
$$;
--> statement-breakpoint
-- Does a step of the erasures that were approved, each once nothing of it is held; answers whether more may be left. `key` is
-- that of former-accounts.sql.
create or replace function erase_at_universities(moment timestamptz, most integer, key bytea) returns boolean
language plpgsql as $$
declare
  next data_requests;
  number integer;
begin
  select one.* into next from data_requests as one
  where one.state = 'approved'
    and (one.erased_user_id is not null or not is_person_held(one.university_id, one.user_id, moment))
  order by one.id limit 1 for update skip locked;
  if not found then return false; end if;
  if next.erased_user_id is null then
    perform hold_policy(next.university_id);
    if is_person_held(next.university_id, next.user_id, moment) then return true; end if;
    insert into users (full_name, is_active, erased_at, created_at) values ('', false, moment, moment) returning id into number;
    perform split_person(next.university_id, next.user_id, number, moment, key);
    update data_requests set erased_user_id = number where id = next.id;
    return true;
  end if;
  number := next.erased_user_id;
  if split_rows(next.university_id, next.user_id, number, most) then return true; end if;
  perform pg_advisory_xact_lock(hashtextextended('activity of person ' || next.user_id, 0));
  update activity_days set user_id = number
  where user_id = next.user_id and course_id in (select id from courses where university_id = next.university_id);
  update activity_months set user_id = number
  where user_id = next.user_id and course_id in (select id from courses where university_id = next.university_id);
  delete from message_feedback where message_id in (
    select said.id from chat_sessions as talk join chat_messages as said on said.session_id = talk.id
    where talk.user_id = number);
  -- Conversations go as those of any account that was erased.
  insert into erasures (user_id, begun_at) values (number, moment);
  update data_requests set state = 'done', done_at = moment, erased_user_id = null where id = next.id;
  perform audit('data_request.done', null, next.user_id, next.university_id,
    jsonb_build_object('request_id', next.id, 'kind', next.kind), jsonb_build_object('at', moment));
  return true;
end $$;
--> statement-breakpoint
-- Makes the grades of people final who have or had a place in an offering, of these or of all: of those whose grade is
-- open and whose id comes after `after`, at most `most`, by their ids. Answers each, with the items that they await.
-- `outcome`: 'final'; 'awaiting', who are left out unless `with_awaiting`; or 'gradable', whose attempts are closed here and
-- have to be graded first. Whoever asks again with `grades`, even none, is told nobody's. With `dry` nothing is written:
-- what is closed and graded on the way is undone. Raises while an item that counts is graded anonymously
-- (anonymous-work.sql).
--
-- An enrollment is completed where that was all that it waited for, and one that was completed by a grade that is passed no
-- more is active again. Nobody makes a grade of their own final.
create or replace function finalize_grades(
  offering integer, people integer[], after integer, most integer, finalizer integer, with_awaiting boolean,
  grades jsonb, dry boolean, why text, moment timestamptz, request jsonb
) returns table (user_id integer, outcome text, passed boolean, awaited integer[]) language plpgsql as $$
#variable_conflict use_column
declare
  chosen integer[];
  judged jsonb;
  worth record;
  graded course_grades;
  failed integer[] := '{}';
begin
  perform lock_grades(offering);
  perform refuse_final_before_release(offering);
  chosen := array(
    select one.user_id from enrollments as one
    where one.course_offering_id = offering and one.is_admitted and one.user_id <> finalizer and one.user_id > after
      and (people is null or one.user_id = any (people)) and not is_grade_final(offering, one.user_id)
    order by one.user_id limit most);
  begin
    perform end_attempts(offering, chosen, coalesce(grades, '[]'), moment);
    select jsonb_agg(jsonb_build_object(
        'user_id', total.user_id, 'awaited', coalesce(waiting.items, '{}'),
        'outcome', case when waiting.is_gradable and grades is null then 'gradable'
                        when waiting.items is not null and not with_awaiting then 'awaiting'
                        else 'final' end,
        'score', standing.score, 'letter', letter_of(scheme.letter_scale, standing.score),
        'passed', standing.score >= scheme.passing_percent) order by total.user_id)
    into judged
    from grade_totals(offering, chosen, false, false) as total
    cross join grading_of(offering) as scheme
    left join course_grades as former on former.course_offering_id = offering and former.user_id = total.user_id
    cross join lateral (select coalesce(former.score_override, total.final_percent, 0) as score) as standing
    left join (
      select one.user_id, array_agg(one.item_id order by one.item_id) as items, bool_or(one.is_gradable) as is_gradable
      from awaited_items(offering, chosen, moment) as one group by one.user_id
    ) as waiting on waiting.user_id = total.user_id;
    if dry then raise exception using errcode = 'UNDO0'; end if;
  exception when sqlstate 'UNDO0' then null;
  end;

  for worth in
    select * from jsonb_to_recordset(coalesce(judged, '[]')) as one (
      user_id integer, outcome text, score numeric, letter text, passed boolean, awaited integer[])
  loop
    if worth.outcome = 'final' and not dry then
      insert into course_grades as one (course_offering_id, user_id, final_score, letter_grade, passed, graded_at)
      values (offering, worth.user_id, worth.score, worth.letter, worth.passed, moment)
      on conflict (user_id, course_offering_id) do update
        set final_score = excluded.final_score, letter_grade = excluded.letter_grade, passed = excluded.passed,
            graded_at = excluded.graded_at, outdated_at = null
      returning one.* into graded;
      perform note_grade_change('finalized', offering, worth.user_id, null, null, grade_of_course(graded), why, finalizer,
        moment, request);
      if not graded.passed then failed := failed || worth.user_id; end if;
    end if;
    user_id := worth.user_id;
    outcome := worth.outcome;
    passed := worth.passed;
    awaited := worth.awaited;
    return next;
  end loop;
  if exists (
    select from enrollments as one
    where one.course_offering_id = offering and one.user_id = any (failed) and one.completion_source = 'result'
  ) then
    perform lock_course_key_shared(offering);
    perform from course_offerings where id = offering for no key update;
    update enrollments as one set status = 'active', completion_source = null, completed_at = null
    where one.course_offering_id = offering and one.user_id = any (failed) and one.completion_source = 'result';
  end if;
end $$;
--> statement-breakpoint
-- Keeps the codes of an item in step with it, within the statement that changes it: one that says `anonymous` now and did not, or the other way round. Who
-- has worked on it gets a code. It says it no more only where all that was handed in is released: whoever handed it in was told that nobody
-- sees their name. Nothing, where `former` is by a version that knew nothing of it.
create or replace function fit_anonymity_to_item(the_item content_items, former jsonb) returns void language plpgsql as $$
declare
  was boolean := (former -> 'anonymous')::boolean;
begin
  if was is null or was = is_anonymous(the_item.data_json) then return; end if;
  perform lock_grades(run.id)
  from (select id from course_offerings where course_id = the_item.course_id order by id) as run;
  if was and exists (
    select from course_offerings as run
    where run.course_id = the_item.course_id and has_work(run.id, the_item.id) and not exists (
      select from grade_releases where course_offering_id = run.id and content_item_id = the_item.id)
  ) then
    raise exception 'content item % has work that is graded anonymously', the_item.id
      using errcode = 'check_violation', table = 'content_items', constraint = 'content_items_stay_anonymous';
  end if;
  if not was then
    perform give_anonymous_code(work.course_offering_id, the_item.id, work.user_id)
    from (
      select course_offering_id, user_id from lab_submissions where content_item_id = the_item.id
      union
      select course_offering_id, user_id from quiz_attempts where content_item_id = the_item.id
      order by 1, 2
    ) as work;
  end if;
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
  perform fit_anonymity_to_item(the_item, former);
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
          rubric = case when rescales and was > 0 then scaled_levels(work.rubric, points / was) else work.rubric end
      where id = work.id returning * into regraded;
      perform note_grade_of_submission('points_changed', work, regraded, null, changer, moment, request);
    end loop;
    if rescales and was > 0 then perform scale_marks(the_item.id, points / was); end if;
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
-- Gives a person a code in an item, unless they have one: consonants alone, so that no code is a word or a number.
create or replace function give_anonymous_code(offering integer, item integer, person integer) returns void
language plpgsql as $$
begin
  while anonymous_code(offering, item, person) is null loop
    insert into anonymous_codes (course_offering_id, content_item_id, user_id, code)
    values (offering, item, person,
      translate(left(gen_random_uuid()::text, 8), '0123456789abcdef', 'BCDFGHJKLMNPQRTV'))
    on conflict do nothing;
  end loop;
end $$;
--> statement-breakpoint
create or replace function give_code_with_work() returns trigger language plpgsql as $$
begin
  if exists (select from content_items where id = new.content_item_id and is_anonymous(data_json)) then
    perform give_anonymous_code(new.course_offering_id, new.content_item_id, new.user_id);
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Gives a submission, which the caller holds, someone's mark, over one that they have given while it is the only one.
-- Answers why not: 'two marks', which are there already.
create or replace function give_mark(
  the_submission bigint, grader integer, points numeric, levels jsonb, words text, moment timestamptz
) returns text language plpgsql as $$
declare
  given integer := (select count(*) from submission_marks where submission_id = the_submission);
begin
  if given = 2 then return 'two marks'; end if;
  insert into submission_marks (submission_id, place, grader_id, score, rubric, feedback, marked_at)
  values (the_submission, given + 1, grader, points, levels, words, moment)
  on conflict on constraint submission_marks_grader_unique do update
    set score = excluded.score, rubric = excluded.rubric, feedback = excluded.feedback, marked_at = excluded.marked_at;
  return null;
end $$;
--> statement-breakpoint
-- Grades one submission by hand, over whatever grade it has; whose claim it was ends. `refusal` as for a claim, or 'too
-- many points' for more than are given in the item, which `bound` says, or 'no file' and an id. A final grade in which it
-- would count is outdated by it. With null for `file_ids` the feedback keeps the files that it has.
--
-- It keeps the levels of the item's rubric that are `chosen` (rubrics.sql), or those that it has with null, or none with
-- JSON's null; with null for `points` it is worth what they are. `refusal`: 'no level' and the place of one in `chosen` that
-- the rubric does not have, or 'not each criterion'.
--
-- Where the item wants two marks it is one of them, and the grade only where both are the same; unless it `agrees` upon what
-- is there, true for who may without having marked. `refusal` as of second-marks.sql, or 'files of mark'.
create or replace function grade_one_submission(
  the_submission bigint, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb,
  file_ids bigint[], chosen jsonb, agrees boolean
) returns table (refusal text, submission lab_submissions, bound jsonb) language plpgsql as $$
declare
  former lab_submissions := lock_submission(the_submission);
  counted numeric;
  kept record;
  worth numeric;
  levels jsonb;
  same record;
begin
  if former.id is null then return; end if;
  bound := score_bound(former.content_item_id);
  submission := former;
  select * into kept from chosen_levels(former.content_item_id, coalesce(nullif(chosen, 'null'), '[]'));
  worth := coalesce(points, kept.points);
  levels := case when chosen is null then former.rubric else kept.levels end;
  refusal := coalesce(refusal_to_grade(former, grader, moment),
    'no level ' || kept.missing,
    case when points is null and not kept.is_whole then 'not each criterion'
         when worth > (bound -> 'most')::numeric then 'too many points'
         when agrees is not null then refusal_to_agree(the_submission, grader, agrees) end);
  if refusal is null and agrees is null and is_marked_twice(former) then
    refusal := case when cardinality(file_ids) > 0 then 'files of mark'
                    else give_mark(the_submission, grader, worth, kept.levels, feedback, moment) end;
    select * into same from equal_marks(the_submission);
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
  if refusal is null then refusal := 'no file ' || put_files_with_feedback(former, grader, file_ids); end if;
  if refusal is null then
    counted := lock_counted_score(former.course_offering_id, former.user_id, former.content_item_id);
    update lab_submissions as one
    set status = 'graded', score_obtained = worth, max_score = (bound -> 'points')::numeric,
        rubric = levels,
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
  file_ids bigint[], chosen jsonb default null, alone boolean default false, agrees boolean default null
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
  from grade_one_submission(the_submission, grader, points, feedback, why, moment, request, file_ids, chosen, agrees);
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
      perform grade_one_submission(mate, grader, points, feedback, why, moment, request, null, chosen, agrees);
    end loop;
  end if;
  return next;
end $$;
--> statement-breakpoint
create or replace function grade_totals(offering integer, people integer[], released_alone boolean)
    returns table (user_id integer, current_percent numeric, final_percent numeric) language sql stable as $$
      select user_id, current_percent, final_percent from grade_totals($1, $2, $3, false)
    $$;
--> statement-breakpoint
-- What follows for the course, in percent: of what is graded so far, and with nothing for what is not. A group is worth
-- the part of its points that was earned, and groups count by their weights, those in which something counts.
create or replace function grade_totals(
  offering integer, people integer[], released_alone boolean, named_alone boolean
)
returns table (user_id integer, current_percent numeric, final_percent numeric)
language sql stable as $$
  with grouped as (
    select cell.user_id, weight,
           sum(score) filter (where not dropped_so_far)
             / nullif(sum(max_points) filter (where score is not null and not dropped_so_far), 0) as so_far,
           coalesce(sum(score) filter (where not dropped_in_all), 0)
             / nullif(sum(max_points) filter (where state <> 'excused' and not dropped_in_all), 0) as in_all
    from counted_cells(offering, people, released_alone, named_alone) as cell
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
-- Whether a token that reaches a university alone has ended there; `sign_in` is when it was signed in by, in seconds since
-- 1970. The service asks the same of what it has read (lib/auth/actor.ts).
create or replace function has_token_ended(university integer, person integer, sign_in bigint) returns boolean
language sql stable as $$
  select exists (
    select from university_members
    where university_id = university and user_id = person
      and (not is_active or to_timestamp(coalesce(sign_in, 0)) <= tokens_ended_at))
$$;
--> statement-breakpoint
-- Whether anyone has worked on an item in an offering.
create or replace function has_work(offering integer, item integer) returns boolean language sql stable as $$
  select exists (select from lab_submissions where course_offering_id = offering and content_item_id = item)
    or exists (select from quiz_attempts where course_offering_id = offering and content_item_id = item)
$$;
--> statement-breakpoint
-- Whether staff are shown codes in place of people in an item. Its grades are released by hand alone, whatever the offering
-- does with those of others: else the first grade would name whose it is.
create or replace function hides_people(offering integer, item integer) returns boolean language sql stable as $$
  select exists (select from content_items where id = item and is_anonymous(data_json))
    and not exists (select from grade_releases where course_offering_id = offering and content_item_id = item)
$$;
--> statement-breakpoint
-- Whether an event of the audit log is a change of a grade there: whose it is is told once it is released.
create or replace function hides_subject(action text, details jsonb) returns boolean language sql stable as $$
  select action = 'grade.changed'
    and hides_people((details ->> 'course_offering_id')::int, (details ->> 'content_item_id')::int)
$$;
--> statement-breakpoint
-- Offerings are found by the source's id, else by the code of the course and the term, as far as no other class has
-- them; else they are made, with their course where the university has none of that code. A course that is there stays
-- as it is, and nothing is deleted.
create or replace function import_offerings(import imports, batch bigint[])
returns table (row_id bigint, outcome text, reason text, person integer) language plpgsql as $$
declare
  one import_rows;
  offering integer;
  course integer;
  begins timestamptz;
  ends timestamptz;
begin
  for one in select * from import_rows where id = any (batch) order by id loop
    row_id := one.id;
    outcome := 'unchanged';
    reason := null;
    begins := imported_moment(one.details ->> 'starts_at', import.university_id);
    ends := imported_moment(one.details ->> 'ends_at', import.university_id);
    offering := (
      select course_offering_id from sourced_offerings
      where university_id = import.university_id and sourced_offerings.sourced_id = one.sourced_id);
    if one.is_deletion then
      if offering is not null then
        outcome := 'refused';
        reason := 'An import deletes no offering';
      end if;
      return next;
      continue;
    end if;
    if offering is null then
      offering := (
        select run.id from course_offerings as run join courses on courses.id = run.course_id
        where run.university_id = import.university_id and courses.code = one.details ->> 'course_code'
          and run.term_name is not distinct from one.details ->> 'term_name'
          and not exists (select from sourced_offerings where course_offering_id = run.id)
        order by run.id limit 1);
      if offering is null then
        insert into courses (university_id, code, title)
        values (import.university_id, one.details ->> 'course_code', one.details ->> 'course_title')
        on conflict (university_id, code) do nothing;
        course := (
          select id from courses where university_id = import.university_id and code = one.details ->> 'course_code');
        insert into course_offerings (course_id, university_id, term_name, starts_at, ends_at)
        values (course, import.university_id, one.details ->> 'term_name',
                begins, ends)
        returning id into offering;
        outcome := 'created';
      end if;
    end if;
    if exists (
      select from course_offerings as run
      where run.id = offering and coalesce(ends, run.ends_at)
        <= coalesce(begins, run.starts_at)
    ) then
      outcome := 'refused';
      reason := 'The offering would end before it begins';
      return next;
      continue;
    end if;
    insert into sourced_offerings (university_id, sourced_id, course_offering_id)
    select import.university_id, one.sourced_id, offering
    where not exists (
      select from sourced_offerings as known
      where known.university_id = import.university_id and known.sourced_id = one.sourced_id)
    on conflict do nothing;
    if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    update course_offerings set
      term_name = coalesce(one.details ->> 'term_name', term_name),
      starts_at = coalesce(begins, starts_at),
      ends_at = coalesce(ends, ends_at),
      updated_at = service_now()
    where id = offering and (
      term_name is distinct from coalesce(one.details ->> 'term_name', term_name)
      or starts_at is distinct from coalesce(begins, starts_at)
      or ends_at is distinct from coalesce(ends, ends_at));
    if found and outcome = 'unchanged' then outcome := 'updated'; end if;
    return next;
  end loop;
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
         when judged.is_named and judged.source = 'directory'
         then 'The directory has named this person, and goes on to do so until staff release it'
         when judged.is_named then 'Staff have corrected the name of this person, and it changes once they release it'
         else nullif(offered ->> one.row_id::text, '') end,
    one.person
  from import_batch(import, batch) as one
  cross join lateral (
    select is_named_otherwise(import.university_id, one.person, 'import', one.details) as is_named, (
      select member.source from university_members as member
      where member.university_id = import.university_id and member.user_id = one.person) as source) as judged
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
-- A moment as a file says it: by the clock of the university, where it names no other.
create or replace function imported_moment(words text, university integer) returns timestamptz language sql stable as $$
  select case when words like '%Z' then words::timestamptz else words::timestamp at time zone time_zone end
  from universities where id = university
$$;
--> statement-breakpoint
-- Offers a role in nobody's name, for whoever runs the installation: its link is shown there, and no mail has another one,
-- which would end it. Answers until when it is good.
create or replace function invite_by_installation(
  university integer, to_address text, the_role text, hash text, request jsonb
) returns timestamptz language plpgsql as $$
declare
  offer invitations;
begin
  select (made.invitation).* into offer
  from invite(university, to_address, the_role, null, null, false, null, request, false, 'installation') as made;
  update invitations set token_hash = hash, mail_id = 0 where id = offer.id;
  delete from mail_outbox
  where kind = 'invitation' and address = to_address and ended_at is null and created_at = sent_at(request);
  return offer.expires_at;
end $$;
--> statement-breakpoint
create or replace function is_anonymous(data jsonb) returns boolean language sql immutable as $$
  select data -> 'anonymous' is not distinct from 'true'
$$;
--> statement-breakpoint
-- Whether the learners of an offering see their grades in an item. Those of one that is graded anonymously are released by
-- hand alone (anonymous-work.sql).
create or replace function is_grade_released(offering integer, item integer) returns boolean language sql stable as $$
  select exists (select from grade_releases where course_offering_id = offering and content_item_id = item)
    or exists (select from grading_schemes where course_offering_id = offering and release_mode = 'automatic')
      and not exists (select from content_items where id = item and is_anonymous(data_json))
$$;
--> statement-breakpoint
-- Whether what is said of a submission is a mark or an agreement: not where it had its grade without any.
create or replace function is_marked_twice(work lab_submissions) returns boolean language sql stable as $$
  select takes_two_marks(work.content_item_id)
    and (work.status = 'submitted' or exists (select from submission_marks where submission_id = work.id))
$$;
--> statement-breakpoint
-- Whether a university holds anything of a person, which then is not erased.
create or replace function is_person_held(university integer, person integer, moment timestamptz) returns boolean
language sql stable as $$
  select is_held(university, array[person], 0, 0, moment) or exists (
    select from enrollments
    where user_id = person and university_id = university and is_held(university, '{}', course_offering_id, 0, moment))
$$;
--> statement-breakpoint
-- Whether a person may still see a thread, and so be told what is said in it.
create or replace function is_thread_open_to(person integer, the_thread integer) returns boolean
language sql stable as $$
  select is_staff_of_offering(person, run.id) or is_launched_staff(person, run.id) or (
    takes_part(person, run.id) and course.is_published
    and (thread.visible = 'class' or coalesce(person in (thread.created_by_user_id, thread.learner_user_id), false))
    and (thread.module_id is null or is_module_published(thread.module_id))
    and (thread.content_item_id is null or is_item_public(thread.content_item_id)))
  from discussion_threads as thread
  join course_offerings as run on run.id = thread.course_offering_id
  join courses as course on course.id = run.course_id
  where thread.id = the_thread
$$;
--> statement-breakpoint
-- Takes a person out of the discussions: their words go, their posts and threads keep their places.
create or replace function leave_discussions(person integer) returns void language plpgsql as $$
declare
  touched integer[] := array(
    select thread_id from discussion_posts where user_id = person
    union select id from discussion_threads where person in (created_by_user_id, learner_user_id));
begin
  perform from discussion_threads where id = any (touched) order by id for no key update;
  update discussion_threads set answer_post_id = null
  where id = any (touched)
    and answer_post_id in (select id from discussion_posts where user_id = person and not is_deleted);
  update discussion_posts set body = '', is_deleted = true, user_id = null where user_id = person;
  update discussion_threads set title = null, created_by_user_id = null where created_by_user_id = person;
  -- What staff wrote to them alone is about them: it goes, and counts on.
  delete from files where id in (
    select used.file_id from file_uses as used join discussion_posts as post on post.id = used.post_id
    join discussion_threads as thread on thread.id = post.thread_id where thread.learner_user_id = person);
  update discussion_posts set body = '', is_hidden = true
  where thread_id in (select id from discussion_threads where learner_user_id = person);
  update discussion_threads set title = null, learner_user_id = null where learner_user_id = person;
  delete from tutor_handovers where user_id = person;
end $$;
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
  update submission_marks set grader_id = null where grader_id = person;
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
  update data_requests set made_by_user_id = null where made_by_user_id = person;
  update data_requests set decided_by_user_id = null where decided_by_user_id = person;
  update stored_credentials set updated_by = null where updated_by = person;
end $$;
--> statement-breakpoint
-- What a link's column has of these people, as they see it themselves: of an item its points, once they are released; of
-- a module the percent of the points of what is released and graded in it; of the course the final grade, or else the
-- percent of all that is released. `score` is null where there is none, and for whoever is excused.
create or replace function lti_score_values(link lti_links, offering integer, people integer[])
returns table (user_id integer, score numeric, maximum numeric) language plpgsql stable as $$
#variable_conflict use_column
begin
  if link.content_item_id is not null then
    return query
      select cell.user_id, cell.score, item.max_points
      from graded_items(offering) as item
      join grade_cells(offering, people) as cell on cell.item_id = item.item_id
      where item.item_id = link.content_item_id and item.released;
  elsif link.module_id is not null then
    return query
      select cell.user_id, round(sum(cell.score) / nullif(sum(item.max_points), 0) * 100, 2), 100::numeric
      from graded_items(offering) as item
      join content_items as content on content.id = item.item_id
        and content.module_id in (select modules_within(link.module_id))
      join grade_cells(offering, people) as cell on cell.item_id = item.item_id and cell.score is not null
      where item.released
      group by cell.user_id;
  else
    return query
      select total.user_id, coalesce(final.final_score, total.current_percent), 100::numeric
      from grade_totals(offering, people, true, false) as total
      left join course_grades as final on final.course_offering_id = offering and final.user_id = total.user_id
        and final.graded_at is not null;
  end if;
end $$;
--> statement-breakpoint
-- The marks of a submission for one of its staff, `{"given", "is_own_given", "shown"}`: their own, and both once both are
-- in. Null where it takes none and has none. Not stable: whoever marks is answered what the same statement has written.
create or replace function marks_of(work lab_submissions, reader integer) returns jsonb language plpgsql as $$
begin
  return (
    select case when count(mark.id) > 0 or is_marked_twice(work) then jsonb_build_object(
      'given', count(mark.id), 'is_own_given', coalesce(bool_or(mark.grader_id = reader), false),
      'shown', coalesce(jsonb_agg(jsonb_build_object(
        'grader_id', mark.grader_id, 'score', mark.score, 'rubric', mark.rubric, 'feedback', mark.feedback,
        'marked_at', to_char(mark.marked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by mark.place)
        filter (where mark.grader_id = reader or mark.in_all = 2), '[]')) end
    from (
      select one.*, count(*) over () as in_all from submission_marks as one where one.submission_id = work.id
    ) as mark);
end $$;
--> statement-breakpoint
-- How a person wants to be told of each kind.
create or replace function notification_wishes(person integer)
returns table (kind text, in_app boolean, mail text) language sql stable as $$
  select standard.kind, coalesce(own.in_app, true), coalesce(own.mail, standard.mail)
  from (values ('announcement', 'immediate'), ('discussion_reply', 'daily'), ('due_soon', 'daily'),
               ('grade_outdated', 'daily'), ('grade_released', 'daily'), ('place_obtained', 'immediate'),
               ('private_message', 'immediate'), ('rollout_stopped', 'immediate'),
               ('tutor_handover', 'daily')) as standard (kind, mail)
  left join notification_preferences as own on own.user_id = person and own.kind = standard.kind
$$;
--> statement-breakpoint
-- A person's notifications that still tell something: what they are about is published, said and open to them.
create or replace function notifications_of(person integer, moment timestamptz)
returns table (
  id bigint, kind text, created_at timestamptz, read_at timestamptz, mail_id bigint, university_id integer,
  course_offering_id integer, content_item_id integer, announcement_id integer, thread_id integer, post_id bigint,
  due_at timestamptz, title text, by_name text
) language sql stable as $$
  select one.id, one.kind, one.created_at, one.read_at, one.mail_id, coalesce(said.university_id, run.university_id),
         one.course_offering_id, one.content_item_id, one.announcement_id, post.thread_id, post.id, one.due_at,
         coalesce(said.title, thread.title, item.title, course.title,
                  rollout.prompt_name || ' ' || rollout.candidate_version),
         writer.full_name
  from notifications as one
  left join course_offerings as run on run.id = one.course_offering_id
  left join courses as course on course.id = run.course_id
  left join content_items as item on item.id = one.content_item_id
  left join announcements as said on said.id = one.announcement_id
  left join discussion_posts as post on post.id = one.discussion_post_id
  left join discussion_threads as thread on thread.id = post.thread_id
  left join users as writer on writer.id = post.user_id
  left join prompt_rollouts as rollout on rollout.id = one.prompt_rollout_id
  where one.user_id = person and case case one.kind when 'private_message' then 'discussion_reply' else one.kind end
    when 'announcement' then said.published_at <= moment
      and (said.course_offering_id is null or takes_part(person, said.course_offering_id))
    when 'discussion_reply' then not post.is_deleted and not post.is_hidden and is_thread_open_to(person, post.thread_id)
    when 'due_soon' then is_item_public(one.content_item_id)
    when 'tutor_handover' then not post.is_deleted and is_staff_of_offering(person, one.course_offering_id)
    else true
  end
$$;
--> statement-breakpoint
-- Tells whom a post answers: the writer of the post above it, who began the thread, and with whom alone it is.
create or replace function notify_of_post(said discussion_posts) returns void language sql as $$
  select notify(array_agg(reader.id), 'discussion_reply', 'post:' || said.id, said.created_at,
                offering => reader.offering, post => said.id)
  from (
    select above.user_id, thread.course_offering_id
    from discussion_posts as above join discussion_threads as thread on thread.id = above.thread_id
    where above.id = said.parent_post_id
    union
    select thread.created_by_user_id, thread.course_offering_id
    from discussion_threads as thread where thread.id = said.thread_id
    union
    select thread.learner_user_id, thread.course_offering_id
    from discussion_threads as thread where thread.id = said.thread_id
  ) as reader (id, offering)
  where reader.id <> said.user_id and is_thread_open_to(reader.id, said.thread_id)
  group by reader.offering
$$;
--> statement-breakpoint
-- Opens a turn of the person whom a valid token names, with the version of their tokens: stores their message with what
-- it does to the session and to their streak, and answers it where the tree holds the answer. Else it takes the
-- session's lease, and reads what answering takes. With `the_question` it takes up a message again that was stored
-- before and not answered: nothing is stored, and who listens to it already is joined, unless the answer that they wait
-- for has failed.
--
-- `the_message` is the normal form of `Start.` or of an answer to a question; null for what is on no path. Where the
-- answer under the cursor asks a question, only what it offers is on the path, and under the name that the tree keeps
-- it by: `the_loose_message` is the same answer as it is compared where none fits. What was just answered and is said
-- again is answered again. Where the cursor is gone, what a message of the session offered is answered
-- in private, and the session stays in the tree: the service says whether one `is_offered`, as it alone compares. While it
-- is null and there is something to compare with, nothing is done, for 'what was asked'.
--
-- `the_move` is the name of a message that is called like a move (tutor-moves.sql), which `move` says what it was taken as.
-- `has_key` says whether the answer's question has a key, and `carried` is the question of one that answers a move.
--
-- The token reaches the whole account, or `the_reach`, a university, of which a launch reaches `the_course` alone
-- (token-reach.sql); `the_sign_in` is when it was signed in by, in seconds since 1970.
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `item_access` (outline.sql), 'under exam',
-- 'sent before' (with the message, and its answer if it has one), 'closed' (an aside to new words), 'being answered', 'answered' (by the time it was taken
-- up again), 'another time zone', when `today` is not the day in their zone, 'no such move', or 'what was asked', with the `questions`.
create or replace function open_turn(
  the_session bigint, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question bigint, the_token uuid, default_model text, allowed_models text[], tutor_prompt text,
  deepest integer, the_zone text, today date, moment timestamptz, the_reach integer, the_loose_message text,
  is_offered boolean default null, the_move text default null, the_course integer default null,
  the_sign_in bigint default null
) returns table (
  refusal text, time_zone text, message_id bigint,
  -- Of an answer that is there.
  answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb, has_key boolean, carried jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id bigint, message text, model text, university_id integer,
  generation bigint, graph json, questions jsonb, move text,
  -- Whether the message was a step, and `right` or `wrong` (tutor-steps.sql).
  step text
)
-- Planned once for each connection: some of its statements would else be planned anew at each message.
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  session record;
  active boolean;
  last_active date;
  topic record;
  tutor record;
  candidate record;
  hash text;
  key text;
  node bigint;
  answer text;
  question jsonb;
  reached record;
  has_asked_key boolean;
begin
  -- Many small statements, of which each turn runs those that it needs: what a statement costs here is hardly what it
  -- finds, but how much it is made of. What is read after the lock is what the message before this one left.
  select s.id, s.content_item_id, s.item_fingerprint, s.surroundings_fingerprint, s.content_fingerprint, s.cache_node_id,
         s.cache_state, s.prompt_id, s.rollout_id, s.rollout_arm, s.answering_message_id, s.answering_generation_id, s.answering_token, s.answering_until, s.closed_at
  into session
  from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;
  select person.is_active, person.time_zone, person.last_activity_date into active, time_zone, last_active
  from users as person
  where person.id = the_person and person.erased_at is null
    and (person.token_version = the_version or not person.is_active)
    and not (the_reach is not null and has_token_ended(the_reach, the_person, the_sign_in));
  if not found then return; end if;

  if not active then
    refusal := 'inactive person';
  elsif session.id is null then
    select case when count(*) = 0 then 'no such session' else 'not theirs' end into refusal
    from chat_sessions where id = the_session;
  else
    select item.course_id, item.university_id, university.is_active, course.cache_enabled, course.llm_model, type.name as type, item.tutor_mode,
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from, the_item => session.content_item_id) as gate,
           member.is_active is false as is_suspended,
           university.requires_own_provider and the_reach is null and not exists (
             select from user_university_roles where user_id = the_person and role = 'platform_admin'
           ) as needs_own_provider,
           exists (select from exams_that_silence(the_person, item.course_id, moment)) as is_silenced,
           (select mine.course_offering_id from current_offerings as mine
            where mine.user_id = the_person and mine.course_id = item.course_id) as offering
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as university on university.id = item.university_id
    left join university_members as member on member.university_id = item.university_id and member.user_id = the_person
    where item.id = session.content_item_id;
    refusal := case
      when the_reach <> topic.university_id or the_course <> topic.course_id then 'out of reach'
      when topic.is_suspended then 'inactive person'
      when topic.needs_own_provider then 'own provider'
      when not topic.is_active then 'inactive university'
      when topic.gate is not null then topic.gate
      when topic.is_silenced then 'under exam'
    end;
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  if the_client_id is not null then
    select m.id, m.content, 'sent before' into message_id, content, refusal
    from chat_messages as m where m.session_id = the_session and m.client_message_id = the_client_id;
  end if;
  message_id := coalesce(message_id, the_question);
  content := coalesce(content, the_content);
  if message_id is not null then
    select reply.id, reply.created_at, reply.meta, coalesce(replayed.chunks, jsonb_build_array(reply.content)),
           coalesce(reply.question_key, replayed.question_key) is not null,
           case when reply.meta ? 'move' then reply.question end
    into answer_id, answered_at, meta, chunks, has_key, carried
    from chat_messages as reply
    left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.answer = reply.content
    where reply.in_reply_to_id = open_turn.message_id;
  end if;
  refusal := case
    when refusal is not null then refusal
    when answer_id is not null then 'answered'
    when message_id is null and session.closed_at is not null then 'closed'
    when session.answering_until > now()
      and (the_question is null or session.answering_message_id is distinct from the_question) then 'being answered'
    when time_zone <> the_zone then 'another time zone'
  end;
  if refusal is not null then
    return next;
    return;
  end if;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back.
  if the_message = 'Start.' then
    message := the_message;
  elsif the_move is not null then
    select taken.refusal, taken.message, taken.parent_id, taken.move, taken.questions, taken.has_key
    into refusal, message, parent_id, move, questions, has_key
    from take_move(
      the_session, case when topic.cache_enabled and session.cache_state = 'tracking' then session.cache_node_id end,
      the_move, the_message, the_loose_message, the_question, is_offered) as taken;
    if refusal is not null then
      return next;
      return;
    end if;
  elsif the_message is not null and session.cache_node_id is not null then
    select case when again then stands.message
                when stands.choices is null then the_message
                else coalesce(stands.choices ->> the_message, stands.choices ->> the_loose_message) end,
           case when again then stands.parent_id else stands.id end, stands.question_key is not null
    into message, parent_id, has_asked_key
    from cache_nodes as stands
    left join cache_nodes as stood on stood.id = stands.parent_id
    cross join lateral (
      select coalesce(
        stands.message = coalesce(stood.choices ->> the_message, stood.choices ->> the_loose_message, the_message)
        and not coalesce(stands.choices ? the_message or stands.choices ? the_loose_message, false), false)
    ) as said (again)
    where stands.id = session.cache_node_id;
  elsif the_message is not null and topic.cache_enabled and session.cache_state = 'tracking' and is_offered is null then
    questions := questions_asked(the_session);
    if questions is not null then
      refusal := 'what was asked';
      return next;
      return;
    end if;
  end if;
  shared := message is not null and topic.cache_enabled and session.cache_state = 'tracking';
  university_id := topic.university_id;
  if session.prompt_id is null then
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from tutor_prompt_of(topic.type, tutor_prompt) as prompt;
    -- For as long as its rollout runs: when that has ended the conversation goes on with what teaches all others.
    if session.rollout_arm = 'candidate' then
      select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
      into candidate from prompt_rollouts as running join prompts as prompt on prompt.id = running.candidate_id
      where running.id = session.rollout_id and running.state = 'running' and running.base_id = tutor.id;
      if found then tutor := candidate; end if;
    end if;
  else
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from prompts as prompt where prompt.id = session.prompt_id;
  end if;
  model := tutor_model(topic.llm_model, tutor.config, allowed_models, default_model);

  if shared then
    hash := sha256_hex(message);
    key := answer_key(session.item_fingerprint, session.surroundings_fingerprint, session.content_fingerprint,
                      tutor.uses_surroundings);
    select n.id, n.chunks, n.answer, n.question, n.question_key is not null into node, chunks, answer, question, has_key
    from cache_nodes as n
    where n.content_item_id = session.content_item_id
      and coalesce(n.parent_id, 0) = coalesce(open_turn.parent_id, 0)
      and n.message_hash = hash and n.prompt_name = tutor.name and n.prompt_version = tutor.version
      and n.model = open_turn.model and n.prompt_fingerprint = tutor.plain_fingerprint
      and n.content_fingerprint = key
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = session.content_item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor.name and g.prompt_version = tutor.version
        and g.model = open_turn.model and g.prompt_fingerprint = tutor.plain_fingerprint
        and g.content_fingerprint = key
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
      if generation is null and tutor.plain_fingerprint is not null then
        node := known_answer(
          session.content_item_id, open_turn.parent_id, message, hash, tutor.name, tutor.version, open_turn.model,
          tutor.plain_fingerprint, key, session.content_fingerprint, false);
        if node is not null then
          select n.chunks, n.answer, n.question, n.question_key is not null into chunks, answer, question, has_key
          from cache_nodes as n where n.id = node;
        end if;
      end if;
    end if;
    -- What waits for staff to approve it is told to nobody: who comes there meanwhile is answered in private.
    if node is not null and topic.tutor_mode = 'reviewed' and does_node_wait(node) then
      node := null;
      chunks := null;
      shared := false;
    end if;
  end if;

  if the_question is null then
    -- An assignment of what a function answers is no statement of its own, as `perform` is.
    last_active := record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, topic.offering, moment, today, last_active);
    -- What a class shares answers the node under the cursor, whose question may have no key.
    if not shared or has_asked_key is not false then
      step := record_step(
        the_session, the_person, session.content_item_id, topic.offering, the_message, the_loose_message);
    end if;
    message_id := nextval('chat_messages_id_seq');
  end if;
  if node is not null then
    answer_id := nextval('chat_messages_id_seq');
    answered_at := service_now();
    meta := jsonb_build_object(
      'source', 'cache', 'model', model, 'prompt_name', tutor.name, 'prompt_version', tutor.version,
      'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node);
    if move is not null then
      meta := meta || jsonb_build_object('move', move);
      carried := question;
    end if;
    insert into cache_visits (node_id, hit) values (node, true);
    update chat_sessions
    set cache_node_id = node, updated_at = service_now(), answering_message_id = null, answering_since = null,
        answering_token = null, answering_generation_id = null, answering_until = null
    where id = the_session;
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id, question)
    overriding system value
    select * from (values
      (open_turn.message_id, the_session, 'user', the_content, '{}'::jsonb, null::bigint, false, null::bigint,
       the_client_id, null::jsonb),
      (answer_id, the_session, 'assistant', answer, meta, open_turn.message_id, true, node, null, question)
    ) as said (id) where said.id is distinct from the_question;
  else
    token := the_token;
    if session.answering_message_id = the_question then
      token := (
        select case when not exists (
          select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
          then session.answering_token else the_token end);
    end if;
    -- What is on no path leaves the tree where answers are shared at all, unless it was asked before that path went; free
    -- text does in any case.
    with asked as (
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value
      select open_turn.message_id, the_session, 'user', the_content, the_client_id where the_question is null
    )
    update chat_sessions as s
    set cache_state = case when the_message is null or (topic.cache_enabled and message is null and is_offered is not true)
                           then 'diverged'
                           else s.cache_state end,
        answering_since = case when s.answering_message_id = open_turn.message_id and s.answering_until > now()
                               then s.answering_since else now() end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = open_turn.message_id then s.answering_generation_id end),
        answering_message_id = open_turn.message_id, answering_token = token,
        answering_until = now() + listener_lease()
    where s.id = the_session;
    if generation is null and tutor.id is not null then
      reached := reached_prompts(array[tutor.id], 0, deepest);
      graph := json_build_object(
        'root', tutor.id, 'config', tutor.config, 'prompts', reached.prompts, 'links', reached.links);
    end if;
  end if;
  return next;
end;
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
    select coalesce(total.final_percent, 0) from grade_totals(offering, array[person], false, false) as total);
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
-- An attempt with its questions as they are shown, their keys, and what was saved. For the service alone, which leaves
-- out what its reader may not see.
create or replace function quiz_attempt_with_keys(attempt quiz_attempts, moment timestamptz) returns jsonb
language sql stable as $$
  select to_jsonb(attempt) - '{raw_response_json,grade_version}'::text[] || jsonb_build_object(
    'is_over', is_over(attempt, moment),
    'code', anonymous_code(attempt.course_offering_id, attempt.content_item_id, attempt.user_id),
    'answers_shown', are_answers_shown(attempt, moment),
    'questions', coalesce((
      select jsonb_agg(jsonb_build_object(
        'question_id', drawn.question_id, 'position', drawn.position, 'kind', upper(shown.kind),
        'question_text', shown.question_text, 'points', key.points, 'points_earned', drawn.points_earned,
        'options', (
          select jsonb_agg(option order by array_position(drawn.option_ids, option ->> 'id'))
          from jsonb_array_elements(shown.options_json) as option),
        'response', attempt.raw_response_json -> drawn.question_id::text,
        'graded_version', drawn.graded_version, 'answer', key.answer_json, 'explanation', key.explanation
      ) order by drawn.position)
      from quiz_attempt_questions as drawn
      join question_versions as shown on shown.question_id = drawn.question_id and shown.version = drawn.version
      join question_versions as key on key.question_id = drawn.question_id and key.version = drawn.graded_version
      where drawn.quiz_attempt_id = attempt.id
    ), '[]'))
$$;
--> statement-breakpoint
-- Why someone may not say what two marks come to: 'marks missing', or 'not theirs' for who has given neither.
create or replace function refusal_to_agree(the_submission bigint, person integer, without_mark boolean) returns text
language sql stable as $$
  select case when count(*) < 2 then 'marks missing'
              when not without_mark and bool_or(grader_id = person) is not true then 'not theirs' end
  from submission_marks where submission_id = the_submission
$$;
--> statement-breakpoint
create or replace function refuse_change_of_grade_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
     and to_jsonb(new) - '{changed_by_user_id,user_id}'::text[] = to_jsonb(old) - '{changed_by_user_id,user_id}'::text[]
     and coalesce(new.changed_by_user_id = old.changed_by_user_id, new.changed_by_user_id is null)
     -- A university has erased its part of a person (data-requests.sql).
     and (new.user_id = old.user_id or exists (
       select from users where id = new.user_id and erased_at is not null)) then
    return new;
  end if;
  raise exception 'changes of grades are not changed' using errcode = 'insufficient_privilege';
end $$;
--> statement-breakpoint
-- Raises while an item that counts has work that is graded anonymously and not released: what follows from it for the course
-- would say whose it is.
create or replace function refuse_final_before_release(offering integer) returns void language plpgsql as $$
begin
  if exists (
    select from graded_items(offering) as item
    where item.weight > 0 and hides_people(offering, item.item_id) and has_work(offering, item.item_id)
  ) then
    raise exception 'offering % has work that is graded anonymously', offering
      using errcode = 'check_violation', table = 'course_grades', constraint = 'course_grades_after_release';
  end if;
end $$;
--> statement-breakpoint
-- Raises where work in these items has marks that are not agreed upon: grades are released when they are. Null: in any.
create or replace function refuse_release_before_agreement(offering integer, items integer[]) returns void
language plpgsql as $$
begin
  if exists (
    select from lab_submissions as work
    where work.course_offering_id = offering and (items is null or work.content_item_id = any (items))
      and work.status = 'submitted' and takes_two_marks(work.content_item_id)
      and exists (select from submission_marks where submission_id = work.id)
  ) then
    raise exception 'offering % has marks that are not agreed upon', offering
      using errcode = 'check_violation', table = 'grade_releases', constraint = 'grade_releases_after_agreement';
  end if;
end $$;
--> statement-breakpoint
-- Lets the learners of an offering see their grades in these items or in all, or no more; answers in how many that is new.
-- Raises while marks in them are not agreed upon (second-marks.sql).
create or replace function release_grades(
  offering integer, items integer[], shows boolean, releaser integer, moment timestamptz, request jsonb
) returns integer language plpgsql as $$
declare
  changed integer[];
begin
  if shows then
    perform refuse_release_before_agreement(offering, items);
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
  if shows and changed is not null then
    perform notify_of_grades(offering, changed, moment);
  end if;
  if changed is not null then
    perform audit('grades.released', releaser, null, run.university_id, jsonb_build_object(
      'course_offering_id', offering, 'content_item_ids', changed, 'released', shows), request)
    from course_offerings as run where run.id = offering;
  end if;
  return coalesce(cardinality(changed), 0);
end $$;
--> statement-breakpoint
-- Has the marks of an item be worth that many times as much.
create or replace function scale_marks(item integer, factor numeric) returns void language sql as $$
  update submission_marks as one
  set score = round(one.score * factor, 2), rubric = scaled_levels(one.rubric, factor)
  from lab_submissions as work where work.id = one.submission_id and work.content_item_id = item
$$;
--> statement-breakpoint
-- Sets scores in place of what people achieved in items, or excuses them; neither takes back what was set. `entries` are
-- `[{"user_id", "content_item_id", "score", "is_excused", "versions", "code"}, …]`, with the `code` by which a person was
-- named, each person and item once; where there are
-- `versions`, the cell has one of them, or is not what was looked at. With `as_shown` a score that the gradebook shows
-- already changes nothing, and with `dry` nothing is written. Answers each in its order, with what the gradebook showed,
-- what staff had set, and the version that the cell has then. `refusal`: 'no item', 'not enrolled', 'own', 'final',
-- 'changed' for another version, 'anonymous' for a person by name where codes stand for people (anonymous-work.sql), of whom
-- nothing is told, 'no code', 'two marks' for a score in place of work whose marks are not agreed upon (second-marks.sql), 'too many points', or 'too many' for what comes after as many changes as are made in a few
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
  perform lock_grades(offering);
  -- All of them before the first enrollment is completed: see completion.sql.
  perform pg_advisory_xact_lock(offering, person)
  from (select distinct (one ->> 'user_id')::int from jsonb_array_elements(entries) as one order by 1) as one (person);
  return query
    with entry as materialized (
      select one.number::int, given.*
      from jsonb_array_elements(entries) with ordinality as one (value, number),
           jsonb_to_record(one.value) as given (
             user_id integer, content_item_id integer, score numeric, is_excused boolean, versions integer[], code text)
    ), item as materialized (
      select item_id, title, max_points, most_points, hides_people(offering, item_id) as hides_people from graded_items(offering)
    ), cell as materialized (
      select * from grade_cells(offering, array(
        select user_id from enrollments
        where course_offering_id = offering and user_id in (select user_id from entry)))
    ), judged as materialized (
      select entry.*, own as former, cell.score as shown_score, cell.state as shown_state, cell.version as shown_version,
             item.hides_people and entry.code is null as is_hidden,
             case when item.item_id is null then 'no item'
                  when item.hides_people and entry.code is null then 'anonymous'
                  when entry.code is not null and entry.user_id is null then 'no code'
                  when cell.user_id is null then 'not enrolled'
                  when entry.user_id = grader then 'own'
                  when is_grade_final(offering, entry.user_id) then 'final'
                  when cell.version <> all (entry.versions) then 'changed'
                  when entry.score is not null and cell.state = 'submitted' and takes_two_marks(entry.content_item_id)
                    then 'two marks'
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
    select chosen.number, chosen.verdict, chosen.is_changed and chosen.verdict is null,
           case when not chosen.is_hidden then chosen.shown_score end, case when not chosen.is_hidden then chosen.shown_state end, (chosen.former).score_override, coalesce((chosen.former).is_excused, false),
           chosen.shown_version + (chosen.is_changed and chosen.verdict is null)::int, chosen.bound
    from chosen cross join (select count(*) from noted) as done order by chosen.number;
end $$;
--> statement-breakpoint
-- Puts what of a university names a person onto a number, but for what may be many rows, and closes it there.
create or replace function split_person(university integer, person integer, number integer, moment timestamptz, key bytea)
returns void language plpgsql as $$
declare
  runs integer[] := array(select id from course_offerings where university_id = university);
  items integer[];
  deck integer;
  held_offerings integer[] := array(
    select course_offering_id from enrollments
    where user_id = person and university_id = university and status in ('active', 'waitlisted') order by 1);
begin
  perform from imports where created_by_user_id = person and university_id = university order by id for no key update;
  perform from import_rows where email = (select email from users where id = person)
    and import_id in (select id from imports where university_id = university) order by id for update;
  perform from scim_users where user_id = person and university_id = university order by id for update;
  perform from quiz_attempts where user_id = person and course_offering_id = any (runs) and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person and course_offering_id = any (runs) order by id for update;
  perform from certificates where user_id = person and course_offering_id = any (runs) order by id for update;
  perform lock_offerings(held_offerings);
  perform from users where id = person for update;

  insert into erased_identifiers (user_id, university_id, identifier)
  select number, own.university_id, own.identifier from identifiers_of(person, key) as own
  where own.university_id is null or own.university_id = university;
  -- With their roles and offices, and more time.
  delete from university_members where university_id = university and user_id = person;
  delete from invitations where university_id = university
    and (accepted_by_user_id = person or email = (select email from users where id = person));
  delete from import_rows where import_id in (select id from imports where university_id = university)
    and (user_id = person or email = (select email from users where id = person));
  delete from retention_holds where university_id = university and user_id = person;
  update invitations set invited_by_user_id = null where invited_by_user_id = person and university_id = university;
  update imports set created_by_user_id = null where created_by_user_id = person and university_id = university;

  -- What they did there as staff stays, without a name.
  update announcements set created_by_user_id = null where created_by_user_id = person and university_id = university;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null
  where claimed_by_user_id = person and course_offering_id = any (runs);
  update lab_submissions set graded_by_user_id = null where graded_by_user_id = person and course_offering_id = any (runs);
  update submission_marks set grader_id = null
  where grader_id = person and submission_id in (select id from lab_submissions where course_offering_id = any (runs));
  update grade_changes set changed_by_user_id = null where changed_by_user_id = person and course_offering_id = any (runs);
  update course_exemptions set granted_by_user_id = null
  where granted_by_user_id = person and course_id in (select id from courses where university_id = university);
  update tutor_notes set updated_by = null
  where updated_by = person and course_id in (select id from courses where university_id = university);
  update retention_holds set placed_by_user_id = null where placed_by_user_id = person and university_id = university;
  items := array(select id from content_items where university_id = university);
  update answer_pins set pinned_by = null where pinned_by = person and content_item_id = any (items);
  update cache_nodes set edited_by = null where edited_by = person and content_item_id = any (items);
  update tree_changes set changed_by = null where changed_by = person and content_item_id = any (items);
  update tree_changes set undone_by = null where undone_by = person and content_item_id = any (items);

  -- Before the work that has them.
  update anonymous_codes set user_id = number where user_id = person and course_offering_id = any (runs);
  update quiz_attempts set user_id = number where user_id = person and course_offering_id = any (runs);
  update lab_submissions set user_id = number where user_id = person and course_offering_id = any (runs);
  update certificates set user_id = number where user_id = person and course_offering_id = any (runs);
  update enrollments set user_id = number where user_id = person and university_id = university;
  update quiz_overrides set user_id = number where user_id = person and course_offering_id = any (runs);
  update offering_group_members set user_id = number where user_id = person and course_offering_id = any (runs);
  update item_grades set user_id = number where user_id = person and course_offering_id = any (runs);
  update course_grades set user_id = number where user_id = person and course_offering_id = any (runs);
  update grade_changes set user_id = number where user_id = person and course_offering_id = any (runs);
  update user_module_progress set user_id = number where user_id = person and course_offering_id = any (runs);
  update user_content_progress set user_id = number where user_id = person and course_offering_id = any (runs);
  update stale_trees set user_id = number where user_id = person and course_offering_id = any (runs);
  update course_trees set user_id = number where user_id = person and course_offering_id = any (runs);
  update course_reviews set user_id = number where user_id = person and course_offering_id = any (runs);
  update course_exemptions set user_id = number
  where user_id = person and course_id in (select id from courses where university_id = university);
  update course_offering_instructors set user_id = number where user_id = person and course_offering_id = any (runs);
  update offering_staff set user_id = number where user_id = person and course_offering_id = any (runs);
  update auto_grader_readers set user_id = number where user_id = person and course_offering_id = any (runs);
  update lti_people set user_id = number
  where user_id = person and platform_id in (select id from lti_platforms where university_id = university);
  update lti_score_marks set user_id = number where user_id = person and course_offering_id = any (runs);
  update lti_rosters set asked_by_user_id = null
  where asked_by_user_id = person and context_id in (select id from lti_contexts where university_id = university);
  update lti_contexts set bound_by_user_id = null where bound_by_user_id = person and university_id = university;
  update sourced_people set user_id = number where user_id = person and university_id = university;
  update scim_users set user_id = number where user_id = person and university_id = university;
  update files set uploaded_by_user_id = number where uploaded_by_user_id = person and university_id = university;
  update discussion_threads set created_by_user_id = number where created_by_user_id = person and course_offering_id = any (runs);
  update discussion_threads set learner_user_id = number where learner_user_id = person and course_offering_id = any (runs);
  update discussion_posts set user_id = number where user_id = person
    and thread_id in (select id from discussion_threads where course_offering_id = any (runs));
  update tutor_handovers set user_id = number where user_id = person
    and thread_id in (select id from discussion_threads where course_offering_id = any (runs));
  update discussion_reports set user_id = number where user_id = person and course_offering_id = any (runs);
  update announcement_reads set user_id = number where user_id = person
    and announcement_id in (select id from announcements where university_id = university);
  update notifications set user_id = number where user_id = person
    and (course_offering_id = any (runs) or content_item_id = any (items));
  update notes set user_id = number where user_id = person and content_item_id = any (items);
  if exists (select from flashcards where user_id = person and content_item_id = any (items)) then
    insert into flashcard_decks (user_id, title) values (number, 'Erased') returning id into deck;
    update flashcards set user_id = number, deck_id = deck where user_id = person and content_item_id = any (items);
  end if;

  perform keep_statistics(number);
  perform end_open_attempts(number, moment);
  perform fill_seats(offering, moment) from unnest(held_offerings) as offering;
end $$;
--> statement-breakpoint
-- Puts up to so many of a person's further rows at a university onto the number; answers whether there were any.
create or replace function split_rows(university integer, person integer, number integer, most integer) returns boolean
language plpgsql as $$
declare
  moved integer;
  found_any boolean := false;
begin
  update chat_sessions set user_id = number, share_enabled = false, share_token = null where id in (
    select talk.id from chat_sessions as talk join content_items as item on item.id = talk.content_item_id
    where talk.user_id = person and item.university_id = university order by talk.id limit most);
  get diagnostics moved = row_count;
  found_any := moved > 0;
  update tutor_steps set user_id = number where id in (
    select step.id from tutor_steps as step join content_items as item on item.id = step.content_item_id
    where step.user_id = person and item.university_id = university order by step.id limit most);
  get diagnostics moved = row_count;
  found_any := found_any or moved > 0;
  update activity_events set user_id = number where id in (
    select id from activity_events where user_id = person and university_id = university order by id limit most);
  get diagnostics moved = row_count;
  found_any := found_any or moved > 0;
  update llm_calls set user_id = null where id in (
    select id from llm_calls where user_id = person and university_id = university order by id limit most);
  get diagnostics moved = row_count;
  return found_any or moved > 0;
end $$;
--> statement-breakpoint
create or replace function takes_two_marks(item integer) returns boolean language sql stable as $$
  select exists (select from content_items where id = item and data_json -> 'second_mark' = 'true')
$$;
--> statement-breakpoint
create or replace trigger end_tokens_there before update of is_active on university_members
  for each row when (old.is_active and not new.is_active) execute function end_tokens_there();
--> statement-breakpoint
create or replace trigger give_code_with_work after insert on lab_submissions
  for each row execute function give_code_with_work();
--> statement-breakpoint
create or replace trigger give_code_with_work after insert on quiz_attempts
  for each row execute function give_code_with_work();
--> statement-breakpoint
set local check_function_bodies = on;
--> statement-breakpoint
-- Who is suspended already signs in anew when that ends.
UPDATE "university_members" SET "tokens_ended_at" = now() WHERE NOT "is_active";
