set local check_function_bodies = off;
--> statement-breakpoint
drop function finish_generation(bigint,uuid,jsonb,jsonb,jsonb,text,bigint,jsonb);
--> statement-breakpoint
drop function replace_answer(bigint,text,jsonb,jsonb,integer,boolean,integer[],jsonb);
--> statement-breakpoint
drop function rewrite_node(cache_nodes,text,jsonb,jsonb,integer,timestamp with time zone,bigint[],boolean);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "tree_changes" DROP CONSTRAINT "tree_changes_action_check";
--> statement-breakpoint
ALTER TABLE "answer_pins" ADD COLUMN "question_key" jsonb;
--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "question_key" jsonb;
--> statement-breakpoint
ALTER TABLE "chat_messages" ADD COLUMN "question_key" jsonb;
--> statement-breakpoint
ALTER TABLE "generations" ADD COLUMN "question_key" jsonb;
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused'));
--> statement-breakpoint
ALTER TABLE "tree_changes" ADD CONSTRAINT "tree_changes_action_check" CHECK ("tree_changes"."action" in ('replaced', 'purged', 'keyed'));
--> statement-breakpoint
-- The answered questions of a session before a message, oldest first, of an aside those on the path before it too. What
-- the model refused is not told it again.
create or replace function answered_history(the_session bigint, before_message bigint) returns json
language sql stable as $$
  select coalesce(
    json_agg(json_strip_nulls(json_build_object(
      'question', question.content, 'answer', answer.content,
      'key', coalesce(answer.question_key, node.question_key))) order by question.id), '[]')
  from (
    select id, content from chat_messages where session_id = the_session and id < before_message
    union all
    select id, content from path_before_aside(the_session)
  ) as question
  join chat_messages as answer on answer.in_reply_to_id = question.id
  left join cache_nodes as node on node.id = answer.cache_node_id and node.answer = answer.content
  where answer.content <> '' and answer.meta ->> 'stop' is distinct from 'refusal'
