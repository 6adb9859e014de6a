set local check_function_bodies = off;
--> statement-breakpoint
ALTER TABLE "file_uses" DROP CONSTRAINT "file_uses_thing_check";
--> statement-breakpoint
DROP INDEX "file_uses_once_unique";
--> statement-breakpoint
ALTER TABLE "file_uses" ADD COLUMN "course_id" integer;
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "courses_level_id_index" ON "courses" USING btree ("level","id");
--> statement-breakpoint
CREATE INDEX "courses_language_index" ON "courses" USING btree (split_part(lower("language_code"), '-', 1),"id");
--> statement-breakpoint
CREATE INDEX "courses_credit_hours_id_index" ON "courses" USING btree ("credit_hours","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "file_uses_course_id_unique" ON "file_uses" USING btree ("course_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "file_uses_once_unique" ON "file_uses" USING btree ("file_id") WHERE asset_id is null and content_item_id is null and course_id is null;
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_thing_check" CHECK (num_nonnulls("file_uses"."submission_id", "file_uses"."graded_submission_id", "file_uses"."post_id", "file_uses"."avatar_user_id", "file_uses"."course_id",
        coalesce("file_uses"."asset_id", "file_uses"."content_item_id")) = 1);
--> statement-breakpoint
-- The copies of a course's items hang on the same files, and so does its picture. Items are copied in the order of their ids: so each finds its copy.
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
  order by used.id;
  insert into file_uses (file_id, course_id) select file_id, target from file_uses where course_id = source
$$;
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
set local check_function_bodies = on;
