set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "file_uses" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "file_uses_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"file_id" bigint NOT NULL,
	"asset_id" integer,
	"content_item_id" integer,
	"submission_id" bigint,
	"graded_submission_id" bigint,
	"post_id" bigint,
	"avatar_user_id" integer,
	"is_for_staff" boolean DEFAULT false NOT NULL,
	"place" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "file_uses_thing_check" CHECK (num_nonnulls("file_uses"."submission_id", "file_uses"."graded_submission_id", "file_uses"."post_id", "file_uses"."avatar_user_id",
        coalesce("file_uses"."asset_id", "file_uses"."content_item_id")) = 1)
);
--> statement-breakpoint
CREATE TABLE "file_texts" (
	"object_id" bigint PRIMARY KEY NOT NULL,
	"content" text,
	"read_at" timestamp (3) with time zone,
	"leased_until" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "file_usage" (
	"university_id" integer PRIMARY KEY NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "files_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"object_id" bigint,
	"purpose" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"refusal" text,
	"name" varchar(255) NOT NULL,
	"media_type" varchar(255) NOT NULL,
	"size" bigint NOT NULL,
	"sha256" varchar(64),
	"promised_sha256" varchar(64),
	"university_id" integer,
	"course_id" integer,
	"course_offering_id" integer,
	"content_item_id" integer,
	"submission_id" bigint,
	"uploaded_by_user_id" integer,
	"upload_key" varchar(128),
	"multipart_id" text,
	"part_size" bigint,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"loose_since" timestamp (3) with time zone DEFAULT service_now(),
	"leased_until" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"erased_at" timestamp (3) with time zone,
	CONSTRAINT "files_purpose_check" CHECK ("files"."purpose" in ('asset', 'submission', 'feedback', 'post', 'avatar', 'import')),
	CONSTRAINT "files_state_check" CHECK ("files"."state" in ('pending', 'checking', 'ready', 'refused')),
	CONSTRAINT "files_bytes_check" CHECK (("files"."object_id" is not null) = ("files"."state" in ('checking', 'ready') and "files"."erased_at" is null))
);
--> statement-breakpoint
CREATE TABLE "stored_objects" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "stored_objects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"university_id" integer,
	"key" varchar(128) NOT NULL,
	"size" bigint NOT NULL,
	"sha256" varchar(64),
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"unused_since" timestamp (3) with time zone,
	"going_at" timestamp (3) with time zone,
	"multipart_id" text,
	CONSTRAINT "stored_objects_key_unique" UNIQUE("key"),
	CONSTRAINT "stored_objects_going_check" CHECK ("stored_objects"."going_at" is null or "stored_objects"."unused_since" is not null)
);
--> statement-breakpoint
CREATE TABLE "upload_days" (
	"user_id" integer NOT NULL,
	"day" date NOT NULL,
	"files" integer DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "upload_days_user_id_day_pk" PRIMARY KEY("user_id","day")
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "assets" ADD COLUMN "file_id" bigint;
--> statement-breakpoint
ALTER TABLE "assets" ADD COLUMN "file_name" varchar(255);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "avatar_token" varchar(32);
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_asset_id_assets_id_fk" FOREIGN KEY ("asset_id") REFERENCES "public"."assets"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_submission_id_lab_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."lab_submissions"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_graded_submission_id_lab_submissions_id_fk" FOREIGN KEY ("graded_submission_id") REFERENCES "public"."lab_submissions"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_post_id_discussion_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."discussion_posts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_avatar_user_id_users_id_fk" FOREIGN KEY ("avatar_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_texts" ADD CONSTRAINT "file_texts_object_id_stored_objects_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."stored_objects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_usage" ADD CONSTRAINT "file_usage_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_object_id_stored_objects_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."stored_objects"("id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_submission_id_lab_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."lab_submissions"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_uploaded_by_user_id_users_id_fk" FOREIGN KEY ("uploaded_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "stored_objects" ADD CONSTRAINT "stored_objects_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "upload_days" ADD CONSTRAINT "upload_days_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "file_uses_once_unique" ON "file_uses" USING btree ("file_id") WHERE asset_id is null and content_item_id is null;
--> statement-breakpoint
CREATE INDEX "file_uses_file_id_index" ON "file_uses" USING btree ("file_id");
--> statement-breakpoint
CREATE INDEX "file_uses_asset_id_index" ON "file_uses" USING btree ("asset_id");
--> statement-breakpoint
CREATE INDEX "file_uses_content_item_id_index" ON "file_uses" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "file_uses_submission_id_index" ON "file_uses" USING btree ("submission_id");
--> statement-breakpoint
CREATE INDEX "file_uses_graded_submission_id_index" ON "file_uses" USING btree ("graded_submission_id");
--> statement-breakpoint
CREATE INDEX "file_uses_post_id_index" ON "file_uses" USING btree ("post_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "file_uses_avatar_user_id_unique" ON "file_uses" USING btree ("avatar_user_id");
--> statement-breakpoint
CREATE INDEX "file_texts_waiting_index" ON "file_texts" USING btree ("object_id") WHERE read_at is null;
--> statement-breakpoint
CREATE INDEX "files_object_id_index" ON "files" USING btree ("object_id");
--> statement-breakpoint
CREATE INDEX "files_university_id_id_index" ON "files" USING btree ("university_id","id");
--> statement-breakpoint
CREATE INDEX "files_course_id_index" ON "files" USING btree ("course_id");
--> statement-breakpoint
CREATE INDEX "files_course_offering_id_index" ON "files" USING btree ("course_offering_id");
--> statement-breakpoint
CREATE INDEX "files_content_item_id_index" ON "files" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "files_submission_id_index" ON "files" USING btree ("submission_id");
--> statement-breakpoint
CREATE INDEX "files_uploaded_by_user_id_id_index" ON "files" USING btree ("uploaded_by_user_id","id");
--> statement-breakpoint
CREATE INDEX "files_pending_index" ON "files" USING btree ("created_at") WHERE state = 'pending';
--> statement-breakpoint
CREATE INDEX "files_checking_index" ON "files" USING btree ("id") WHERE state = 'checking';
--> statement-breakpoint
CREATE INDEX "files_loose_index" ON "files" USING btree ("loose_since") WHERE loose_since is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "stored_objects_bytes_unique" ON "stored_objects" USING btree ("university_id","sha256") WHERE going_at is null;
--> statement-breakpoint
CREATE INDEX "stored_objects_unused_index" ON "stored_objects" USING btree ("unused_since") WHERE unused_since is not null;
--> statement-breakpoint
CREATE INDEX "stored_objects_going_index" ON "stored_objects" USING btree ("going_at") WHERE going_at is not null;
--> statement-breakpoint
CREATE INDEX "upload_days_day_index" ON "upload_days" USING btree ("day");
--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE restrict ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "assets_file_id_index" ON "assets" USING btree ("file_id");
--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_avatar_token_unique" UNIQUE("avatar_token");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused'));
--> statement-breakpoint
create or replace function add_post(
      the_thread integer, parent bigint, person integer, words text, moment timestamptz
    ) returns table (refusal text, post discussion_posts) language sql as $$
      select refusal, post from add_post($1, $2, $3, $4, $5, '{}')
    $$;
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
-- An asset's file hangs on the asset, and on the items that show it.
create or replace function assets_put_file() returns trigger language plpgsql as $$
declare
  file files;
begin
  select * into file from files where id = new.file_id for key share;
  if new.file_id is not null and (
    file.id is null or new.file_name is null or file.purpose <> 'asset' or file.state not in ('checking', 'ready') or file.erased_at is not null
    or file.university_id is distinct from new.university_id
  ) then
    raise exception 'no such file' using errcode = 'check_violation', constraint = 'file_exists', detail = new.file_id::text;
  end if;
  insert into file_uses (file_id, content_item_id, asset_id, place)
  select new.file_id, item.id, new.id, 0
  from content_items as item join content_types as type on type.id = item.content_type_id
  where new.file_id is not null and item.university_id = new.university_id
    and type.name in ('video', 'text', 'assignment') and jsonb_path_exists(
    item.data_json,
    (case type.name when 'video' then '$.asset_id ? (@ == $id)' else '$.blocks[*].asset_id ? (@ == $id)' end)::jsonpath,
    jsonb_build_object('id', new.id));
  insert into file_uses (file_id, asset_id) select new.file_id, new.id where new.file_id is not null;
  if tg_op = 'UPDATE' then
    delete from file_uses where asset_id = new.id and file_id = old.file_id;
  end if;
  perform want_text(file) where file.id is not null;
  return null;
end $$;
--> statement-breakpoint
-- What a statement that has just put it looks up.
create or replace function avatar_token_of(person integer) returns text language plpgsql as $$
begin
  return (select avatar_token from users where id = person);
end $$;
--> statement-breakpoint
-- Promises an upload. `limits` are the bytes of a university, and the files and bytes of a person in a day; `refusal` is
-- the one that it would break: 'university', 'files' or 'bytes'. No row: the account was erased.
create or replace function begin_upload(promised jsonb, person integer, limits jsonb, moment timestamptz)
returns table (refusal text, file files) language plpgsql as $$
declare
  wanted files := jsonb_populate_record(null::files, promised);
  used bigint;
  today upload_days;
begin
  perform from users where id = person and erased_at is null for key share;
  if not found then return; end if;
  insert into upload_days as one (user_id, day) values (person, (moment at time zone 'UTC')::date)
  on conflict (user_id, day) do update set files = one.files returning one.* into today;
  if wanted.university_id is not null then
    insert into file_usage (university_id) values (wanted.university_id) on conflict do nothing;
    select bytes into used from file_usage where university_id = wanted.university_id for no key update;
  end if;
  refusal := case
    when used + wanted.size > (limits ->> 'university_bytes')::bigint then 'university'
    when today.files >= (limits ->> 'day_files')::integer then 'files'
    when today.bytes + wanted.size > (limits ->> 'day_bytes')::bigint then 'bytes'
  end;
  if refusal is null then
    update upload_days as one set files = one.files + 1, bytes = one.bytes + wanted.size
    where one.user_id = person and one.day = today.day;
    insert into files as one (
      purpose, name, media_type, size, promised_sha256, university_id, course_id, course_offering_id, content_item_id,
      submission_id, uploaded_by_user_id, upload_key, multipart_id, part_size, created_at, loose_since)
    values (
      wanted.purpose, wanted.name, wanted.media_type, wanted.size, wanted.promised_sha256, wanted.university_id,
      wanted.course_id, wanted.course_offering_id, wanted.content_item_id, wanted.submission_id, person,
      wanted.upload_key, wanted.multipart_id, wanted.part_size, moment, moment)
    returning one.* into file;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- How much of a university's quota an object takes, and a file whose bytes are awaited.
create or replace function charge_file_usage(university integer, change bigint) returns void language plpgsql as $$
begin
  if university is null or change = 0 then return; end if;
  update file_usage set bytes = greatest(0, bytes + change) where university_id = university;
  if not found and change > 0 then
    insert into file_usage as one (university_id, bytes)
    select id, change from universities where id = university
    on conflict (university_id) do update set bytes = one.bytes + change;
  end if;
end $$;
--> statement-breakpoint
create or replace function charge_for_object() returns trigger language plpgsql as $$
begin
  if old.id is not null then
    perform charge_file_usage(old.university_id, case when old.unused_since is null then -old.size else 0 end);
  end if;
  if new.id is not null then
    perform charge_file_usage(new.university_id, case when new.unused_since is null then new.size else 0 end);
  end if;
  return null;
end $$;
--> statement-breakpoint
create or replace function charge_for_upload() returns trigger language plpgsql as $$
begin
  if old.state = 'pending' then perform charge_file_usage(old.university_id, -old.size); end if;
  if new.state = 'pending' then perform charge_file_usage(new.university_id, new.size); end if;
  return null;
end $$;
--> statement-breakpoint
-- Gives a worker some files to look at, for itself until then.
create or replace function claim_files_to_check(most integer, moment timestamptz, until timestamptz)
returns table (id bigint, key text, size bigint, tries integer) language sql as $$
  with next as (
    select one.id from files as one
    where one.state = 'checking' and (one.leased_until is null or one.leased_until <= moment)
    order by one.id limit most for no key update skip locked
  )
  update files as one set leased_until = until, tries = one.tries + 1
  from next, stored_objects as object
  where one.id = next.id and object.id = one.object_id
  returning one.id, object.key, one.size, one.tries
$$;
--> statement-breakpoint
-- Gives a worker a document to read, for itself until then.
create or replace function claim_texts_to_read(most integer, moment timestamptz, until timestamptz)
returns table (object_id bigint, key text, media_type text, size bigint, tries integer) language sql as $$
  with next as (
    select one.object_id from file_texts as one
    where one.read_at is null and (one.leased_until is null or one.leased_until <= moment)
    order by one.object_id limit most for no key update skip locked
  )
  update file_texts as one set leased_until = until, tries = one.tries + 1
  from next join stored_objects as object on object.id = next.object_id
  where one.object_id = next.object_id
  returning one.object_id, object.key,
    (select file.media_type from files as file where file.object_id = object.id limit 1), object.size, one.tries
$$;
--> statement-breakpoint
-- The copies of a course's items hang on the same files. Items are copied in the order of their ids: so each finds its copy.
create or replace function copy_file_uses(source integer, target integer) returns void language sql as $$
  with item as (
    select id, course_id, row_number() over (partition by course_id order by id) as number
    from content_items where course_id in (source, target)
  )
  insert into file_uses (file_id, content_item_id, asset_id, is_for_staff, place)
  select used.file_id, copy.id, used.asset_id, used.is_for_staff, used.place
  from file_uses as used
  join item as one on one.id = used.content_item_id and one.course_id = source
  join item as copy on copy.number = one.number and copy.course_id = target
  order by used.id
$$;
--> statement-breakpoint
-- The tree with its content. What a module asks for, and from what a quiz draws, are the copies too.
create or replace function copy_outline(source integer, target integer, pools jsonb, days integer, zone text)
returns void language plpgsql as $$
declare
  ids jsonb;
begin
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('modules', 'id')) order by id), '{}')
  into ids from modules where course_id = source;
  -- Parents first: a module's depth is that of the one above it.
  insert into modules overriding system value
  select copied.*
  from (select m from modules as m where m.course_id = source order by m.depth, m.id) as listed (one)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', ids -> (one).id::text, 'course_id', target, 'parent_module_id', ids -> (one).parent_module_id::text,
    'requires_module_ids', to_jsonb(array(
      select (ids ->> required.id::text)::integer
      from unnest((one).requires_module_ids) with ordinality as required (id, place) order by place)),
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  )) as copied;
  insert into content_items overriding system value
  select copied.*
  from (
    select item, type.name from content_items as item join content_types as type on type.id = item.content_type_id
    where item.course_id = source order by item.id
  ) as listed (one, type)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('content_items', 'id')), 'course_id', target, 'origin_item_id', (one).id,
    'module_id', ids -> (one).module_id::text,
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || case when listed.type = 'quiz' and pools ? ((one).data_json ->> 'question_pool_id')
         then jsonb_build_object('data_json', jsonb_set(
           (one).data_json, '{question_pool_id}', pools -> ((one).data_json ->> 'question_pool_id')))
         else '{}' end) as copied;
  perform copy_pins(origin_item_id, id) from content_items
  where course_id = target and origin_item_id is not null order by id;
  perform copy_file_uses(source, target);
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
  delete from course_exemptions where user_id = person;
  delete from quiz_overrides where user_id = person;
  delete from invitations where accepted_by_user_id = person;
  delete from import_rows where user_id = person;
  delete from sourced_people where user_id = person;
  delete from user_identities where user_id = person;
  delete from user_profiles where user_id = person;
  delete from user_subject_preferences where user_id = person;
  delete from one_time_tokens where user_id = person;
  delete from mail_outbox where user_id = person;
  delete from calendar_addresses where user_id = person;
  delete from notifications where user_id = person;
  delete from notification_preferences where user_id = person;
  delete from announcement_reads where user_id = person;
  delete from discussion_reports where user_id = person;
  delete from feature_requests where user_id = person;
  delete from notes where user_id = person;
  delete from flashcards where user_id = person;
  delete from flashcard_decks where user_id = person;
