set local check_function_bodies = off;
--> statement-breakpoint
drop view standing_facts;
--> statement-breakpoint
drop function answer_key(text,text,text,boolean);
--> statement-breakpoint
drop function begin_items_of_before(integer);
--> statement-breakpoint
drop function begin_warming(integer,integer,text,text,text,text,integer,integer,integer,jsonb,integer);
--> statement-breakpoint
drop function count_days();
--> statement-breakpoint
drop function known_answer(integer,bigint,text,text,text,integer,text,text,text,text,boolean);
--> statement-breakpoint
drop function move_node_to_key(bigint,text,text,boolean);
--> statement-breakpoint
drop function renew_keys(integer,text,text,text);
--> statement-breakpoint
ALTER TABLE "backfills" DISABLE ROW LEVEL SECURITY;
--> statement-breakpoint
DROP TABLE "backfills" CASCADE;
--> statement-breakpoint
DROP INDEX "cache_nodes_choices_index";
--> statement-breakpoint
ALTER TABLE "chat_sessions" ALTER COLUMN "item_fingerprint" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "chat_sessions" ALTER COLUMN "surroundings_fingerprint" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "cache_nodes" DROP COLUMN "former_fingerprint";
--> statement-breakpoint
ALTER TABLE "chat_sessions" DROP COLUMN "content_fingerprint";
--> statement-breakpoint
ALTER TABLE "identity_providers" DROP COLUMN "email_domains";
--> statement-breakpoint
ALTER TABLE "warmings" DROP COLUMN "former_fingerprint";
--> statement-breakpoint
-- The fingerprint that an answer is kept under: of what the tutor is told of the item, and where its prompt names what
-- stands around it, of that too.
create or replace function answer_key(item text, surroundings text, uses_surroundings boolean)
returns text language sql immutable as $$
  select case when uses_surroundings then sha256_hex(item || surroundings) else item end
$$;
--> statement-breakpoint
-- Begins a batch of a warming, for whoever holds that: a call for each of the nodes that is offered above and not stored, as far as
-- they fit into the month. Nobody waits for them: a class that comes there meanwhile makes its answer at once. No row: none is of use.
create or replace function begin_warm_batch(the_warming bigint, the_token uuid, the_nodes bigint[], budget jsonb)
returns table (batch bigint, node bigint, call bigint, exchanges json) language plpgsql as $$
#variable_conflict use_column
declare
  job warmings;
  step warming_nodes;
  parent bigint;
  way bigint[];
  said text;
  begun integer := 0;
begin
  select * into job from warmings
  where id = the_warming and lease_token = the_token and state = 'running' and lease_until > clock_timestamp();
  if not found then return; end if;
  insert into llm_batches (warming_id, state, sent_at) values (job.id, 'sending', clock_timestamp()) returning id into batch;
  for step in
    select * from warming_nodes where id = any (the_nodes) and state = 'waiting' and batch_id is null order by id
  loop
    said := step.path ->> -1;
    parent := null;
    way := '{}';
    if step.level > 1 then
      parent := node_at_path(job, step.path - -1);
      way := lock_path_shared(parent);
      continue when parent is null or parent <> all (way) or said like '@%' or not exists (
        select from cache_nodes as above, jsonb_each_text(above.choices) as choice
        where above.id = parent and choice.value = said);
    end if;
    continue when node_at_path(job, step.path) is not null or known_answer(
      job.content_item_id, parent, said, sha256_hex(said), job.prompt_name, job.prompt_version, job.model,
      job.prompt_fingerprint, job.content_fingerprint, true) is not null;
    exchanges := shared_path(way);
    call := begin_warm_call(null, job, budget || jsonb_build_object(
      'is_batch', true, 'reserve', (budget ->> 'reserve')::bigint + octet_length(exchanges::text) / 3));
    exit when call is null;
    update warming_nodes set batch_id = batch, call_id = call where id = step.id;
    node := step.id;
    begun := begun + 1;
    return next;
  end loop;
  update llm_batches set requests = begun, state = case begun when 0 then 'ended' else state end,
                         ended_at = case begun when 0 then clock_timestamp() end
  where id = batch;
