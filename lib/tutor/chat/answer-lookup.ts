import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../../config.ts";
import { allowedModels, configuredModel, type ModelSettings } from "../../platform/llm/models.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";
import { PromptGraph } from "../prompts/graph.ts";
import { maxPromptReferenceDepth } from "../prompts/inline.ts";
import { type TopicRow, topicFingerprints } from "./content-context.ts";
import { itemFileTextsJsonQuery } from "./file-texts.ts";
import type { OpenTurnSettings } from "./open-turn.ts";
import { tutorContextSql } from "./tutor-context.ts";
import { resolveTutorPrompt, type TutorPrompt } from "./tutor-prompt.ts";

/** With the topic, these decide a new conversation's stored answers. */
export type AnswerLookupSettings = Omit<OpenTurnSettings, "now"> & { maxMaterial: number };

export type AnswerLookupConfig = ModelSettings &
  Pick<Config, "TUTOR_PROMPT_NAME" | "TUTOR_MATERIAL_CHARACTERS">;

export const answerLookupSettings = (config: AnswerLookupConfig): AnswerLookupSettings => ({
  defaultModel: configuredModel(config),
  allowedModels: allowedModels(config),
  tutorPrompt: config.TUTOR_PROMPT_NAME,
  maxMaterial: config.TUTOR_MATERIAL_CHARACTERS,
});

const Taught = z.object({ model: z.string(), graph: PromptGraph.nullable() });

/** A topic for a new conversation, with the candidate of a running rollout. */
export const NewConversationTopic = Taught.extend({
  context: z.custom<TopicRow>(),
  candidate: Taught.nullable(),
});

export type NewConversationTopic = z.output<typeof NewConversationTopic>;

/** A `TopicRow` as JSON, for rows of `content_items`, `courses`, `module` and `type`. */
export const topicContextJsonSql = sql`json_build_object(
  'content_item_id', content_items.id, 'module_id', content_items.module_id, 'course_id', courses.id,
  'university_id', content_items.university_id, 'title', content_items.title,
  'description', content_items.description, 'content_type', type.name, 'data_json', content_items.data_json,
  'module_title', module.title, 'course_title', courses.title, 'course_code', courses.code,
  'language', courses.language_code, 'level', courses.level, 'file_texts', (${itemFileTextsJsonQuery(sql`content_items.id`)}),
  'tutor', ${tutorContextSql(sql`content_items.id`)})`;

/**
 * A live topic as JSON, for rows of `content_items` and `courses`; optionally with another prompt version.
 */
export const newConversationTopicJsonSql = (
  settings: AnswerLookupSettings,
  promptId: SQL = sql`null::integer`,
): SQL => sql`(
  select json_build_object(
    'context', ${topicContextJsonSql},
    'model', effective_tutor_model(
      courses.llm_model, tutor.config, ${JSON.stringify(settings.allowedModels)}::jsonb, ${settings.defaultModel}),
    'graph', (
      select json_build_object('root', tutor.id, 'config', tutor.config, 'prompts', reached.prompts, 'links', reached.links)
      from referenced_prompts_with_links(array[tutor.id], 0, ${maxPromptReferenceDepth}) as reached where tutor.id is not null),
    'candidate', (
      select json_build_object(
        'model', effective_tutor_model(
          courses.llm_model, new.config, ${JSON.stringify(settings.allowedModels)}::jsonb, ${settings.defaultModel}),
        'graph', json_build_object('root', new.id, 'config', new.config, 'prompts', reached.prompts, 'links', reached.links))
      from prompt_rollouts as running join prompts as new on new.id = running.candidate_id
      cross join lateral referenced_prompts_with_links(array[new.id], 0, ${maxPromptReferenceDepth}) as reached
      where running.prompt_name = tutor.name and running.state = 'running' and running.base_id = tutor.id
        and (running.universities is null or content_items.university_id = any (running.universities))))
  from modules as module, content_types as type
  left join lateral (
    select * from prompts
    where id = coalesce(${promptId}, (select id from tutor_prompt_of_content_type(type.name, ${settings.tutorPrompt})))
  ) as tutor on true
  where type.id = content_items.content_type_id and module.id = content_items.module_id)`;

/** A node's key, apart from its place in the tree. */
export const AnswerLookupKey = z.object({
  prompt_name: z.string(),
  prompt_version: z.int(),
  model: z.string(),
  prompt_fingerprint: z.string(),
  content_fingerprint: z.string(),
});

export type AnswerLookupKey = z.output<typeof AnswerLookupKey>;

export const answerLookupKeyJsonSql = (node: SQL): SQL => sql`jsonb_build_object(
  'prompt_name', ${node}.prompt_name, 'prompt_version', ${node}.prompt_version, 'model', ${node}.model,
  'prompt_fingerprint', ${node}.prompt_fingerprint, 'content_fingerprint', ${node}.content_fingerprint)`;

/** True if a new conversation gets a node's answer: never without a usable prompt. */
export function createNodeServedPredicate(
  topic: NewConversationTopic,
  settings: AnswerLookupSettings,
): (key: AnswerLookupKey) => boolean {
  const prompt = usablePrompt(topic);
  if (!prompt) return () => false;
  const key = answerLookupKey(topic, prompt, settings.maxMaterial);
  return (node) =>
    node.prompt_name === key.prompt_name &&
    node.prompt_version === key.prompt_version &&
    node.prompt_fingerprint === key.prompt_fingerprint &&
    node.model === key.model &&
    node.content_fingerprint === key.content_fingerprint;
}

/** True if new conversations can follow a path, with either version. */
export function createPathServedPredicate(
  topic: NewConversationTopic,
  settings: AnswerLookupSettings,
): (path: readonly AnswerLookupKey[]) => boolean {
  const versions = [topic, ...(topic.candidate ? [{ ...topic, ...topic.candidate }] : [])];
  const each = versions.map((version) => createNodeServedPredicate(version, settings));
  return (path) => each.some((isLive) => path.every(isLive));
}

export const answerLookupKey = (
  topic: NewConversationTopic,
  prompt: TutorPrompt,
  maxMaterial: number,
): AnswerLookupKey => ({
  prompt_name: prompt.name,
  prompt_version: prompt.version,
  model: topic.model,
  prompt_fingerprint: prompt.fingerprint,
  content_fingerprint: answerContentFingerprint(topic.context, prompt, maxMaterial),
});

/** Same rule as `effective_content_fingerprint` (cache-node-keys.sql). */
export function answerContentFingerprint(topic: TopicRow, prompt: TutorPrompt, maxMaterial: number): string {
  const { item_fingerprint, surroundings_fingerprint } = topicFingerprints(topic, maxMaterial);
  return prompt.uses_surroundings
    ? fingerprint(item_fingerprint + surroundings_fingerprint)
    : item_fingerprint;
}

function usablePrompt({ graph }: NewConversationTopic): TutorPrompt | undefined {
  try {
    return resolveTutorPrompt({ graph });
  } catch {
    return undefined;
  }
}
