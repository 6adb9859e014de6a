import type { GeneratedTableInsert, MaxIdByTable } from "./generated-inserts.ts";
import type { ScaleSize } from "./size.ts";

/** Everyone has asked the tutor once, about one item; each item has a tree of two answers. */
export function buildConversationInserts(
  { people, courses }: ScaleSize,
  base: MaxIdByTable,
): GeneratedTableInsert[] {
  const session = `${base.chat_sessions} + n / 2 + 1`;
  const message = `case n % 2 when 0 then 'Start.' else 'Go on' end`;
  return [
    {
      what: "stored answers",
      table: "cache_nodes",
      columns: `id, content_item_id, parent_id, message, prompt_name, prompt_version, model,
                prompt_fingerprint, content_fingerprint, chunks`,
      count: courses * 2,
      rows: `${base.cache_nodes} + n + 1, ${base.content_items} + n / 2 + 1,
             case n % 2 when 1 then ${base.cache_nodes} + n end, ${message}, 'tutor', 1, 'model',
             'prompt', 'content', '["Well", " asked."]'`,
    },
    {
      what: "conversations",
      table: "chat_sessions",
      columns: `id, user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint, cache_node_id,
                share_enabled, share_token`,
      count: people,
      rows: `${base.chat_sessions} + n + 1, ${base.users} + n + 1, ${base.content_items} + n % ${courses} + 1,
             '{"title": "Topic"}', 'content', 'content', ${base.cache_nodes} + n % ${courses} * 2 + 1,
             true, 'scale-' || ${base.chat_sessions} + n + 1`,
    },
    {
      what: "messages",
      table: "chat_messages",
      columns: "id, session_id, role, content, meta, in_reply_to_id, on_shared_path, cache_node_id",
      count: people * 2,
      rows: `${base.chat_messages} + n + 1, ${session},
             case n % 2 when 0 then 'user' else 'assistant' end,
             case n % 2 when 0 then 'Start.' else 'Well asked.' end,
             case n % 2 when 0 then '{}' else '{"source": "cache"}' end::jsonb,
             case n % 2 when 1 then ${base.chat_messages} + n end, n % 2 = 1,
             case n % 2 when 1 then ${base.cache_nodes} + n / 2 % ${courses} * 2 + 1 end`,
    },
  ];
}
