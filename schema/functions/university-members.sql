-- Who has or had a role or an enrollment in a university, beside what lists put people in order of: a page of them is
-- read by one index, where the names of everyone or the members of the whole university would have to be looked through.
-- Nobody is taken off when their last role goes, so that no two writers can overlook each other.
--
-- Locks: the person, before they become a member, so that they are not renamed meanwhile.

-- By its key, also while the planner knows nothing of the table yet, as in the first import.
create or replace function become_member() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if exists (select from university_members where university_id = new.university_id and user_id = new.user_id) then
    return new;
  end if;
  insert into university_members (university_id, user_id, full_name, email, search_text, created_at)
  select new.university_id, id, full_name, email, search_text, created_at from users where id = new.user_id for share
  on conflict do nothing;
  return new;
end $$;

-- Before, since a role refers to the member who holds it.
create or replace trigger become_member before insert or update of user_id, university_id on user_university_roles
  for each row execute function become_member();

-- After, since the university of an enrollment is set before it is written.
create or replace trigger become_member
  after insert or update of user_id, course_offering_id, university_id on enrollments
  for each row execute function become_member();

-- Whether a university has suspended a person: none of their rights there count.
create or replace function is_suspended(university integer, person integer) returns boolean language sql stable as $$
  select exists (
    select from university_members
    where university_id = university and user_id = person and not is_active)
$$;

-- Suspends a person, or restores what they have: which is what it was. False for who has nothing there to suspend.
create or replace function set_member_active(
  university integer, person integer, wanted boolean, actor integer, request jsonb
) returns boolean language plpgsql as $$
begin
  if not exists (select from known_at(person) as known where known.university_id = university) then
    return false;
  end if;
  update university_members set is_active = wanted
  where university_id = university and user_id = person and is_active <> wanted;
  if found then
    perform audit(case when wanted then 'member.restored' else 'member.suspended' end, actor, person, university, '{}',
                  request);
  end if;
  return true;
end $$;

create or replace function rename_member() returns trigger language plpgsql as $$
begin
  update university_members
  set (full_name, email, search_text, created_at) = (new.full_name, new.email, new.search_text, new.created_at)
  where user_id = new.id;
  return null;
end $$;

create or replace trigger rename_member after update of full_name, email, created_at on users
  for each row
  when ((old.full_name, old.email, old.created_at) is distinct from (new.full_name, new.email, new.created_at))
  execute function rename_member();
