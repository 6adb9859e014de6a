set local check_function_bodies = off;
--> statement-breakpoint
drop function claim_answer(bigint,uuid,boolean,bigint,text,text,integer,text,text,uuid,double precision,jsonb);
--> statement-breakpoint
drop function purge_node(bigint);
--> statement-breakpoint
drop function replace_answer(bigint,text,jsonb,jsonb,integer,boolean);
--> statement-breakpoint
CREATE TABLE "answer_pins" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "answer_pins_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"path" jsonb NOT NULL,
	"path_hash" varchar(64) NOT NULL,
	"asked" jsonb,
	"asked_hash" varchar(64) NOT NULL,
	"answer" text NOT NULL,
	"question" jsonb,
	"choices" jsonb,
	"pinned_by" integer,
	"pinned_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tree_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tree_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"action" text NOT NULL,
	"node_id" bigint NOT NULL,
	"path" jsonb NOT NULL,
	"asked_hash" varchar(64) NOT NULL,
	"former" jsonb NOT NULL,
	"answer" text,
	"former_pin" jsonb,
	"removed" jsonb,
	"removed_count" integer DEFAULT 0 NOT NULL,
	"changed_by" integer,
	"changed_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"undone_by" integer,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "tree_changes_action_check" CHECK ("tree_changes"."action" in ('replaced', 'purged'))
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "former_fingerprint" varchar(64);
--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "origin_node_id" bigint;
--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "chat_messages" ADD COLUMN "question" jsonb;
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD COLUMN "item_fingerprint" varchar(64);
--> statement-breakpoint
ALTER TABLE "chat_sessions" ADD COLUMN "surroundings_fingerprint" varchar(64);
--> statement-breakpoint
ALTER TABLE "content_items" ADD COLUMN "origin_item_id" integer;
--> statement-breakpoint
ALTER TABLE "generations" ADD COLUMN "question" jsonb;
--> statement-breakpoint
ALTER TABLE "prompts" ADD COLUMN "uses_surroundings" boolean GENERATED ALWAYS AS (prompt ~ '\{\{ *(module_title|course_title) *\}\}') STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "answer_pins" ADD CONSTRAINT "answer_pins_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "answer_pins" ADD CONSTRAINT "answer_pins_pinned_by_users_id_fk" FOREIGN KEY ("pinned_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tree_changes" ADD CONSTRAINT "tree_changes_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tree_changes" ADD CONSTRAINT "tree_changes_changed_by_users_id_fk" FOREIGN KEY ("changed_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tree_changes" ADD CONSTRAINT "tree_changes_undone_by_users_id_fk" FOREIGN KEY ("undone_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "answer_pins_key" ON "answer_pins" USING btree ("content_item_id","path_hash","asked_hash");
--> statement-breakpoint
CREATE INDEX "answer_pins_pinned_by_index" ON "answer_pins" USING btree ("pinned_by");
--> statement-breakpoint
CREATE INDEX "tree_changes_content_item_id_id_index" ON "tree_changes" USING btree ("content_item_id","id");
--> statement-breakpoint
CREATE INDEX "tree_changes_node_id_index" ON "tree_changes" USING btree ("node_id");
--> statement-breakpoint
CREATE INDEX "tree_changes_changed_by_index" ON "tree_changes" USING btree ("changed_by");
--> statement-breakpoint
CREATE INDEX "tree_changes_undone_by_index" ON "tree_changes" USING btree ("undone_by");
--> statement-breakpoint
CREATE INDEX "tree_changes_changed_at_index" ON "tree_changes" USING btree ("changed_at") WHERE "tree_changes"."removed" is not null;
--> statement-breakpoint
ALTER TABLE "content_items" ADD CONSTRAINT "content_items_origin_item_id_content_items_id_fk" FOREIGN KEY ("origin_item_id") REFERENCES "public"."content_items"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "content_items_origin_item_id_index" ON "content_items" USING btree ("origin_item_id");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted'));
--> statement-breakpoint
-- The fingerprint that an answer is kept under: of what the tutor is told of the item, and where its prompt names what
-- stands around it, of that too. A session of before those were told apart has `former` alone.
create or replace function answer_key(item text, surroundings text, former text, uses_surroundings boolean)
returns text language sql immutable as $$
  select case when item is null then former when not uses_surroundings then item else sha256_hex(item || surroundings) end
$$;
--> statement-breakpoint
-- The answer to take over from what an item was copied from, as it stood then. Below the root only what the parent
-- offered, and that parent has to be one that was taken over, and says what its original says.
create or replace function answer_to_take_over(
  the_item integer, parent cache_nodes, the_message text, the_hash text, the_prompt text, the_version integer,
  the_model text, the_prompt_fingerprint text, the_key text
) returns setof cache_nodes language plpgsql stable as $$
begin
  if not exists (select from content_items where id = the_item and origin_item_id is not null) then return; end if;
  if parent.id is null then
    return query
      select node.* from origins_of(the_item) as origin
      cross join lateral node_of(origin.id, null, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint,
                                 the_key) as node
      where node.created_at <= origin.as_of and coalesce(node.edited_at, node.created_at) <= origin.as_of
      order by origin.copies limit 1;
  elsif parent.version = 1 and exists (select from jsonb_each_text(parent.choices) where value = the_message) then
    return query
      with recursive original (id, content_item_id, origin_node_id, copies) as (
        select node.id, node.content_item_id, node.origin_node_id, 1
        from cache_nodes as node where node.id = parent.origin_node_id and node.chunks = parent.chunks
        union all
        select node.id, node.content_item_id, node.origin_node_id, original.copies + 1
        from original join cache_nodes as node on node.id = original.origin_node_id and node.chunks = parent.chunks
        where original.copies < 10
      )
      select node.* from original
      join origins_of(the_item) as origin on origin.id = original.content_item_id
      cross join lateral node_of(original.content_item_id, original.id, the_hash, the_prompt, the_version, the_model,
                                 the_prompt_fingerprint, the_key) as node
      where node.created_at <= origin.as_of and coalesce(node.edited_at, node.created_at) <= origin.as_of
      order by original.copies limit 1;
  end if;
end $$;
--> statement-breakpoint
-- Those of a question's answers, as the tree keeps them, whose option has the same id and text in another question.
create or replace function answers_in_common(question jsonb, other jsonb, choices jsonb) returns text[]
language sql immutable as $$
  select coalesce(array_agg(distinct choice.value), '{}')
  from jsonb_each_text(choices) as choice
  join jsonb_array_elements(question -> 'options') as option
    on option ->> 'id' = case when starts_with(choice.value, '{') then choice.value::jsonb ->> 'answer' end
  join jsonb_array_elements(other -> 'options') as same on same ->> 'id' = option ->> 'id'
   and normalize(btrim(same ->> 'text', E' \t\r\n'), nfc) = normalize(btrim(option ->> 'text', E' \t\r\n'), nfc)
  where question ->> 'questionId' = other ->> 'questionId'
$$;
--> statement-breakpoint
create or replace function audit_tree_change(
  the_action text, the_item integer, the_node bigint, editor integer, request jsonb
) returns void language sql as $$
  select audit(the_action, editor, null, item.university_id,
               jsonb_strip_nulls(jsonb_build_object('content_item_id', item.id, 'node_id', the_node)), request)
  from content_items as item where item.id = the_item and request is not null