end $$;
--> statement-breakpoint
-- Deletes a file of one's own that hangs on nothing. `refusal` is 'in use'. No row: it is not theirs, or gone.
create or replace function delete_file(the_file bigint, person integer) returns table (refusal text) language plpgsql as $$
begin
  perform from files where id = the_file and uploaded_by_user_id = person for update;
  if not found then return; end if;
  refusal := case when exists (select from file_uses where file_id = the_file) then 'in use' end;
  if refusal is null then delete from files where id = the_file; end if;
  return next;
end $$;
--> statement-breakpoint
-- Deletes what was not completed in a day, and what hangs on nothing for as long, but assets; answers how many.
create or replace function delete_loose_files(moment timestamptz, most integer) returns integer language plpgsql as $$
declare
  doomed bigint[] := array(
    select one.id from files as one
    where one.state = 'pending' and one.created_at < moment - interval '24 hours'
      or one.loose_since < moment - interval '24 hours' and (one.purpose <> 'asset' or one.state = 'refused')
    order by one.id limit most for update skip locked);
begin
  delete from files as one
  where one.id = any (doomed) and not exists (select from file_uses where file_id = one.id);
  delete from upload_days where ctid = any (array(
    select ctid from upload_days where day < (moment at time zone 'UTC')::date - 2 limit most for update skip locked));
  return cardinality(doomed);