end $$;
--> statement-breakpoint
-- Begins a warming, audited, with what it is expected to use: `system_tokens` is what a call is told beside the path. Levels of
-- `least_of_batch` answers or more go as batches; null for none. Answers its report; null where one of the item is under way.
create or replace function begin_warming(
  the_item integer, the_prompt integer, the_model text, the_prompt_fingerprint text, the_key text,
  most integer, system_tokens integer, editor integer, request jsonb, least_of_batch integer
) returns json language plpgsql as $$
declare
  begun warmings;
begin
  insert into warmings (
    content_item_id, prompt_id, prompt_name, prompt_version, model, prompt_fingerprint, content_fingerprint,
    most_nodes, by_batch)
  select the_item, id, name, version, the_model, the_prompt_fingerprint, the_key, most,
         least_of_batch is not null
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
    estimated_batch_input_tokens = sums.batch_input, estimated_batch_output_tokens = sums.batch_output,
    state = case sums.calls when 0 then 'done' else one.state end,
    ended_at = case sums.calls when 0 then service_clock() end
  from (
    select count(*) as calls, coalesce(round(sum(input)), 0) as input, coalesce(round(sum(output)), 0) as output,
           coalesce(round(sum(input) filter (where is_of_batch)), 0) as batch_input,
           coalesce(round(sum(output) filter (where is_of_batch)), 0) as batch_output
    from (
      -- Each call is told the answers above it.
      select system_tokens + (level - 1) * mean.tokens as input, answer_tokens as output,
             count(*) over (partition by level) >= least_of_batch as is_of_batch
      from planned cross join (select avg(answer_tokens) + 20 as tokens from planned) as mean
    ) as calls
  ) as sums
  where one.id = begun.id;
  perform audit_tree_change('tutor_answers.warmed', the_item, null, editor, request);
  return warming_report(begun.id);
