-- in steps
-- The constraints of the wide columns hold for what is written since they are there, and now for the rows from before:
-- others go on meanwhile.
set statement_timeout = 0;
--> statement-breakpoint
set lock_timeout = 0;
--> statement-breakpoint
-- each
select format('alter table %s validate constraint %I', conrelid::regclass, conname)
from pg_constraint where not convalidated and connamespace = 'public'::regnamespace order by 1;
--> statement-breakpoint
drop schema if exists widening cascade;
