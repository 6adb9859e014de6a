set local check_function_bodies = off;
--> statement-breakpoint
drop function copy_file_uses(integer,integer);
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
CREATE TABLE "university_time_zones" (
	"university_id" integer NOT NULL,
	"from_day" date NOT NULL,
	"time_zone" varchar(64) NOT NULL,
	CONSTRAINT "university_time_zones_university_id_from_day_pk" PRIMARY KEY("university_id","from_day")
);
--> statement-breakpoint
ALTER TABLE "file_uses" DROP CONSTRAINT "file_uses_thing_check";
--> statement-breakpoint
ALTER TABLE "files" DROP CONSTRAINT "files_purpose_check";
--> statement-breakpoint
ALTER TABLE "file_uses" ADD COLUMN "course_id" integer;
--> statement-breakpoint
ALTER TABLE "file_uses" ADD COLUMN "logo_university_id" integer;
--> statement-breakpoint
ALTER TABLE "activity_days" ADD COLUMN "local_day" date;
--> statement-breakpoint
ALTER TABLE "report_totals" ADD COLUMN "local_day" date;
--> statement-breakpoint
ALTER TABLE "universities" ADD COLUMN "display_name" varchar(60);
--> statement-breakpoint
ALTER TABLE "universities" ADD COLUMN "color" varchar(7);
--> statement-breakpoint
ALTER TABLE "universities" ADD COLUMN "logo_token" varchar(32);
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
ALTER TABLE "university_time_zones" ADD CONSTRAINT "university_time_zones_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
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
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_logo_university_id_universities_id_fk" FOREIGN KEY ("logo_university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "courses_level_id_index" ON "courses" USING btree ("level","id");
--> statement-breakpoint
CREATE INDEX "courses_language_index" ON "courses" USING btree (split_part(lower("language_code"), '-', 1),"id");
--> statement-breakpoint
CREATE INDEX "courses_credit_hours_id_index" ON "courses" USING btree ("credit_hours","id");
--> statement-breakpoint
ALTER TABLE "universities" ADD CONSTRAINT "universities_logo_token_unique" UNIQUE("logo_token");
--> statement-breakpoint
ALTER TABLE "universities" ADD CONSTRAINT "universities_color_check" CHECK ("universities"."color" ~ '^#[0-9a-f]{6}$');
--> statement-breakpoint
-- What was done from one moment up to another, for each day, person, topic and course; at one university, or anywhere
-- without one. Time on a topic is that between what someone did there, where it is no more than half an hour; over
-- midnight it counts on the later day. What has no topic belongs to the course of its offering. What was done there before
-- the first moment is looked up. The university's day stands beside that of UTC where it is another.
create or replace function activity_between(first timestamptz, last timestamptz, university integer)
returns setof activity_days language sql stable parallel safe as $$
  select utc_day(occurred_at), user_id, content_item_id, course_id,
         coalesce(sum(extract(epoch from occurred_at - before) * 1000)
           filter (where occurred_at - before <= interval '30 minutes'), 0)::int,
         count(*) filter (where verb = 'asked')::int,
         nullif(day_in_zone(occurred_at, time_zone, past_day), utc_day(occurred_at))
  from (
    select e.user_id, e.content_item_id, e.verb, e.occurred_at, e.course_id, e.university_id,
           case when e.content_item_id is not null then coalesce(e.before,
             case when e.occurred_at < first + interval '30 minutes' then (
               select max(earlier.occurred_at) from activity_events as earlier
               where earlier.content_item_id = e.content_item_id and earlier.user_id = e.user_id
                 and earlier.occurred_at >= first - interval '30 minutes' and earlier.occurred_at < first
             ) end) end as before
    from (
      select done.user_id, done.content_item_id, done.verb, done.occurred_at, done.university_id,
             coalesce(topic.course_id, run.course_id) as course_id,
             lag(done.occurred_at) over (
               partition by done.user_id, done.content_item_id order by done.occurred_at) as before
      from (
        select * from activity_events where university is null and occurred_at >= first and occurred_at < last
        union all
        select * from activity_events
        where university_id = university and occurred_at >= first and occurred_at < last
      ) as done
      left join content_items as topic on topic.id = done.content_item_id
      left join course_offerings as run on run.id = done.course_offering_id
    ) as e
  ) as event left join university_zones as zone
    on zone.university_id = event.university_id and event.occurred_at >= zone.starts_at and event.occurred_at < zone.ends_at
  group by 1, 2, 3, 4, 7
$$;
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
-- Does it, unless it is a trial, or something would be due before it opens: then nothing is written. Answers
-- `{"missing"}`, or `{"changed", "refused", "lines"}` with at most 10 000 lines.
create or replace function change_outline(the_course integer, wanted jsonb, is_trial boolean) returns jsonb
language plpgsql as $$
declare
  answer jsonb := jsonb_build_object('missing', first_elsewhere(the_course, wanted));
