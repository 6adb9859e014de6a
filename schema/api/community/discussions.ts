import * as z from "zod";
import { messageRoles, reportOutcomes, threadAudiences } from "../../enums.ts";
import { ofGroup } from "../courses/groups.ts";
import { CourseLanguage } from "../courses/summaries.ts";
import { FileSummary, fileIds } from "../files/files.ts";
import { namesOnePerson, personFields } from "../identity/named-person.ts";
import {
  Id,
  IdText,
  Instant,
  integer,
  integerText,
  lowerEnum,
  pagination,
  paginationOf,
  text,
  title,
  upperEnum,
  WideId,
  WideIdText,
} from "../platform/fields.ts";
import { CourseReview } from "./reviews.ts";

/** A hundred posts of this length, with each character escaped, fit into one response. */
const Words = title(8000).meta({ example: "Why does the sum of two sines beat?" });

const Files = fileIds(10).meta({
  example: [],
  description: "Files of purpose POST, uploaded for this offering",
});

export const DiscussionThreadCreate = z
  .object({
    title: title(255).nullable().meta({ example: "Beats" }),
    body: Words.meta({ description: "Text of the first post" }),
    file_ids: Files.optional(),
    module_id: Id.nullable().meta({
      description: "The module of the offering's course that the discussion is about",
    }),
    content_item_id: Id.nullable().meta({
      description: "The item of the offering's course that the discussion is about",
    }),
  })
  .partial({ title: true, module_id: true, content_item_id: true })
  .meta({ id: "DiscussionThreadCreate" });

export const PrivateThreadCreate = z
  .object({
    ...personFields,
    title: title(255).nullable().optional().meta({ example: "Your lab" }),
    body: Words.meta({ description: "Text of the first post" }),
    file_ids: Files.optional(),
  })
  .check(namesOnePerson)
  .meta({ id: "PrivateThreadCreate", example: { user_id: 4, body: "How are you getting on with the lab?" } });

export const DiscussionThreadUpdate = z
  .object({
    title: title(255).nullable(),
    answer_post_id: WideId.nullable().meta({
      description: "The post of this thread that answers its question; null unmarks it",
    }),
    is_pinned: z.boolean().meta({ description: "Staff only: lists the thread before others" }),
    is_locked: z.boolean().meta({ description: "Staff only: prevents new posts and edits" }),
  })
  .partial()
  .meta({ id: "DiscussionThreadUpdate" });

export const DiscussionThread = z
  .object({
    id: Id,
    course_offering_id: Id,
    module_id: Id.nullable(),
    content_item_id: Id.nullable(),
    language_code: CourseLanguage,
    title: z.string().nullable(),
    visible: upperEnum(threadAudiences).meta({
      description:
        "`CLASS`: visible to the offering's people. `STAFF`: visible to the author, the private thread's " +
        "learner, and the offering's staff",
    }),
    learner_user_id: Id.nullable().meta({
      description: "The learner of a private thread; null for other threads",
    }),
    learner_name: z.string().nullable().meta({ description: "Name of the learner of a private thread" }),
    created_by_user_id: Id.nullable().meta({ description: "Null if the author's account was erased" }),
    created_by_name: z.string().nullable(),
    is_pinned: z.boolean(),
    is_locked: z.boolean(),
    answer_post_id: WideId.nullable(),
    post_count: z.int().min(0).meta({ description: "Number of posts, including deleted ones" }),
    last_post_at: Instant,
    created_at: Instant,
  })
  .meta({ id: "DiscussionThread" });

/** The excerpt of a tutor session above its thread. */
const ThreadHandover = z.object({
  content_item_id: Id.nullable().meta({ description: "Topic of the conversation" }),
  node_id: WideId.nullable().meta({
    description:
      "For course staff: the stored answer at the end of the excerpt, which they may edit. Null without one",
  }),
  excerpt: z
    .array(z.object({ id: WideId, role: z.enum(messageRoles), content: z.string(), created_at: Instant }))
    .meta({ description: "Messages as sent, oldest first" }),
});

/** A thread with the excerpt that was handed over to it. */
export const DiscussionThreadWithHandover = z
  .object({
    ...DiscussionThread.shape,
    handover: ThreadHandover.nullable().meta({
      description: "The hand-off from a tutor conversation; null for other threads",
    }),
  })
  .meta({ id: "DiscussionThreadWithHandover" });

/** Maximum messages and total characters of a hand-over. */
export const maxHandoverSize = { messages: 20, characters: 100_000 };

export const ChatHandoverCreate = z
  .object({
    message_ids: z.array(WideId).min(1).max(maxHandoverSize.messages).meta({
      description: "Messages of the conversation, in any order; shown in the order of the conversation",
    }),
    question: Words.meta({
      example: "I still do not see why it is not A. Can someone explain?",
      description: "The learner's question, which becomes the first post",
    }),
    visible: upperEnum(threadAudiences).meta({
      description:
        "`STAFF`: visible to the caller and the offering's staff. `CLASS`: visible to the whole offering",
    }),
    course_offering_id: Id.optional().meta({
      description:
        "The offering to ask. Default: the offering in which the caller takes or teaches the course",
    }),
  })
  .meta({ id: "ChatHandoverCreate" });