$$;
--> statement-breakpoint
-- What must always hold of the tree of shared answers and of the answers in the making: a row for each thing that does
-- not. Tests ask it after every kind of traffic, and an operator may ask it at any time.
create or replace function cache_tree_violations() returns table (rule text, node_id bigint, session_id bigint)
language sql stable as $$
  select 'a child is of its parent''s topic', child.id, null::bigint
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where child.content_item_id <> parent.content_item_id
union all
  select 'roots answer Start., and nothing else does', id, null
  from cache_nodes where (parent_id is null) <> (message = 'Start.')
union all
  select 'a node is found by the hash of its message', id, null
  from cache_nodes where message_hash <> sha256_hex(message)
union all
  select 'a whole answer is not empty', id, null
  from cache_nodes where answer = ''
union all
  select 'a child was made from what its parent says', child.id, null
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where parent.edited_at > child.created_at and not parent.children_kept
union all
  select 'a child answers what its parent offers', child.id, null
  from cache_nodes as child join cache_nodes as parent on parent.id = child.parent_id
  where parent.choices is not null and (parent.version > 1 or not parent.children_kept)
    and not exists (select from jsonb_each_text(parent.choices) as choice where choice.value = child.message)
union all
  select 'an answer that is stored beside its pin says what is pinned', node.id, null
  from answer_pins as pin join cache_nodes as node on node.content_item_id = pin.content_item_id
  left join cache_nodes as parent on parent.id = node.parent_id
  where node.created_at > pin.pinned_at and node.version = 1 and node.answer <> pin.answer
    and parent.children_kept is not true and question_identity(parent.question) = pin.asked_hash
    and sha256_hex(path_of_node(node.id)::text) = pin.path_hash
union all
  select 'an answer that was taken over says what its original says', node.id, null
  from cache_nodes as node join cache_nodes as original on original.id = node.origin_node_id
  where node.version = 1 and original.version = 1 and node.chunks <> original.chunks
union all
  select 'what was taken over stands below what was taken over', node.id, null
  from cache_nodes as node join cache_nodes as parent on parent.id = node.parent_id
  where node.origin_node_id is not null and parent.origin_node_id is null
union all
  select 'an answer in the making has a maker while someone listens to it', null, session.id
  from chat_sessions as session
  where session.answering_until > now() and session.answering_since < now() - interval '15 seconds'
    and not exists (
      select from generations as made
      where made.id = session.answering_generation_id and made.lease_until > now() - interval '5 seconds')
union all
  select 'a lease ends with the time limit of its answer', null, made.session_id
  from generations as made where made.lease_until > made.maker_until
union all
  select 'pieces are kept only of the last telling of an answer in the making', null, made.session_id
  from generation_pieces as piece join generations as made on made.id = piece.generation_id
  where made.state <> 'writing' or piece.attempt <> made.attempt
union all
  select 'an answer in the making has no node yet', node.id, null
  from generations as made
  join cache_nodes as node
    on node.content_item_id = made.content_item_id and coalesce(node.parent_id, 0) = coalesce(made.parent_id, 0)
   and node.message_hash = made.message_hash and node.prompt_name = made.prompt_name
   and node.prompt_version = made.prompt_version and node.model = made.model
   and node.prompt_fingerprint = made.prompt_fingerprint and node.content_fingerprint = made.content_fingerprint
  where made.state = 'writing' and made.question_id is null
union all
  select 'a cursor stands on an answer of its own topic', node.id, session.id
  from chat_sessions as session join cache_nodes as node on node.id = session.cache_node_id
  where node.content_item_id <> session.content_item_id
union all
  select 'a cursor stands on an answer that was told', node.id, session.id
  from chat_sessions as session join cache_nodes as node on node.id = session.cache_node_id
  where node.edited_at is null and node.version = 1 and not exists (
    select from chat_messages as told
    where told.session_id = session.id and told.cache_node_id = node.id and told.content = node.answer)
union all
  select 'an answer answers a question of its own session', null, answer.session_id
  from chat_messages as answer left join chat_messages as question on question.id = answer.in_reply_to_id
  where answer.role = 'assistant'
    and (question.role is distinct from 'user' or question.session_id is distinct from answer.session_id);
$$;
--> statement-breakpoint
-- The children of a node that do not outlive its new text.
create or replace function children_to_drop(
  node cache_nodes, the_question jsonb, the_choices jsonb, keep_children boolean
) returns bigint[] language plpgsql stable as $$
declare
  kept text[];
begin
  if is_same_question(node.question, the_question) and keep_children is distinct from false then
    return '{}';
  end if;
  kept := case when keep_children then answers_in_common(node.question, the_question, the_choices) else '{}' end;
  return array(select id from cache_nodes where parent_id = node.id and message <> all (kept) order by id);
end $$;
--> statement-breakpoint
-- Asks for the answer to an open message of a session: `is_shared` for everyone on the path below `the_parent`, else
-- for the session alone. Answered is one of:
-- - `answer_id`: the tree had it by now, and the exchange is stored;
-- - `path_gone`: what the message followed was purged or replaced: there is no such path, and the session leaves the
--   tree, unless the message answers what it was asked;
-- - `generation`: the answer in the making to follow. Whoever `is_maker` also has to make it, from `context` and
--   `exchanges`: the path from the root, or the session's answered history. The `call` of the LLM has begun with that;
-- - `refused_by`: it would have to make it, and the budgets (llm-calls.sql) are used up, for `retry_after` seconds.
-- No row: the session is not open with that message any more.
create or replace function claim_answer(
  the_session bigint, the_token uuid, is_shared boolean, the_parent bigint, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision, budget jsonb, uses_surroundings boolean default null
) returns table (
  generation bigint, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb
) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
  node cache_nodes;
  hash text := sha256_hex(the_message);
  key text;
  known bigint;
  alive_until timestamptz;
  limited_until timestamptz;
  stopping boolean := false;
  path bigint[];
