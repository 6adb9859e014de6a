-- Constraints that Drizzle cannot express: as in the tables' files, with the additions made here.

-- Trigram indexes for substring search.
create extension if not exists pg_trgm;

-- Deferred to the end of a statement, so one update can renumber all siblings.
alter table modules
  drop constraint modules_sibling_order_unique,
  add constraint modules_sibling_order_unique
    unique nulls not distinct (course_id, parent_module_id, sequence_index) deferrable;

alter table content_items
  drop constraint content_items_order_unique,
  add constraint content_items_order_unique unique (module_id, sequence_index) deferrable;
