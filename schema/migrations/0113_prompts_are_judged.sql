set local check_function_bodies = off;
--> statement-breakpoint
CREATE TABLE "trial_votes" (
	"case_id" bigint NOT NULL,
	"user_id" integer NOT NULL,
	"vote" text NOT NULL,
	"voted_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "trial_votes_case_id_user_id_pk" PRIMARY KEY("case_id","user_id"),
	CONSTRAINT "trial_votes_vote_check" CHECK ("trial_votes"."vote" in ('candidate', 'recorded', 'tie'))
);
--> statement-breakpoint
ALTER TABLE "trials" DROP CONSTRAINT "trials_kind_check";
--> statement-breakpoint
ALTER TABLE "trial_cases" ALTER COLUMN "node_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "trial_cases" ALTER COLUMN "recorded" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "attack" jsonb;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "persona" text;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "stage" text DEFAULT 'answer' NOT NULL;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "judged" jsonb;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "verdict" text;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "unjudged_reason" text;
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD COLUMN "judge_micros" bigint;
--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "judge_model" varchar(255);
--> statement-breakpoint
ALTER TABLE "trial_votes" ADD CONSTRAINT "trial_votes_case_id_trial_cases_id_fk" FOREIGN KEY ("case_id") REFERENCES "public"."trial_cases"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "trial_votes" ADD CONSTRAINT "trial_votes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "trial_votes_user_id_index" ON "trial_votes" USING btree ("user_id");
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_stage_check" CHECK ("trial_cases"."stage" in ('answer', 'judge', 'judge_swapped'));
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_persona_check" CHECK ("trial_cases"."persona" in ('sure', 'mistaken', 'hint_seeking', 'lost', 'talkative'));
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_verdict_check" CHECK ("trial_cases"."verdict" in ('candidate', 'recorded', 'tie'));
--> statement-breakpoint
ALTER TABLE "trial_cases" ADD CONSTRAINT "trial_cases_unjudged_reason_check" CHECK ("trial_cases"."unjudged_reason" in ('failed_checks', 'unreadable', 'limit', 'budget', 'stopped', 'topic_gone', 'no_price', 'llm'));
--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_kind_check" CHECK ("trials"."kind" in ('step', 'free', 'leak'));
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
  values (university, trial.course_id, held.content_item_id,
          case held.stage when 'answer' then trial.model else trial.judge_model end, reserve, 'trial')
  returning id into call;
  update trial_cases set call_id = call, reserved_micros = micros, leased_until = clock_timestamp() + held_for
  where id = the_case;
  update trials set reserved_micros = trials.reserved_micros + micros where id = trial.id;
end $$;
--> statement-breakpoint
-- Deletes what is a person's own but their conversations, and empties what stays for its figures.
create or replace function delete_belongings(person integer) returns void language plpgsql as $$
begin
  perform erase_files(person, service_now());
  delete from lab_submissions where user_id = person and status <> 'graded';
  delete from certificates where user_id = person;
  update course_reviews set review_text = null where user_id = person and review_text is not null;
  update llm_calls set user_id = null where user_id = person;
  -- With their roles.
  delete from university_members where user_id = person;
  delete from course_offering_instructors where user_id = person;
  delete from course_exemptions where user_id = person;
  delete from quiz_overrides where user_id = person;
  delete from invitations where accepted_by_user_id = person;
  delete from import_rows where user_id = person;
  delete from sourced_people where user_id = person;
  delete from user_identities where user_id = person;
  delete from user_profiles where user_id = person;
  delete from user_subject_preferences where user_id = person;
  delete from one_time_tokens where user_id = person;
  delete from mail_outbox where user_id = person;
  delete from calendar_addresses where user_id = person;
  delete from notifications where user_id = person;
  delete from notification_preferences where user_id = person;
  delete from announcement_reads where user_id = person;
  delete from trial_votes where user_id = person;
  delete from discussion_reports where user_id = person;
  delete from feature_requests where user_id = person;
  delete from notes where user_id = person;
  delete from flashcards where user_id = person;
  delete from flashcard_decks where user_id = person;