end $$;
--> statement-breakpoint
-- Takes the words out of a post, which keeps its place. It answers its thread no longer.
create or replace function delete_post(the_post bigint) returns void language plpgsql as $$
begin
  perform lock_thread_of(the_post);
  update discussion_posts set body = '', is_deleted = true, updated_at = service_now() where id = the_post and not is_deleted;
  delete from files where id in (select file_id from file_uses where post_id = the_post);
  update discussion_threads set answer_post_id = null where answer_post_id = the_post;
end $$;
--> statement-breakpoint
-- Notes that whatever lies where an upload was sent is to go: once its address to write to has run out.
create or replace function discard_upload(the_key text, bytes bigint, parts text) returns void language sql as $$
  insert into stored_objects (key, size, unused_since, going_at, multipart_id)
  values (the_key, bytes, service_now(), service_now() + interval '2 hours', parts)
  on conflict (key) do nothing
$$;
--> statement-breakpoint
-- Has the bytes of an object deleted that no file has.
create or replace function drop_object(object bigint, moment timestamptz) returns void language sql as $$
  update stored_objects set unused_since = coalesce(unused_since, moment), going_at = moment
  where id = object and not exists (select from files where object_id = object)
$$;
--> statement-breakpoint
create or replace function edit_post(the_post bigint, words text, moment timestamptz)
    returns table (refusal text, post discussion_posts) language sql as $$
      select refusal, post from edit_post($1, $2, $3, null)
    $$;
