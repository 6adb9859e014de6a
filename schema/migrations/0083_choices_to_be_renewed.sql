-- in steps
-- The stored answers whose choices are still of the way in which an earlier version made them: the schedule makes them anew.
set statement_timeout = 0;
--> statement-breakpoint
set lock_timeout = 0;
--> statement-breakpoint
drop index concurrently if exists "cache_nodes_choices_index";
--> statement-breakpoint
create index concurrently "cache_nodes_choices_index" on "cache_nodes" using btree ("id")
where question is not null and (choices ->> 'version') is distinct from '2';
