-- An offering's name follows its term until it is renamed.
--
-- Locks: the term, by being renamed, then its offerings.

create or replace function set_term_name_of_offering() returns trigger language plpgsql as $$
begin
  if new.term_name is null or (tg_op = 'UPDATE' and new.term_name = old.term_name and exists (
    select from terms where id = old.term_id and name = old.term_name
  )) then
    new.term_name := coalesce((select name from terms where id = new.term_id), new.term_name);
  end if;
  return new;
end $$;

create or replace trigger set_term_name_of_offering before insert or update of term_id on course_offerings
  for each row when (new.term_id is not null) execute function set_term_name_of_offering();

create or replace function rename_term_in_offerings() returns trigger language plpgsql as $$
begin
  update course_offerings set term_name = new.name where term_id = new.id and term_name = old.name;
  return null;
end $$;

create or replace trigger rename_offerings_of_term after update of name on terms
  for each row when (old.name <> new.name) execute function rename_term_in_offerings();