begin
  if is_shared then
    -- Held, so that the path is neither purged nor replaced while the answer is claimed.
    path := lock_path_shared(the_parent);
    select * into session from chat_sessions where id = the_session and answering_token = the_token;
  else
    -- A row that its own transaction changes twice has its references checked, where the cursor stands among them.
    perform from cache_nodes where id = (select cache_node_id from chat_sessions where id = the_session) for key share;
    select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
  end if;
  if session.id is null then return; end if;
  path_gone := false;
  is_maker := false;
  key := answer_key(
    session.item_fingerprint, session.surroundings_fingerprint, session.content_fingerprint, coalesce(
      uses_surroundings,
      (select p.uses_surroundings from prompts as p where p.name = the_prompt and p.version = the_prompt_version), true));

  if is_shared and the_parent is not null then
    if the_parent <> all (path) or (session.cache_node_id is distinct from the_parent and not exists (
      select from cache_nodes where id = session.cache_node_id and parent_id = the_parent
    )) then
      path_gone := true;
      update chat_sessions set cache_state = 'diverged'
      where id = the_session and not was_offered(the_session, the_message);
      return next;
      return;
    end if;
  end if;

  -- Whoever ends an answer between two of these looks is seen at the next. Who finds it being made draws no id.
  for look in 1..5 loop
    alive_until := clock_timestamp() + producer_lease();
    limited_until := clock_timestamp() + make_interval(secs => limit_seconds);
    if is_shared then
      with known as materialized (
        select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
        where made.content_item_id = session.content_item_id
          and coalesce(made.parent_id, 0) = coalesce(the_parent, 0) and made.message_hash = hash
          and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version and made.model = the_model
          and made.prompt_fingerprint = the_prompt_fingerprint
          and made.content_fingerprint = key
          and made.state = 'writing' and made.question_id is null
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      ), begun as (
        insert into generations as made (
          content_item_id, parent_id, message, message_hash, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, token, lease_until, maker_until)
        select
          session.content_item_id, the_parent, the_message, hash, the_prompt_fingerprint, key,
          the_prompt, the_prompt_version, the_model, maker, least(alive_until, limited_until), limited_until
        where not exists (select from known)
        on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                     prompt_fingerprint, content_fingerprint) where state = 'writing' and question_id is null
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt
      )
      select mine.id, mine.attempt into generation, attempt
      from (select * from taken_over union all select * from begun) as mine;
      is_maker := found;

      select * into node from cache_nodes as n
      where n.content_item_id = session.content_item_id
        and coalesce(n.parent_id, 0) = coalesce(the_parent, 0)
        and n.message_hash = hash and n.prompt_name = the_prompt and n.prompt_version = the_prompt_version
        and n.model = the_model and n.prompt_fingerprint = the_prompt_fingerprint
        and n.content_fingerprint = key
      for share;
      if not found and is_maker then
        known := known_answer(
          session.content_item_id, the_parent, the_message, hash, the_prompt, the_prompt_version, the_model,
          the_prompt_fingerprint, key, session.content_fingerprint, true);
        select * into node from cache_nodes where id = known;
      end if;
      if found then
        if is_maker then delete from generations where id = generation; end if;
        -- Someone else who listens in this session may have closed its turn meanwhile.
        select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
        if session.id is null then return; end if;
        meta := jsonb_build_object(
          'source', 'cache', 'model', the_model, 'prompt_name', the_prompt, 'prompt_version', the_prompt_version,
          'latency_ms', milliseconds_since(session.answering_since), 'cache_node_id', node.id);
        select stored.id, stored.created_at into answer_id, answered_at
        from store_answer(session.id, session.answering_message_id, node.chunks, meta, true, node.id, true) as stored;
        chunks := node.chunks;
        generation := null;
        is_maker := false;
        return next;
        return;
      end if;
      exit when is_maker;
      select made.id into generation from generations as made
      where made.content_item_id = session.content_item_id and coalesce(made.parent_id, 0) = coalesce(the_parent, 0)
        and made.message_hash = hash and made.prompt_name = the_prompt and made.prompt_version = the_prompt_version
        and made.model = the_model and made.prompt_fingerprint = the_prompt_fingerprint
        and made.content_fingerprint = key
        and made.state = 'writing' and made.question_id is null
      for key share;
    else
      -- One that has ended already was not stored with its question yet.
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'complete';
      exit when found;
      with known as materialized (
        select made.id, made.lease_until < clock_timestamp() as has_lapsed from generations as made
        where made.question_id = session.answering_message_id and made.state = 'writing'
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      ), begun as (
        insert into generations as made (
          content_item_id, session_id, question_id, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, token, lease_until, maker_until)
        select
          session.content_item_id, session.id, session.answering_message_id, the_prompt_fingerprint, key, the_prompt, the_prompt_version, the_model, maker,
          least(alive_until, limited_until), limited_until
        where not exists (select from known)
        on conflict (question_id) where state = 'writing'
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      )
      select mine.id, mine.attempt, mine.stop_requested into generation, attempt, stopping
      from (select * from taken_over union all select * from begun) as mine;
      is_maker := found;
      exit when is_maker;
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'writing';
    end if;
    exit when found;
  end loop;
  if generation is null then return; end if;
  update chat_sessions set answering_generation_id = generation
  where id = the_session and answering_token = the_token;

  if stopping then
    -- Its maker died after the learner had stopped it: what it had said is the answer.
    update llm_calls set outcome = 'lost', ended_at = service_clock()
    where id = (select call_id from generations where id = generation) and outcome = 'started';
    perform finish_generation(generation, maker, coalesce((
      select jsonb_agg(chunk order by piece.first_chunk, number)
      from generation_pieces as piece, jsonb_array_elements(piece.chunks) with ordinality as part (chunk, number)
      where piece.generation_id = generation), '[]'), null, null, 'stopped', null, null);
    is_maker := false;
  elsif is_maker then
    delete from generation_pieces where generation_id = generation;
    context := session.content_context;
    exchanges := case when is_shared then shared_path(path)
                      else answered_history(session.id, session.answering_message_id) end;
    select begun.call, begun.refused_by, begun.retry_after into call, refused_by, retry_after
    from begin_call(generation, the_session, session.answering_message_id, the_model,
      budget || jsonb_build_object('reserve',
        (budget ->> 'reserve')::bigint + most_tokens(context, exchanges, (budget ->> 'material')::int))) as begun;
    if refused_by is not null then
      -- It is nobody's then: whoever wants it too makes it, on a budget of their own.
      if attempt = 1 then
        delete from generations where id = generation;
      else
        update generations set lease_until = clock_timestamp() - interval '1 millisecond' where id = generation;
      end if;
      update chat_sessions set answering_generation_id = null where id = the_session and answering_token = the_token;
      generation := null;
      is_maker := false;
    end if;
  end if;
  return next;
end;
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
         g.question, g.question_id is null as on_path, joined_text(g.chunks) as content
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
    insert into chat_messages (session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, question)
    select waiting.id, 'assistant', made.content, jsonb_strip_nulls(jsonb_build_object(
             'source', 'llm', 'model', made.model, 'prompt_name', made.prompt_name,
             'prompt_version', made.prompt_version, 'latency_ms', milliseconds_since(waiting.answering_since),
             'stop', made.stop, 'path', case when waiting.is_tracking and not made.on_path then 'lost' end, 'input_tokens', made.input_tokens, 'output_tokens', made.output_tokens,
             'joined', case when not exists (select from llm_calls where message_id = waiting.question) then true end)),
           waiting.question, made.on_path, standing, made.question
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
    perform replace_answer(here, pin.answer, pin.question, pin.choices, editor, null, null, request)
    from cache_nodes where id = here and answer <> pin.answer;
  end if;
  perform audit_tree_change('tutor_pin.confirmed', pin.content_item_id, here, editor, request);
  return true;
end $$;
--> statement-breakpoint
-- The tree with its content. What a module asks for, and from what a quiz draws, are the copies too.
create or replace function copy_outline(source integer, target integer, pools jsonb, days integer, zone text)
returns void language plpgsql as $$
declare
  ids jsonb;
