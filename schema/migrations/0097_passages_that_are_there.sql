-- in steps
-- What courses told before passages were written with their items, two hundred items at a time.
set statement_timeout = 0;
--> statement-breakpoint
-- each
select format('select write_passages(array(select id from content_items where id between %s and %s))', first, first + 199)
from (select min(id) as least, max(id) as greatest from content_items) as there
cross join lateral generate_series(least, greatest, 200) as first;
