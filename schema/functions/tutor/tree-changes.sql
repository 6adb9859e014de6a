-- Staff changes of stored answers: replace one, purge one, and undo it.
--
-- Locks: see "cache-tree.sql". Writers here lock the topic's pins before any session, because a session's holder
-- never waits for pins.

-- Replaces a node's answer and pins it. Cursors stay if the question stays the same (`question_identity_hash`), else
-- sessions at the node return to above the root.
--
-- `told` has the `text`, its `question` with `choices` and `key`, and its `words` without questions, for the answer
-- to a move. Returns the reason if nothing was done: 'gone', 'changed' (the node has none of the expected
-- versions), or 'wordless' (no text is left).
create or replace function replace_and_pin_answer(
  the_node bigint, told jsonb, editor integer, keep_children boolean, expected integer[] default null,
  request jsonb default null
) returns text language plpgsql as $$
declare
  the_answer text := told ->> 'text';
  held record;
  node cache_nodes;
  said cache_nodes;
  keeps_all boolean;
  kept text[];
  doomed bigint[];
begin
  held := lock_node_and_check_version(the_node, false, expected);
  if held.refusal is not null then return held.refusal; end if;
  node := held.node;
  said := node;
  if is_tutor_move_message(node.message) then
    the_answer := coalesce(told ->> 'words', the_answer);
    if btrim(the_answer, E' \t\r\n') = '' then return 'wordless'; end if;
  else
    said.question := nullif(told -> 'question', 'null');
    said.choices := nullif(told -> 'choices', 'null');
    said.question_key := nullif(told -> 'key', 'null');
  end if;
  keeps_all := is_same_question(node.question, said.question) and keep_children is distinct from false;
  if not keeps_all then perform lock_node_and_subtree(the_node); end if;
  perform lock_answer_pins_of_item(node.content_item_id);
  kept := child_messages_to_keep(node, said, keep_children);
  doomed := array(select id from cache_nodes where parent_id = node.id and message <> all (kept) order by id);
  perform store_tree_change_for_undo('replaced', node, doomed, the_answer, editor, request);
  -- The same question keeps its key.
  if is_same_question(node.question, said.question) and said.question_key is null and node.question_key is not null then
    said.question_key := node.question_key;
    said.choices := node.choices;
  end if;
  said.chunks := jsonb_build_array(the_answer);
  said.edited_by := editor;
  said.edited_at := service_clock();
  said.is_waiting := false;
  perform apply_new_answer_to_node(node, said, kept, doomed, keeps_all or coalesce(keep_children, false));
  insert into answer_pins as pin (
    content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, question_key, pinned_by, pinned_at)
  select one.content_item_id, way.path, sha256_hex(way.path::text), parent.question, question_identity_hash(parent.question),
         one.answer, one.question, one.choices, one.question_key, one.edited_by, one.edited_at
  from cache_nodes as one
  left join cache_nodes as parent on parent.id = one.parent_id
  cross join lateral (select message_path_to_node(one.id) as path) as way
  where one.id = the_node
  on conflict (content_item_id, path_hash, asked_hash) do update set
    answer = excluded.answer, question = excluded.question, choices = excluded.choices,
    question_key = excluded.question_key, pinned_by = excluded.pinned_by, pinned_at = excluded.pinned_at;
  return null;
end $$;

-- Locks a node, and its subtree if `whole`.
create or replace function lock_node_and_check_version(
  the_node bigint, whole boolean, expected integer[], out refusal text, out node cache_nodes
) language plpgsql as $$
begin
  perform from content_items where id = (select content_item_id from cache_nodes where id = the_node) for key share;
  perform from cache_nodes where id = the_node for no key update;
  if whole then perform lock_node_and_subtree(the_node); end if;
  select * into node from cache_nodes where id = the_node;
  refusal := case when node.id is null then 'gone' when node.version <> all (expected) then 'changed' end;
end $$;