begin
  if answer ->> 'missing' is not null then return answer; end if;
  with line as (
    select one.*, case
      when due <= opens then 'REFUSED'
      when (was_published, was_from, was_due) is distinct from (published, opens, due) then 'CHANGED'
      else 'UNCHANGED' end as state
    from changes_of_outline(the_course, wanted) as one
  )
  select jsonb_build_object(
    'missing', null, 'changed', count(*) filter (where state = 'CHANGED'),
    'refused', count(*) filter (where state = 'REFUSED'),
    'lines', coalesce((
      select jsonb_agg(jsonb_build_object(
        'content_item_id', item_id, 'module_id', module_id, 'title', title, 'state', state,
        'before', jsonb_build_object('is_published', was_published, 'available_from', answered_moment(was_from),
                                     'due_at', answered_moment(was_due)),
        'after', jsonb_build_object('is_published', published, 'available_from', answered_moment(opens),
                                    'due_at', answered_moment(due)),
        'version', row_version + case when is_trial or state <> 'CHANGED' then 0 else 1 end) order by place, item_id)
      from (select * from line order by place, item_id limit 10000) as first), '[]'))
  into answer from line;
  if is_trial or (answer ->> 'refused')::integer > 0 then return answer; end if;
  update modules as one
  set is_published = line.published, available_from = line.opens, due_at = line.due,
      version = one.version + 1, updated_at = service_now()
  from changes_of_outline(the_course, wanted) as line
  where one.id = line.module_id and line.item_id is null
    and (was_published, was_from, was_due) is distinct from (published, opens, due);
  update content_items as one
  set is_active = line.published, available_from = line.opens, due_at = line.due,
      version = one.version + 1, updated_at = service_now()
  from changes_of_outline(the_course, wanted) as line
  where one.id = line.item_id
    and (was_published, was_from, was_due) is distinct from (published, opens, due);
  return answer;
end $$;
--> statement-breakpoint
-- What would become of each of them, in the order of the tree. `wanted` has `module_ids`, with `with_content` all that is in
-- and below these too, and `content_item_ids`; and what they are to have: `is_published`, `available_from`, `due_at`, or
-- `shift_days`, calendar days of the university by which the dates that are there are later.
create or replace function changes_of_outline(the_course integer, wanted jsonb)
returns table (
  place integer[], item_id integer, module_id integer, title text, row_version integer,
  was_published boolean, was_from timestamptz, was_due timestamptz,
  published boolean, opens timestamptz, due timestamptz
) language sql stable as $$
  with recursive node (id, path) as (
    select one.id, array[one.sequence_index] from modules as one
    where one.course_id = the_course and one.parent_module_id is null
    union all
    select below.id, node.path || below.sequence_index
    from node join modules as below on below.parent_module_id = node.id
  ), inside (id) as (
    select named::integer from jsonb_array_elements_text(wanted -> 'module_ids') as named
    union
    select below.id from inside join modules as below on below.parent_module_id = inside.id
    where (wanted ->> 'with_content')::boolean
  ), thing as (
    select node.path, null::integer as item_id, one.id as module_id, one.title, one.version, one.is_published,
           one.available_from, one.due_at
    from inside join node using (id) join modules as one on one.id = inside.id
    union all
    select node.path || array[0, one.sequence_index], one.id, one.module_id, one.title, one.version, one.is_active,
           one.available_from, one.due_at
    from content_items as one join node on node.id = one.module_id
    where one.course_id = the_course and (
      one.id in (select named::integer from jsonb_array_elements_text(wanted -> 'content_item_ids') as named)
      or (wanted ->> 'with_content')::boolean and one.module_id in (select id from inside))
  ), asked as (
    select coalesce((wanted ->> 'shift_days')::integer, 0) as days, university.time_zone as zone
    from courses as course join universities as university on university.id = course.university_id
    where course.id = the_course
  )
  select path, thing.item_id, thing.module_id, thing.title, thing.version, thing.is_published,
         thing.available_from, thing.due_at,
         coalesce((wanted ->> 'is_published')::boolean, thing.is_published),
         case when wanted ? 'available_from' then (wanted ->> 'available_from')::timestamptz
              when days = 0 then thing.available_from else days_later(thing.available_from, days, zone) end,
         case when wanted ? 'due_at' then (wanted ->> 'due_at')::timestamptz
              when days = 0 then thing.due_at else days_later(thing.due_at, days, zone) end
  from thing cross join asked
$$;
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
-- Copies an item beside it, in the place behind it: learners see the copy once it is published. Its course is locked by
-- whoever calls this.
create or replace function copy_content_item(the_item integer) returns content_items language plpgsql as $$
declare
  original content_items;
  copied content_items;
begin
  select * into original from content_items where id = the_item;
  if not found then return null; end if;
  update content_items set sequence_index = sequence_index + 1, updated_at = service_now()
  where module_id = original.module_id and sequence_index > original.sequence_index;
  copied.id := nextval(pg_get_serial_sequence('content_items', 'id'));
  perform copy_items(
    jsonb_build_object(the_item, copied.id), original.course_id, '{}', '{}', 0, 'UTC',
    jsonb_build_object(the_item, jsonb_build_object(
      'title', title_of_copy(original.title, (select language_code from courses where id = original.course_id)),
      'is_active', false, 'sequence_index', original.sequence_index + 1)));
  select * into copied from content_items where id = copied.id;
  return copied;
end $$;
--> statement-breakpoint
-- Copies a course without its runs. `wanted` may have a `code`, without which it gets a free one, a `title`, and
-- whether it `is_published`.
create or replace function copy_course(
  source integer, wanted jsonb, moved_by integer default null, out course courses, out prerequisites course_prerequisites[]
) language plpgsql set lock_timeout = '25s' as $$
declare
  original courses;
  zone text;
  days integer;