$$;
--> statement-breakpoint
-- Closes turns with an answer that has ended, those of a class that waited for it together. Whoever asks again, also
-- because nobody knows whether the first time came through, gets what is stored. No row: a turn is not the asker's any
-- more, or the answer is gone.
create or replace function close_turns(
  the_generation bigint, the_sessions bigint[], the_tokens uuid[], the_questions bigint[]
) returns table (question bigint, id bigint, created_at timestamptz, content text, meta jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  made record;
  standing bigint;
begin
  perform from cache_nodes where id = (select node_id from generations where id = the_generation) for share;
  perform from chat_sessions where id = any (the_sessions) order by id for update;
  select g.model, g.prompt_name, g.prompt_version, g.stop, g.input_tokens, g.output_tokens, g.chunks, g.node_id,
         g.question, g.question_key, g.question_id is null as on_path, joined_text(g.chunks) as content
  into made from generations as g where g.id = the_generation and g.state = 'complete';
  if found then
    select n.id into standing from cache_nodes as n where n.id = made.node_id and n.chunks = made.chunks;
    -- Two may listen in one session.
    with waiting as (
      select distinct s.id, turn.question, s.answering_since, s.cache_state = 'tracking' and exists (
        select from content_items as item join courses as course on course.id = item.course_id
        where item.id = s.content_item_id and course.cache_enabled) as is_tracking
      from unnest(the_sessions, the_tokens, the_questions) as turn (session, token, question)
      join chat_sessions as s on s.id = turn.session and s.answering_token = turn.token
      where not exists (select from chat_messages as m where m.in_reply_to_id = turn.question)
    ), visited as (
      insert into cache_visits (node_id, hit) select standing, false from waiting where standing is not null
    ), closed as (
      update chat_sessions as s
      set cache_node_id = coalesce(standing, s.cache_node_id), updated_at = service_now(), answering_message_id = null,
          answering_generation_id = null, answering_since = null, answering_token = null, answering_until = null
      from waiting where s.id = waiting.id
    )
    insert into chat_messages (
      session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, question, question_key)
    select waiting.id, 'assistant', made.content, jsonb_strip_nulls(jsonb_build_object(
             'source', 'llm', 'model', made.model, 'prompt_name', made.prompt_name,
             'prompt_version', made.prompt_version, 'latency_ms', milliseconds_since(waiting.answering_since),
             'stop', made.stop, 'path', case when waiting.is_tracking and not made.on_path then 'lost' end, 'input_tokens', made.input_tokens, 'output_tokens', made.output_tokens,
             'joined', case when not exists (select from llm_calls where message_id = waiting.question) then true end)),
           waiting.question, made.on_path, standing, made.question, case when standing is null then made.question_key end
    from waiting;
  end if;
  return query
    select m.in_reply_to_id, m.id, m.created_at, m.content, m.meta
    from chat_messages as m where m.in_reply_to_id = any (the_questions) order by m.session_id;
end;
$$;
--> statement-breakpoint
-- A pin holds for the question that an answer asks by now, and is what the answer in its place says, where there is one.
-- False: the pin or the answers are gone, or do not lead to each other.
create or replace function confirm_pin(the_pin bigint, above bigint, here bigint, editor integer, request jsonb)
returns boolean language plpgsql as $$
declare
  pin answer_pins;
  asks jsonb;
begin
  perform from cache_nodes where id = above for share;
  if here is not null then perform lock_subtree(here); end if;
  select * into pin from answer_pins where id = the_pin;
  perform lock_pins(pin.content_item_id);
  select question into asks from cache_nodes where id = above;
  if not found or path_of_node(above) || (pin.path -> -1) <> pin.path then return false; end if;
  delete from answer_pins
  where content_item_id = pin.content_item_id and path_hash = pin.path_hash and asked_hash = question_identity(asks)
    and id <> the_pin;
  update answer_pins
  set asked = asks, asked_hash = question_identity(asks), pinned_by = editor, pinned_at = service_clock()
  where id = the_pin;
  if not found then return false; end if;
  if here is not null then
    perform replace_answer(here, pin.answer, pin.question, pin.choices, editor, null, null, request, pin.question_key)
    from cache_nodes where id = here and answer <> pin.answer;
  end if;
  perform audit_tree_change('tutor_pin.confirmed', pin.content_item_id, here, editor, request);
  return true;
end $$;
--> statement-breakpoint
-- A copied item begins with the pins of its original.
create or replace function copy_pins(source integer, target integer) returns void language sql as $$
  insert into answer_pins
    (content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, question_key, pinned_by, pinned_at)
  select target, path, path_hash, asked, asked_hash, answer, question, choices, question_key, pinned_by, pinned_at
  from answer_pins where content_item_id = source order by id
$$;
--> statement-breakpoint
-- Ends an answer whole, or as far as it came where `the_stop` says why. An answer for a class that came to its end
-- becomes a node: the first write wins, and is then the answer. A private answer is stored with its question.
-- Asked again with the same token it answers the same. No row: the lease is lost, and nothing was written but the end
-- of the call, whose cost is `used`; of an answer of several calls `answer_input` and `answer_output` in it are all of them.
create or replace function finish_generation(
  the_generation bigint, maker uuid, the_chunks jsonb, the_question jsonb, the_choices jsonb, the_stop text,
  the_call bigint, used jsonb, the_key jsonb default null
) returns table (chunks jsonb, answer_id bigint, answered_at timestamptz, meta jsonb) language plpgsql as $$
#variable_conflict use_column
declare
  made generations;
  tokens_in integer := nullif(coalesce(
    (used ->> 'answer_input')::int,
    coalesce((used ->> 'input')::int, 0) + coalesce((used ->> 'cache_read')::int, 0)
    + coalesce((used ->> 'cache_write')::int, 0)), 0);
  tokens_out integer := nullif(coalesce((used ->> 'answer_output')::int, (used ->> 'output')::int), 0);
  pin answer_pins;
begin
  perform from cache_nodes where id = (select parent_id from generations where id = the_generation) for key share;
  perform from chat_sessions where id = (select session_id from generations where id = the_generation) for update;
  select * into made from generations where id = the_generation and token = maker and state <> 'failed' for update;
  if not found then
    perform end_call(the_call, 'lost', used);
    return;
  end if;

  if made.state = 'writing' then
    made.chunks := the_chunks;
    made.question := the_question;
    made.question_key := the_key;
    if made.question_id is null and the_stop is null then
      -- What staff pinned there while it was made is the answer.
      perform lock_pins_shared(made.content_item_id);
      select * into pin from pin_below(made.content_item_id, made.parent_id, made.message);
      insert into cache_nodes as node (
        content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
        content_fingerprint, chunks, question, choices, question_key, input_tokens, output_tokens, edited_by, edited_at)
      values (
        made.content_item_id, made.parent_id, made.message, made.message_hash, made.prompt_name, made.prompt_version,
        made.model, made.prompt_fingerprint, made.content_fingerprint,
        case when pin.id is null then the_chunks else jsonb_build_array(pin.answer) end,
        case when pin.id is null then the_question else pin.question end,
        case when pin.id is null then the_choices else pin.choices end,
        case when pin.id is null then the_key else pin.question_key end,
        tokens_in, tokens_out, pin.pinned_by, pin.pinned_at)
      on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                   prompt_fingerprint, content_fingerprint)
      do update set last_used_at = node.last_used_at
      returning node.id, node.chunks, node.question into made.node_id, made.chunks, made.question;
    end if;
    update generations set
      state = 'complete', chunks = made.chunks, question = made.question, question_key = made.question_key,
      stop = the_stop, node_id = made.node_id,
      input_tokens = tokens_in, output_tokens = tokens_out
    where id = the_generation;
    delete from generation_pieces where generation_id = the_generation;
    perform drop_ended_generations(10);
  end if;

  chunks := made.chunks;
  if made.question_id is not null then
    select closed.id, closed.created_at, closed.meta into answer_id, answered_at, meta
    from chat_sessions as s
    cross join lateral close_turns(
      made.id, array[s.id], array[s.answering_token], array[made.question_id]) as closed
    where s.id = made.session_id and s.answering_message_id = made.question_id;
  end if;
  perform end_call(the_call, case the_stop when 'malformed' then 'complete' else coalesce(the_stop, 'complete') end, used);
  return next;
