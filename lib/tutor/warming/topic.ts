import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Config } from "../../config.ts";
import { dataJsonForStudents } from "../../courses/content/student-view.ts";
import { HttpError } from "../../errors.ts";
import type { Db } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import type { BatchSettings } from "../../platform/llm/batches.ts";
import type { LlmRequest } from "../../platform/llm/provider.ts";
import {
  type AnswerLookupConfig,
  type AnswerLookupKey,
  answerLookupKey,
  answerLookupSettings,
  NewConversationTopic,
  newConversationTopicJsonSql,
} from "../chat/answer-lookup.ts";
import type { ContentContext, TopicRow } from "../chat/content-context.ts";
import type { Exchange } from "../chat/history.ts";
import { llmRequest } from "../chat/llm-request.ts";
import { resolveTutorPrompt, type TutorPrompt } from "../chat/tutor-prompt.ts";
import { configBounds } from "../prompts/config.ts";

export type WarmSettings = AnswerLookupConfig &
  BatchSettings &
  Pick<Config, "LLM_MAX_TOKENS" | "LLM_QUESTION_TOOL" | "LLM_PRICES">;

/** As a new conversation has it, with its nodes' key. */
export type WarmTopic = {
  context: ContentContext;
  prompt: TutorPrompt;
  key: AnswerLookupKey;
};

/** Throws 503 if the prompt is unusable. */
export function toWarmTopic(topic: NewConversationTopic, config: WarmSettings): WarmTopic {
  const prompt = resolveTutorPrompt(topic);
  const key = answerLookupKey(topic, prompt, config.TUTOR_MATERIAL_CHARACTERS);
  return { context: contextOf(topic.context), prompt, key };
}

/** A new session's snapshot: the learners' view plus tutor-only data. */
function contextOf({ file_texts, tutor, ...item }: TopicRow): ContentContext {
  return {
    ...item,
    data_json: dataJsonForStudents(item.content_type, item.data_json),
    ...(file_texts && { file_texts }),
    ...(tutor && { tutor }),
  };
}

const Found = z.object({ topic: NewConversationTopic });

/** Undefined if the item is gone or the version unusable. */
export async function readWarmTopic(
  db: Db,
  contentItemId: number,
  promptId: number,
  config: WarmSettings,
): Promise<WarmTopic | undefined> {
  const [found] = await rowsOf(
    db,
    Found,
    sql`select ${newConversationTopicJsonSql(answerLookupSettings(config), sql`${promptId}::integer`)} as topic
        from content_items join courses on courses.id = content_items.course_id
        where content_items.id = ${contentItemId}`,
  );
  try {
    return found && toWarmTopic(found.topic, config);
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

const Context = z.object({ context: z.custom<ContentContext>() });

export async function withFileTexts(db: Db, topic: WarmTopic, most: number): Promise<WarmTopic> {
  if (!topic.context.file_texts) return topic;
  const texts: SQL = sql`select tutor_context_with_file_texts(${JSON.stringify(topic.context)}::jsonb, ${most}) as context`;
  const [row] = await rowsOf(db, Context, texts);
  return row ? { ...topic, context: row.context } : topic;
}

export const warmRequest = (
  { context, prompt, key }: WarmTopic,
  message: string,
  exchanges: readonly Exchange[],
  config: WarmSettings,
): LlmRequest =>
  llmRequest(
    turnOf(message, key.model, context.university_id),
    prompt,
    { context, exchanges },
    {
      maxMaterial: config.TUTOR_MATERIAL_CHARACTERS,
      hasTool: config.LLM_QUESTION_TOOL,
      bounds: configBounds(config),
    },
  );

const turnOf = (message: string, model: string, university_id: number) => ({
  session_id: null,
  user_id: null,
  shared: true,
  message,
  content: message,
  move: null,
  model,
  university_id,
});