--> statement-breakpoint
-- Gives a post other words, and other files where these are not null, unless its thread is locked or it was deleted. No row:
-- the post is gone.
create or replace function edit_post(the_post bigint, words text, moment timestamptz, file_ids bigint[])
returns table (refusal text, post discussion_posts) language plpgsql as $$
declare
  thread discussion_threads := lock_thread_of(the_post);
begin
  select * into post from discussion_posts where id = the_post for no key update;
  if not found then return; end if;
  refusal := case
    when post.is_deleted then 'deleted'
    when thread.is_locked then 'locked'
    when file_ids is not null then
      'no file ' || put_files_with_post(the_post, thread.course_offering_id, post.user_id, file_ids)
  end;
  if refusal is null then
    update discussion_posts set body = words, updated_at = moment where id = the_post returning * into post;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- What a worker found out about a file: its hash, or why it is refused.
create or replace function end_check(the_file bigint, hash text, why text, moment timestamptz) returns files
language plpgsql as $$
declare
  file files;
  own bigint;
begin
  select * into file from files where id = the_file for no key update;
  if file.state is distinct from 'checking' then return file; end if;
  own := file.object_id;
  update files set
    state = case when why is null then 'ready' else 'refused' end, refusal = why, sha256 = hash, leased_until = null,
    object_id = case when why is null then keep_bytes_once(own, hash, moment) end
  where id = the_file returning * into file;
  if file.object_id is distinct from own then perform drop_object(own, moment); end if;
  if file.state = 'ready' then perform want_text(file); end if;
  return file;
