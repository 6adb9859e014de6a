-- in steps
-- Final grades of before the feed have the number 0, so that it begins with them. Indexes are made beside who reads and writes.
set statement_timeout = 0;
--> statement-breakpoint
set lock_timeout = '500ms';
--> statement-breakpoint
do $$ begin
  -- What a stopped migration left half-made.
  if exists (select from pg_index where indexrelid = to_regclass('users_email_index') and not indisvalid) then
    drop index users_email_index;
  end if;
end $$;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "users_email_index" ON "users" USING btree (coalesce("email", ''),"id");
--> statement-breakpoint
do $$ begin
  -- What a stopped migration left half-made.
  if exists (select from pg_index where indexrelid = to_regclass('course_grades_feed_index') and not indisvalid) then
    drop index course_grades_feed_index;
  end if;
end $$;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "course_grades_feed_index" ON "course_grades" USING btree ("university_id","change_number","id");
--> statement-breakpoint
with unnumbered as (
  select id from course_grades where graded_at is not null and change_number is null
  order by id limit 5000 for update
), numbered as (
  update course_grades as own set university_id = run.university_id, change_number = 0
  from unnumbered, course_offerings as run where own.id = unnumbered.id and run.id = own.course_offering_id
  returning own.id
)
select count(*) > 0 as is_repeated from numbered;
