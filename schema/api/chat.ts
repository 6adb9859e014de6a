import * as z from "zod";
import { answerSources, cacheStates, messageRoles } from "../enums.ts";
import { Id, Instant, JsonObject, text, title, upperEnum } from "./fields.ts";

export const ChatSessionCreate = z.object({ content_item_id: Id }).meta({ id: "ChatSessionCreate" });

export const ChatSession = z
  .object({
    id: Id,
    user_id: Id,
    content_item_id: Id,
    content_context: JsonObject.meta({ description: "The content item as it was when the session began" }),
    share_enabled: z.boolean(),
    share_token: z.string().nullable(),
    cache_node_id: Id.nullable().meta({ description: "The cursor in the tree of shared answers" }),
    cache_state: upperEnum(cacheStates),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "ChatSession" });

/** The longest message, in characters. */
const longestMessage = 32_000;

export const ChatMessageCreate = z
  .object({
    content: text(longestMessage)
      .refine((content) => content.trim() !== "", "Message should not be blank")
      .meta({
        description:
          "`Start.` to be greeted, a JSON object `{questionId, answer}` to answer a question, or any text",
        example: '{"questionId":"q1","answer":"B"}',
      }),
  })
  .meta({ id: "ChatMessageCreate" });

/** What is known of an answer besides its text; a message of the user has an empty object. */
export const AnswerMeta = z.object({
  source: z.enum(answerSources).optional(),
  model: z.string().optional(),
  prompt_name: z.string().optional(),
  prompt_version: z.int().optional(),
  latency_ms: z.number().optional(),
  input_tokens: z.int().optional(),
  output_tokens: z.int().optional(),
  cache_node_id: Id.optional(),
});

export const ChatMessage = z
  .object({
    id: Id,
    role: z.enum(messageRoles),
    content: z.string(),
    meta: AnswerMeta,
    created_at: Instant,
  })
  .meta({ id: "ChatMessage" });

/** A session in a list of one's own. */
export const ChatSessionSummary = z
  .object({ ...ChatSession.shape, message_count: z.int(), last_message_at: Instant.nullable() })
  .meta({ id: "ChatSessionSummary" });

export const ChatSessionWithMessages = z
  .object({ ...ChatSession.shape, messages: z.array(ChatMessage) })
  .meta({ id: "ChatSessionWithMessages" });

export const Share = z
  .object({ share_token: z.string(), share_url: z.string() })
  .meta({ id: "Share", example: { share_token: "q0…", share_url: "/api/v1/chat/share/q0…" } });

/** A conversation as everyone with its link reads it. */
export const SharedSession = z
  .object({
    title: z.string(),
    content_context: JsonObject,
    messages: z.array(ChatMessage),
    created_at: Instant,
  })
  .meta({ id: "SharedSession" });

/** A stored answer as an instructor sees it. */
export const CacheNode = z
  .object({
    id: Id,
    parent_id: Id.nullable(),
    message: z.string().meta({ description: "What is answered, in its normal form" }),
    answer: z.string(),
    model: z.string(),
    prompt_name: z.string(),
    prompt_version: z.int(),
    hits: z.int(),
    sessions_diverged: z.int().meta({ description: "Sessions that left the tree after this answer" }),
    last_used_at: Instant,
    created_at: Instant,
    edited_by: Id.nullable().meta({ description: "Who replaced the LLM's answer by a text of their own" }),
    edited_at: Instant.nullable(),
  })
  .meta({ id: "CacheNode" });

export const TopicTree = z
  .object({
    content_item_id: Id,
    sessions_diverged_at_start: z.int().meta({ description: "Sessions that left before the first answer" }),
    total: z.int(),
    nodes: z.array(CacheNode).meta({ description: "Parents before their children" }),
  })
  .meta({ id: "TopicTree" });

export const CacheNodeUpdate = z
  .object({ answer: title(100_000).meta({ description: "The text that later learners get" }) })
  .meta({ id: "CacheNodeUpdate" });

export type CacheNode = z.input<typeof CacheNode>;
export type TopicTree = z.input<typeof TopicTree>;
export type SharedSession = z.input<typeof SharedSession>;
export type ChatSessionSummary = z.input<typeof ChatSessionSummary>;
export type ChatSessionWithMessages = z.input<typeof ChatSessionWithMessages>;
export type ChatSession = z.input<typeof ChatSession>;
export type ChatMessage = z.input<typeof ChatMessage>;
export type AnswerMeta = z.input<typeof AnswerMeta>;

/** An event of an answer's stream. The last one has `done` true, and `error` when the answer broke off. */
export type StreamEvent =
  | { content: string; done: false }
  | { content: ""; done: true; message_id: number }
  | { content: ""; done: true; error: string };
