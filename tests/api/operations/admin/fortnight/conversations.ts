import { cacheNodes } from "../../../../../schema/db/tutor/cache.ts";
import { chatMessages, chatSessions } from "../../../../../schema/db/tutor/chat.ts";
import { at } from "./calendar.ts";
import type { Stage, Topic } from "./stage.ts";

/** Messages to the tutor, and the nodes of the tree. */
export async function converse(stage: Stage): Promise<void> {
  await talk(stage, 2, "s1", "TRACKING", [["03-03 09:00"], ["03-03 09:02", "llm"], ["03-03 09:05", "cache"]]);
  await talk(stage, 3, "s2", "TRACKING", [["03-08 12:00"], ["03-08 12:01", "cache"]]);
  await talk(stage, 10, "l1", "DIVERGED", [
    ["03-12 10:00"],
    ["03-12 10:01", "cache"],
    ["03-12 10:03", "llm alone"],
  ]);
  await talk(stage, 9, "l2", "DIVERGED", [["03-14 23:50"], ["03-15 00:10", "llm alone"]]);
  await talk(stage, 4, "s1", "TRACKING", [["02-27 09:00"], ["03-01 00:10", "llm"]]);
  await talk(stage, 5, "s1", "TRACKING", []);
  await stage.db.insert(cacheNodes).values([nodeOf(stage, "1", ["a"]), nodeOf(stage, "2", ["b"])]);
}

/** A conversation: the time of each message and the model of each answer; `alone` is off the shared paths. */
async function talk(
  stage: Stage,
  number: number,
  topic: Topic,
  cache_state: "TRACKING" | "DIVERGED",
  said: [string, string?][],
) {
  const [session] = await stage.db
    .insert(chatSessions)
    .values({
      user_id: stage.id(number),
      content_item_id: stage.topics[topic].id,
      content_context: {},
      item_fingerprint: "",
      surroundings_fingerprint: "",
      created_at: at(said[0]?.[0] ?? "03-01 00:00"),
      cache_state,
    })
    .returning({ id: chatSessions.id });
  for (const [moment, source] of said)
    await stage.db.insert(chatMessages).values({
      session_id: session?.id ?? 0,
      role: source ? "assistant" : "user",
      content: "",
      meta: source ? { source: source.split(" ")[0] } : {},
      on_shared_path: source !== undefined && !source.endsWith("alone"),
      created_at: at(moment),
    });
}

/** A stored answer. */
const nodeOf = (stage: Stage, message: string, chunks: string[]) => ({
  content_item_id: stage.topics.s1.id,
  message,
  prompt_name: "tutor",
  prompt_version: 1,
  model: "model",
  prompt_fingerprint: "",
  content_fingerprint: "",
  chunks,
});
