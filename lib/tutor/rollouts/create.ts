import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { Rollout, type RolloutCreate } from "../../../schema/api/tutor/rollouts.ts";
import { trialKinds } from "../../../schema/enums.ts";
import type { Config } from "../../config.ts";
import { badRequest, conflict, forbidden, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { requestAuditJson } from "../../platform/async/request-context.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";
import { maxPromptReferenceDepth, PromptGraph } from "../prompts/inline.ts";
import { labelsProtectedFromActor } from "../prompts/labels.ts";
import { translatePromptRefusal } from "../prompts/refusals.ts";
import { resolvedText } from "../prompts/resolve.ts";
import { canMoveProductionLabel, rolloutJsonSql } from "./rollout-json.ts";

export type RolloutSettings = Pick<Config, "PROTECTED_PROMPT_LABELS" | "TUTOR_PROMPT_NAME">;

/** Or all nodes of a course. */
const minTrialCasesForRollout = 50;

const Version = z.object({
  id: z.int(),
  version: z.int(),
  created_by: z.int().nullable(),
  graph: PromptGraph,
});

/** The candidate's finished trials by text; `is_done` if one of them skipped nothing. */
const Tried = z.object({
  kind: z.enum(trialKinds),
  against: z.int(),
  prompt_fingerprint: z.string(),
  against_fingerprint: z.string(),
  most_answered: z.int(),
  is_whole: z.boolean(),
  is_done: z.boolean(),
});

const Found = z.object({
  is_known: z.boolean(),
  is_tutors: z.boolean(),
  seen: z.int(),
  candidate: Version.nullable(),
  base: Version.nullable(),
  tried: z.array(Tried),
  unknown_universities: z.array(z.int()),
});

type Found = z.output<typeof Found>;

/** A label may move between read and write. */
const maxRolloutCreationTries = 3;

/**
 * Starts a rollout against the version labelled production. 403: the version's author, or users who may not
 * move the label. 404: no such version. 400: other prompts, or missing trials. 409: the prompt has a rollout.
 */
export async function createRollout(
  db: Db,
  actor: Actor,
  name: string,
  input: RolloutCreate,
  config: RolloutSettings,
): Promise<Rollout> {
  if (!canMoveProductionLabel(actor, config.PROTECTED_PROMPT_LABELS)) throw forbidden();
  for (let looks = 0; looks < maxRolloutCreationTries; looks += 1) {
    const found = await look(db, name, input, config.TUTOR_PROMPT_NAME);
    const { candidate, base } = ensureMayBegin(found, actor, input, config.TUTOR_PROMPT_NAME);
    const { refusal, rollout } = await begin(db, actor, { candidate, base, seen: found.seen }, input, config);
    if (refusal === "running") throw conflict("rollout_running");
    if (rollout) return rollout;
  }
  throw conflict("labels_being_moved", 1);
}

async function look(
  db: Db,
  name: string,
  { candidate_version, universities }: RolloutCreate,
  tutorPrompt: string,
): Promise<Found> {
  const [found] = await rowsOf(
    db,
    Found,
    sql`
    select (select coalesce(max(id), 0) from prompt_label_events) as seen, exists (select from prompt_names where name = ${name}) as is_known,
           ${name} = ${tutorPrompt} or exists (
             select from content_types where ${tutorPrompt} || '-' || name = ${name}) as is_tutors,
           ${versionWhere(sql`name = ${name} and version = ${candidate_version}`)} as candidate,
           ${versionWhere(sql`id = (select prompt_id from prompt_labels where name = ${name} and label = 'production')`)} as base,
           ${triedOf(name, candidate_version)} as tried,
           array(
             select one from unnest(${sql.param(universities ?? [])}::int[]) as one
             where not exists (select from universities where id = one)) as unknown_universities`,
  );
  if (!found) throw new Error("a statement without a table returned no row");
  return found;
}

const versionWhere = (condition: SQL): SQL => sql`(
  select json_build_object('id', id, 'version', version, 'created_by', created_by, 'graph', json_build_object(
    'root', id, 'prompts', reached.prompts, 'links', reached.links))
  from prompts cross join lateral referenced_prompts_with_links(array[id], 0, ${maxPromptReferenceDepth}) as reached where ${condition})`;

const triedOf = (name: string, version: number): SQL => sql`(
  select coalesce(json_agg(one), '[]') from (
    select kind, against, prompt_fingerprint, against_fingerprint, max(cases.answered)::int as most_answered,
           bool_or(is_whole and cases.answered = cases.listed) as is_whole,
           bool_or(cases.answered > 0 and cases.skipped = 0) as is_done
    from trials cross join lateral (
      select count(*) filter (where trial_cases.state = 'answered') as answered,
             count(*) filter (where trial_cases.state = 'skipped') as skipped, count(*) as listed
      from trial_cases where trial_id = trials.id) as cases
    where prompt_name = ${name} and version = ${version} and trials.state = 'finished'
    group by 1, 2, 3, 4) as one)`;

function ensureMayBegin(
  { is_known, is_tutors, candidate, base, tried, unknown_universities }: Found,
  actor: Actor,
  { candidate_version }: RolloutCreate,
  tutorPrompt: string,
) {
  if (!is_known) throw notFound("Prompt");
  if (!is_tutors) throw badRequest("not_a_tutor_prompt", { name: tutorPrompt, base: tutorPrompt });
  if (!candidate) throw notFound("Prompt version");
  if (candidate.created_by === actor.id) throw forbidden("another_approves");
  if (!base) throw badRequest("prompt_without_production");
  if (base.id === candidate.id) throw badRequest("version_is_production");
  const [unknown] = unknown_universities;
  if (unknown !== undefined) throw badRequest("does_not_exist", { thing: `University ${unknown}` });
  const [text, baseText] = [
    fingerprint(resolvedText(candidate.graph)),
    fingerprint(resolvedText(base.graph)),
  ];
  const ofText = tried.filter(({ prompt_fingerprint }) => prompt_fingerprint === text);
  const isTried = ofText.some(
    ({ kind, against, against_fingerprint, most_answered, is_whole }) =>
      kind === "step" &&
      against === base.version &&
      against_fingerprint === baseText &&
      (most_answered >= minTrialCasesForRollout || is_whole),
  );
  if (!isTried)
    throw badRequest("step_trial_missing", {
      version: candidate_version,
      base: base.version,
      places: minTrialCasesForRollout,
    });
  if (!ofText.some(({ kind, is_done }) => kind === "leak" && is_done))
    throw badRequest("leak_trial_missing", { version: candidate_version });
  return { candidate, base };
}

const Begun = z.object({ refusal: z.enum(["changed", "running"]).nullable(), rollout: Rollout.nullable() });

type Compared = { candidate: { id: number }; base: { id: number }; seen: number };

async function begin(
  db: Db,
  actor: Actor,
  { candidate, base, seen }: Compared,
  { share, unit, universities, stop }: RolloutCreate,
  { PROTECTED_PROMPT_LABELS }: RolloutSettings,
): Promise<z.output<typeof Begun>> {
  const guarded = labelsProtectedFromActor(actor, PROTECTED_PROMPT_LABELS);
  const settings = JSON.stringify({ share, unit: unit.toLowerCase(), universities, stop });
  const begun = rowsOf(
    db,
    Begun,
    sql`
    select begun.refusal, case when begun.refusal is null then ${rolloutJsonSql(sql`(begun.rollout)`)} end as rollout
    from begin_rollout(${candidate.id}, ${base.id}, ${seen}, ${settings}::jsonb, ${sql.param(guarded)}::text[], ${actor.id}, ${requestAuditJson()}::jsonb) as begun`,
  );
  const [row] = await translatePromptRefusal(begun);
  if (!row) throw new Error("a function returned no row");
  return row;
}
