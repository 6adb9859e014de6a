import { sql } from "drizzle-orm";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { conflict, forbidden, notFound } from "../errors.ts";
import { deepestNesting, type PromptGraph } from "../prompts/inline.ts";
import { dateIn } from "../users/streak.ts";
import { fingerprint } from "./fingerprint.ts";
import { kindOf, type MessageKind } from "./message-kind.ts";

/** How long one answer may take. */
export const answerSeconds = 120;

/** A process that dies while answering blocks its session for no longer; one that lives renews its lease. */
export const leaseSeconds = 30;

/** Candidates beyond the first that have the key but for the prompt's fingerprint, which SQL cannot compute. */
export const candidatesRead = 8;

/**
 * A node that answers the message, for one state of the prompts that the tutor's prompt references; without chunks
 * while its answer is being written.
 */
export type Candidate = { id: number; prompt_fingerprint: string; chunks: string[] | null };

/** Everything that answering a message takes, from the one statement that also stored it. */
export type OpenTurn = {
  session_id: number;
  user_id: number;
  message_id: number;
  token: string;
  message: MessageKind;
  content: string;
  content_item_id: number;
  content_fingerprint: string;
  /** Whether the answer lies on a path that is shared: looked up, and stored on a miss. */
  shared: boolean;
  parent_id: number | null;
  model: string;
  graph: PromptGraph | null;
  candidates: Candidate[];
};

type OpenedRow = Pick<
  OpenTurn,
  "content_item_id" | "content_fingerprint" | "shared" | "parent_id" | "model" | "graph" | "candidates"
> & { asked_by: number; message_id: number | null };

type Opening = { sessionId: number; content: string; defaultModel: string; tutorPrompt: string; now: Date };

/**
 * Opens a turn in one round trip: takes the session's lease, stores the learner's message, sets what the message
 * does to the session's state, and reads the tutor's prompt with its references and the nodes that may hold the
 * answer. 404 without such a session, 403 for another's, 409 while an answer is being written.
 */
export async function openTurn(db: Db, actor: Actor, opening: Opening): Promise<OpenTurn> {
  const { sessionId, content, defaultModel, tutorPrompt, now } = opening;
  const message = kindOf(content);
  const hash = message.kind === "free" ? null : fingerprint(message.normalForm);
  const token = crypto.randomUUID();
  const { rows } = await db.execute<OpenedRow>(sql`
    select * from open_turn(${sessionId}, ${actor.id}, ${content}, ${message.kind}, ${hash}, ${token}, ${leaseSeconds},
      ${defaultModel}, ${tutorPrompt}, ${deepestNesting}, ${dateIn(actor.profile.time_zone, now)},
      ${now.toISOString()}, ${candidatesRead})`);
  const [row] = rows;
  if (!row) throw notFound("Chat session");
  if (row.asked_by !== actor.id) throw forbidden("Not your chat session");
  if (row.message_id === null) throw conflict("An answer is already being written");
  const { asked_by: _, message_id, ...opened } = row;
  return { ...opened, user_id: actor.id, session_id: sessionId, message_id, token, message, content };
}
