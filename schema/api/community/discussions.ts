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
  description: "Files of purpose POST that were sent for this offering",
});

export const DiscussionThreadCreate = z
  .object({
    title: title(255).nullable().meta({ example: "Beats" }),
    body: Words.meta({ description: "The first post" }),
    file_ids: Files.optional(),
    module_id: Id.nullable().meta({ description: "A module of the offering's course that it is about" }),
    content_item_id: Id.nullable().meta({ description: "An item of the offering's course that it is about" }),
  })
  .partial({ title: true, module_id: true, content_item_id: true })
  .meta({ id: "DiscussionThreadCreate" });

export const PrivateThreadCreate = z
  .object({
    ...personFields,
    title: title(255).nullable().optional().meta({ example: "Your lab" }),
    body: Words.meta({ description: "The first post" }),
    file_ids: Files.optional(),
  })
  .check(namesOnePerson)
  .meta({ id: "PrivateThreadCreate", example: { user_id: 4, body: "How are you getting on with the lab?" } });

export const DiscussionThreadUpdate = z
  .object({
    title: title(255).nullable(),
    answer_post_id: WideId.nullable().meta({ description: "The post of this thread that answers it" }),
    is_pinned: z.boolean().meta({ description: "Staff only: it stands before the others" }),
    is_locked: z.boolean().meta({ description: "Staff only: nobody posts in it or edits a post" }),
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
        "`CLASS`: to the offering's people; `STAFF`: to who began it, the learner whom it is with, and the offering's staff",
    }),
    learner_user_id: Id.nullable().meta({
      description: "With whom alone of the class staff have it; null for any other thread",
    }),
    learner_name: z.string().nullable().meta({ description: "What that learner is called" }),
    created_by_user_id: Id.nullable().meta({ description: "Null when the person has left for ever" }),
    created_by_name: z.string().nullable(),
    is_pinned: z.boolean(),
    is_locked: z.boolean(),
    answer_post_id: WideId.nullable(),
    post_count: z.int().min(0).meta({ description: "Of all posts, deleted ones too" }),
    last_post_at: Instant,
    created_at: Instant,
  })
  .meta({ id: "DiscussionThread" });

/** The excerpt of a tutor session above its thread. */
const ThreadHandover = z.object({
  content_item_id: Id.nullable().meta({ description: "What the conversation is about" }),
  node_id: WideId.nullable().meta({
    description:
      "For the course's staff: the stored answer that the excerpt ends with, which they may edit. Null where it is none",
  }),
  excerpt: z
    .array(z.object({ id: WideId, role: z.enum(messageRoles), content: z.string(), created_at: Instant }))
    .meta({ description: "Messages as they were told, oldest first" }),
});

/** A thread with the excerpt that was handed over to it. */
export const DiscussionThreadWithHandover = z
  .object({
    ...DiscussionThread.shape,
    handover: ThreadHandover.nullable().meta({
      description: "What was handed over of a conversation with the tutor; null for any other thread",
    }),
  })
  .meta({ id: "DiscussionThreadWithHandover" });

/** Maximum messages and total characters of a hand-over. */
export const longestHandover = { messages: 20, characters: 100_000 };

export const ChatHandoverCreate = z
  .object({
    message_ids: z
      .array(WideId)
      .min(1)
      .max(longestHandover.messages)
      .meta({ description: "Messages of the conversation, in any order; they are told in theirs" }),
    question: Words.meta({
      example: "I still do not see why it is not A. Can someone explain?",
      description: "What one asks a person: the thread's first post",
    }),
    visible: upperEnum(threadAudiences).meta({
      description: "`STAFF`: to oneself and the offering's staff alone; `CLASS`: to all of the offering",
    }),
    course_offering_id: Id.optional().meta({
      description:
        "The offering whose people are asked. Absent: the one in which one takes the course, or teaches it",
    }),
  })
  .meta({ id: "ChatHandoverCreate" });

export const ChatHandover = z
  .object({
    thread_id: Id,
    course_offering_id: Id,
    visible: upperEnum(threadAudiences).meta({ description: "Who reads the thread" }),
    message_ids: z.array(WideId).meta({ description: "The messages, in their order" }),
    question: z.string(),
    created_at: Instant,
    post_count: z.int().min(0).meta({ description: "Of all posts of the thread, the question too" }),
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
      .meta({ description: "The newest that are there to read, oldest first" }),
  })
  .meta({ id: "ChatHandover" });

export const DiscussionThreadQuery = z.object({
  group_id: ofGroup,
  module_id: IdText.optional(),
  content_item_id: IdText.optional(),
  unanswered: lowerEnum(["true", "false"])
    .default("false")
    .meta({ description: "`true`: those of which no post is marked as the answer" }),
  q: text(255).optional().meta({
    description:
      'Words in the title or in a post, searched for in any form of the course\'s language, `"a phrase"`, `or`, and `-without`',
  }),
  ...pagination,
});

export const DiscussionPostCreate = z
  .object({
    body: Words,
    parent_post_id: WideId.nullable().meta({ description: "The post that it answers; at most 8 nest" }),
    file_ids: Files.optional(),
  })
  .partial({ parent_post_id: true })
  .meta({ id: "DiscussionPostCreate" });

export const DiscussionPostUpdate = z
  .object({
    body: Words,
    file_ids: Files.nullish().meta({ description: "In place of those that are there; absent: these stay" }),
  })
  .meta({ id: "DiscussionPostUpdate" });

export const DiscussionPost = z
  .object({
    id: WideId,
    thread_id: Id,
    parent_post_id: WideId.nullable(),
    depth: z.int().min(0).max(8).meta({ description: "0 for a post that answers none" }),
    user_id: Id.nullable().meta({ description: "Null when the person has left for ever" }),
    user_name: z.string().nullable(),
    user_avatar_url: z
      .string()
      .nullable()
      .meta({ example: null, description: "Where their picture is read" }),
    body: z.string().nullable().meta({
      description: "Plain text. Null when it is deleted; when it is hidden, for all but its writer and staff",
    }),
    files: z.array(FileSummary).meta({ description: "Shown as the words are" }),
    is_deleted: z.boolean(),
    is_hidden: z.boolean(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "DiscussionPost" });

export const DiscussionPostPage = z
  .object({
    posts: z
      .array(DiscussionPost)
      .meta({ description: "Oldest first: a post comes after the one it answers" }),
    has_more: z.boolean().meta({ description: "Whether there are later posts" }),
  })
  .meta({ id: "DiscussionPostPage" });

export const DiscussionPostQuery = z.object({
  after: WideIdText.optional().meta({ description: "Only posts after this one" }),
  limit: integerText(integer(1, 100)).default(100),
});

export const DiscussionReportCreate = z
  .object({ reason: title(2000).meta({ example: "It insults someone" }) })
  .meta({ id: "DiscussionReportCreate" });

const reportFields = {
  id: Id,
  post_id: WideId.nullable().meta({ description: "The post that was reported; null for a review" }),
  review_id: WideId.nullable().meta({ description: "The review that was reported; null for a post" }),
  reason: z.string(),
  outcome: upperEnum(reportOutcomes).nullable().meta({ description: "Null until staff have decided" }),
  resolved_at: Instant.nullable(),
  created_at: Instant,
};

export const DiscussionReport = z.object(reportFields).meta({ id: "DiscussionReport" });

/** A report for staff, with the post or review. */
export const DiscussionReportForStaff = z
  .object({
    ...reportFields,
    user_id: Id.meta({ description: "Who reported it" }),
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
      description:
        "True hides its words; false dismisses what was reported, and shows it where it was hidden",
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