begin
  select coalesce(jsonb_object_agg(id, nextval(pg_get_serial_sequence('modules', 'id')) order by id), '{}')
  into ids from modules where course_id = source;
  -- Parents first: a module's depth is that of the one above it.
  insert into modules overriding system value
  select copied.*
  from (select m from modules as m where m.course_id = source order by m.depth, m.id) as listed (one)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', ids -> (one).id::text, 'course_id', target, 'parent_module_id', ids -> (one).parent_module_id::text,
    'requires_module_ids', to_jsonb(array(
      select (ids ->> required.id::text)::integer
      from unnest((one).requires_module_ids) with ordinality as required (id, place) order by place)),
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  )) as copied;
  insert into content_items overriding system value
  select copied.*
  from (
    select item, type.name from content_items as item join content_types as type on type.id = item.content_type_id
    where item.course_id = source order by item.id
  ) as listed (one, type)
  cross join lateral jsonb_populate_record(one, jsonb_build_object(
    'id', nextval(pg_get_serial_sequence('content_items', 'id')), 'course_id', target, 'origin_item_id', (one).id,
    'module_id', ids -> (one).module_id::text,
    'available_from', days_later((one).available_from, days, zone), 'due_at', days_later((one).due_at, days, zone),
    'version', 1, 'created_at', service_now(), 'updated_at', service_now()
  ) || case when listed.type = 'quiz' and pools ? ((one).data_json ->> 'question_pool_id')
         then jsonb_build_object('data_json', jsonb_set(
           (one).data_json, '{question_pool_id}', pools -> ((one).data_json ->> 'question_pool_id')))
         else '{}' end) as copied;
  perform copy_pins(origin_item_id, id) from content_items
  where course_id = target and origin_item_id is not null order by id;
end $$;
--> statement-breakpoint
-- A copied item begins with the pins of its original.
create or replace function copy_pins(source integer, target integer) returns void language sql as $$
  insert into answer_pins
    (content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, pinned_by, pinned_at)
  select target, path, path_hash, asked, asked_hash, answer, question, choices, pinned_by, pinned_at
  from answer_pins where content_item_id = source order by id
$$;
--> statement-breakpoint
create or replace function drop_node(the_node bigint) returns void language plpgsql as $$
begin
  perform leave_nodes(array[the_node], the_node, false);
  delete from cache_nodes where id = the_node;
end $$;
--> statement-breakpoint
create or replace function drop_pin(the_pin bigint, editor integer, request jsonb) returns void language plpgsql as $$
declare
  item integer := (select content_item_id from answer_pins where id = the_pin);
begin
  perform lock_pins(item);
  delete from answer_pins where id = the_pin;
  if found then perform audit_tree_change('tutor_pin.dropped', item, null, editor, request); end if;
end $$;
--> statement-breakpoint
-- Ends an answer whole, or as far as it came where `the_stop` says why. An answer for a class that came to its end
-- becomes a node: the first write wins, and is then the answer. A private answer is stored with its question.
-- Asked again with the same token it answers the same. No row: the lease is lost, and nothing was written but the end
-- of the call, whose cost is `used`; of an answer of several calls `answer_input` and `answer_output` in it are all of them.
create or replace function finish_generation(
  the_generation bigint, maker uuid, the_chunks jsonb, the_question jsonb, the_choices jsonb, the_stop text,
  the_call bigint, used jsonb
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
    if made.question_id is null and the_stop is null then
      -- What staff pinned there while it was made is the answer.
      perform lock_pins_shared(made.content_item_id);
      select * into pin from pin_below(made.content_item_id, made.parent_id, made.message);
      insert into cache_nodes as node (
        content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
        content_fingerprint, chunks, question, choices, input_tokens, output_tokens, edited_by, edited_at)
      values (
        made.content_item_id, made.parent_id, made.message, made.message_hash, made.prompt_name, made.prompt_version,
        made.model, made.prompt_fingerprint, made.content_fingerprint,
        case when pin.id is null then the_chunks else jsonb_build_array(pin.answer) end,
        case when pin.id is null then the_question else pin.question end,
        case when pin.id is null then the_choices else pin.choices end,
        tokens_in, tokens_out, pin.pinned_by, pin.pinned_at)
      on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
                   prompt_fingerprint, content_fingerprint)
      do update set last_used_at = node.last_used_at
      returning node.id, node.chunks, node.question into made.node_id, made.chunks, made.question;
    end if;
    update generations set
      state = 'complete', chunks = made.chunks, question = made.question, stop = the_stop, node_id = made.node_id,
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
create or replace function is_same_question(question jsonb, other jsonb) returns boolean language sql immutable as $$
  select question_identity(question) = question_identity(other)
$$;
--> statement-breakpoint
-- A node's row with those below it, as it is kept of what goes.
create or replace function kept_rows(the_nodes bigint[]) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(to_jsonb(node) - 'answer' order by id), '[]')
  from cache_nodes as node
  where id = any (the_nodes) or id in (select nodes_below(one) from unnest(the_nodes) as one)
$$;
--> statement-breakpoint
-- Finds what the key misses, and keeps it under the key from here on; answers its node, held. Null: it is not known, or,
-- unless it `waits`, someone is just writing there. Whoever waits holds the path.
create or replace function known_answer(
  the_item integer, the_parent bigint, the_message text, the_hash text, the_prompt text, the_version integer,
  the_model text, the_prompt_fingerprint text, the_key text, the_former_key text, waits boolean
) returns bigint language plpgsql as $$
declare
  former bigint;
  node bigint;
begin
  if not lock_answer_key(
    concat_ws(' ', the_item, coalesce(the_parent, 0), the_hash, the_prompt, the_version, the_model), waits) then
    return null;
  end if;
  select id into former from cache_nodes
  where content_item_id = the_item and coalesce(parent_id, 0) = coalesce(the_parent, 0) and message_hash = the_hash
    and prompt_name = the_prompt and prompt_version = the_version and model = the_model
    and prompt_fingerprint = the_prompt_fingerprint
    and (content_fingerprint = the_former_key or former_fingerprint = the_former_key)
  order by content_fingerprint = the_former_key desc limit 1;
  if found and the_key <> the_former_key and not move_node_to_key(former, the_key, the_former_key, waits) then
    return null;
  end if;
  node := coalesce(
    (select id from node_of(
       the_item, the_parent, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key)),
    -- A session of former times goes on with what has taken a new key.
    case when the_key = the_former_key then former end,
    make_known_node(
      the_item, the_parent, the_message, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key,
      waits));
  if waits then
    select id into node from cache_nodes where id = node for share;
  else
    select id into node from cache_nodes where id = node for share skip locked;
  end if;
  return node;
end $$;
--> statement-breakpoint
-- Sessions leave nodes that go, with all below them, and stand before the root; those that were answered before messages
-- kept their question keep it now. Who stands on `the_node` itself stays, where it keeps its question.
create or replace function leave_nodes(the_nodes bigint[], the_node bigint, stays boolean) returns void
language plpgsql as $$
begin
  update chat_messages as told set question = node.question
  from chat_sessions as session join cache_nodes as node on node.id = session.cache_node_id
  where told.session_id = session.id and told.cache_node_id = node.id and told.question is null
    and node.question is not null
    and (node.id = any (the_nodes) or node.id in (select nodes_below(one) from unnest(the_nodes) as one));
  update chat_sessions set cache_node_id = null where cache_node_id = the_node and not stays;
