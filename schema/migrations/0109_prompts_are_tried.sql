set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "trial_cases" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "trial_cases_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"trial_id" bigint NOT NULL,
	"content_item_id" integer NOT NULL,
	"node_id" bigint NOT NULL,
	"visits" integer NOT NULL,
	"message" text NOT NULL,
	"exchanges" jsonb NOT NULL,
	"recorded" text NOT NULL,
	"recorded_question" jsonb,
	"recorded_key" jsonb,
	"recorded_checks" jsonb,
	"state" text DEFAULT 'waiting' NOT NULL,
	"reason" text,
	"leased_until" timestamp (3) with time zone,
	"token" uuid,
	"tries" integer DEFAULT 0 NOT NULL,
	"call_id" bigint,
	"reserved_micros" bigint DEFAULT 0 NOT NULL,
	"prompt_fingerprint" varchar(64),
	"answer" text,
	"question" jsonb,
	"key" jsonb,
	"stop" text,
	"checks" jsonb,
	"input_tokens" integer,
	"output_tokens" integer,
	"cost_micros" bigint,
	CONSTRAINT "trial_cases_state_check" CHECK ("trial_cases"."state" in ('waiting', 'running', 'answered', 'failed', 'skipped')),
	CONSTRAINT "trial_cases_reason_check" CHECK ("trial_cases"."reason" in ('limit', 'budget', 'stopped', 'prompt_changed', 'topic_gone', 'no_price', 'llm'))
);
--> statement-breakpoint
CREATE TABLE "trials" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "trials_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"course_id" integer NOT NULL,
	"prompt_name" varchar(255) NOT NULL,
	"version" integer NOT NULL,
	"against" integer NOT NULL,
	"prompt_fingerprint" varchar(64) NOT NULL,
	"against_fingerprint" varchar(64) NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'ready' NOT NULL,
	"model" varchar(255) NOT NULL,
	"limit_micros" bigint NOT NULL,
	"estimated_input_tokens" bigint NOT NULL,
	"estimated_output_tokens" bigint NOT NULL,
	"estimated_micros" bigint NOT NULL,
	"spent_micros" bigint DEFAULT 0 NOT NULL,
	"reserved_micros" bigint DEFAULT 0 NOT NULL,
	"lost_micros" bigint DEFAULT 0 NOT NULL,
	"created_by" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "trials_kind_check" CHECK ("trials"."kind" in ('step')),
	CONSTRAINT "trials_state_check" CHECK ("trials"."state" in ('ready', 'running', 'finished', 'stopped'))
);
--> statement-breakpoint
ALTER TABLE "llm_calls" DROP CONSTRAINT "llm_calls_purpose_check";
--> statement-breakpoint
ALTER TABLE "tutor_months" ADD COLUMN "trial_tokens" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_trial_id_trials_id_fk" FOREIGN KEY ("trial_id") REFERENCES "public"."trials"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_course_id_courses_id_fk" FOREIGN KEY ("course_id") REFERENCES "public"."courses"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "trial_cases_trial_id_id_index" ON "trial_cases" USING btree ("trial_id","id");
--> statement-breakpoint
CREATE INDEX "trial_cases_content_item_id_index" ON "trial_cases" USING btree ("content_item_id");
--> statement-breakpoint
CREATE INDEX "trial_cases_open_index" ON "trial_cases" USING btree ("trial_id","id") WHERE state in ('waiting', 'running');
--> statement-breakpoint
CREATE INDEX "trial_cases_running_index" ON "trial_cases" USING btree ("leased_until") WHERE state = 'running';
--> statement-breakpoint
CREATE INDEX "trials_course_id_index" ON "trials" USING btree ("course_id");
--> statement-breakpoint
CREATE INDEX "trials_prompt_name_version_id_index" ON "trials" USING btree ("prompt_name","version","id");
--> statement-breakpoint
CREATE INDEX "trials_created_by_index" ON "trials" USING btree ("created_by");
--> statement-breakpoint
CREATE INDEX "trials_running_index" ON "trials" USING btree ("id") WHERE state = 'running';
--> statement-breakpoint
ALTER TABLE "llm_calls" ADD CONSTRAINT "llm_calls_purpose_check" CHECK ("llm_calls"."purpose" in ('turn', 'warm', 'trial'));
--> statement-breakpoint
-- Begins the call of a case for whoever holds it: `call`, or why there is none. `reserve` are the most tokens and micros
-- that it may use; `most` the tokens of a university's month, null for no limit.
create or replace function begin_trial_call(
  the_case bigint, holder uuid, reserve bigint, micros bigint, most bigint, held_for interval,
  out call bigint, out refused_by text
) language plpgsql as $$
declare
  trial trials;
  held trial_cases;
  university integer;