end;
$$;
--> statement-breakpoint
-- Sessions leave nodes that go, with all below them, and stand before the root; those that were answered before messages
-- kept their question keep it now. Who stands on `the_node` itself stays, where it keeps its question.
create or replace function leave_nodes(the_nodes bigint[], the_node bigint, stays boolean) returns void
language plpgsql as $$
begin
  update chat_messages as told set question = coalesce(told.question, node.question), question_key = node.question_key
  from chat_sessions as session join cache_nodes as node on node.id = session.cache_node_id
  where told.session_id = session.id and told.cache_node_id = node.id and node.question is not null
    and (told.question is null or told.question_key is null and node.question_key is not null)
    and (node.id = any (the_nodes) or node.id in (select nodes_below(one) from unnest(the_nodes) as one));
  update chat_sessions set cache_node_id = null where cache_node_id = the_node and not stays;
end $$;
--> statement-breakpoint
-- Makes a node of what is pinned below a parent, or to be taken over there. Null where nothing is.
create or replace function make_known_node(
  the_item integer, the_parent bigint, the_message text, the_hash text, the_prompt text, the_version integer,
  the_model text, the_prompt_fingerprint text, the_key text, waits boolean
) returns bigint language plpgsql as $$
declare
  parent cache_nodes;
  pin answer_pins;
  original cache_nodes;
  made bigint;
begin
  if the_parent is not null then
    -- Whoever waits holds it already.
    select * into parent from cache_nodes where id = the_parent for key share skip locked;
    if not found then return null; end if;
  end if;
  if waits then
    perform lock_pins_shared(the_item);
  elsif not try_lock_pins_shared(the_item) then
    return null;
  end if;
  select * into pin from pin_below(the_item, the_parent, the_message);
  select * into original from answer_to_take_over(
    the_item, parent, the_message, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key);
  if pin.id is null and original.id is null then return null; end if;
  insert into cache_nodes (
    content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
    content_fingerprint, origin_node_id, chunks, question, choices, question_key, edited_by, edited_at)
  select the_item, the_parent, the_message, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key,
         case when told.answer = original.answer then original.id end, told.chunks, told.question, told.choices,
         told.question_key, told.edited_by, told.edited_at
  from (
    select pin.answer, jsonb_build_array(pin.answer), pin.question, pin.choices, pin.question_key, pin.pinned_by, pin.pinned_at
    where pin.id is not null
    union all
    select original.answer, original.chunks, original.question, original.choices, original.question_key,
           original.edited_by, original.edited_at
    where pin.id is null
  ) as told (answer, chunks, question, choices, question_key, edited_by, edited_at)
  on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
               prompt_fingerprint, content_fingerprint) do nothing
  returning id into made;
  return coalesce(made, (select id from node_of(
    the_item, the_parent, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key)));
end $$;
--> statement-breakpoint
create or replace function names_another_option(key jsonb, other jsonb) returns boolean language sql immutable as $$
  select key is not null and key ->> 'answer' is distinct from other ->> 'answer'
$$;
--> statement-breakpoint
-- Pins what a node says.
create or replace function pin_node(the_node bigint) returns void language sql as $$
  insert into answer_pins as pin (
    content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, question_key, pinned_by, pinned_at)
  select node.content_item_id, way.path, sha256_hex(way.path::text), parent.question, question_identity(parent.question),
         node.answer, node.question, node.choices, node.question_key, node.edited_by, node.edited_at
  from cache_nodes as node
  left join cache_nodes as parent on parent.id = node.parent_id
  cross join lateral (select path_of_node(node.id) as path) as way
  where node.id = the_node
  on conflict (content_item_id, path_hash, asked_hash) do update set
    answer = excluded.answer, question = excluded.question, choices = excluded.choices,
    question_key = excluded.question_key, pinned_by = excluded.pinned_by, pinned_at = excluded.pinned_at
