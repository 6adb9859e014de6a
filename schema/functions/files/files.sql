-- Files: pending uploads, their bytes in the store, and the places that use them. Every key of the store has a row
-- before its bytes are written, so a crash leaves no unknown bytes.
--
-- Locks: the user who uploads, their pending uploads of that day, an asset, files by their ids, objects by theirs,
-- and last the usage of a university. A search for an object with the same bytes waits for other searches for the
-- same.

create or replace function add_to_university_file_usage(university integer, change bigint) returns void language plpgsql as $$
begin
  if university is null or change = 0 then return; end if;
  update file_usage set bytes = greatest(0, bytes + change) where university_id = university;
  if not found and change > 0 then
    insert into file_usage as one (university_id, bytes)
    select id, change from universities where id = university
    on conflict (university_id) do update set bytes = one.bytes + change;
  end if;
end $$;

create or replace function update_file_usage_of_object() returns trigger language plpgsql as $$
begin
  if old.id is not null then
    perform add_to_university_file_usage(old.university_id, case when old.unused_since is null then -old.size else 0 end);
  end if;
  if new.id is not null then
    perform add_to_university_file_usage(new.university_id, case when new.unused_since is null then new.size else 0 end);
  end if;
  return null;
end $$;

create or replace trigger stored_objects_charge after insert or delete or update of unused_since, university_id on stored_objects
  for each row execute function update_file_usage_of_object();

-- Deleting a file that was not completed discards its upload.
create or replace function update_file_usage_and_object_use() returns trigger language plpgsql as $$
begin
  if new.state is distinct from old.state then
    if old.state = 'pending' then perform add_to_university_file_usage(old.university_id, -old.size); end if;
    if new.state = 'pending' then perform add_to_university_file_usage(new.university_id, new.size); end if;
  end if;
  if new.object_id is not null and new.object_id is distinct from old.object_id then
    perform from stored_objects where id = new.object_id for no key update;
    update stored_objects set unused_since = null where id = new.object_id and unused_since is not null;
  end if;
  if old.object_id is not null and old.object_id is distinct from new.object_id then
    perform from stored_objects where id = old.object_id for no key update;
    update stored_objects set unused_since = service_now()
    where id = old.object_id and unused_since is null and not exists (select from files where object_id = old.object_id);
  end if;
  if new.id is null and old.upload_key is not null then
    perform schedule_upload_deletion(old.upload_key, old.size, old.multipart_id);
  end if;
  return null;
end $$;

create or replace trigger charge_pending_file after insert or delete or update of state, object_id on files
  for each row execute function update_file_usage_and_object_use();

-- Deletes the bytes after the upload's signed URL expires.
create or replace function schedule_upload_deletion(the_key text, bytes bigint, parts text) returns void language sql as $$
  insert into stored_objects (key, size, unused_since, going_at, multipart_id)
  values (the_key, bytes, service_now(), service_now() + interval '2 hours', parts)
  on conflict (key) do nothing
$$;

create or replace function flag_unused_files_and_rewrite_passages() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update files set loose_since = null where id = new.file_id and loose_since is not null;
  elsif tg_op = 'DELETE' then
    perform from files where id = old.file_id for no key update;
    update files set loose_since = service_now()
    where id = old.file_id and loose_since is null and not exists (select from file_uses where file_id = old.file_id);
  end if;
  perform rewrite_passages_of_items(array_remove(array[old.content_item_id, new.content_item_id], null));
  return null;
end $$;

create or replace trigger flag_unused_files after insert or update or delete on file_uses
  for each row execute function flag_unused_files_and_rewrite_passages();

-- `limits` has the bytes of a university, and a user's files and bytes in a day; `refusal` is the exceeded one:
-- 'university', 'files' or 'bytes'. No row: the account was erased.
create or replace function begin_upload_within_limits(promised jsonb, person integer, limits jsonb, moment timestamptz)
returns table (refusal text, file files) language plpgsql as $$
declare
  wanted files := jsonb_populate_record(null::files, promised);
  used bigint;
  today upload_days;
