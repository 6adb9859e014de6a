import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import type { LlmMessage } from "../llm/provider.ts";
import { render } from "../prompts/render.ts";
import { type ContentContext, promptVariables } from "./content-context.ts";
import type { OpenTurn } from "./open-turn.ts";

/** The history that a call may carry, in characters: about 50 000 tokens. Beyond it the oldest are dropped. */
export const longestHistory = 200_000;

/** What the provider is sent, for one answer. */
export type LlmInput = { system: string; messages: LlmMessage[] };

type Exchange = { question: string; answer: string };

/**
 * Builds what the provider is sent, in one read. An answer that will be shared is made from the path alone: the
 * normal forms and stored answers from the root. Any other sees the session's answered history.
 */
export async function llmInput(db: Db, turn: OpenTurn, template: string): Promise<LlmInput> {
  const earlier = turn.shared ? pathTo(turn) : historyOf(turn);
  const { rows } = await db.execute<{ context: ContentContext; exchanges: Exchange[] }>(sql`
    with recursive ${earlier}
    select chat_sessions.content_context as context,
           coalesce((select json_agg(json_build_object('question', question, 'answer', answer) order by position)
                     from exchanges), '[]') as exchanges
    from chat_sessions where id = ${turn.session_id}`);
  const { context, exchanges } = rows[0] ?? missingSession(turn.session_id);
  const kept = turn.shared ? exchanges : newestWithin(longestHistory - turn.content.length, exchanges);
  return {
    system: render(template, promptVariables(context), "empty"),
    messages: [
      ...kept.flatMap(({ question, answer }): LlmMessage[] => [
        { role: "user", content: question },
        { role: "assistant", content: answer },
      ]),
      { role: "user", content: questionOf(turn) },
    ],
  };
}

/** A shared question goes out in its normal form, so that no key beside it can colour an answer for all. */
const questionOf = ({ shared, message, content }: OpenTurn): string =>
  shared && message.kind !== "free" ? message.normalForm : content;

/** From the cursor up to the root, and read from the root down. A root's own path is empty. */
const pathTo = ({ parent_id }: OpenTurn) => sql`
  path (id, parent_id, message, chunks, position) as (
    select id, parent_id, message, chunks, 0 from cache_nodes where id = ${parent_id}
    union all
    select above.id, above.parent_id, above.message, above.chunks, path.position - 1
    from path join cache_nodes as above on above.id = path.parent_id
  ), exchanges as (
    select message as question, position,
           (select string_agg(chunk, '' order by number)
            from jsonb_array_elements_text(chunks) with ordinality as part (chunk, number)) as answer
    from path
  )`;

/** Questions that were answered, with their answers; one that failed is left out. */
const historyOf = ({ session_id, message_id }: OpenTurn) => sql`
  exchanges as (
    select question.content as question, answer.content as answer, question.id as position
    from chat_messages as question
    join chat_messages as answer on answer.in_reply_to_id = question.id
    where question.session_id = ${session_id} and question.id < ${message_id} and answer.content <> ''
  )`;

/** The newest exchanges that fit, oldest first. */
export function newestWithin(characters: number, exchanges: readonly Exchange[]): Exchange[] {
  let left = characters;
  const kept: Exchange[] = [];
  for (const exchange of exchanges.toReversed()) {
    left -= exchange.question.length + exchange.answer.length;
    if (left < 0) break;
    kept.push(exchange);
  }
  return kept.reverse();
}

function missingSession(id: number): never {
  throw new Error(`chat session ${id} went away while it was being answered`);
}