end $$;
--> statement-breakpoint
-- Ends an upload whose bytes were taken to an object: `hash` is null where a job has yet to look at them, `why` what they
-- are refused for. Whoever comes second is answered what the first one made of it.
create or replace function end_upload(
  the_file bigint, object bigint, kind text, hash text, why text, moment timestamptz
) returns files language plpgsql as $$
declare
  file files;
  kept bigint := object;
begin
  select * into file from files where id = the_file for no key update;
  if file.state = 'pending' then
    perform discard_upload(file.upload_key, file.size, null);
    if why is null and hash is not null then kept := keep_bytes_once(object, hash, moment); end if;
    update files set
      state = case when why is not null then 'refused' when hash is null then 'checking' else 'ready' end,
      refusal = why, object_id = case when why is null then kept end, media_type = coalesce(kind, media_type), sha256 = hash,
      completed_at = moment, upload_key = null, multipart_id = null
    where id = the_file returning * into file;
  end if;
  if file.object_id is distinct from object then perform drop_object(object, moment); end if;
  if file.state = 'ready' then perform want_text(file); end if;
  return file;
end $$;
--> statement-breakpoint
-- Erases the account of a person whose tokens have that version; false when they have ended meanwhile. `request` is
-- that of audit.sql, `key` that of former-accounts.sql. It acts with its owner's rights as a whole, so that nobody is taken
-- out of the audit log but by the end of their account.
create or replace function erase_account(
  person integer, version integer, keep_certificates boolean, request jsonb, key bytea default null
) returns boolean language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '25s' as $$
declare
  own users;
  moment timestamptz := (request ->> 'at')::timestamptz;
  -- Whether they have done anything to others or to a university, for which someone may have to answer.
  held_office boolean;
  -- Where they wait they may be given a place just now, which is free then.
  held_offerings integer[] := array(
    select course_offering_id from enrollments where user_id = person and status in ('active', 'waitlisted') order by 1);
begin
  perform refuse_last_administrator(person);
  -- Before all that an import gives, as whoever works it has them.
  perform from imports where created_by_user_id = person order by id for no key update;
  perform from import_rows where email = (select email from users where id = person) order by id for update;
  -- Before the places and the person, as whoever grades or revokes them has it; and nobody does while they are counted.
  perform from quiz_attempts where user_id = person and submitted_at is null order by id for update;
  perform from lab_submissions where user_id = person order by id for update;
  perform from certificates where user_id = person order by id for update;
  perform lock_offerings(held_offerings);
  -- Nobody follows a link to them any more.
  update chat_sessions set share_enabled = false, share_token = null where user_id = person and share_token is not null;
  select * into own from users where id = person and token_version = version and is_active for update;
  if not found then return false; end if;

  if keep_certificates then perform leave_certificates(person); end if;

  perform note_identifiers(person, key);
  insert into erasures (user_id, begun_at) values (person, moment);
  delete from message_feedback where message_id in (
    select said.id from chat_sessions as talk join chat_messages as said on said.session_id = talk.id
    where talk.user_id = person);
  perform keep_statistics(person);
  perform leave_office(person);
  delete from mail_outbox where address = own.email;
  delete from invitations where email = own.email;
  delete from import_rows where email = own.email;
  delete from login_failures where account_hash = sha256_hex(own.email);
  held_office := exists (select from audit_events where actor_id = person and subject_id is distinct from person);
  if held_office then
    insert into audit_people (user_id, full_name, email, erased_at) values (person, own.full_name, own.email, moment)
    on conflict do nothing;
  end if;
  -- What they did to others stays theirs, and what others did to an office's holder.
  update audit_events set
    actor_id = nullif(actor_id, person),
    subject_id = nullif(subject_id, person),
    from_address = case when actor_id = person or (actor_id is null and subject_id = person) then null
                        else from_address end
  where (actor_id = person or subject_id = person)
    and not (held_office and actor_id is not null and subject_id is distinct from actor_id);
  -- The streak runs out by itself: until then the people who have one stay as many.
  update users set email = null, full_name = '', password_hash = null, email_verified_at = null, is_active = false,
    locale = default, time_zone = default, avatar_token = null, made_by_university_id = null, token_version = token_version + 1, erased_at = moment, updated_at = moment
  where id = person;
  perform end_open_attempts(person, moment);
  perform fill_seats(offering, moment) from unnest(held_offerings) as offering;
  perform audit('account.erased', null, null, null, '{}', request - 'from');
  return true;