$$;
--> statement-breakpoint
-- Gives a node that is held another key; answers that are in the making below it go where the right option is another.
create or replace function rekey_node(node cache_nodes, the_key jsonb, the_choices jsonb, doomed bigint[]) returns void
language plpgsql as $$
begin
  if names_another_option(node.question_key, the_key) then
    delete from generations as made where made.parent_id = node.id;
    perform leave_nodes(doomed, node.id, true);
    delete from cache_nodes where id = any (doomed);
  end if;
  update cache_nodes set question_key = the_key, choices = the_choices, version = version + 1 where id = node.id;
end $$;
--> statement-breakpoint
-- Replaces a node's answer, and pins it. Where the question stays the same (`question_identity`), so do the cursors; and
-- what follows, unless `keep_children` is false. With another one, sessions that stood there stand before the root again,
-- and of what follows `keep_children` keeps what answers an option that is as before. Answers why nothing was done: 'gone',
-- or 'changed', where the node has none of the expected versions.
create or replace function replace_answer(
  the_node bigint, the_answer text, the_question jsonb, the_choices jsonb, editor integer, keep_children boolean,
  expected integer[] default null, request jsonb default null, the_key jsonb default null
) returns text language plpgsql as $$
declare
  held record;
  node cache_nodes;
  keeps_all boolean;
  doomed bigint[];
begin
  held := lock_node_to_change(the_node, false, expected);
  if held.refusal is not null then return held.refusal; end if;
  node := held.node;
  keeps_all := is_same_question(node.question, the_question) and keep_children is distinct from false;
  if not keeps_all then perform lock_subtree(the_node); end if;
  perform lock_pins(node.content_item_id);
  doomed := children_to_drop(node, the_question, the_choices, keep_children);
  perform note_tree_change('replaced', node, doomed, the_answer, editor, request);
  -- The same question keeps its key.
  if is_same_question(node.question, the_question) and the_key is null and node.question_key is not null then
    the_key := node.question_key;
    the_choices := node.choices;
  end if;
  perform rewrite_node(
    node, the_answer, the_question, the_choices, the_key, editor, service_clock(), doomed,
    keeps_all or coalesce(keep_children, false));
  perform pin_node(the_node);
  return null;
end $$;
--> statement-breakpoint
create or replace function restore_node(node cache_nodes) returns void language plpgsql as $$
begin
  insert into cache_nodes (
    id, content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
    content_fingerprint, former_fingerprint, origin_node_id, chunks, question, choices, question_key, input_tokens,
    output_tokens, visit_count, hit_count, last_used_at, created_at, edited_by, edited_at, children_kept, version)
  overriding system value
  select node.id, node.content_item_id, node.parent_id, node.message, node.message_hash, node.prompt_name,
         node.prompt_version, node.model, node.prompt_fingerprint, node.content_fingerprint, node.former_fingerprint,
         node.origin_node_id, node.chunks, node.question, node.choices, node.question_key, node.input_tokens,
         node.output_tokens,
         node.visit_count, node.hit_count, service_now(), node.created_at,
         (select id from users where id = node.edited_by), node.edited_at, node.children_kept, node.version
  where node.parent_id is null or exists (select from cache_nodes where id = node.parent_id)
  on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
               prompt_fingerprint, content_fingerprint) do nothing;
end $$;
--> statement-breakpoint
-- The pin of a changed node's place is what it was before the change.
create or replace function restore_pin(change tree_changes) returns void language plpgsql as $$
begin
  delete from answer_pins
  where content_item_id = change.content_item_id and path_hash = sha256_hex(change.path::text)
    and asked_hash = change.asked_hash;
  insert into answer_pins
    (content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, question_key, pinned_by, pinned_at)
  select content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, question_key,
         (select id from users where users.id = pinned_by), service_clock()
  from jsonb_populate_record(null::answer_pins, change.former_pin) where change.former_pin is not null;