end $$;
--> statement-breakpoint
-- Takes a person's name off what they did as staff.
create or replace function leave_office(person integer) returns void language plpgsql as $$
begin
  update announcements set created_by_user_id = null where created_by_user_id = person;
  update answer_pins set pinned_by = null where pinned_by = person;
  update cache_nodes set edited_by = null where edited_by = person;
  update course_exemptions set granted_by_user_id = null where granted_by_user_id = person;
  update grade_changes set changed_by_user_id = null where changed_by_user_id = person;
  update imports set created_by_user_id = null where created_by_user_id = person;
  update invitations set invited_by_user_id = null where invited_by_user_id = person;
  update lab_submissions set claimed_by_user_id = null, claimed_until = null where claimed_by_user_id = person;
  update lab_submissions set graded_by_user_id = null where graded_by_user_id = person;
  update prompts set created_by = null where created_by = person;
  update tree_changes set changed_by = null where changed_by = person;
  update tree_changes set undone_by = null where undone_by = person;
  update prompt_label_events set changed_by = null where changed_by = person;
  update stored_credentials set updated_by = null where updated_by = person;
end $$;
--> statement-breakpoint
create or replace function lock_answer_key(what text, waits boolean) returns boolean language plpgsql as $$
begin
  if not waits then return pg_try_advisory_xact_lock(hashtextextended(what, 0)); end if;
  perform pg_advisory_xact_lock(hashtextextended(what, 0));
  return true;
end $$;
--> statement-breakpoint
-- Holds a node, where `whole` with all that is below it.
create or replace function lock_node_to_change(
  the_node bigint, whole boolean, expected integer[], out refusal text, out node cache_nodes
) language plpgsql as $$
begin
  perform from content_items where id = (select content_item_id from cache_nodes where id = the_node) for key share;
  perform from cache_nodes where id = the_node for no key update;
  if whole then perform lock_subtree(the_node); end if;
  select * into node from cache_nodes where id = the_node;
  refusal := case when node.id is null then 'gone' when node.version <> all (expected) then 'changed' end;
end $$;
--> statement-breakpoint
create or replace function lock_pins(the_item integer) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('pins of a topic', the_item))
$$;
--> statement-breakpoint
create or replace function lock_pins_shared(the_item integer) returns void language sql as $$
  select pg_advisory_xact_lock_shared(hashtextextended('pins of a topic', the_item))
$$;
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
    content_fingerprint, origin_node_id, chunks, question, choices, edited_by, edited_at)
  select the_item, the_parent, the_message, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key,
         case when told.answer = original.answer then original.id end, told.chunks, told.question, told.choices,
         told.edited_by, told.edited_at
  from (
    select pin.answer, jsonb_build_array(pin.answer), pin.question, pin.choices, pin.pinned_by, pin.pinned_at
    where pin.id is not null
    union all
    select original.answer, original.chunks, original.question, original.choices, original.edited_by, original.edited_at
    where pin.id is null
  ) as told (answer, chunks, question, choices, edited_by, edited_at)
  on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
               prompt_fingerprint, content_fingerprint) do nothing
  returning id into made;
  return coalesce(made, (select id from node_of(
    the_item, the_parent, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key)));
end $$;
--> statement-breakpoint
-- Gives a node its new key, and answers whether it could. Someone may have stored an answer under the key meanwhile, which
-- then is the answer.
create or replace function move_node_to_key(the_node bigint, the_key text, the_former_key text, waits boolean)
returns boolean language plpgsql as $$
begin
  if not waits then
    perform from cache_nodes where id = the_node for no key update skip locked;
    if not found then return false; end if;
  end if;
  update cache_nodes set content_fingerprint = the_key, former_fingerprint = the_former_key
  where id = the_node and content_fingerprint = the_former_key;
  return true;
exception when unique_violation then return true;
end $$;
--> statement-breakpoint
create or replace function node_in_place_of(former cache_nodes) returns bigint language sql volatile as $$
  select id from node_of(
    former.content_item_id, former.parent_id, former.message_hash, former.prompt_name, former.prompt_version,
    former.model, former.prompt_fingerprint, former.content_fingerprint)
$$;
--> statement-breakpoint
-- The node under a key.
create or replace function node_of(
  the_item integer, the_parent bigint, the_hash text, the_prompt text, the_version integer, the_model text,
  the_prompt_fingerprint text, the_key text
) returns setof cache_nodes language sql stable as $$
  select * from cache_nodes
  where content_item_id = the_item and coalesce(parent_id, 0) = coalesce(the_parent, 0) and message_hash = the_hash
    and prompt_name = the_prompt and prompt_version = the_version and model = the_model
    and prompt_fingerprint = the_prompt_fingerprint and content_fingerprint = the_key
$$;
--> statement-breakpoint
-- Notes what is about to be done to a node, with what goes by it.
create or replace function note_tree_change(
  the_action text, node cache_nodes, doomed bigint[], the_answer text, editor integer, request jsonb
) returns void language plpgsql as $$
declare
  removed jsonb := kept_rows(doomed);
begin
  insert into tree_changes (
    content_item_id, action, node_id, path, asked_hash, former, answer, former_pin, removed, removed_count, changed_by)
  values (
    node.content_item_id, the_action, node.id, path_of_node(node.id),
    question_identity((select question from cache_nodes where id = node.parent_id)), to_jsonb(node) - 'answer', the_answer,
    (select to_jsonb(pin) from pin_below(node.content_item_id, node.parent_id, node.message) as pin), removed,
    jsonb_array_length(removed), editor);
  perform audit_tree_change('tutor_answer.' || the_action, node.content_item_id, node.id, editor, request);
end $$;
--> statement-breakpoint
-- Opens a turn of the person whom a valid token names, with the version of their tokens: stores their message with what
-- it does to the session and to their streak, and answers it where the tree holds the answer. Else it takes the
-- session's lease, and reads what answering takes. With `the_question` it takes up a message again that was stored
-- before and not answered: nothing is stored, and who listens to it already is joined, unless the answer that they wait
-- for has failed.
--
-- `the_message` is the normal form of `Start.` or of an answer to a question; null for what is on no path. Where the
-- answer under the cursor asks a question, only what it offers is on the path, and under the name that the tree keeps
-- it by: `the_loose_message` is the same answer as it is compared where none fits. What was just answered and is said
-- again is answered again. Where the cursor is gone, what a message of the session offered is answered
-- in private, and the session stays in the tree.
--
-- The token reaches the whole account, or `the_reach`, a university (token-reach.sql).
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `item_access` (outline.sql), 'under exam',
-- 'sent before' (with the message, and its answer if it has one), 'closed' (an aside to new words), 'being answered', 'answered' (by the time it was taken
-- up again), or 'another time zone', when `today` is not the day in their zone.
create or replace function open_turn(
  the_session bigint, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question bigint, the_token uuid, default_model text, tutor_prompt text, deepest integer,
  the_zone text, today date, moment timestamptz, the_reach integer, the_loose_message text
) returns table (
  refusal text, time_zone text, message_id bigint,
  -- Of an answer that is there.
  answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id bigint, message text, model text, university_id integer,
  generation bigint, graph json
)
-- Planned once for each connection: some of its statements would else be planned anew at each message.
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  session record;
  active boolean;
  last_active date;
  topic record;
  tutor record;
  is_asked boolean := false;
  hash text;
  key text;
  node bigint;
  answer text;
  question jsonb;