end $$;
--> statement-breakpoint
-- Takes a person's files along with their account. Of graded work what it was stays: its size and its hash.
create or replace function erase_files(person integer, moment timestamptz) returns void language plpgsql as $$
declare
  kept bigint[] := array(
    select used.file_id from file_uses as used
    join lab_submissions as work on work.id in (used.submission_id, used.graded_submission_id)
    where work.user_id = person and work.status = 'graded');
begin
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
create or replace function feedback_files_of(the_submission bigint) returns jsonb language plpgsql as $$
begin
  return (
    select coalesce(jsonb_agg(file_summary(one) order by used.place, used.id), '[]')
    from file_uses as used join files as one on one.id = used.file_id where used.graded_submission_id = the_submission);
end $$;
--> statement-breakpoint
-- What an answer tells of files that hang on something.
create or replace function file_summary(file files) returns jsonb language sql immutable as $$
  select jsonb_build_object(
    'id', file.id, 'name', case when file.erased_at is null then file.name end, 'media_type', file.media_type,
    'size', file.size, 'sha256', file.sha256, 'state', upper(file.state), 'is_erased', file.erased_at is not null)
$$;
--> statement-breakpoint
create or replace function files_of_post(the_post bigint) returns jsonb language plpgsql as $$
begin
  return (
    select coalesce(jsonb_agg(file_summary(one) order by used.place, used.id), '[]')
    from file_uses as used join files as one on one.id = used.file_id where used.post_id = the_post);
end $$;
--> statement-breakpoint
create or replace function files_of_submission(the_submission bigint) returns jsonb language plpgsql as $$
begin
  return (
    select coalesce(jsonb_agg(file_summary(one) order by used.place, used.id), '[]')
    from file_uses as used join files as one on one.id = used.file_id where used.submission_id = the_submission);
end $$;
--> statement-breakpoint
-- An object is used while a file has its bytes. What goes with a file that was not completed is where it was sent.
create or replace function files_use_objects() returns trigger language plpgsql as $$
begin
  if new.object_id is not null and new.object_id is distinct from old.object_id then
    perform from stored_objects where id = new.object_id for no key update;
    update stored_objects set unused_since = null where id = new.object_id and unused_since is not null;
  end if;
  if old.object_id is not null and old.object_id is distinct from new.object_id then
    perform from stored_objects where id = old.object_id for no key update;
    update stored_objects set unused_since = service_now()
    where id = old.object_id and unused_since is null and not exists (select from files where object_id = old.object_id);
  end if;
  if new.id is null and old.upload_key is not null then
    perform discard_upload(old.upload_key, old.size, old.multipart_id);
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Locks files that are to be put somewhere by whoever sent them, and answers the first of them that may not: not this
-- person's, for another purpose or place, not there yet, or put elsewhere. `place` has what of `files` it has to name.
create or replace function first_misplaced_file(ids bigint[], person integer, the_purpose text, place jsonb) returns bigint
language plpgsql as $$
begin
  perform from files where id = any (ids) order by id for no key update;
  return (
    select named.id from unnest(ids) with ordinality as named (id, number)
    where not exists (
      select from files as one
      where one.id = named.id and one.uploaded_by_user_id = person and one.purpose = the_purpose
        and one.state in ('checking', 'ready') and one.erased_at is null
        and to_jsonb(one) @> place
        and not exists (select from file_uses as used where used.file_id = one.id))
    order by named.number limit 1);
end $$;
--> statement-breakpoint
create or replace function grade_submission(
      the_submission bigint, grader integer, points numeric, feedback text, why text, moment timestamptz, request jsonb
    ) returns table (refusal text, submission lab_submissions, bound jsonb) language sql as $$
      select refusal, submission, bound from grade_submission($1, $2, $3, $4, $5, $6, $7, null)
    $$;
