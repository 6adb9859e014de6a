-- in steps
-- Made beside who reads, and those who write them.
set statement_timeout = 0;
--> statement-breakpoint
set lock_timeout = '500ms';
--> statement-breakpoint
do $$
declare
  name text;
begin
  -- What a stopped migration left half-made.
  foreach name in array array['file_uses_course_id_unique', 'file_uses_logo_university_id_unique', 'lab_submissions_to_grade_index', 'university_members_names_index', 'file_uses_once_unique_anew'] loop
    if exists (select from pg_index where indexrelid = to_regclass(name) and not indisvalid) then
      execute format('drop index %I', name);
    end if;
  end loop;
end $$;
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_uses_course_id_unique" ON "file_uses" USING btree ("course_id");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_uses_logo_university_id_unique" ON "file_uses" USING btree ("logo_university_id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lab_submissions_to_grade_index" ON "lab_submissions" USING btree ("course_offering_id") WHERE status = 'submitted';
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "university_members_names_index" ON "university_members" USING gin (searched(coalesce(given_name, '') || ' ' || coalesce(family_name, '')) gin_trgm_ops) WHERE given_name is not null or family_name is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_uses_once_unique_anew" ON "file_uses" USING btree ("file_id") WHERE asset_id is null and content_item_id is null and course_id is null;
--> statement-breakpoint
do $$
begin
  if to_regclass('file_uses_once_unique_anew') is null then return; end if;
  drop index if exists file_uses_once_unique;
  alter index file_uses_once_unique_anew rename to file_uses_once_unique;
end $$;
--> statement-breakpoint
ALTER TABLE "file_uses" DROP CONSTRAINT IF EXISTS "file_uses_thing_check";
--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_thing_check" CHECK (num_nonnulls("file_uses"."submission_id", "file_uses"."graded_submission_id", "file_uses"."post_id", "file_uses"."avatar_user_id",
        "file_uses"."course_id", "file_uses"."logo_university_id", coalesce("file_uses"."asset_id", "file_uses"."content_item_id")) = 1) NOT VALID;
--> statement-breakpoint
ALTER TABLE "file_uses" VALIDATE CONSTRAINT "file_uses_thing_check";
--> statement-breakpoint
ALTER TABLE "files" DROP CONSTRAINT IF EXISTS "files_purpose_check";
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_purpose_check" CHECK ("files"."purpose" in ('asset', 'submission', 'feedback', 'post', 'avatar', 'logo', 'import')) NOT VALID;
--> statement-breakpoint
ALTER TABLE "files" VALIDATE CONSTRAINT "files_purpose_check";