begin
  perform from users where id = person and erased_at is null for key share;
  if not found then return; end if;
  insert into upload_days as one (user_id, day) values (person, (moment at time zone 'UTC')::date)
  on conflict (user_id, day) do update set files = one.files returning one.* into today;
  if wanted.university_id is not null then
    insert into file_usage (university_id) values (wanted.university_id) on conflict do nothing;
    select bytes into used from file_usage where university_id = wanted.university_id for no key update;
  end if;
  refusal := case
    when used + wanted.size > (limits ->> 'university_bytes')::bigint then 'university'
    when today.files >= (limits ->> 'day_files')::integer then 'files'
    when today.bytes + wanted.size > (limits ->> 'day_bytes')::bigint then 'bytes'
  end;
  if refusal is null then
    update upload_days as one set files = one.files + 1, bytes = one.bytes + wanted.size
    where one.user_id = person and one.day = today.day;
    insert into files as one (
      id, purpose, name, media_type, size, promised_sha256, university_id, course_id, course_offering_id, content_item_id,
      submission_id, uploaded_by_user_id, upload_key, multipart_id, part_size, created_at, loose_since)
    overriding system value
    values (
      next_id_random_for_anonymous_work('files', case wanted.purpose when 'submission' then wanted.content_item_id end), wanted.purpose, wanted.name, wanted.media_type, wanted.size, wanted.promised_sha256, wanted.university_id,
      wanted.course_id, wanted.course_offering_id, wanted.content_item_id, wanted.submission_id, person,
      wanted.upload_key, wanted.multipart_id, wanted.part_size, moment, moment)
    returning one.* into file;
  end if;
  return next;
end $$;

-- Returns the university's object with the same bytes, else this one.
create or replace function find_same_object_or_store_hash(own bigint, hash text, moment timestamptz) returns bigint language plpgsql as $$
declare
  object stored_objects;
  twin bigint;
begin
  select * into object from stored_objects where id = own;
  if object.university_id is not null then
    perform pg_advisory_xact_lock(hashtextextended('bytes ' || object.university_id || ' ' || hash, 0));
    select id into twin from stored_objects
    where university_id = object.university_id and sha256 = hash and going_at is null and id <> own for no key update;
  end if;
  if twin is null then
    update stored_objects set sha256 = hash where id = own;
    return own;
  end if;
  return twin;
end $$;

-- Runs after the bytes moved to an object. `hash` is null if a job must check them; `why` is the reason to refuse
-- them. Idempotent.
create or replace function complete_or_refuse_upload(
  the_file bigint, object bigint, kind text, hash text, why text, moment timestamptz
) returns files language plpgsql as $$
declare
  file files;
  kept bigint := object;
begin
  select * into file from files where id = the_file for no key update;
  if file.state = 'pending' then
    perform schedule_upload_deletion(file.upload_key, file.size, null);
    if why is null and hash is not null then kept := find_same_object_or_store_hash(object, hash, moment); end if;
    update files set
      state = case when why is not null then 'refused' when hash is null then 'checking' else 'ready' end,
      refusal = why, object_id = case when why is null then kept end, media_type = coalesce(kind, media_type), sha256 = hash,
      completed_at = moment, upload_key = null, multipart_id = null
    where id = the_file returning * into file;
  end if;
  if file.object_id is distinct from object then perform schedule_unused_object_deletion(object, moment); end if;
  if file.state = 'ready' then perform queue_file_text_extraction(file); end if;
  return file;
end $$;

create or replace function schedule_unused_object_deletion(object bigint, moment timestamptz) returns void language sql as $$
  update stored_objects set unused_since = coalesce(unused_since, moment), going_at = moment
  where id = object and not exists (select from files where object_id = object)
$$;

create or replace function accept_or_refuse_checked_file(the_file bigint, hash text, why text, moment timestamptz) returns files
language plpgsql as $$
declare
  file files;
  own bigint;
begin
  select * into file from files where id = the_file for no key update;
  if file.state is distinct from 'checking' then return file; end if;
  own := file.object_id;
  update files set
    state = case when why is null then 'ready' else 'refused' end, refusal = why, sha256 = hash, leased_until = null,
    object_id = case when why is null then find_same_object_or_store_hash(own, hash, moment) end
  where id = the_file returning * into file;
  if file.object_id is distinct from own then perform schedule_unused_object_deletion(own, moment); end if;
  if file.state = 'ready' then perform queue_file_text_extraction(file); end if;
  return file;
end $$;

