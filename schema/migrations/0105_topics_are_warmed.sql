set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "warming_nodes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "warming_nodes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"warming_id" bigint NOT NULL,
	"path" jsonb NOT NULL,
	"level" integer NOT NULL,
	"expected_visits" bigint NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	CONSTRAINT "warming_nodes_state_check" CHECK ("warming_nodes"."state" in ('waiting', 'made', 'found', 'left_out', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "warmings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "warmings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"content_item_id" integer NOT NULL,
	"prompt_id" integer NOT NULL,
	"prompt_name" varchar(255) NOT NULL,
	"prompt_version" integer NOT NULL,
	"model" varchar(255) NOT NULL,
	"prompt_fingerprint" varchar(64) NOT NULL,
	"content_fingerprint" varchar(64) NOT NULL,
	"former_fingerprint" varchar(64) NOT NULL,
	"most_nodes" integer NOT NULL,
	"estimated_input_tokens" bigint DEFAULT 0 NOT NULL,
	"estimated_output_tokens" bigint DEFAULT 0 NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"stop_reason" text,
	"lease_token" uuid,
	"lease_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "warmings_state_check" CHECK ("warmings"."state" in ('waiting', 'running', 'done', 'stopped')),
	CONSTRAINT "warmings_stop_reason_check" CHECK ("warmings"."stop_reason" in ('budget', 'llm', 'changed'))
);
--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";
--> statement-breakpoint
ALTER TABLE "cache_nodes" ADD COLUMN "warmed" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD COLUMN "purpose" text DEFAULT 'turn' NOT NULL;
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD COLUMN "warming_id" bigint;
--> statement-breakpoint
ALTER TABLE "warming_nodes" ADD CONSTRAINT "warming_nodes_warming_id_warmings_id_fk" FOREIGN KEY ("warming_id") REFERENCES "public"."warmings"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "warmings" ADD CONSTRAINT "warmings_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "warmings" ADD CONSTRAINT "warmings_prompt_id_prompts_id_fk" FOREIGN KEY ("prompt_id") REFERENCES "public"."prompts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "warming_nodes_warming_id_id_index" ON "warming_nodes" USING btree ("warming_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "warmings_open_key" ON "warmings" USING btree ("content_item_id") WHERE "warmings"."state" in ('waiting', 'running');
--> statement-breakpoint
CREATE INDEX "warmings_content_item_id_id_index" ON "warmings" USING btree ("content_item_id","id");
--> statement-breakpoint
CREATE INDEX "warmings_prompt_id_index" ON "warmings" USING btree ("prompt_id");
--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused'));
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_purpose_check" CHECK ("llm_calls"."purpose" in ('turn', 'warm'));
--> statement-breakpoint
-- Begins the call that asks for the question of an answer once more: a call of its own, and no turn of the person's. The
-- call before it ends with what it `used`. `call` is null where the university's month has no room for it (`settings` as
-- in `begin_call`). No row: the lease is lost.
create or replace function begin_repair(
  the_generation bigint, maker uuid, former bigint, used jsonb, settings jsonb
) returns table (call bigint) language plpgsql as $$
#variable_conflict use_column
declare
  made llm_calls;
  most bigint;
begin
  update generations set lease_until = least(clock_timestamp() + producer_lease(), maker_until)
  where id = the_generation and token = maker and state = 'writing';
  if not found then return; end if;
  perform end_call(former, 'complete', used);
  select * into made from llm_calls where id = former;
  if made.university_id is not null then
    select tokens_per_month into most from tutor_budget_of(made.university_id, settings);
    if not reserve_tokens(made.university_id, made.reserved_tokens, most) then
      return next;
      return;
    end if;
  end if;
  insert into llm_calls (
    university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens, is_repair, purpose, warming_id)
  values (
    made.university_id, made.course_id, made.content_item_id, made.user_id, made.message_id, made.model,
    made.reserved_tokens, true, made.purpose, made.warming_id)
  returning id into call;
  update generations set call_id = call where id = the_generation;
  return next;
end;
$$;
--> statement-breakpoint
-- Begins a call that is bound to no person, if it fits into the university's month; null where it does not.
create or replace function begin_warm_call(the_generation bigint, job warmings, settings jsonb) returns bigint
language plpgsql as $$
declare
  item content_items;
  reserve bigint := (settings ->> 'reserve')::bigint;
  most bigint;
  begun bigint;
begin
  select * into item from content_items where id = job.content_item_id;
  select tokens_per_month into most from tutor_budget_of(item.university_id, settings);
  perform expire_calls(array(select call_id from generations where id = the_generation));
  if not reserve_tokens(item.university_id, reserve, most) then return null; end if;
  insert into llm_calls (university_id, course_id, content_item_id, model, reserved_tokens, purpose, warming_id)
  values (item.university_id, item.course_id, item.id, job.model, reserve, 'warm', job.id)
  returning id into begun;
  update generations set call_id = begun where id = the_generation;
  return begun;
end $$;
--> statement-breakpoint
-- Begins a warming, audited, with what it is expected to use: `system_tokens` is what a call is told beside the path. Answers
-- its report; null where one of the item is under way.
create or replace function begin_warming(
  the_item integer, the_prompt integer, the_model text, the_prompt_fingerprint text, the_key text, the_former_key text,
  most integer, system_tokens integer, editor integer, request jsonb
) returns json language plpgsql as $$
declare
  begun warmings;
begin
  insert into warmings (
    content_item_id, prompt_id, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint,
    former_fingerprint, most_nodes)
  select the_item, id, name, version, the_model, the_prompt_fingerprint, the_key, the_former_key, most
  from prompts where id = the_prompt
  on conflict (content_item_id) where state in ('waiting', 'running') do nothing
  returning * into begun;
  if begun.id is null then return null; end if;
  with planned as (
    select plan.* from plan_warming(
      the_item, begun.prompt_name, begun.prompt_version, the_model, the_prompt_fingerprint, the_key, most) as plan
  ), added as (
    insert into warming_nodes (warming_id, path, level, expected_visits)
    select begun.id, path, level, expected from planned order by level, expected desc, path
  )
  update warmings as one set
    estimated_input_tokens = sums.input, estimated_output_tokens = sums.output,
    state = case sums.calls when 0 then 'done' else one.state end,
    ended_at = case sums.calls when 0 then service_clock() end
  from (
    -- Each call is told the answers above it.
    select count(*) as calls, coalesce(round(sum(system_tokens + (level - 1) * mean.tokens)), 0) as input,
           coalesce(round(sum(answer_tokens)), 0) as output
    from planned cross join (select avg(answer_tokens) + 20 as tokens from planned) as mean
  ) as sums
  where one.id = begun.id;
  perform audit_tree_change('tutor_answers.warmed', the_item, null, editor, request);
  return warming_report(begun.id);
end $$;
--> statement-breakpoint
-- Asks for an answer of a warming, for whoever holds that. The `outcome` is one of:
-- - 'found': it is stored by now, under its key or as a known answer (known-answers.sql);
-- - 'left out': the answer above it is not there, or does not offer its message;
-- - 'being made': someone else makes it, such as a class that has begun;
-- - 'budget': the university's month has no room for the call, whose most tokens are in `budget` as for `begin_call`;
-- - 'to make': with the `generation`, its `attempt`, the `call` that has begun, and the `exchanges` on its path.
-- No row: the warming is another's by now, or the answer was asked for before.
create or replace function claim_warm_node(
  the_node bigint, the_token uuid, maker uuid, limit_seconds double precision, budget jsonb
) returns table (outcome text, generation bigint, attempt integer, call bigint, exchanges json) language plpgsql as $$
#variable_conflict use_column
declare
  step warming_nodes;
  job warmings;
  parent bigint;
  path bigint[] := '{}';
  said text;
  node cache_nodes;
  known bigint;
  limited_until timestamptz := clock_timestamp() + make_interval(secs => limit_seconds);
begin
  select * into step from warming_nodes where id = the_node and state = 'waiting';
  select * into job from warmings
  where id = step.warming_id and lease_token = the_token and state = 'running' and lease_until > clock_timestamp();
  if job.id is null then return; end if;
  said := step.path ->> -1;
  if step.level > 1 then
    parent := node_at_path(job, step.path - -1);
    path := lock_path_shared(parent);
    -- What answers a move is made where a learner makes it.
    if parent is null or parent <> all (path) or said like '@%' or not exists (
      select from cache_nodes as above, jsonb_each_text(above.choices) as choice
      where above.id = parent and choice.value = said
    ) then
      update warming_nodes set state = 'left_out' where id = the_node;
      outcome := 'left out';
      return next;
      return;
    end if;
  end if;

  insert into generations as made (
    content_item_id, parent_id, message, message_hash, prompt_fingerprint, content_fingerprint, prompt_name,
    prompt_version, model, token, lease_until, maker_until)
  values (
    job.content_item_id, parent, said, sha256_hex(said), job.prompt_fingerprint, job.content_fingerprint,
    job.prompt_name, job.prompt_version, job.model, maker,
    least(clock_timestamp() + producer_lease(), limited_until), limited_until)
  on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
               prompt_fingerprint, content_fingerprint) where state = 'writing' and question_id is null
  do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                maker_until = excluded.maker_until, failures = failures_to_count(made)
    where made.lease_until < clock_timestamp()
  returning made.id, made.attempt into generation, attempt;
  -- Whoever ended one before is seen at the next look.
  select * into node from node_of(
    job.content_item_id, parent, sha256_hex(said), job.prompt_name, job.prompt_version, job.model,
    job.prompt_fingerprint, job.content_fingerprint);
  if node.id is null and generation is not null then
    known := known_answer(
      job.content_item_id, parent, said, sha256_hex(said), job.prompt_name, job.prompt_version, job.model,
      job.prompt_fingerprint, job.content_fingerprint, job.former_fingerprint, true);
    select * into node from cache_nodes where id = known;
  end if;
  if node.id is not null then
    delete from generations where id = generation;
    -- Of one that this warming has made its maker could be killed before it said so.
    update warming_nodes set state = case when node.warmed and node.created_at >= job.created_at then 'made' else 'found' end
    where id = the_node;
    outcome := 'found';
  elsif generation is null then
    outcome := 'being made';
  else
    delete from generation_pieces where generation_id = generation;
    exchanges := shared_path(path);
    call := begin_warm_call(generation, job, budget || jsonb_build_object(
      'reserve', (budget ->> 'reserve')::bigint + octet_length(exchanges::text) / 3));
    outcome := case when call is null then 'budget' else 'to make' end;
  end if;
  if outcome = 'budget' then
    -- It is nobody's then, as where a learner's budget is used up.
    if attempt = 1 then
      delete from generations where id = generation;
    else
      update generations set lease_until = clock_timestamp() - interval '1 millisecond' where id = generation;
    end if;
  end if;
  return next;
