import * as z from "zod";
import {
  type AnswerPath,
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
import { deepestJson, nestsTooDeep } from "../platform/json-depth.ts";
import { BooleanText } from "../platform/search-and-sort.ts";

export const ChatSessionCreate = z
  .object({
    content_item_id: Id,
    aside_of: WideId.optional().meta({
      description:
        "A conversation of one's own about the item: the new one begins with its path so far, for words that leave it there",
    }),
    prompt_version: integer(1).optional().meta({
      description:
        "For the course's staff: the version of the tutor's prompt to talk with, whatever is labelled `production`. What it answers is nobody else's",
    }),
    prompt_name: title(255).optional().meta({
      description: "Of `prompt_version`; absent, the prompt that teaches items of this type",
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
const longestTitle = 255;

export const ChatSessionUpdate = z
  .object({
    title: title(longestTitle)
      .nullable()
      .optional()
      .meta({ description: "What its owner calls it; null: nothing" }),
  })
  .meta({ id: "ChatSessionUpdate" });

/** A part of the item that the tutor has not read. */
export const NotRead = z
  .object({
    label: z.string().meta({ description: "What it is called" }),
    kind: upperEnum(notReadKinds).meta({
      description:
        "A `FILM` without a transcript, a `PICTURE`, a `FILE`, a `PAGE` behind a link, a `POOL` of questions, the `REST` of material that is longer than a tutor is given, or `OTHER` data",
    }),
  })
  .meta({ id: "NotRead" });

/** The prompt version that a session tries. */
export const PromptTried = z.object({ name: z.string(), version: z.int() });

const sessionFields = {
  id: WideId,
  user_id: Id,
  content_item_id: Id,
  content_context: JsonObject.meta({ description: "The content item as it was when the session began" }),
  share_enabled: z.boolean(),
  share_token: z.string().nullable(),
  cache_node_id: WideId.nullable().meta({ description: "The cursor in the tree of shared answers" }),
  cache_state: upperEnum(cacheStates),
  title: z.string().nullable().meta({ description: "What its owner calls it; null: nothing" }),
  aside_of: WideId.nullable().meta({
    description: "Of an aside: the conversation on whose path it begins, and which it leaves there",
  }),
  closed_at: Instant.nullable().meta({
    description: "Of an aside: since when another took its place; it is read, and takes no new words",
  }),
  tried_prompt: PromptTried.nullable().meta({
    description:
      "Of a conversation that tries a version of the tutor's prompt; null: the one labelled production",
  }),
  created_at: Instant,
  updated_at: Instant,
};

export const ChatSession = z
  .object({
    ...sessionFields,
    cache_enabled: z.boolean().meta({
      description: "Whether the item's course shares answers among its learners at all",
    }),
    not_read: z.array(NotRead).meta({ description: "What of the item the tutor has not read" }),
  })
  .meta({ id: "ChatSession" });

/** Maximum length of a message, in characters. */
const longestMessage = 32_000;

export const ChatMessageCreate = z
  .object({
    content: text(longestMessage)
      .refine((content) => content.trim() !== "", "Message should not be blank")
      .refine(
        (content) => !nestsTooDeep(content),
        `JSON in a message should nest at most ${deepestJson} deep`,
      )
      .meta({
        description:
          "`Start.` to be greeted, a JSON object `{questionId, answer}` to answer a question, one of its `moves`, such as `@hint`, by itself or as that `answer`, one with `type` `followup` to ask back, or any text; the last two leave the answers that the class shares",
        example: '{"questionId":"q1","answer":"B"}',
      }),
    client_message_id: text(128).min(1).optional().meta({
      description:
        "The client's own name for the message, unique in the session: sent again, it is not said twice, and is answered with what was answered then",
    }),
  })
  .meta({ id: "ChatMessageCreate" });

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
    .meta({ description: "Whether another learner's call of the LLM made the answer" }),
  move: z.string().optional().meta({
    description: "Of an answer to a move: what it was taken as, where a fourth `@hint` is an `@example`",
    example: "@hint",
  }),
  stop: z.enum(answerStops).optional().meta({
    description:
      "Why the answer is kept on no path: it ended before its end, or its question could not be read",
  }),
  path: z.enum(answerPaths).optional().meta({
    description:
      "`lost`: the path that led here was changed meanwhile, or its answer waits for staff to approve it, so this one is private; `Start.` leads back",
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
  id: z.string().meta({ description: "A wrong option" }),
  text: z.string().meta({ description: "What whoever takes it may believe" }),
});

const QuestionKey = z
  .object({
    answer: z.string().meta({ description: "The id of the right option" }),
    misconceptions: z
      .array(misconception)
      .meta({ description: "What whoever takes a wrong option may believe" }),
    skill: z.string().nullable().meta({ description: "What the question asks for" }),
  })
  .meta({ id: "TutorQuestionKey", description: "Which option of a question is right; no learner reads it" });

const keyWords = title(80);

export const QuestionKeyUpdate = z
  .object({
    answer: title(1000).meta({ description: "The id of the right option" }),
    misconceptions: list(z.object({ id: title(1000), text: keyWords }), { max: 26 })
      .default([])
      .meta({ description: "What whoever takes a wrong option may believe" }),
    skill: keyWords.nullable().default(null).meta({ description: "What the question asks for" }),
  })
  .meta({ id: "TutorQuestionKeyUpdate" });

const MessageSource = z.object({
  number: z.int().meta({ description: "The answer's words cite it as `[§1]`" }),
  content_item_id: Id,
  title: z.string().meta({ description: "Of the item" }),
  place: z
    .object({
      block: z.int().optional().meta({ description: "Of a page: its block, counted from 1" }),
      seconds: z.int().optional().meta({ description: "Of a film: when it is said" }),
      file: z.string().optional().meta({ description: "Of an item's file: its name" }),
    })
    .meta({ description: "Where it stands in the item; without a key in the item's own words" }),
  perhaps: z.boolean().meta({
    description:
      "Whether the answer was told that it helps perhaps: for fewer than 60 % of the questions of the course's quizzes a right passage is among five, or there are fewer than 20",
  }),
});

/** An event of an answer's stream for the API document; see `StreamEvent` for valid combinations of fields. */
export const TutorEvent = z
  .object({
    content: z.string().meta({ description: "The next words; empty in the last event" }),
    done: z.boolean().meta({ description: "Whether this is the last event" }),
    restart: z.boolean().optional().meta({
      description: "What was told so far does not hold: clear it, the answer is told anew",
    }),
    message_id: WideId.optional().meta({ description: "In the last event: the stored answer" }),
    question: Question.optional(),
    moves: moves
      .optional()
      .meta({ description: "In the last event: what may be said to the question in place of an option" }),
    path: z.enum(answerPaths).optional().meta({
      description:
        "In the last event, `lost`: the path that led here was changed meanwhile, and `Start.` leads back to it",
    }),
    sources: z.array(MessageSource).optional().meta({
      description:
        "In the last event: the passages that the answer cites, as its message has them; left out where there are none",
    }),
    error: z.string().optional().meta({ description: "In the last event: why there is no answer" }),
    code: z
      .string()
      .optional()
      .meta({ description: "Beside `error`: what rule refuses, as `X-Error-Code` says it of answers" }),
    retry_after: z.int().optional().meta({
      description:
        "Beside `error`, where nothing was told before: in how many seconds to send the message again",
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
        "Of an answer whose question has a key: what may be said to it in place of an option, while nothing else was said. In no shared conversation",
    }),
    feedback: z
      .object({ rating: z.enum(feedbackRatings), comment: z.string().nullable() })
      .nullable()
      .meta({ description: "What the learner thinks of the answer; theirs alone to see" }),
    sources: z.array(MessageSource).meta({
      description:
        "Of a private answer: the passages that it cites, of those that it was offered and its reader may open now. In no shared conversation",
    }),
    created_at: Instant,
  })
  .meta({ id: "ChatMessage" });

const messagePage = {
  messages: z.array(ChatMessage).meta({ description: "Oldest first" }),
  has_more: z.boolean().meta({ description: "Whether there are older messages" }),
};

export const ChatMessagePage = z.object(messagePage).meta({ id: "ChatMessagePage" });

export const MessagePageQuery = z.object({
  before: WideIdText.optional().meta({ description: "Only messages before this one" }),
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
      description:
        "The content item as it was when the session began, without its description and `data_json`",
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
      .meta({ description: "The message whose answer is being written; `GET …/stream` listens to it" }),
    handovers: z.array(ChatHandover).meta({
      description: "What one handed over of it to people, newest first, and what they said: at most ten",
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
    message: z.string().meta({ description: "What is answered, in its normal form" }),
    answer: z.string(),
    model: z.string(),
    prompt_name: z.string(),
    prompt_version: z.int(),
    question: Question.nullable(),
    key: QuestionKey.nullable(),
    hits: z.int().meta({ description: "Answers that were found stored" }),
    visits: z
      .int()
      .meta({ description: "Answers that learners got here: hits, and those that they heard being written" }),
    options: z
      .array(
        z.object({
          id: z.string(),
          text: z.string(),
          visits: z.int(),
          share: z
            .number()
            .nullable()
            .meta({ description: "Of all answers to the question; null before the first" }),
        }),
      )
      .meta({ description: "How often each option of the question was chosen" }),
    moves: moves.meta({ description: "What the question offers beside its options" }),
    moves_taken: z
      .array(
        z.object({ move: z.string().meta({ description: "Its name", example: "@hint" }), visits: z.int() }),
      )
      .meta({ description: "How often each was made; no option's share counts them" }),
    feedback: z.object({ up: z.int(), down: z.int() }),
    sessions_diverged: z.int().meta({ description: "Sessions that left the tree after this answer" }),
    last_used_at: Instant,
    created_at: Instant,
    edited_by: Id.nullable().meta({ description: "Who replaced the LLM's answer by a text of their own" }),
    edited_at: Instant.nullable(),
    version: Version,
    is_waiting: z.boolean().meta({
      description:
        "Whether it waits for staff to approve it, in an item of `tutor_mode` REVIEWED: no learner is told it",
    }),
    warmed: z.boolean().meta({
      description:
        "Whether it was made before a class came (`POST /content/{id}/warm`), for no learner's message",
    }),
    is_live: z.boolean().meta({
      description: "Whether whoever begins now is given this answer; while a rollout runs, whether some are",
    }),
    is_pinned: z.boolean().meta({
      description: "Whether its text is pinned: kept through new prompts, changes of the item and copies",
    }),
    origin_node_id: WideId.nullable().meta({
      description: "The answer that this one was taken over from, of the item that this item was copied from",
    }),
  })
  .meta({ id: "CacheNode" });

export const TopicTreeQuery = z.object({
  ...pagination,
  waiting: BooleanText.optional().meta({
    description: "Only answers that wait for staff to approve them, or only those that do not",
  }),
});

export const TopicTree = z
  .object({
    content_item_id: Id,
    sessions_diverged_at_start: z.int().meta({ description: "Sessions that left before the first answer" }),
    total: z.int(),
    waiting: z.int().meta({ description: "Answers that wait for staff to approve them" }),
    nodes: z.array(CacheNode).meta({ description: "Parents before their children" }),
  })
  .meta({ id: "TopicTree" });

/** The messages that lead to an answer, normalized, from the root. */
const path = z
  .array(z.string())
  .meta({ description: "The messages that lead there from `Start.`, itself included" });

/** Length of excerpts in lists of changes and pins. */
export const excerptLength = 4000;

const excerpt = z.string().meta({ description: `At most its first ${excerptLength} characters` });

/** A text of staff, pinned to the messages that lead to it and the question before it. */
export const AnswerPin = z
  .object({
    id: WideId,
    content_item_id: Id,
    path,
    asked: Question.nullable().meta({ description: "The question that its last message answers" }),
    answer: excerpt,
    state: upperEnum(pinStates).meta({
      description:
        "`LIVE`: learners are told it; `WAITING`: whoever comes there is told it; `STALE`: the question there is another, and nobody is told it until it is confirmed",
    }),
    asked_now: Question.nullable().meta({
      description: "Of a stale one: the question that is asked there now",
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
    answer: excerpt
      .nullable()
      .meta({ description: "The text that took its place; null where it was purged" }),
    removed_count: z.int().meta({ description: "How many answers went by it, with those that followed" }),
    changed_by: Id.nullable(),
    changed_at: Instant,
    undone_by: Id.nullable(),
    undone_at: Instant.nullable(),
    can_undo: z.boolean().meta({
      description: "It is the last change there, not taken back yet, and what went by it is still kept",
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
      description: "The text that later learners get; an answer that waits is approved by it",
    }),
    approved: z.boolean().optional().meta({
      description:
        "`true`, and no other: without a text it approves what the answer says, which later learners get from then on",
    }),
    removes_question: z.boolean().optional().meta({
      description:
        "Whether a text that asks nothing removes the question of the answer. Absent or `false`: the question stays, with its key, below the text",
    }),
    keep_children: z.boolean().optional().meta({
      description:
        "Whether the answers that follow stay. Absent: they do where the question stays the same (its id, its text, and each option's id and text). With another question `true` keeps those that follow an option whose id and text are as before",
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
      sources?: z.output<typeof MessageSource>[];
    }
  | { content: ""; done: true; error: string; code: string; retry_after?: number };