-- Null keeps all, the default with the same question. With another, `keep_children` keeps answers whose option has
-- the same id and text in both questions.
create or replace function child_messages_to_keep(node cache_nodes, said cache_nodes, keep_children boolean) returns text[]
language plpgsql immutable as $$
begin
  if is_same_question(node.question, said.question) and keep_children is distinct from false then return null; end if;
  if keep_children is not true then return '{}'; end if;
  return (
    select coalesce(array_agg(distinct choice.value), '{}')
    from jsonb_each_text(said.choices) as choice
    join jsonb_array_elements(node.question -> 'options') as option
      on option ->> 'id' = case when starts_with(choice.value, '{') then choice.value::jsonb ->> 'answer' end
    join jsonb_array_elements(said.question -> 'options') as same on same ->> 'id' = option ->> 'id'
     and normalize(btrim(same ->> 'text', E' \t\r\n'), nfc) = normalize(btrim(option ->> 'text', E' \t\r\n'), nfc)
    where node.question ->> 'questionId' = said.question ->> 'questionId');
end $$;

-- Runs before the change. The deleted rows and their subtrees are kept for an undo, with their separately counted
-- visits.
create or replace function store_tree_change_for_undo(
  the_action text, node cache_nodes, doomed bigint[], the_answer text, editor integer, request jsonb
) returns void language plpgsql as $$
declare
  removed jsonb := (
    select coalesce(jsonb_agg(to_jsonb(gone) - '{answer,node_key}'::text[] || jsonb_build_object(
      'visit_count', visit_count + visits, 'hit_count', hit_count + hits) order by id), '[]')
    from cache_nodes as gone
    cross join lateral (
      select count(*) as visits, count(*) filter (where hit) as hits from cache_visits where node_id = gone.id
    ) as beside
    where id = any (doomed) or id in (select cache_node_ids_below(one) from unnest(doomed) as one));
begin
  insert into tree_changes (
    content_item_id, action, node_id, path, asked_hash, former, answer, former_pin, removed, removed_count, changed_by)
  values (
    node.content_item_id, the_action, node.id, message_path_to_node(node.id),
    question_identity_hash((select question from cache_nodes where id = node.parent_id)),
    to_jsonb(node) - '{answer,node_key}'::text[], the_answer,
    (select to_jsonb(pin) from answer_pin_of_message_below_node(node.content_item_id, node.parent_id, node.message) as pin), removed,
    jsonb_array_length(removed), editor);
  perform audit_tree_change('tutor_answer.' || the_action, node.content_item_id, node.id, editor, request);
end $$;

create or replace function audit_tree_change(
  the_action text, the_item integer, the_node bigint, editor integer, request jsonb
) returns void language sql as $$
  select audit(the_action, editor, null, item.university_id,
               jsonb_strip_nulls(jsonb_build_object('content_item_id', item.id, 'node_id', the_node)), request)
  from content_items as item where item.id = the_item and request is not null
$$;

-- The node is locked. `kept` is as in `child_messages_to_keep`; the other children are `doomed`.
create or replace function apply_new_answer_to_node(
  node cache_nodes, said cache_nodes, kept text[], doomed bigint[], keeps boolean
) returns void language plpgsql as $$
begin
  if kept is not null then
    delete from generations as made where made.parent_id = node.id and made.message <> all (kept);
    perform detach_sessions_from_nodes(doomed || node.id, node.id, is_same_question(node.question, said.question));
    delete from cache_nodes where id = any (doomed);
  end if;
  update cache_nodes
  set chunks = said.chunks, question = said.question, choices = said.choices, question_key = said.question_key,
      edited_by = said.edited_by, edited_at = said.edited_at, is_waiting = said.is_waiting, children_kept = keeps,
      version = version + 1
  where id = node.id;
  perform regrade_tutor_steps_of_node(node.id);
end $$;

-- Moves sessions off the nodes and their subtrees, to above the root, unless `the_node` `stays`. Older messages
-- store their question now.
create or replace function detach_sessions_from_nodes(the_nodes bigint[], the_node bigint, stays boolean) returns void
language plpgsql as $$
begin
  update chat_messages as told set question = coalesce(told.question, node.question), question_key = node.question_key,
    choices = case when node.question_key is not null then node.choices end
  from chat_sessions as session join cache_nodes as node on node.id = session.cache_node_id
  where told.session_id = session.id and told.cache_node_id = node.id and node.question is not null
    and (told.question is null or told.question_key is null and node.question_key is not null)
    and (node.id = any (the_nodes) or node.id in (select cache_node_ids_below(one) from unnest(the_nodes) as one));
  update chat_sessions set cache_node_id = null where cache_node_id = the_node and not stays;
end $$;

-- Purges the subtree, pending generations and pin too. Refuses as `replace_and_pin_answer` does.
create or replace function purge_stored_answer_with_subtree(
  the_node bigint, expected integer[] default null, editor integer default null, request jsonb default null
) returns text language plpgsql as $$
declare
  held record;
  node cache_nodes;