--> statement-breakpoint
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
--> statement-breakpoint
-- Whether a tutor can be told the text of such a file.
create or replace function has_text(kind text) returns boolean language sql immutable as $$
  select kind in (
    'application/pdf', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation'
  ) or kind like 'text/%'
$$;
--> statement-breakpoint
-- The object with those bytes: the one that its university has already, else this one. The other one goes.
create or replace function keep_bytes_once(own bigint, hash text, moment timestamptz) returns bigint language plpgsql as $$
declare
  object stored_objects;
  twin bigint;
begin
  select * into object from stored_objects where id = own;
  if object.university_id is not null then
    perform pg_advisory_xact_lock(hashtextextended('bytes ' || object.university_id || ' ' || hash, 0));
    select id into twin from stored_objects
    where university_id = object.university_id and sha256 = hash and going_at is null and id <> own for no key update;
  end if;
  if twin is null then
    update stored_objects set sha256 = hash where id = own;
    return own;
  end if;
  return twin;
end $$;
--> statement-breakpoint
-- Marks objects that no file has had for seven days: no file takes them up from then on. Answers how many.
create or replace function mark_unused_objects(moment timestamptz, most integer) returns integer language plpgsql as $$
declare
  unused bigint[] := array(
    select id from stored_objects
    where unused_since < moment - interval '7 days' and going_at is null
    order by id limit most for update skip locked);
begin
  update stored_objects set going_at = moment
  where id = any (unused) and unused_since is not null and not exists (select from files where object_id = stored_objects.id);
  return cardinality(unused);
end $$;
--> statement-breakpoint
-- Since when a file hangs on nothing.
create or replace function note_file_use() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update files set loose_since = null where id = new.file_id and loose_since is not null;
    return null;
  end if;
  perform from files where id = old.file_id for no key update;
  update files set loose_since = service_now()
  where id = old.file_id and loose_since is null and not exists (select from file_uses where file_id = old.file_id);
  return null;
end $$;
--> statement-breakpoint
-- Gives a file back that could not be looked at: another try begins then.
create or replace function postpone_check(the_file bigint, again timestamptz) returns void language sql as $$
  update files set leased_until = again where id = the_file and state = 'checking'
$$;
--> statement-breakpoint
-- The avatar of a person: another address with another picture. Answers the first file that may not be it.
create or replace function put_avatar(person integer, the_file bigint, token text, moment timestamptz) returns bigint
language plpgsql as $$
declare
  misplaced bigint;
begin
  perform from users where id = person and erased_at is null for no key update;
  if not found then return the_file; end if;
  if the_file is not null and exists (select from file_uses where avatar_user_id = person and file_id = the_file) then
    return null;
  end if;
  if the_file is not null then
    misplaced := first_misplaced_file(array[the_file], person, 'avatar', '{}');
    if misplaced is not null then return misplaced; end if;
  end if;
  delete from files where id in (select file_id from file_uses where avatar_user_id = person);
  update users set avatar_token = case when the_file is not null then token end, updated_at = moment where id = person;
  if the_file is not null then insert into file_uses (file_id, avatar_user_id) values (the_file, person); end if;
  return null;
end $$;
--> statement-breakpoint
-- Puts files on a content item in place of those that were there. `given` has [{file_id, is_for_staff}], which whoever
-- writes the item has looked at, and assets may be files too; one that has gone meanwhile is a refusal.
create or replace function put_files_on_item(item content_items, given jsonb, asset_ids integer[]) returns void
language plpgsql as $$
declare
  gone bigint;
begin
  if given = '[]' and cardinality(asset_ids) = 0 then
    delete from file_uses where content_item_id = item.id;
    return;
  end if;
  perform from assets where id = any (asset_ids) order by id for share;
  perform from files
  where id in (
    select (one ->> 'file_id')::bigint from jsonb_array_elements(given) as one
    union select file_id from assets where id = any (asset_ids))
  order by id for key share;
  select (one ->> 'file_id')::bigint into gone from jsonb_array_elements(given) as one
  where not exists (
    select from files where id = (one ->> 'file_id')::bigint and state in ('checking', 'ready') and erased_at is null)
  limit 1;
  if gone is not null then
    raise exception 'no such file' using errcode = 'check_violation', constraint = 'file_exists', detail = gone::text;
  end if;
  insert into file_uses (file_id, content_item_id, asset_id, is_for_staff, place)
  select (one ->> 'file_id')::bigint, item.id, null, (one ->> 'is_for_staff')::boolean, number + 1000000
  from jsonb_array_elements(given) with ordinality as listed (one, number)
  union all
  select file_id, item.id, id, false, 1000000 from assets where id = any (asset_ids) and file_id is not null;
  delete from file_uses where content_item_id = item.id and place < 1000000;
  update file_uses set place = place - 1000000 where content_item_id = item.id;
  perform want_text(file) from files as file
  where file.id in (select file_id from file_uses where content_item_id = item.id);