begin
  select * into original from courses where id = source for no key update;
  select time_zone into zone from universities where id = original.university_id;
  days := coalesce(moved_by, days_to_move(first_date_of_course(source), wanted, zone));
  insert into courses (
    university_id, department_id, primary_subject_id, title, code, description, level, language_code, credit_hours,
    is_published, access, cache_enabled, llm_model, tutor_line)
  values (
    original.university_id, original.department_id, original.primary_subject_id,
    coalesce(wanted ->> 'title', original.title),
    coalesce(wanted ->> 'code', free_course_code(original.university_id, original.code)),
    original.description, original.level, original.language_code, original.credit_hours,
    coalesce((wanted ->> 'is_published')::boolean, original.is_published), original.access, original.cache_enabled,
    original.llm_model, original.tutor_line)
  returning * into course;
  insert into course_subjects (course_id, subject_id, is_primary)
  select course.id, subject_id, is_primary from course_subjects where course_id = source order by id;
  with added as (
    insert into course_prerequisites (course_id, prerequisite_course_id, prerequisite_type)
    select course.id, prerequisite_course_id, prerequisite_type from course_prerequisites
    where course_id = source order by id
    returning *
  )
  select coalesce(array_agg(added), '{}') into prerequisites from added;
  perform copy_outline(source, course.id, copy_question_pools(source, course.id), days, zone);
  insert into file_uses (file_id, course_id)
  select file_id, course.id from file_uses as picture where picture.course_id = source;
end $$;
--> statement-breakpoint
-- Copied items, whose ids stand by those of the originals, hang on the same files.
create or replace function copy_file_uses(ids jsonb) returns void language sql as $$
  insert into file_uses (file_id, content_item_id, asset_id, is_for_staff, place)
  select used.file_id, copy::integer, used.asset_id, used.is_for_staff, used.place
  from jsonb_each_text(ids) as pair (original, copy)
  join file_uses as used on used.content_item_id = original::integer
  order by used.id
$$;
--> statement-breakpoint
-- The same of items, with all that hangs on them: pins, what the tutor is told, files. Each goes into the copy of its
-- module, or stays in its module where that has none; a quiz draws from the copy of its pool, where there is one.
create or replace function copy_items(
  ids jsonb, target integer, the_modules jsonb, pools jsonb, days integer, zone text, own jsonb default '{}'
) returns void language plpgsql as $$
begin
  insert into content_items overriding system value
  select copied.*
  from (
    select item, type.name from content_items as item join content_types as type on type.id = item.content_type_id
    where item.id in (select id::integer from jsonb_object_keys(ids) as one (id)) order by item.id
  ) as listed (one, type)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', ids -> (one).id::text, 'course_id', target, 'origin_item_id', (one).id,
    'module_id', coalesce(the_modules -> (one).module_id::text, to_jsonb((one).module_id)),
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || case when listed.type = 'quiz' and pools ? ((one).data_json ->> 'question_pool_id')
         then jsonb_build_object('data_json', jsonb_set(
           (one).data_json, '{question_pool_id}', pools -> ((one).data_json ->> 'question_pool_id')))
         else '{}' end
    || coalesce(own -> (one).id::text, '{}')) as copied;
  perform copy_pins(original::integer, copy::integer)
  from (select * from jsonb_each_text(ids) order by value::integer) as pair (original, copy);
  perform copy_notes_of_items(ids, target);
  perform copy_file_uses(ids);
end $$;
--> statement-breakpoint
-- The same of a module with all that is in it and below it: that is as it was in the original, and is seen with the copy.
create or replace function copy_module(the_module integer) returns modules
language plpgsql set lock_timeout = '25s' as $$
declare
  original modules;
  copied modules;
  module_ids jsonb;
  item_ids jsonb;
begin
  select * into original from modules where id = the_module;
  if not found then return null; end if;
  update modules set sequence_index = sequence_index + 1, updated_at = service_now()
  where course_id = original.course_id and parent_module_id is not distinct from original.parent_module_id
    and sequence_index > original.sequence_index;
  with recursive inside (id) as (
    select the_module
    union all
    select below.id from inside join modules as below on below.parent_module_id = inside.id
  )
  select jsonb_object_agg(id, nextval(pg_get_serial_sequence('modules', 'id')) order by id) into module_ids from inside;
  perform copy_modules(module_ids, original.course_id, 0, 'UTC',
    jsonb_build_object(the_module, jsonb_build_object(
      'title', title_of_copy(original.title, (select language_code from courses where id = original.course_id)),
      'is_published', false, 'sequence_index', original.sequence_index + 1)));
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('content_items', 'id')) order by id), '{}')
  into item_ids from content_items
  where module_id in (select id::integer from jsonb_object_keys(module_ids) as one (id));
  perform copy_items(item_ids, original.course_id, module_ids, '{}', 0, 'UTC');
  select * into copied from modules where id = (module_ids ->> the_module::text)::integer;
  return copied;