export const ChatHandover = z
  .object({
    thread_id: Id,
    course_offering_id: Id,
    visible: upperEnum(threadAudiences).meta({
      description: "Readers of the thread: the class, or only its author and staff",
    }),
    message_ids: z.array(WideId).meta({ description: "The messages, in their order" }),
    question: z.string(),
    created_at: Instant,
    post_count: z.int().min(0).meta({ description: "Number of posts of the thread, including the question" }),
    replies: z
      .array(
        z.object({
          post_id: WideId,
          user_id: Id.nullable(),
          user_name: z.string().nullable(),
          body: z.string(),
          created_at: Instant,
        }),
      )
      .meta({ description: "The newest visible replies, oldest first" }),
  })
  .meta({ id: "ChatHandover" });

export const DiscussionThreadQuery = z.object({
  group_id: ofGroup,
  module_id: IdText.optional(),
  content_item_id: IdText.optional(),
  unanswered: lowerEnum(["true", "false"])
    .default("false")
    .meta({ description: "`true` returns only threads without a marked answer" }),
  q: text(255)
    .optional()
    .meta({
      description:
        'Words in the title or a post, in any grammatical form. Supports `"a phrase"`, `or`, ' +
        "and `-without`",
    }),
  ...pagination,
});

export const DiscussionPostCreate = z
  .object({
    body: Words,
    parent_post_id: WideId.nullable().meta({ description: "The parent post; at most 8 levels" }),
    file_ids: Files.optional(),
  })
  .partial({ parent_post_id: true })
  .meta({ id: "DiscussionPostCreate" });

export const DiscussionPostUpdate = z
  .object({
    body: Words,
    file_ids: Files.nullish().meta({ description: "Replaces the files of the post; if absent, they stay" }),
  })
  .meta({ id: "DiscussionPostUpdate" });

export const DiscussionPost = z
  .object({
    id: WideId,
    thread_id: Id,
    parent_post_id: WideId.nullable(),
    depth: z.int().min(0).max(8).meta({ description: "0 for a post that replies to none" }),
    user_id: Id.nullable().meta({ description: "Null if the author's account was erased" }),
    user_name: z.string().nullable(),
    user_avatar_url: z
      .string()
      .nullable()
      .meta({ example: null, description: "Address of the author's picture" }),
    body: z.string().nullable().meta({
      description: "Plain text. Null if deleted. If hidden, null except for its author and staff",
    }),
    files: z.array(FileSummary).meta({ description: "Visible like the text" }),
    is_deleted: z.boolean(),
    is_hidden: z.boolean(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "DiscussionPost" });

export const DiscussionPostPage = z
  .object({
    posts: z.array(DiscussionPost).meta({ description: "Oldest first; replies come after their parent" }),
    has_more: z.boolean().meta({ description: "Whether later posts exist" }),
  })
  .meta({ id: "DiscussionPostPage" });

export const DiscussionPostQuery = z.object({
  after: WideIdText.optional().meta({ description: "Only posts after this id" }),
  limit: integerText(integer(1, 100)).default(100),
});

export const DiscussionReportCreate = z
  .object({ reason: title(2000).meta({ example: "It insults someone" }) })
  .meta({ id: "DiscussionReportCreate" });

const reportFields = {
  id: Id,
  post_id: WideId.nullable().meta({ description: "The reported post; null for a review" }),
  review_id: WideId.nullable().meta({ description: "The reported review; null for a post" }),
  reason: z.string(),
  outcome: upperEnum(reportOutcomes).nullable().meta({ description: "Null until staff decide" }),
  resolved_at: Instant.nullable(),
  created_at: Instant,
};

export const DiscussionReport = z.object(reportFields).meta({ id: "DiscussionReport" });

/** A report for staff, with the post or review. */
export const DiscussionReportForStaff = z
  .object({
    ...reportFields,
    user_id: Id.meta({ description: "The reporter" }),
    user_name: z.string(),
    thread_title: z.string().nullable(),
    post: DiscussionPost.nullable(),
    review: CourseReview.nullable(),
  })
  .meta({ id: "DiscussionReportForStaff" });

export const DiscussionReportQuery = z.object({
  state: lowerEnum(["open", "resolved", "all"]).default("open"),
  ...paginationOf({ limit: 50, max: 100 }),
});

export const Moderation = z
  .object({
    is_hidden: z.boolean().meta({
      description: "True hides the text. False dismisses the reports and shows the text",
    }),
  })
  .meta({ id: "Moderation" });

export type DiscussionThreadCreate = z.output<typeof DiscussionThreadCreate>;
export type PrivateThreadCreate = z.output<typeof PrivateThreadCreate>;
export type DiscussionThreadUpdate = z.output<typeof DiscussionThreadUpdate>;
export type DiscussionThread = z.input<typeof DiscussionThread>;
export type DiscussionThreadWithHandover = z.input<typeof DiscussionThreadWithHandover>;
export type ChatHandoverCreate = z.output<typeof ChatHandoverCreate>;
export type ChatHandover = z.input<typeof ChatHandover>;
export type DiscussionThreadQuery = z.output<typeof DiscussionThreadQuery>;
export type DiscussionPostCreate = z.output<typeof DiscussionPostCreate>;
export type DiscussionPostUpdate = z.output<typeof DiscussionPostUpdate>;
export type DiscussionPost = z.input<typeof DiscussionPost>;
export type DiscussionPostPage = z.input<typeof DiscussionPostPage>;
export type DiscussionPostQuery = z.output<typeof DiscussionPostQuery>;
export type DiscussionReport = z.input<typeof DiscussionReport>;
export type DiscussionReportForStaff = z.input<typeof DiscussionReportForStaff>;
export type DiscussionReportQuery = z.output<typeof DiscussionReportQuery>;
