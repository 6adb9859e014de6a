-- in steps
-- The events of an item are looked for when it is deleted, and by nothing else: without person and moment their index is a
-- seventh of its size.
set statement_timeout = 0;
--> statement-breakpoint
set lock_timeout = 0;
--> statement-breakpoint
drop index concurrently if exists "activity_events_content_item_id_index";
--> statement-breakpoint
create index concurrently "activity_events_content_item_id_index" on "activity_events" using btree ("content_item_id");
--> statement-breakpoint
drop index concurrently if exists "activity_events_content_item_id_user_id_occurred_at_index";