end $$;
--> statement-breakpoint
-- Copies modules, whose copies have these ids by those of the originals. What a module asks for are the copies too, where
-- they are among them. `own` has what single copies say otherwise, by the ids of the originals.
create or replace function copy_modules(
  ids jsonb, target integer, days integer, zone text, own jsonb default '{}'
) returns void language sql as $$
  -- Parents first: a module's depth is that of the one above it.
  insert into modules overriding system value
  select copied.*
  from (select m from modules as m where m.id in (select id::integer from jsonb_object_keys(ids) as one (id))
        order by m.depth, m.id) as listed (one)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', ids -> (one).id::text, 'course_id', target,
    'parent_module_id', coalesce(ids -> (one).parent_module_id::text, to_jsonb((one).parent_module_id)),
    'requires_module_ids', to_jsonb(array(
      select coalesce((ids ->> required.id::text)::integer, required.id)
      from unnest((one).requires_module_ids) with ordinality as required (id, place) order by place)),
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || coalesce(own -> (one).id::text, '{}')) as copied
$$;
--> statement-breakpoint
-- So are copied items, whose ids stand by those of the originals.
create or replace function copy_notes_of_items(ids jsonb, target integer) returns void language sql as $$
  insert into tutor_notes (course_id, content_item_id, notes, key_facts, common_errors, never_say, updated_by)
  select target, copy::integer, one.notes, one.key_facts, one.common_errors, one.never_say, one.updated_by
  from jsonb_each_text(ids) as pair (original, copy)
  join tutor_notes as one on one.content_item_id = original::integer
  order by one.id
$$;
--> statement-breakpoint
-- The tree with its content. What a module asks for, and from what a quiz draws, are the copies too.
create or replace function copy_outline(source integer, target integer, pools jsonb, days integer, zone text)
returns void language plpgsql as $$
declare
  module_ids jsonb;
  item_ids jsonb;
begin
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('modules', 'id')) order by id), '{}')
  into module_ids from modules where course_id = source;
  perform copy_modules(module_ids, target, days, zone);
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('content_items', 'id')) order by id), '{}')
  into item_ids from content_items where course_id = source;
  perform copy_items(item_ids, target, module_ids, pools, days, zone);
  perform copy_tutor_notes(source, target);
end $$;
--> statement-breakpoint
-- A copy is taught as its original is.
create or replace function copy_tutor_notes(source integer, target integer) returns void language sql as $$
  insert into tutor_notes (course_id, notes, key_facts, common_errors, never_say, updated_by)
  select target, one.notes, one.key_facts, one.common_errors, one.never_say, one.updated_by
  from tutor_notes as one
  where one.course_id = source and one.content_item_id is null
$$;
--> statement-breakpoint
-- What is told late is counted at once, where its moment is counted already: all that its person did on that day, and
-- what it was to an answer. Each insert prepares the condition: no function stands in it.
create or replace function count_late() returns trigger language plpgsql as $$
declare
  counting scheduled_tasks;
  counted timestamptz;
  told timestamptz := (to_jsonb(new) ->> tg_argv[0])::timestamptz;
  following date := utc_day(told + interval '30 minutes');
  -- A university's day may have begun the day before, or end the day after.
  month date := date_trunc('month', utc_day(told) - 1);
  months_past date;
  former report_months[];
begin
  select * into counting from scheduled_tasks where name = 'count' for share;
  counted := counted_to(counting);
  if told >= counted then return null; end if;
  if tg_table_name = 'chat_messages' then
    insert into report_totals (measure, course_id, day, amount, is_kept)
    select measure, course_id, utc_day(moment), amount, false from answer_facts where message_id = new.id;
    perform count_message_late(new);
  else
    perform pg_advisory_xact_lock(hashtextextended('activity of person ' || new.user_id, 0));
    months_past := person_months_until(new.user_id);
    if month < months_past then
      former := array(select month_sums(array[new.user_id], month, months_past));
    end if;
    delete from activity_days where user_id = new.user_id and day in (utc_day(told), following);
    insert into activity_days
    select * from activity_between(utc_midnight(utc_day(told)), least(counted, utc_midnight(following + 1)))
    where user_id = new.user_id;
    if month < months_past then
      perform count_months_again(
        new.user_id, month, date_trunc('month', following)::date, months_past, former);
    end if;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Counts some more people of the first month that is not counted whole; answers whether more is left. Persons below zero
-- are those who were erased before their rows stayed as numbers.
create or replace function count_months(most integer) returns boolean language plpgsql as $$
declare
  nobody constant integer := -2147483648;
  state counted_months;
  days_until date;
  past date;
  people integer[];
begin
  perform from scheduled_tasks where name = 'count' for update;
  insert into counted_months select '1970-01-01', nobody where not exists (select from counted_months);
  select * into state from counted_months;
  days_until := utc_day(counted_until());
  past := state.until + interval '1 month';
  -- From here on days are counted anew.
  if days_until < state.until then
    update counted_months set until = date_trunc('month', days_until - 1), people_to = nobody;
    return true;
  end if;
  if state.people_to = nobody and delete_counted_months(state.until, most) then return true; end if;
  if past >= days_until then return false; end if;
  -- Nothing was done before the first day.
  if state.until = '1970-01-01' then
    update counted_months set until = coalesce((
      select date_trunc('month', min(day)) from activity_days), date_trunc('month', days_until));
    if not exists (select from counted_months where until = state.until) then return true; end if;
  end if;
  if state.people_to = nobody then
    people := array(select distinct user_id from activity_days where user_id <= 0 and day >= state.until and day < past);
    update counted_months set people_to = 0;
  else
    people := array(select id from users where id > state.people_to order by id limit greatest(1, most / 10));
    if people = '{}' then
      update counted_months set until = past, people_to = nobody;
      return true;
    end if;
    update counted_months set people_to = people[cardinality(people)];
  end if;
  perform keep_active_months(people, state.until, past);
  perform add_to_month(state.until, array(select month_sums(people, state.until, past)));
  return true;