begin
  held := lock_node_and_check_version(the_node, true, expected);
  if held.refusal is not null then return held.refusal; end if;
  node := held.node;
  perform lock_answer_pins_of_item(node.content_item_id);
  perform store_tree_change_for_undo('purged', node, array[the_node], null, editor, request);
  delete from answer_pins where id in (select id from answer_pin_of_message_below_node(node.content_item_id, node.parent_id, node.message));
  perform detach_sessions_from_nodes(array[the_node], the_node, false);
  delete from cache_nodes where id = the_node;
  return null;
end $$;

-- Must be the last change of its node. Returns the reason if nothing was done: 'gone' (no such change), 'undone'
-- (already), 'changed' (a later change exists), 'forgotten' (the deleted rows were pruned), and 'again' (the caller
-- must retry immediately).
create or replace function undo_tree_change(the_change bigint, the_item integer, editor integer, request jsonb)
returns text language plpgsql as $$
declare
  change tree_changes;
  former cache_nodes;
  held record;
  node cache_nodes;
  place bytea;
  another bigint;
  refusal text;
  kept text[];
begin
  perform from content_items where id = the_item for key share;
  select * into change from tree_changes where id = the_change and content_item_id = the_item;
  if not found then return 'gone'; end if;
  former := jsonb_populate_record(null::cache_nodes, change.former);
  if change.action = 'purged' then
    if former.parent_id is not null then
      perform from cache_nodes where id = former.parent_id for update;
      if not found then return 'changed'; end if;
    end if;
    place := node_key(
      former.content_item_id, former.parent_id, former.message, former.prompt_name, former.prompt_version, former.model,
      former.prompt_fingerprint, former.content_fingerprint);
    another := (select id from cache_nodes where node_key = place);
    perform lock_node_and_subtree(another);
  else
    held := lock_node_and_check_version(change.node_id, true, null);
    if held.refusal is not null then return 'changed'; end if;
    node := held.node;
  end if;
  perform lock_answer_pins_of_item(change.content_item_id);
  -- An answer that was stored in its place before the lock was taken makes room for it.
  if change.action = 'purged' and (select id from cache_nodes where node_key = place) is distinct from another then
    return 'again';
  end if;
  refusal := refusal_to_undo_tree_change(change);
  if refusal is not null then return refusal; end if;

  if change.action = 'replaced' then
    kept := child_messages_to_keep(node, former, true);
    -- An answer that was not approved before awaits approval again.
    perform apply_new_answer_to_node(node, former, kept, array(
      select id from cache_nodes where parent_id = node.id and message <> all (kept) order by id), true);
  elsif change.action = 'keyed' then
    perform apply_answer_key_to_node(node, former.question_key, former.choices, array(
      select id from cache_nodes where parent_id = node.id and is_right_option_changed(node.question_key, former.question_key)
      order by id));
  else
    perform detach_sessions_from_nodes(array[another], another, false);
    delete from cache_nodes where id = another;
  end if;
  perform restore_deleted_nodes(change.removed);
  delete from answer_pins
  where content_item_id = change.content_item_id and path_hash = sha256_hex(change.path::text)
    and asked_hash = change.asked_hash;
  insert into answer_pins
    (content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, question_key, pinned_by, pinned_at)
  select content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, question_key,
         (select id from users where users.id = pinned_by), service_clock()
  from jsonb_populate_record(null::answer_pins, change.former_pin) where change.former_pin is not null;
  update tree_changes set undone_by = editor, undone_at = service_clock() where id = the_change;
  perform audit_tree_change('tutor_answer.restored', the_item, change.node_id, editor, request);
  return null;
end $$;

-- While the topic's pins are locked no other transaction changes its tree.
create or replace function refusal_to_undo_tree_change(change tree_changes) returns text language sql volatile as $$
  select case when undone_at is not null then 'undone'
              when exists (select from tree_changes as later
                           where later.node_id = change.node_id and later.id > change.id and later.undone_at is null)
              then 'changed'
              when removed is null then 'forgotten' end
  from tree_changes where id = change.id
$$;

-- If the right option changes, the node's subtree is deleted. Refuses as `replace_and_pin_answer` does, or with 'carried':
-- the question belongs to the answer above.
create or replace function set_answer_key_of_node_question(
  the_node bigint, the_key jsonb, the_choices jsonb, editor integer, expected integer[], request jsonb
) returns text language plpgsql as $$
declare
  held record;
  node cache_nodes;
  doomed bigint[];
