import * as z from "zod";
import {
  type AnswerCheck,
  type AnswerPath,
  answerChecks,
  answerPaths,
  answerSources,
  answerStops,
  cacheStates,
  feedbackRatings,
  messageRoles,
  notReadKinds,
  pinStates,
  treeChangeActions,
} from "../../enums.ts";
import type { Question as QuestionOfAnswer } from "../../question.ts";
import { ChatHandover } from "../community/discussions.ts";
import {
  Id,
  IdText,
  Instant,
  integer,
  integerText,
  JsonObject,
  list,
  pagination,
  paginationOf,
  text,
  title,
  upperEnum,
  Version,
  WideId,
  WideIdText,
} from "../platform/fields.ts";
import { isBlank } from "../platform/is-blank.ts";
import { deepestJson, nestsTooDeep } from "../platform/json-depth.ts";
import { BooleanText } from "../platform/search-and-sort.ts";

export const ChatSessionCreate = z
  .object({
    content_item_id: Id,
    aside_of: WideId.optional().meta({
      description:
        "The caller's conversation about the item whose path the aside copies. That conversation stays on " +
        "its path",
    }),
    prompt_version: integer(1).optional().meta({
      description:
        "For course staff: the prompt version to test instead of `production`. Its answers are not shared",
    }),
    prompt_name: title(255).optional().meta({
      description: "Prompt of `prompt_version`; default: the prompt of the item's type",
      example: "tutor",
    }),
  })
  .refine(({ prompt_name, prompt_version }) => prompt_name === undefined || prompt_version !== undefined, {
    error: "prompt_name should come with a prompt_version",
    path: ["prompt_version"],
  })
  .refine(({ aside_of, prompt_version }) => aside_of === undefined || prompt_version === undefined, {
    error: "An aside has the prompt of the conversation that it is beside",
    path: ["prompt_version"],
  })
  .meta({ id: "ChatSessionCreate" });

/** Maximum length of a session's name, in characters. */
const maxSessionTitleCharacters = 255;

export const ChatSessionUpdate = z
  .object({
    title: title(maxSessionTitleCharacters)
      .nullable()
      .optional()
      .meta({ description: "Title given by the owner; null for none" }),
  })
  .meta({ id: "ChatSessionUpdate" });

/** A part of the item that the tutor has not read. */
export const NotRead = z
  .object({
    label: z.string().meta({ description: "Name of the material" }),
    kind: upperEnum(notReadKinds).meta({
      description:
        "`FILM`: a video without a transcript. `PAGE`: a page behind a link. `POOL`: a pool of " +
        "questions. `REST`: the rest of material over the tutor's length limit. `OTHER`: other data",
    }),
  })
  .meta({ id: "NotRead" });

/** The prompt version that a session tries. */
export const PromptTried = z.object({ name: z.string(), version: z.int() });

const sessionFields = {
  id: WideId,
  user_id: Id,
  content_item_id: Id,
  content_context: JsonObject.meta({ description: "The content item when the session started" }),
  share_enabled: z.boolean(),
  share_token: z.string().nullable(),
  cache_node_id: WideId.nullable().meta({ description: "Position in the tree of shared answers" }),
  cache_state: upperEnum(cacheStates),
  title: z.string().nullable().meta({ description: "Title given by the owner; null for none" }),
  aside_of: WideId.nullable().meta({
    description: "For an aside: the conversation whose path it copied",
  }),
  closed_at: Instant.nullable().meta({
    description: "For an aside: when another aside replaced it. It can be read but takes no messages",
  }),
  tried_prompt: PromptTried.nullable().meta({
    description: "The prompt version under test; null for the one labeled `production`",
  }),
  created_at: Instant,
  updated_at: Instant,
};

export const ChatSession = z
  .object({
    ...sessionFields,
    cache_enabled: z.boolean().meta({
      description: "Whether the item's course shares answers among learners",
    }),
    not_read: z.array(NotRead).meta({ description: "Material of the item that the tutor has not read" }),
  })
  .meta({ id: "ChatSession" });

/** Maximum length of a message, in characters. */
const maxChatMessageCharacters = 32_000;