end $$;
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
        content_fingerprint, chunks, question, choices, question_key, input_tokens, output_tokens, edited_by, edited_at,
        is_waiting, warmed)
      values (
        made.content_item_id, made.parent_id, made.message, made.message_hash, made.prompt_name, made.prompt_version,
        made.model, made.prompt_fingerprint, made.content_fingerprint,
        case when pin.id is null then the_chunks else jsonb_build_array(pin.answer) end,
        case when pin.id is null then the_question else pin.question end,
        case when pin.id is null then the_choices else pin.choices end,
        case when pin.id is null then the_key else pin.question_key end,
        tokens_in, tokens_out, pin.pinned_by, pin.pinned_at,
        pin.id is null and is_tutor_reviewed(made.content_item_id),
        exists (select from llm_calls where id = the_call and purpose = 'warm'))
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
-- Ends a warming, where it `has_ended`: `why` before all was done, null for what is done. Else another may go on with it.
create or replace function leave_warming(the_warming bigint, the_token uuid, has_ended boolean, why text) returns void
language sql as $$
  update warmings set
    state = case when not has_ended then state when why is null then 'done' else 'stopped' end, stop_reason = why,
    ended_at = case when has_ended then service_clock() end, lease_token = null, lease_until = null
  where id = the_warming and lease_token = the_token and state = 'running'