end $$;
--> statement-breakpoint
-- Gives a node that is held another text.
create or replace function rewrite_node(
  node cache_nodes, the_answer text, the_question jsonb, the_choices jsonb, the_key jsonb, editor integer,
  moment timestamptz, doomed bigint[], keeps boolean
) returns void language plpgsql as $$
begin
  if not (is_same_question(node.question, the_question) and keeps) then
    delete from generations as made where made.parent_id = node.id and not (
      keeps and made.message = any (answers_in_common(node.question, the_question, the_choices)));
    perform leave_nodes(doomed || node.id, node.id, is_same_question(node.question, the_question));
    delete from cache_nodes where id = any (doomed);
  end if;
  update cache_nodes
  set chunks = jsonb_build_array(the_answer), question = the_question, choices = the_choices, question_key = the_key,
      edited_by = editor, edited_at = moment, children_kept = keeps, version = version + 1
  where id = node.id;
end $$;
--> statement-breakpoint
-- Gives a node's question another key. Where that names another option as the right one, what follows from the node goes,
-- as it would with another question. Answers why nothing was done, as `replace_answer` does.
create or replace function set_question_key(
  the_node bigint, the_key jsonb, the_choices jsonb, editor integer, expected integer[], request jsonb
) returns text language plpgsql as $$
declare
  held record;
  node cache_nodes;
  doomed bigint[];
begin
  held := lock_node_to_change(the_node, true, expected);
  if held.refusal is not null then return held.refusal; end if;
  node := held.node;
  perform lock_pins(node.content_item_id);
  doomed := case when names_another_option(node.question_key, the_key)
                 then array(select id from cache_nodes where parent_id = node.id order by id) else '{}' end;
  perform note_tree_change('keyed', node, doomed, node.answer, editor, request);
  perform rekey_node(node, the_key, the_choices, doomed);
  update answer_pins set question_key = the_key, choices = the_choices
  where id in (select id from pin_below(node.content_item_id, node.parent_id, node.message)) and answer = node.answer;
  return null;
end $$;
--> statement-breakpoint
-- The questions and answers of a path, as they are once it is held.
create or replace function shared_path(path bigint[]) returns json language sql stable as $$
  select coalesce(json_agg(json_strip_nulls(
           json_build_object('question', message, 'answer', answer, 'key', question_key)) order by id), '[]')
  from cache_nodes where id = any (path)
$$;
--> statement-breakpoint
create or replace function undo_keying(change tree_changes) returns text language plpgsql as $$
declare
  former cache_nodes := jsonb_populate_record(null::cache_nodes, change.former);
  held record;
  node cache_nodes;
  refusal text;
begin
  held := lock_node_to_change(change.node_id, true, null);
  if held.refusal is not null then return 'changed'; end if;
  node := held.node;
  perform lock_pins(change.content_item_id);
  refusal := refusal_to_undo(change);
  if refusal is not null then return refusal; end if;
  perform rekey_node(node, former.question_key, former.choices, array(
    select id from cache_nodes where parent_id = node.id and names_another_option(node.question_key, former.question_key)
    order by id));
  perform restore_nodes(change.removed);
  return null;
end $$;
--> statement-breakpoint
create or replace function undo_replacing(change tree_changes) returns text language plpgsql as $$
declare
  former cache_nodes := jsonb_populate_record(null::cache_nodes, change.former);
  held record;
  node cache_nodes;
  refusal text;
begin
  held := lock_node_to_change(change.node_id, true, null);
  if held.refusal is not null then return 'changed'; end if;
  node := held.node;
  perform lock_pins(change.content_item_id);
  refusal := refusal_to_undo(change);
  if refusal is not null then return refusal; end if;
  perform rewrite_node(
    node, joined_text(former.chunks), former.question, former.choices, former.question_key, former.edited_by,
    former.edited_at,
    children_to_drop(node, former.question, former.choices, true), true);
  update cache_nodes set chunks = former.chunks where id = node.id;
  perform restore_nodes(change.removed);
  return null;
end $$;
--> statement-breakpoint
-- Takes a change back, which has to be the last one that was made to its node. Answers why nothing was done: 'gone' where
-- there is no such change, 'undone' where it was taken back before, 'changed' where something else was done there since,
-- 'forgotten' where what went with it is kept no longer, and 'again' where that is to be asked again at once.
create or replace function undo_tree_change(the_change bigint, the_item integer, editor integer, request jsonb)
returns text language plpgsql as $$
declare
  change tree_changes;
  refusal text;
begin
  perform from content_items where id = the_item for key share;
  select * into change from tree_changes where id = the_change and content_item_id = the_item;
  if not found then return 'gone'; end if;
  refusal := case change.action when 'replaced' then undo_replacing(change) when 'keyed' then undo_keying(change)
                                else undo_purging(change) end;
  if refusal is not null then return refusal; end if;
  perform restore_pin(change);
  update tree_changes set undone_by = editor, undone_at = service_clock() where id = the_change;
  perform audit_tree_change('tutor_answer.restored', the_item, change.node_id, editor, request);
  return null;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