end $$;
--> statement-breakpoint
-- Ends what someone was asking for a case, once: `told` has what is to be kept of it by the names of its columns, `used`
-- what its call used (as in `end_call`), null where there was none. As `waiting` it is asked again in so many seconds
-- (`retry_in`), or asked what comes next (`next_stage`). Once there is an answer it stands, whatever comes of judging it.
-- With its last case a running trial is finished. False: it is someone else's by now, or has ended.
create or replace function end_trial_case(the_case bigint, holder uuid, how text, told jsonb, used jsonb) returns boolean
language plpgsql as $$
declare
  held trial_cases;
  judging boolean;
begin
  perform from trials where id = (select trial_id from trial_cases where id = the_case) for no key update;
  select * into held from trial_cases where id = the_case and token = holder and state = 'running' for no key update;
  if not found then return false; end if;
  judging := held.stage <> 'answer';
  if held.call_id is not null then
    perform end_call(held.call_id, coalesce(told ->> 'outcome', 'complete'), used);
  end if;
  update trials set reserved_micros = reserved_micros - held.reserved_micros,
                    spent_micros = spent_micros + coalesce((used ->> 'cost')::bigint, 0)
  where id = held.trial_id;
  update trial_cases set
    state = case when judging and how <> 'waiting' then 'answered' else how end,
    reason = case when not judging then told ->> 'reason' end,
    unjudged_reason = coalesce(told ->> 'unjudged_reason', case when judging then told ->> 'reason' end),
    stage = coalesce(told ->> 'next_stage', stage), tries = case when told ? 'next_stage' then 0 else tries end,
    token = null, call_id = case when how = 'waiting' then null else call_id end, reserved_micros = 0,
    leased_until = clock_timestamp() + make_interval(secs => (told ->> 'retry_in')::float8),
    message = coalesce(told ->> 'message', message), exchanges = coalesce(told -> 'exchanges', exchanges),
    prompt_fingerprint = coalesce(told ->> 'prompt_fingerprint', prompt_fingerprint),
    answer = coalesce(told ->> 'answer', answer),
    question = case when told ? 'answer' then nullif(told -> 'question', 'null') else question end,
    key = case when told ? 'answer' then nullif(told -> 'key', 'null') else key end,
    stop = case when told ? 'answer' then told ->> 'stop' else stop end,
    checks = coalesce(nullif(told -> 'checks', 'null'), checks),
    recorded_checks = coalesce(nullif(told -> 'recorded_checks', 'null'), recorded_checks),
    judged = coalesce(nullif(told -> 'judged', 'null'), judged), verdict = coalesce(told ->> 'verdict', verdict)
  where id = the_case;
  if used is not null and judging then
    update trial_cases set judge_micros = coalesce(judge_micros, 0) + (used ->> 'cost')::bigint where id = the_case;
  elsif used is not null then
    update trial_cases set
      input_tokens = coalesce(input_tokens, 0)
        + (used ->> 'input')::int + (used ->> 'cache_read')::int + (used ->> 'cache_write')::int,
      output_tokens = coalesce(output_tokens, 0) + (used ->> 'output')::int,
      cost_micros = coalesce(cost_micros, 0) + (used ->> 'cost')::bigint
    where id = the_case;
  end if;
  update trials set state = 'finished', ended_at = service_clock()
  where id = held.trial_id and state = 'running' and not exists (
    select from trial_cases where trial_id = held.trial_id and state in ('waiting', 'running'));
  return true;
end $$;
--> statement-breakpoint
create or replace function stop_trial(the_trial bigint) returns setof trials language plpgsql as $$
declare
  stopped trials;
begin
  update trials set state = 'stopped', ended_at = service_now() where id = the_trial and state in ('ready', 'running')
  returning * into stopped;
  if not found then return; end if;
  update trial_cases set
    state = case stage when 'answer' then 'skipped' else 'answered' end,
    reason = case stage when 'answer' then 'stopped' end,
    unjudged_reason = case when stage <> 'answer' then 'stopped' end
  where trial_id = the_trial and state = 'waiting';
  return next stopped;
end $$;
--> statement-breakpoint
set local check_function_bodies = on;