export const ChatMessageCreate = z
  .object({
    content: text(maxChatMessageCharacters)
      .refine((content) => !isBlank(content), "Message should not be blank")
      .refine(
        (content) => !nestsTooDeep(content),
        `JSON in a message should nest at most ${deepestJson} deep`,
      )
      .meta({
        description:
          "`Start.` for a greeting; a JSON object `{questionId, answer}` to answer a question; one of its " +
          "`moves`, such as `@hint`, alone or as that `answer`; an object with `type` `followup` to ask a " +
          "follow-up question; or any text. The last two leave the shared answers",
        example: '{"questionId":"q1","answer":"B"}',
      }),
    client_message_id: text(128)
      .min(1)
      .optional()
      .meta({
        description:
          "Message id set by the client, unique in the session. Sending it again does not repeat the message " +
          "and returns the same answer",
      }),
    answers_message_id: WideId.optional().meta({
      description:
        "For a choice or a move: the tutor's message whose question it answers. If the tutor has asked another " +
        "question since, the response is a 409 with the message of that question. Sending the same choice for the " +
        "same message again returns the same answer",
    }),
  })
  .meta({ id: "ChatMessageCreate" });

const failedChecks = z.array(z.enum(answerChecks)).meta({
  description:
    "Checks that the answer failed, so it is not shared. Sentences that quote the prompt or the teachers' notes " +
    "are replaced by `[…]`",
});

/** Metadata of an answer; an empty object for a user's message. */
export const AnswerMeta = z.object({
  source: z.enum(answerSources).optional(),
  model: z.string().optional(),
  prompt_name: z.string().optional(),
  prompt_version: z.int().optional(),
  latency_ms: z.number().optional(),
  input_tokens: z.int().optional(),
  output_tokens: z.int().optional(),
  cache_node_id: WideId.optional(),
  joined: z
    .boolean()
    .optional()
    .meta({ description: "Whether another learner's LLM call produced the answer" }),
  move: z.string().optional().meta({
    description: "For an answer to a move: the move that was applied; a fourth `@hint` becomes an `@example`",
    example: "@hint",
  }),
  stop: z.enum(answerStops).optional().meta({
    description: "Why the answer is not stored: it was cut off, or its question was unreadable",
  }),
  checks: failedChecks.optional(),
  path: z
    .enum(answerPaths)
    .optional()
    .meta({
      description:
        "`lost`: the path was changed, or its answer awaits review or failed a check, so this answer is " +
        "private. `Start.` returns to the path",
    }),
});

/** The multiple-choice question at the end of an answer. */
export const Question = z
  .object({
    questionId: z.string(),
    question: z.string(),
    options: z.array(z.object({ id: z.string(), text: z.string() })),
  })
  .meta({
    id: "TutorQuestion",
    description:
      "Answered by a message `{questionId, answer}`, where the answer is an option's id or its text",
  });

/** Messages that may replace an option of a question with a key, answered on the shared path. */
const moves = z.array(z.string().meta({ example: "@hint" }));

/** The key of a question, for staff only. */
const misconception = z.object({
  id: z.string().meta({ description: "Id of a wrong option" }),
  text: z.string().meta({ description: "Misconception of learners who choose the option" }),
});

const QuestionKey = z
  .object({
    because: z.string().nullable().meta({ description: "Why the option is correct; null in older keys" }),
    answer: z.string().meta({ description: "The id of the correct option" }),
    misconceptions: z.array(misconception).meta({ description: "Misconceptions by wrong option" }),
    skill: z.string().nullable().meta({ description: "Skill tested by the question" }),
  })
  .meta({ id: "TutorQuestionKey", description: "The correct option of a question, hidden from learners" });

const keyWords = title(80);
const keyReason = title(1000);

export const QuestionKeyUpdate = z
  .object({
    answer: title(1000).meta({ description: "The id of the correct option" }),
    misconceptions: list(z.object({ id: title(1000), text: keyWords }), { max: 26 })
      .optional()
      .meta({ description: "Misconceptions by wrong option" }),
    skill: keyWords.nullish().meta({ description: "Skill tested by the question" }),
    because: keyReason.nullish().meta({
      description: "Why the option is correct; if absent, null for another correct option",
    }),
  })
  .meta({ id: "TutorQuestionKeyUpdate" });