-- Does nothing unless learners see the file and the tutor can read its type.
create or replace function queue_file_text_extraction(file files) returns void language sql as $$
  insert into file_texts (object_id)
  select file.object_id
  where file.object_id is not null and file.state = 'ready'
    and (file.media_type like 'text/%' or file.media_type in (
      'application/pdf', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.openxmlformats-officedocument.presentationml.presentation'))
    and exists (
      select from file_uses where file_id = file.id and content_item_id is not null and not is_for_staff)
  on conflict do nothing
$$;

-- With at most `most` characters of each text. Texts are found by their bytes; null if gone.
create or replace function tutor_context_with_file_texts(context jsonb, most integer) returns jsonb language sql stable as $$
  select case when jsonb_typeof(context -> 'file_texts') = 'array' then
    context || jsonb_build_object('file_texts', (
      select jsonb_agg(one || jsonb_build_object('content', (
        select left(told.content, most)
        from stored_objects as object join file_texts as told on told.object_id = object.id
        where object.university_id = (context ->> 'university_id')::integer and object.sha256 = one ->> 'sha256'
          and told.content is not null
        order by object.going_at nulls first limit 1)) order by number)
      from jsonb_array_elements(context -> 'file_texts') with ordinality as listed (one, number)))
  else context end
$$;

-- The first that its uploader may not put at a `place`, the columns of `files` to match: another user's, for
-- another purpose, incomplete, or in use.
create or replace function lock_files_and_find_unusable(ids bigint[], person integer, the_purpose text, place jsonb) returns bigint
language plpgsql as $$
begin
  perform from files where id = any (ids) order by id for no key update;
  return (
    select named.id from unnest(ids) with ordinality as named (id, number)
    where not exists (
      select from files as one
      where one.id = named.id and one.uploaded_by_user_id = person and one.purpose = the_purpose
        and one.state in ('checking', 'ready') and one.erased_at is null
        and to_jsonb(one) @> place
        and not exists (select from file_uses as used where used.file_id = one.id))
    order by named.number limit 1);
end $$;

create or replace view file_summaries as
  select id, jsonb_build_object(
    'id', id, 'name', case when erased_at is null then name end, 'media_type', media_type,
    'size', size, 'sha256', sha256, 'state', upper(state), 'is_erased', erased_at is not null) as summary
  from files;

-- Volatile, to read files that the same statement has put.
create or replace function attached_files_json(place text, the_id bigint) returns jsonb language plpgsql as $$
declare
  handed_in bigint[] := case place when 'submission' then array(select submissions_sharing_files(the_id)) end;
  graded bigint[] := case place when 'feedback' then array(select submissions_sharing_files(the_id, true)) end;
  post bigint := case place when 'post' then the_id end;
begin
  return (
    select coalesce(jsonb_agg(file.summary order by used.place, used.id), '[]')
    from file_uses as used join file_summaries as file on file.id = used.file_id
    where used.submission_id = any (handed_in) or used.graded_submission_id = any (graded) or used.post_id = post);
end $$;

-- Keeps the given order. Returns the first file that may not be there, and then changes nothing. Null `ids` keep
-- the files.
create or replace function replace_attached_files(place text, the_id bigint, person integer, ids bigint[]) returns bigint language plpgsql as $$
declare
  post bigint := case place when 'post' then the_id end;
  graded bigint := case place when 'feedback' then the_id end;
  former file_uses[] := array(
    select used from file_uses as used where used.graded_submission_id = graded or used.post_id = post);
  kept bigint[] := array(select file_id from unnest(former) where file_id = any (ids));
  misplaced bigint;
begin
  if ids is null then return null; end if;
  misplaced := lock_files_and_find_unusable(
    array(select id from unnest(ids) with ordinality as given (id, number) where id <> all (kept) order by number),
    person, place, case place
      when 'feedback' then jsonb_build_object('submission_id', the_id)
      else jsonb_build_object('course_offering_id', (
        select thread.course_offering_id from discussion_posts as said join discussion_threads as thread
        on thread.id = said.thread_id where said.id = the_id)) end);
  if misplaced is not null then return misplaced; end if;
  delete from file_uses where id in (select id from unnest(former) where file_id <> all (kept));
  update file_uses as used set place = array_position(ids, used.file_id)
  where used.id in (select id from unnest(former) where file_id = any (kept))
    and used.place <> array_position(ids, used.file_id);
  insert into file_uses (file_id, graded_submission_id, post_id, place)
  select id, graded, post, number from unnest(ids) with ordinality as given (id, number) where id <> all (kept);
  return null;
end $$;

create or replace function raise_no_such_file(the_file bigint) returns void language plpgsql as $$
begin
  raise exception 'no such file' using errcode = 'check_violation', constraint = 'file_exists', detail = the_file::text;
end $$;

-- `given` is [{file_id, is_for_staff}]. Refuses if a file is gone.
create or replace function replace_item_files(item content_items, given jsonb, asset_ids integer[]) returns void
language plpgsql as $$
declare
  gone bigint;
begin
  if given = '[]' and cardinality(asset_ids) = 0 then
    delete from file_uses where content_item_id = item.id;
    return;
  end if;
  perform from assets where id = any (asset_ids) order by id for share;
  perform from files
  where id in (
    select (one ->> 'file_id')::bigint from jsonb_array_elements(given) as one
    union select file_id from assets where id = any (asset_ids))
  order by id for key share;
  select (one ->> 'file_id')::bigint into gone from jsonb_array_elements(given) as one
  where not exists (
    select from files where id = (one ->> 'file_id')::bigint and state in ('checking', 'ready') and erased_at is null)
  limit 1;
  if gone is not null then
    perform raise_no_such_file(gone);
  end if;
  insert into file_uses (file_id, content_item_id, asset_id, is_for_staff, place)
  select (one ->> 'file_id')::bigint, item.id, null, (one ->> 'is_for_staff')::boolean, number + 1000000
  from jsonb_array_elements(given) with ordinality as listed (one, number)
  union all
  select file_id, item.id, id, false, 1000000 from assets where id = any (asset_ids) and file_id is not null;
  delete from file_uses where content_item_id = item.id and place < 1000000;
  update file_uses set place = place - 1000000 where content_item_id = item.id;
  perform queue_file_text_extraction(file) from files as file
  where file.id in (select file_id from file_uses where content_item_id = item.id);
end $$;

-- Null removes the picture. `is_usable`: the writer may put it there. A file that is no picture counts as missing.
create or replace function set_course_picture(the_course integer, the_file bigint, is_usable boolean) returns bigint
language plpgsql as $$
begin
  if exists (select from file_uses where course_id = the_course and file_id = the_file) then return the_file; end if;
  perform from files where id = the_file for key share;
  if the_file is not null and (not is_usable or not exists (
    select from files where id = the_file and state in ('checking', 'ready') and erased_at is null
      and media_type in ('image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'))
  ) then
    perform raise_no_such_file(the_file);
  end if;
  delete from file_uses where course_id = the_course;
  insert into file_uses (file_id, course_id) select the_file, the_course where the_file is not null;
  return the_file;
end $$;

create or replace function sync_asset_file_use() returns trigger language plpgsql as $$
declare
  file files;
begin
  if new.file_id is not distinct from old.file_id then return null; end if;
  select * into file from files where id = new.file_id for key share;
  if new.file_id is not null and (
    file.id is null or new.file_name is null or file.purpose <> 'asset' or file.state not in ('checking', 'ready') or file.erased_at is not null
    or file.university_id is distinct from new.university_id
  ) then
    perform raise_no_such_file(new.file_id);
  end if;
  insert into file_uses (file_id, content_item_id, asset_id, place)
  select new.file_id, item.id, new.id, 0
  from content_items as item join content_types as type on type.id = item.content_type_id
  where new.file_id is not null and item.university_id = new.university_id
    and type.name in ('video', 'text', 'assignment') and jsonb_path_exists(
    item.data_json,
    (case type.name when 'video' then '$.asset_id ? (@ == $id)' else '$.blocks[*].asset_id ? (@ == $id)' end)::jsonpath,
    jsonb_build_object('id', new.id));
  insert into file_uses (file_id, asset_id) select new.file_id, new.id where new.file_id is not null;
  if tg_op = 'UPDATE' then
    delete from file_uses where asset_id = new.id and file_id = old.file_id;
  end if;
  perform queue_file_text_extraction(file) where file.id is not null;
  return null;
end $$;

create or replace trigger assets_put_file_use after insert or update of file_id on assets
  for each row execute function sync_asset_file_use();

-- A new picture gets a new address: `shown` is the token to read it. `misplaced` is a file that may not be used.
create or replace function replace_avatar_or_logo(university integer, person integer, the_file bigint, token text, moment timestamptz)
returns table (misplaced bigint, shown text) language plpgsql as $$
declare
  former bigint;
begin
  if university is null then
    select avatar_token into shown from users where id = person and erased_at is null for no key update;
  else
    select logo_token into shown from universities where id = university for no key update;
  end if;
  if not found then
    misplaced := the_file;
    return next;
    return;
  end if;
  select file_id into former from file_uses
  where logo_university_id = university or university is null and avatar_user_id = person;
  if the_file is null or the_file is distinct from former then
    if the_file is not null then
      misplaced := lock_files_and_find_unusable(array[the_file], person, case when university is null then 'avatar' else 'logo' end,
        jsonb_strip_nulls(jsonb_build_object('university_id', university)));
    end if;
    if misplaced is null then
      shown := case when the_file is not null then token end;
      delete from files where id = former;
      if university is null then
        update users set avatar_token = shown, updated_at = moment where id = person;
      else
        update universities set logo_token = shown, updated_at = moment where id = university;
      end if;
      insert into file_uses (file_id, avatar_user_id, logo_university_id)
      select the_file, case when university is null then person end, university where the_file is not null;
    end if;
  end if;
  return next;
end $$;

-- `refusal` is 'in use'. No row: it is gone or another user's.
create or replace function delete_file_if_unused(the_file bigint, person integer) returns table (refusal text) language plpgsql as $$
begin
  perform from files where id = the_file and uploaded_by_user_id = person for update;
  if not found then return; end if;
  refusal := case when exists (select from file_uses where file_id = the_file) then 'in use' end;
  if refusal is null then delete from files where id = the_file; end if;
  return next;
end $$;

-- Incomplete or unused for a day, except assets.
create or replace function delete_unused_or_incomplete_files(moment timestamptz, most integer) returns integer language plpgsql as $$
declare
  doomed bigint[] := array(
    select one.id from files as one
    where one.state = 'pending' and one.created_at < moment - interval '24 hours'
      or one.loose_since < moment - interval '24 hours' and (one.purpose <> 'asset' or one.state = 'refused')
    order by one.id limit most for update skip locked);
begin
  delete from files as one
  where one.id = any (doomed) and not exists (select from file_uses where file_id = one.id);
  delete from upload_days where ctid = any (array(
    select ctid from upload_days where day < (moment at time zone 'UTC')::date - 2 limit most for update skip locked));
  return cardinality(doomed);
end $$;

-- Without a file for seven days; no file can take them from then on.
create or replace function mark_unused_objects_for_deletion(moment timestamptz, most integer) returns integer language plpgsql as $$
declare
  unused bigint[] := array(
    select id from stored_objects
    where unused_since < moment - interval '7 days' and going_at is null
    order by id limit most for update skip locked);
begin
  update stored_objects set going_at = moment
  where id = any (unused) and unused_since is not null and not exists (select from files where object_id = stored_objects.id);
  return cardinality(unused);
end $$;

-- Submissions of a group share files. With `of_feedback`, those not graded separately.
create or replace function submissions_sharing_files(the_submission bigint, of_feedback boolean default false) returns setof bigint
language sql stable as $$
  select the_submission
  union
  select one.id from lab_submissions as named join lab_submissions as one on one.group_work = named.group_work
  where named.id = the_submission and not (of_feedback and (named.graded_alone or one.graded_alone))
$$;

-- Graded work keeps size and hash. Files of group work and its feedback go to another member.
create or replace function erase_files_of_person(person integer, moment timestamptz) returns void language plpgsql as $$
declare
  kept bigint[];
begin
  with mate as materialized (
    select mine.id as former_id, min(theirs.id) as id,
           min(theirs.id) filter (where not mine.graded_alone and not theirs.graded_alone) as alike_id
    from lab_submissions as mine
    join lab_submissions as theirs on theirs.group_work = mine.group_work and theirs.user_id <> mine.user_id
    join users as there on there.id = theirs.user_id and there.erased_at is null
    where mine.user_id = person group by mine.id
  ), work as (
    update file_uses as used set submission_id = mate.id from mate where used.submission_id = mate.former_id
  )
  update file_uses as used set graded_submission_id = mate.alike_id from mate
  where used.graded_submission_id = mate.former_id and mate.alike_id is not null;
  update files set uploaded_by_user_id = null
  where uploaded_by_user_id = person and purpose = 'submission' and exists (
    select from file_uses as used join lab_submissions as work on work.id = used.submission_id
    where used.file_id = files.id and work.user_id <> person);
  kept := array(
    select used.file_id from file_uses as used
    join lab_submissions as work on work.id in (used.submission_id, used.graded_submission_id)
    where work.user_id = person and work.status = 'graded');
  perform from files where id = any (kept) or uploaded_by_user_id = person order by id for no key update;
  update files set object_id = null, name = '', refusal = null, promised_sha256 = null, erased_at = moment,
    uploaded_by_user_id = null
  where id = any (kept) and erased_at is null;
  update files set uploaded_by_user_id = null
  where uploaded_by_user_id = person and purpose in ('asset', 'feedback', 'logo') and state in ('checking', 'ready')
    and exists (select from file_uses where file_id = files.id);
  update files set uploaded_by_user_id = null
  where uploaded_by_user_id = person and purpose = 'asset' and state in ('checking', 'ready');
  delete from files where uploaded_by_user_id = person;
  delete from files where id in (select file_id from file_uses where avatar_user_id = person);
  delete from upload_days where user_id = person;
end $$;
