import { and, eq, sql } from "drizzle-orm";
import { inCandidateArmCondition as unitMeetsCandidate } from "../../lib/tutor/chat/arm-of-session.ts";
import { prompts } from "../../schema/db/tutor/prompts.ts";
import { promptRollouts } from "../../schema/db/tutor/rollouts.ts";
import { trialCases, trials } from "../../schema/db/tutor/trials.ts";
import type { TrialKind } from "../../schema/enums.ts";
import type { World } from "./world.ts";

/** Rollout limits that never stop it. */
export const noLimits = {
  ...{ malformed: null, refusals: null, cut_offs: null, downs: null },
  ...{ length: null, cost: null, first_word: null },
};

type Tried = {
  prompt_name?: string;
  version: number;
  against: number;
  /** Fingerprints of the resolved texts. */
  prompt_fingerprint: string;
  against_fingerprint: string;
};

/** A finished trial of a version, with this many answered or skipped places. */
export async function insertFinishedTrial(
  { deps: { db } }: World,
  { course_id, content_item_id }: { course_id: number; content_item_id: number },
  kind: Uppercase<TrialKind>,
  {
    places = 50,
    is_whole = false,
    skipped = false,
    ...tried
  }: Tried & {
    places?: number;
    is_whole?: boolean;
    skipped?: boolean;
  },
): Promise<number> {
  const [trial] = await db
    .insert(trials)
    .values({
      ...{ prompt_name: "tutor", course_id, kind, state: "FINISHED", is_whole, ...tried },
      ...{ model: "model-of-the-tests", limit_micros: 1000 },
      ...{ estimated_input_tokens: 1, estimated_output_tokens: 1, estimated_micros: 1 },
    })
    .returning({ id: trials.id });
  if (!trial) throw new Error("no trial was made");
  const state = skipped ? ("SKIPPED" as const) : ("ANSWERED" as const);
  const answered = { state, message: "Start.", exchanges: [], recorded: "Hello." };
  const cases = Array.from({ length: places }, (_, place) => ({
    ...{ trial_id: trial.id, content_item_id, node_id: place + 1, visits: 1, ...answered },
  }));
  if (cases.length > 0) await db.insert(trialCases).values(cases);
  return trial.id;
}

/** SHA-256 of a version's text, for versions without references. */
export async function fingerprintOf(
  { deps: { db } }: World,
  version: number,
  name = "tutor",
): Promise<string> {
  const [row] = await db
    .select({ plain_fingerprint: prompts.plain_fingerprint })
    .from(prompts)
    .where(and(eq(prompts.name, name), eq(prompts.version, version)));
  return row?.plain_fingerprint ?? "";
}

/** The trials that a rollout of one version against another requires. */
export async function insertTrialsOf(
  world: World,
  topic: { course_id: number; content_item_id: number },
  { version, against, prompt_name = "tutor" }: { version: number; against: number; prompt_name?: string },
): Promise<void> {
  const tried = {
    ...{ prompt_name, version, against },
    prompt_fingerprint: await fingerprintOf(world, version, prompt_name),
    against_fingerprint: await fingerprintOf(world, against, prompt_name),
  };
  await insertFinishedTrial(world, topic, "STEP", tried);
  await insertFinishedTrial(world, topic, "LEAK", { ...tried, places: 1 });
}

export async function insertRollout(
  { deps: { db } }: World,
  { author_id, prompt_name = "tutor" }: { author_id?: number; prompt_name?: string } = {},
): Promise<number> {
  const [rollout] = await db
    .insert(promptRollouts)
    .values({
      ...{ prompt_name, candidate_version: 2, base_version: 1, share: 50, unit: "OFFERING" },
      ...{ stop: noLimits, author_id },
    })
    .returning({ id: promptRollouts.id });
  if (!rollout) throw new Error("no rollout was made");
  return rollout.id;
}

export async function meetsCandidate(
  { deps: { db } }: World,
  { id, share }: { id: number; share: number },
  unit: string,
): Promise<boolean> {
  const { rows } = await db.execute(
    sql`select ${unitMeetsCandidate(sql`${id}::int`, sql`${unit}::text`, sql`${share}::int`)} as meets`,
  );
  return rows[0]?.["meets"] === true;
}

type Answers = {
  count: number;
  stop?: string;
  characters?: number;
  cost_micros?: number;
  first_word_ms?: number;
  rating?: "up" | "down";
};

/** Adds this many conversations to an arm of a rollout, each with one generated answer and its LLM call. */
export async function insertAnswers(
  { deps: { db } }: World,
  { rollout_id, content_item_id, user_id }: { rollout_id: number; content_item_id: number; user_id: number },
  arm: "base" | "candidate",
  { count, stop, characters = 200, cost_micros = 500, first_word_ms = 300, rating }: Answers,
): Promise<void> {
  // Varies the measurements, as in reality.
  const spread = sql`(0.8 + 0.4 * (place % 11) / 10.0)`;
  await db.execute(sql`
    with rollout as (
      select id, prompt_name, case ${arm}::text when 'base' then base_version else candidate_version end as version
      from prompt_rollouts where id = ${rollout_id}
    ), session as (
      insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, rollout_id, rollout_arm)
      select ${user_id}, ${content_item_id}, '{}', '', '', rollout.id, ${arm} from rollout, generate_series(1, ${count})
      returning id
    ), question as (
      insert into chat_messages (session_id, role, content) select id, 'user', 'Start.' from session returning id, session_id
    ), numbered as (
      select *, row_number() over (order by id) as place from question
    ), call as (
      insert into llm_calls (message_id, model, reserved_tokens, outcome, cost_micros, first_word_ms)
      select id, 'model', 0, 'complete', round(${cost_micros} * ${spread}), round(${first_word_ms} * ${spread}) from numbered
    ), reply as (
      insert into chat_messages (session_id, role, content, in_reply_to_id, meta)
      select session_id, 'assistant', repeat('x', round(${characters} * ${spread})::int), numbered.id, jsonb_strip_nulls(
        jsonb_build_object('source', 'llm', 'prompt_name', prompt_name, 'prompt_version', version, 'stop', ${stop ?? null}::text))
      from numbered, rollout
      returning id
    )
    insert into message_feedback (message_id, rating) select id, ${rating ?? null}::text from reply where ${rating !== undefined}`);
}