end $$;
--> statement-breakpoint
-- Asks for the answer to an open message of a session: `is_shared` for everyone on the path below `the_parent`, else
-- for the session alone. Answered is one of:
-- - `answer_id`: the tree had it by now, and the exchange is stored;
-- - `path_gone`: what the message followed was purged or replaced: there is no such path, and the session leaves the
--   tree, unless the message answers what it was asked; or the answer there waits for staff to approve it;
-- - `generation`: the answer in the making to follow. Whoever `is_maker` also has to make it, from `context` and
--   `exchanges`: the path from the root, or the session's answered history. The `call` of the LLM has begun with that;
-- - `refused_by`: it would have to make it, and the budgets (llm-calls.sql) are used up, for `retry_after` seconds.
-- `the_move` is what the message was taken as, where it is one; `has_key` and `carried` are those of `open_turn`.
-- No row: the session is not open with that message any more.
create or replace function claim_answer(
  the_session bigint, the_token uuid, is_shared boolean, the_parent bigint, the_message text,
  the_prompt text, the_prompt_version integer, the_model text, the_prompt_fingerprint text, maker uuid,
  limit_seconds double precision, budget jsonb, uses_surroundings boolean default null,
  the_move text default null
) returns table (
  generation bigint, is_maker boolean, attempt integer, call bigint, path_gone boolean, context json, exchanges json,
  refused_by text, retry_after integer, answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb,
  has_key boolean, carried jsonb
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
  begun record;
begin
  if is_shared then
    -- Held, so that the path is neither purged nor replaced while the answer is claimed.
    path := lock_path_shared(the_parent);
    select * into session from chat_sessions where id = the_session and answering_token = the_token;
  else
    -- It is changed once below: what a transaction changes twice has its references checked, where the cursor stands
    -- among them, and no node is waited for from here on.
    select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
  end if;
  if session.id is null then return; end if;
  path_gone := false;
  is_maker := false;
  if uses_surroundings is null then
    select p.uses_surroundings into uses_surroundings
    from prompts as p where p.name = the_prompt and p.version = the_prompt_version;
  end if;
  key := answer_key(
    session.item_fingerprint, session.surroundings_fingerprint, coalesce(uses_surroundings, true));

  if is_shared and the_parent is not null then
    if the_parent <> all (path) or (session.cache_node_id is distinct from the_parent and not exists (
      select from cache_nodes where id = session.cache_node_id and parent_id = the_parent
    )) then
      path_gone := true;
      update chat_sessions set cache_state = 'diverged'
      where id = the_session and the_move is null and not was_offered(the_session, the_message);
      return next;
      return;
    end if;
  end if;

  -- Whoever ends an answer between two of these looks is seen at the next. Who finds it being made draws no id. One is
  -- begun with the number of its call: a row that its own transaction changes again has all its references checked again.
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
          prompt_name, prompt_version, model, move, token, lease_until, maker_until,
          call_id)
        select
          session.content_item_id, the_parent, the_message, hash, the_prompt_fingerprint, key,
          the_prompt, the_prompt_version, the_model, the_move, maker, least(alive_until, limited_until), limited_until,
          nextval('llm_calls_id_seq')
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
          the_prompt_fingerprint, key, true);
        select * into node from cache_nodes where id = known;
      end if;
      if found then
        if is_maker then delete from generations where id = generation; end if;
        if does_node_wait(node.id) then
          path_gone := true;
          generation := null;
          is_maker := false;
          return next;
          return;
        end if;
        -- Someone else who listens in this session may have closed its turn meanwhile.
        select * into session from chat_sessions where id = the_session and answering_token = the_token for update;
        if session.id is null then return; end if;
        meta := jsonb_build_object(
          'source', 'cache', 'model', the_model, 'prompt_name', the_prompt, 'prompt_version', the_prompt_version,
          'latency_ms', milliseconds_since(session.answering_since), 'cache_node_id', node.id);
        if the_move is not null then
          meta := meta || jsonb_build_object('move', the_move);
          carried := node.question;
        end if;
        select stored.id, stored.created_at into answer_id, answered_at
        from store_answer(session.id, session.answering_message_id, node.chunks, meta, true, node.id, true) as stored;
        chunks := node.chunks;
        has_key := node.question_key is not null;
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
      -- One that has ended already was not stored with its question yet, and is listened to.
      with known as materialized (
        select made.id, made.state = 'complete' as has_ended,
               made.state = 'writing' and made.lease_until < clock_timestamp() as has_lapsed
        from generations as made
        where made.question_id = session.answering_message_id and made.state in ('writing', 'complete')
      ), taken_over as (
        update generations as made set
          token = maker, attempt = made.attempt + 1, lease_until = least(alive_until, limited_until),
          maker_until = limited_until, failures = failures_to_count(made)
        from known
        where known.has_lapsed and made.id = known.id and made.state = 'writing' and made.lease_until < clock_timestamp()
          and not exists (select from known where has_ended)
        returning made.id, made.attempt, made.stop_requested
      ), begun as (
        insert into generations as made (
          content_item_id, session_id, question_id, prompt_fingerprint, content_fingerprint,
          prompt_name, prompt_version, model, move, token, lease_until, maker_until,
          call_id)
        select
          session.content_item_id, session.id, session.answering_message_id, the_prompt_fingerprint, key, the_prompt,
          the_prompt_version, the_model, the_move, maker,
          least(alive_until, limited_until), limited_until,
          nextval('llm_calls_id_seq')
        where not exists (select from known)
        on conflict (question_id) where state = 'writing'
        do update set token = maker, attempt = made.attempt + 1, lease_until = excluded.lease_until,
                      maker_until = excluded.maker_until, failures = failures_to_count(made)
          where made.lease_until < clock_timestamp()
        returning made.id, made.attempt, made.stop_requested
      )
      select mine.id, mine.attempt, mine.stop_requested into generation, attempt, stopping
      from (
        select * from taken_over union all select * from begun
        union all select id, null, null from known where has_ended
      ) as mine;
      is_maker := attempt is not null;
      exit when found;
      select made.id into generation from generations as made
      where made.question_id = session.answering_message_id and made.state = 'writing';
    end if;
    exit when found;
  end loop;
  if generation is null then return; end if;
  if is_shared or not is_maker then
    update chat_sessions set answering_generation_id = generation
    where id = the_session and answering_token = the_token;
  end if;

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
    if attempt > 1 then delete from generation_pieces where generation_id = generation; end if;
    context := case when session.content_context ? 'file_texts'
                    then with_file_texts(session.content_context, (budget ->> 'material')::integer)
                    else session.content_context end;
    exchanges := case when is_shared then shared_path(path)
                      else answered_history(session.id, session.answering_message_id) end;
    begun := begin_call(generation, the_session, session.answering_message_id, the_model,
      budget || jsonb_build_object('reserve',
        (budget ->> 'reserve')::bigint + most_tokens(context, exchanges, (budget ->> 'material')::int)
        + coalesce(octet_length(session.tutor_context::text), 0) / 3));
    call := begun.call;
    refused_by := begun.refused_by;
    retry_after := begun.retry_after;
    if session.tutor_context is not null then
      context := context::jsonb || jsonb_build_object('tutor', session.tutor_context);
    end if;
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
      job.prompt_fingerprint, job.content_fingerprint, true);
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
-- Finds what the key misses, and keeps it under the key from here on; answers its node, held. Null: it is not known, or,
-- unless it `waits`, someone is just writing there. Whoever waits holds the path.
create or replace function known_answer(
  the_item integer, the_parent bigint, the_message text, the_hash text, the_prompt text, the_version integer,
  the_model text, the_prompt_fingerprint text, the_key text, waits boolean
) returns bigint language plpgsql as $$
declare
  node bigint;
