set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "cartridge_files" (
	"import_id" integer NOT NULL,
	"path" text NOT NULL,
	"file_id" bigint NOT NULL,
	CONSTRAINT "cartridge_files_import_id_path_pk" PRIMARY KEY("import_id","path")
);
--> statement-breakpoint
CREATE TABLE "cartridge_imports" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "cartridge_imports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"course_id" integer NOT NULL,
	"created_by_user_id" integer,
	"file_id" bigint,
	"is_dry_run" boolean NOT NULL,
	"cartridge_version" varchar(20),
	"title" varchar(255),
	"listed_at" timestamp (3) with time zone,
	"failure" text,
	"leased_until" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "cartridge_parts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "cartridge_parts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"import_id" integer NOT NULL,
	"number" integer NOT NULL,
	"parent_number" integer,
	"kind" text NOT NULL,
	"identifier" text NOT NULL,
	"title" varchar(255) NOT NULL,
	"details" jsonb NOT NULL,
	"is_last" boolean NOT NULL,
	"outcome" text,
	"reason" text,
	"became" text[] DEFAULT '{}' NOT NULL,
	"left_out" text[] DEFAULT '{}' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"module_id" integer,
	"content_item_ids" integer[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "cartridge_parts_import_id_number_unique" UNIQUE("import_id","number"),
	CONSTRAINT "cartridge_parts_kind_check" CHECK ("cartridge_parts"."kind" in ('module', 'page', 'file', 'link', 'topic', 'quiz', 'question_bank', 'assignment', 'lti_link', 'other')),
	CONSTRAINT "cartridge_parts_outcome_check" CHECK ("cartridge_parts"."outcome" in ('created', 'partly', 'refused', 'ignored'))
);
--> statement-breakpoint
ALTER TABLE "cartridge_files" ADD CONSTRAINT "cartridge_files_import_id_cartridge_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."cartridge_imports"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "cartridge_files" ADD CONSTRAINT "cartridge_files_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "cartridge_imports" ADD CONSTRAINT "cartridge_imports_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "cartridge_imports" ADD CONSTRAINT "cartridge_imports_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "cartridge_imports" ADD CONSTRAINT "cartridge_imports_course_id_courses_id_fk" FOREIGN KEY ("course_id","university_id") REFERENCES "public"."courses"("id","university_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "cartridge_parts" ADD CONSTRAINT "cartridge_parts_import_id_cartridge_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."cartridge_imports"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "cartridge_parts" ADD CONSTRAINT "cartridge_parts_module_id_modules_id_fk" FOREIGN KEY ("module_id") REFERENCES "public"."modules"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "cartridge_files_file_id_index" ON "cartridge_files" USING btree ("file_id");
--> statement-breakpoint
CREATE INDEX "cartridge_imports_course_id_id_index" ON "cartridge_imports" USING btree ("course_id","id");
--> statement-breakpoint
CREATE INDEX "cartridge_imports_created_by_user_id_index" ON "cartridge_imports" USING btree ("created_by_user_id");
--> statement-breakpoint
CREATE INDEX "cartridge_imports_file_id_index" ON "cartridge_imports" USING btree ("file_id");
--> statement-breakpoint
CREATE INDEX "cartridge_imports_unfinished_index" ON "cartridge_imports" USING btree ("id") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "cartridge_imports_ended_at_index" ON "cartridge_imports" USING btree ("ended_at");
--> statement-breakpoint
CREATE INDEX "cartridge_parts_waiting_index" ON "cartridge_parts" USING btree ("import_id","is_last","number") WHERE outcome is null;
--> statement-breakpoint
CREATE INDEX "cartridge_parts_module_id_index" ON "cartridge_parts" USING btree ("module_id");
--> statement-breakpoint
-- Names where the bytes of a file of an import are written, before they are; null where the university has no room for it.
create or replace function begin_cartridge_file(
  university integer, the_key text, bytes bigint, most bigint, moment timestamptz
) returns bigint language plpgsql as $$
declare
  object bigint;
begin
  insert into file_usage (university_id) values (university) on conflict do nothing;
  if (select used.bytes from file_usage as used where university_id = university) + bytes > most then return null; end if;
  insert into stored_objects (university_id, key, size, created_at, unused_since)
  values (university, the_key, bytes, moment, moment) returning id into object;
  return object;
end $$;
--> statement-breakpoint
-- Gives a worker an unfinished import for itself until then; the oldest first.
create or replace function claim_cartridge_import(moment timestamptz, until timestamptz) returns setof cartridge_imports
language sql as $$
  with next as (
    select id from cartridge_imports
    where ended_at is null and (leased_until is null or leased_until <= moment)
    order by id limit 1 for no key update skip locked
  )
  update cartridge_imports as one set leased_until = until, tries = one.tries + 1
  from next where one.id = next.id returning one.*
$$;
--> statement-breakpoint
-- Makes a file of bytes that were written, once for each path of an import. `hash` is null where a scanner is to look first.
create or replace function end_cartridge_file(
  import integer, the_path text, object bigint, the_name text, kind text, bytes bigint, hash text, moment timestamptz
) returns bigint language plpgsql as $$
declare
  the_import cartridge_imports;
  known bigint;
  kept bigint := object;
  file files;
begin
  select * into the_import from cartridge_imports where id = import for no key update;
  select file_id into known from cartridge_files where import_id = import and path = the_path;
  if found then
    perform drop_object(object, moment);
    return known;
  end if;
  if hash is not null then kept := keep_bytes_once(object, hash, moment); end if;
  insert into files as one (
    object_id, purpose, state, name, media_type, size, sha256, university_id, course_id, uploaded_by_user_id, created_at,
    completed_at, loose_since)
  values (
    kept, 'asset', case when hash is null then 'checking' else 'ready' end, the_name, kind, bytes, hash,
    the_import.university_id, the_import.course_id, the_import.created_by_user_id, moment, moment, moment)
  returning * into file;
  if kept <> object then perform drop_object(object, moment); end if;
  insert into cartridge_files (import_id, path, file_id) values (import, the_path, file.id);
  return file.id;
end $$;
--> statement-breakpoint
-- Ends an import of which no part is left, or which cannot go on: `why`.
create or replace function end_cartridge_import(import integer, why text, moment timestamptz) returns void
language sql as $$
  update cartridge_imports set ended_at = moment, failure = why, leased_until = null
  where id = import and ended_at is null and (
    why is not null or not exists (select from cartridge_parts where import_id = import and outcome is null))
$$;
--> statement-breakpoint
-- Writes what was read of a part, unless somebody has: `{"outcome", "reason", "title", "became", "left_out", "module",
-- "pool": {"title", "questions"}, "items": [{"type", "title", "description", "data_json", "files", "draws"}]}`. A dry run
-- only notes what would become of it. What would go into a module that was not made is refused as `missing` says.
create or replace function end_cartridge_part(the_part bigint, given jsonb, missing text) returns void
language plpgsql as $$
declare
  part cartridge_parts;
  the_import cartridge_imports;
  module integer;
  pool integer;
  item content_items;
  one jsonb;
  made integer[] := '{}';
begin
  select * into the_import from cartridge_imports
  where id = (select import_id from cartridge_parts where id = the_part) for no key update;
  select * into part from cartridge_parts where id = the_part and outcome is null;
  if not found or the_import.ended_at is not null then return; end if;
  if part.parent_number is not null and given ->> 'outcome' in ('created', 'partly') and exists (
    select from cartridge_parts where import_id = part.import_id and number = part.parent_number and outcome = 'refused'
  ) then
    given := jsonb_build_object('outcome', 'refused', 'reason', missing);
  end if;
  if not the_import.is_dry_run and given ->> 'outcome' in ('created', 'partly') then
    perform from courses where id = the_import.course_id for no key update;
    if part.parent_number is not null then
      module := module_of_cartridge(the_import, part.parent_number);
      if module is null then given := jsonb_build_object('outcome', 'refused', 'reason', missing); end if;
    end if;
    if given ? 'module' and not part.is_last then
      insert into modules (course_id, parent_module_id, module_type, title, description, sequence_index, is_published)
      values (the_import.course_id, module, given -> 'module' ->> 'module_type', coalesce(given ->> 'title', part.title),
        given -> 'module' ->> 'description', null, false)
      returning id into module;
      update cartridge_parts set module_id = module where id = part.id;
    end if;
    if given ? 'pool' then
      insert into question_pools (university_id, course_id, title)
      values (the_import.university_id, the_import.course_id, given -> 'pool' ->> 'title') returning id into pool;
      perform import_questions(pool, given -> 'pool' -> 'questions', false);
    end if;
    for one in select value from jsonb_array_elements(coalesce(given -> 'items', '[]')) loop
      insert into content_items
        (module_id, course_id, university_id, content_type_id, title, description, sequence_index, estimated_duration_seconds, data_json)
      values (
        module, the_import.course_id, the_import.university_id,
        (select id from content_types where name = one ->> 'type'), one ->> 'title', one ->> 'description', null,
        (one ->> 'estimated_duration_seconds')::integer,
        (one -> 'data_json') || case when (one ->> 'draws')::boolean then jsonb_build_object('question_pool_id', pool) else '{}' end)
      returning * into item;
      perform put_files_on_item(item, coalesce(one -> 'files', '[]'), '{}');
      made := made || item.id;
    end loop;
  end if;
  update cartridge_parts set
    outcome = given ->> 'outcome', reason = given ->> 'reason', title = coalesce(given ->> 'title', title),
    became = array(select jsonb_array_elements_text(coalesce(given -> 'became', '[]'))),
    left_out = array(select jsonb_array_elements_text(coalesce(given -> 'left_out', '[]'))), content_item_ids = made
  where id = part.id;
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
  update cartridge_imports set created_by_user_id = null where created_by_user_id = person;
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
-- Lists the parts of an import, once.
create or replace function list_cartridge_parts(import integer, plan jsonb, moment timestamptz) returns void
language plpgsql as $$
begin
  perform from cartridge_imports where id = import and listed_at is null for no key update;
  if not found then return; end if;
  insert into cartridge_parts (import_id, number, parent_number, kind, identifier, title, details, is_last, outcome, reason)
  select import, part.ordinality - 1, (value ->> 'parent')::integer, value ->> 'kind', value ->> 'identifier',
    value ->> 'title', value -> 'details', coalesce((value -> 'details' ->> 'is_lazy')::boolean, false),
    value -> 'refusal' ->> 'outcome', value -> 'refusal' ->> 'reason'
  from jsonb_array_elements(plan -> 'parts') with ordinality as part order by part.ordinality;
  update cartridge_imports
  set listed_at = moment, cartridge_version = plan ->> 'version', title = plan ->> 'title', tries = 0 where id = import;
end $$;
--> statement-breakpoint
-- The module of an import's part; one that is only made when something goes into it is made now.
create or replace function module_of_cartridge(the_import cartridge_imports, the_number integer) returns integer
language plpgsql as $$
declare
  part cartridge_parts;
  made integer;
begin
  select * into part from cartridge_parts where import_id = the_import.id and number = the_number;
  if part.module_id is not null or not part.is_last then return part.module_id; end if;
  insert into modules (course_id, module_type, title, sequence_index, is_published)
  values (the_import.course_id, 'unit', part.title, null, false) returning id into made;
  update cartridge_parts set module_id = made where id = part.id;
  return made;
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
  update cartridge_imports set created_by_user_id = null where created_by_user_id = person and university_id = university;

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
-- Starts an import, unless one that writes into the course is under way: then no row.
create or replace function start_cartridge_import(course integer, person integer, the_file bigint, dry_run boolean, moment timestamptz)
returns setof cartridge_imports language plpgsql as $$
declare
  university integer;
begin
  select university_id into university from courses where id = course for no key update;
  if not dry_run and exists (
    select from cartridge_imports where course_id = course and ended_at is null and not is_dry_run
  ) then
    return;
  end if;
  return query
    insert into cartridge_imports (university_id, course_id, created_by_user_id, file_id, is_dry_run, created_at)
    values (university, course, person, the_file, dry_run, moment) returning *;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