end $$;
--> statement-breakpoint
-- Adds what was done, and answered, from one moment up to another to what is counted. Of days that are begun only the
-- first may have been counted in part.
create or replace function count_step(first timestamptz, last timestamptz) returns void
language plpgsql set enable_seqscan = off as $$
begin
  with fresh as materialized (
    select done.*, case when done.day = utc_day(first) then (
             select former.ctid from activity_days as former
             where former.user_id = done.user_id and former.day = done.day
               and former.content_item_id is not distinct from done.content_item_id
               and former.course_id is not distinct from done.course_id
               and former.local_day is not distinct from done.local_day limit 1
           ) end as former
    from activity_between(first, last) as done
  ), added as (
    update activity_days as day
    set milliseconds = day.milliseconds + fresh.milliseconds, questions = day.questions + fresh.questions
    from fresh where day.ctid = fresh.former
  )
  insert into activity_days
  select day, user_id, content_item_id, course_id, milliseconds, questions, local_day from fresh where former is null;

  with fresh as materialized (
    select answers.*, case when answers.day = utc_day(first) then (
             select former.ctid from report_totals as former
             where former.measure = answers.measure and former.day = answers.day
               and former.course_id is not distinct from answers.course_id and not former.is_kept limit 1
           ) end as former
    from (
      select measure, course_id, utc_day(moment) as day, count(*) as amount
      from answer_facts where moment >= first and moment < last group by 1, 2, 3
    ) as answers
  ), added as (
    update report_totals as total set amount = total.amount + fresh.amount from fresh where total.ctid = fresh.former
  )
  insert into report_totals (measure, course_id, day, amount, is_kept)
  select measure, course_id, day, amount, false from fresh where former is null;
end $$;
--> statement-breakpoint
-- What an offering's calendar is moved of: all of it, or of these `module_ids`, with all below them, and `content_item_ids`.
create or replace function dates_to_move(the_offering integer, wanted jsonb)
returns table (module_id integer, content_item_id integer, opens_at timestamptz, due_at timestamptz)
language sql stable as $$
  with recursive inside (id) as (
    select named::integer from jsonb_array_elements_text(wanted -> 'module_ids') as named
    union
    select below.id from inside join modules as below on below.parent_module_id = inside.id
  )
  select stated.module_id, stated.content_item_id,
         coalesce(stated.opens_at, course_opens_at), coalesce(stated.due_at, course_due_at)
  from stated_dates(the_offering) as stated
  where num_nonnulls(stated.opens_at, course_opens_at, stated.due_at, course_due_at) > 0 and (
    not wanted ?| '{module_ids,content_item_ids}'
    or stated.module_id in (select id from inside)
    or stated.content_item_id in (
      select named::integer from jsonb_array_elements_text(wanted -> 'content_item_ids') as named
      union all
      select one.id from inside join content_items as one on one.module_id = inside.id))
$$;
--> statement-breakpoint
-- The day of a moment in the zone that holds then, of that view; without one, the day of UTC.
create or replace function day_in_zone(moment timestamptz, zone text, past_day date) returns date
language sql stable parallel safe as $$
  select coalesce(least((moment at time zone zone)::date, past_day - 1), utc_day(moment))
$$;
--> statement-breakpoint
-- Forgets some of what was counted of a day and those after it; answers whether more is left.
create or replace function delete_counted(first date, most integer) returns boolean
language plpgsql set enable_seqscan = off as $$
declare
  days integer;
  sums integer;
begin
  update counted_months set until = date_trunc('month', first - 1), people_to = -2147483648
  where (until, people_to) > (date_trunc('month', first - 1)::date, -2147483648);
  update counted_facts set until = '1970-01-01', reached_at = null where reached_at > utc_midnight(first);
  delete from activity_days where ctid = any (array(
    select ctid from activity_days where day >= first and user_id > 0 order by day limit most));
  get diagnostics days = row_count;
  delete from report_totals where ctid = any (array(
    select ctid from report_totals
    where measure in ('hits', 'misses', 'joined') and day >= first and not is_kept limit most));
  get diagnostics sums = row_count;
  return greatest(days, sums) = most;
end $$;
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
  where uploaded_by_user_id = person and purpose in ('asset', 'feedback', 'logo') and state in ('checking', 'ready')
    and exists (select from file_uses where file_id = files.id);
  update files set uploaded_by_user_id = null
  where uploaded_by_user_id = person and purpose = 'asset' and state in ('checking', 'ready');
  delete from files where uploaded_by_user_id = person;
  delete from files where id in (select file_id from file_uses where avatar_user_id = person);
  delete from upload_days where user_id = person;
end $$;
--> statement-breakpoint
-- The place of the first of these ids, from 0, that names none of the course: `{"module_ids": 0}`. Null where there is none.
create or replace function first_elsewhere(the_course integer, wanted jsonb) returns jsonb language sql stable as $$
  select jsonb_build_object(kind, place - 1)
  from (
    select 'module_ids' as kind, named.* from jsonb_array_elements_text(wanted -> 'module_ids') with ordinality as named (id, place)
    union all
    select 'content_item_ids', named.* from jsonb_array_elements_text(wanted -> 'content_item_ids') with ordinality as named (id, place)
  ) as one
  where case kind when 'module_ids'
    then not exists (select from modules as m where m.id = one.id::integer and m.course_id = the_course)
    else not exists (select from content_items as i where i.id = one.id::integer and i.course_id = the_course) end
  order by kind desc, place limit 1
