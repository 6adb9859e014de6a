import { sql } from "drizzle-orm";
import * as z from "zod";
import type { Deps } from "../../lib/deps.ts";
import { rowsOf } from "../../lib/platform/db/query/rows.ts";

export type LearnerSessionAndToken = { sessionId: number; token: string };

const NewSession = z.object({ id: z.int(), user_id: z.int() });

/** Learners with a session each on the demo's first topic, all on the same path. */
export async function insertLearnersWithChatSessions(
  deps: Deps,
  size: number,
  name: string,
): Promise<LearnerSessionAndToken[]> {
  const statement = sql`
    with people as (
      insert into users (email, full_name)
      select ${name}::text || number || '@example.edu', 'Learner' from generate_series(1, ${size}::int) as number
      returning id
    )
    insert into chat_sessions (user_id, content_item_id, content_context, item_fingerprint, surroundings_fingerprint)
    select people.id, content_items.id, jsonb_build_object('title', content_items.title), md5(${name}::text), md5(${name}::text)
    from people, (select * from content_items order by id limit 1) as content_items
    returning id, user_id`;
  const rows = await rowsOf(deps.db, NewSession, statement);
  return Promise.all(
    rows.map(async ({ id, user_id }) => ({
      sessionId: id,
      token: (await deps.tokens.issue({ id: user_id })).access_token,
    })),
  );
}

/** The learner's first message, as a stream. */
export const firstMessageRequest = (base: string, { sessionId, token }: LearnerSessionAndToken) => ({
  url: `${base}/api/v1/chat/sessions/${sessionId}/messages`,
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: '{"content":"Start."}',
});