const MessageSource = z.object({
  number: z.int().meta({ description: "Number cited in the answer as `[§1]`" }),
  content_item_id: Id,
  title: z.string().meta({ description: "Title of the item" }),
  place: z
    .object({
      block: z.int().optional().meta({ description: "Block of a page, from 1" }),
      seconds: z.int().optional().meta({ description: "Seconds from the start of a video" }),
      file: z.string().optional().meta({ description: "Name of the item's file" }),
    })
    .meta({ description: "Position in the item; without a key in the item's own text" }),
  perhaps: z.boolean().meta({
    description:
      "Whether the passage is uncertain. It is certain only if the course has at least 20 quiz " +
      "questions, and at least 60 % of them find a correct passage among the first five",
  }),
});

/** An event of an answer's stream for the API document; see `StreamEvent` for valid combinations of fields. */
export const TutorEvent = z
  .object({
    content: z.string().meta({ description: "Next part of the text; empty in the last event" }),
    done: z.boolean().meta({ description: "Whether this is the last event" }),
    restart: z
      .boolean()
      .optional()
      .meta({
        description:
          "If true, discard the text so far: the answer starts again, because the call failed or the answer failed " +
          "a check",
      }),
    message_id: WideId.optional().meta({ description: "In the last event: id of the stored answer" }),
    question: Question.optional(),
    moves: moves
      .optional()
      .meta({ description: "In the last event: moves for the question instead of an option" }),
    path: z.enum(answerPaths).optional().meta({
      description: "In the last event, `lost`: the path was changed, and `Start.` returns to it",
    }),
    checks: failedChecks.optional(),
    sources: z.array(MessageSource).optional().meta({
      description: "In the last event: passages cited by the answer, as in its message; absent without any",
    }),
    error: z.string().optional().meta({ description: "In the last event: why there is no answer" }),
    code: z.string().optional().meta({ description: "With `error`: the error code, as in `X-Error-Code`" }),
    retry_after: z.int().optional().meta({
      description: "With `error`, if no text was sent: seconds to wait before sending the message again",
    }),
  })
  .meta({ id: "TutorEvent" });

export const AnswerFeedback = z
  .object({ rating: z.enum(feedbackRatings), comment: text(2000).nullish() })
  .meta({ id: "AnswerFeedback" });

export const Feedback = z
  .object({
    message_id: WideId,
    rating: z.enum(feedbackRatings),
    comment: z.string().nullable(),
    updated_at: Instant,
  })
  .meta({ id: "Feedback" });

export const ChatMessage = z
  .object({
    id: WideId,
    role: z.enum(messageRoles),
    content: z.string(),
    meta: AnswerMeta,
    question: Question.nullable(),
    moves: moves.meta({
      description:
        "For an answer whose question has a key: moves instead of an option, until the next message. Absent " +
        "in shared conversations",
    }),
    feedback: z
      .object({ rating: z.enum(feedbackRatings), comment: z.string().nullable() })
      .nullable()
      .meta({ description: "The learner's rating, visible only to them" }),
    sources: z.array(MessageSource).meta({
      description:
        "For a private answer: the cited passages that the caller can open now. Absent in shared " +
        "conversations",
    }),
    created_at: Instant,
  })
  .meta({ id: "ChatMessage" });

const messagePage = {
  messages: z.array(ChatMessage).meta({ description: "Oldest first" }),
  has_more: z.boolean().meta({ description: "Whether older messages exist" }),
};

export const ChatMessagePage = z.object(messagePage).meta({ id: "ChatMessagePage" });

export const MessagePageQuery = z.object({
  before: WideIdText.optional().meta({ description: "Only messages before this id" }),
  limit: integerText(integer(1, 100)).default(100),
});

export const ChatSessionListQuery = z.object({
  ...pagination,
  content_item_id: IdText.optional().meta({ description: "Only conversations about this item" }),
});

export const ChatSessionSummary = z
  .object({
    ...sessionFields,
    content_context: JsonObject.meta({
      description: "The content item when the session started, without its description and `data_json`",
    }),
    message_count: z.int(),
    last_message_at: Instant.nullable(),
  })
  .meta({ id: "ChatSessionSummary" });

export const ChatSessionWithMessages = z
  .object({
    ...ChatSession.shape,
    answering: z
      .object({ since: Instant, message_id: WideId })
      .nullable()
      .meta({ description: "The message whose answer is pending; stream it with `GET …/stream`" }),
    handovers: z.array(ChatHandover).meta({
      description: "The conversation's hand-offs with replies, newest first, at most ten",
    }),
    ...messagePage,
  })
  .meta({ id: "ChatSessionWithMessages" });