begin
  select one.* into trial from trials as one join trial_cases on trial_cases.trial_id = one.id
  where trial_cases.id = the_case for no key update of one;
  select * into held from trial_cases
  where id = the_case and token = holder and state = 'running' and call_id is null for no key update;
  if not found then
    refused_by := 'lost';
    return;
  end if;
  select university_id into university from courses where id = trial.course_id;
  if trial.state <> 'running' then
    refused_by := 'stopped';
  elsif trial.spent_micros + trial.reserved_micros + trial.lost_micros + micros > trial.limit_micros then
    refused_by := 'limit';
  elsif not reserve_trial_tokens(university, reserve, most) then
    refused_by := 'budget';
  end if;
  if refused_by is not null then
    perform end_trial_case(the_case, holder, 'skipped', jsonb_build_object('reason', refused_by), null);
    return;
  end if;
  insert into llm_calls (university_id, course_id, content_item_id, model, reserved_tokens, purpose)
  values (university, trial.course_id, held.content_item_id, trial.model, reserve, 'trial')
  returning id into call;
  update trial_cases set call_id = call, reserved_micros = micros, leased_until = clock_timestamp() + held_for
  where id = the_case;
  update trials set reserved_micros = trials.reserved_micros + micros where id = trial.id;
end $$;
--> statement-breakpoint
-- Takes the next case for whoever calls the LLM, of the running trial with the fewest under way, unless so many are under
-- way already: those of all trials. No row: there is none to take.
create or replace function claim_trial_case(most integer, held_for interval) returns setof trial_cases language plpgsql as $$
declare
  taken trial_cases;
  trial bigint;
begin
  perform pg_advisory_xact_lock('trial_cases'::regclass::oid::int, 0);
  if most <= (select count(*) from trial_cases where state = 'running' and leased_until > clock_timestamp()) then
    return;
  end if;
  select one.id into trial from trials as one
  where one.state in ('running', 'stopped') and exists (
    select from trial_cases where trial_id = one.id and state in ('waiting', 'running')
      and coalesce(leased_until, '-infinity') <= clock_timestamp())
  order by (select count(*) from trial_cases
            where trial_id = one.id and state = 'running' and leased_until > clock_timestamp()), one.id
  limit 1;
  if trial is null then
    -- Its last case went with its topic.
    update trials as one set state = 'finished', ended_at = service_clock()
    where one.state = 'running' and not exists (
      select from trial_cases where trial_id = one.id and state in ('waiting', 'running'));
    return;
  end if;
  perform from trials where id = trial for no key update;
  select * into taken from trial_cases
  where trial_id = trial and state in ('waiting', 'running') and coalesce(leased_until, '-infinity') <= clock_timestamp()
  order by id limit 1 for no key update;
  if not found then return; end if;
  -- Its maker died: what its call used nobody told.
  perform expire_calls(array[taken.call_id]);
  update trials set reserved_micros = reserved_micros - taken.reserved_micros, lost_micros = lost_micros + taken.reserved_micros
  where id = trial;
  return query update trial_cases as one
    set state = 'running', tries = tries + 1, token = gen_random_uuid(), call_id = null, reserved_micros = 0,
        leased_until = clock_timestamp() + held_for
    where one.id = taken.id returning one.*;
end $$;
--> statement-breakpoint
-- Ends a call with what it used, as a JSON object: `input`, `output`, `cache_read`, `cache_write` in tokens, and `cost`
-- in micros. Asked again it changes nothing; one that was taken for lost, and has given back what it reserved, tells its
-- end after all.
create or replace function end_call(the_call bigint, how text, used jsonb) returns void language sql as $$
  with before as materialized (
    select id, case outcome when 'started' then reserved_tokens else 0 end as reserved_tokens
    from llm_calls
    where id = the_call and used is not null and (
      outcome = 'started'
      or outcome = 'lost' and input_tokens + output_tokens + cache_read_tokens + cache_write_tokens = 0
    ) for update
  ), ended as (
    update llm_calls as call
    set ended_at = service_clock(), outcome = how,
        input_tokens = coalesce((used ->> 'input')::int, 0), output_tokens = coalesce((used ->> 'output')::int, 0),
        cache_read_tokens = coalesce((used ->> 'cache_read')::int, 0),
        cache_write_tokens = coalesce((used ->> 'cache_write')::int, 0),
        cost_micros = (used ->> 'cost')::bigint
    from before where call.id = before.id
    returning call.university_id, date_trunc('month', call.started_at at time zone 'UTC')::date as month, call.purpose,
              call.input_tokens + call.output_tokens + call.cache_read_tokens + call.cache_write_tokens
                - before.reserved_tokens as tokens
  )
  update tutor_months as used
  set tokens = used.tokens + case ended.purpose when 'trial' then 0 else ended.tokens end,
      trial_tokens = used.trial_tokens + case ended.purpose when 'trial' then ended.tokens else 0 end
  from ended where used.university_id = ended.university_id and used.month = ended.month
