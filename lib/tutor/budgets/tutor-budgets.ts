import { type SQL, sql } from "drizzle-orm";
import { TutorBudget, type TutorLimits } from "../../../schema/api/tutor/tutor-budgets.ts";
import { tutorBudgets } from "../../../schema/db/tutor/llm-calls.ts";
import { notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import {
  ensureAllowedInUniversity,
  rethrowMissingUniversityAsNotFound,
} from "../../identity/universities/universities.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { platformTutorLimits, type TutorLimitSettings } from "./limits.ts";

/** 403 unless administrator, 404 if there is none. */
export async function getTutorBudget(
  db: ReadDb,
  actor: Actor,
  universityId: number,
  settings: TutorLimitSettings,
): Promise<TutorBudget> {
  await ensureAllowedInUniversity(db, actor, "tutor-budget:read", universityId);
  return read(db, universityId, settings);
}

/** A university's own limits apply if lower than the platform's. */
export async function setUniversityOwnLimits(
  db: Db,
  actor: Actor,
  universityId: number,
  limits: TutorLimits,
  settings: TutorLimitSettings,
): Promise<TutorBudget> {
  await ensureAllowedInUniversity(db, actor, "tutor-budget:write", universityId);
  const { turns_per_day, turns_at_once, tokens_per_month } = limits;
  const own = {
    own_turns_per_day: turns_per_day,
    own_turns_at_once: turns_at_once,
    own_tokens_per_month: tokens_per_month,
  };
  return write(db, universityId, own, settings);
}

/** The platform's limits for a university; 404 if there is none. */
export function setPlatformLimitsForUniversity(
  db: Db,
  universityId: number,
  limits: TutorLimits,
  settings: TutorLimitSettings,
): Promise<TutorBudget> {
  const { turns_per_day, turns_at_once, tokens_per_month } = limits;
  const granted = {
    granted_turns_per_day: turns_per_day,
    granted_turns_at_once: turns_at_once,
    granted_tokens_per_month: tokens_per_month,
  };
  return write(db, universityId, granted, settings);
}

const ofUniversity = {
  university_id: tutorBudgets.university_id,
  budget: sql`tutor_budgets`.as("budget"),
};

function write(
  db: Db,
  university_id: number,
  limits: Omit<typeof tutorBudgets.$inferInsert, "university_id">,
  settings: TutorLimitSettings,
): Promise<TutorBudget> {
  const written = db
    .insert(tutorBudgets)
    .values({ university_id, ...limits })
    .onConflictDoUpdate({ target: tutorBudgets.university_id, set: limits })
    .returning(ofUniversity);
  return answer(db, written.getSQL(), settings).catch(rethrowMissingUniversityAsNotFound);
}

const read = (db: ReadDb, universityId: number, settings: TutorLimitSettings): Promise<TutorBudget> =>
  answer(
    db,
    sql`select universities.id as university_id, tutor_budgets as budget
        from universities left join tutor_budgets on tutor_budgets.university_id = universities.id
        where universities.id = ${universityId}`,
    settings,
  );

/** `statement` returns a university with its `tutor_budgets`. */
async function answer(db: ReadDb, statement: SQL, settings: TutorLimitSettings): Promise<TutorBudget> {
  const [budget] = await rowsOf(
    db,
    TutorBudget,
    sql`
      with one as (${statement})
      select json_build_object('turns_per_day', (budget).granted_turns_per_day,
               'turns_at_once', (budget).granted_turns_at_once,
               'tokens_per_month', (budget).granted_tokens_per_month) as granted,
             json_build_object('turns_per_day', (budget).own_turns_per_day,
               'turns_at_once', (budget).own_turns_at_once,
               'tokens_per_month', (budget).own_tokens_per_month) as own,
             (select row_to_json(limits)
              from effective_tutor_limits(budget, ${JSON.stringify(platformTutorLimits(settings))}::jsonb) as limits) as in_force,
             coalesce((select tokens from tutor_months
               where tutor_months.university_id = one.university_id and month = current_budget_month()), 0)::float8
               as tokens_this_month
      from one`,
  );
  if (!budget) throw notFound("University");
  return budget;
}