$$;
--> statement-breakpoint
-- The node at the end of a path under a warming's key. Null: there is none.
create or replace function node_at_path(job warmings, the_path jsonb) returns bigint language plpgsql stable as $$
declare
  node bigint;
  part text;
begin
  for part in select value from jsonb_array_elements_text(the_path) with ordinality as said (value, number) order by number loop
    select id into node from node_of(
      job.content_item_id, node, sha256_hex(part), job.prompt_name, job.prompt_version, job.model,
      job.prompt_fingerprint, job.content_fingerprint);
    if not found then return null; end if;
  end loop;
  return node;
end $$;
--> statement-breakpoint
-- Where three visits or more are expected below a key, as often as learners came there in the tree of before: of the
-- item's own trees under other keys the one that was used last, else that of what it was copied from. What stands under
-- the key already is left out; the rest comes level by level, the most visited first, at most so many. `answer_tokens` is
-- what the answer of before took.
create or replace function plan_warming(
  the_item integer, the_prompt text, the_version integer, the_model text, the_prompt_fingerprint text, the_key text,
  most integer
) returns table (path jsonb, level integer, expected bigint, answer_tokens numeric) language sql stable as $$
  with recursive source as (
    select root.id
    from (select the_item as id, 0 as copies union all select id, copies from origins_of(the_item)) as item
    join cache_nodes as root on root.content_item_id = item.id and coalesce(root.parent_id, 0) = 0
     and root.message_hash = sha256_hex('Start.')
    where visits_of_node(root.id) >= 3
      and (item.copies > 0 or (root.prompt_name, root.prompt_version, root.model, root.prompt_fingerprint,
                               root.content_fingerprint)
             is distinct from (the_prompt, the_version, the_model, the_prompt_fingerprint, the_key))
    order by item.copies, root.last_used_at desc, root.id desc limit 1
  ), former (id, path, level) as (
    select id, '["Start."]'::jsonb, 1 from source
    union all
    select child.id, former.path || to_jsonb(child.message), former.level + 1
    from former join cache_nodes as child on child.parent_id = former.id
    where former.level < 100
  ), stored (id, path) as (
    select id, '["Start."]'::jsonb
    from node_of(the_item, null, sha256_hex('Start.'), the_prompt, the_version, the_model, the_prompt_fingerprint, the_key)
    union all
    select child.id, stored.path || to_jsonb(child.message)
    from stored join cache_nodes as child on child.parent_id = stored.id
     and child.prompt_name = the_prompt and child.prompt_version = the_version and child.model = the_model
     and child.prompt_fingerprint = the_prompt_fingerprint and child.content_fingerprint = the_key
  )
  select former.path, former.level, sum(visits_of_node(former.id))::bigint,
         avg(coalesce(node.output_tokens, ceil(length(node.answer) / 4.0)))
  from former join cache_nodes as node using (id)
  where not exists (select from stored where stored.path = former.path)
  group by former.path, former.level
  having sum(visits_of_node(former.id)) >= 3
  order by former.level, 3 desc, former.path
  limit most