$$;
--> statement-breakpoint
-- The first moment of a day in a time zone. Where clocks are set back over midnight, it is the earlier of the two; where they are
-- set forward over it, it is that moment.
create or replace function first_moment(day date, zone text) returns timestamptz language sql stable parallel safe as $$
  select case when ((midnight - interval '1 hour') at time zone zone)::date = day then midnight - interval '1 hour'
    else midnight end
  from (select day::timestamp at time zone zone as midnight) as one
$$;
--> statement-breakpoint
-- Deletes what is a person's own, and keeps what it counted for.
create or replace function keep_statistics(person integer) returns void language plpgsql as $$
declare
  former report_totals[] := array(select personal_totals(person));
begin
  perform leave_discussions(person);
  perform delete_belongings(person);
  insert into report_totals (measure, course_id, day, since, amount, is_kept, course_offering_id, local_day)
  select measure, course_id, day, since, sum(amount), true, course_offering_id, local_day
  from (
    select * from unnest(former)
    union all
    select measure, course_id, day, since, -amount, is_kept, course_offering_id, local_day from personal_totals(person)
  ) as counted
  group by measure, course_id, day, since, course_offering_id, local_day having sum(amount) <> 0;
end $$;
--> statement-breakpoint
-- Has days be of a new university's zone from the first on, and of another zone from the first midnight after the change.
-- A zone that PostgreSQL does not know counts as UTC: nothing that is counted may fail by it. What was to begin and is
-- changed before is none.
create or replace function keep_time_zone() returns trigger language plpgsql as $$
declare
  zone text := new.time_zone;
  today date;
  latest university_time_zones;
begin
  begin
    today := (service_now() at time zone zone)::date;
  exception when invalid_parameter_value then
    zone := 'UTC';
    today := utc_day(service_now());
  end;
  delete from university_time_zones
  where university_id = new.id and first_moment(from_day, time_zone) > service_now();
  select * into latest from university_time_zones where university_id = new.id order by from_day desc limit 1;
  if coalesce(latest.time_zone, 'UTC') = zone then return null; end if;
  insert into university_time_zones (university_id, from_day, time_zone) values (new.id, '0001-01-01', 'UTC')
  on conflict do nothing;
  insert into university_time_zones (university_id, from_day, time_zone)
  values (new.id, case tg_op when 'INSERT' then today else greatest(today + 1, latest.from_day + 1) end, zone);
  return null;
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
  update cartridge_imports set created_by_user_id = null, title = null where created_by_user_id = person;
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
-- What these people add to the sums of some months, from their rows of them.
create or replace function month_sums(people integer[], first date, past date) returns setof report_months
language sql stable set enable_seqscan = off as $$
  with own as materialized (
    select * from activity_months where user_id = any (people) and month >= first and month < past
  ), at_topic as (
    select own.*, (
      select max(before.month) from activity_months as before
      where before.user_id = own.user_id and before.content_item_id = own.content_item_id and before.month < own.month
    ) as since
    from own where content_item_id is not null
  ), asking as (
    select own.*, (
      select max(before.month) from activity_months as before
      where before.user_id = own.user_id and before.content_item_id = own.content_item_id and before.month < own.month
        and before.questions > 0
    ) as since
    from own where content_item_id is not null and questions > 0
  ), in_course as (
    select own.*, (
      select max(before.month) from activity_months as before
      where before.user_id = own.user_id and before.content_item_id is null and before.month < own.month
        and before.course_id = own.course_id
    ) as since
    from own where content_item_id is null and course_id is not null
  ), anywhere as (
    select one.month, (
      select max(before.month) from activity_months as before
      where before.user_id = one.user_id and before.content_item_id is null and before.month < one.month
    ) as since
    from (select distinct user_id, month from own where content_item_id is null) as one
  ), at_university as (
    select one.*, (
      select max(before.month) from activity_months as before join courses on courses.id = before.course_id
      where before.user_id = one.user_id and before.content_item_id is null and before.month < one.month
        and courses.university_id = one.university_id
    ) as since
    from (
      select distinct own.user_id, own.month, courses.university_id from own join courses on courses.id = own.course_id
      where own.content_item_id is null
    ) as one
  ), of_courses_and_all as (
    select case grouping(course_id) when 0 then 'topics' else 'all_topics' end, course_id, month, since, count(*)
    from at_topic group by grouping sets ((course_id, month, since), (month, since))
    union all
    select case grouping(course_id) when 0 then 'askers' else 'all_askers' end, course_id, month, since, count(*)
    from asking group by grouping sets ((course_id, month, since), (month, since))
    union all
    select 'people', course_id, month, since, count(*) from in_course group by 2, 3, 4
    union all
    select 'all_people', null, month, since, count(*) from anywhere group by 3, 4
    union all
    select case grouping(course_id) when 0 then 'milliseconds' else 'all_milliseconds' end, course_id, month, null,
           sum(milliseconds)::bigint
    from at_topic group by grouping sets ((course_id, month), (month))
    union all
    select case grouping(course_id) when 0 then 'questions' else 'all_questions' end, course_id, month, null, sum(questions)
    from asking group by grouping sets ((course_id, month), (month))
    union all
    select 'people_by_day', null, date_trunc('month', day)::date, day, count(distinct user_id) from activity_days
    where user_id = any (people) and day >= first and day < past group by 3, 4
  )
  select one.*, null::integer from of_courses_and_all as one
  union all
  select 'university_people', null, month, since, count(*), university_id from at_university group by 3, 4, 6
  union all
  select 'university_people_by_day', null, date_trunc('month', one.day)::date, one.day, count(distinct one.user_id),
         one.university_id
  from (
    select done.user_id, coalesce(done.local_day, done.day) as day, courses.university_id
    from activity_days as done join courses on courses.id = done.course_id
    where done.user_id = any (people) and done.day >= first - 1 and done.day <= past
  ) as one
  where one.day >= first and one.day < past group by 3, 4, 6