export const Share = z
  .object({ share_token: z.string(), share_url: z.string() })
  .meta({ id: "Share", example: { share_token: "q0…", share_url: "/api/v1/chat/share/q0…" } });

/** A session as read by its shared link. */
export const SharedSession = z
  .object({
    title: z.string(),
    content_context: JsonObject,
    ...messagePage,
    created_at: Instant,
  })
  .meta({ id: "SharedSession" });

export const CacheNode = z
  .object({
    id: WideId,
    parent_id: WideId.nullable(),
    message: z.string().meta({ description: "Message that is answered, in normalized form" }),
    answer: z.string(),
    model: z.string(),
    prompt_name: z.string(),
    prompt_version: z.int(),
    question: Question.nullable(),
    key: QuestionKey.nullable(),
    hits: z.int().meta({ description: "Answers served from the cache" }),
    visits: z.int().meta({
      description: "Answers served to learners here: hits and subscriptions to running generations",
    }),
    options: z
      .array(
        z.object({
          id: z.string(),
          text: z.string(),
          visits: z.int(),
          share: z
            .number()
            .nullable()
            .meta({ description: "Share of all answers to the question; null before the first" }),
        }),
      )
      .meta({ description: "Selections of each option" }),
    moves: moves.meta({ description: "Moves that the question offers in addition to its options" }),
    moves_taken: z
      .array(
        z.object({
          move: z.string().meta({ description: "Name of the move", example: "@hint" }),
          visits: z.int(),
        }),
      )
      .meta({ description: "Uses of each move; not included in the options' shares" }),
    feedback: z.object({ up: z.int(), down: z.int() }),
    sessions_diverged: z.int().meta({ description: "Sessions that left the tree after this answer" }),
    last_used_at: Instant,
    created_at: Instant,
    edited_by: Id.nullable().meta({
      description: "The person who replaced the LLM's answer by their own text",
    }),
    edited_at: Instant.nullable(),
    version: Version,
    is_waiting: z.boolean().meta({
      description:
        "Whether it awaits approval by staff, in an item with `tutor_mode` REVIEWED; not served to learners",
    }),
    warmed: z.boolean().meta({
      description:
        "Whether it was pre-generated (`POST /content/{id}/warm`) instead of by a learner's message",
    }),
    is_live: z.boolean().meta({
      description: "Whether new conversations are served this answer; during a rollout, whether some are",
    }),
    is_pinned: z.boolean().meta({
      description: "Whether its text is pinned: kept through new prompts, changes of the item and copies",
    }),
    origin_node_id: WideId.nullable().meta({
      description: "For a copied item: the original's answer that this one was copied from",
    }),
  })
  .meta({ id: "CacheNode" });

export const TopicTreeQuery = z.object({
  ...pagination,
  waiting: BooleanText.optional().meta({
    description: "`true`: only answers that await approval; `false`: only others",
  }),
});

export const TopicTree = z
  .object({
    content_item_id: Id,
    sessions_diverged_at_start: z.int().meta({ description: "Sessions that left before the first answer" }),
    total: z.int(),
    waiting: z.int().meta({ description: "Number of answers that await approval" }),
    nodes: z.array(CacheNode).meta({ description: "Parents before their children" }),
  })
  .meta({ id: "TopicTree" });

/** The messages that lead to an answer, normalized, from the root. */
const path = z
  .array(z.string())
  .meta({ description: "Messages that lead to the node from `Start.`, inclusive" });

/** Length of excerpts in lists of changes and pins. */
export const excerptLength = 4000;

const excerpt = z.string().meta({ description: `At most the first ${excerptLength} characters` });

/** A text of staff, pinned to the messages that lead to it and the question before it. */
export const AnswerPin = z
  .object({
    id: WideId,
    content_item_id: Id,
    path,
    asked: Question.nullable().meta({
      description: "The question that its last message answers; null without one",
    }),
    answer: excerpt,
    state: upperEnum(pinStates).meta({
      description:
        "`LIVE`: served to learners. `WAITING`: served to the next learner at this node. `STALE`: the " +
        "question there has changed; not served until confirmed",
    }),
    asked_now: Question.nullable().meta({
      description: "For a stale pin: the present question there",
    }),
    pinned_by: Id.nullable(),
    pinned_at: Instant,
  })
  .meta({ id: "AnswerPin" });