$$;
--> statement-breakpoint
-- A sign of life. False: it is someone else's by now, or gone.
create or replace function renew_warming(the_warming bigint, the_token uuid) returns boolean language plpgsql as $$
begin
  update warmings set lease_until = clock_timestamp() + warming_lease()
  where id = the_warming and lease_token = the_token and state = 'running';
  return found;
end $$;
--> statement-breakpoint
-- The same again, because the LLM failed. It is no question of budgets: a class may be waiting.
create or replace function repeat_call(the_generation bigint, former bigint) returns bigint language plpgsql as $$
declare
  made llm_calls;
begin
  insert into llm_calls (
    university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens, purpose, warming_id)
  select university_id, course_id, content_item_id, user_id, message_id, model, reserved_tokens, purpose, warming_id
  from llm_calls where id = former
  returning * into made;
  update generations set call_id = made.id where id = the_generation;
  insert into tutor_months as used (university_id, month, tokens)
  select made.university_id, tutor_month(), made.reserved_tokens where made.university_id is not null
  on conflict (university_id, month) do update set tokens = used.tokens + excluded.tokens;
  return made.id;
end;
$$;
--> statement-breakpoint
create or replace function restore_node(node cache_nodes) returns void language plpgsql as $$
begin
  insert into cache_nodes (
    id, content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
    content_fingerprint, former_fingerprint, origin_node_id, chunks, question, choices, question_key, input_tokens,
    output_tokens, visit_count, hit_count, last_used_at, created_at, edited_by, edited_at, is_waiting, warmed, children_kept, version)
  overriding system value
  select node.id, node.content_item_id, node.parent_id, node.message, node.message_hash, node.prompt_name,
         node.prompt_version, node.model, node.prompt_fingerprint, node.content_fingerprint, node.former_fingerprint,
         node.origin_node_id, node.chunks, node.question, node.choices, node.question_key, node.input_tokens,
         node.output_tokens,
         node.visit_count, node.hit_count, service_now(), node.created_at,
         (select id from users where id = node.edited_by), node.edited_at, coalesce(node.is_waiting, false), coalesce(node.warmed, false),
         node.children_kept, node.version
  where node.parent_id is null or exists (select from cache_nodes where id = node.parent_id)
  on conflict (content_item_id, coalesce(parent_id, 0), message_hash, prompt_name, prompt_version, model,
               prompt_fingerprint, content_fingerprint) do nothing;
  if found then perform give_up_making(node); end if;