begin
  held := lock_node_and_check_version(the_node, true, expected);
  if held.refusal is not null then return held.refusal; end if;
  node := held.node;
  if is_tutor_move_message(node.message) then return 'carried'; end if;
  perform lock_answer_pins_of_item(node.content_item_id);
  doomed := case when is_right_option_changed(node.question_key, the_key)
                 then array(select id from cache_nodes where parent_id = node.id order by id) else '{}' end;
  perform store_tree_change_for_undo('keyed', node, doomed, node.answer, editor, request);
  perform apply_answer_key_to_node(node, the_key, the_choices, doomed);
  update answer_pins set question_key = the_key, choices = the_choices
  where id in (select id from answer_pin_of_message_below_node(node.content_item_id, node.parent_id, node.message)) and answer = node.answer;
  return null;
end $$;

create or replace function is_right_option_changed(key jsonb, other jsonb) returns boolean language sql immutable as $$
  select key is not null and key ->> 'answer' is distinct from other ->> 'answer'
$$;

-- The node is locked. If the right option changes, deletes generations and the `doomed` children, and grades
-- answers below that repeated its question with the former key.
create or replace function apply_answer_key_to_node(node cache_nodes, the_key jsonb, the_choices jsonb, doomed bigint[]) returns void
language plpgsql as $$
begin
  if is_right_option_changed(node.question_key, the_key) then
    with recursive again (id) as (
      select id from cache_nodes
      where parent_id = node.id and is_same_question(question, node.question)
        and question_key ->> 'answer' = node.question_key ->> 'answer'
      union all
      select below.id from again join cache_nodes as below on below.parent_id = again.id
      where is_same_question(below.question, node.question)
        and below.question_key ->> 'answer' = node.question_key ->> 'answer'
    )
    update tutor_questions set question_key = the_key
    where node_id in (select id from again) and question_hash = question_hash(node.question);
    delete from generations as made where made.parent_id = node.id;
    perform detach_sessions_from_nodes(doomed, node.id, true);
    delete from cache_nodes where id = any (doomed);
  end if;
  update cache_nodes set question_key = the_key, choices = the_choices, version = version + 1 where id = node.id;
  perform regrade_tutor_steps_of_node(node.id);
end $$;

-- Parents first, if the parent exists and the place is free. Grades the answers to their questions by their former
-- keys.
create or replace function restore_deleted_nodes(the_rows jsonb) returns void language plpgsql as $$
declare
  node cache_nodes;
  restored cache_nodes;
begin
  for node in select * from jsonb_populate_recordset(null::cache_nodes, the_rows) order by id loop
    insert into cache_nodes (
      id, content_item_id, parent_id, message, prompt_name, prompt_version, model, prompt_fingerprint,
      content_fingerprint, origin_node_id, chunks, question, choices, question_key, input_tokens, output_tokens,
      visit_count, hit_count, last_used_at, created_at, edited_by, edited_at, is_waiting, warmed, children_kept, version)
    overriding system value
    select node.id, node.content_item_id, node.parent_id, node.message, node.prompt_name,
           node.prompt_version, node.model, node.prompt_fingerprint, node.content_fingerprint,
           node.origin_node_id, node.chunks, node.question, node.choices, node.question_key, node.input_tokens,
           node.output_tokens, node.visit_count, node.hit_count, service_now(), node.created_at,
           (select id from users where id = node.edited_by), node.edited_at, node.is_waiting, node.warmed,
           node.children_kept, node.version
    where node.parent_id is null or exists (select from cache_nodes where id = node.parent_id)
    on conflict (node_key) do nothing
    returning * into restored;
    -- Gives up a pending generation there, as `find_or_copy_known_answer` does.
    if found then
      delete from generations where id in (
        select id from generations where node_key = restored.node_key and state = 'writing' for update skip locked);
    end if;
  end loop;
  update tutor_questions as asked set question_key = kept.question_key
  from cache_nodes as kept
  where kept.id in (select (one ->> 'id')::bigint from jsonb_array_elements(the_rows) as one)
    and asked.node_id = kept.id and asked.question_hash = question_hash(kept.question)
    and kept.question_key is not null and asked.question_key <> kept.question_key;
end $$;
