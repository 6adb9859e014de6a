import { sql } from "drizzle-orm";
import type { AnswerMeta } from "../../schema/api/chat.ts";
import { toInstant } from "../../schema/db/columns.ts";
import type { Caller } from "../auth/guards.ts";
import type { Db } from "../db/client.ts";
import { conflict, forbidden, inactiveUser, notFound, unauthorized } from "../errors.ts";
import { fingerprint } from "../fingerprint.ts";
import { deepestNesting, type PromptGraph } from "../prompts/inline.ts";
import { dateIn } from "../users/streak.ts";
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

/** An answer that the tree held. It is stored in the session already. */
export type StoredAnswer = { id: number; created_at: string; meta: AnswerMeta; chunks: readonly string[] };

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

type Row = Pick<
  OpenTurn,
  Exclude<keyof OpenTurn, "session_id" | "user_id" | "token" | "message" | "content">
> & {
  refusal: Refusal | "another time zone" | null;
  time_zone: string;
  answer_id: number | null;
  answered_at: string;
} & Pick<StoredAnswer, "meta" | "chunks">;

const refusals = {
  "inactive person": inactiveUser,
  "no such session": () => notFound("Chat session"),
  "not theirs": () => forbidden("Not your chat session"),
  "being answered": () => conflict("An answer is already being written"),
};

type Refusal = keyof typeof refusals;

type Opening = { sessionId: number; content: string; defaultModel: string; tutorPrompt: string; now: Date };

/**
 * Opens a turn in one round trip: stores the learner's message, sets what it does to the session's state and to their
 * streak, and answers it where the tree holds the answer. Else it takes the session's lease, and reads the tutor's
 * prompt with its references and the nodes that may hold the answer. 401 and 403 for a person who is gone or inactive,
 * 404 without such a session, 403 for another's, 409 while an answer is being written.
 */
export async function openTurn(
  db: Db,
  caller: Caller,
  opening: Opening,
): Promise<OpenTurn | { stored: StoredAnswer }> {
  const { sessionId, content, defaultModel, tutorPrompt, now } = opening;
  const message = kindOf(content);
  const hash = message.kind === "free" ? null : fingerprint(message.normalForm);
  const token = crypto.randomUUID();
  const open = async (zone: string): Promise<Row> => {
    const { rows } = await db.execute<Row>(sql`
      select * from open_turn(${sessionId}, ${caller.id}, ${content}, ${message.kind}, ${hash}, ${token},
        ${leaseSeconds}, ${defaultModel}, ${tutorPrompt}, ${deepestNesting}, ${zone}, ${dateIn(zone, now)},
        ${now.toISOString()}, ${candidatesRead})`);
    if (!rows[0]) throw unauthorized();
    return rows[0];
  };

  const row = await inOwnZone(caller, open);
  const { refusal, time_zone: _, answer_id, answered_at, meta, chunks, ...opened } = row;
  if (refusal) throw refusals[refusal]();
  if (answer_id !== null)
    return { stored: { id: answer_id, created_at: toInstant(answered_at), meta, chunks } };
  return { ...opened, user_id: caller.id, session_id: sessionId, token, message, content };
}

/** The time zones of people who were here lately, so that what day it is for them takes no question of its own. */
const zones = new Map<number, string>();

const zonesKept = 10_000;

type Answered = Row & { refusal: Refusal | null };

/** Opens with the day in the zone where the person was last; once more when that is not their zone. */
async function inOwnZone(caller: Caller, open: (zone: string) => Promise<Row>): Promise<Answered> {
  for (let zone = zones.get(caller.id) ?? "UTC"; ; ) {
    const row = await open(zone);
    if (row.refusal !== "another time zone") return row as Answered;
    zone = row.time_zone;
    if (zones.size >= zonesKept) zones.clear();
    zones.set(caller.id, zone);
  }
}
