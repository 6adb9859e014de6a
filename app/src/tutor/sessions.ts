import { dataOf, eachOf, type PlatformClient, type Schemas } from "learning-platform-client";

export type TutorChatSession = Schemas["ChatSessionWithMessages"];

/** An entry in the user's list of conversations about an item. */
export type ConversationSummary = Schemas["ChatSessionSummary"];

export async function readChatSession(
  client: PlatformClient,
  id: number,
  signal: AbortSignal,
): Promise<TutorChatSession> {
  return dataOf(client.getChatSession({ params: { path: { session_id: id } }, signal }));
}

/** The user's conversations and asides about an item, newest first. */
export async function listConversations(
  client: PlatformClient,
  contentItemId: number,
  signal: AbortSignal,
): Promise<ConversationSummary[]> {
  const params = { query: { content_item_id: contentItemId, limit: 100 } };
  const lines: ConversationSummary[] = [];
  for await (const line of eachOf(client.listChatSessions, { params, signal })) lines.push(line);
  return lines;
}

/** The conversation to resume: the newest one that is no aside and tries no prompt. */
export const conversationToResume = (
  lines: readonly ConversationSummary[],
): ConversationSummary | undefined =>
  lines.find(({ aside_of, tried_prompt }) => aside_of === null && !tried_prompt);

/** The aside to resume: an open one that was started at the conversation's last message. */
export function asideToResume(
  lines: readonly ConversationSummary[],
  session: Pick<TutorChatSession, "id" | "messages">,
): ConversationSummary | undefined {
  const last = session.messages.at(-1);
  const open = lines.find(({ aside_of, closed_at }) => aside_of === session.id && closed_at === null);
  return open && (!last || Date.parse(open.created_at) >= Date.parse(last.created_at)) ? open : undefined;
}

/** How a conversation starts: as an aside, or with a prompt version to try. */
export type ConversationStartOptions = { beside?: number; tried?: TutorChatSession["tried_prompt"] };

export async function beginChatSession(
  client: PlatformClient,
  contentItemId: number,
  signal: AbortSignal,
  { beside, tried }: ConversationStartOptions = {},
): Promise<TutorChatSession> {
  const body = {
    content_item_id: contentItemId,
    ...(beside !== undefined && { aside_of: beside }),
    ...(tried && { prompt_name: tried.name, prompt_version: tried.version }),
  };
  const session = await dataOf(client.createChatSession({ body, signal }));
  return { ...session, messages: [], has_more: false, answering: null, handovers: [] };
}

export async function readOlderMessages(
  client: PlatformClient,
  { id, messages }: Pick<TutorChatSession, "id" | "messages">,
  signal: AbortSignal,
): Promise<Pick<TutorChatSession, "messages" | "has_more">> {
  const before = messages[0]?.id;
  const query = { limit: 100, ...(before !== undefined && { before }) };
  return dataOf(client.listChatMessages({ params: { path: { session_id: id }, query }, signal }));
}
