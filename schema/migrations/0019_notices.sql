set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "announcement_reads" (
	"announcement_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "announcement_reads_announcement_id_user_id_pk" PRIMARY KEY("announcement_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "announcements" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "announcements_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"course_offering_id" integer,
	"title" varchar(255) NOT NULL,
	"body" text NOT NULL,
	"created_by_user_id" integer,
	"published_at" timestamp (3) with time zone NOT NULL,
	"told_through" integer DEFAULT 0 NOT NULL,
	"told_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "announcements_told_through_check" CHECK ("announcements"."told_through" >= 0)
);
--> statement-breakpoint
CREATE TABLE "calendar_addresses" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"token_hash" varchar(64) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "calendar_addresses_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "due_reminders" (
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "due_reminders_course_offering_id_content_item_id_due_at_pk" PRIMARY KEY("course_offering_id","content_item_id","due_at")
);
--> statement-breakpoint
CREATE TABLE "notification_preferences" (
	"user_id" integer NOT NULL,
	"kind" text NOT NULL,
	"in_app" boolean NOT NULL,
	"mail" text NOT NULL,
	CONSTRAINT "notification_preferences_user_id_kind_pk" PRIMARY KEY("user_id","kind"),
	CONSTRAINT "notification_preferences_kind_check" CHECK ("notification_preferences"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_released', 'place_obtained')),
	CONSTRAINT "notification_preferences_mail_check" CHECK ("notification_preferences"."mail" in ('off', 'immediate', 'daily'))
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notifications_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"kind" text NOT NULL,
	"cause" varchar(128) NOT NULL,
	"course_offering_id" integer,
	"content_item_id" integer,
	"discussion_post_id" integer,
	"announcement_id" integer,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"read_at" timestamp (3) with time zone,
	"mail_due_at" timestamp (3) with time zone,
	"mail_id" bigint,
	CONSTRAINT "notifications_kind_check" CHECK ("notifications"."kind" in ('announcement', 'discussion_reply', 'due_soon', 'grade_released', 'place_obtained'))
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "mail_outbox" DROP CONSTRAINT "mail_outbox_kind_check";
--> statement-breakpoint
ALTER TABLE "discussion_reports" ALTER COLUMN "post_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "discussion_posts" ADD COLUMN "search" "tsvector" DEFAULT ''::tsvector NOT NULL;
--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD COLUMN "review_id" integer;
--> statement-breakpoint
ALTER TABLE "course_reviews" ADD COLUMN "is_hidden" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "announcement_reads" ADD CONSTRAINT "announcement_reads_announcement_id_announcements_id_fk" FOREIGN KEY ("announcement_id") REFERENCES "public"."announcements"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "announcement_reads" ADD CONSTRAINT "announcement_reads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "announcements" ADD CONSTRAINT "announcements_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "announcements" ADD CONSTRAINT "announcements_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "announcements" ADD CONSTRAINT "announcements_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id","university_id") REFERENCES "public"."course_offerings"("id","university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "calendar_addresses" ADD CONSTRAINT "calendar_addresses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "due_reminders" ADD CONSTRAINT "due_reminders_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "due_reminders" ADD CONSTRAINT "due_reminders_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_discussion_post_id_discussion_posts_id_fk" FOREIGN KEY ("discussion_post_id") REFERENCES "public"."discussion_posts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_announcement_id_announcements_id_fk" FOREIGN KEY ("announcement_id") REFERENCES "public"."announcements"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_mail_id_mail_outbox_id_fk" FOREIGN KEY ("mail_id") REFERENCES "public"."mail_outbox"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "announcement_reads_user_id_index" ON "announcement_reads" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "announcements_course_offering_id_published_at_id_index" ON "announcements" USING btree ("course_offering_id","published_at","id");
--> statement-breakpoint
CREATE INDEX "announcements_university_id_published_at_id_index" ON "announcements" USING btree ("university_id","published_at","id");
--> statement-breakpoint
CREATE INDEX "announcements_created_by_user_id_index" ON "announcements" USING btree ("created_by_user_id");
--> statement-breakpoint
CREATE INDEX "announcements_untold_index" ON "announcements" USING btree ("published_at") WHERE "announcements"."told_at" is null;
--> statement-breakpoint
CREATE INDEX "due_reminders_content_item_id_index" ON "due_reminders" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "due_reminders_due_at_index" ON "due_reminders" USING btree ("due_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_cause_unique" ON "notifications" USING btree ("user_id","kind","cause");
--> statement-breakpoint
CREATE INDEX "notifications_user_id_id_index" ON "notifications" USING btree ("user_id","id");
--> statement-breakpoint
CREATE INDEX "notifications_mail_due_index" ON "notifications" USING btree ("mail_due_at") WHERE "notifications"."mail_due_at" is not null;
--> statement-breakpoint
CREATE INDEX "notifications_mail_id_index" ON "notifications" USING btree ("mail_id");
--> statement-breakpoint
CREATE INDEX "notifications_created_at_index" ON "notifications" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "notifications_course_offering_id_index" ON "notifications" USING btree ("course_offering_id");
--> statement-breakpoint
CREATE INDEX "notifications_content_item_id_index" ON "notifications" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "notifications_discussion_post_id_index" ON "notifications" USING btree ("discussion_post_id");
--> statement-breakpoint
CREATE INDEX "notifications_announcement_id_user_id_index" ON "notifications" USING btree ("announcement_id","user_id");
--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD CONSTRAINT "discussion_reports_review_id_course_reviews_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."course_reviews"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "content_items_due_index" ON "content_items" USING btree ("due_at") WHERE "content_items"."due_at" is not null;
--> statement-breakpoint
CREATE INDEX "llm_calls_open_index" ON "llm_calls" USING btree ("started_at") WHERE "llm_calls"."outcome" = 'started';
--> statement-breakpoint
CREATE INDEX "modules_due_index" ON "modules" USING btree ("due_at") WHERE "modules"."due_at" is not null;
--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD CONSTRAINT "discussion_reports_review_id_user_id_unique" UNIQUE("review_id","user_id");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'enrollment.created', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'account.deactivated', 'account.reactivated', 'account.exported', 'account.erased', 'account.taken_over', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted'));
--> statement-breakpoint
ALTER TABLE "discussion_reports" ADD CONSTRAINT "discussion_reports_subject_check" CHECK (num_nonnulls("discussion_reports"."post_id", "discussion_reports"."review_id") = 1);
--> statement-breakpoint
ALTER TABLE "mail_outbox" ADD CONSTRAINT "mail_outbox_kind_check" CHECK ("mail_outbox"."kind" in ('password_reset', 'password_changed', 'verify_email', 'change_email', 'email_changed', 'invitation', 'notifications'));
--> statement-breakpoint
-- Adds a post, perhaps in answer to another, and tells whom it answers. No row: the thread is gone.
create or replace function add_post(
  the_thread integer, parent integer, person integer, words text, moment timestamptz
) returns table (refusal text, post discussion_posts) language plpgsql as $$
declare
  thread discussion_threads;
  answered discussion_posts;
begin
  perform from users where id in (
    select person
    union select user_id from discussion_posts where id = parent and thread_id = the_thread
    union select created_by_user_id from discussion_threads where id = the_thread
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
  end;
  if refusal is null then
    insert into discussion_posts (thread_id, parent_post_id, depth, user_id, body, created_at, updated_at)
    values (the_thread, parent, coalesce(answered.depth + 1, 0), person, words, moment, moment)
    returning * into post;
    update discussion_threads
    set post_count = post_count + 1, last_post_at = greatest(last_post_at, moment) where id = the_thread;
    perform notify_of_post(post);
  end if;
  return next;
end $$;
--> statement-breakpoint
-- The announcements that are for a person and published by that moment: `readers_of`, seen from the reader.
create or replace function announcements_for(person integer, moment timestamptz) returns setof announcements
language sql stable as $$
  select said.* from announcements as said
  where said.published_at <= moment and said.course_offering_id in (
    select course_offering_id from enrollments where user_id = person and is_admitted
    union
    select course_offering_id from course_offering_instructors where user_id = person
  )
  union all
  select said.* from announcements as said
  where said.published_at <= moment and said.course_offering_id is null
    and said.university_id in (select known.university_id from known_at(person) as known)
$$;
--> statement-breakpoint
-- Begins the call that makes an answer for a session's open message, if it fits into every budget: `call`, or the limit
-- that it is `refused_by`, and in how many seconds it may be worth another try. `settings` holds the limits where a
-- university has none, and in `reserve` the most tokens that the call may use.
--
-- The person is held, so that of calls at once each sees those before it; the month's row lets no more in than fit.
-- What failed before it cost anything is no turn.
create or replace function begin_call(
  the_generation integer, the_session integer, the_question integer, the_model text, settings jsonb,
  out call bigint, out refused_by text, out retry_after integer
) language plpgsql as $$
declare
  person integer;
  item content_items;
  allowed record;
  today timestamptz := utc_midnight(utc_day(now()));
  reserve bigint := (settings ->> 'reserve')::bigint;
begin
  select s.user_id into person from chat_sessions as s where s.id = the_session;
  select i.* into item from content_items as i join chat_sessions as s on s.content_item_id = i.id
  where s.id = the_session;
  select * into allowed from tutor_budget_of(item.university_id, settings);
  perform from users where id = person for no key update;

  if allowed.turns_at_once <= (
    select count(*) from llm_calls as c join generations as g on g.call_id = c.id
    where c.user_id = person and c.university_id = item.university_id and c.ended_at is null
      and c.started_at > now() - answer_limit() and g.id <> the_generation
      and g.state = 'writing' and g.lease_until > clock_timestamp()
  ) then
    refused_by := 'turns_at_once';
    retry_after := 5;
    return;
  end if;
  if allowed.turns_per_day <= (
    select count(*) from llm_calls
    where user_id = person and university_id = item.university_id and started_at >= today
      and not (outcome = 'failed' and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0)
  ) then
    refused_by := 'turns_per_day';
    retry_after := seconds_until(today + interval '1 day');
    return;
  end if;

  perform lose_calls(array(select call_id from generations where id = the_generation));
  if reserve <= coalesce(allowed.tokens_per_month, reserve) then
    insert into tutor_months as used (university_id, month, tokens) values (item.university_id, tutor_month(), reserve)
    on conflict (university_id, month) do update set tokens = used.tokens + excluded.tokens
      where used.tokens + excluded.tokens <= coalesce(allowed.tokens_per_month, used.tokens + excluded.tokens);
  end if;
  if reserve > allowed.tokens_per_month or not found then
    refused_by := 'tokens_per_month';
    retry_after := seconds_until(utc_midnight((tutor_month() + interval '1 month')::date));
    return;
  end if;

  insert into llm_calls (university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens)
  values (item.university_id, item.course_id, item.id, person, the_question, the_model, reserve)
  returning id into call;
  update generations set call_id = call where id = the_generation;
end;
$$;
--> statement-breakpoint
-- Changes how a person wants to be told: `wishes` is an object of kinds, each with `in_app`, `mail` or both. What waits
-- to go out by mail goes by the new wish. Answers the same of every kind.
create or replace function change_notification_wishes(person integer, wishes jsonb, moment timestamptz)
returns jsonb language plpgsql as $$
begin
  perform from users where id = person for no key update;
  insert into notification_preferences (user_id, kind, in_app, mail)
  select person, now.kind, coalesce((wish.value ->> 'in_app')::boolean, now.in_app), coalesce(wish.value ->> 'mail', now.mail)
  from jsonb_each(wishes) as wish join notification_wishes(person) as now on now.kind = wish.key
  on conflict (user_id, kind) do update set in_app = excluded.in_app, mail = excluded.mail;
  update notifications as waiting set mail_due_at = mail_moment(reader, own.mail, moment)
  from notification_preferences as own, users as reader
  where waiting.user_id = person and waiting.mail_due_at is not null
    and reader.id = person and own.user_id = person and own.kind = waiting.kind and wishes ? own.kind;
  return (select jsonb_object_agg(kind, jsonb_build_object('in_app', in_app, 'mail', mail))
          from notification_wishes(person));
end $$;
--> statement-breakpoint
-- Ends a call with what it used, as a JSON object: `input`, `output`, `cache_read`, `cache_write` in tokens, and `cost`
-- in micros. Asked again it changes nothing; one that was taken for lost, and has given back what it reserved, tells its
-- end after all.
create or replace function end_call(the_call bigint, how text, used jsonb) returns void language sql as $$
  with before as materialized (
    select id, case outcome when 'started' then reserved_tokens else 0 end as reserved_tokens
    from llm_calls
    where id = the_call and used is not null and (
      outcome = 'started'
      or outcome = 'lost' and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0
    ) for update
  ), ended as (
    update llm_calls as call
    set ended_at = clock_timestamp(), outcome = how,
        input_tokens = coalesce((used ->> 'input')::int, 0), output_tokens = coalesce((used ->> 'output')::int, 0),
        cache_read_tokens = coalesce((used ->> 'cache_read')::int, 0),
        cache_write_tokens = coalesce((used ->> 'cache_write')::int, 0),
        cost_micros = (used ->> 'cost')::bigint
    from before where call.id = before.id
    returning call.university_id, date_trunc('month', call.started_at at time zone 'UTC')::date as month,
              before.reserved_tokens,
              call.input_tokens + call.output_tokens + call.cache_read_tokens + call.cache_write_tokens as tokens
  )
  update tutor_months as used set tokens = used.tokens - ended.reserved_tokens + ended.tokens
  from ended where used.university_id = ended.university_id and used.month = ended.month
$$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql.
create or replace function erase_account(person integer, version integer, keep_certificates boolean, request jsonb)
returns boolean language plpgsql as $$
declare
  own users;
  doomed integer[];
  left_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status = 'active' order by 1);
  -- Where they wait they may be given a place just now, and told so.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  perform keep_course(offering) from unnest(held_offerings) as offering;
  perform from course_offerings where id = any (held_offerings) order by id for no key update;
  doomed := hold_own_words(person);
  perform lock_totals();
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  -- What happened is counted before it goes, and what is counted stays.
  while (select is_behind from count_some_events()) loop end loop;
  while count_messages(20000) >= 20000 loop end loop;
  perform count_trees(null);
  perform set_config('learning.erasing', 'on', true);

  delete from generations where id in (select answers_to_own_words(person, doomed));
  delete from cache_nodes where id = any (doomed);

  perform leave_discussions(person);
  perform leave_certificates(person, keep_certificates);
  delete from course_trees where user_id = person;
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where actor_id = person or subject_id = person;
  delete from users where id = person;
  delete from uncounted_trees where user_id = person;

  perform set_config('learning.erasing', 'off', true);
  perform fill_places(offering, (request ->> 'at')::timestamptz) from unnest(left_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Free places go to those who have waited longest, all of them where there is no capacity, and they are told;
-- `passed_over` is who has just gone back to waiting.
create or replace function fill_places(offering integer, moment timestamptz, passed_over integer default null)
returns void language sql as $$
  with placed as (
    update enrollments set status = 'active' where id in (
      select id from enrollments
      where course_offering_id = offering and status = 'waitlisted' and id is distinct from passed_over
        and not (select is_list_closed(run, moment) from course_offerings as run where run.id = offering)
      order by enrolled_at, id
      limit (
        select capacity - least(capacity, (
          select count(*) from enrollments where course_offering_id = offering and status = 'active'
        )) from course_offerings where id = offering
      )
    )
    returning user_id
  )
  select notify(array_agg(user_id), 'place_obtained', 'place:' || offering || ':' || extract(epoch from moment), moment,
                offering)
  from placed having count(*) > 0
$$;
--> statement-breakpoint
-- Forgets up to `most` of the oldest audit events, of those from before a moment; answers how many.
create or replace function forget_audit_events(before timestamptz, most integer) returns integer language plpgsql as $$
declare
  forgotten integer;
begin
  perform set_config('learning.audit_kept_from', before::text, true);
  delete from audit_events where occurred_at < before
    and id in (select id from audit_events order by id limit most for update skip locked);
  get diagnostics forgotten = row_count;
  perform set_config('learning.audit_kept_from', '', true);
  return forgotten;
end $$;
--> statement-breakpoint
-- Forgets up to `most` notifications and reminders from before a moment; answers how many.
create or replace function forget_notifications(before timestamptz, most integer) returns integer language sql as $$
  with reminders as (
    delete from due_reminders where due_at < before
  ), forgotten as (
    delete from notifications where id in (
      select id from notifications where created_at < before order by created_at limit most for update skip locked)
    returning id
  )
  select count(*)::integer from forgotten
$$;
--> statement-breakpoint
-- Whether a person may still see a thread, and so be told what is said in it.
create or replace function is_thread_open_to(person integer, the_thread integer) returns boolean
language sql stable as $$
  select is_staff_of_course(person, run.course_id) or (
    takes_part(person, run.id) and course.is_published
    and (thread.module_id is null or is_module_published(thread.module_id))
    and (thread.content_item_id is null or is_item_public(thread.content_item_id)))
  from discussion_threads as thread
  join course_offerings as run on run.id = thread.course_offering_id
  join courses as course on course.id = run.course_id
  where thread.id = the_thread
$$;
--> statement-breakpoint
-- The items that are due within that time after a moment, in offerings that go on, of which nobody was reminded; by
-- their own date, or else the nearest module's.
create or replace function items_due_soon(moment timestamptz, ahead interval)
returns table (offering integer, item integer, due timestamptz) language sql stable as $$
  with recursive dated (id, due_at) as (
    select id, due_at from modules where due_at > moment and due_at <= moment + ahead
    union all
    select below.id, dated.due_at from modules as below join dated on dated.id = below.parent_module_id
    where below.due_at is null
  ), due_item as (
    select id, course_id, due_at from content_items
    where is_active and due_at > moment and due_at <= moment + ahead
    union all
    select one.id, one.course_id, dated.due_at from content_items as one join dated on dated.id = one.module_id
    where one.is_active and one.due_at is null
  )
  select run.id, one.id, one.due_at
  from due_item as one join course_offerings as run on run.course_id = one.course_id
  where not coalesce(run.starts_at > one.due_at, false) and not coalesce(run.ends_at <= moment, false)
    and not exists (
      select from due_reminders as known
      where known.course_offering_id = run.id and known.content_item_id = one.id and known.due_at = one.due_at
    ) and is_item_public(one.id)
$$;
--> statement-breakpoint
create or replace function keep_audit_events() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if to_jsonb(new) - '{actor_id,subject_id,from_address}'::text[]
         = to_jsonb(old) - '{actor_id,subject_id,from_address}'::text[]
       and coalesce(new.actor_id = old.actor_id, new.actor_id is null)
       and coalesce(new.subject_id = old.subject_id, new.subject_id is null)
       and coalesce(new.from_address = old.from_address, new.from_address is null) then
      return new;
    end if;
  elsif tg_op = 'DELETE' then
    if old.occurred_at < nullif(current_setting('learning.audit_kept_from', true), '')::timestamptz then
      return old;
    end if;
  end if;
  raise exception 'audit events are neither changed nor deleted' using errcode = 'insufficient_privilege';
end $$;
--> statement-breakpoint
-- Takes calls for lost whose maker told no end, and gives back to their universities' months what they reserved; answers
-- how many. One that tells its end after all is counted then.
create or replace function lose_calls(the_calls bigint[]) returns integer language plpgsql as $$
declare
  counted integer;
begin
  with lost as (
    update llm_calls set outcome = 'lost', ended_at = clock_timestamp()
    where id = any (the_calls) and outcome = 'started'
    returning university_id, date_trunc('month', started_at at time zone 'UTC')::date as month, reserved_tokens
  ), reserved as (
    select university_id, month, sum(reserved_tokens) as tokens from lost group by university_id, month
  ), given_back as (
    update tutor_months as used set tokens = used.tokens - reserved.tokens
    from reserved where used.university_id = reserved.university_id and used.month = reserved.month
  )
  select count(*) into counted from lost;
  return counted;
end $$;
--> statement-breakpoint
-- The same of up to `most` calls that are open for longer than any answer is made: their makers were killed.
create or replace function lose_forgotten_calls(most integer) returns integer language sql as $$
  select lose_calls(array(
    select id from llm_calls where outcome = 'started' and started_at < now() - 2 * answer_limit()
    order by id limit most for update skip locked))
$$;
--> statement-breakpoint
-- When a person's mail of that sort goes out; null where it does not, because nobody has shown that the address is theirs.
create or replace function mail_moment(reader users, wish text, moment timestamptz) returns timestamptz
language sql stable as $$
  select case when reader.is_active and reader.email_verified_at is not null then
    case wish when 'immediate' then moment when 'daily' then next_daily_mail(reader.time_zone, moment) end end
$$;
--> statement-breakpoint
-- The same of a review's words; its rating counts on.
create or replace function moderate_review(the_review integer, hide boolean, moment timestamptz)
returns setof course_reviews language plpgsql as $$
begin
  perform from course_reviews where id = the_review for no key update;
  update discussion_reports
  set outcome = case when hide then 'hidden' else 'kept' end, resolved_at = moment
  where review_id = the_review and outcome is null;
  return query update course_reviews set is_hidden = hide where id = the_review returning *;
end $$;
--> statement-breakpoint
-- When the next mail of the day goes to people of a time zone: at 7 in the morning there.
create or replace function next_daily_mail(zone text, moment timestamptz) returns timestamptz
language plpgsql stable as $$
declare
  midnight timestamp;
  today timestamptz;
begin
  midnight := date_trunc('day', moment at time zone zone);
  today := (midnight + interval '7 hours') at time zone zone;
  return case when today > moment then today else (midnight + interval '31 hours') at time zone zone end;
exception when invalid_parameter_value then
  -- A zone that this database has not heard of.
  return next_daily_mail('UTC', moment);
end $$;
--> statement-breakpoint
-- Notes a change of a grade, which nobody changes any more, and tells the audit log and whose grade it is.
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
  -- Whoever may see it is told of the first grade in an item, and of the course's once it is final.
  if the_kind = 'finalized' or (the_kind in ('submission_graded', 'item_set') and is_grade_released(offering, item)) then
    perform notify(array[person], 'grade_released',
      case when item is null then 'final:' || offering else 'grade:' || offering || ':' || item end,
      moment, offering => offering, item => item);
  end if;
end $$;
--> statement-breakpoint
-- How a person wants to be told of each kind.
create or replace function notification_wishes(person integer)
returns table (kind text, in_app boolean, mail text) language sql stable as $$
  select standard.kind, coalesce(own.in_app, true), coalesce(own.mail, standard.mail)
  from (values ('announcement', 'immediate'), ('discussion_reply', 'daily'), ('due_soon', 'daily'),
               ('grade_released', 'daily'), ('place_obtained', 'immediate')) as standard (kind, mail)
  left join notification_preferences as own on own.user_id = person and own.kind = standard.kind
$$;
--> statement-breakpoint
-- A person's notifications that still tell something: what they are about is published, said and open to them.
create or replace function notifications_of(person integer, moment timestamptz)
returns table (
  id integer, kind text, created_at timestamptz, read_at timestamptz, mail_id bigint, university_id integer,
  course_offering_id integer, content_item_id integer, announcement_id integer, thread_id integer, post_id integer,
  due_at timestamptz, title text, by_name text
) language sql stable as $$
  select one.id, one.kind, one.created_at, one.read_at, one.mail_id, coalesce(said.university_id, run.university_id),
         one.course_offering_id, one.content_item_id, one.announcement_id, post.thread_id, post.id, one.due_at,
         coalesce(said.title, thread.title, item.title, course.title), writer.full_name
  from notifications as one
  left join course_offerings as run on run.id = one.course_offering_id
  left join courses as course on course.id = run.course_id
  left join content_items as item on item.id = one.content_item_id
  left join announcements as said on said.id = one.announcement_id
  left join discussion_posts as post on post.id = one.discussion_post_id
  left join discussion_threads as thread on thread.id = post.thread_id
  left join users as writer on writer.id = post.user_id
  where one.user_id = person and case one.kind
    when 'announcement' then said.published_at <= moment
      and (said.course_offering_id is null or takes_part(person, said.course_offering_id))
    when 'discussion_reply' then not post.is_deleted and not post.is_hidden and is_thread_open_to(person, post.thread_id)
    when 'due_soon' then is_item_public(one.content_item_id)
    else true
  end
$$;
--> statement-breakpoint
-- Tells people of what happened, each once: `the_cause` is the word for it, such as `post:17`. A mail that would come
-- after what is due goes out at once. Answers how many had not been told before.
create or replace function notify(
  people integer[], the_kind text, the_cause text, moment timestamptz, offering integer default null,
  item integer default null, post integer default null, the_announcement integer default null,
  due timestamptz default null
) returns integer language sql as $$
  with told as (
    insert into notifications (user_id, kind, cause, course_offering_id, content_item_id, discussion_post_id,
                               announcement_id, due_at, created_at, mail_due_at)
    select reader.id, the_kind, the_cause, offering, item, post, the_announcement, due, notify.moment,
           case when due <= mail.moment then notify.moment else mail.moment end
    from users as reader
    cross join lateral (select * from notification_wishes(reader.id) as one where one.kind = the_kind) as wish
    cross join lateral (select mail_moment(reader, wish.mail, notify.moment)) as mail (moment)
    where reader.id = any (people) and reader.is_active
    order by reader.id
    on conflict (user_id, kind, cause) do nothing
    returning id
  )
  select count(*)::integer from told
$$;
--> statement-breakpoint
-- Tells learners that they see a grade in one of these items, of several in one word.
create or replace function notify_of_grades(offering integer, items integer[], moment timestamptz) returns void
language sql as $$
  select notify(array_agg(distinct cell.user_id), 'grade_released',
    case when cardinality(items) = 1 then 'grade:' || offering || ':' || items[1]
         else 'grades:' || offering || ':' || md5(items::text) end,
    moment, offering => offering, item => case when cardinality(items) = 1 then items[1] end)
  from grade_cells(offering, (
    select array_agg(user_id) from enrollments where course_offering_id = offering and is_admitted)) as cell
  where cell.item_id = any (items) and cell.state in ('graded', 'overridden', 'excused')
  having count(*) > 0
$$;
--> statement-breakpoint
-- Tells whom a post answers: the writer of the post above it, and who began the thread.
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
  ) as reader (id, offering)
  where reader.id <> said.user_id and is_thread_open_to(reader.id, said.thread_id)
  group by reader.offering
$$;
--> statement-breakpoint
-- A post is searched in the language of its course.
create or replace function posts_take_search() returns trigger language plpgsql as $$
begin
  new.search := to_tsvector(search_configuration((
    select course.language_code from discussion_threads as thread
    join course_offerings as run on run.id = thread.course_offering_id
    join courses as course on course.id = run.course_id
    where thread.id = new.thread_id
  )), new.body);
  return new;
end $$;
--> statement-breakpoint
-- Puts a mail into the outbox for up to `most` people of whom something is due to go out, with all that is; answers how
-- many notifications are settled by it. While one waits for a person, what comes meanwhile waits for the next. Two callers at once make
-- one mail: the second finds the first's in the outbox, or the notifications on their way.
create or replace function queue_notification_mail(moment timestamptz, most integer) returns integer
language plpgsql as $$
declare
  people integer[] := array(
    select distinct user_id from notifications as one
    where mail_due_at <= moment and not exists (
      select from mail_outbox as waiting
      where waiting.user_id = one.user_id and waiting.kind = 'notifications' and waiting.ended_at is null
    ) order by user_id limit most);
  settled integer;
begin
  with reader as (
    select id, email from users
    where id = any (people) and is_active and email_verified_at is not null
  ), queued as (
    insert into mail_outbox (kind, address, user_id, created_at, due_at)
    select 'notifications', email, id, moment, moment from reader order by id
    on conflict (kind, address) where ended_at is null do nothing
    returning id, user_id
  ), waiting as (
    select one.id, queued.id as mail_id
    from notifications as one
    left join reader on reader.id = one.user_id left join queued on queued.user_id = one.user_id
    where one.user_id = any (people) and one.mail_due_at <= moment and (reader.id is null or queued.id is not null)
    order by one.id for no key update of one
  )
  update notifications as one set mail_due_at = null, mail_id = waiting.mail_id
  from waiting where waiting.id = one.id;
  get diagnostics settled = row_count;
  return settled;
end $$;
--> statement-breakpoint
-- Notes that a person has read an announcement, also where a notification tells of it; answers when they first did.
create or replace function read_announcement(person integer, the_announcement integer, moment timestamptz)
returns timestamptz language plpgsql as $$
begin
  insert into announcement_reads (announcement_id, user_id, read_at) values (the_announcement, person, moment)
  on conflict do nothing;
  update notifications set read_at = moment, mail_due_at = null
  where announcement_id = the_announcement and user_id = person and read_at is null;
  return (select read_at from announcement_reads where announcement_id = the_announcement and user_id = person);
end $$;
--> statement-breakpoint
-- Marks some of a person's notifications as read, or all up to one of them, with the announcements that they tell of.
-- What was read goes out by mail no more. Answers how many are left.
create or replace function read_notifications(person integer, ids integer[], up_to integer, moment timestamptz)
returns integer language plpgsql as $$
begin
  with seen as (
    update notifications set read_at = moment, mail_due_at = null
    where user_id = person and read_at is null and (id = any (ids) or id <= up_to)
    returning announcement_id
  )
  insert into announcement_reads (announcement_id, user_id, read_at)
  select distinct announcement_id, person, moment from seen where announcement_id is not null
  on conflict do nothing;
  return unread_notifications(person, moment);
end $$;
--> statement-breakpoint
-- Those whom an announcement is for, its writer left out: who has a place in the offering or teaches it, or everyone of
-- the university.
create or replace function readers_of(said announcements) returns setof integer language sql stable as $$
  select reader.id from (
    select user_id from enrollments where course_offering_id = said.course_offering_id and is_admitted
    union
    select user_id from course_offering_instructors where course_offering_id = said.course_offering_id
    union
    select user_id from user_university_roles
    where said.course_offering_id is null and university_id = said.university_id
    union
    select user_id from enrollments where said.course_offering_id is null and university_id = said.university_id
  ) as addressed (id) join users as reader using (id)
  where reader.is_active and reader.id is distinct from said.created_by_user_id
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
-- Reminds those who have not completed them of up to `most` such items; answers of how many. Whoever has another date
-- for it by an override is not reminded of everyone's.
create or replace function remind_of_due(moment timestamptz, ahead interval, most integer) returns integer
language plpgsql as $$
declare
  soon record;
  reminded integer := 0;
begin
  for soon in select * from items_due_soon(moment, ahead) order by offering, item limit most loop
    insert into due_reminders (course_offering_id, content_item_id, due_at)
    values (soon.offering, soon.item, soon.due) on conflict do nothing;
    if found then
      perform notify(array(
        select taking.user_id from enrollments as taking
        where taking.course_offering_id = soon.offering and taking.status = 'active' and not exists (
          select from user_content_progress as done
          where done.user_id = taking.user_id and done.course_offering_id = soon.offering
            and done.content_item_id = soon.item and done.completed_at is not null
        ) and not exists (
          select from quiz_overrides as own
          where own.user_id = taking.user_id and own.course_offering_id = soon.offering
            and own.content_item_id = soon.item and own.due_at <> soon.due
        )
      ), 'due_soon', 'item:' || soon.item || ':' || extract(epoch from soon.due), moment, soon.offering, soon.item,
         due => soon.due);
    end if;
    reminded := reminded + 1;
  end loop;
  return reminded;
end $$;
--> statement-breakpoint
-- No notification goes out by mail any more to whoever that is, of any kind.
create or replace function stop_notification_mail(person integer, moment timestamptz) returns jsonb language sql as $$
  select change_notification_wishes(
    id, (select jsonb_object_agg(kind, '{"mail": "off"}'::jsonb) from notification_wishes(id)), moment)
  from users where id = person
$$;
--> statement-breakpoint
-- Whether a person has a place in an offering, or teaches it.
create or replace function takes_part(person integer, offering integer) returns boolean language sql stable as $$
  select exists (
    select from enrollments where user_id = person and course_offering_id = offering and is_admitted
  ) or exists (
    select from course_offering_instructors where user_id = person and course_offering_id = offering
  )
$$;
--> statement-breakpoint
-- Tells up to `most` of the readers of one announcement that is due, after those who know; answers how many, and itself
-- counted: 0 when none is due. A second caller takes another announcement.
create or replace function tell_announcement(moment timestamptz, most integer) returns integer language plpgsql as $$
declare
  said announcements;
  people integer[];
begin
  select * into said from announcements where told_at is null and published_at <= moment
  order by published_at limit 1 for no key update skip locked;
  if not found then return 0; end if;
  people := array(select one from readers_of(said) as one where one > said.told_through order by one limit most);
  perform notify(people, 'announcement', 'announcement:' || said.id, moment, said.course_offering_id,
                 the_announcement => said.id);
  update announcements set
    told_through = coalesce(people[cardinality(people)], told_through),
    told_at = case when cardinality(people) < most then moment end
  where id = said.id;
  return cardinality(people) + 1;
end $$;
--> statement-breakpoint
-- How many of them the person has still to read.
create or replace function unread_announcements(person integer, moment timestamptz) returns integer
language sql stable as $$
  select count(*)::integer from announcements_for(person, moment) as said
  where said.created_by_user_id is distinct from person
    and not exists (select from announcement_reads where announcement_id = said.id and user_id = person)
$$;
--> statement-breakpoint
-- How many a person has still to read of those that they want to see, counted as far as a thousand.
create or replace function unread_notifications(person integer, moment timestamptz) returns integer
language sql stable as $$
  select count(*)::integer from (
    select from notifications_of(person, moment) as one
    where one.read_at is null and one.kind in (select wish.kind from notification_wishes(person) as wish where wish.in_app)
    limit 1000
  ) as unread
$$;
--> statement-breakpoint
create or replace trigger posts_take_search before insert or update of body on discussion_posts
  for each row execute function posts_take_search();
--> statement-breakpoint
-- Posts from before are searched as well: the trigger writes their words.
update discussion_posts set body = body;
--> statement-breakpoint
set local check_function_bodies = on;