end $$;
--> statement-breakpoint
-- Puts files with a submission, or with its feedback in place of those that were there; answers the first that may not be.
create or replace function put_files_with_feedback(work lab_submissions, grader integer, ids bigint[]) returns bigint
language plpgsql as $$
declare
  misplaced bigint;
begin
  if ids is null then return null; end if;
  misplaced := first_misplaced_file(
    array(select unnest(ids) except select file_id from file_uses where graded_submission_id = work.id), grader, 'feedback',
    jsonb_build_object('submission_id', work.id));
  if misplaced is not null then return misplaced; end if;
  delete from file_uses where graded_submission_id = work.id and file_id <> all (ids);
  insert into file_uses (file_id, graded_submission_id, place)
  select id, work.id, number from unnest(ids) with ordinality as given (id, number)
  where not exists (select from file_uses where file_id = given.id and graded_submission_id = work.id);
  return null;
end $$;
--> statement-breakpoint
create or replace function put_files_with_post(the_post bigint, offering integer, person integer, ids bigint[]) returns bigint
language plpgsql as $$
declare
  misplaced bigint;
begin
  misplaced := first_misplaced_file(
    array(select unnest(ids) except select file_id from file_uses where post_id = the_post), person, 'post',
    jsonb_build_object('course_offering_id', offering));
  if misplaced is not null then return misplaced; end if;
  delete from file_uses where post_id = the_post and file_id <> all (ids);
  insert into file_uses (file_id, post_id, place)
  select id, the_post, number from unnest(ids) with ordinality as given (id, number)
  where not exists (select from file_uses where file_id = given.id and post_id = the_post);
  return null;
end $$;
--> statement-breakpoint
-- The same with the first post of a thread, which there is not without them.
create or replace function put_first_files(the_post bigint, offering integer, person integer, ids bigint[]) returns void
language plpgsql as $$
declare
  misplaced bigint := put_files_with_post(the_post, offering, person, ids);
begin
  if misplaced is not null then
    raise exception 'no such file' using errcode = 'check_violation', constraint = 'file_exists', detail = misplaced::text;
  end if;
end $$;
--> statement-breakpoint
create or replace function return_submission(
      the_submission bigint, grader integer, feedback text, moment timestamptz, request jsonb
    ) returns table (refusal text, submission lab_submissions) language sql as $$
      select refusal, submission from return_submission($1, $2, $3, $4, $5, null)
    $$;
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
-- Names the object that the bytes of an upload are taken to, before they are: whoever dies meanwhile leaves an unused one.
-- No object, where somebody has completed it already. No row: it is not this person's, or gone.
create or replace function take_upload(the_file bigint, person integer, the_key text, moment timestamptz)
returns table (file files, object_id bigint) language plpgsql as $$
#variable_conflict use_column
begin
  select one.* into file from files as one
  where one.id = the_file and one.uploaded_by_user_id = person for no key update;
  if not found then return; end if;
  if file.state = 'pending' then
    insert into stored_objects (university_id, key, size, created_at, unused_since)
    values (file.university_id, the_key, file.size, moment, moment) returning id into object_id;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- The texts of an item's files that its learners are shown, for its tutor; null of what could not be read, or is not yet.
create or replace function texts_of_item(item integer)
returns table (file_id bigint, name text, media_type text, content text) language sql stable as $$
  select distinct on (file.id) file.id, file.name, file.media_type, told.content
  from file_uses as used join files as file on file.id = used.file_id and file.state = 'ready'
  left join file_texts as told on told.object_id = file.object_id
  where used.content_item_id = item and not used.is_for_staff
  order by file.id
$$;
--> statement-breakpoint
-- Asks for the text of a file that learners are shown.
create or replace function want_text(file files) returns void language sql as $$
  insert into file_texts (object_id)
  select file.object_id where file.object_id is not null and file.state = 'ready' and has_text(file.media_type) and exists (
    select from file_uses where file_id = file.id and content_item_id is not null and not is_for_staff)
  on conflict do nothing
$$;
--> statement-breakpoint
create or replace trigger assets_put_file after insert on assets
  for each row when (new.file_id is not null) execute function assets_put_file();
--> statement-breakpoint
create or replace trigger assets_put_other_file after update of file_id on assets
  for each row when (new.file_id is distinct from old.file_id) execute function assets_put_file();
--> statement-breakpoint
create or replace trigger file_uses_note after insert or delete on file_uses
  for each row execute function note_file_use();
--> statement-breakpoint
create or replace trigger files_charge after insert or delete or update of state on files
  for each row execute function charge_for_upload();
--> statement-breakpoint
create or replace trigger files_use_objects after insert or delete or update of object_id on files
  for each row execute function files_use_objects();
--> statement-breakpoint
create or replace trigger stored_objects_charge after insert or delete or update of unused_since, university_id on stored_objects
  for each row execute function charge_for_object();
--> statement-breakpoint
set local check_function_bodies = on;
