import * as z from "zod";
import { type ChatSession, PromptTried } from "../../../schema/api/tutor/chat.ts";
import { chatSessions } from "../../../schema/db/tutor/chat.ts";
import { typedSql } from "../../platform/db/query/rows.ts";
import { contextForLearners, partsNotReadByTutor } from "./content-context.ts";

export const summaryColumns = {
  id: chatSessions.id,
  user_id: chatSessions.user_id,
  content_item_id: chatSessions.content_item_id,
  share_enabled: chatSessions.share_enabled,
  share_token: chatSessions.share_token,
  cache_node_id: chatSessions.cache_node_id,
  cache_state: chatSessions.cache_state,
  title: chatSessions.title,
  aside_of: chatSessions.aside_of_id,
  closed_at: chatSessions.closed_at,
  created_at: chatSessions.created_at,
  updated_at: chatSessions.updated_at,
  tried_prompt: typedSql(PromptTried.nullable())`(
    select json_build_object('name', name, 'version', version) from prompts where prompts.id = ${chatSessions.prompt_id})`,
};

export const sessionColumns = {
  ...summaryColumns,
  content_context: chatSessions.content_context,
  cache_enabled: typedSql(z.boolean())`(
    select course.cache_enabled from content_items as item join courses as course on course.id = item.course_id
    where item.id = ${chatSessions.content_item_id})`,
  knows_pool: typedSql(z.boolean())`coalesce(${chatSessions.tutor_context} ? 'pool', false)`,
};

/** With the item as learners read it, and its unread parts. */
export function learnerViewWithUnreadParts<
  S extends Pick<ChatSession, "content_context"> & { knows_pool: boolean },
>({ knows_pool, ...session }: S, maxMaterial: number) {
  return {
    ...session,
    content_context: contextForLearners(session.content_context),
    not_read: partsNotReadByTutor(session.content_context, maxMaterial, { knows_pool }),
  };
}
