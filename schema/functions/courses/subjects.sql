-- Maintains the tree of subjects: a subject's depth is its parent's plus 1, a move updates its subtree's
-- depths, and no subject is moved below itself.
--
-- Locks: the advisory lock of the tree, then subjects.

-- Serializes changes of the tree before they lock rows. This finds two moves that only form a cycle together,
-- and avoids deadlocks between moves that renumber overlapping subtrees.
create or replace function lock_subject_tree() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock('subjects'::regclass::oid::int, 0);
  return null;
end $$;

create or replace trigger subjects_lock_tree before insert or update of parent_subject_id on subjects
  for each statement execute function lock_subject_tree();

-- Queries here see the commits made while the lock was awaited. The foreign key rejects a missing parent.
create or replace function set_subject_depth_and_refuse_cycle() returns trigger language plpgsql as $$
begin
  if exists (
    with recursive ancestors as (
      select id, parent_subject_id from subjects where id = new.parent_subject_id
      union
      select parent.id, parent.parent_subject_id
      from subjects as parent join ancestors on parent.id = ancestors.parent_subject_id
    )
    select from ancestors where id = new.id
  ) then
    raise exception 'subject % cannot be moved below itself', new.id
      using errcode = 'check_violation', table = 'subjects', constraint = 'subjects_not_below_itself';
  end if;
  new.depth := coalesce((select depth + 1 from subjects where id = new.parent_subject_id), 0);
  return new;
end $$;

create or replace trigger set_depth_of_subject before insert or update of parent_subject_id on subjects
  for each row execute function set_subject_depth_and_refuse_cycle();

create or replace function update_depth_of_subject_descendants() returns trigger language plpgsql as $$
begin
  with recursive below as (
    select id, new.depth + 1 as depth from subjects where parent_subject_id = new.id
    union all
    select child.id, below.depth + 1
    from subjects as child join below on child.parent_subject_id = below.id
  )
  update subjects set depth = below.depth from below where subjects.id = below.id;
  return null;
end $$;

create or replace trigger move_subject_subtree after update of parent_subject_id on subjects
  for each row when (old.depth <> new.depth) execute function update_depth_of_subject_descendants();