begin
  if not lock_answer_key(
    concat_ws(' ', the_item, coalesce(the_parent, 0), the_hash, the_prompt, the_version, the_model), waits) then
    return null;
  end if;
  node := coalesce(
    (select id from node_of(
       the_item, the_parent, the_hash, the_prompt, the_version, the_model, the_prompt_fingerprint, the_key)),
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
-- in private, and the session stays in the tree: the service says whether one `is_offered`, as it alone compares. While it
-- is null and there is something to compare with, nothing is done, for 'what was asked'.
--
-- `the_move` is the name of a message that is called like a move (tutor-moves.sql), which `move` says what it was taken as.
-- `has_key` says whether the answer's question has a key, and `carried` is the question of one that answers a move.
--
-- The token reaches the whole account, or `the_reach`, a university, of which a launch reaches `the_course` alone
-- (token-reach.sql); `the_sign_in` is when it was signed in by, in seconds since 1970.
--
-- No row: there is no such person, or the token has ended. `refusal` says why nothing was done: 'inactive person', 'no
-- such session', 'not theirs', 'out of reach', 'own provider', 'inactive university', one of `item_access` (outline.sql), 'under exam',
-- 'sent before' (with the message, and its answer if it has one), 'closed' (an aside to new words), 'being answered', 'answered' (by the time it was taken
-- up again), 'another time zone', when `today` is not the day in their zone, 'no such move', or 'what was asked', with the `questions`.
create or replace function open_turn(
  the_session bigint, the_person integer, the_version integer, the_content text, the_message text,
  the_client_id text, the_question bigint, the_token uuid, default_model text, allowed_models text[], tutor_prompt text,
  deepest integer, the_zone text, today date, moment timestamptz, the_reach integer, the_loose_message text,
  is_offered boolean default null, the_move text default null, the_course integer default null,
  the_sign_in bigint default null
) returns table (
  refusal text, time_zone text, message_id bigint,
  -- Of an answer that is there.
  answer_id bigint, answered_at timestamptz, meta jsonb, chunks jsonb, has_key boolean, carried jsonb,
  -- Of a turn that is still to be answered: by the answer that is just being made, or by one that is to be claimed.
  token uuid, content text, shared boolean, parent_id bigint, message text, model text, university_id integer,
  generation bigint, graph json, questions jsonb, move text,
  -- Whether the message was a step, and `right` or `wrong` (tutor-steps.sql).
  step text
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
  candidate record;
  hash text;
  key text;
  node bigint;
  answer text;
  question jsonb;
  reached record;
  has_asked_key boolean;
begin
  -- Many small statements, of which each turn runs those that it needs: what a statement costs here is hardly what it
  -- finds, but how much it is made of. What is read after the lock is what the message before this one left.
  select s.id, s.content_item_id, s.item_fingerprint, s.surroundings_fingerprint, s.cache_node_id,
         s.cache_state, s.prompt_id, s.rollout_id, s.rollout_arm, s.answering_message_id, s.answering_generation_id, s.answering_token, s.answering_until, s.closed_at
  into session
  from chat_sessions as s where s.id = the_session and s.user_id = the_person for update;
  select person.is_active, person.time_zone, person.last_activity_date into active, time_zone, last_active
  from users as person
  where person.id = the_person and person.erased_at is null
    and (person.token_version = the_version or not person.is_active)
    and not (the_reach is not null and has_token_ended(the_reach, the_person, the_sign_in));
  if not found then return; end if;

  if not active then
    refusal := 'inactive person';
  elsif session.id is null then
    select case when count(*) = 0 then 'no such session' else 'not theirs' end into refusal
    from chat_sessions where id = the_session;
  else
    select item.course_id, item.university_id, university.is_active, course.cache_enabled, course.llm_model, type.name as type, item.tutor_mode,
           module_access(item.module_id, the_person, moment, item.is_active, item.available_from, the_item => session.content_item_id) as gate,
           member.is_active is false as is_suspended,
           university.requires_own_provider and the_reach is null and not exists (
             select from user_university_roles where user_id = the_person and role = 'platform_admin'
           ) as needs_own_provider,
           exists (select from exams_that_silence(the_person, item.course_id, moment)) as is_silenced,
           (select mine.course_offering_id from current_offerings as mine
            where mine.user_id = the_person and mine.course_id = item.course_id) as offering
    into topic
    from content_items as item
    join content_types as type on type.id = item.content_type_id
    join courses as course on course.id = item.course_id
    join universities as university on university.id = item.university_id
    left join university_members as member on member.university_id = item.university_id and member.user_id = the_person
    where item.id = session.content_item_id;
    refusal := case
      when the_reach <> topic.university_id or the_course <> topic.course_id then 'out of reach'
      when topic.is_suspended then 'inactive person'
      when topic.needs_own_provider then 'own provider'
      when not topic.is_active then 'inactive university'
      when topic.gate is not null then topic.gate
      when topic.is_silenced then 'under exam'
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
    select reply.id, reply.created_at, reply.meta, coalesce(replayed.chunks, jsonb_build_array(reply.content)),
           coalesce(reply.question_key, replayed.question_key) is not null,
           case when reply.meta ? 'move' then reply.question end
    into answer_id, answered_at, meta, chunks, has_key, carried
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
  elsif the_move is not null then
    select taken.refusal, taken.message, taken.parent_id, taken.move, taken.questions, taken.has_key
    into refusal, message, parent_id, move, questions, has_key
    from take_move(
      the_session, case when topic.cache_enabled and session.cache_state = 'tracking' then session.cache_node_id end,
      the_move, the_message, the_loose_message, the_question, is_offered) as taken;
    if refusal is not null then
      return next;
      return;
    end if;
  elsif the_message is not null and session.cache_node_id is not null then
    select case when again then stands.message
                when stands.choices is null then the_message
                else coalesce(stands.choices ->> the_message, stands.choices ->> the_loose_message) end,
           case when again then stands.parent_id else stands.id end, stands.question_key is not null
    into message, parent_id, has_asked_key
    from cache_nodes as stands
    left join cache_nodes as stood on stood.id = stands.parent_id
    cross join lateral (
      select coalesce(
        stands.message = coalesce(stood.choices ->> the_message, stood.choices ->> the_loose_message, the_message)
        and not coalesce(stands.choices ? the_message or stands.choices ? the_loose_message, false), false)
    ) as said (again)
    where stands.id = session.cache_node_id;
  elsif the_message is not null and topic.cache_enabled and session.cache_state = 'tracking' and is_offered is null then
    questions := questions_asked(the_session);
    if questions is not null then
      refusal := 'what was asked';
      return next;
      return;
    end if;
  end if;
  shared := message is not null and topic.cache_enabled and session.cache_state = 'tracking';
  university_id := topic.university_id;
  if session.prompt_id is null then
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from tutor_prompt_of(topic.type, tutor_prompt) as prompt;
    -- For as long as its rollout runs: when that has ended the conversation goes on with what teaches all others.
    if session.rollout_arm = 'candidate' then
      select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
      into candidate from prompt_rollouts as running join prompts as prompt on prompt.id = running.candidate_id
      where running.id = session.rollout_id and running.state = 'running' and running.base_id = tutor.id;
      if found then tutor := candidate; end if;
    end if;
  else
    select prompt.id, prompt.name, prompt.version, prompt.plain_fingerprint, prompt.uses_surroundings, prompt.config
    into tutor from prompts as prompt where prompt.id = session.prompt_id;
  end if;
  model := tutor_model(topic.llm_model, tutor.config, allowed_models, default_model);

  if shared then
    hash := sha256_hex(message);
    key := answer_key(session.item_fingerprint, session.surroundings_fingerprint, tutor.uses_surroundings);
    select n.id, n.chunks, n.answer, n.question, n.question_key is not null into node, chunks, answer, question, has_key
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
          tutor.plain_fingerprint, key, false);
        if node is not null then
          select n.chunks, n.answer, n.question, n.question_key is not null into chunks, answer, question, has_key
          from cache_nodes as n where n.id = node;
        end if;
      end if;
    end if;
    -- What waits for staff to approve it is told to nobody: who comes there meanwhile is answered in private.
    if node is not null and topic.tutor_mode = 'reviewed' and does_node_wait(node) then
      node := null;
      chunks := null;
      shared := false;
    end if;
  end if;

  if the_question is null then
    -- An assignment of what a function answers is no statement of its own, as `perform` is.
    last_active := record_activity(the_person, 'asked', 'content_item', session.content_item_id, topic.university_id,
      session.content_item_id, topic.offering, moment, today, last_active);
    -- What a class shares answers the node under the cursor, whose question may have no key.
    if not shared or has_asked_key is not false then
      step := record_step(
        the_session, the_person, session.content_item_id, topic.offering, the_message, the_loose_message);
    end if;
    message_id := nextval('chat_messages_id_seq');
  end if;
  if node is not null then
    answer_id := nextval('chat_messages_id_seq');
    answered_at := service_now();
    meta := jsonb_build_object(
      'source', 'cache', 'model', model, 'prompt_name', tutor.name, 'prompt_version', tutor.version,
      'latency_ms', milliseconds_since(statement_timestamp()), 'cache_node_id', node);
    if move is not null then
      meta := meta || jsonb_build_object('move', move);
      carried := question;
    end if;
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
    if session.answering_message_id = the_question then
      token := (
        select case when not exists (
          select from generations as g where g.id = session.answering_generation_id and g.state = 'failed')
          then session.answering_token else the_token end);
    end if;
    -- What is on no path leaves the tree where answers are shared at all, unless it was asked before that path went; free
    -- text does in any case.
    with asked as (
      insert into chat_messages (id, session_id, role, content, client_message_id)
      overriding system value
      select open_turn.message_id, the_session, 'user', the_content, the_client_id where the_question is null
    )
    update chat_sessions as s
    set cache_state = case when the_message is null or (topic.cache_enabled and message is null and is_offered is not true)
                           then 'diverged'
                           else s.cache_state end,
        answering_since = case when s.answering_message_id = open_turn.message_id and s.answering_until > now()
                               then s.answering_since else now() end,
        answering_generation_id = coalesce(
          generation, case when s.answering_message_id = open_turn.message_id then s.answering_generation_id end),
        answering_message_id = open_turn.message_id, answering_token = token,
        answering_until = now() + listener_lease()
    where s.id = the_session;
    if generation is null and tutor.id is not null then
      reached := reached_prompts(array[tutor.id], 0, deepest);
      graph := json_build_object(
        'root', tutor.id, 'config', tutor.config, 'prompts', reached.prompts, 'links', reached.links);
    end if;
  end if;
  return next;
end;
$$;
--> statement-breakpoint
create or replace function restore_node(node cache_nodes) returns void language plpgsql as $$
begin
  insert into cache_nodes (
    id, content_item_id, parent_id, message, message_hash, prompt_name, prompt_version, model, prompt_fingerprint,
    content_fingerprint, origin_node_id, chunks, question, choices, question_key, input_tokens,
    output_tokens, visit_count, hit_count, last_used_at, created_at, edited_by, edited_at, is_waiting, warmed, children_kept, version)
  overriding system value
  select node.id, node.content_item_id, node.parent_id, node.message, node.message_hash, node.prompt_name,
         node.prompt_version, node.model, node.prompt_fingerprint, node.content_fingerprint,
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
drop view learning_facts;
--> statement-breakpoint
-- Topics that were completed say since when they had been begun.
create or replace view learning_facts (user_id, measure, course_id, moment, since, amount) as
  select id, 'signups', null::int, created_at, null::timestamptz, 1::numeric from users
  union all
  select mine.user_id, 'drops', run.course_id, mine.dropped_at, null, 1::numeric
  from enrollments as mine left join course_offerings as run on run.id = mine.course_offering_id
  union all
  select mine.user_id, 'topics_started', run.course_id, mine.first_started_at, null, 1::numeric
  from user_content_progress as mine left join course_offerings as run on run.id = mine.course_offering_id
  union all
  select mine.user_id, 'topics_completed', run.course_id, mine.completed_at, mine.first_started_at, 1::numeric
  from user_content_progress as mine left join course_offerings as run on run.id = mine.course_offering_id;
--> statement-breakpoint
set local check_function_bodies = on;
