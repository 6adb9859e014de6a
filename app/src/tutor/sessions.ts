import { dataOf, eachOf, type PlatformClient, type Schemas } from "learning-platform-client";

export type Session = Schemas["ChatSessionWithMessages"];

export async function readSession(client: PlatformClient, id: number, signal: AbortSignal): Promise<Session> {
  return dataOf(client.getChatSession({ params: { path: { session_id: id } }, signal }));
}

/** The newest conversation about the item. */
export async function findSession(
  client: PlatformClient,
  contentItemId: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  // Each line has its item's whole material: no more of them are read than until the first that fits.
  const params = { query: { limit: 100 } };
  for await (const { id, content_item_id } of eachOf(client.listChatSessions, { params, signal }))
    if (content_item_id === contentItemId) return id;
  return undefined;
}

export async function beginSession(
  client: PlatformClient,
  contentItemId: number,
  signal: AbortSignal,
): Promise<Session> {
  const body = { content_item_id: contentItemId };
  const session = await dataOf(client.createChatSession({ body, signal }));
  return { ...session, messages: [], has_more: false, answering: null };
}