end $$;
--> statement-breakpoint
-- Notes what became of an answer that was made for a warming: it is stored, or ended on no path. Answers the answer in the
-- making; null where it is gone, and whoever holds the warming asks for it again.
create or replace function settle_warm_node(the_node bigint, the_generation bigint) returns generations language plpgsql as $$
declare
  ended generations;
begin
  select * into ended from generations where id = the_generation;
  if ended.state = 'complete' then
    update warming_nodes set state = case when ended.stop is null then 'made' else 'failed' end
    where id = the_node and state = 'waiting';
  end if;
  return ended;
end $$;
--> statement-breakpoint
-- Takes the oldest warming that nobody works on. No row: there is none.
create or replace function take_warming(the_token uuid) returns setof warmings language sql as $$
  update warmings set
    state = 'running', lease_token = the_token, lease_until = clock_timestamp() + warming_lease(),
    started_at = coalesce(started_at, service_clock())
  where id = (
    select id from warmings
    where state in ('waiting', 'running') and coalesce(lease_until < clock_timestamp(), true)
    order by id limit 1 for update skip locked)
  returning *
$$;
--> statement-breakpoint
-- How often learners came to a node.
create or replace function visits_of_node(the_node bigint) returns bigint language sql stable as $$
  select visit_count + (select count(*) from cache_visits where node_id = the_node) from cache_nodes where id = the_node
$$;
--> statement-breakpoint
create or replace function warming_lease() returns interval language sql immutable as $$
  select interval '30 seconds'
$$;
--> statement-breakpoint
-- A warming as staff read it. Its calls are those that were begun for it, also by a process that was killed.
create or replace function warming_report(the_warming bigint) returns json language sql stable as $$
  select json_build_object(
    'id', one.id, 'content_item_id', one.content_item_id, 'state', one.state, 'stop_reason', one.stop_reason,
    'prompt_name', one.prompt_name, 'prompt_version', one.prompt_version, 'model', one.model,
    'most_nodes', one.most_nodes,
    'estimate', json_build_object('calls', nodes.planned, 'input_tokens', one.estimated_input_tokens,
                                  'output_tokens', one.estimated_output_tokens),
    'nodes', row_to_json(nodes), 'calls', made.calls, 'cost_micros', made.cost_micros,
    'created_at', one.created_at, 'started_at', one.started_at, 'ended_at', one.ended_at)
  from warmings as one
  cross join lateral (
    select count(*)::int as planned, count(*) filter (where state = 'waiting')::int as waiting,
           count(*) filter (where state = 'made')::int as made, count(*) filter (where state = 'found')::int as found,
           count(*) filter (where state = 'left_out')::int as left_out,
           count(*) filter (where state = 'failed')::int as failed
    from warming_nodes where warming_id = one.id
  ) as nodes
  cross join lateral (
    select count(*)::int as calls, sum(cost_micros)::float8 as cost_micros from llm_calls
    where content_item_id = one.content_item_id and warming_id = one.id
  ) as made
  where one.id = the_warming
$$;
--> statement-breakpoint
set local check_function_bodies = on;
