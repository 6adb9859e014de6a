import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Trial, TrialCreate } from "../../schema/api/trials.ts";
import type { Actor } from "../auth/actor.ts";
import { fingerprintsOf, type TopicRow } from "../chat/content-context.ts";
import { type TutorPrompt, tutorPrompt } from "../chat/tutor-prompt.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/client.ts";
import { rowsOf } from "../db/query/rows.ts";
import { badRequest, HttpError, notFound } from "../errors.ts";
import { allowedModels, configuredModel } from "../llm/models.ts";
import { fingerprint } from "../text/fingerprint.ts";
import { type Cost, expectedCost, priceOf } from "./cost.ts";
import { shownTrial } from "./read.ts";
import { type RequestSettings, trialRequest } from "./request.ts";
import { type Found, findSituations, type Situation } from "./situations.ts";

export type TrialSettings = RequestSettings & Pick<Config, "LLM_PRICES">;

/** Which version is tried. */
export type TriedVersion = { prompt_name: string; version: number };

/**
 * Makes a trial that is ready to be started, with an estimate of what it will take. 404 for an item or a course whose content
 * the caller does not write, and for a version that is none; 400 for items of several courses, for a model without a price,
 * for a version whose references lead nowhere, and where the other version has no answers there.
 */
export async function createTrial(
  db: Db,
  actor: Actor,
  tried: TriedVersion,
  input: TrialCreate,
  config: TrialSettings,
): Promise<Trial> {
  const found = await findSituations(
    db,
    actor,
    { ...tried, ...input },
    {
      allowedModels: allowedModels(config),
      defaultModel: configuredModel(config),
      mostMaterial: config.TUTOR_MATERIAL_CHARACTERS,
    },
  );
  const { course_id, model } = courseOf(found, input);
  const candidate = usable(found?.candidate, tried.version);
  const base = usable(found?.base, input.against);
  const price = priceOf(config.LLM_PRICES, model);
  if (!price) throw badRequest(`The model ${model} has no price in LLM_PRICES`);
  const topics = new Map(found?.topics.map((topic) => [topic.content_item_id, topic]));
  const kept = (found?.situations ?? [])
    .filter((one) => isOfToday(one, topics.get(one.content_item_id), base, config))
    .filter(isFirstOfItsPath())
    .slice(0, input.most_nodes);
  if (kept.length === 0)
    throw badRequest(`Version ${input.against} has no stored answers there that it could be held against`);
  const costs = kept.map((one) => {
    const topic = topics.get(one.content_item_id) as TopicRow;
    return expectedCost(trialRequest(one, { prompt: candidate, topic, model }, config), price, one.recorded);
  });
  const is_whole = input.course_id !== undefined && kept.length < input.most_nodes;
  return insert(
    db,
    actor,
    { ...tried, ...input, course_id, model, candidate, base, is_whole },
    kept,
    sumOf(costs),
  );
}

/** The one course of the items, with its model. */
function courseOf(found: Found | undefined, { content_item_ids, course_id }: TrialCreate) {
  const ids = new Set(found?.items.map(({ id }) => id));
  if (content_item_ids?.some((id) => !ids.has(id))) throw notFound("Content item");
  const [course, other] = found?.llm_models ?? [];
  if (!course) throw notFound(course_id === undefined ? "Content item" : "Course");
  if (other) throw badRequest("content_item_ids should be items of one course");
  return course;
}

/** A version with its references inlined. */
function usable(graph: Found["candidate"] | undefined, version: number): TutorPrompt {
  if (!graph) throw notFound(`Version ${version} of the prompt`);
  try {
    return tutorPrompt({ graph });
  } catch (error) {
    throw error instanceof HttpError ? badRequest(`Version ${version} cannot be resolved`) : error;
  }
}

/** Whether an answer was made by the other version's text of today, about what the item says today. */
function isOfToday(
  { prompt_fingerprint, content_fingerprint }: Situation,
  topic: TopicRow | undefined,
  base: TutorPrompt,
  { TUTOR_MATERIAL_CHARACTERS: mostMaterial }: TrialSettings,
): boolean {
  if (!topic || prompt_fingerprint !== base.fingerprint) return false;
  const {
    item_fingerprint,
    surroundings_fingerprint,
    content_fingerprint: former,
  } = fingerprintsOf(topic, mostMaterial);
  const key = base.uses_surroundings
    ? fingerprint(item_fingerprint + surroundings_fingerprint)
    : item_fingerprint;
  return [key, former].includes(content_fingerprint);
}

/** Several models may have answered on one path: the most visited answer stands for it. */
function isFirstOfItsPath(): (one: Situation) => boolean {
  const seen = new Set<string>();
  return ({ content_item_id, exchanges, message }) => {
    const path = JSON.stringify([content_item_id, ...exchanges.map(({ question }) => question), message]);
    return seen.size < seen.add(path).size;
  };
}

const sumOf = (costs: readonly Cost[]): Cost =>
  costs.reduce((sum, one) => ({
    input_tokens: sum.input_tokens + one.input_tokens,
    output_tokens: sum.output_tokens + one.output_tokens,
    micros: sum.micros + one.micros,
  }));

type Made = TriedVersion &
  TrialCreate & {
    course_id: number;
    model: string;
    candidate: TutorPrompt;
    base: TutorPrompt;
    is_whole: boolean;
  };

const Inserted = z.object({ trial: z.custom<Trial>() });

async function insert(
  db: Db,
  actor: Actor,
  { prompt_name, version, against, course_id, model, candidate, base, is_whole, kind, limit_micros }: Made,
  kept: readonly Situation[],
  expected: Cost,
): Promise<Trial> {
  const [row] = await rowsOf(
    db,
    Inserted,
    sql`
    with trial as (
      insert into trials (prompt_name, version, against, course_id, model, prompt_fingerprint, against_fingerprint, kind,
        is_whole, limit_micros, estimated_input_tokens, estimated_output_tokens, estimated_micros, created_by)
      values (${prompt_name}, ${version}, ${against}, ${course_id}, ${model}, ${candidate.fingerprint}, ${base.fingerprint},
        ${kind.toLowerCase()}, ${is_whole}, ${limit_micros}, ${expected.input_tokens}, ${expected.output_tokens}, ${expected.micros},
        ${actor.id})
      returning *
    ), listed as (
      insert into trial_cases (trial_id, content_item_id, node_id, visits, message, exchanges, recorded, recorded_question,
        recorded_key)
      select trial.id, one.content_item_id, one.node_id, one.visits, one.message, one.exchanges, one.recorded,
             nullif(one.question, 'null'), nullif(one.key, 'null')
      from trial, rows from (jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as (
        content_item_id int, node_id bigint, visits int, message text, exchanges jsonb, recorded text, question jsonb,
        key jsonb)) with ordinality
        as one (content_item_id, node_id, visits, message, exchanges, recorded, question, key, place)
      order by place
    )
    select ${shownTrial(sql`trial`, sql`${kept.length}::int`)} as trial from trial`,
  );
  if (!row) throw notFound("Course");
  return row.trial;
}