begin
  -- Many small statements, of which each turn runs those that it needs: what a statement costs here is hardly what it
  -- finds, but how much it is made of. What is read after the lock is what the message before this one left.
  select s.id, s.content_item_id, s.item_fingerprint, s.surroundings_fingerprint, s.content_fingerprint, s.cache_node_id,
         s.cache_state, s.answering_message_id, s.answering_generation_id, s.answering_token, s.answering_until, s.closed_at
  into session
  from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;
  select person.is_active, person.time_zone, person.last_activity_date into active, time_zone, last_active
  from users as person
  where person.id = the_person and person.erased_at is null
    and (person.token_version = the_version or not person.is_active);
  if not found then return; end if;

  if not active then
    refusal := 'inactive person';
  elsif session.id is null then
    select case when count(*) = 0 then 'no such session' else 'not theirs' end into refusal
    from chat_sessions where id = the_session;
  else
    select item.course_id, item.university_id, campus.is_active, campus.requires_own_provider, course.cache_enabled, course.llm_model, type.name as type,
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from) as gate
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as campus on campus.id = item.university_id
    where item.id = session.content_item_id;
    refusal := case
      when the_reach <> topic.university_id then 'out of reach'
      when is_suspended(topic.university_id, the_person) then 'inactive person'
      when topic.requires_own_provider and the_reach is null and not exists (
        select from user_university_roles where user_id = the_person and role = 'platform_admin') then 'own provider'
      when not topic.is_active then 'inactive university'
      when topic.gate is not null then topic.gate
      when is_tutor_silenced(the_person, topic.course_id, moment) then 'under exam'
    end;
  end if;
  if refusal is not null then
    return next;
    return;
  end if;

  if the_client_id is not null then
    select m.id, m.content, 'sent before' into message_id, content, refusal
    from chat_messages as m where m.session_id = the_session and m.client_message_id = the_client_id;
  end if;
  message_id := coalesce(message_id, the_question);
  content := coalesce(content, the_content);
  if message_id is not null then
    select reply.id, reply.created_at, reply.meta, coalesce(replayed.chunks, jsonb_build_array(reply.content))
    into answer_id, answered_at, meta, chunks
    from chat_messages as reply
    left join cache_nodes as replayed on replayed.id = reply.cache_node_id and replayed.answer = reply.content
    where reply.in_reply_to_id = open_turn.message_id;
  end if;
  refusal := case
    when refusal is not null then refusal
    when answer_id is not null then 'answered'
    when message_id is null and session.closed_at is not null then 'closed'
    when session.answering_until > now()
      and (the_question is null or session.answering_message_id is distinct from the_question) then 'being answered'
    when time_zone <> the_zone then 'another time zone'
  end;
  if refusal is not null then
    return next;
    return;
  end if;

  -- An answer without a cursor has no path, and a session that has left the tree never comes back.
  if the_message = 'Start.' then
    message := the_message;
  elsif the_message is not null and session.cache_node_id is not null then
    select case when again then stands.message
                when stands.choices is null then the_message
                else coalesce(stands.choices ->> the_message, stands.choices ->> the_loose_message) end,
           case when again then stands.parent_id else stands.id end
    into message, parent_id
    from cache_nodes as stands
    left join cache_nodes as stood on stood.id = stands.parent_id
    cross join lateral (
      select coalesce(
        stands.message = coalesce(stood.choices ->> the_message, stood.choices ->> the_loose_message, the_message)
        and not coalesce(stands.choices ? the_message or stands.choices ? the_loose_message, false), false)
    ) as said (again)
    where stands.id = session.cache_node_id;
  elsif the_message is not null then
    is_asked := was_offered(the_session, the_message);
  end if;
  shared := message is not null and topic.cache_enabled and session.cache_state = 'tracking';
  model := coalesce(topic.llm_model, default_model);
  university_id := topic.university_id;
  select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings into tutor
  from tutor_prompt_of(topic.type, tutor_prompt) as prompt;

  if shared then
    hash := sha256_hex(message);
    key := answer_key(session.item_fingerprint, session.surroundings_fingerprint, session.content_fingerprint,
                      tutor.uses_surroundings);
    select n.id, n.chunks, n.answer, n.question into node, chunks, answer, question
    from cache_nodes as n
    where n.content_item_id = session.content_item_id
      and coalesce(n.parent_id, 0) = coalesce(open_turn.parent_id, 0)
      and n.message_hash = hash and n.prompt_name = tutor.name and n.prompt_version = tutor.version
      and n.model = open_turn.model and n.prompt_fingerprint = tutor.plain_fingerprint
      and n.content_fingerprint = key
    -- Which keeps it from being pruned or replaced until the cursor stands on it. One that is just being locked for
    -- that is not waited for while the session is held: it counts as a miss, and whoever claims the answer waits.
    for share skip locked;
    if node is null then
      select g.id into generation
      from generations as g
      where g.content_item_id = session.content_item_id and coalesce(g.parent_id, 0) = coalesce(open_turn.parent_id, 0)
        and g.message_hash = hash and g.prompt_name = tutor.name and g.prompt_version = tutor.version
        and g.model = open_turn.model and g.prompt_fingerprint = tutor.plain_fingerprint
        and g.content_fingerprint = key
        and g.state = 'writing' and g.question_id is null and g.lease_until > clock_timestamp();
      if generation is null and tutor.plain_fingerprint is not null then
        node := known_answer(
          session.content_item_id, open_turn.parent_id, message, hash, tutor.name, tutor.version, open_turn.model,
          tutor.plain_fingerprint, key, session.content_fingerprint, false);
        if node is not null then
          select n.chunks, n.answer, n.question into chunks, answer, question from cache_nodes as n where n.id = node;
        end if;
      end if;
    end if;
  end if;

  if the_question is null then
    perform record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, (
        select mine.course_offering_id from current_offerings as mine
        where mine.user_id = the_person and mine.course_id = topic.course_id), moment, today, last_active);
    message_id := nextval('chat_messages_id_seq');
  end if;
  if node is not null then
    answer_id := nextval('chat_messages_id_seq');
    answered_at := service_now();
    meta := jsonb_build_object(
      'source', 'cache', 'model', model, 'prompt_name', tutor.name, 'prompt_version', tutor.version,
      'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node);
    insert into cache_visits (node_id, hit) values (node, true);
    update chat_sessions
    set cache_node_id = node, updated_at = service_now(), answering_message_id = null, answering_since = null,
        answering_token = null, answering_generation_id = null, answering_until = null
    where id = the_session;
    insert into chat_messages (
      id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, client_message_id, question)
    overriding system value
    select * from (values
      (open_turn.message_id, the_session, 'user', the_content, '{}'::jsonb, null::bigint, false, null::bigint,
       the_client_id, null::jsonb),
      (answer_id, the_session, 'assistant', answer, meta, open_turn.message_id, true, node, null, question)
    ) as said (id) where said.id is distinct from the_question;
  else
    token := the_token;
    if session.answering_message_id = the_question and not exists (
      select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
    then token := session.answering_token; end if;
    -- What is on no path leaves the tree where answers are shared at all, unless it was asked before that path went; free
    -- text does in any case.
    update chat_sessions as s
    set cache_state = case when the_message is null or (topic.cache_enabled and message is null and not is_asked)
                           then 'diverged'
                           else s.cache_state end,
        answering_since = case when s.answering_message_id = open_turn.message_id and s.answering_until > now()
                               then s.answering_since else now() end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = open_turn.message_id then s.answering_generation_id end),
        answering_message_id = open_turn.message_id, answering_token = token,
        answering_until = now() + listener_lease()
    where s.id = the_session;
    if the_question is null then
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value values (open_turn.message_id, the_session, 'user', the_content, the_client_id);
    end if;
    if generation is null and tutor.id is not null then
      select json_build_object('root', tutor.id, 'prompts', reached.prompts, 'links', reached.links) into graph
      from reached_prompts(array[tutor.id], 0, deepest) as reached;
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- The items that an item was copied from, one before the other, each with the moment as of which it counts.
create or replace function origins_of(the_item integer) returns table (id integer, as_of timestamptz, copies integer)
language sql stable as $$
  with recursive origin (id, as_of, copies) as (
    select origin_item_id, created_at, 1 from content_items where content_items.id = the_item
    union all
    select item.origin_item_id, least(origin.as_of, item.created_at), origin.copies + 1
    from origin join content_items as item on item.id = origin.id
    where origin.copies < 10
  )
  select id, as_of, copies from origin where id is not null
$$;
--> statement-breakpoint
-- The messages from the root down to a node, itself included; none for what stands before the root.
create or replace function path_of_node(the_node bigint) returns jsonb language sql stable as $$
  with recursive above (parent_id, message, height) as (
    select parent_id, message, 0 from cache_nodes where id = the_node
    union all
    select node.parent_id, node.message, above.height + 1
    from above join cache_nodes as node on node.id = above.parent_id
  )
  select coalesce(jsonb_agg(message order by height desc), '[]') from above
$$;
--> statement-breakpoint
-- The pin of what answers a message below a node. No row: there is none.
create or replace function pin_below(the_item integer, the_parent bigint, the_message text) returns setof answer_pins
language plpgsql stable as $$
begin
  -- Most topics have none, and are spared the way up.
  if exists (select from answer_pins where content_item_id = the_item) then
    return query
      select pin.* from answer_pins as pin
      where pin.content_item_id = the_item
        and pin.path_hash = sha256_hex((path_of_node(the_parent) || to_jsonb(the_message))::text)
        and pin.asked_hash = question_identity((select question from cache_nodes where id = the_parent));
  end if;
end $$;
--> statement-breakpoint
-- Pins what a node says.
create or replace function pin_node(the_node bigint) returns void language sql as $$
  insert into answer_pins as pin (
    content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, pinned_by, pinned_at)
  select node.content_item_id, way.path, sha256_hex(way.path::text), parent.question, question_identity(parent.question),
         node.answer, node.question, node.choices, node.edited_by, node.edited_at
  from cache_nodes as node
  left join cache_nodes as parent on parent.id = node.parent_id
  cross join lateral (select path_of_node(node.id) as path) as way
  where node.id = the_node
  on conflict (content_item_id, path_hash, asked_hash) do update set
    answer = excluded.answer, question = excluded.question, choices = excluded.choices,
    pinned_by = excluded.pinned_by, pinned_at = excluded.pinned_at
$$;
--> statement-breakpoint
-- Purges a node with all that are below it, with what is just being made from them, and with its pin. Sessions that
-- stood there stand before the root again. Refuses as `replace_answer` does.
create or replace function purge_node(
  the_node bigint, expected integer[] default null, editor integer default null, request jsonb default null
) returns text language plpgsql as $$
declare
  held record;
  node cache_nodes;
begin
  held := lock_node_to_change(the_node, true, expected);
  if held.refusal is not null then return held.refusal; end if;
  node := held.node;
  perform lock_pins(node.content_item_id);
  perform note_tree_change('purged', node, array[the_node], null, editor, request);
  delete from answer_pins where id in (select id from pin_below(node.content_item_id, node.parent_id, node.message));
  perform drop_node(the_node);
  return null;
end $$;
--> statement-breakpoint
-- What two questions have in common that are the same to a learner: id, text, and each option's id and text, in any order.
create or replace function question_identity(question jsonb) returns text language plpgsql immutable as $$
begin
  if question is null then return ''; end if;
  return sha256_hex(normalize(jsonb_build_array(
    btrim(question ->> 'questionId', E' \t\r\n'), btrim(question ->> 'question', E' \t\r\n'),
    (select jsonb_object_agg(btrim(option ->> 'id', E' \t\r\n'), btrim(option ->> 'text', E' \t\r\n'))
     from jsonb_array_elements(question -> 'options') as option))::text, nfc));
end $$;
--> statement-breakpoint
-- Whether an answer in its normal form is one that the question offers: an option's id, or its text.
create or replace function question_offers(question jsonb, message text) returns boolean language plpgsql immutable as $$
declare
  said jsonb;
begin
  if question is null or not starts_with(message, '{') then return false; end if;
  said := message::jsonb;
  return said ->> 'questionId' = question ->> 'questionId' and exists (
    select from jsonb_array_elements(question -> 'options') as option
    where said ->> 'answer' in (option ->> 'id', option ->> 'text'));
end $$;
--> statement-breakpoint
-- Once the topic's pins are held nobody else changes its tree.
create or replace function refusal_to_undo(change tree_changes) returns text language sql volatile as $$
  select case when undone_at is not null then 'undone'
              when exists (select from tree_changes as later
                           where later.node_id = change.node_id and later.id > change.id and later.undone_at is null)
              then 'changed'
              when removed is null then 'forgotten' end
  from tree_changes where id = change.id
$$;
--> statement-breakpoint
-- Replaces a node's answer, and pins it. Where the question stays the same (`question_identity`), so do the cursors; and
-- what follows, unless `keep_children` is false. With another one, sessions that stood there stand before the root again,
-- and of what follows `keep_children` keeps what answers an option that is as before. Answers why nothing was done: 'gone',
-- or 'changed', where the node has none of the expected versions.
create or replace function replace_answer(
  the_node bigint, the_answer text, the_question jsonb, the_choices jsonb, editor integer, keep_children boolean,
  expected integer[] default null, request jsonb default null
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
  perform rewrite_node(
    node, the_answer, the_question, the_choices, editor, service_clock(), doomed,
    keeps_all or coalesce(keep_children, false));
  perform pin_node(the_node);
  return null;
end $$;
--> statement-breakpoint
create or replace function restore_node(node cache_nodes) returns void language plpgsql as $$
begin
  insert into cache_nodes (
    id, content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
    content_fingerprint, former_fingerprint, origin_node_id, chunks, question, choices, input_tokens, output_tokens,
    visit_count, hit_count, last_used_at, created_at, edited_by, edited_at, children_kept, version)
  overriding system value
  select node.id, node.content_item_id, node.parent_id, node.message, node.message_hash, node.prompt_name,
         node.prompt_version, node.model, node.prompt_fingerprint, node.content_fingerprint, node.former_fingerprint,
         node.origin_node_id, node.chunks, node.question, node.choices, node.input_tokens, node.output_tokens,
         node.visit_count, node.hit_count, service_now(), node.created_at,
         (select id from users where id = node.edited_by), node.edited_at, node.children_kept, node.version
  where node.parent_id is null or exists (select from cache_nodes where id = node.parent_id)
  on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
               prompt_fingerprint, content_fingerprint) do nothing;
end $$;
--> statement-breakpoint
-- Brings rows back, parents first, where their parents are and nothing else has taken their place.
create or replace function restore_nodes(the_rows jsonb) returns void language sql as $$
  select restore_node(jsonb_populate_record(null::cache_nodes, one))
  from (select one from jsonb_array_elements(the_rows) as one order by (one ->> 'id')::bigint) as listed
$$;
--> statement-breakpoint
-- The pin of a changed node's place is what it was before the change.
create or replace function restore_pin(change tree_changes) returns void language plpgsql as $$
begin
  delete from answer_pins
  where content_item_id = change.content_item_id and path_hash = sha256_hex(change.path::text)
    and asked_hash = change.asked_hash;
  insert into answer_pins
    (content_item_id, path, path_hash, asked, asked_hash, answer, question, choices, pinned_by, pinned_at)
  select content_item_id, path, path_hash, asked, asked_hash, answer, question, choices,
         (select id from users where users.id = pinned_by), service_clock()
  from jsonb_populate_record(null::answer_pins, change.former_pin) where change.former_pin is not null;
end $$;
--> statement-breakpoint
-- Gives a node that is held another text.
create or replace function rewrite_node(
  node cache_nodes, the_answer text, the_question jsonb, the_choices jsonb, editor integer, moment timestamptz,
  doomed bigint[], keeps boolean
) returns void language plpgsql as $$
begin
  if not (is_same_question(node.question, the_question) and keeps) then
    delete from generations as made where made.parent_id = node.id and not (
      keeps and made.message = any (answers_in_common(node.question, the_question, the_choices)));
    perform leave_nodes(doomed || node.id, node.id, is_same_question(node.question, the_question));
    delete from cache_nodes where id = any (doomed);
  end if;
  update cache_nodes
  set chunks = jsonb_build_array(the_answer), question = the_question, choices = the_choices, edited_by = editor,
      edited_at = moment, children_kept = keeps, version = version + 1
  where id = node.id;
end $$;
--> statement-breakpoint
-- Stops the private answer that a person's session is waiting for. Its maker is told so; before there is one, it ends
-- without a word. Answers the message, and whether its answer is private; no row: no answer is being written.
create or replace function stop_turn(the_session bigint, the_person integer)
returns table (message_id bigint, content text, is_private boolean) language plpgsql as $$
#variable_conflict use_column
declare
  session chat_sessions;
begin
  select * into session from chat_sessions
  where id = the_session and user_id = the_person and answering_since > now() - answer_limit() for update;
  if not found then return; end if;
  select m.id, m.content into message_id, content from chat_messages as m where m.id = session.answering_message_id;
  update generations set stop_requested = true
  where question_id = session.answering_message_id and state = 'writing';
  is_private := found or exists (select from generations where question_id = session.answering_message_id);
  if not is_private and session.answering_generation_id is null then
    -- Nobody has claimed it yet. What is shared is on a path of a course that shares.
    select session.cache_state = 'diverged' or not course.cache_enabled
           or (session.cache_node_id is null and btrim(content) <> 'Start.')
    into is_private
    from content_items as item join courses as course on course.id = item.course_id
    where item.id = session.content_item_id;
    if is_private then
      perform store_answer(the_session, session.answering_message_id, '[]', jsonb_build_object(
        'source', 'llm', 'stop', 'stopped', 'latency_ms', milliseconds_since(session.answering_since)),
        false, null, false);
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
-- Stores the answer to a session's open message, moves the cursor to the node that holds it, and ends the turn. A node
-- that is gone by now, or says something else, leaves the cursor where it was. Whoever calls it holds the node, so that
-- it is not pruned or replaced until the cursor stands on it, and then the session, whose turn it is.
create or replace function store_answer(
  the_session bigint, the_question bigint, the_chunks jsonb, the_meta jsonb, on_path boolean, the_node bigint,
  is_hit boolean
) returns table (id bigint, created_at timestamptz, content text) language plpgsql as $$
#variable_conflict use_column
declare
  standing bigint;
  question jsonb;
begin
  select n.id, n.question into standing, question from cache_nodes as n where n.id = the_node and n.chunks = the_chunks;
  if standing is not null then insert into cache_visits (node_id, hit) values (standing, is_hit); end if;
  update chat_sessions as s
  set cache_node_id = coalesce(standing, s.cache_node_id), updated_at = service_now(), answering_message_id = null,
      answering_generation_id = null, answering_since = null, answering_token = null, answering_until = null
  where s.id = the_session;
  return query
    insert into chat_messages as m (
      session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id, question)
    values (the_session, 'assistant', joined_text(the_chunks), the_meta, the_question, on_path, standing, question)
    returning m.id, m.created_at, m.content;
end;
$$;
--> statement-breakpoint
create or replace function try_lock_pins_shared(the_item integer) returns boolean language sql as $$
  select pg_try_advisory_xact_lock_shared(hashtextextended('pins of a topic', the_item))
$$;
--> statement-breakpoint
create or replace function undo_purging(change tree_changes) returns text language plpgsql as $$
declare
  former cache_nodes := jsonb_populate_record(null::cache_nodes, change.former);
  refusal text;
  another bigint;
begin
  if former.parent_id is not null then
    perform from cache_nodes where id = former.parent_id for update;
    if not found then return 'changed'; end if;
  end if;
  another := node_in_place_of(former);
  perform lock_subtree(another);
  perform lock_pins(change.content_item_id);
  -- What was stored in its place meanwhile makes room for it, once it is held.
  if node_in_place_of(former) is distinct from another then return 'again'; end if;
  refusal := refusal_to_undo(change);
  if refusal is not null then return refusal; end if;
  perform drop_node(another);
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
    node, joined_text(former.chunks), former.question, former.choices, former.edited_by, former.edited_at,
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
  refusal := case change.action when 'replaced' then undo_replacing(change) else undo_purging(change) end;
  if refusal is not null then return refusal; end if;
  perform restore_pin(change);
  update tree_changes set undone_by = editor, undone_at = service_clock() where id = the_change;
  perform audit_tree_change('tutor_answer.restored', the_item, change.node_id, editor, request);
  return null;
end $$;
--> statement-breakpoint
-- Whether a message answers, in one of its spellings, a question that the session was asked.
create or replace function was_offered(the_session bigint, the_message text) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from chat_messages as told
    where told.session_id = the_session and told.role = 'assistant' and question_offers(told.question, the_message));