$$;
--> statement-breakpoint
-- Ends a case for whoever holds it, once: `told` has what is to be kept of it by the names of its columns, `used` what its
-- call used (as in `end_call`), null where there was none. As `waiting` it is asked again in so many seconds
-- (`retry_in`). With its last case a running trial is finished. False: it is someone else's by now, or has ended.
create or replace function end_trial_case(the_case bigint, holder uuid, how text, told jsonb, used jsonb) returns boolean
language plpgsql as $$
declare
  held trial_cases;
begin
  perform from trials where id = (select trial_id from trial_cases where id = the_case) for no key update;
  select * into held from trial_cases where id = the_case and token = holder and state = 'running' for no key update;
  if not found then return false; end if;
  if held.call_id is not null then
    perform end_call(held.call_id, coalesce(told ->> 'outcome', 'complete'), used);
  end if;
  update trials set reserved_micros = reserved_micros - held.reserved_micros,
                    spent_micros = spent_micros + coalesce((used ->> 'cost')::bigint, 0)
  where id = held.trial_id;
  update trial_cases set
    state = how, reason = told ->> 'reason', token = null, call_id = case when how = 'waiting' then null else call_id end,
    reserved_micros = 0,
    leased_until = clock_timestamp() + make_interval(secs => (told ->> 'retry_in')::float8),
    prompt_fingerprint = told ->> 'prompt_fingerprint', answer = told ->> 'answer',
    question = nullif(told -> 'question', 'null'), key = nullif(told -> 'key', 'null'), stop = told ->> 'stop',
    checks = nullif(told -> 'checks', 'null'), recorded_checks = nullif(told -> 'recorded_checks', 'null'),
    input_tokens = (used ->> 'input')::int + (used ->> 'cache_read')::int + (used ->> 'cache_write')::int,
    output_tokens = (used ->> 'output')::int, cost_micros = coalesce(cost_micros, 0) + (used ->> 'cost')::bigint
  where id = the_case;
  update trials set state = 'finished', ended_at = service_clock()
  where id = held.trial_id and state = 'running' and not exists (
    select from trial_cases where trial_id = held.trial_id and state in ('waiting', 'running'));
  return true;
end $$;
--> statement-breakpoint
-- Takes calls for lost whose maker told no end, and gives back to their universities' months what they reserved; answers
-- how many. One that tells its end after all is counted then.
create or replace function expire_calls(the_calls bigint[]) returns integer language plpgsql as $$
declare
  counted integer;
begin
  with lost as (
    update llm_calls set outcome = 'lost', ended_at = service_clock()
    where id = any (the_calls) and outcome = 'started'
    returning university_id, date_trunc('month', started_at at time zone 'UTC')::date as month, reserved_tokens, purpose
  ), reserved as (
    select university_id, month, coalesce(sum(reserved_tokens) filter (where purpose <> 'trial'), 0) as tokens,
           coalesce(sum(reserved_tokens) filter (where purpose = 'trial'), 0) as trial_tokens
    from lost group by university_id, month
  ), given_back as (
    update tutor_months as used
    set tokens = used.tokens - reserved.tokens, trial_tokens = used.trial_tokens - reserved.trial_tokens
    from reserved where used.university_id = reserved.university_id and used.month = reserved.month
  )
  select count(*) into counted from lost;
  return counted;
end $$;
--> statement-breakpoint
-- Counts tokens of trials in a university's month before they are used, if no more than `most` are counted then.
create or replace function reserve_trial_tokens(the_university integer, reserve bigint, most bigint) returns boolean
language plpgsql as $$
begin
  if reserve > most then return false; end if;
  insert into tutor_months as used (university_id, month, tokens, trial_tokens)
  values (the_university, tutor_month(), 0, reserve)
  on conflict (university_id, month) do update set trial_tokens = used.trial_tokens + excluded.trial_tokens
    where used.trial_tokens + excluded.trial_tokens <= coalesce(most, used.trial_tokens + excluded.trial_tokens);
  return found;
end $$;
--> statement-breakpoint
-- Begins a trial that is ready, or ends one before its end: then what waits is not asked. No row: it is past that.
create or replace function start_trial(the_trial bigint) returns setof trials language sql as $$
  update trials set state = 'running', started_at = service_now() where id = the_trial and state = 'ready' returning *
$$;
--> statement-breakpoint
create or replace function stop_trial(the_trial bigint) returns setof trials language plpgsql as $$
declare
  stopped trials;
begin
  update trials set state = 'stopped', ended_at = service_now() where id = the_trial and state in ('ready', 'running')
  returning * into stopped;
  if not found then return; end if;
  update trial_cases set state = 'skipped', reason = 'stopped' where trial_id = the_trial and state = 'waiting';
  return next stopped;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
