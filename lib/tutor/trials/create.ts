import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Trial, TrialCreate } from "../../../schema/api/tutor/trials.ts";
import type { Config } from "../../config.ts";
import { badRequest, HttpError, notFound } from "../../errors.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { type BatchSettings, batchLimits, batchPrices } from "../../platform/llm/batches.ts";
import { allowedModels, configuredModel } from "../../platform/llm/models.ts";
import { resolveTutorPrompt, type TutorPrompt } from "../chat/tutor-prompt.ts";
import { planLeakTrial } from "./attacks/plan-leak-trial.ts";
import { findModelPrice, sumOfCosts, type TrialCost } from "./cost.ts";
import type { NewCase, TrialPlan, TrialSetup } from "./new-case.ts";
import { planStepTrial, type TrialJudge } from "./plan-step-trial.ts";
import { trialJsonSql } from "./read.ts";
import type { RequestSettings } from "./request.ts";
import { planTalkTrial } from "./talks/plan-talk-trial.ts";
import { findTrialInput, type TrialInput } from "./trial-input.ts";

export type TrialSettings = RequestSettings & BatchSettings & Pick<Config, "LLM_PRICES" | "JUDGE_MODEL">;

export type TrialPromptVersion = { prompt_name: string; version: number };

/**
 * Creates a trial with a cost estimate. 404: unknown version, or an item or course that the caller cannot
 * edit. 400: items of several courses, a model without a price, an invalid judge, a version's broken
 * references, or no cases.
 */
export async function createTrial(
  db: Db,
  actor: Actor,
  tried: TrialPromptVersion,
  input: TrialCreate,
  config: TrialSettings,
): Promise<Trial> {
  if (input.kind === "LEAK" && (input.content_item_ids?.length ?? 0) > maxAttackedItems)
    throw badRequest("too_many_attacked_items", { count: maxAttackedItems });
  const found = await findTrialInput(
    db,
    actor,
    { ...tried, ...input },
    {
      allowedModels: allowedModels(config),
      defaultModel: configuredModel(config),
      maxMaterial: config.TUTOR_MATERIAL_CHARACTERS,
    },
  );
  const { course_id, model } = courseOf(found, input);
  const candidate = usable(found?.candidate, tried.version);
  const base = usable(found?.base, input.against);
  const topics = new Map(found?.topics.map((topic) => [topic.content_item_id, topic]));
  const planAt = (prices: TrialSettings["LLM_PRICES"]) => {
    const price = pricedAt(prices, model);
    const judge = judgeOf(input, model, config, prices);
    return { judge, ...planOf(found, input, { candidate, base, model, price, topics, config }, judge) };
  };
  const atOnce = planAt(config.LLM_PRICES);
  const batch_least = leastOfBatch(input, atOnce.cases.length, config);
  const { judge, ...plan } = batch_least === null ? atOnce : planAt(batchPrices(config.LLM_PRICES));
  const judge_model = judge?.model ?? null;
  const made = { ...tried, ...input, course_id, model, judge_model, candidate, base, batch_least };
  const is_whole = input.course_id !== undefined && plan.cases.length < input.most_nodes;
  return insert(db, actor, { ...made, is_whole }, plan.cases, sumOfCosts(plan.costs));
}

/** People read the results. Each item takes forty calls or more. */
const maxAttackedItems = 10;

function planOf(
  found: TrialInput | undefined,
  { kind, against, most_nodes }: TrialCreate,
  trying: TrialSetup,
  judge: TrialJudge | undefined,
): TrialPlan {
  const situations = found?.situations ?? [];
  if (kind === "FREE") return planTalkTrial(trying, most_nodes);
  if (kind === "LEAK") return planLeakTrial(situations, trying);
  const plan = planStepTrial(situations, trying, { most: most_nodes, judge });
  if (plan.cases.length === 0) throw badRequest("no_stored_answers", { version: against });
  return plan;
}

/**
 * Minimum size of a batch; null for immediate calls: conversations, which need the previous answer, small
 * trials, providers without batches, and trials with `at_once`.
 */
