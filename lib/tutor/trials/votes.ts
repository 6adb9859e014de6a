import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  type TrialCasePath,
  TrialCaseVotes,
  type TrialVotes,
  type TrialVoteWrite,
} from "../../../schema/api/tutor/trials.ts";
import { badRequest, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { editableTrialWithIdCondition } from "./editable-trials.ts";

export const trialVotesJsonSql = (caseId: SQL, actor: Actor): SQL => sql`(
  select json_build_object(
    'candidate', count(*) filter (where vote = 'candidate'), 'recorded', count(*) filter (where vote = 'recorded'),
    'tie', count(*) filter (where vote = 'tie'), 'own', upper(max(vote) filter (where user_id = ${actor.id})))
  from trial_votes where case_id = ${caseId})`;

const Voted = z.object({ votes: TrialCaseVotes });

/**
 * Each person has one vote; a new one replaces it. Every reader may vote. 404 without the pair, 400 if an
 * answer is missing.
 */
export async function voteOnTrialCase(
  db: Db,
  actor: Actor,
  path: TrialCasePath,
  { vote }: TrialVoteWrite,
): Promise<TrialVotes> {
  const [voted] = await rowsOf(
    db,
    Voted,
    sql`
    with voted as (
      insert into trial_votes (case_id, user_id, vote)
      select one.id, ${actor.id}, ${vote.toLowerCase()}
      from trial_cases as one join trials as trial on trial.id = one.trial_id
      where one.id = ${path.case_id} and ${editableTrialWithIdCondition(actor, path)} and one.answer is not null and one.recorded is not null
      on conflict (case_id, user_id) do update set vote = excluded.vote, voted_at = service_now()
      returning case_id, vote
    ), counted as (
      select vote from voted
      union all
      select vote from trial_votes where case_id = (select case_id from voted) and user_id <> ${actor.id}
    )
    select json_build_object(
      'candidate', count(*) filter (where vote = 'candidate'), 'recorded', count(*) filter (where vote = 'recorded'),
      'tie', count(*) filter (where vote = 'tie'), 'own', ${vote}::text) as votes
    from counted having count(*) > 0`,
  );
  if (voted) return voted.votes;
  if ((await rowsOf(db, CaseId, caseAt(actor, path))).length === 0) throw notFound("Case");
  throw badRequest("case_without_pair");
}

/** 404 without the case. */
export async function takeBackVote(db: Db, actor: Actor, path: TrialCasePath): Promise<void> {
  const found = await rowsOf(
    db,
    CaseId,
    sql`
    with found as materialized (${caseAt(actor, path)}), gone as (
      delete from trial_votes where user_id = ${actor.id} and case_id in (select id from found)
    )
    select id from found`,
  );
  if (found.length === 0) throw notFound("Case");
}

const CaseId = z.object({ id: z.int() });

const caseAt = (actor: Actor, path: TrialCasePath): SQL => sql`
  select one.id from trial_cases as one join trials as trial on trial.id = one.trial_id
  where one.id = ${path.case_id} and ${editableTrialWithIdCondition(actor, path)}`;
