-- What Drizzle cannot say of a table: the same constraints as in its file, with what is added to them here.

-- Indexes for text anywhere within other text.
create extension if not exists pg_trgm;

-- Checked at the end of a statement, so that one update may number all siblings anew.
alter table modules
  drop constraint modules_sibling_order_unique,
  add constraint modules_sibling_order_unique
    unique nulls not distinct (course_id, parent_module_id, sequence_index) deferrable;

alter table content_items
  drop constraint content_items_order_unique,
  add constraint content_items_order_unique unique (module_id, sequence_index) deferrable;