function leastOfBatch({ kind, at_once }: TrialCreate, cases: number, config: TrialSettings): number | null {
  const limits = kind === "FREE" || at_once ? undefined : batchLimits(config);
  return limits && cases >= limits.least ? limits.least : null;
}

function pricedAt(prices: TrialSettings["LLM_PRICES"], model: string): TrialSetup["price"] {
  const price = findModelPrice(prices, model);
  if (!price) throw badRequest("model_without_price", { model });
  return price;
}

/** The judge must be another model: the tested one would prefer its own style. */
function judgeOf(
  { judge, kind }: TrialCreate,
  tried: string,
  config: TrialSettings,
  prices: TrialSettings["LLM_PRICES"],
): TrialJudge | undefined {
  if (!judge) return undefined;
  if (kind !== "STEP") throw badRequest("judge_needs_pairs");
  const { JUDGE_MODEL: model } = config;
  if (!model) throw badRequest("no_judge");
  if (model === tried) throw badRequest("judge_is_tried", { model });
  return { model, price: pricedAt(prices, model) };
}

function courseOf(found: TrialInput | undefined, { content_item_ids, course_id }: TrialCreate) {
  const ids = new Set(found?.items.map(({ id }) => id));
  if (content_item_ids?.some((id) => !ids.has(id))) throw notFound("Content item");
  const [course, other] = found?.llm_models ?? [];
  if (!course) throw notFound(course_id === undefined ? "Content item" : "Course");
  if (other) throw badRequest("items_of_several_courses");
  return course;
}

function usable(graph: TrialInput["candidate"] | undefined, version: number): TutorPrompt {
  if (!graph) throw notFound("Prompt version", `Version ${version} of the prompt`);
  try {
    return resolveTutorPrompt({ graph });
  } catch (error) {
    throw error instanceof HttpError ? badRequest("version_not_resolved", { version }) : error;
  }
}

type Made = TrialPromptVersion &
  TrialCreate & {
    course_id: number;
    model: string;
    judge_model: string | null;
    candidate: TutorPrompt;
    base: TutorPrompt;
    is_whole: boolean;
    batch_least: number | null;
  };

const Inserted = z.object({ trial: z.custom<Trial>() });

async function insert(
  db: Db,
  actor: Actor,
  {
    prompt_name,
    version,
    against,
    course_id,
    model,
    judge_model,
    candidate,
    base,
    is_whole,
    batch_least,
    kind,
    limit_micros,
  }: Made,
  cases: readonly NewCase[],
  expected: TrialCost,
): Promise<Trial> {
  const [row] = await rowsOf(
    db,
    Inserted,
    sql`
    with trial as (
      insert into trials (prompt_name, version, against, course_id, model, judge_model, prompt_fingerprint,
        against_fingerprint, kind, is_whole, batch_least, limit_micros, estimated_input_tokens, estimated_output_tokens, estimated_micros,
        created_by)
      values (${prompt_name}, ${version}, ${against}, ${course_id}, ${model}, ${judge_model}, ${candidate.fingerprint},
        ${base.fingerprint}, ${kind.toLowerCase()}, ${is_whole}, ${batch_least}, ${limit_micros}, ${expected.input_tokens}, ${expected.output_tokens},
        ${expected.micros}, ${actor.id})
      returning *
    ), listed as (
      insert into trial_cases (trial_id, content_item_id, node_id, visits, message, exchanges, recorded, recorded_question,
        recorded_key, attack, persona)
      select trial.id, one.content_item_id, one.node_id, one.visits, one.message, one.exchanges, one.recorded,
             nullif(one.question, 'null'), nullif(one.key, 'null'), nullif(one.attack, 'null'), one.persona
      from trial, rows from (jsonb_to_recordset(${JSON.stringify(cases)}::jsonb) as (
        content_item_id int, node_id bigint, visits int, message text, exchanges jsonb, recorded text, question jsonb,
        key jsonb, attack jsonb, persona text)) with ordinality
        as one (content_item_id, node_id, visits, message, exchanges, recorded, question, key, attack, persona, place)
      order by place
    )
    select ${trialJsonSql(sql`trial`, sql`${cases.length}::int`)} as trial from trial`,
  );
  if (!row) throw notFound("Course");
  return row.trial;
}
