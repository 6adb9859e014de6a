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
  foreach name in array array['lab_submissions_group_id_index', 'lab_submissions_group_work_index', 'activity_months_topic_index'] loop
    if exists (select from pg_index where indexrelid = to_regclass(name) and not indisvalid) then
      execute format('drop index %I', name);
    end if;
  end loop;
end $$;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lab_submissions_group_id_index" ON "lab_submissions" USING btree ("group_id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "lab_submissions_group_work_index" ON "lab_submissions" USING btree ("group_work") WHERE group_work is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "activity_months_topic_index" ON "activity_months" USING btree ("user_id","content_item_id","month","questions") WHERE "activity_months"."content_item_id" is not null;