export const TreeChange = z
  .object({
    id: WideId,
    content_item_id: Id,
    action: upperEnum(treeChangeActions),
    node_id: WideId,
    path,
    former_answer: excerpt,
    answer: excerpt.nullable().meta({ description: "The replacement text; null if the answer was purged" }),
    removed_count: z
      .int()
      .meta({ description: "Number of answers deleted by the change, including those that followed" }),
    changed_by: Id.nullable(),
    changed_at: Instant,
    undone_by: Id.nullable(),
    undone_at: Instant.nullable(),
    can_undo: z.boolean().meta({
      description:
        "Whether it can be undone: the last change of the node, not undone, with its data still stored",
    }),
  })
  .meta({ id: "TreeChange" });

/** Smaller pages for lists with long texts. */
export const treePagination = paginationOf({ limit: 50, max: 100 });

export type AnswerPin = z.input<typeof AnswerPin>;
export type TreeChange = z.input<typeof TreeChange>;

export const CacheNodeUpdate = z
  .object({
    answer: title(100_000).optional().meta({
      description: "Text for later learners; also approves an answer that awaits review",
    }),
    approved: z.boolean().optional().meta({
      description: "Only `true`: approves the present text for later learners, unless `answer` is sent",
    }),
    removes_question: z
      .boolean()
      .optional()
      .meta({
        description:
          "Whether a text without a question removes the answer's question. Default: the question stays below " +
          "the text, with its key",
      }),
    keep_children: z
      .boolean()
      .optional()
      .meta({
        description:
          "Whether the following answers stay. Default: they stay if the question is the same (its id, text, " +
          "and each option's id and text). With a changed question, `true` keeps those after options with the " +
          "same id and text",
      }),
  })
  .refine(({ approved }) => approved !== false, {
    path: ["approved"],
    error: "An approval is not taken back: purge the answer, or put another in its place",
  })
  .refine(({ answer, approved }) => answer !== undefined || approved !== undefined, {
    path: ["answer"],
    error: "Field required, unless the answer is approved",
  })
  .meta({ id: "CacheNodeUpdate" });

export type ChatMessagePage = z.input<typeof ChatMessagePage>;
export type MessagePageQuery = z.output<typeof MessagePageQuery>;
export type AnswerFeedback = z.output<typeof AnswerFeedback>;
export type Feedback = z.input<typeof Feedback>;
export type QuestionKeyUpdate = z.output<typeof QuestionKeyUpdate>;
export type CacheNodeUpdate = z.output<typeof CacheNodeUpdate>;
export type TopicTreeQuery = z.output<typeof TopicTreeQuery>;
export type CacheNode = z.input<typeof CacheNode>;
export type TopicTree = z.input<typeof TopicTree>;
export type SharedSession = z.input<typeof SharedSession>;
export type ChatSessionSummary = z.input<typeof ChatSessionSummary>;
export type ChatSessionWithMessages = z.input<typeof ChatSessionWithMessages>;
export type NotRead = z.output<typeof NotRead>;
export type ChatSessionListQuery = z.output<typeof ChatSessionListQuery>;
export type ChatSessionUpdate = z.output<typeof ChatSessionUpdate>;
export type ChatSessionCreate = z.output<typeof ChatSessionCreate>;
export type ChatSession = z.input<typeof ChatSession>;
export type ChatMessage = z.input<typeof ChatMessage>;
export type AnswerMeta = z.input<typeof AnswerMeta>;

/**
 * An event of an answer's stream. `restart` invalidates everything sent before. The last event has `done`
 * true and the question, or `error` without an answer. An answer that had not begun after ten seconds has a
 * retry time too.
 */
export type StreamEvent =
  | { content: string; done: false; restart?: true }
  | {
      content: "";
      done: true;
      message_id: number;
      question?: QuestionOfAnswer;
      moves?: string[];
      path?: AnswerPath;
      checks?: AnswerCheck[];
      sources?: z.output<typeof MessageSource>[];
    }
  | { content: ""; done: true; error: string; code: string; retry_after?: number };
