-- in steps
-- Events are numbered from now on; those of before have 0. The index is made beside them, and nobody waits for it.
set statement_timeout = 0;
--> statement-breakpoint
set lock_timeout = '500ms';
--> statement-breakpoint
-- The number of the transaction that writes a row. A reader who has read up to `safe_change_number` has missed nothing: each
-- transaction below it is over, and what begins later has a greater one.
create or replace function change_number() returns bigint language sql volatile as $$
  select pg_current_xact_id()::text::bigint
$$;
--> statement-breakpoint
-- The number below which no transaction is open.
create or replace function safe_change_number() returns bigint language sql stable as $$
  select pg_snapshot_xmin(pg_current_snapshot())::text::bigint
$$;
--> statement-breakpoint
ALTER TABLE "activity_events" ADD COLUMN IF NOT EXISTS "change_number" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "activity_events" ALTER COLUMN "change_number" SET DEFAULT change_number();
--> statement-breakpoint
do $$
begin
  -- What a stopped migration left half-made.
  if exists (
    select from pg_index where indexrelid = to_regclass('activity_events_feed_index') and not indisvalid
  ) then
    drop index activity_events_feed_index;
  end if;
end $$;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "activity_events_feed_index" ON "activity_events" USING btree ("university_id","change_number","id");
