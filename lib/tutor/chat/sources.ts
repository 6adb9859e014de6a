import { type SQL, sql } from "drizzle-orm";
import { ChatMessage } from "../../../schema/api/tutor/chat.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";

/** Cited sources of a `chat_messages` row `message` that its reader may open now. */
export const visibleSourcesJsonSql = (reader: (item: SQL) => SQL): SQL => sql`(
  select coalesce(json_agg(json_build_object(
    'number', source.number, 'content_item_id', source.content_item_id, 'title', item.title, 'place', source.place,
    'perhaps', source.perhaps)
    order by source.number), '[]')
  from message_sources as source join content_items as item on item.id = source.content_item_id
  where source.question_id = message.in_reply_to_id and position('[§' || source.number || ']' in message.content) > 0
    and item_access_refusal(item.id, ${reader(sql`item.id`)}::int, service_now()) is null)`;

const Row = ChatMessage.pick({ sources: true });

/** No round trip if a new answer cites none. */
export async function findAnswerSources(
  db: ReadDb,
  person: number,
  answer: { id: number; text: string },
): Promise<ChatMessage["sources"]> {
  if (!answer.text.includes("[§")) return [];
  const [row] = await rowsOf(
    db,
    Row,
    sql`select ${visibleSourcesJsonSql(() => sql`${person}`)} as sources from chat_messages as message where message.id = ${answer.id}::bigint`,
  );
  return row?.sources ?? [];
}