$$;
--> statement-breakpoint
-- The first month of which a report may not read the sums.
create or replace function months_until() returns date language sql stable parallel safe as $$
  select coalesce(
    (select least(until, date_trunc('month', utc_day(counted_until()) - 1)::date) from counted_months), '1970-01-01')
$$;
--> statement-breakpoint
-- Moves the calendar of an offering, or a part of it: what holds for its modules and items is said by the offering from then
-- on, that many days later, or so many that the first is on `starts_on`, as a copy's dates are moved (copies.sql). Answers
-- the calendar as it is then.
create or replace function move_offering_dates(the_offering integer, wanted jsonb, moment timestamptz) returns jsonb
language plpgsql as $$
declare
  zone text;
  days integer;
begin
  perform lock_grades(the_offering);
  select university.time_zone into zone
  from course_offerings as run join universities as university on university.id = run.university_id
  where run.id = the_offering;
  days := days_to_move((
    select min(one) filter (where isfinite(one))
    from dates_to_move(the_offering, wanted), unnest(array[opens_at, due_at]) as one
  ), wanted, zone);
  insert into offering_dates as own (
    course_id, course_offering_id, content_item_id, module_id, available_from, due_at, updated_at)
  select run.course_id, run.id, moved.content_item_id, moved.module_id,
         said_later(moved.opens_at, days, zone), said_later(moved.due_at, days, zone), moment
  from course_offerings as run cross join lateral dates_to_move(run.id, wanted) as moved
  where run.id = the_offering
  on conflict on constraint offering_dates_unique do update
    set available_from = excluded.available_from, due_at = excluded.due_at, updated_at = excluded.updated_at;
  perform take_later_dates(the_offering, null, null, moment);
  return offering_calendar(the_offering);
end $$;
--> statement-breakpoint
-- What those rows of a person count for that go when they are erased, and not only those: of all that stays as much is
-- there before as after.
create or replace function personal_totals(person integer) returns setof report_totals language sql stable as $$
  select measure, course_id, utc_day(moment), utc_day(since), sum(amount), true, null::int, null::date
  from (table community_facts union all table assessment_facts) as fact
  where user_id = person and moment is not null
    and measure in ('notes', 'flashcards', 'flashcard_reviews', 'discussion_posts', 'labs_submitted', 'labs_graded',
                    'labs_scored', 'lab_scores', 'assignments_submitted', 'assignments_graded', 'assignments_scored',
                    'assignment_scores')
  group by 1, 2, 3, 4
  union all
  select counted.measure, run.course_id, utc_day(counted.moment), null, count(*), true, run.id,
         nullif(university_day(run.university_id, counted.moment), utc_day(counted.moment))
  from certificates as own join course_offerings as run on run.id = own.course_offering_id
  cross join lateral (values
    ('certificates_issued', case when own.replaces_id is null then own.issued_at end),
    ('certificates_revoked', own.revoked_at)) as counted (measure, moment)
  where own.user_id = person and counted.moment is not null group by 1, 2, 3, 7, 8
$$;
--> statement-breakpoint
-- The logo of a university, put there by whoever sent it: another address with another logo. Answers by which token it is
-- read, and in `misplaced` the file that may not be it.
create or replace function put_logo(university integer, person integer, the_file bigint, token text, moment timestamptz)
returns table (misplaced bigint, shown text) language plpgsql as $$
begin
  select logo_token into shown from universities where id = university for no key update;
  if the_file is null or not exists (select from file_uses where logo_university_id = university and file_id = the_file) then
    if the_file is not null then
      misplaced := first_misplaced_file(array[the_file], person, 'logo', jsonb_build_object('university_id', university));
    end if;
    if misplaced is null then
      shown := case when the_file is not null then token end;
      delete from files where id in (select file_id from file_uses where logo_university_id = university);
      update universities set logo_token = shown, updated_at = moment where id = university;
      insert into file_uses (file_id, logo_university_id) select the_file, university where the_file is not null;
    end if;
  end if;
  return next;