end $$;
--> statement-breakpoint
-- What staff wrote in place of an answer before texts were pinned is pinned now, the latest of those that lead to the same.
select pin_node(edited.id) from (
  select id from cache_nodes where edited_at is not null order by edited_at, id offset 0
) as edited;
--> statement-breakpoint
-- The tutor's prompt without what changes from term to term. Where people have worked already it is a version to look at;
-- a new installation begins with it.
with former as (
  select name, prompt from prompts
  where name = 'tutor' and prompt like '%- Course: {{course_title}} ({{course_code}})' || E'\n' || '- Module: {{module_title}}%'
  order by version desc limit 1
), numbered as (
  update prompt_names set latest_version = latest_version + 1, version = version + 1
  from former where prompt_names.name = former.name
  returning prompt_names.name, latest_version
), added as (
  insert into prompts (name, version, prompt, commit_message)
  select numbered.name, latest_version,
         replace(prompt, '- Course: {{course_title}} ({{course_code}})' || E'\n' || '- Module: {{module_title}}' || E'\n', ''),
         'Without course and module: stored answers outlive a copy and a new term'
  from numbered join former on former.name = numbered.name
  returning id, name
)
update prompt_labels set prompt_id = added.id
from added
where prompt_labels.name = added.name
  and (label = 'latest' or (label = 'production' and not exists (select from users)));
--> statement-breakpoint
set local check_function_bodies = on;