end $$;
--> statement-breakpoint
-- Makes a file the picture of a course in place of the one before, and answers it; null takes that away. `is_usable` is
-- whether the writer may put it there. What is no picture is as good as not there.
create or replace function put_picture_of_course(the_course integer, the_file bigint, is_usable boolean) returns bigint
language plpgsql as $$
begin
  if exists (select from file_uses where course_id = the_course and file_id = the_file) then return the_file; end if;
  perform from files where id = the_file for key share;
  if the_file is not null and (not is_usable or not exists (
    select from files where id = the_file and state in ('checking', 'ready') and erased_at is null
      and media_type in ('image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'))
  ) then
    raise exception 'no such file' using errcode = 'check_violation', constraint = 'file_exists', detail = the_file::text;
  end if;
  delete from file_uses where course_id = the_course;
  insert into file_uses (file_id, course_id) select the_file, the_course where the_file is not null;
  return the_file;
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
  update cartridge_imports set created_by_user_id = null, title = null where created_by_user_id = person and university_id = university;

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
-- Who is stuck in an offering: who takes it, has not completed it, and has done nothing there since then, or, without having
-- done anything, enrolled before. What says so to anyone, the desk, a roster and a report, asks here. Of each person one
-- row of each table is looked at, however much they have done, and however many others there are.
create or replace function stuck_people(offering integer, since timestamptz)
returns table (user_id integer, progress_percent numeric, last_activity_at timestamptz) language sql stable as $$
  with taking as materialized (
    select one.user_id, one.enrolled_at, kept.progress_percent
    from enrollments as one
    left join enrollment_progress as kept
      on kept.user_id = one.user_id and kept.course_offering_id = one.course_offering_id
    where one.course_offering_id = offering and one.status = 'active'
      and coalesce(kept.progress_percent, 0) < 100
  ), idle as materialized (
    select taking.*, (
      select max(event.occurred_at) from activity_events as event
      where event.course_offering_id = offering and event.user_id = taking.user_id) as moment
    from taking
  )
  select idle.user_id, coalesce(idle.progress_percent, own.progress_percent), idle.moment
  from idle
  left join progress_of(offering, array(select idle.user_id from idle where idle.progress_percent is null)) as own
    on own.user_id = idle.user_id
  where coalesce(idle.moment, idle.enrolled_at) < since
    and coalesce(idle.progress_percent, own.progress_percent) < 100
    and (select users.erased_at is null from users where users.id = idle.user_id)
$$;
--> statement-breakpoint
-- What a copy beside its original is called, in the language of the course.
create or replace function title_of_copy(title text, language text) returns text language sql immutable as $$
  select left(title, 255 - length(behind)) || behind
  from (select case split_part(lower(language), '-', 1)
    when 'de' then ' (Kopie)' when 'es' then ' (copia)' else ' (copy)' end) as one (behind)
$$;
--> statement-breakpoint
-- What was done in the courses of a university on these days of its own, however much is not counted yet. Such a day is within
-- one day of that of UTC.
create or replace function university_activity(university integer, first_day date, last_day date)
returns setof activity_days language sql stable parallel safe as $$
  select done.* from activity_days as done join courses on courses.id = done.course_id
  where courses.university_id = university and done.day between first_day - 1 and last_day + 1
    and coalesce(done.local_day, done.day) between first_day and last_day
    and (done.day < utc_day((select counted_until())) or done.user_id < 0)
  union all
  select * from activity_between((select counted_until()), 'infinity', university)
  where coalesce(local_day, day) between first_day and last_day and course_id is not null
$$;
--> statement-breakpoint
-- The same of one moment at a university.
create or replace function university_day(university integer, moment timestamptz) returns date
language sql stable parallel safe as $$
  select coalesce(
    (select day_in_zone(moment, time_zone, past_day) from university_zones
     where university_id = university and moment >= starts_at and moment < ends_at),
    utc_day(moment))
$$;
--> statement-breakpoint
-- The moment at which a day of a university begins.
create or replace function university_midnight(university integer, day date) returns timestamptz
language sql stable parallel safe as $$
  select coalesce(
    (select least(first_moment(day, time_zone), ends_at) from university_zones
     where university_id = university and from_day <= day order by from_day desc limit 1),
    utc_midnight(day))
$$;
--> statement-breakpoint
create or replace trigger keep_changed_time_zone after update of time_zone on universities
  for each row when (new.time_zone <> old.time_zone) execute function keep_time_zone();
--> statement-breakpoint
create or replace trigger keep_time_zone after insert on universities for each row execute function keep_time_zone();
--> statement-breakpoint
-- All of it. People below zero are those who were erased.
create or replace view activity as
  select * from activity_days where day < utc_day((select counted_until())) or user_id < 0
  union all
  select * from uncounted_activity(null);
--> statement-breakpoint
-- When a university's days are of which zone: from the first moment of `from_day` up to `ends_at`, before which `past_day` has
-- not begun.
create or replace view university_zones as
  select university_id, from_day, time_zone, starts_at, lead(starts_at, 1, 'infinity') over later as ends_at,
         lead(from_day) over later as past_day
  from (
    select university_id, from_day, time_zone, first_moment(from_day, time_zone) as starts_at from university_time_zones
  ) as zone
  window later as (partition by university_id order by from_day);
--> statement-breakpoint
-- By hand: the days of every university are those of its zone from the first midnight after the upgrade, and were those of UTC.
with zones as materialized (
select id, time_zone from universities
where time_zone <> 'UTC' and lower(time_zone) in (select lower(name) from pg_timezone_names)
)
insert into university_time_zones (university_id, from_day, time_zone)
select id, date '0001-01-01', 'UTC' from zones
union all
select id, (now() at time zone time_zone)::date + 1, time_zone from zones;
--> statement-breakpoint
set local check_function_bodies = on;
